package calibration

import "math"

// u returns the operator for the first field or a derivative of it.
func u(orders ...int) operator { return operator{partial(1, 0, orders...)} }

// one returns a list with a single entry.
func one(o operator) []operator { return []operator{o} }

// relaxation: u_t + r u = s.
func relaxation(p *draft) error {
	p.box("t")
	r := p.rate(0, 0.5, 6)
	if p.chance(0.15) {
		r = -p.rate(0, 0.3, 2)
	}
	p.equations = []operator{{partial(1, 0, 1), partial(r, 0)}}
	p.across = [dims]int{1}
	p.maxModes = 1
	p.mode = func() []expression { return []expression{p.growth(0, -r)} }
	p.gauges = [][]operator{{u()}}
	p.additional = one(u(1))
	p.lower(0, 0.5, one(u()))
	return nil
}

// relaxationVarying: u_t + r (1 + b sin(k t)) u = s.
func relaxationVarying(p *draft) error {
	p.box("t")
	r := p.rate(0, 0.5, 6)
	rate := plus(constant(r), of(sine, 1, p.along(0, p.wave(0), p.phase())).scaled(r*rounded(p.between(0.2, 0.9), 2)))
	p.equations = []operator{{partial(1, 0, 1), varying(rate, 0)}}
	p.across = [dims]int{1}
	p.gauges = [][]operator{{u()}}
	p.lower(0, 0.5, one(u()))
	return nil
}

// oscillator: u_tt + w^2 u = s.
func oscillator(p *draft) error {
	p.box("t")
	w, w2 := squared(p.wave(0))
	p.equations = []operator{{partial(1, 0, 2), partial(w2, 0)}}
	p.across = [dims]int{2}
	p.maxModes = 1
	p.mode = func() []expression { return []expression{of(sine, 1, p.along(0, w, p.phase()))} }
	p.gauges = [][]operator{{u()}}
	p.additional = append(one(u(1)), u(2))
	p.lower(0, 0.5, one(u()), one(u(1)), []operator{u(), u(1)})
	return nil
}

// dampedOscillator: u_tt + 2 g u_t + (w^2 + g^2) u = s, so that u oscillates with frequency w.
func dampedOscillator(p *draft) error {
	p.box("t")
	g := p.rate(0, 0.2, 4)
	w2 := rounded(float64(g*g)*(1+p.logBetween(0.5, 50)), 4)
	w := math.Sqrt(w2 - float64(g*g))
	p.equations = []operator{{partial(1, 0, 2), partial(2*g, 0, 1), partial(w2, 0)}}
	p.across = [dims]int{2}
	p.maxModes = 1
	p.mode = func() []expression {
		return []expression{of(sine, 1, p.along(0, w, p.phase())).times(p.growth(0, -g))}
	}
	p.gauges = [][]operator{{u()}}
	p.additional = append(one(u(1)), u(2))
	p.lower(0, 0.5, one(u()), []operator{u(), u(1)})
	return nil
}

// varyingDiffusion1D: (k u_x)_x - m^2 u = s with k = 1 + a z, or a bump.
func varyingDiffusion1D(p *draft) error {
	p.box("x")
	k := p.conductivity(0)
	o := operator{varying(k, 0, 2), varying(k.slope(0), 0, 1)}
	if p.chance(0.5) {
		_, m2 := squared(p.rate(0, 0.5, 4))
		o = append(o, partial(-m2, 0))
	}
	p.equations = []operator{o}
	p.across = [dims]int{2}
	p.gauges = [][]operator{{u()}}
	p.additional = one(u(1))
	p.ends(0, 0.5, one(u()), one(u(1)))
	return nil
}

// conductivity draws a coefficient about 1 that varies along variable d.
func (p *draft) conductivity(d int) expression {
	if p.chance(0.5) {
		return plus(constant(1), of(power, 1, p.centred(d, 0.5, rounded(1/p.side(d), 3))).scaled(rounded(p.sign()*p.between(0.4, 1.6), 2)))
	}
	width := rounded(1/(p.side(d)*p.between(0.2, 0.6)), 3)
	return plus(constant(1), of(gaussian, 1, p.centred(d, p.between(0, 1), width)).scaled(rounded(p.between(-0.7, 2), 2)))
}

// thirdOrder: u_xxx + a^2 u_x = s.
func thirdOrder(p *draft) error {
	p.box("x")
	a, a2 := squared(p.wave(0))
	p.equations = []operator{{partial(1, 0, 3), partial(a2, 0, 1)}}
	p.across = [dims]int{3}
	p.maxModes = 1
	p.mode = func() []expression {
		return []expression{plus(of(sine, 1, p.along(0, a, p.phase())), constant(rounded(p.between(-1, 1), 2)))}
	}
	p.gauges = [][]operator{{u()}}
	p.additional = one(u(1))
	p.lower(0, 0.5, one(u()), []operator{u(), u(1)}, one(u(2)))
	p.upper(0, 0.3, one(u()))
	return nil
}

// A beam's end is free, clamped, or simply supported.
var beamEnds = [][]operator{{u(2), u(3)}, {u(), u(1)}, {u(), u(2)}, {u()}}

// beam: w_xxxx = s, with deflections and curvatures measured.
func beam(p *draft) error {
	p.box("x")
	p.fields = []string{"w"}
	stiffness := rounded(p.logBetween(0.01, 100), 2)
	p.equations = []operator{{partial(stiffness, 0, 4)}}
	p.beamLike()
	p.mode = func() []expression {
		e := constant(rounded(p.between(-1, 1), 2))
		for n := 1; n <= 3; n++ {
			e = plus(e, of(power, n, p.centred(0, 0.5, rounded(1/p.side(0), 3))).scaled(rounded(p.between(-2, 2), 2)))
		}
		return []expression{e}
	}
	return nil
}

// beamOnGround: w_xxxx + 4 b^4 w = s, a beam on an elastic foundation.
func beamOnGround(p *draft) error {
	p.box("x")
	p.fields = []string{"w"}
	rate := p.rate(0, 1, 5)
	b2, b4 := squared(rate * rate)
	b := math.Sqrt(b2)
	p.equations = []operator{{partial(1, 0, 4), partial(4*b4, 0)}}
	p.beamLike()
	p.mode = func() []expression {
		rises := of(sine, 1, p.along(0, b, p.phase())).times(p.growth(0, b))
		falls := of(sine, 1, p.along(0, b, p.phase())).times(p.growth(0, -b))
		return []expression{plus(rises.scaled(rounded(p.between(-1, 1), 2)), falls)}
	}
	return nil
}

// beamLike states what sensors measure of a beam, and its possible ends.
func (p *draft) beamLike() {
	p.across = [dims]int{4}
	p.maxModes = 1
	p.chanceUnknown = 0.75
	p.gauges = [][]operator{{u()}, {u(), u(2)}}
	p.additional = append(one(u(1)), u(2))
	p.ends(0, 0.7, beamEnds...)
}

// poisson1D: u_xx = s, with one to three unknown strengths.
func poisson1D(p *draft) error {
	p.box("x")
	p.equations = []operator{{partial(1, 0, 2)}}
	p.across = [dims]int{2}
	p.maxModes = 1
	p.mode = func() []expression {
		slope := rounded(p.between(-2, 2), 2)
		return []expression{plus(constant(rounded(p.between(-1, 1), 2)), of(power, 1, p.centred(0, 0.5, rounded(1/p.side(0), 3))).scaled(slope))}
	}
	p.chanceUnknown, p.maxUnknown = 1, 3
	p.gauges = [][]operator{{u()}}
	p.additional = one(u(1))
	p.ends(0, 0.4, one(u()), one(u(1)))
	return nil
}

// helmholtz1D: u_xx + k^2 u = s, with one to three unknown strengths.
func helmholtz1D(p *draft) error {
	p.box("x")
	k, k2 := squared(p.wave(0))
	p.equations = []operator{{partial(1, 0, 2), partial(k2, 0)}}
	p.across = [dims]int{2}
	p.maxModes = 1
	p.mode = func() []expression { return []expression{of(sine, 1, p.along(0, k, p.phase()))} }
	p.chanceUnknown, p.maxUnknown = 1, 3
	p.gauges = [][]operator{{u()}}
	p.additional = one(u(1))
	p.ends(0, 0.4, one(u()), one(u(1)))
	return nil
}

// driftDiffusion1D: v u_x - D u_xx = s, steady. Its boundary layer is at least a fifteenth of
// the box wide.
func driftDiffusion1D(p *draft) error {
	p.box("x")
	b := p.sign() * p.rate(0, 1, 15)
	diffusion := rounded(p.logBetween(0.01, 10), 2)
	p.equations = []operator{{partial(diffusion*b, 0, 1), partial(-diffusion, 0, 2)}}
	p.across = [dims]int{2}
	p.maxModes = 1
	p.mode = func() []expression {
		return []expression{plus(p.growth(0, b), constant(rounded(p.between(-1, 1), 2)))}
	}
	p.gauges = [][]operator{{u()}}
	p.ends(0, 0.4, one(u()))
	return nil
}

// fin: u_xx = m^2 (u - a), a rod that cools to its surroundings. How much heat enters at one
// end is unknown.
func fin(p *draft) error {
	p.box("x")
	m, m2 := squared(p.rate(0, 0.5, 5))
	p.equations = []operator{{partial(1, 0, 2), partial(-m2, 0)}}
	p.background = []expression{constant(rounded(p.unit*p.between(0, 20), 3))}
	p.across = [dims]int{2}
	p.maxModes = 1
	p.mode = func() []expression {
		return []expression{plus(p.growth(0, m), p.growth(0, -m).scaled(rounded(p.between(-1, 1), 2)))}
	}
	p.chanceUnknown, p.chanceKnown = 0.15, 0.2
	p.gauges = [][]operator{{u()}}
	end := p.variables[0].Max
	conductivity := rounded(p.logBetween(0.1, 100), 2)
	p.impose(condition{d: 0, at: end, left: operator{partial(conductivity, 0, 1)}, parameter: "flux", factor: 1})
	p.lower(0, 0.6, one(u()), one(u(1)))
	return nil
}

// standing returns sin(n pi (x - lower end)/side), which vanishes at both ends of variable d,
// or the cosine, whose slope vanishes there.
func (p *draft) standing(d, n int, c curve) expression {
	return of(c, 1, p.from(d, float64(n)*math.Pi/p.side(d)))
}
