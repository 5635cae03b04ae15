package main

import (
	"path"

	embedded "github.com/bpielm/bpielm/cmd/bpielm/examples"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

const problemFile = "problem.toml"

// An example is one of the paper's five problems.
type example struct {
	name, about string
	sensorFile  string
	sensors     int
	place       func(p *system.Problem, n int) *mat.Dense
}

var examples = []example{
	{"poisson", "Poisson equation in a butterfly, sensors on its boundary", "boundary.csv", 19, onBoundary},
	{"advection", "advection, sensors at the initial time and on both sides", "boundary.csv", 28, initialAndSides},
	{"diffusion", "diffusion with a source, sensors at the initial time and on both sides", "boundary.csv", 28, initialAndSides},
	{"inverse-poisson", "two unknown source strengths of a Poisson equation in one dimension", "sensors.csv", 20, wholeInterval},
	{"inverse-helmholtz", "three unknown source strengths of a Helmholtz equation in one dimension", "sensors.csv", 20, wholeInterval},
}

// Sensor places in problems in (x, t): down the left side, along the initial
// time, up the right side; and in x alone: from end to end.
var (
	initialAndSides = alongPath([]float64{0, 1}, []float64{0, 0}, []float64{1, 0}, []float64{1, 1})
	wholeInterval   = alongPath([]float64{0}, []float64{1})
)

// exampleSigma is the noise that the embedded files were made with and state.
const exampleSigma = 0.05

// findExample returns the example of that name, nil when there is none.
func findExample(name string) *example {
	for i := range examples {
		if examples[i].name == name {
			return &examples[i]
		}
	}
	return nil
}

// file returns one of the example's embedded files, which are what
// `bpielm example NAME` writes without options.
func (e *example) file(name string) []byte {
	content, err := embedded.Files.ReadFile(path.Join(e.name, name))
	if err != nil {
		panic(err) // it is embedded
	}
	return content
}
