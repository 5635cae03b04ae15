// Package system states a linear PDE problem and turns it into blocks of rows
// of one linear system H w = y.
//
// A Problem lists the independent variables with their ranges, the domain, the
// unknown fields, the unknown source-type parameters, the equations with their
// collocation points, the known conditions, and the sensors. Everything in it
// is affine in fields and parameters and is written as a Functional:
//
//	x := system.Variable{Name: "x", Min: -10, Max: 10}
//	p := &system.Problem{
//		Variables:  []system.Variable{x},
//		Fields:     []string{"u"},
//		Parameters: []system.Parameter{{Name: "lambda"}},
//		Equations: []system.Equation{{ // u_xx + lambda sin(0.7 x) = 0
//			Residual: system.Functional{
//				Terms:      []system.Term{{Derivative: []int{2}}},
//				Parameters: []system.ParameterTerm{{Coefficient: system.Func(f)}},
//			},
//			Points: points,
//		}},
//		Sensors: []system.Sensors{{Measures: system.Field(0), Points: at, Values: y, Sigma: []float64{0.05}}},
//	}
//
// Functions may also depend on unknown coefficients, in any way. With values of these the problem
// is affine again:
//
//	p.Coefficients = []system.Coefficient{{Name: "D", Min: 0.01, Max: 10}}
//	minusD := system.DependentFunc(func(x, c []float64) float64 { return -c[0] })
//	q := p.With([]float64{0.3})
//
// The package does not know how the rows are solved: that is package
// posterior. Package system/spec reads the same problem from a file.
//
// Begin reading at problem.go (the vocabulary), then domain.go and
// collocation.go (where the rows stand), then blocks.go (what they contain);
// coefficient.go stands apart.
package system
