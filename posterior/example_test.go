package posterior_test

import (
	"fmt"
	"log"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// A rod of length 2 under an unknown uniform load q, u_xx = q. Four gauges
// measure the deflection u with noise 0.02.
func Example() {
	rod := []system.Variable{{Name: "x", Min: 0, Max: 2}}
	points, err := system.Collocation(rod, nil, 50, 1)
	if err != nil {
		log.Fatal(err)
	}
	problem := &system.Problem{
		Variables:  rod,
		Fields:     []string{"u"},
		Parameters: []system.Parameter{{Name: "q"}},
		Equations: []system.Equation{{
			Residual: system.Functional{ // u_xx - q = 0
				Terms:      []system.Term{{Derivative: []int{2}}},
				Parameters: []system.ParameterTerm{{Coefficient: system.Constant(-1)}},
			},
			Points: points,
		}},
		Sensors: []system.Sensors{{
			Measures: system.Field(0),
			Points:   mat.NewDense(4, 1, []float64{0, 0.5, 1.5, 2}),
			Values:   []float64{0.01, 0.36, 0.38, -0.01},
			Sigma:    []float64{0.02},
		}},
	}
	post, err := posterior.Fit(problem, posterior.Config{Neurons: 50, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	q := post.Parameters()[0]
	mean, sd, err := post.Predict(system.Field(0), mat.NewDense(1, 1, []float64{1}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("q = %.3f ± %.3f, u(1) = %.3f ± %.3f\n", q.Mean, q.SD, mean[0], sd[0])
	// Output: q = -0.977 ± 0.053, u(1) = 0.490 ± 0.019
}
