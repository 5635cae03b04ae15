package regress

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/bpielm/bpielm/bench/suite"
)

// format is the version of the file that Write writes.
const format = 1

// maxFile bounds the size of a file that Load reads, in bytes.
const maxFile = 64 << 20

// Run is one run of benchmarks.
type Run struct {
	Format  int       `json:"format"`
	Date    time.Time `json:"date"`
	Machine Machine   `json:"machine"`
	Results []Result  `json:"results"`
}

// Machine describes where a run was made.
type Machine struct {
	CPU        string  `json:"cpu"`
	Platform   string  `json:"platform"` // operating system/architecture
	Processors int     `json:"processors"`
	Go         string  `json:"go"`
	Commit     string  `json:"commit,omitempty"`
	Memory     float64 `json:"memory_bytes_per_s"` // bandwidth of reading
}

// Result is the measurement of one benchmark with one kernel and number of threads, with an
// element for each repeat.
type Result struct {
	Name        string     `json:"name"`
	Kernel      string     `json:"kernel"`
	Threads     int        `json:"threads"` // GOMAXPROCS
	Work        suite.Work `json:"work"`
	Nanoseconds []float64  `json:"ns_per_op"`
	Cost        []float64  `json:"cost"` // ns/op x peak: the floating-point operations that would have been possible meanwhile
	Peak        float64    `json:"peak"` // the best seen, floating-point operations per second
	Allocations float64    `json:"allocs_per_op"`
	Memory      []float64  `json:"peak_bytes,omitempty"` // of a process, for each repeat, if known
	Disturbed   int        `json:"disturbed,omitempty"`  // repeats of long work from which others took the processor
	Unsettled   int        `json:"unsettled,omitempty"`  // repeats in which the machine's speed kept changing
}

// id identifies a result in a run.
func (r *Result) id() string {
	return fmt.Sprintf("%s, %s kernel, %s", r.Name, r.Kernel, threads(r.Threads))
}

func threads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// thisMachine describes this process; rates are measured later.
func thisMachine() Machine {
	m := Machine{
		CPU:        cpuid.CPU.BrandName,
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		Processors: runtime.NumCPU(),
		Go:         runtime.Version(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				m.Commit = s.Value + m.Commit
			case s.Key == "vcs.modified" && s.Value == "true":
				m.Commit += "+changes"
			}
		}
	}
	return m
}

// Write writes the run as JSON.
func (r *Run) Write(w io.Writer) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

// FileError reports a file that is not a run.
type FileError struct{ Path, Why string }

func (e *FileError) Error() string { return e.Path + ": " + e.Why }

// Load reads what Write wrote. For any other file it returns a *FileError.
func Load(path string) (*Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &FileError{path, err.(*os.PathError).Err.Error()}
	}
	if !info.Mode().IsRegular() {
		return nil, &FileError{path, "not a regular file"}
	}
	if info.Size() > maxFile {
		return nil, &FileError{path, fmt.Sprintf("more than %d bytes; it is not a file of benchmark results", maxFile)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &FileError{path, err.Error()}
	}
	r := &Run{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, &FileError{path, "not a file of benchmark results: " + err.Error()}
	}
	if r.Format != format {
		return nil, &FileError{path, fmt.Sprintf("found format %d; format %d is expected", r.Format, format)}
	}
	for _, result := range r.Results {
		if len(result.Cost) == 0 || len(result.Cost) != len(result.Nanoseconds) {
			return nil, &FileError{path, fmt.Sprintf("benchmark %q has no measurements", result.Name)}
		}
		for i := range result.Cost {
			if !(result.Cost[i] > 0) || !(result.Nanoseconds[i] > 0) {
				return nil, &FileError{path, fmt.Sprintf("benchmark %q took no time", result.Name)}
			}
		}
	}
	return r, nil
}
