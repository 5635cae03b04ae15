package calibration

import (
	"fmt"
	"math"
	"slices"
)

// A side is a place where something may be known: where variable d equals at. With the
// given chance, one of the sets of left sides is known there.
type side struct {
	d      int
	at     float64
	sets   [][]operator
	chance float64
}

// A condition of the problem file: left = right where variable d has a value, or on a
// shape's boundary; or equal at both ends of a variable's range.
type condition struct {
	on       string // a shape or "boundary"; "" for variable d = at
	d        int
	at       float64
	periodic bool // in variable d
	normal   bool // the derivative along the normal is known
	exact    bool
	left     operator
	right    expression
	// parameter, if not "", is the unknown parameter on the right side, and factor its
	// coefficient.
	parameter string
	factor    float64
}

// lower and upper add a side at an end of variable d, where one of the sets may be known.
func (p *draft) lower(d int, chance float64, sets ...[]operator) {
	p.sides = append(p.sides, side{d, p.variables[d].Min, sets, chance})
}

func (p *draft) upper(d int, chance float64, sets ...[]operator) {
	p.sides = append(p.sides, side{d, p.variables[d].Max, sets, chance})
}

// ends adds both.
func (p *draft) ends(d int, chance float64, sets ...[]operator) {
	p.lower(d, chance, sets...)
	p.upper(d, chance, sets...)
}

// impose adds a condition that every file of the kind has.
func (p *draft) impose(c condition) { p.imposed = append(p.imposed, c) }

// drawConditions draws which boundary and initial conditions are known: in half of the
// files only the imposed ones, in a sixth nearly all.
func (p *draft) drawConditions() error {
	p.conditions = p.imposed
	if p.chance(0.5) {
		all := p.chance(0.33)
		for _, s := range p.sides {
			if !p.chance(s.chance) && !(all && p.chance(0.9)) || !p.region.has(s.at == p.variables[s.d].Min) {
				continue
			}
			for _, left := range pick(p.dice, s.sets...) {
				if !p.imposes(s.d, s.at) {
					p.conditions = append(p.conditions, condition{d: s.d, at: s.at, left: left})
				}
			}
		}
		p.region.drawConditions(p)
	}
	// Whoever knows all but a source needs sensors; whoever knows everything rarely does.
	for checked := p.chance(0.4); len(p.conditions) > len(p.imposed) && p.open()+len(p.sources) < 1 && !checked; {
		drop := len(p.imposed) + p.IntN(len(p.conditions)-len(p.imposed))
		p.conditions = slices.Delete(slices.Clone(p.conditions), drop, drop+1)
	}
	for i := range p.conditions {
		if err := p.conditions[i].complete(p); err != nil {
			return err
		}
	}
	return nil
}

// imposes reports whether every file of the kind has a condition where variable d equals at.
func (p *draft) imposes(d int, at float64) bool {
	for _, c := range p.imposed {
		if c.d == d && (c.at == at || c.periodic) {
			return true
		}
	}
	return false
}

// complete derives the right side from the exact solution.
func (c *condition) complete(p *draft) error {
	if c.periodic || c.normal {
		return nil
	}
	c.right = c.left.apply(p.exact)
	if c.on == "" {
		c.right = c.right.where(c.d, c.at)
	}
	if c.parameter == "" {
		return nil
	}
	value := 0.0
	switch {
	case len(c.right) == 1 && len(c.right[0].factors) == 0:
		value = c.right[0].c / c.factor
	case len(c.right) > 0:
		return fmt.Errorf("the right side of a condition is no number: %s", c.right.text(p.names()))
	}
	p.sources = append(p.sources, source{name: c.parameter, strength: value})
	return nil
}

// text writes the equation of the condition.
func (c *condition) text(p *draft) (equals string) {
	names := p.names()
	switch {
	case c.normal:
		u := p.exact[0]
		return fmt.Sprintf("%s_n = n_%s*(%s) + n_%s*(%s)", p.fields[0], names[0], u.slope(0).text(names), names[1], u.slope(1).text(names))
	case c.parameter != "" && c.factor == 1:
		return c.left.text(p.fields, names) + " = " + c.parameter
	case c.parameter != "":
		return c.left.text(p.fields, names) + " = " + number(c.factor) + "*" + c.parameter
	}
	return c.left.text(p.fields, names) + " = " + c.right.text(names)
}

// knows reports whether a field is known on the part of the boundary with that name.
func (p *draft) knows(on string) bool {
	return slices.ContainsFunc(p.conditions, func(c condition) bool { return c.on == on && !c.normal })
}

// knowsAt reports whether a field is known where variable d equals at.
func (p *draft) knowsAt(d int, at float64) bool {
	return slices.ContainsFunc(p.conditions, func(c condition) bool {
		return c.on == "" && !c.periodic && c.d == d && c.at == at && c.parameter == "" && c.left[0].order == [dims]int{}
	})
}

// A place is where variable d equals at.
type place struct {
	d  int
	at float64
}

// unknownSides returns the sides of the box, in space, on which no field is known. There
// are none if the domain is not the box.
func (p *draft) unknownSides() []place {
	var all []place
	for d, v := range p.variables {
		for _, at := range []float64{v.Min, v.Max} {
			if v.Name != timeName && !p.knowsAt(d, at) && p.region.text == "" {
				all = append(all, place{d, at})
			}
		}
	}
	return all
}

// modesAcross returns the number of modes in all variables but d, up to the highest wave
// number of the solution: one more than its half-waves in each.
func (p *draft) modesAcross(d int) int {
	n := 1
	for e := range p.variables {
		if e == d {
			continue
		}
		waves := 0.0
		for _, u := range p.exact {
			waves = max(waves, u.halfWaves(e, p.side(e)))
		}
		n *= int(math.Ceil(waves)) + 1
	}
	return n
}

// degrees counts what the readings have to determine. A well-posed problem has a number of
// conditions across each variable, and each of these counts as the modes along its side.
// Those that the file states are subtracted, and the parameters are added.
func (p *draft) degrees() int { return max(p.open(), 1) + len(p.sources) }

// open is degrees without the parameters; where conditions overlap it may be negative.
func (p *draft) open() int {
	n := 0
	for d := range p.variables {
		n += p.across[d] * p.modesAcross(d)
	}
	for _, c := range p.conditions {
		switch {
		case c.on == "boundary": // one condition on each of four sides
			n -= 2 * (p.modesAcross(0) + p.modesAcross(1))
		case c.on == "":
			n -= p.modesAcross(c.d)
		}
	}
	return n
}
