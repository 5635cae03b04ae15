package calibration

import (
	"maps"
	"testing/fstest"

	"github.com/bpielm/bpielm/system/spec"
)

// A Problem is a problem file with its readings, as a user would write them, and what
// is true of it.
type Problem struct {
	Kind, Family string
	Seed         uint64
	Number       int
	// Freedom is how many numbers the readings have to determine: the degrees of
	// freedom of the solution, and the parameters. The package comment defines it.
	Freedom  int
	Readings int
	// Noise is its standard deviation over the root mean square variation of what a group
	// of sensors would read without it, or over a tenth of that in the whole domain where
	// that is more. Learned says that the problem file does not state it, for one group
	// at least.
	Noise   float64
	Learned bool
	// Truth is the true value of every parameter.
	Truth map[string]float64
	// Spoilt names what makes the problem file wrong; "" for nothing.
	Spoilt string

	draft *draft
	files map[string]string
}

// HasParameters tells whether something is unknown besides the solution.
func (p *Problem) HasParameters() bool { return len(p.Truth) > 0 }

// Files returns the texts of the problem's files by name, problem.toml and the CSV files
// that it names.
func (p *Problem) Files() map[string]string { return maps.Clone(p.files) }

// Read reads the problem through package spec; set overrides its values as in
// spec.Read.
func (p *Problem) Read(set ...string) (*spec.File, error) {
	files := fstest.MapFS{}
	for name, text := range p.files {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return spec.ReadFS(files, problemFile, set)
}
