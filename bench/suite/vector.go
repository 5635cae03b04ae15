package suite

import (
	"math"
	"math/rand/v2"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// vectorLength is the length of the arguments of vector functions.
const vectorLength = 4096

// perElement returns a family of one case: a function of vectorLength numbers in [-3, 3].
func perElement(name, about string, start func(x []float64) func()) *Family {
	return &Family{Name: name, About: about, cases: func([]Shape) []Case {
		return []Case{{
			Name: name + "/uniform",
			Work: Work{Elements: vectorLength},
			Start: func() (func() error, error) {
				r := rand.New(rand.NewPCG(1, 1))
				x := make([]float64, vectorLength)
				for i := range x {
					x[i] = 6*r.Float64() - 3
				}
				f := start(x)
				return func() error { f(); return nil }, nil
			},
		}}
	}}
}

// elementwise is perElement for a function with one result.
func elementwise(name, about string, f func(dst, x []float64)) *Family {
	return perElement(name, about, func(x []float64) func() {
		dst := make([]float64, len(x))
		return func() { f(dst, x) }
	})
}

var (
	tanh = elementwise("Tanh", "the hyperbolic tangent of 4096 numbers in [-3, 3]", mat.TanhTo)
	exp  = elementwise("Exp", "the exponential of 4096 numbers in [-3, 3]", mat.ExpTo)
	sin  = elementwise("Sin", "the sine of 4096 numbers in [-3, 3]", mat.SinTo)
	cos  = elementwise("Cos", "the cosine of 4096 numbers in [-3, 3]", mat.CosTo)
	log  = perElement("Log", "the logarithm of 4096 numbers in [0, 3]", func(x []float64) func() {
		dst := make([]float64, len(x))
		for i, v := range x {
			x[i] = math.Abs(v)
		}
		return func() { mat.LogTo(dst, x) }
	})
	tanhJet = perElement("TanhJet", "the hyperbolic tangent of 4096 numbers in [-3, 3] and its first three derivatives", func(x []float64) func() {
		var d [4][]float64
		for i := range d {
			d[i] = make([]float64, len(x))
		}
		return func() { mat.TanhJetTo(d[0], d[1], d[2], d[3], x) }
	})
)

// assembled are the problems whose systems are assembled, with the paper's number of neurons.
var assembled = []string{"poisson", "advection", "diffusion"}

var assemble = &Family{Name: "Assemble", About: "all rows of H, of equations, conditions and readings, at the paper's number of neurons", cases: func([]Shape) (cases []Case) {
	for _, problem := range assembled {
		cases = append(cases, Case{
			Name: "Assemble/" + problem,
			Start: func() (func() error, error) {
				file, err := read(problem)
				if err != nil {
					return nil, err
				}
				return startAssemble(file, published[problem].neurons)
			},
		})
	}
	return cases
}}

// startAssemble returns an operation that computes the rows of a problem's system, block by
// block, with a layer that is already drawn.
func startAssemble(file *spec.File, neurons int) (func() error, error) {
	p := file.Problem
	layer, err := feature.New(p.Box(), feature.Config{Neurons: neurons, Scale: []float64{3}, Seed: 1})
	if err != nil {
		return nil, err
	}
	basis := p.Basis(layer)
	type block struct {
		functional *system.Functional
		points, h  *mat.Dense
	}
	var blocks []block
	add := func(f *system.Functional, points *mat.Dense) {
		blocks = append(blocks, block{f, points, mat.NewDense(points.Rows(), basis.Columns(), nil)})
	}
	for _, e := range p.Demands() {
		add(&e.Residual, e.Points)
	}
	for i := range p.Sensors {
		add(&p.Sensors[i].Measures, p.Sensors[i].Points)
	}
	return func() error {
		for _, b := range blocks {
			basis.RowsTo(b.h, nil, b.functional, b.points)
		}
		return nil
	}, nil
}
