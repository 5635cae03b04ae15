package suite

import (
	"math"
	"math/rand/v2"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// streamPoints is the number of points that a stream predicts.
const streamPoints = 100

// streamCases returns cases that run op on a full window of readings at places that never
// repeat.
func streamCases(family string, shapes []Shape, op func(s *posterior.Stream, next func() posterior.Reading) func() error) (cases []Case) {
	for _, shape := range shapes {
		neurons, kept := shape.Get("n"), shape.Get("kept")
		cases = append(cases, Case{
			Name: family + "/" + shape.String(),
			Start: func() (func() error, error) {
				s, next, err := fullStream(neurons, kept)
				if err != nil {
					return nil, err
				}
				return op(s, next), nil
			},
		})
	}
	return cases
}

// fullStream returns a stream whose window is full, and a source of readings at new places.
func fullStream(neurons, kept int) (*posterior.Stream, func() posterior.Reading, error) {
	file, err := read("diffusion")
	if err != nil {
		return nil, nil, err
	}
	c := config(file, posterior.BPIELM)
	c.Neurons, c.Scale = neurons, []float64{4}
	prior, err := posterior.FitPrior(file.Problem, c)
	if err != nil {
		return nil, nil, err
	}
	points, err := system.Collocation(file.Problem.Variables, file.Problem.Domain, streamPoints, 1)
	if err != nil {
		return nil, nil, err
	}
	// Keep all readings, whatever the physics says about them.
	s, err := prior.Stream(posterior.StreamConfig{Window: kept, Absurd: math.MaxFloat64, Queries: []posterior.Query{{Functional: system.Field(0), Points: points}}})
	if err != nil {
		return nil, nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	at := make([]float64, len(file.Problem.Variables))
	next := func() posterior.Reading {
		for i, v := range file.Problem.Variables {
			at[i] = v.Min + float64((v.Max-v.Min)*random.Float64())
		}
		return posterior.Reading{At: at, Value: mat.Sin(at[0])}
	}
	for range kept {
		if _, err := s.Add(next()); err != nil {
			return nil, nil, err
		}
	}
	return s, next, nil
}

var reading = &Family{
	Name: "Reading", About: "one reading at a new place, the oldest leaves; 100 points are asked for", Shapes: "n=300,kept=200;n=100,kept=50;n=500,kept=200",
	cases: func(shapes []Shape) []Case {
		return streamCases("Reading", shapes, func(s *posterior.Stream, next func() posterior.Reading) func() error {
			return func() error {
				_, err := s.Add(next())
				return err
			}
		})
	},
}

var estimate100 = &Family{
	Name: "Estimate100", About: "mean and standard deviation at 100 points of a stream", Shapes: "n=300,kept=200",
	cases: func(shapes []Shape) []Case {
		return streamCases("Estimate100", shapes, func(s *posterior.Stream, _ func() posterior.Reading) func() error {
			mean, sd := make([]float64, streamPoints), make([]float64, streamPoints)
			return func() error {
				s.EstimateTo(mean, sd)
				return nil
			}
		})
	},
}
