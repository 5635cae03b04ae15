package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// TestPlaceIsWhatTryingEveryCandidateFinds compares the closed form with the
// posterior that each set of sensors really leaves.
func TestPlaceIsWhatTryingEveryCandidateFinds(t *testing.T) {
	prior, _ := wavePrior(t, 25)
	q := prior.Posterior()
	candidates := column(-3, -2.2, -1.5, -1.4, 0, 0.3, 1.1, 2, 2.9)
	sensor := Sensor{"gauge", system.Field(0), 0.05}
	const rounding = 5e-6 // weights that answer to the parameter are large, and cancel
	for name, goal := range map[string]Query{
		"field":      {system.Field(0), system.Grid(prior.Variables(), nil, []int{31})},
		"derivative": {system.Derivative(0, 1), column(0.5, 0.7)},
		"parameter":  {system.ParameterValue(0), column(0)},
	} {
		variance := func(rows []int) float64 {
			at := mat.NewDense(len(rows), 1, nil)
			for i, r := range rows {
				at.Set(i, 0, candidates.At(r, 0))
			}
			after, err := q.WithSensors(sensor, at)
			if err != nil {
				t.Fatal(err)
			}
			_, sd, err := after.Predict(goal.Functional, goal.Points)
			if err != nil {
				t.Fatal(err)
			}
			return squares(sd) / float64(len(sd))
		}
		placements, alone, err := q.PlaceAndCompare(sensor, candidates, 4, goal)
		if err != nil {
			t.Fatal(err)
		}
		if len(alone) != candidates.Rows() {
			t.Fatalf("%s: %d of %d candidates are compared", name, len(alone), candidates.Rows())
		}
		for c, v := range alone {
			if want := variance([]int{c}); relative(v, want) > rounding {
				t.Errorf("%s: a sensor at candidate %d alone leaves %g, not %g", name, c, want, v)
			}
		}
		var chosen []int
		before := variance(nil)
		for i, p := range placements {
			best := math.Inf(1)
			for c := range candidates.Rows() {
				if slices.Contains(chosen, c) {
					continue
				}
				if v := variance(append(chosen[:len(chosen):len(chosen)], c)); v < best {
					best = v
				}
			}
			chosen = append(chosen, p.Candidate)
			if got := variance(chosen); relative(p.After, got) > rounding || relative(p.Before, before) > rounding || got > best*(1+1e-9) {
				t.Errorf("%s, sensor %d at candidate %d: variance %g to %g; it is %g to %g, and the best candidate leaves %g", name, i+1, p.Candidate, p.Before, p.After, before, got, best)
			} else {
				before = got
			}
		}
	}
}

func TestPlaceRefusesWhatMakesNoSense(t *testing.T) {
	prior, _ := wavePrior(t, 10)
	sensor, goal := Sensor{"gauge", system.Field(0), 0.05}, Query{system.Field(0), column(0)}
	var config *ConfigError
	for _, count := range []int{0, -1, 3} {
		if _, err := prior.Posterior().Place(sensor, column(0, 1), count, goal); !errors.As(err, &config) {
			t.Errorf("%d of 2: error %v", count, err)
		}
	}
	if _, err := prior.Posterior().Place(sensor, column(0, 1), 1, Query{system.Field(0), mat.NewDense(0, 1, nil)}); !errors.As(err, &config) {
		t.Errorf("no goal: error %v", err)
	}
	p := rod(false)
	if _, err := fit(t, p, Config{Method: PseudoInverse, Neurons: 5}).Place(sensor, column(0, 1), 1, goal); !errors.As(err, &config) {
		t.Errorf("no uncertainty: error %v", err)
	}
	sensor.Sigma = 0
	var data *DataError
	if _, err := prior.Posterior().Place(sensor, column(0, 1), 1, goal); !errors.As(err, &data) {
		t.Errorf("no noise: error %v", err)
	}
}

// Softplus grows without bound: far outside variances overflow, which is an error that names the
// point.
func TestPlaceFarOutside(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	q, err := Fit(p, Config{Neurons: 12, Scale: []float64{2}, Seed: 1, Activation: feature.Softplus})
	if err != nil {
		t.Fatal(err)
	}
	sensor, near := Sensor{"gauge", system.Field(0), 0.05}, column(0, 0.5, 1)
	for _, far := range []float64{1e306, 1e180, -1e306} {
		for _, c := range []struct {
			candidates, goal *mat.Dense
			where            string
		}{{column(0, far), near, "candidate 2"}, {near, column(0, far), "point 2 of the goal"}, {column(far), column(far), "point 1 of the goal"}} {
			got, err := q.Place(sensor, c.candidates, 1, Query{system.Field(0), c.goal})
			var data *DataError
			if far > 0 && (!errors.As(err, &data) || data.Where != c.where) {
				t.Errorf("%s at %g: %v, error %v", c.where, far, got, err)
			}
			for _, p := range got {
				if !finite(p.Before) || !finite(p.After) {
					t.Errorf("%s at %g: %v", c.where, far, got)
				}
			}
		}
	}
}
