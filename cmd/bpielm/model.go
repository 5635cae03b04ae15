package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// problemName is what a problem file is called in a directory of its own.
const problemName = "problem.toml"

// problemFlags are those of the verbs that read a problem file.
type problemFlags struct {
	File    string        `arg:"" help:"Problem file (TOML), or the directory of a problem.toml."`
	Set     []string      `sep:"none" placeholder:"SECTION.KEY=VALUE" help:"Override a value of the problem file; may be repeated."`
	Sandbox bool          `help:"For a stranger's problem: read only regular files below its folder, follow no link out of it, and allow no more than 64 MiB of files, a million points and, if --max-time says nothing else, ten minutes."`
	MaxTime time.Duration `placeholder:"TIME" help:"End with status 5 after this time, as 90s or 10m."`
}

// What a sandbox allows.
const (
	sandboxTime   = 10 * time.Minute
	sandboxPoints = 1_000_000
	sandboxBytes  = 64 << 20
)

// bytesOfPoint is what a point takes at least before a fit begins.
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

// read reads the problem file, or the one in a directory. A problem may have as many points as memory holds.
func (f *problemFlags) read(io *streams) (*spec.File, error) {
	path := f.File
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, problemName)
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

// readModel reads a model file, of which nothing may be left over. Errors name it.
func readModel(path string, load func(io.Reader) error) error {
	file, err := spec.OpenFile(path)
	if err != nil {
		return refuse("%s: %s", path, systemReason(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return refuse("%s: is a directory; a model file is expected", path)
	}
	r := bufio.NewReader(file)
	if err := load(r); err != nil {
		return inFile(path, err)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return inFile(path, &posterior.FileError{Why: "there is more after its end"})
	}
	return nil
}

// systemReason is what the operating system says, without the path.
func systemReason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
