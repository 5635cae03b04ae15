package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/bpielm/bpielm/bench/regress"
)

// format is the version of the lines that Append writes.
const format = 1

// maxFile bounds the size of a file that Read reads, in bytes.
const maxFile = 64 << 20

// Entry is one run of benchmarks, a line of the file.
type Entry struct {
	Format  int             `json:"format"`
	Date    time.Time       `json:"date"`
	Machine regress.Machine `json:"machine"` // and the commit
	Results []Result        `json:"results"`
}

// Result is one benchmark of a run: medians over its repeats.
type Result struct {
	Name        string  `json:"name"`
	Kernel      string  `json:"kernel"`
	Threads     int     `json:"threads"`
	Nanoseconds float64 `json:"ns_per_op"`
	Cost        float64 `json:"cost"`   // see regress.Result
	Spread      float64 `json:"spread"` // standard deviation of the cost over the repeats, relative, from the median absolute deviation
	Repeats     int     `json:"repeats"`
	Peak        float64 `json:"peak"` // fused multiply-adds in registers, floating-point operations per second
	Allocations float64 `json:"allocs_per_op"`
	Memory      float64 `json:"peak_bytes,omitempty"` // of a process
}

// Of summarises a run.
func Of(run *regress.Run) *Entry {
	e := &Entry{Format: format, Date: run.Date, Machine: run.Machine}
	for i := range run.Results {
		r := &run.Results[i]
		one := Result{
			Name: r.Name, Kernel: r.Kernel, Threads: r.Threads,
			Nanoseconds: regress.Median(r.Nanoseconds), Cost: regress.Median(r.Cost), Spread: regress.Spread(r.Cost), Repeats: len(r.Cost),
			Peak: r.Peak, Allocations: r.Allocations,
		}
		if len(r.Memory) > 0 {
			one.Memory = regress.Median(r.Memory)
		}
		e.Results = append(e.Results, one)
	}
	return e
}

// Append adds a line to a file, which is made if needed. Other processes may append at the
// same time: every line is written whole, under a lock where the system has them. If the last
// line is broken, the new one still begins on a line of its own. If writing fails, the file is
// as before.
func Append(path string, e *Entry) (err error) {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { // its lock ends with it
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	if err := lock(f); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err = f.Write(line); err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Truncate(info.Size())
	}
	return err
}

// Read reads what Append wrote. Lines that are not whole, as an interrupted run leaves them,
// are left out, and broken has their numbers. It returns a *regress.FileError for a file
// without a single whole line, and for lines that are whole but no results.
func Read(path string) (entries []Entry, broken []int, err error) {
	text, err := readWhole(path)
	if err != nil {
		return nil, nil, err
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		place := fmt.Sprintf("%s:%d", path, number)
		if !json.Valid(line) {
			broken = append(broken, number)
			continue
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, nil, &regress.FileError{Path: place, Why: "not a line of benchmark results: " + err.Error()}
		}
		if err := e.check(place); err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil, nil, &regress.FileError{Path: path, Why: "it has no line of benchmark results; bpielm bench --append writes them"}
	}
	return entries, broken, nil
}

// readWhole reads a regular file of bounded size.
func readWhole(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &regress.FileError{Path: path, Why: err.(*os.PathError).Err.Error()}
	}
	if !info.Mode().IsRegular() {
		return nil, &regress.FileError{Path: path, Why: "not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &regress.FileError{Path: path, Why: err.(*os.PathError).Err.Error()}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, &regress.FileError{Path: path, Why: err.Error()}
	case len(text) > maxFile:
		return nil, &regress.FileError{Path: path, Why: fmt.Sprintf("more than %d MiB", maxFile>>20)}
	}
	return text, nil
}

// check refuses an entry whose numbers mean nothing.
func (e *Entry) check(place string) error {
	if e.Format != format {
		return &regress.FileError{Path: place, Why: fmt.Sprintf("found format %d; format %d is expected", e.Format, format)}
	}
	for i := range e.Results {
		r := &e.Results[i]
		for _, v := range []float64{r.Nanoseconds, r.Cost, r.Peak} {
			if !(v > 0) || math.IsInf(v, 0) {
				return &regress.FileError{Path: place, Why: fmt.Sprintf("benchmark %q took no time", r.Name)}
			}
		}
		if !(r.Spread >= 0) || !(r.Allocations >= 0) || !(r.Memory >= 0) {
			return &regress.FileError{Path: place, Why: fmt.Sprintf("benchmark %q has a negative spread, memory or number of allocations", r.Name)}
		}
	}
	return nil
}
