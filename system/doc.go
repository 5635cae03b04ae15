// Package system states a PDE problem and turns it into blocks of rows
// of one linear system H w = y.
//
// A Problem lists the independent variables with their ranges, the domain, the
// unknown fields and parameters, the demands (equations with their collocation
// points, and known conditions), and the sensors. What is demanded and what is
// measured is a Functional, affine in fields and parameters but for its Nonlinear part:
//
//	x := system.Variable{Name: "x", Min: -10, Max: 10}
//	p := &system.Problem{
//		Variables:  []system.Variable{x},
//		Fields:     []string{"u"},
//		Parameters: []system.Parameter{{Name: "lambda"}},
//		Equations: []system.Demand{{ // u_xx + lambda sin(0.7 x) = 0
//			Residual: system.Functional{
//				Terms:      []system.Term{{Derivative: []int{2}}},
//				Parameters: []system.ParameterTerm{{Coefficient: system.Func(f)}},
//			},
//			Points: points,
//		}},
//		Sensors: []system.Sensors{{Measures: system.Field(0), Points: at, Values: y, Sigma: []float64{0.05}}},
//	}
//
// Functions may also depend on unknown coefficients, in any way. Once these have values, the
// problem is affine again:
//
//	p.Coefficients = []system.Coefficient{{Name: "D", Min: 0.01, Max: 10}}
//	minusD := system.DependentFunc(func(x, c []float64) float64 { return -c[0] })
//	q := p.With([]float64{0.3})
//
// A nonlinear problem is linearised about a state, its present solution, and is then one of affine
// functionals, too:
//
//	linear := p.Linearise(state, numbers)
//
// The package does not know how the rows are solved: that is package
// posterior. Package system/spec reads the same problem from a file.
//
// Begin with problem.go, demand.go and functional.go (the vocabulary), then
// domain.go and collocation.go (the points), then basis.go and rows.go (the
// columns and rows of H). footprint.go is about sensors that average, and
// coefficient.go about unknowns that are not linear, nonlinear.go about fields that are not.
package system
