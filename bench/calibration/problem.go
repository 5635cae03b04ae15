package calibration

import (
	"maps"
	"testing/fstest"

	"github.com/bpielm/bpielm/system/spec"
)

// A Problem is a problem file with its readings, as a user would write them, and the truth.
type Problem struct {
	Kind, Family string
	Seed         uint64
	Number       int
	// Freedom is how many numbers the readings have to determine: the degrees of freedom of
	// the solution and the parameters. The package comment defines it.
	Freedom  int
	Readings int
	// Noise is the noise's standard deviation relative to the root mean square variation of
	// what a group of sensors would read without it, or to a tenth of that variation in the
	// whole domain if that is more. Learned says that the problem file does not state it for
	// at least one group.
	Noise   float64
	Learned bool
	// Truth is the true value of every parameter.
	Truth map[string]float64
	// Spoilt names what is wrong with the problem file; "" for nothing.
	Spoilt string

	draft *draft
	files map[string]string
}

// HasParameters reports whether something besides the solution is unknown.
func (p *Problem) HasParameters() bool { return len(p.Truth) > 0 }

// Files returns the contents of the problem's files by name: problem.toml and the CSV files
// that it names.
func (p *Problem) Files() map[string]string { return maps.Clone(p.files) }

// Read reads the problem through package spec; set overrides values as in spec.Read.
func (p *Problem) Read(set ...string) (*spec.File, error) {
	files := fstest.MapFS{}
	for name, text := range p.files {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return spec.ReadFS(files, problemFile, set)
}
