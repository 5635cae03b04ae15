package problems

import (
	"embed"
	"path"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Files holds every example's folder.
//
//go:embed */problem.toml */*.csv */README.md */LICENSE */corner.png scratch-assay/slices.png
var Files embed.FS

// ProblemFile is the name of the problem file in every folder.
const ProblemFile = "problem.toml"

// Sigma is the noise of the embedded readings of the paper's problems, which these
// state.
const Sigma = 0.05

// An Example is one of the paper's problems.
type Example struct {
	Name, About string
	SensorFile  string
	Sensors     int // how many the paper's tables have
	// Place returns the places of n sensors, one in each row.
	Place func(p *system.Problem, n int) *mat.Dense
}

// All lists the paper's problems.
var All = []Example{
	{"poisson", "Poisson equation in a butterfly, sensors on its boundary", "boundary.csv", 19, onBoundary},
	{"advection", "advection, sensors at the initial time and on both sides", "boundary.csv", 28, initialAndSides},
	{"diffusion", "diffusion with a source, sensors at the initial time and on both sides", "boundary.csv", 28, initialAndSides},
	{"inverse-poisson", "two unknown source strengths of a Poisson equation in one dimension", "sensors.csv", 20, wholeInterval},
	{"inverse-helmholtz", "three unknown source strengths of a Helmholtz equation in one dimension", "sensors.csv", 20, wholeInterval},
}

// Sensor places in problems in (x, t) go down the left side, along the initial time and
// up the right side; in problems in x alone, from end to end.
var (
	initialAndSides = alongPath([]float64{0, 1}, []float64{0, 0}, []float64{1, 0}, []float64{1, 1})
	wholeInterval   = alongPath([]float64{0}, []float64{1})
)

// Find returns the example of that name, nil if there is none.
func Find(name string) *Example {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// File returns one of the example's embedded files.
func (e *Example) File(name string) []byte { return embedded(e.Name, name) }

func embedded(folder, name string) []byte {
	content, err := Files.ReadFile(path.Join(folder, name))
	if err != nil {
		panic(err) // it is embedded
	}
	return content
}

// Read reads the embedded problem. set overrides its values, as in spec.Read.
func (e *Example) Read(set ...string) (*spec.File, error) {
	return spec.ReadFS(Files, path.Join(e.Name, ProblemFile), set)
}
