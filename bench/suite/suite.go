package suite

import "fmt"

// Work describes what one operation does, for rates, and what the paper needed for it. Zero
// means unknown or not applicable.
type Work struct {
	Flops     float64 `json:"flops,omitempty"`       // floating-point operations that the mathematics needs
	Bytes     float64 `json:"bytes,omitempty"`       // bytes that must pass through memory
	Elements  float64 `json:"elements,omitempty"`    // function values
	Published float64 `json:"published_s,omitempty"` // seconds that the paper states
}

// Case is one benchmark.
type Case struct {
	Name string // family/shape, such as "Gemm/n=500"
	Work

	// Start prepares the benchmark and returns its operation, which one goroutine may run any
	// number of times. It is nil if the benchmark is a Process.
	Start func() (op func() error, err error)

	Process *Process // a run of the whole program instead
	Long    bool     // to be run only if it is asked for by name
}

// Family is a group of benchmarks of one kind.
type Family struct {
	Name   string
	About  string
	Shapes string // the default ones, see ParseShapes; "": the family has none
	cases  func(shapes []Shape) []Case
}

// Families lists all benchmarks.
func Families() []*Family {
	return []*Family{
		gemm,
		syrk,
		trsm,
		cholesky,
		inverse,
		qr,
		svd,
		symEigen,
		streamGram,
		streamTSQR,
		fit,
		assimilate,
		predict,
		reading,
		estimate100,
		pinnEpoch,
		tanh,
		tanhJet,
		exp,
		sin,
		cos,
		log,
		assemble,
		solve,
	}
}

// Find returns the family with the given name, or nil.
func Find(name string) *Family {
	for _, f := range Families() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Cases returns the family's benchmarks of the given shapes, or of its default ones if shapes
// is nil. It returns an error if a shape lacks a dimension.
func (f *Family) Cases(shapes []Shape) ([]Case, error) {
	own, err := ParseShapes(f.Shapes)
	if err != nil {
		panic(err) // the family's Shapes are malformed
	}
	if shapes == nil || own == nil {
		shapes = own
	}
	for _, s := range shapes {
		for _, d := range own[0] {
			if s.Get(d.Name) == 0 {
				return nil, fmt.Errorf("benchmark %s: shape %q has no %s; %q would do", f.Name, s, d.Name, own[0])
			}
		}
	}
	return f.cases(shapes), nil
}
