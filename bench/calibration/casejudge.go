package calibration

import (
	"fmt"
	"math"
	"time"

	"github.com/bpielm/bpielm/bench/score"
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A CaseOutcome compares the default posterior of a case with the truth, and with the best
// of the posteriors at fixed scales.
type CaseOutcome struct {
	Name    string
	Seed    uint64
	Answers []Answer // for each parameter, or for the field
	Summary posterior.Summary
	Best    posterior.Summary // of the best posterior at a fixed scale
	Seconds float64           // for the default fit
}

// An Answer is one judged quantity: a parameter, or a field on the output grid.
type Answer struct {
	Name string
	// Of a parameter, in its units.
	Truth    float64
	Estimate posterior.ParameterEstimate
	// Of a field: the comparison with the exact one; nil for a parameter.
	Field *FieldOutcome
	// Z is (mean - truth)/sd of a parameter, or the rms z of a field.
	Z float64
	// Inside reports whether the truth lies in the 95 % interval, or the band holds at least
	// 0.8 of it.
	Inside bool
	// BestSD is the sd at the best fixed scale; for a field, its root mean square. Width is
	// half the 95 % interval over 1.96 BestSD; for a field, the root mean square sd over
	// BestSD.
	BestSD, Width float64
}

// Narrow reports whether the answer is not much less certain than at the best fixed scale.
func (a *Answer) Narrow() bool { return a.Width <= widest }

const (
	// enough is the coverage from which the band of a single solution counts as holding.
	enough = 0.8
	// widest is how many times wider than at the best fixed scale an interval may be.
	widest = 3
)

// heldScales are the fixed scales to try, the same along all variables.
var heldScales = []float64{0.5, 1, 2, 4, 8, 16}

// heldNeurons is the number of neurons if a case states none.
const heldNeurons = 200

// JudgeCase fits a case with the defaults, then with a single tanh layer at each of the
// heldScales, and compares the first posterior with the truth and with the one of largest
// evidence among the others. Its errors are those of Draw and posterior.Fit.
func JudgeCase(c *Case, seed uint64) (*CaseOutcome, error) {
	p, err := c.Draw(seed)
	if err != nil {
		return nil, err
	}
	f, err := p.Read()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	q, err := Fit(f)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", c.Name, seed, err)
	}
	o := &CaseOutcome{Name: c.Name, Seed: seed, Summary: q.Summary(), Seconds: time.Since(begin).Seconds()}
	best, err := fitBestScale(f)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", c.Name, seed, err)
	}
	o.Best = best.Summary()
	if c.Field {
		o.Answers, err = judgeBand(f, q, best)
		return o, err
	}
	for i, e := range q.Parameters() {
		sd := best.Parameters()[i].SD
		if o.Best.Evidence < o.Summary.Evidence-unexplained {
			// A layer that does not explain the readings may be sure of a wrong value.
			sd = math.Max(sd, informative*math.Abs(p.Truth[e.Name]))
		}
		o.Answers = append(o.Answers, judgeInterval(e, p.Truth[e.Name], sd))
	}
	return o, nil
}

const (
	// unexplained is by how many nats the best single layer may fall short of the mixture and
	// still serve as the reference. Otherwise the reference sd is at least informative times
	// the truth.
	unexplained = 15
	informative = 0.05
)

// fitBestScale returns the posterior of largest evidence among those at fixed scales.
func fitBestScale(f *spec.File) (best *posterior.Posterior, err error) {
	neurons := f.Features.Neurons
	if neurons == 0 {
		neurons = heldNeurons
	}
	for _, s := range heldScales {
		q, err := posterior.Fit(f.Problem, posterior.Config{
			Neurons: neurons, Seed: f.Features.Seed, Scale: []float64{s}, Activations: []feature.Activation{feature.Tanh}, Ensemble: 1,
		})
		if err != nil {
			return nil, fmt.Errorf("scale %g: %w", s, err)
		}
		if best == nil || q.Summary().Evidence > best.Summary().Evidence {
			best = q
		}
	}
	return best, nil
}

// judgeInterval compares the estimate of a parameter with its truth and with bestSD.
func judgeInterval(e posterior.ParameterEstimate, truth, bestSD float64) Answer {
	return Answer{
		Name: e.Name, Truth: truth, Estimate: e, Z: standardised(e.Mean-truth, e.SD),
		Inside: e.Lower95 <= truth && truth <= e.Upper95,
		BestSD: bestSD, Width: (e.Upper95 - e.Lower95) / (2 * score.Half95 * bestSD),
	}
}

// judgeBand compares the field of a posterior with the exact one and with the best posterior.
func judgeBand(f *spec.File, q, best *posterior.Posterior) ([]Answer, error) {
	grid := system.Grid(f.Problem.Variables, f.Problem.Domain, f.Output.Grid)
	var outcomes [2]*FieldOutcome
	for i, r := range []*posterior.Posterior{q, best} {
		o, err := judgeField(f, r, 0, grid, judgeSeed)
		if err != nil {
			return nil, err
		}
		o.Name = f.Problem.Fields[0]
		outcomes[i] = o
	}
	o, bestSD := outcomes[0], outcomes[1].RMSSD
	return []Answer{{
		Name: o.Name, Truth: math.NaN(), Field: o, Z: o.RMSZ, Inside: o.Coverage >= enough, BestSD: bestSD, Width: o.RMSSD / bestSD,
	}}, nil
}
