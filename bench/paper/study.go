package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/bench/score"
)

// Options for Run.
type Options struct {
	Seeds     int
	PINNSeeds int // 0: no PINN
	Limit     bool
	Progress  func() // called after every trial; may be nil
}

// methods returns the methods to run, with their number of seeds.
func (o Options) methods() []methodSeeds {
	list := []methodSeeds{{PINN, o.PINNSeeds}, {PIELM, o.Seeds}, {Published, o.Seeds}, {BPIELM, o.Seeds}}
	if o.Limit {
		list = append(list, methodSeeds{Limit, o.Seeds})
	}
	return slices.DeleteFunc(list, func(m methodSeeds) bool { return m.seeds == 0 })
}

type methodSeeds struct {
	method string
	seeds  int
}

// Trials returns the number of trials that Run makes with these options.
func (o Options) Trials() (n int) {
	for _, m := range o.methods() {
		n += m.seeds
	}
	return n
}

// Spread is the median and the quartiles over seeds.
type Spread struct{ Median, Lower, Upper float64 }

// A Row summarises one method on one setting.
type Row struct {
	Setting                            *Setting
	Method                             string
	Neurons, Seeds                     int
	MAE, MaxAE, Coverage, Width, CRPS  Spread
	Seconds, Evidence                  Spread
	Parameters                         map[string]Parameter
	ParametersCovered, ParametersAsked int // within 95 % intervals
}

// Parameter summarises the estimates of one parameter.
type Parameter struct {
	Mean, SD Spread
	Covered  float64 // share of 95 % intervals with the true value
}

// Run runs all methods on a setting.
func Run(s *Setting, o Options) ([]Row, error) {
	var rows []Row
	for _, m := range o.methods() {
		var trials []*Trial
		for seed := 1; seed <= m.seeds; seed++ {
			t, err := s.Try(m.method, seed, nil)
			if err != nil {
				return nil, fmt.Errorf("%s, noise %g, %s, seed %d: %w", s.Problem, s.Noise, m.method, seed, err)
			}
			trials = append(trials, t)
			if o.Progress != nil {
				o.Progress()
			}
		}
		rows = append(rows, s.sumUp(m.method, trials))
	}
	return rows, nil
}

// sumUp summarises the trials of a method.
func (s *Setting) sumUp(method string, trials []*Trial) Row {
	of := func(value func(t *Trial) float64) Spread {
		var v []float64
		for _, t := range trials {
			v = append(v, value(t))
		}
		return spread(v)
	}
	r := Row{
		Setting: s, Method: method, Neurons: s.Neurons, Seeds: len(trials),
		MAE:      of(func(t *Trial) float64 { return t.MAE }),
		MaxAE:    of(func(t *Trial) float64 { return t.MaxAE }),
		Coverage: of(func(t *Trial) float64 { return t.Coverage }),
		Width:    of(func(t *Trial) float64 { return t.Width }),
		CRPS:     of(func(t *Trial) float64 { return t.CRPS }),
		Seconds:  of(func(t *Trial) float64 { return t.Seconds }),
		Evidence: of(func(t *Trial) float64 { return t.Evidence }),
	}
	if method == Limit {
		r.Neurons = LimitNeurons
	}
	for i, name := range s.ParameterNames() {
		if r.Parameters == nil {
			r.Parameters = map[string]Parameter{}
		}
		p := Parameter{
			Mean: of(func(t *Trial) float64 { return t.Parameters[i].Mean }),
			SD:   of(func(t *Trial) float64 { return t.Parameters[i].SD }),
		}
		for _, t := range trials {
			e := t.Parameters[i]
			if !(e.SD > 0) {
				continue
			}
			r.ParametersAsked++
			if math.Abs(e.Mean-s.Truth[name]) <= score.Half95*e.SD {
				r.ParametersCovered++
				p.Covered += 1 / float64(len(trials))
			}
		}
		r.Parameters[name] = p
	}
	return r
}

// spread returns the median and quartiles.
func spread(v []float64) Spread {
	return Spread{score.Quantile(v, 0.5), score.Quantile(v, 0.25), score.Quantile(v, 0.75)}
}

// Errors returns the spread of the mean absolute error of one method over seeds.
func (s *Setting) Errors(method string, seeds int) (Spread, error) {
	var errs []float64
	for seed := 1; seed <= seeds; seed++ {
		t, err := s.Try(method, seed, nil)
		if err != nil {
			return Spread{}, fmt.Errorf("%s, %s, seed %d: %w", s.Problem, method, seed, err)
		}
		errs = append(errs, t.MAE)
	}
	return spread(errs), nil
}
