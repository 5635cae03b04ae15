package calibration

import "math"

// advection: u_t + c u_x = s, a travelling profile.
func advection(p *draft) error {
	p.box("x", "t")
	c := p.speed(0.2, 2)
	p.equations = []operator{{partial(1, 0, 0, 1), partial(c, 0, 1)}}
	p.across = [dims]int{1, 1}
	p.mode = func() []expression { return []expression{p.travelling(0, c)} }
	p.chanceUnknown = 0.45
	p.aboutField()
	p.inflow(0, c, 0.4)
	p.lower(1, 0.4, one(u()))
	return nil
}

// inflow adds the side of variable d at which a flow of speed c enters.
func (p *draft) inflow(d int, c, chance float64) {
	if c > 0 {
		p.lower(d, chance, one(u()))
		return
	}
	p.upper(d, chance, one(u()))
}

// travelling draws a wave, a bump or a step that moves along variable d with speed c. A bump
// is in the box at the initial time or half-way.
func (p *draft) travelling(d int, c float64) expression {
	t := p.timeAt()
	move := func(slope float64) argument {
		a := p.centred(d, p.between(0, 1), slope)
		a.origin[t] = p.variables[t].Min
		if p.chance(0.5) {
			a.origin[t] = rounded(p.variables[t].Min+float64(p.side(t)/2), 6)
		}
		a.slope[t] = -slope * c
		return a
	}
	width := rounded(1/(p.side(d)*p.logBetween(0.12, 0.6)), 3)
	switch {
	case p.chance(0.45):
		return of(sine, 1, move(p.wave(d)))
	case p.chance(0.6):
		return of(gaussian, 1, move(width))
	}
	return of(tanh, 1, move(width))
}

// advectionVarying: u_t + c(x) u_x = s.
func advectionVarying(p *draft) error {
	p.box("x", "t")
	c := p.conductivity(0).scaled(math.Abs(p.speed(0.2, 1)))
	p.equations = []operator{{partial(1, 0, 0, 1), varying(c, 0, 1)}}
	p.across = [dims]int{1, 1}
	p.aboutField()
	p.lower(0, 0.4, one(u()))
	p.lower(1, 0.4, one(u()))
	return nil
}

// advection2D: u_t + a u_x + b u_y = s.
func advection2D(p *draft) error {
	p.box("x", "y", "t")
	a, b := p.speed(0.1, 1), p.speed(0.1, 1)
	p.equations = []operator{{partial(1, 0, 0, 0, 1), partial(a, 0, 1), partial(b, 0, 0, 1)}}
	p.across = [dims]int{1, 1, 1}
	p.maxModes = 2
	p.mode = func() []expression {
		return []expression{p.travelling(0, a).times(p.travelling(1, b))}
	}
	p.chanceUnknown = 0.35
	p.aboutField()
	p.inflow(0, a, 0.4)
	p.inflow(1, b, 0.4)
	p.lower(2, 0.4, one(u()))
	return nil
}

// waveString: u_tt = c^2 u_xx, a string with fixed ends.
func waveString(p *draft) error {
	p.waveLike()
	c := p.waveSpeed()
	p.mode = func() []expression {
		n := p.count(1, 4)
		k := float64(n) * math.Pi / p.side(0)
		return []expression{p.standing(0, n, sine).times(of(sine, 1, p.along(1, c*k, p.phase())))}
	}
	p.form = func() []expression {
		return []expression{p.standing(0, p.count(1, 3), sine).times(p.profile(1))}
	}
	p.chanceKnown, p.chanceUnknown = 0.1, 0.4
	p.imposeEnds(0, sine)
	return nil
}

// waveFree: u_tt = c^2 u_xx, waves that pass through both ends.
func waveFree(p *draft) error {
	p.waveLike()
	c := p.waveSpeed()
	p.mode = func() []expression { return []expression{p.travelling(0, p.sign()*c)} }
	p.chanceKnown, p.chanceUnknown = 0.1, 0.2
	p.ends(0, 0.4, one(u()), one(u(1)))
	return nil
}

// waveForced: u_tt - c^2 u_xx = s, with unknown strengths.
func waveForced(p *draft) error {
	p.waveLike()
	c := p.waveSpeed()
	p.mode = func() []expression { return []expression{p.travelling(0, p.sign()*c)} }
	p.chanceUnknown, p.maxUnknown = 1, 3
	p.ends(0, 0.6, one(u()), one(u(1)))
	return nil
}

// waveLike draws a box in x and t, and states what a wave equation leaves open.
func (p *draft) waveLike() {
	p.box("x", "t")
	p.across = [dims]int{2, 2}
	p.aboutField()
	p.lower(1, 0.3, one(u()), []operator{u(), u(0, 1)}, one(u(0, 1)))
}

// waveSpeed states u_tt - c^2 u_xx = s and returns c.
func (p *draft) waveSpeed() float64 {
	c, c2 := squared(p.speed(0.3, 2))
	p.equations = []operator{{partial(1, 0, 0, 2), partial(-c2, 0, 2)}}
	return c
}

// telegraph: u_tt + 2 g u_t - c^2 u_xx = s.
func telegraph(p *draft) error {
	p.waveLike()
	c, c2 := squared(p.speed(0.3, 2))
	g := p.rate(1, 0.2, 2)
	p.equations = []operator{{partial(1, 0, 0, 2), partial(2*g, 0, 0, 1), partial(-c2, 0, 2)}}
	p.mode = func() []expression {
		k := p.wave(0)
		w2 := float64(c*k*c*k) - float64(g*g)
		if w2 <= 0 { // overdamped
			s := math.Sqrt(-w2) - g
			return []expression{of(sine, 1, p.along(0, k, p.phase())).times(p.growth(1, s))}
		}
		return []expression{of(sine, 1, p.along(0, k, p.phase())).times(of(sine, 1, p.along(1, math.Sqrt(w2), p.phase()))).times(p.growth(1, -g))}
	}
	p.chanceUnknown = 0.4
	p.ends(0, 0.5, one(u()), one(u(1)))
	return nil
}

// wave2D: u_tt - c^2 (u_xx + u_yy) = s, a membrane whose edge is fixed or not.
func wave2D(p *draft) error {
	p.box("x", "y", "t")
	c, c2 := squared(p.speed(0.3, 1))
	p.equations = []operator{{partial(1, 0, 0, 0, 2), partial(-c2, 0, 2), partial(-c2, 0, 0, 2)}}
	p.across = [dims]int{2, 2, 2}
	p.maxModes = 2
	fixed := p.chance(0.5)
	p.mode = func() []expression {
		if fixed {
			m, n := p.count(1, 2), p.count(1, 2)
			a, b := float64(m)*math.Pi/p.side(0), float64(n)*math.Pi/p.side(1)
			w := c * math.Sqrt(float64(a*a)+float64(b*b))
			return []expression{p.standing(0, m, sine).times(p.standing(1, n, sine)).times(of(sine, 1, p.along(2, w, p.phase())))}
		}
		k := p.wave(0)
		x, y := p.direction()
		return []expression{of(sine, 1, p.oblique(p.phase(), k*x, k*y, k*c))}
	}
	p.chanceKnown, p.chanceUnknown = 0, 0
	p.aboutField()
	p.lower(2, 0.3, one(u()), []operator{u(), u(0, 0, 1)})
	if fixed {
		p.imposeEnds(0, sine)
		p.imposeEnds(1, sine)
	}
	return nil
}
