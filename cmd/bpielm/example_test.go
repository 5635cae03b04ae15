package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/system/spec"
)

func TestExamplesAreListed(t *testing.T) {
	for _, args := range [][]string{{"example"}, {"example", "--list"}} {
		got := succeed(t, args...)
		for _, e := range problems.All {
			if !strings.Contains(got, "\n  "+e.Name+" ") {
				t.Errorf("%v does not list %s", args, e.Name)
			}
		}
	}
}

// The embedded files of the paper's problems are those that `bpielm example` writes, on
// every machine.
func TestEmbeddedSensorsAreTheSimulators(t *testing.T) {
	for _, e := range problems.All {
		t.Run(e.Name, func(t *testing.T) {
			path := writeExample(t, e.Name)
			for _, name := range []string{problems.ProblemFile, e.SensorFile} {
				got, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, e.File(name)) {
					t.Errorf("%s differs from the embedded one:\n%s", name, got)
				}
			}
		})
	}
}

// So are those of the studies.
func TestEmbeddedStudiesAreTheSimulators(t *testing.T) {
	for i := range problems.Studies {
		s := &problems.Studies[i]
		files, err := (&exampleCommand{Seed: 1}).studyFiles(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if string(f.content) != string(s.File(f.name)) {
				t.Errorf("%s/%s differs from what is simulated:\n%s", s.Name, f.name, f.content)
			}
		}
	}
}

func TestExampleOptions(t *testing.T) {
	for _, e := range problems.All {
		t.Run(e.Name, func(t *testing.T) {
			path := writeExample(t, e.Name, "--sigma=0.001", "--sensors=33", "--neurons=77", "--seed=5")
			file, err := spec.Read(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := file.Problem.Sensors[0]
			if len(s.Values) != 33 || len(s.Sigma) != 1 || s.Sigma[0] != 0.001 || file.Features.Neurons != 77 {
				t.Errorf("%d readings, sigma %v, %d neurons", len(s.Values), s.Sigma, file.Features.Neurons)
			}
			exact := make([]float64, len(s.Values))
			file.Output.Exact[0].EvalTo(exact, s.Points)
			square := 0.0
			for i := range exact {
				z := (s.Values[i] - exact[i]) / 0.001
				square += z * z / float64(len(exact))
			}
			// The mean square of 33 normal numbers leaves [0.35, 2.1] once in
			// 10,000 times; the seed is fixed.
			if square < 0.35 || square > 2.1 {
				t.Errorf("the noise has mean square %g sigma^2", square)
			}
		})
	}
}

func TestSeedsGiveDifferentNoise(t *testing.T) {
	e := problems.Find("inverse-poisson")
	a, err := simulateExample(e, 20, 0.05, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := simulateExample(e, 20, 0.05, 2)
	if err != nil || bytes.Equal(a, b) {
		t.Errorf("seeds 1 and 2 give the same readings (%v)", err)
	}
}

func TestExampleDoesNotOverwrite(t *testing.T) {
	path := writeExample(t, "poisson")
	directory := filepath.Dir(path)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, []string{"example", "poisson", directory}, path, "--force")
	if content, _ := os.ReadFile(path); string(content) != "mine" {
		t.Error("the file was overwritten")
	}
	succeed(t, "example", "poisson", directory, "--force")
	if content, _ := os.ReadFile(path); string(content) == "mine" {
		t.Error("--force did not overwrite the file")
	}
}

func TestWrongExamples(t *testing.T) {
	root := t.TempDir()
	directory := filepath.Join(root, "d")
	refused(t, []string{"example", "fish", directory}, "fish")
	refused(t, []string{"example", "poisson", directory, "--sigma=0"}, "sigma")
	refused(t, []string{"example", "poisson", directory, "--sigma=NaN"}, "sigma")
	refused(t, []string{"example", "poisson", directory, "--sensors=1"}, "sensors")
	refused(t, []string{"example", "poisson", directory, "--neurons=-1"}, "neurons")
	if got := listing(t, root); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

// An example with measured readings is written unchanged, and options that would change
// it are refused.
func TestMeasuredExampleIsWritten(t *testing.T) {
	m := &problems.Measured[0]
	files, err := (&exampleCommand{Name: m.Name}).files()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		names[f.name] = true
	}
	for _, name := range []string{"problem.toml", "README.md", "LICENSE", "thermocouples.csv"} {
		if !names[name] {
			t.Errorf("%s is not written", name)
		}
	}
	if _, err := (&exampleCommand{Name: m.Name, Sensors: 5}).files(); err == nil {
		t.Error("--sensors is taken")
	}
}
