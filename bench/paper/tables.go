package paper

import (
	"maps"
	"slices"
)

// Methods of the tables.
const (
	PINN      = "pinn"
	PIELM     = "pielm"
	Published = "paper" // BPIELM with the fixed point as published
	BPIELM    = "bpielm"
	// Limit is BPIELM with so many neurons that more would change nothing: the Gaussian
	// process that the layer tends to.
	Limit = "limit"
)

// LimitNeurons is the number of neurons of method Limit.
const LimitNeurons = 500

// A Setting is half a table of the paper: one problem at one noise level.
type Setting struct {
	Problem     string // the example's name
	Noise       float64
	Neurons     int
	Collocation int // N_f
	Sensors     int // N_b + N_u
	Layers      []int
	Epochs      int // of the PINN
	Truth       map[string]float64
	Printed     map[string]Printed // by method; the paper's BPIELM is under BPIELM
}

// Printed is a row of the paper's tables, from a single run.
type Printed struct {
	MAE, MaxAE, Seconds float64
	Parameters          map[string]float64
}

// Tables returns the settings of all five tables, in the paper's order.
func Tables() []Setting {
	deep := []int{100, 100, 100, 100}
	var all []Setting
	add := func(base Setting, noise float64, pinn, pielm, bpielm Printed) {
		base.Noise = noise
		base.Printed = map[string]Printed{PINN: pinn, PIELM: pielm, BPIELM: bpielm}
		all = append(all, base)
	}
	row := func(maxAE, mae, seconds float64) Printed { return Printed{MAE: mae, MaxAE: maxAE, Seconds: seconds} }

	poisson := Setting{Problem: "poisson", Neurons: 100, Collocation: 400, Sensors: 19, Layers: deep, Epochs: 3000}
	add(poisson, 0.01, row(0.165, 0.043, 142.30), row(0.447, 0.029, 1.21), row(0.232, 0.019, 2.05))
	add(poisson, 0.05, row(0.251, 0.055, 141.02), row(0.998, 0.065, 1.22), row(0.516, 0.047, 2.67))
	add(poisson, 0.1, row(0.327, 0.072, 143.32), row(1.41, 0.092, 1.22), row(0.759, 0.067, 2.65))

	advection := Setting{Problem: "advection", Neurons: 150, Collocation: 400, Sensors: 28, Layers: deep, Epochs: 4000}
	add(advection, 0.01, row(0.162, 0.033, 153), row(0.442, 0.037, 0.98), row(0.170, 0.027, 1.12))
	add(advection, 0.05, row(0.183, 0.055, 151), row(0.541, 0.047, 1.01), row(0.209, 0.039, 1.18))
	add(advection, 0.1, row(0.223, 0.082, 153), row(0.670, 0.070, 1.22), row(0.224, 0.066, 1.30))

	diffusion := Setting{Problem: "diffusion", Neurons: 180, Collocation: 400, Sensors: 28, Layers: deep, Epochs: 4000}
	add(diffusion, 0.01, row(0.082, 0.019, 181), row(0.163, 0.025, 0.84), row(0.033, 0.007, 1.67))
	add(diffusion, 0.05, row(0.138, 0.032, 182), row(0.179, 0.040, 0.93), row(0.115, 0.021, 1.76))
	add(diffusion, 0.1, row(0.182, 0.033, 182), row(0.226, 0.079, 0.91), row(0.118, 0.019, 1.68))

	with := func(p Printed, lambda ...float64) Printed {
		p.Parameters = map[string]float64{}
		for i, name := range []string{"lambda1", "lambda2", "lambda3"}[:len(lambda)] {
			p.Parameters[name] = lambda[i]
		}
		return p
	}
	poisson1 := Setting{Problem: "inverse-poisson", Neurons: 100, Collocation: 100, Sensors: 20, Layers: []int{50, 50, 50}, Epochs: 4000,
		Truth: map[string]float64{"lambda1": 0.49, "lambda2": 2.25}}
	add(poisson1, 0.05, with(row(0.073, 0.027, 225.30), 0.491, 2.307), with(row(1.808, 0.081, 0.71), 0.484, 2.390), with(row(0.076, 0.027, 2.51), 0.490, 2.300))
	add(poisson1, 0.1, with(row(0.160, 0.068, 240.12), 0.488, 2.370), with(row(3.619, 0.168, 0.77), 0.477, 2.280), with(row(0.155, 0.054, 2.53), 0.480, 2.300))

	helmholtz := Setting{Problem: "inverse-helmholtz", Neurons: 100, Collocation: 100, Sensors: 20, Layers: deep, Epochs: 4000,
		Truth: map[string]float64{"lambda1": 10, "lambda2": 16, "lambda3": -10}}
	add(helmholtz, 0.05, with(row(0.034, 0.015, 399.38), 9.84, 15.84, -9.96), with(row(0.337, 0.047, 0.69), 9.71, 14.8, -10), with(row(0.051, 0.018, 2.59), 9.80, 16.0, -10))
	add(helmholtz, 0.1, with(row(0.071, 0.031, 398.13), 9.71, 15.71, -9.93), with(row(0.683, 0.096, 0.81), 9.41, 13.5, -10), with(row(0.091, 0.035, 2.51), 9.60, 15.9, -10))
	return all
}

// ParameterNames returns the names of the unknown parameters in order.
func (s *Setting) ParameterNames() []string { return slices.Sorted(maps.Keys(s.Truth)) }
