//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// The memory that is foretold is at least what the program takes at its peak, and at most twice that.
func TestMemoryIsForetold(t *testing.T) {
	program := theProgram(t)
	for _, c := range []struct {
		example, verb, set string
		long               bool
	}{
		{"poisson", "solve", "features.neurons=100", false},
		{"poisson", "solve", "features.neurons=400", false},
		{"poisson", "solve", "features.neurons=1000", true},
		{"poisson", "compile", "features.neurons=400", false},
		{"poisson", "compile", "features.neurons=1000", true},
		{"poisson", "solve", "output.grid=[1500,1500]", false},
		{"beam", "solve", "features.neurons=60", false},
		{"beam", "solve", "features.neurons=400", true},
		{"beam", "compile", "features.neurons=400", false},
		{"acoustics", "solve", "features.neurons=150", false},
		{"acoustics", "compile", "features.neurons=400", true},
		{"stokes", "solve", "features.neurons=120", true},
	} {
		if c.long && testing.Short() {
			continue
		}
		problem := writeExample(t, c.example)
		args := []string{c.verb, problem, "--quiet", "--set=" + c.set}
		if c.verb == "compile" {
			args = append(args, "--out", filepath.Join(t.TempDir(), "physics"))
		}
		file, err := (&problemFlags{File: problem, Set: []string{c.set}}).read(&streams{})
		if err != nil {
			t.Fatal(err)
		}
		config, err := configuration(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, processors := range []int{1, 2} {
			command := exec.Command(program, args...)
			command.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", processors), "GOGC=100")
			if text, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			peak := float64(command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) * 1024
			before := runtime.GOMAXPROCS(processors)
			foretold := float64(solveMemory(file, config, c.verb == "solve"))
			runtime.GOMAXPROCS(before)
			t.Logf("%s %s, %s, %d processors: %.0f MB foretold, %.0f MB taken: %.2f", c.verb, c.example, c.set, processors, foretold/1e6, peak/1e6, foretold/peak)
			if foretold < peak || foretold > 2*peak {
				t.Errorf("%s: %.0f MB foretold, %.0f MB taken", strings.Join(args, " "), foretold/1e6, peak/1e6)
			}
		}
	}
}
