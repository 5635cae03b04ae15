package suite

import (
	"github.com/bpielm/bpielm/bench/pinn"
)

var pinnEpoch = &Family{Name: "PINNEpoch", About: "an epoch of the paper's network: four layers of 100, 419 points, Laplacian", cases: func([]Shape) []Case {
	return []Case{{
		Name: "PINNEpoch/poisson",
		Start: func() (func() error, error) {
			file, err := read("poisson")
			if err != nil {
				return nil, err
			}
			t, err := pinn.NewTrainer(file.Problem, pinn.Config{Seed: 1})
			if err != nil {
				return nil, err
			}
			return func() error { t.Epoch(); return nil }, nil
		},
	}}
}}
