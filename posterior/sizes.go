package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Priors need units, and a problem has natural ones: a field varies about as much as its readings,
// an equation is as large as its largest term, and a parameter is at most so large that its own term
// is not beyond all others. They define what "large" means for the amplitude of a solution, the
// slack of an equation and the width of a parameter, whatever the layer. The priors themselves are
// in priors.go.

// sizes are the natural sizes of the constituents of a problem, in their own units.
type sizes struct {
	field     []float64 // how much each field varies over the domain
	level     []float64 // about which it varies, where known
	leveled   []bool    // readings tell it
	residual  []float64 // the largest term of each equation, then of each condition
	parameter []float64 // prior sd of each parameter that states none
}

func (s *sizes) clone() *sizes {
	return &sizes{slices.Clone(s.field), slices.Clone(s.level), slices.Clone(s.leveled), slices.Clone(s.residual), slices.Clone(s.parameter)}
}

const (
	// Before there is a solution, the size of an equation assumes this many half waves of its fields
	// in the box; the solution itself then determines it.
	halfWaves = 3
	// wideParameter is how many times larger than the largest other term the term of a parameter may
	// be. Terms cancel, and sources may partly cancel each other: the effect on a field can be a
	// hundredth of the source.
	wideParameter = 100
)

// naturalSizes finds them in what the problem states: readings, sources and conditions. A field's
// size that the user states takes precedence.
func naturalSizes(p *system.Problem) *sizes {
	s := &sizes{
		field: make([]float64, len(p.Fields)), level: make([]float64, len(p.Fields)), leveled: make([]bool, len(p.Fields)),
		parameter: make([]float64, len(p.Parameters)),
	}
	few := s.fromReadings(p)
	s.fromConditions(p)
	for i, v := range p.Sizes {
		if v > 0 {
			s.field[i] = v
		}
	}
	trial := s.clone()
	trial.fromEquations(p, few)
	for i, v := range few {
		switch {
		case v == 0 || s.field[i] > 0:
		case trial.field[i] > 0:
			s.field[i] = trial.field[i]
		default: // their magnitude is all there is to go by
			s.field[i] = v
		}
	}
	s.fromEquations(p, nil)
	for i, v := range s.field {
		if v == 0 { // nothing is known of it: any unit will do
			s.field[i] = 1
		}
	}
	for _, e := range p.Demands() {
		size := s.source(e)
		for j := range e.Residual.Terms {
			t := &e.Residual.Terms[j]
			size = math.Max(size, termSize(p, t, e.Points, halfWaves)*s.field[t.Field])
		}
		s.residual = append(s.residual, size)
	}
	s.finish(p)
	return s
}

// fromReadings sets size and level of the fields that sensors measure, from mean and standard
// deviation of the readings. It returns how large the readings of a field are where they are too few to
// show how much it varies.
func (s *sizes) fromReadings(p *system.Problem) (few []float64) {
	few = make([]float64, len(p.Fields))
	told := make([][]values, len(p.Fields))
	for i := range p.Sensors {
		g := &p.Sensors[i]
		if len(g.Values) == 0 {
			continue
		}
		y := append([]float64(nil), g.Values...)
		if g.Measures.Known != nil {
			known := make([]float64, len(y))
			g.Measures.Known.EvalTo(known, g.Points)
			mat.Axpy(-1, known, y)
		}
		mean, sd := meanAndSD(y)
		for j := range g.Measures.Terms {
			t := &g.Measures.Terms[j]
			_, absolute := t.Footprint.Sum()
			size := termSize(p, t, g.Points, 1) * absolute
			if size == 0 {
				continue
			}
			switch {
			case len(y) >= enoughReadings:
				s.field[t.Field] = math.Max(s.field[t.Field], readingSpread*sd/size)
			case order(t) > 0: // a slope says how much the field varies, wherever its zero is
				s.field[t.Field] = math.Max(s.field[t.Field], readingSpread*math.Max(sd, math.Abs(mean))/size)
			default:
				few[t.Field] = math.Max(few[t.Field], readingSpread*math.Max(sd, math.Abs(mean))/size)
			}
		}
		f, tells := toldBy(&g.Measures)
		if s.leveled[f] = s.leveled[f] || tells; tells && len(g.Measures.Terms) == 1 {
			t := &g.Measures.Terms[0]
			sum, _ := t.Footprint.Sum()
			if unit := signedSize(t, g.Points) * sum; unit != 0 {
				told[f] = append(told[f], values{float64(len(y)), mean / unit, math.Abs(sd / unit)})
			}
		}
	}
	for i, list := range told {
		level, spread := s.together(i, list)
		s.level[i] = level
		if s.field[i] = math.Max(s.field[i], readingSpread*spread); s.field[i] > 0 {
			few[i] = 0
		}
	}
	return few
}

// values is a group of readings of a field, in its units.
type values struct{ n, mean, sd float64 }

// together returns the mean of all readings of a field, and how far groups of few readings are from it: what
// they say of how much the field varies must not depend on where its zero is, nor on what else is in their
// group.
func (s *sizes) together(field int, list []values) (level, spread float64) {
	total := 0.0
	for _, v := range list {
		level += float64(v.n * v.mean)
		total += v.n
	}
	if total == 0 {
		return 0, 0
	}
	level /= total
	square := 0.0
	for _, v := range list {
		away := v.mean - level
		square += float64(v.n * (float64(v.sd*v.sd) + float64(away*away)))
		if v.n < enoughReadings {
			spread = math.Max(spread, math.Max(v.sd, math.Abs(away)))
		}
	}
	switch {
	case total < enoughReadings:
		return level, 0
	case s.field[field] == 0: // there are no larger groups
		spread = math.Sqrt(square / total)
	}
	return level, spread
}

// toldBy tells whether readings of a functional tell the level of a field, and of which: of values of that
// field alone, not of differences, and of no parameter. There are several terms where a nonlinear one was
// linearised.
func toldBy(f *system.Functional) (field int, tells bool) {
	if len(f.Terms) == 0 || len(f.Parameters) > 0 {
		return 0, false
	}
	field = f.Terms[0].Field
	for i := range f.Terms {
		t := &f.Terms[i]
		sum, absolute := t.Footprint.Sum()
		if t.Field != field || order(t) > 0 || !(math.Abs(sum) > 0.5*absolute) {
			return 0, false
		}
	}
	return field, true
}

const (
	// readingSpread times the standard deviation of its readings is how much a field varies: about half
	// the range.
	readingSpread = 1.5
	// enoughReadings is from how many on their standard deviation says how much a field varies.
	enoughReadings = 3
)

// fromConditions raises the sizes of fields to those that conditions on a single field imply: the
// sensors may stand where little happens.
func (s *sizes) fromConditions(p *system.Problem) {
	for i := range p.Conditions {
		e := &p.Conditions[i]
		if e.Residual.Known == nil || len(e.Residual.Parameters) > 0 || len(e.Residual.Terms) == 0 {
			continue
		}
		f, largest := e.Residual.Terms[0].Field, 0.0
		for j := range e.Residual.Terms {
			t := &e.Residual.Terms[j]
			if t.Field != f {
				largest = 0
				break
			}
			largest = math.Max(largest, termSize(p, t, e.Points, 1))
		}
		if largest > 0 {
			s.field[f] = math.Max(s.field[f], s.source(e)/largest)
		}
	}
}

// fromEquations sets the sizes that are open to the largest that another term of the equations and
// conditions implies: no reading corrects a size that is too small. Fields that follow from these are
// next. Of fields with few readings, of that magnitude, it takes what other fields imply, but not what
// sources do: the readings may say more.
func (s *sizes) fromEquations(p *system.Problem, few []float64) {
	for range s.field {
		implied := make([]float64, len(s.field))
		for _, e := range p.Demands() {
			source, top := s.source(e), 0.0
			own := make([]float64, len(s.field)) // largest term of a field of size 1
			for j := range e.Residual.Terms {
				t := &e.Residual.Terms[j]
				size := termSize(p, t, e.Points, 1)
				own[t.Field] = math.Max(own[t.Field], size)
				top = math.Max(top, size*s.field[t.Field])
			}
			for f, size := range own {
				switch {
				case s.field[f] > 0 || size == 0:
				case few == nil || few[f] == 0:
					implied[f] = math.Max(implied[f], math.Max(top, source)/size)
				default:
					implied[f] = math.Max(implied[f], top/size)
				}
			}
		}
		for f, size := range implied {
			s.field[f] = math.Max(s.field[f], size)
		}
	}
}

// source is the size of the known part of an equation, less the contribution of the fields' levels.
func (s *sizes) source(e *system.Demand) float64 {
	known := make([]float64, e.Points.Rows())
	if e.Residual.Known != nil {
		e.Residual.Known.EvalTo(known, e.Points)
	}
	for j := range e.Residual.Terms {
		t := &e.Residual.Terms[j]
		if order(t) == 0 && s.level[t.Field] != 0 {
			mat.Axpy(s.level[t.Field], evaluated(t.Coefficient, e.Points), known)
		}
	}
	return rootMeanSquare(known)
}

// refine replaces the sizes of equations by those of their terms at a solution, but at least those
// of a single half wave.
func (s *sizes) refine(p *system.Problem, q *Posterior) error {
	for label, e := range p.Demands() {
		size := s.source(e)
		for j := range e.Residual.Terms {
			t := &e.Residual.Terms[j]
			mean, _, err := q.moments(system.Functional{Terms: e.Residual.Terms[j : j+1]}, e.Points, false)
			if err != nil {
				return err
			}
			if order(t) == 0 {
				mat.Axpy(-s.level[t.Field], evaluated(t.Coefficient, e.Points), mean)
			}
			size = math.Max(size, rootMeanSquare(mean))
			size = math.Max(size, termSize(p, t, e.Points, 1)*s.field[t.Field])
		}
		s.residual[label.Index] = size
	}
	s.finish(p)
	return nil
}

// finish sets what follows from the sizes of fields and equations.
func (s *sizes) finish(p *system.Problem) {
	for i, v := range s.residual {
		if !(v > 0) {
			s.residual[i] = 1
		}
	}
	clear(s.parameter)
	for label, e := range p.Demands() {
		s.widen(e.Residual.Parameters, e.Points, s.residual[label.Index])
	}
	for i := range p.Sensors { // parameters that are in no equation, such as the offset of a gauge
		g := &p.Sensors[i]
		if len(g.Values) == 0 {
			continue
		}
		var alone []system.ParameterTerm
		for _, t := range g.Measures.Parameters {
			if s.parameter[t.Parameter] == 0 {
				alone = append(alone, t)
			}
		}
		s.widen(alone, g.Points, rootMeanSquare(g.Values))
	}
	for j, v := range s.parameter {
		if v == 0 {
			s.parameter[j] = 1
		}
	}
}

// widen makes the prior of parameters wide enough for their terms to reach wideParameter times the
// given size.
func (s *sizes) widen(terms []system.ParameterTerm, points *mat.Dense, size float64) {
	for i := range terms {
		t := &terms[i]
		if c := rootMeanSquare(evaluated(t.Coefficient, points)); c > 0 {
			s.parameter[t.Parameter] = math.Max(s.parameter[t.Parameter], wideParameter*(size/c))
		}
	}
}

// termSize is the size of a term of a field of size 1 with the given number of half waves in the
// box.
func termSize(p *system.Problem, t *system.Term, points *mat.Dense, waves float64) float64 {
	return steepness(p, t, waves, rootMeanSquare(magnitudes(p, t, points)))
}

// steepness is the size of a term's derivative of a field of the given size with that many half
// waves in the box: with respect to the logarithm of a variable whose axis is logarithmic.
func steepness(p *system.Problem, t *system.Term, waves, size float64) float64 {
	for d, k := range t.Derivative {
		side := p.Variables[d].Side()
		for range k {
			size *= waves * math.Pi / side
		}
	}
	return size
}

// magnitudes are the sizes of a term at points without its steepness: its coefficient, divided by
// the variable for each derivative along a logarithmic axis.
func magnitudes(p *system.Problem, t *system.Term, points *mat.Dense) []float64 {
	c := evaluated(t.Coefficient, points)
	for d, k := range t.Derivative {
		if !p.Variables[d].Log {
			continue
		}
		for i := range c {
			for range k {
				c[i] /= points.At(i, d)
			}
		}
	}
	return c
}

// signedSize is termSize of a term without derivatives, with the sign of its coefficient.
func signedSize(t *system.Term, points *mat.Dense) float64 {
	c := evaluated(t.Coefficient, points)
	if size := rootMeanSquare(c); mat.Sum(c) < 0 {
		return -size
	} else {
		return size
	}
}

// order is the total order of a term's derivative.
func order(t *system.Term) int {
	n := 0
	for _, k := range t.Derivative {
		n += k
	}
	return n
}

// evaluated returns a coefficient at points; nil is 1.
func evaluated(f system.Function, points *mat.Dense) []float64 {
	if f == nil {
		f = system.Constant(1)
	}
	v := make([]float64, points.Rows())
	f.EvalTo(v, points)
	return v
}

func rootMeanSquare(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return mat.Nrm2(x) / math.Sqrt(float64(len(x)))
}

// meanAndSD returns the mean of x and the root mean square deviation from it.
func meanAndSD(x []float64) (mean, sd float64) {
	mean = mat.Sum(x) / float64(len(x))
	rest := make([]float64, len(x))
	for i, v := range x {
		rest[i] = v - mean
	}
	return mean, rootMeanSquare(rest)
}

// beyondArithmetic is the error where the density of the readings is zero, or is not a number, under all
// layers: it names the equation or condition whose source is farthest from what was read.
func (s *sizes) beyondArithmetic(p *system.Problem) error {
	where, ratio, source, least := "", 0.0, 0.0, 0.0
	for label, e := range p.Demands() {
		known := s.source(e)
		for j := range e.Residual.Terms {
			t := &e.Residual.Terms[j]
			size := termSize(p, t, e.Points, 1) * s.field[t.Field]
			if r := known / size; size > 0 && r > ratio {
				where, ratio, source, least = label.String(), r, known, size
			}
		}
	}
	if ratio < 1/epsilon { // that is not why
		return dataError("layers", "none could be evaluated")
	}
	return dataError(where, "its source is about %.2g and its terms, by the readings and conditions, %.2g: too far apart to compute with. Are the units right?", source, least)
}
