package problems

import (
	"io/fs"
	"path"
)

// A Measurement is an example with measured readings, or beside a published computation. Its README.md says where these
// come from, and what others found.
type Measurement struct{ Name, About string }

// Measured lists them.
var Measured = []Measurement{
	{"aluminium-rod", "measured: a heated rod, heat flux and heat transfer unknown"},
	{"cavity", "flow in a square vessel whose lid slides, beside a published computation (nonlinear, three fields)"},
	{"oude-korendijk", "measured: a pumped well and two piezometers that disagree, conductivity and storage unknown"},
	{"scratch-assay", "measured: cells close a gap, how fast they wander and divide unknown (nonlinear); the equation does not describe them"},
	{"sioux-flats", "measured: a pumped well and three others, transmissivity and storativity unknown"},
	{"tritium-column", "measured: tritium through a column of soil, dispersion and exchange with water at rest unknown (two fields)"},
	{"yeast", "measured: growth of yeast, rate and limit unknown (nonlinear)"},
}

// FindMeasured returns the measurement of that name, nil if there is none.
func FindMeasured(name string) *Measurement {
	for i := range Measured {
		if Measured[i].Name == name {
			return &Measured[i]
		}
	}
	return nil
}

// Files returns the names of its files, in order.
func (m *Measurement) Files() []string {
	entries, err := fs.ReadDir(Files, m.Name)
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// File returns one of its files.
func (m *Measurement) File(name string) []byte { return embedded(m.Name, name) }

// Path is the path of its problem file in Files.
func (m *Measurement) Path() string { return path.Join(m.Name, ProblemFile) }
