package paper

import (
	"fmt"
	"math"
	"time"

	"github.com/bpielm/bpielm/bench/pinn"
	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/bench/score"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A Trial is one method on one draw of noise and neurons.
type Trial struct {
	MAE, MaxAE float64
	// For methods with uncertainty, otherwise NaN: the share of points where the error is at
	// most 1.96 latent sd, the mean of 2 * 1.96 sd, and the mean continuous ranked probability
	// score of the latent Gaussians (T. Gneiting and A. Raftery, JASA 102, 2007).
	Coverage, Width, CRPS float64
	Parameters            []Estimate
	Evidence              float64 // logarithm
	Seconds               float64 // to train: rows, hyper-parameters, posterior
}

// Estimate is an inferred parameter; SD is 0 without uncertainty.
type Estimate struct{ Mean, SD float64 }

// Simulate returns the setting's problem with fresh readings for the seed.
func (s *Setting) Simulate(seed int) (*spec.File, error) {
	e := problems.Find(s.Problem)
	if e == nil {
		return nil, fmt.Errorf("paper: no example %q", s.Problem)
	}
	f, err := e.Read(
		fmt.Sprintf("features.neurons=%d", s.Neurons),
		fmt.Sprintf("features.seed=%d", seed),
		fmt.Sprintf("equation.points=%d", s.Collocation),
		fmt.Sprintf("sensors.sigma=%g", s.Noise),
	)
	if err != nil {
		return nil, err
	}
	g := &f.Problem.Sensors[0]
	g.Points = e.Place(f.Problem, s.Sensors)
	g.Values = problems.Simulate(f.Output.Exact[0], g.Points, s.Noise, uint64(seed))
	return f, nil
}

// Fit solves a problem of the setting by one of the methods that have a posterior.
func Fit(f *spec.File, method string) (*posterior.Posterior, error) {
	c := posterior.Config{Method: posterior.Method(method), Neurons: f.Features.Neurons, Seed: f.Features.Seed}
	if method == Limit {
		c.Method, c.Neurons = posterior.BPIELM, LimitNeurons
	}
	return posterior.Fit(f.Problem, c)
}

// Try runs one method on the setting with one seed.
func (s *Setting) Try(method string, seed int, progress func(done, total int)) (*Trial, error) {
	f, err := s.Simulate(seed)
	if err != nil {
		return nil, err
	}
	grid := system.Grid(f.Problem.Variables, f.Problem.Domain, f.Output.Grid)
	if method == PINN {
		return s.train(f, grid, seed, progress)
	}
	begin := time.Now()
	q, err := Fit(f, method)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(begin).Seconds()
	mean, sd, err := q.Predict(system.Field(0), grid)
	if err != nil {
		return nil, err
	}
	t := judge(mean, sd, exact(f, grid))
	t.Seconds, t.Evidence = seconds, q.Summary().Evidence
	for _, p := range q.Parameters() {
		t.Parameters = append(t.Parameters, Estimate{p.Mean, p.SD})
	}
	return t, nil
}

// train is Try for the PINN.
func (s *Setting) train(f *spec.File, grid *mat.Dense, seed int, progress func(done, total int)) (*Trial, error) {
	begin := time.Now()
	net, err := pinn.Train(f.Problem, pinn.Config{Hidden: s.Layers, Epochs: s.Epochs, Seed: uint64(seed), Progress: progress})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(begin).Seconds()
	t := judge(net.Predict(0, grid), nil, exact(f, grid))
	t.Seconds, t.Evidence = seconds, math.NaN()
	for _, v := range net.Parameters() {
		t.Parameters = append(t.Parameters, Estimate{Mean: v})
	}
	return t, nil
}

func exact(f *spec.File, points *mat.Dense) []float64 {
	v := make([]float64, points.Rows())
	f.Output.Exact[0].EvalTo(v, points)
	return v
}

// judge compares a solution with the exact one; sd may be nil.
func judge(mean, sd, exact []float64) *Trial {
	t := &Trial{Coverage: math.NaN(), Width: math.NaN(), CRPS: math.NaN()}
	n := float64(len(mean))
	covered, width, crps := 0, 0.0, 0.0
	for i, m := range mean {
		d := math.Abs(m - exact[i])
		t.MAE += d / n
		t.MaxAE = math.Max(t.MaxAE, d)
		if sd != nil {
			if d <= score.Half95*sd[i] {
				covered++
			}
			width += 2 * score.Half95 * sd[i] / n
			crps += score.CRPS(d, sd[i]) / n
		}
	}
	if sd != nil {
		t.Coverage, t.Width, t.CRPS = float64(covered)/n, width, crps
	}
	return t
}
