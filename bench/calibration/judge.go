package calibration

import (
	"errors"
	"fmt"
	"math"

	"github.com/bpielm/bpielm/bench/score"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// An Outcome compares a posterior with the truth of one problem.
type Outcome struct {
	Kind     string  `json:"kind"`
	Family   string  `json:"family"`
	Seed     uint64  `json:"seed"`
	Number   int     `json:"number"`
	Spoilt   string  `json:"spoilt,omitempty"`
	Freedom  int     `json:"freedom"`
	Readings int     `json:"readings"`
	Noise    float64 `json:"noise"` // relative
	Learned  bool    `json:"learned"`
	// Failure says why there is no posterior; then only Seconds is set below.
	Failure string  `json:"failure,omitempty"`
	Seconds float64 `json:"seconds"` // to fit
	// Field is the field that the first group of sensors measures, directly or by a
	// derivative. The problem is judged by it. Others are the other fields.
	Field  FieldOutcome   `json:"field"`
	Others []FieldOutcome `json:"others,omitempty"`
	// Coverage is the mean over all fields.
	Coverage   float64            `json:"coverage"`
	Parameters []ParameterOutcome `json:"parameters,omitempty"`
	Noises     []NoiseOutcome     `json:"noises,omitempty"`
	Evidence   float64            `json:"evidence"`
	// Warned says that the verdict does not trust the posterior, for the reasons in Warnings.
	Warned   bool     `json:"warned"`
	Warnings []string `json:"warnings,omitempty"`
	// Checks has the largest value of each kind of check.
	Checks map[string]float64 `json:"checks,omitempty"`
}

// A FieldOutcome compares one field with the exact solution on the output grid. Means are
// over the grid's points inside the domain where the field exists.
type FieldOutcome struct {
	Name     string `json:"name"`
	Measured bool   `json:"measured"` // the field or a derivative
	Points   int    `json:"points"`
	// Coverage is the share of points where the error is at most 1.96 latent sd.
	Coverage float64 `json:"coverage"`
	// RMSZ is the root mean square of error over sd.
	RMSZ float64 `json:"rms_z"`
	// In the field's units: the mean absolute error, the root mean square error and sd, and
	// the mean continuous ranked probability score of the latent Gaussians (T. Gneiting and
	// A. Raftery, JASA 102, 2007).
	MAE      float64 `json:"mae"`
	RMSError float64 `json:"rms_error"`
	RMSSD    float64 `json:"rms_sd"`
	CRPS     float64 `json:"crps"`
	// Scale is what relative figures are relative to: the root mean square deviation of the
	// exact solution from its mean. If the solution hardly varies it is the solution's own
	// size, or 1 if that is 0.
	Scale float64 `json:"scale"`
	// SelfBelow is the share of solutions drawn from the posterior itself whose coverage is
	// below 0.7: how often Coverage < 0.7 would occur if the posterior were correct.
	SelfBelow float64 `json:"self_below"`
}

// A ParameterOutcome compares one parameter with its true value.
type ParameterOutcome struct {
	Name  string  `json:"name"`
	Truth float64 `json:"truth"`
	Mean  float64 `json:"mean"`
	SD    float64 `json:"sd"`
	Z     float64 `json:"z"`   // (mean - truth)/sd
	PIT   float64 `json:"pit"` // probability integral transform: the probability of a smaller value
	// Coefficient marks a coefficient. Z is then that of a normal variable with the same PIT.
	Coefficient bool `json:"coefficient,omitempty"`
}

// A NoiseOutcome compares the noise of a group of sensors with the true one.
type NoiseOutcome struct {
	Learned bool    `json:"learned"`
	Ratio   float64 `json:"ratio"` // sigma over the root mean square of the true one
}

const (
	// low is the coverage below which a band does not hold. Even a correct posterior falls
	// below it now and then, since errors at neighbouring points are correlated.
	low = 0.7
	// The number of solutions drawn from a posterior, and of points to evaluate them at.
	selfDraws  = 20
	selfPoints = 300
	// beyond is the largest |z| reported; an error without any uncertainty gets it.
	beyond = 1e6
)

// Judge compares a posterior of problem p, read as f, with the truth. seed is for drawing
// from the posterior. Judge returns an error if the posterior has no uncertainty or is not
// finite, and the errors of Predict.
func Judge(p *Problem, f *spec.File, q *posterior.Posterior, seed uint64) (*Outcome, error) {
	o := p.outcome()
	if err := o.judgeFields(f, q, seed); err != nil {
		return nil, err
	}
	if err := o.judgeParameters(p, q, len(f.Problem.Parameters)); err != nil {
		return nil, err
	}
	s := q.Summary()
	for i, e := range s.Noise {
		o.Noises = append(o.Noises, NoiseOutcome{e.Learned, e.Sigma / size(p.draft.groups[i].sigma)})
	}
	o.Evidence = s.Evidence
	v, _, err := q.Examine(f.Problem)
	if err != nil {
		return nil, err
	}
	o.Warned, o.Warnings = !v.Sound, v.Failures()
	o.Checks = largestChecks(&s, v)
	return o, nil
}

// judgeFields compares all fields with the exact ones on the output grid.
func (o *Outcome) judgeFields(f *spec.File, q *posterior.Posterior, seed uint64) error {
	points := system.Grid(f.Problem.Variables, f.Problem.Domain, f.Output.Grid)
	measured := make([]bool, len(f.Problem.Fields))
	first := f.Problem.Sensors[0].Measures.Terms[0].Field
	for _, s := range f.Problem.Sensors {
		measured[s.Measures.Terms[0].Field] = true
	}
	for i, name := range f.Problem.Fields {
		field, err := judgeField(f, q, i, points, seed)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		field.Measured = measured[i]
		o.Coverage += field.Coverage / float64(len(measured))
		if i == first {
			o.Field = *field
			continue
		}
		o.Others = append(o.Others, *field)
	}
	return nil
}

// judgeParameters compares the parameters with the true ones. Those from linear on are
// coefficients.
func (o *Outcome) judgeParameters(p *Problem, q *posterior.Posterior, linear int) error {
	for i, e := range q.Parameters() {
		truth, known := p.Truth[e.Name]
		if !known {
			return fmt.Errorf("calibration: the truth of %s is not known", e.Name)
		}
		if !finite(e.Mean, e.SD) {
			return fmt.Errorf("%s is %g, sd %g", e.Name, e.Mean, e.SD)
		}
		out := ParameterOutcome{Name: e.Name, Truth: truth, Mean: e.Mean, SD: e.SD, Z: standardised(e.Mean-truth, e.SD)}
		out.PIT = math.Erfc(out.Z/math.Sqrt2) / 2
		if i >= linear { // coefficients have skewed posteriors
			out.PIT = q.ParameterBelow(i, truth)
			out.Z, out.Coefficient = math.Max(-beyond, math.Min(-math.Sqrt2*math.Erfinv(2*out.PIT-1), beyond)), true
		}
		o.Parameters = append(o.Parameters, out)
	}
	return nil
}

// largestChecks returns the amplitude, the scales, and the largest value of each kind of
// check, as far as they are finite.
func largestChecks(s *posterior.Summary, v *posterior.Verdict) map[string]float64 {
	checks := map[string]float64{}
	if finite(s.Amplitude) {
		checks["amplitude"] = s.Amplitude
	}
	for i, v := range s.Scale {
		checks[fmt.Sprintf("scale %d", i)] = v
	}
	for _, c := range v.Checks {
		name := c.Kind
		switch c.Name {
		case "all", "without", "noise":
			name += ", " + c.Name
		}
		if known, ok := checks[name]; (!ok || c.Value > known) && finite(c.Value) {
			checks[name] = c.Value
		}
	}
	return checks
}

// outcome returns an outcome without a posterior.
func (p *Problem) outcome() *Outcome {
	return &Outcome{Kind: p.Kind, Family: p.Family, Seed: p.Seed, Number: p.Number, Spoilt: p.Spoilt, Freedom: p.Freedom, Readings: p.Readings, Noise: p.Noise, Learned: p.Learned}
}

// judgeField compares field i with the exact one at the points of the grid where it exists.
func judgeField(f *spec.File, q *posterior.Posterior, i int, grid *mat.Dense, seed uint64) (*FieldOutcome, error) {
	var rows []float64
	for k := range grid.Rows() {
		if f.Output.Holds(i, grid.Row(k)) {
			rows = append(rows, grid.Row(k)...)
		}
	}
	points := mat.NewDense(len(rows)/grid.Cols(), grid.Cols(), rows)
	mean, sd, err := q.Predict(system.Field(i), points)
	if err != nil {
		return nil, err
	}
	if sd == nil {
		return nil, errors.New("the posterior has no uncertainty")
	}
	if !finite(mean...) || !finite(sd...) {
		return nil, errors.New("the posterior is not finite")
	}
	exact := make([]float64, points.Rows())
	f.Output.Exact[i].EvalTo(exact, points)
	o := compare(mean, sd, exact)
	o.Name = f.Problem.Fields[i]
	o.SelfBelow, err = selfBelow(q, i, points, mean, sd, seed)
	return &o, err
}

// compare summarises the errors of a field at points.
func compare(mean, sd, exact []float64) FieldOutcome {
	o := FieldOutcome{Points: len(mean), Scale: scaleOf(exact)}
	n, covered := float64(len(mean)), 0
	for k, m := range mean {
		e := math.Abs(m - exact[k])
		z := standardised(e, sd[k])
		if z <= score.Half95 {
			covered++
		}
		o.RMSZ += z * z / n
		o.MAE += e / n
		o.RMSError += e * e / n
		o.RMSSD += sd[k] * sd[k] / n
		o.CRPS += score.CRPS(e, sd[k]) / n
	}
	o.Coverage = float64(covered) / n
	for _, v := range []*float64{&o.RMSZ, &o.RMSError, &o.RMSSD} {
		*v = math.Sqrt(*v)
	}
	return o
}

// selfBelow draws solutions from the posterior and returns the share of those whose
// coverage is low.
func selfBelow(q *posterior.Posterior, i int, points *mat.Dense, mean, sd []float64, seed uint64) (float64, error) {
	stride := (points.Rows() + selfPoints - 1) / selfPoints
	var rows []float64
	for k := 0; k < points.Rows(); k += stride {
		rows = append(rows, points.Row(k)...)
	}
	some := mat.NewDense(len(rows)/points.Cols(), points.Cols(), rows)
	samples, err := q.Sample(system.Field(i), some, selfDraws, seed)
	if err != nil {
		return 0, err
	}
	below := 0
	for draw := range selfDraws {
		covered := 0
		for k, v := range samples.Row(draw) {
			if math.Abs(v-mean[k*stride]) <= score.Half95*sd[k*stride] {
				covered++
			}
		}
		if float64(covered) < low*float64(some.Rows()) {
			below++
		}
	}
	return float64(below) / selfDraws, nil
}

// scaleOf returns what errors of a solution are relative to.
func scaleOf(exact []float64) float64 {
	whole := size(exact)
	switch v := variation(exact); {
	case v > 1e-9*whole:
		return v
	case whole > 0:
		return whole
	}
	return 1
}

// standardised returns an error over its sd.
func standardised(e, sd float64) float64 {
	switch {
	case e == 0:
		return 0
	case sd == 0:
		return math.Copysign(beyond, e)
	}
	return max(-beyond, min(e/sd, beyond))
}

func finite(x ...float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
