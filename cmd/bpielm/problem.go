package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// problemFlags are the flags of the verbs that read a problem file.
type problemFlags struct {
	File    string        `arg:"" help:"Problem file (TOML), or the directory of a problem.toml."`
	Set     []string      `sep:"none" placeholder:"SECTION.KEY=VALUE" help:"Override a value of the problem file; may be repeated."`
	Sandbox bool          `help:"For a problem file that you do not trust: read only regular files below its folder, follow no link out of it, and allow at most 64 MiB of files, a million points and, unless --max-time says otherwise, ten minutes."`
	MaxTime time.Duration `placeholder:"TIME" help:"Exit with status 5 after this time, for example 90s or 10m."`
}

// The limits of --sandbox.
const (
	sandboxTime   = 10 * time.Minute
	sandboxPoints = 1_000_000
	sandboxBytes  = 64 << 20
)

// bytesOfPoint is the least memory that a point takes before a fit begins.
const bytesOfPoint = 64

// AfterApply runs before the verb: the time counts from here.
func (f *problemFlags) AfterApply() error {
	switch {
	case f.MaxTime < 0:
		return refuse("--max-time=%s: a positive time is expected", f.MaxTime)
	case f.Sandbox && f.MaxTime == 0:
		f.MaxTime = sandboxTime
	}
	return nil
}

func (f *problemFlags) timeLimit() time.Duration { return f.MaxTime }

// read reads the problem file, or the problem.toml of a directory. The number of
// points is limited by the memory that may be used.
func (f *problemFlags) read(io *streams) (*spec.File, error) {
	path := f.File
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, problems.ProblemFile)
	}
	limits := spec.Limits{Points: int64(io.maxMemory) / bytesOfPoint}
	if !f.Sandbox {
		return spec.ReadLimited(path, f.Set, limits)
	}
	limits.Bytes = sandboxBytes
	if limits.Points == 0 || limits.Points > sandboxPoints {
		limits.Points = sandboxPoints
	}
	return spec.ReadSandboxed(path, f.Set, limits)
}

// prepare reads the problem file and says how to solve it. It refuses problems that would need more
// memory than may be used; with judged, that of the verdict counts, too.
func (f *problemFlags) prepare(io *streams, judged bool) (*spec.File, posterior.Config, error) {
	file, err := f.read(io)
	if err != nil {
		return nil, posterior.Config{}, err
	}
	config, err := bpielm.Config(file)
	if err != nil {
		return nil, posterior.Config{}, err
	}
	if err := io.checkMemory(file.Path, solveMemory(file, config, judged)); err != nil {
		return nil, posterior.Config{}, err
	}
	config.MaxMemory = int64(io.maxMemory)
	return file, config, nil
}
