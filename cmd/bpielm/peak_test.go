//go:build linux

package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bpielm/bpielm"
)

var allPeaks = flag.Bool("peaks", false, "estimate the memory of large problems, too: two minutes")

// peakOf runs a program and returns its peak memory in bytes.
func peakOf(t *testing.T, command *exec.Cmd) float64 {
	t.Helper()
	var stderr strings.Builder
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	peak := 0.0
	for {
		// The figure of wait4 includes the process that started it.
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
		if _, text, found := strings.Cut(string(status), "VmHWM:"); found {
			var kilobytes float64
			fmt.Sscan(text, &kilobytes)
			peak = max(peak, 1024*kilobytes)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			return peak
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// The estimate of the memory is at least the peak of the program, and at most twice that. More problems: go test ./cmd/bpielm -run MemoryIsEstimated -peaks
func TestMemoryIsEstimated(t *testing.T) {
	program := theProgram(t)
	for _, c := range []struct {
		example, verb, set string
		long, small        bool
	}{
		{"poisson", "solve", "features.neurons=100", false, true},
		{"poisson", "solve", "features.neurons=400", false, false},
		{"poisson", "solve", "features.neurons=1000", true, false},
		{"poisson", "compile", "features.neurons=400", false, false},
		{"poisson", "compile", "features.neurons=1000", true, false},
		{"poisson", "solve", "output.grid=[1000,1000]", false, false},
		{"beam", "solve", "features.neurons=60", false, true},
		{"beam", "solve", "features.neurons=400", true, false},
		{"beam", "compile", "features.neurons=400", false, false},
		{"acoustics", "solve", "features.neurons=150", true, false},
		{"acoustics", "compile", "features.neurons=150", false, false},
		{"acoustics", "compile", "features.neurons=400", true, false},
		{"stokes", "solve", "features.neurons=120", true, false},
	} {
		if c.long && !*allPeaks || testing.Short() && !c.small {
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
		config, err := bpielm.Config(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, processors := range []int{1, 2} {
			before := runtime.GOMAXPROCS(processors)
			estimate := float64(solveMemory(file, config, c.verb == "solve"))
			runtime.GOMAXPROCS(before)
			const tooMuch = 2.2
			var peaks []float64
			within := false
			for range 3 { // on a busy machine the collector may come late once
				command := exec.Command(program, args...)
				command.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", processors), "GOGC=100")
				peak := peakOf(t, command)
				peaks = append(peaks, math.Round(peak/1e6))
				if within = estimate >= peak && estimate <= tooMuch*peak; within {
					break
				}
			}
			t.Logf("%s %s, %s, %d processors: %.0f MB estimated, %g MB used", c.verb, c.example, c.set, processors, estimate/1e6, peaks)
			if !within {
				t.Errorf("%s: %.0f MB estimated, %g MB used", strings.Join(args, " "), estimate/1e6, peaks)
			}
		}
	}
}

// A limit of the kernel is one if it is a positive number.
func TestLimitsOfTheKernel(t *testing.T) {
	const none = math.MaxInt64
	for text, want := range map[string]int64{"4096\n": 4096 << 10, " 1 ": 1 << 10, "max\n": none, "": none, "0\n": none, "-1": none, "9223372036854771712": none, "9007199254740992": none} {
		if got := limitIn(text, 1<<10); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// By default the shell's limit on memory holds, like that of the machine and the container.
func TestMemoryOfTheMachine(t *testing.T) {
	machine := availableMemory()
	if machine <= 0 || memorySize(machine) <= mostMemory() {
		t.Fatalf("the machine has %d bytes, of which %d may be taken", machine, mostMemory())
	}
	program, problem := theProgram(t), writeExample(t, "poisson")
	for neurons, want := range map[int]int{8000: exitLimit, 20: 0} {
		command := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -v 4194304 && exec "$0" solve "$1" --quiet --set=features.neurons=%d`, neurons), program, problem)
		text, _ := command.CombinedOutput()
		if status := command.ProcessState.ExitCode(); status != want || want != 0 && machine > 4<<30 && !strings.Contains(string(text), "3.6 GiB are allowed") {
			t.Errorf("%d neurons: status %d, %s", neurons, status, text)
		}
	}
}
