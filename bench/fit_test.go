package bench

import (
	"path/filepath"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

var problems = []string{"poisson", "advection", "diffusion", "inverse-poisson", "inverse-helmholtz"}

func problem(b *testing.B, name string) *spec.File {
	b.Helper()
	file, err := spec.Read(filepath.Join("..", "cmd", "bpielm", "examples", name, "problem.toml"), nil)
	if err != nil {
		b.Fatal(err)
	}
	return file
}

func config(file *spec.File, method posterior.Method) posterior.Config {
	return posterior.Config{Method: method, Neurons: file.Features.Neurons, Seed: file.Features.Seed}
}

// BenchmarkFit is a whole fit: rows, reduction and, for bpielm, the search for
// every hyper-parameter.
func BenchmarkFit(b *testing.B) {
	for _, name := range problems {
		b.Run(name, func(b *testing.B) {
			file := problem(b, name)
			for _, method := range []posterior.Method{posterior.Published, posterior.BPIELM, posterior.PseudoInverse} {
				b.Run(string(method), func(b *testing.B) {
					for b.Loop() {
						if _, err := posterior.Fit(file.Problem, config(file, method)); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// compiled is the physics of a problem at the scale that its fit has chosen.
func compiled(b *testing.B, file *spec.File) *posterior.Physics {
	b.Helper()
	q, err := posterior.Fit(file.Problem, config(file, posterior.BPIELM))
	if err != nil {
		b.Fatal(err)
	}
	layer, err := feature.New(file.Problem.Box(), feature.Config{Neurons: file.Features.Neurons, Scale: q.Summary().Scale, Seed: file.Features.Seed})
	if err != nil {
		b.Fatal(err)
	}
	physics, err := posterior.Compile(file.Problem, layer, posterior.CompileConfig{Tolerance: q.Summary().Tolerance})
	if err != nil {
		b.Fatal(err)
	}
	return physics
}

// BenchmarkAssimilate conditions compiled physics on all readings anew, the
// evidence maximised.
func BenchmarkAssimilate(b *testing.B) {
	for _, name := range problems {
		b.Run(name, func(b *testing.B) {
			file := problem(b, name)
			physics := compiled(b, file)
			for b.Loop() {
				if _, err := physics.Assimilate(file.Problem.Sensors); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPredict evaluates mean and standard deviation at 100 points.
func BenchmarkPredict(b *testing.B) {
	for _, name := range problems {
		b.Run(name, func(b *testing.B) {
			file := problem(b, name)
			q, err := posterior.Fit(file.Problem, config(file, posterior.BPIELM))
			if err != nil {
				b.Fatal(err)
			}
			points, err := system.Collocation(file.Problem.Variables, file.Problem.Domain, 100, 1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := q.Predict(system.Field(0), points); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
