package calibration

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// A Spoiling is a way to make a problem file wrong, or too hard for its settings, so that a
// good program warns about its answer.
type Spoiling string

// The ways to spoil a problem.
const (
	// WrongCoefficient makes a coefficient of an equation 1.3 to 4 times larger or
	// smaller. An equation with a single term gets another that does not belong there.
	WrongCoefficient Spoiling = "wrong-coefficient"
	// MissingTerm leaves out a term of an equation. An equation with a single term is
	// treated as by WrongCoefficient.
	MissingTerm Spoiling = "missing-term"
	// SmallNoise states a noise 5 to 20 times too small.
	SmallNoise Spoiling = "small-noise"
	// Outlying moves one to three readings, or one in twenty, by 10 to 60 sigma.
	Outlying Spoiling = "outlying"
	// Mistyped moves the decimal point of one reading.
	Mistyped Spoiling = "mistyped"
	// FewNeurons gives the layer 4 to 8 neurons with one variable, 10 to 30 with two, 15 to 40
	// with three.
	FewNeurons Spoiling = "few-neurons"
	// HeldScale fixes the scale of the layer at 0.1 or 32.
	HeldScale Spoiling = "held-scale"
	// Shifted adds a constant, half to two times their variation, to the readings of one
	// group of sensors, or to every other reading of the only one.
	Shifted Spoiling = "shifted"
	// Misplaced writes wrong places for a group: either two variables are swapped, as
	// fractions of the box, or one is shifted by a tenth to a third of its range.
	Misplaced Spoiling = "misplaced"
)

// Spoilings returns all ways to spoil a problem.
func Spoilings() []Spoiling {
	return []Spoiling{WrongCoefficient, MissingTerm, SmallNoise, Outlying, Mistyped, FewNeurons, HeldScale, Shifted, Misplaced}
}

// Spoil returns a spoilt copy of a problem. The truth and the exact solution stay those of the
// sound problem. The same seed spoils it in the same way. It returns an error if how is not
// one of Spoilings.
func Spoil(p *Problem, how Spoiling, seed uint64) (*Problem, error) {
	q := p.clone(string(how))
	d := q.draft
	d.dice = newDice(seed, p.Number, poolPurpose)
	switch how {
	case WrongCoefficient:
		d.spoilCoefficient()
	case MissingTerm:
		d.dropTerm()
	case SmallNoise:
		factor := d.between(5, 20)
		for _, g := range d.groups {
			g.state(factor)
		}
		q.Learned = false
	case Outlying:
		n := max(1, int(math.Round(0.05*float64(p.Readings))))
		if d.chance(0.5) {
			n = d.count(1, 3)
		}
		d.moveReadings(n, func() float64 { return d.between(10, 60) })
	case Mistyped:
		d.mistype()
	case FewNeurons:
		between := [][2]int{{4, 8}, {10, 30}, {15, 40}}[len(d.variables)-1]
		d.features = append(d.features, fmt.Sprintf("neurons = %d", d.count(between[0], between[1])))
	case HeldScale:
		d.features = append(d.features, "scale = "+pick(d.dice, "0.1", "32"))
	case Shifted:
		d.shiftReadings()
	case Misplaced:
		d.misplace()
	default:
		return nil, fmt.Errorf("calibration: there is no way to spoil named %q", how)
	}
	q.write()
	return q, nil
}

// Outliers returns a copy of a problem in which a share of all readings, at least one, is off
// by sigmas standard deviations of the noise. With student, every [[sensors]] block says
// noise = "student".
func Outliers(p *Problem, share, sigmas float64, student bool) *Problem {
	q := p.clone("outliers")
	d := q.draft
	d.dice = newDice(p.Seed, p.Number, poolPurpose)
	d.moveReadings(max(1, int(math.Round(share*float64(p.Readings)))), func() float64 { return sigmas })
	for _, g := range d.groups {
		g.student = student
	}
	q.write()
	return q
}

// clone copies a problem as deeply as spoiling needs.
func (p *Problem) clone(spoilt string) *Problem {
	q, d := *p, *p.draft
	q.Spoilt, q.draft = spoilt, &d
	d.equations = slices.Clone(d.equations)
	d.features = slices.Clone(d.features)
	d.groups = nil
	for _, g := range p.draft.groups {
		c := *g
		c.points, c.values, c.stated = g.points.Clone(), slices.Clone(g.values), slices.Clone(g.stated)
		d.groups = append(d.groups, &c)
	}
	return &q
}

// state makes the file state a noise that is smaller than the true one by a factor.
func (g *group) state(factor float64) {
	for i := range g.stated {
		g.stated[i] = rounded(g.sigma[i]/factor, 3)
	}
	if g.given == unstated {
		g.given = bySigma
	}
}

// spoilCoefficient changes a coefficient of an equation with several terms.
func (p *draft) spoilCoefficient() {
	i, k := p.anyTerm()
	if k < 0 {
		p.addTerm(i)
		return
	}
	factor := rounded(p.between(1.3, 4), 2)
	if p.chance(0.5) {
		factor = rounded(1/factor, 2)
	}
	changed := slices.Clone(p.equations[i])
	changed[k].coefficient = changed[k].coefficient.scaled(factor)
	p.equations[i] = changed
}

// dropTerm leaves out a term of an equation with several.
func (p *draft) dropTerm() {
	i, k := p.anyTerm()
	if k < 0 {
		p.addTerm(i)
		return
	}
	p.equations[i] = slices.Delete(slices.Clone(p.equations[i]), k, k+1)
}

// anyTerm returns a term of an equation with several, or -1 and any equation.
func (p *draft) anyTerm() (equation, term int) {
	var several []int
	for i, o := range p.equations {
		if len(o) > 1 {
			several = append(several, i)
		}
	}
	if len(several) == 0 {
		return p.IntN(len(p.equations)), -1
	}
	i := pick(p.dice, several...)
	return i, p.IntN(len(p.equations[i]))
}

// addTerm adds the field itself to an equation, with a coefficient that makes it about as
// large as the first term for a wave as long as half the box.
func (p *draft) addTerm(i int) {
	t := p.equations[i][0]
	c := t.coefficient.scaled(p.sign() * p.between(0.3, 3))
	for d, n := range t.order {
		for range n {
			c = c.scaled(2 / p.side(d))
		}
	}
	p.equations[i] = append(slices.Clone(p.equations[i]), varying(c, t.field))
}

// moveReadings moves n readings by a number of sigma, up or down.
func (p *draft) moveReadings(n int, sigmas func() float64) {
	type reading struct {
		of *group
		i  int
	}
	var all []reading
	for _, g := range p.groups {
		for i := range g.values {
			all = append(all, reading{g, i})
		}
	}
	for _, k := range p.Perm(len(all))[:min(n, len(all))] {
		r := all[k]
		r.of.values[r.i] += float64(p.sign() * sigmas() * r.of.sigma[r.i])
	}
}

// mistype moves the decimal point of a reading. It tries three and takes the one where that
// matters most.
func (p *draft) mistype() {
	var value *float64
	most := -1.0
	for range 3 {
		g := pick(p.dice, p.groups...)
		i := p.IntN(len(g.values))
		if change := math.Abs(g.values[i]) / g.sigma[i]; change > most {
			value, most = &g.values[i], change
		}
	}
	*value *= pick(p.dice, 0.1, 10)
}

// shiftReadings adds a constant to a group's readings, or to every other one if there is only
// one group.
func (p *draft) shiftReadings() {
	g := pick(p.dice, p.groups...)
	by := float64(p.sign() * p.between(0.5, 2) * variation(g.exact))
	for i := range g.values {
		if len(p.groups) > 1 || i%2 == 0 {
			g.values[i] += by
		}
	}
}

// misplace writes wrong places for a group's readings.
func (p *draft) misplace() {
	g := pick(p.dice, p.groups...)
	if len(p.variables) == 2 && p.chance(0.5) {
		p.swap(g.points)
		return
	}
	d := p.IntN(len(p.variables))
	by := float64(p.sign() * p.between(0.1, 0.33) * p.side(d))
	v := p.variables[d]
	for i := range g.points.Rows() {
		g.points.Set(i, d, min(max(g.points.At(i, d)+by, v.Min), v.Max))
	}
}

// swap swaps two variables, as fractions of the box.
func (p *draft) swap(points *mat.Dense) {
	v, w := p.variables[0], p.variables[1]
	for i := range points.Rows() {
		x, y := points.At(i, 0), points.At(i, 1)
		points.Set(i, 0, min(v.Min+float64((y-w.Min)/p.side(1)*p.side(0)), v.Max))
		points.Set(i, 1, min(w.Min+float64((x-v.Min)/p.side(0)*p.side(1)), w.Max))
	}
}
