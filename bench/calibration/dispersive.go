package calibration

import "math"

// kleinGordon: u_tt - c^2 u_xx + m^2 u = s.
func kleinGordon(p *draft) error {
	p.waveLike()
	c, c2 := squared(p.speed(0.3, 1.5))
	_, m2 := squared(p.rate(1, 1, 6))
	p.equations = []operator{{partial(1, 0, 0, 2), partial(-c2, 0, 2), partial(m2, 0)}}
	p.mode = func() []expression {
		k := p.wave(0)
		w := math.Sqrt(float64(c*k*c*k) + m2)
		return []expression{of(sine, 1, p.oblique(p.phase(), k, p.sign()*w))}
	}
	p.chanceUnknown = 0.4
	p.ends(0, 0.4, one(u()))
	return nil
}

// kortewegDeVries: u_t + c u_x + b u_xxx = s, linearised; long waves in water.
func kortewegDeVries(p *draft) error {
	p.box("x", "t")
	c := p.speed(0.2, 1)
	b := rounded(p.sign()*p.logBetween(0.001, 0.02)*p.side(0)*p.side(0)*p.side(0)/p.side(1), 3)
	p.equations = []operator{{partial(1, 0, 0, 1), partial(c, 0, 1), partial(b, 0, 3)}}
	p.inside = true
	p.across = [dims]int{3, 1}
	p.mode = func() []expression {
		k := p.wave(0)
		w := float64(c*k) - float64(b*k*k*k)
		return []expression{of(sine, 1, p.oblique(p.phase(), k, -w))}
	}
	p.chanceUnknown = 0.4
	p.aboutField()
	p.ends(0, 0.3, one(u()))
	p.lower(1, 0.3, one(u()))
	return nil
}

// vibratingBeam: w_tt + b^2 w_xxxx = s, simply supported at both ends or free.
func vibratingBeam(p *draft) error {
	p.box("x", "t")
	p.fields = []string{"w"}
	b, b2 := squared(p.logBetween(0.02, 0.3) * p.side(0) * p.side(0) / p.side(1))
	p.equations = []operator{{partial(1, 0, 0, 2), partial(b2, 0, 4)}}
	p.inside = true
	p.across = [dims]int{4, 2}
	p.maxModes = 3
	supported := p.chance(0.5)
	p.mode = func() []expression {
		n := p.count(1, 4)
		k := float64(n) * math.Pi / p.side(0)
		shape := p.standing(0, n, sine)
		if !supported {
			k = p.wave(0)
			shape = of(sine, 1, p.along(0, k, p.phase()))
			if p.chance(0.4) {
				shape = p.growth(0, p.sign()*k)
			}
		}
		return []expression{shape.times(of(sine, 1, p.along(1, b*k*k, p.phase())))}
	}
	p.form = func() []expression {
		if supported {
			return []expression{p.standing(0, p.count(1, 3), sine).times(p.profile(1))}
		}
		return p.anyForm()
	}
	p.chanceUnknown = 0.4
	p.gauges = [][]operator{{u()}, {u(), u(2)}}
	p.additional = append(one(u(0, 1)), u(2))
	p.lower(1, 0.3, one(u()), []operator{u(), u(0, 1)})
	if supported {
		for _, at := range []float64{p.variables[0].Min, p.variables[0].Max} {
			p.impose(condition{d: 0, at: at, left: u()})
			p.impose(condition{d: 0, at: at, left: u(2)})
		}
	}
	return nil
}

// schroedinger: u_t = -a v_xx, v_t = a u_xx, the real and imaginary parts of a free wave.
func schroedinger(p *draft) error {
	p.box("x", "t")
	p.fields = []string{"u", "v"}
	a := rounded(p.logBetween(0.02, 0.3)*p.side(0)*p.side(0)/p.side(1), 3)
	p.equations = []operator{
		{partial(1, 0, 0, 1), partial(a, 1, 2)},
		{partial(1, 1, 0, 1), partial(-a, 0, 2)},
	}
	p.inside = true
	p.across = [dims]int{4, 2}
	p.mode = func() []expression {
		k := p.sign() * p.wave(0)
		at := p.oblique(p.phase(), k, -a*k*k)
		return []expression{of(cosine, 1, at), of(sine, 1, at)}
	}
	p.chanceKnown, p.chanceUnknown = 0, 0
	v := operator{partial(1, 1)}
	p.gauges = [][]operator{{u()}, {u(), v}, {u(), v}}
	p.ends(0, 0.4, []operator{u(), v}, one(u()))
	p.lower(1, 0.3, []operator{u(), v}, one(v))
	return nil
}
