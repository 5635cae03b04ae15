package calibration

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// attempts is how often something unsuitable is drawn again.
const attempts = 40

// errUnsuited reports that none of the attempts was suitable.
var errUnsuited = errors.New("no draw suits")

// Amplitudes of the parts of a solution, in its unit.
const (
	minAmplitude = 0.3
	maxAmplitude = 1.5
)

func (p *draft) amplitude() float64 { return p.unit * p.logBetween(minAmplitude, maxAmplitude) }

// drawSolution draws the solution: modes, a part with a known source, and parts with sources
// of unknown strength. The equations give the source of each part.
func (p *draft) drawSolution() error {
	places := p.grid(400)
	unknown := 0
	if p.chance(p.chanceUnknown) {
		unknown = p.count(1, p.maxUnknown)
	}
	hasSource := p.chance(p.chanceKnown) || p.mode == nil && unknown == 0
	given := p.zero()
	if p.background != nil {
		given = p.background
	}
	if hasSource {
		for range p.count(1, 2) {
			form, _, err := p.sourcedForm(places)
			if err != nil {
				return err
			}
			given = addFields(given, amplified(form, places, p.amplitude()))
		}
	}
	p.exact, p.known = given, p.leftSides(given)
	if p.mode != nil && (!hasSource && unknown == 0 || p.chance(0.85)) {
		for range p.count(1, p.maxModes) {
			mode, err := p.slowMode()
			if err != nil {
				return err
			}
			p.exact = addFields(p.exact, amplified(mode, places, p.sign()*p.amplitude()/p.fineness(mode)))
		}
	}
	if err := p.drawSources(unknown, places); err != nil {
		return err
	}
	p.addOffset()
	return nil
}

// addFields returns the sum of two lists of fields.
func addFields(a, b []expression) []expression {
	sum := make([]expression, len(a))
	for i := range sum {
		sum[i] = plus(a[i], b[i])
	}
	return sum
}

// slowMode draws a mode that a hundred neurons can follow: it has few half-waves along every
// variable. It returns an error if a mode does not solve the equations.
func (p *draft) slowMode() ([]expression, error) {
	for range attempts {
		mode := p.mode()
		if !p.slow(mode) {
			continue
		}
		for i, s := range p.leftSides(mode) {
			if remains(s, p.equations[i], mode) {
				return nil, fmt.Errorf("equation %d does not hold for a mode: %s remains", i+1, s.text(p.names()))
			}
		}
		return mode, nil
	}
	return nil, errUnsuited
}

// remains tells whether more than rounding is left of an equation for fields that solve it.
func remains(left expression, equation operator, fields []expression) bool {
	const rounding = 1e-9 // relative to the largest product of its terms
	largest := 0.0
	for _, t := range equation {
		for _, q := range t.coefficient.times(fields[t.field].derivative(t.order)) {
			largest = math.Max(largest, math.Abs(q.c))
		}
	}
	return slices.ContainsFunc(left, func(q product) bool { return math.Abs(q.c) > rounding*largest })
}

// slow reports whether fields have no more half-waves than a solution may have.
func (p *draft) slow(fields []expression) bool {
	for d := range p.variables {
		if p.halfWavesOf(fields, d) > p.maxHalfWaves() {
			return false
		}
	}
	return true
}

// halfWavesOf returns how many half-waves fields have along variable d.
func (p *draft) halfWavesOf(fields []expression, d int) float64 {
	most := 0.0
	for _, e := range fields {
		most = max(most, e.halfWaves(d, p.side(d)))
	}
	return most
}

// fineness returns 1 for a mode that hardly varies and 3 for the finest, whose amplitude is
// reduced by it because spectra decay.
func (p *draft) fineness(mode []expression) float64 {
	most := 0.0
	for d := range p.variables {
		most = max(most, p.halfWavesOf(mode, d))
	}
	return 1 + 2*most/p.maxHalfWaves()
}

// drawSources draws sources of unknown strength that can be distinguished.
func (p *draft) drawSources(count int, places *mat.Dense) error {
	var seen [][]float64
	for k := range count {
		form, shapes, err := p.distinctForm(&seen, places)
		if err != nil {
			return err
		}
		s := source{name: fmt.Sprintf("lambda%d", k+1), shapes: shapes}
		if count == 1 {
			s.name = "lambda"
		}
		// The largest number in the shapes becomes 1; the strength takes the rest.
		largest := 0.0
		for _, e := range shapes {
			for _, q := range e {
				if math.Abs(q.c) > math.Abs(largest) {
					largest = q.c
				}
			}
		}
		for i := range shapes {
			shapes[i] = shapes[i].over(largest)
		}
		typical := p.unit / peak(form, places) * math.Abs(largest)
		s.strength = rounded(typical*p.sign()*p.logBetween(minAmplitude, maxAmplitude), 4)
		if p.chance(0.2) { // draw the truth from a stated prior
			s.sd = rounded(typical*p.logBetween(0.1, 1), 2)
			s.mean = rounded(typical*p.normal(), 2)
			s.strength = s.mean + float64(s.sd*p.normal())
		}
		p.sources = append(p.sources, s)
		for i := range form {
			form[i] = form[i].scaled(s.strength / largest)
		}
		p.exact = addFields(p.exact, form)
	}
	return nil
}

// distinctForm draws a form whose sources differ from the earlier ones.
func (p *draft) distinctForm(seen *[][]float64, places *mat.Dense) (form, sources []expression, err error) {
	for range attempts {
		if form, sources, err = p.sourcedForm(places); err != nil {
			return nil, nil, err
		}
		var values []float64
		for _, e := range sources {
			values = append(values, e.values(places)...)
		}
		if !resembles(values, *seen) {
			*seen = append(*seen, values)
			return form, sources, nil
		}
	}
	return nil, nil, errUnsuited
}

// sourcedForm draws fields whose sources are not just what is left of large cancelling
// terms, and returns both.
func (p *draft) sourcedForm(places *mat.Dense) (form, sources []expression, err error) {
	for range attempts {
		form = p.form()
		if !p.slow(form) {
			continue
		}
		sources = p.leftSides(form)
		for i, s := range sources {
			largest := 0.0
			for _, t := range p.equations[i] {
				largest = max(largest, size(operator{t}.apply(form).values(places)))
			}
			if size(s.values(places)) > 0.1*largest {
				return form, sources, nil
			}
		}
	}
	return nil, nil, errUnsuited
}

// addOffset adds a constant, large compared with the variation, to some of those solutions
// that remain solutions.
func (p *draft) addOffset() {
	if !p.chance(0.2) {
		return
	}
	level := p.zero()
	level[0] = constant(rounded(p.unit*p.sign()*p.logBetween(3, 100), 3))
	for _, s := range p.leftSides(level) {
		if len(s) > 0 {
			return
		}
	}
	p.exact = addFields(p.exact, level)
}

// amplified scales fields to an amplitude: the largest value of the first nonzero field.
func amplified(fields []expression, places *mat.Dense, amplitude float64) []expression {
	c := rounded(amplitude/peak(fields, places), 4)
	out := make([]expression, len(fields))
	for i, e := range fields {
		out[i] = e.scaled(c)
	}
	return out
}

// peak returns the largest absolute value of the first nonzero field.
func peak(fields []expression, places *mat.Dense) float64 {
	for _, e := range fields {
		if p := largestOf(e.values(places)); p > 0 {
			return p
		}
	}
	return 0
}

// alike is the correlation above which two sources are hard to distinguish.
const alike = 0.9

// resembles reports whether x is nearly proportional to one of others.
func resembles(x []float64, others [][]float64) bool {
	for _, y := range others {
		if math.Abs(mat.Dot(x, y)) > alike*float64(mat.Nrm2(x)*mat.Nrm2(y)) {
			return true
		}
	}
	return false
}

// largestOf returns the largest absolute value.
func largestOf(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// size returns the root mean square.
func size(x []float64) float64 { return mat.Nrm2(x) / math.Sqrt(float64(len(x))) }

// variation returns the root mean square deviation from the mean.
func variation(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	sum := 0.0
	for _, v := range x {
		sum += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(sum / float64(len(x)))
}
