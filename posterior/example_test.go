package posterior_test

import (
	"fmt"
	"log"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// A rod of length 2 under an unknown uniform load q, u_xx = q. Four gauges
// measure the deflection u with noise 0.02.
func Example() {
	problem := rodWithGauges()
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
	// Output: q = -0.980 ± 0.056, u(1) = 0.491 ± 0.020
}

func rodWithGauges() *system.Problem {
	rod := []system.Variable{{Name: "x", Min: 0, Max: 2}}
	points, err := system.Collocation(rod, nil, 50, 1)
	if err != nil {
		log.Fatal(err)
	}
	return &system.Problem{
		Variables:  rod,
		Fields:     []string{"u"},
		Parameters: []system.Parameter{{Name: "q"}},
		Equations: []system.Demand{{
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
}

// What a device does: the Prior was computed elsewhere, readings come one by one, and one of them is
// absurd.
func ExampleStream() {
	prior, err := posterior.FitPrior(rodWithGauges(), posterior.Config{Neurons: 50, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	middle := mat.NewDense(1, 1, []float64{1})
	s, err := prior.Stream(posterior.StreamConfig{
		Window: 100, Reject: true,
		Queries: []posterior.Query{{Functional: system.Field(0), Points: middle}},
	})
	if err != nil {
		log.Fatal(err)
	}
	const gauge = 0 // the sensors of the problem are numbered from 0
	mean, sd := make([]float64, 1), make([]float64, 1)
	for _, r := range []posterior.Reading{
		{Sensor: gauge, At: []float64{0}, Value: 0.01},
		{Sensor: gauge, At: []float64{2}, Value: -0.01},
		{Sensor: gauge, At: []float64{0.5}, Value: 0.36},
		{Sensor: gauge, At: []float64{1.5}, Value: 3.8}, // a digit has slipped
		{Sensor: gauge, At: []float64{1.5}, Value: 0.38},
	} {
		in, err := s.Add(r)
		if err != nil {
			log.Fatal(err)
		}
		s.EstimateTo(mean, sd)
		fmt.Printf("u(1) = %.2f ± %.2f, kept %v\n", mean[0], sd[0], in.Kept)
	}
	// Output:
	// u(1) = 0.06 ± 1.76, kept true
	// u(1) = -0.07 ± 1.63, kept true
	// u(1) = 0.47 ± 0.03, kept true
	// u(1) = 0.47 ± 0.03, kept false
	// u(1) = 0.49 ± 0.02, kept true
}

// New readings of the same gauges, without recomputing what depends on their positions.
func ExampleAssimilator() {
	problem := rodWithGauges()
	layer, err := feature.New(problem.Box(), feature.Config{Neurons: 50, Scale: []float64{2}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	physics, err := posterior.Compile(problem, layer, posterior.CompileConfig{Tolerance: 1e-4})
	if err != nil {
		log.Fatal(err)
	}
	a := physics.Assimilator()
	for range 3 {
		post, err := a.Assimilate(problem.Sensors)
		if err != nil {
			log.Fatal(err)
		}
		q := post.Parameters()[0]
		fmt.Printf("q = %.3f ± %.3f\n", q.Mean, q.SD)
		for i := range problem.Sensors[0].Values {
			problem.Sensors[0].Values[i] *= 1.1
		}
	}
	// Output:
	// q = -0.975 ± 0.053
	// q = -1.072 ± 0.053
	// q = -1.180 ± 0.053
}
