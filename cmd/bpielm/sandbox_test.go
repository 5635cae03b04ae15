//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// --sandbox gives the same solution, and refuses a problem that names files outside its folder.
func TestSandbox(t *testing.T) {
	problem := writeExample(t, "beam", "--neurons=20")
	folder := filepath.Dir(problem)
	plain, sandboxed := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), "sandboxed")
	succeed(t, "solve", folder, "--quiet", "--out", plain)
	succeed(t, "solve", folder, "--quiet", "--out", sandboxed, "--sandbox")
	if a, b := contents(t, plain), contents(t, sandboxed); len(a) < 3 || a["solution.csv"] != b["solution.csv"] || a["model.bpielm"] != b["model.bpielm"] {
		t.Error("the answers differ")
	}
	elsewhere := writeExample(t, "beam")
	gauges := "curvature.csv"
	if _, err := os.Stat(filepath.Join(folder, gauges)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, gauges)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(elsewhere), gauges), filepath.Join(folder, gauges)); err != nil {
		t.Fatal(err)
	}
	succeed(t, "check", problem)
	for _, verb := range []string{"check", "solve", "compile"} {
		refused(t, []string{verb, problem, "--sandbox"}, problem+":", "curvature.csv: it is not below the problem's folder")
	}
	overLimit(t, []string{"check", elsewhere, "--sandbox", "--set=output.grid=[2000000]"}, "at most 1000000 are allowed")
	refused(t, []string{"check", elsewhere, "--max-time=-1s"}, "--max-time")
}

// A solve that takes too long ends with status 5, and leaves nothing.
func TestTimeLimit(t *testing.T) {
	program, problem, root := theProgram(t), writeExample(t, "poisson"), t.TempDir()
	begin := time.Now()
	command := exec.Command(program, "solve", problem, "--max-time=200ms", "--set=features.neurons=2000", "--out", filepath.Join(root, "out"))
	var stderr strings.Builder
	command.Stderr = &stderr
	command.Run()
	if status := command.ProcessState.ExitCode(); status != exitLimit || !strings.Contains(stderr.String(), "longer than the 200ms that are allowed") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
	if got := listing(t, root); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

// If the estimate was too low, the program ends before the machine runs out of memory.
func TestMemoryIsWatched(t *testing.T) {
	program, root := theProgram(t), t.TempDir()
	succeed(t, "solve", writeExample(t, "beam", "--neurons=20"), "--out", root, "--quiet")
	many := filepath.Join(root, "many.csv")
	if err := os.WriteFile(many, []byte("x\n"+strings.Repeat("0.5\n", 5_000_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "predict", filepath.Join(root, "model.bpielm"), many, "--max-memory=100MB", "--out", filepath.Join(root, "values.csv"))
	var stderr strings.Builder
	command.Stderr = &stderr
	command.Run()
	if status := command.ProcessState.ExitCode(); status != exitLimit || !strings.Contains(stderr.String(), "of memory; 96 MiB are allowed") {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
	if _, err := os.Lstat(filepath.Join(root, "values.csv")); err == nil {
		t.Error("there is a result")
	}
}

// A named pipe as input is refused. The program does not wait for it.
func TestPipesAreNoInput(t *testing.T) {
	root := t.TempDir()
	problem := writeExample(t, "beam", "--neurons=20")
	succeed(t, "solve", problem, "--out", root, "--quiet")
	succeed(t, "compile", problem, "--out", filepath.Join(root, "physics"), "--quiet")
	pipe, model := filepath.Join(root, "pipe"), filepath.Join(root, "model.bpielm")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"solve", pipe}, {"predict", pipe, filepath.Join(root, "solution.csv")}, {"predict", model, pipe}, {"place", model, pipe},
		{"assimilate", filepath.Join(root, "physics"), pipe}, {"bench", "--baseline", pipe},
	} {
		refused(t, args, pipe)
	}
}

// predict reads points from standard input if asked to.
func TestPointsFromStandardInput(t *testing.T) {
	program, root := theProgram(t), t.TempDir()
	succeed(t, "solve", writeExample(t, "beam", "--neurons=20"), "--out", root, "--quiet")
	model, points := filepath.Join(root, "model.bpielm"), filepath.Join(root, "points.csv")
	if err := os.WriteFile(points, []byte("x\n0.25\n0.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "predict", model, "-")
	command.Stdin = strings.NewReader("x\n0.25\n0.5\n")
	got, err := command.Output()
	if want := succeed(t, "predict", model, points); err != nil || string(got) != want {
		t.Errorf("%v: %s\nwant %s", err, got, want)
	}
	command = exec.Command(program, "predict", model, "-")
	command.Stdin = strings.NewReader("secret\n")
	text, _ := command.CombinedOutput()
	if want := "bpielm: standard input:1: x: there is no column x\n"; string(text) != want {
		t.Errorf("%q, want %q", text, want)
	}
}
