package calibration

import "math"

// diffusivity draws a diffusion coefficient. By the final time, a half-wave across the box
// along x has decayed by a factor of 1.1 to 150.
func (p *draft) diffusivity(least, most float64) float64 {
	return rounded(p.logBetween(least, most)*p.side(0)*p.side(0)/p.side(p.timeAt()), 3)
}

// lasting draws a wave number along x that does not decay at once: D k^2 times the duration
// is at most 30.
func (p *draft) lasting(diffusion float64) float64 {
	return min(p.wave(0), rounded(math.Sqrt(30/(diffusion*p.side(p.timeAt()))), 4))
}

// heat: u_t = D u_xx, with nothing else known or some of the boundary.
func heat(p *draft) error {
	p.heatLike(0.01, 0.3)
	p.chanceKnown, p.chanceUnknown = 0, 0
	return nil
}

// heatSource: u_t - D u_xx = s.
func heatSource(p *draft) error {
	p.heatLike(0.01, 0.3)
	p.chanceKnown, p.chanceUnknown = 0.5, 0.85
	return nil
}

// heatBackward: u_t = D u_xx, read only late; the initial state is to be inferred as far as
// possible.
func heatBackward(p *draft) error {
	p.heatLike(0.01, 0.1)
	p.chanceUnknown = 0.3
	p.late = true
	return nil
}

// heatLike states u_t - D u_xx = s. In a third of the problems the ends are kept at zero or
// insulated.
func (p *draft) heatLike(least, most float64) {
	p.box("x", "t")
	diffusion := p.diffusivity(least, most)
	p.equations = []operator{{partial(1, 0, 0, 1), partial(-diffusion, 0, 2)}}
	p.across = [dims]int{2, 1}
	decaying := func(wave expression, k float64) []expression {
		return []expression{wave.times(p.growth(1, -diffusion*k*k))}
	}
	p.mode = func() []expression {
		k := p.lasting(diffusion)
		return decaying(of(sine, 1, p.along(0, k, p.phase())), k)
	}
	p.aboutField()
	p.lower(1, 0.3, one(u()))
	if !p.chance(0.35) {
		p.ends(0, 0.5, one(u()), one(u(1)))
		return
	}
	ends := pick(p.dice, sine, cosine)
	p.mode = func() []expression {
		n := p.count(1, 5)
		return decaying(p.standing(0, n, ends), float64(n)*math.Pi/p.side(0))
	}
	p.imposeEnds(0, ends)
}

// imposeEnds imposes the conditions that standing waves satisfy at both ends of variable d.
func (p *draft) imposeEnds(d int, c curve) {
	left := u()
	if c == cosine {
		left = u(p.first(d)...)
	}
	for _, at := range []float64{p.variables[d].Min, p.variables[d].Max} {
		p.impose(condition{d: d, at: at, left: left})
	}
}

// driftDiffusion: u_t + c u_x - D u_xx = s.
func driftDiffusion(p *draft) error {
	p.box("x", "t")
	diffusion := p.diffusivity(0.003, 0.1)
	c := p.speed(0.2, 2)
	p.equations = []operator{{partial(1, 0, 0, 1), partial(c, 0, 1), partial(-diffusion, 0, 2)}}
	p.across = [dims]int{2, 1}
	p.mode = func() []expression {
		k := p.lasting(diffusion)
		return []expression{of(sine, 1, p.oblique(p.phase(), k, -k*c)).times(p.growth(1, -diffusion*k*k))}
	}
	p.chanceUnknown = 0.5
	p.aboutField()
	p.lower(0, 0.5, one(u()))
	p.upper(0, 0.4, one(u(1)))
	p.lower(1, 0.3, one(u()))
	return nil
}

// speed draws a speed at which least to most lengths of the box are passed in the time.
func (p *draft) speed(least, most float64) float64 {
	return rounded(p.sign()*p.logBetween(least, most)*p.side(0)/p.side(p.timeAt()), 3)
}

// ring: u_t + c u_x = D u_xx around a ring.
func ring(p *draft) error {
	p.box("x", "t")
	diffusion := p.diffusivity(0.001, 0.02)
	c := p.speed(0.2, 2)
	p.equations = []operator{{partial(1, 0, 0, 1), partial(c, 0, 1), partial(-diffusion, 0, 2)}}
	p.across = [dims]int{2, 1}
	p.mode = func() []expression {
		k := 2 * math.Pi * float64(p.count(1, 3)) / p.side(0)
		return []expression{of(sine, 1, p.oblique(p.phase(), k, -k*c)).times(p.growth(1, -diffusion*k*k))}
	}
	p.chanceKnown, p.chanceUnknown = 0, 0
	p.gauges = [][]operator{{u()}}
	p.impose(condition{periodic: true, left: u()})
	p.impose(condition{periodic: true, left: u(1)})
	return nil
}

// decay: u_t - D u_xx + r u = s.
func decay(p *draft) error {
	p.box("x", "t")
	diffusion := p.diffusivity(0.01, 0.2)
	r := p.rate(1, 0.3, 5)
	p.equations = []operator{{partial(1, 0, 0, 1), partial(-diffusion, 0, 2), partial(r, 0)}}
	p.across = [dims]int{2, 1}
	p.mode = func() []expression {
		k := p.lasting(diffusion)
		return []expression{of(sine, 1, p.along(0, k, p.phase())).times(p.growth(1, -float64(diffusion*k*k)-r))}
	}
	p.aboutField()
	p.ends(0, 0.5, one(u()), one(u(1)))
	p.lower(1, 0.3, one(u()))
	return nil
}

// heatVarying: u_t - (k u_x)_x = s.
func heatVarying(p *draft) error {
	p.box("x", "t")
	k := p.conductivity(0).scaled(p.diffusivity(0.01, 0.3))
	p.equations = []operator{{partial(1, 0, 0, 1), varying(k.scaled(-1), 0, 2), varying(k.slope(0).scaled(-1), 0, 1)}}
	p.across = [dims]int{2, 1}
	p.aboutField()
	p.ends(0, 0.5, one(u()), one(u(1)))
	p.lower(1, 0.3, one(u()))
	return nil
}

// heat2D: u_t - D (u_xx + u_yy) = s.
func heat2D(p *draft) error {
	p.box("x", "y", "t")
	diffusion := p.diffusivity(0.01, 0.3)
	p.equations = []operator{{partial(1, 0, 0, 0, 1), partial(-diffusion, 0, 2), partial(-diffusion, 0, 0, 2)}}
	p.across = [dims]int{2, 2, 1}
	p.maxModes = 3
	decaying := func(wave expression, a, b float64) []expression {
		return []expression{wave.times(p.growth(2, -diffusion*(float64(a*a)+float64(b*b))))}
	}
	p.mode = func() []expression {
		a, b := p.wave(0), p.wave(1)
		return decaying(of(sine, 1, p.along(0, a, p.phase())).times(of(sine, 1, p.along(1, b, p.phase()))), a, b)
	}
	p.chanceUnknown = 0.5
	p.aboutField()
	p.lower(2, 0.2, one(u()))
	if p.chance(0.5) {
		for d := range 2 {
			p.ends(d, 0.4, one(u()), one(u(p.first(d)...)))
		}
		return nil
	}
	ends := pick(p.dice, sine, cosine)
	p.mode = func() []expression {
		m, n := p.count(1, 3), p.count(1, 3)
		return decaying(p.standing(0, m, ends).times(p.standing(1, n, ends)), float64(m)*math.Pi/p.side(0), float64(n)*math.Pi/p.side(1))
	}
	p.imposeEnds(0, ends)
	p.imposeEnds(1, ends)
	return nil
}

// cooling: u_t = D u_xx in a rod that is insulated at one end and cools at the other,
// u_x = -h (u - a), where the temperature a of the surroundings is unknown.
func cooling(p *draft) error {
	p.box("x", "t")
	diffusion := p.diffusivity(0.03, 0.5)
	biot := rounded(p.logBetween(0.3, 5), 3)
	surroundings := rounded(p.unit*p.between(-20, 20), 3)
	h := biot / p.side(0)
	p.equations = []operator{{partial(1, 0, 0, 1), partial(-diffusion, 0, 2)}}
	p.across = [dims]int{2, 1}
	p.background = []expression{constant(surroundings)}
	p.mode = func() []expression {
		k := coolingRoot(biot, p.count(0, 3)) / p.side(0)
		return []expression{of(cosine, 1, p.from(0, k)).times(p.growth(1, -diffusion*k*k))}
	}
	p.chanceKnown, p.chanceUnknown = 0, 0
	p.gauges = [][]operator{{u()}}
	p.impose(condition{d: 0, at: p.variables[0].Min, left: u(1)})
	p.impose(condition{d: 0, at: p.variables[0].Max, left: operator{partial(1, 0, 1), partial(h, 0)}, parameter: "surroundings", factor: h})
	return nil
}

// coolingRoot returns root number n of b tan b = biot, by bisection between n pi and
// (n + 1/2) pi.
func coolingRoot(biot float64, n int) float64 {
	low, high := float64(n)*math.Pi, (float64(n)+0.5)*math.Pi
	for range 60 {
		b := (low + high) / 2
		c, s := cosSin(b)
		if (float64(b*s) < float64(biot*c)) == (n%2 == 0) {
			low = b
		} else {
			high = b
		}
	}
	return (low + high) / 2
}
