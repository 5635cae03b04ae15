package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/bench/usage"
)

const (
	// solved is the problem of the benchmarks Solve.
	solved = "poisson"
	// tooLong is the least number of neurons with which a solve is run only on request.
	tooLong = 1000
)

// solve is what a user waits for: from the problem file to all result files.
var solve = &Family{Name: "Solve", About: "a process that solves the Poisson problem with N neurons: file read, inference, verdict, tables and pictures written", Shapes: "N=100;N=500;N=1000;N=2000", cases: func(shapes []Shape) (cases []Case) {
	for _, s := range shapes {
		n := s.Get("N")
		cases = append(cases, Case{Name: fmt.Sprintf("Solve/N=%d", n), Process: &Process{Neurons: n}, Long: n >= tooLong})
	}
	return cases
}}

// Process is a benchmark that runs the program once, as a process: bpielm solve on one of the
// examples, with a number of neurons, from its files to a new folder of results.
type Process struct{ Neurons int }

// Settings of a Process. The zero value is the program as a user starts it.
type Settings struct {
	Threads int    // GOMAXPROCS; 0: all processors
	Kernel  string // see asm.Use; "": the program chooses
	Report  bool   // ask the program for its peak memory and allocations; early versions cannot say
}

// Run runs the program at a path, until ctx ends. It returns what the process used, without
// memory and allocations unless they are asked for. An error has the last line that the
// program printed.
func (p *Process) Run(ctx context.Context, program string, s Settings) (usage.Usage, error) {
	folder, err := os.MkdirTemp("", "bpielm-bench-")
	if err != nil {
		return usage.Usage{}, err
	}
	defer os.RemoveAll(folder)
	problem := filepath.Join(folder, "problem")
	if err := unpack(problem, solved); err != nil {
		return usage.Usage{}, err
	}
	report := filepath.Join(folder, "usage.json")
	args := []string{"solve", problem, "--quiet", fmt.Sprintf("--set=features.neurons=%d", p.Neurons), "--out", filepath.Join(folder, "out")}
	if s.Report {
		args = append(args, "--usage", report)
	}
	took, err := RunProgram(ctx, program, args, s)
	if err != nil || !s.Report {
		return took, err
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return usage.Usage{}, err
	}
	var own usage.Usage
	if err := json.Unmarshal(text, &own); err != nil {
		return usage.Usage{}, fmt.Errorf("%s: %w", program, err)
	}
	own.Wall, own.Processor = took.Wall, took.Processor // with the start and the end of the process
	return own, nil
}

// RunProgram runs a program with the number of threads and the kernel of s, and returns its
// time and processor time.
func RunProgram(ctx context.Context, program string, args []string, s Settings) (usage.Usage, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Env = os.Environ()
	if s.Threads > 0 {
		command.Env = append(command.Env, fmt.Sprintf("GOMAXPROCS=%d", s.Threads))
	}
	if s.Kernel != "" {
		command.Env = append(command.Env, "BPIELM_KERNEL="+s.Kernel)
	}
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	before := usage.Now()
	err := command.Run()
	wall := usage.Now().Wall - before.Wall
	if err != nil {
		if ctx.Err() != nil {
			return usage.Usage{}, context.Cause(ctx)
		}
		if lines := strings.Split(strings.TrimSpace(said.String()), "\n"); lines[len(lines)-1] != "" {
			return usage.Usage{}, errors.New(lines[len(lines)-1])
		}
		return usage.Usage{}, err
	}
	return usage.Usage{Wall: wall, Processor: command.ProcessState.UserTime() + command.ProcessState.SystemTime()}, nil
}

// unpack writes the files of an example into a new folder.
func unpack(folder, example string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	entries, err := fs.ReadDir(problems.Files, example)
	if err != nil {
		return err
	}
	for _, e := range entries {
		content, err := problems.Files.ReadFile(path.Join(example, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, e.Name()), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
