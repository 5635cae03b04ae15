package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestCalibrateCountsProblems(t *testing.T) {
	args := []string{"calibrate", "--problems=2", "--kind=relaxation", "--seed=3", "--set=features.neurons=20", "--quiet"}
	text := succeed(t, args...)
	for _, want := range []string{"problems", "inside the band", "beyond 3 sd", "relaxation"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var got struct {
		Summary  struct{ Problems, Failed int }
		Outcomes []struct {
			Kind   string
			Number int
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, append(args, "--json", "--spoil=small-noise")...)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Summary.Problems != 2 || got.Summary.Failed != 0 || len(got.Outcomes) != 2 || got.Outcomes[1].Number != 1 || got.Outcomes[0].Kind != "relaxation" {
		t.Errorf("%+v", got)
	}
}

// TestCalibrateSaysWhyThereIsNoAnswer, and counts the fields that sensors of the first kind do not measure.
func TestCalibrateSaysWhyThereIsNoAnswer(t *testing.T) {
	args := []string{"calibrate", "--problems=1", "--kind=wall", "--seed=5", "--quiet"}
	text := succeed(t, append(args, "--set=features.patches=[4]")...)
	if !strings.Contains(text, "wall 0") || !strings.Contains(text, "is exact") || strings.Contains(text, "Kinds") {
		t.Errorf("it says\n%s", text)
	}
	if text := succeed(t, append(args, "--set=features.neurons=20")...); !strings.Contains(text, "further fields") {
		t.Errorf("it says\n%s", text)
	}
}

// --write writes the problem that would be solved. It overwrites nothing without --force.
func TestCalibrateWritesAProblem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "puzzle")
	write := []string{"calibrate", "--kind=relaxation", "--write", dir}
	if out := succeed(t, write...); !strings.Contains(out, "bpielm solve "+filepath.Join(dir, "problem.toml")) {
		t.Errorf("it says %s", out)
	}
	r := solveJSON(t, filepath.Join(dir, "problem.toml"), "--set=features.neurons=20")
	if r["error"] == nil {
		t.Error("there is no exact solution to compare with")
	}
	if status, _, stderr := execute(write...); status != 2 || !strings.Contains(stderr, "--force") {
		t.Errorf("status %d: %s", status, stderr)
	}
	succeed(t, append(write, "--force")...)
}

func TestCalibrateRefuses(t *testing.T) {
	for flag, want := range map[string]string{
		"--problems=0":   "at least 1",
		"--first=-1":     "numbered from 0",
		"--kind=alchemy": "alchemy",
		"--spoil=luck":   "luck",
	} {
		if status, _, stderr := execute("calibrate", flag); status != 2 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d: %s", flag, status, stderr)
		}
	}
}
