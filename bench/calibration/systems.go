package calibration

import "math"

// field returns the operator for field i or a derivative of it.
func field(i int, orders ...int) operator { return operator{partial(1, i, orders...)} }

// acoustics: p_t + K v_x = s, r v_t + p_x = 0, sound in a tube. Both fields derive from one
// potential f: p = r f_t, v = -f_x.
func acoustics(p *draft) error {
	p.box("x", "t")
	p.fields = []string{"p", "v"}
	c, density := math.Abs(p.speed(0.3, 2)), rounded(p.logBetween(0.1, 10), 2)
	p.equations = []operator{
		{partial(1, 0, 0, 1), partial(density*c*c, 1, 1)},
		{partial(density, 1, 0, 1), partial(1, 0, 1)},
	}
	p.across = [dims]int{2, 2}
	fromPotential := func(f expression) []expression {
		return []expression{f.slope(1).scaled(density), f.slope(0).scaled(-1)}
	}
	closed := p.chance(0.4)
	p.mode = func() []expression {
		if closed {
			n := p.count(1, 3)
			k := float64(n) * math.Pi / p.side(0)
			return fromPotential(p.standing(0, n, cosine).times(of(sine, 1, p.along(1, c*k, p.phase()))))
		}
		return fromPotential(p.travelling(0, p.sign()*c))
	}
	p.form = func() []expression { return fromPotential(p.profiles()) }
	p.chanceKnown, p.chanceUnknown = 0.1, 0.4
	p.gauges = [][]operator{{field(0)}, {field(0)}, {field(0), field(1)}, {field(1)}}
	if closed {
		p.impose(condition{d: 0, at: p.variables[0].Min, left: field(1)})
		p.impose(condition{d: 0, at: p.variables[0].Max, left: field(1)})
		return nil
	}
	p.ends(0, 0.3, one(field(0)), one(field(1)))
	return nil
}

// stokes: m (u_xx + u_yy) - p_x = f, m (v_xx + v_yy) - p_y = g, u_x + v_y = 0.
func stokes(p *draft) error {
	p.box("x", "y")
	p.fields = []string{"u", "v", "p"}
	m := rounded(p.logBetween(0.1, 10), 2)
	p.equations = []operator{
		{partial(m, 0, 2), partial(m, 0, 0, 2), partial(-1, 2, 1)},
		{partial(m, 1, 2), partial(m, 1, 0, 2), partial(-1, 2, 0, 1)},
		{partial(1, 0, 1), partial(1, 1, 0, 1)},
	}
	p.inside = true
	p.across = [dims]int{4, 4}
	// stream returns a divergence-free flow.
	stream := func(f, pressure expression) []expression {
		return []expression{f.slope(1), f.slope(0).scaled(-1), pressure}
	}
	p.mode = func() []expression {
		if p.chance(0.3) { // between parallel walls
			y := p.centred(1, p.between(0.2, 0.8), rounded(1/p.side(1), 3))
			slope := y.slope[1]
			return []expression{of(power, 2, y), nil, of(power, 1, p.centred(0, 0.5, rounded(1/p.side(0), 3))).scaled(2 * m * slope * slope / rounded(1/p.side(0), 3))}
		}
		// A stream function y exp(-ky) sin(kx), whose vorticity is harmonic.
		k := p.wave(0)
		decay := p.growth(1, p.sign()*k)
		y := of(power, 1, p.centred(1, p.between(0, 1), 1))
		wave, other := of(sine, 1, p.along(0, k, 0)), of(cosine, 1, p.along(0, k, 0))
		return stream(y.times(decay).times(wave), decay.times(other).scaled(-2*m*k))
	}
	p.form = func() []expression { return stream(p.profiles(), nil) }
	p.chanceKnown, p.chanceUnknown = 0.1, 0.3
	p.gauges = [][]operator{{field(0), field(1), field(2)}, {field(0), field(1), field(2)}, {field(0), field(2)}, {field(0), field(1)}}
	wall := []operator{field(0), field(1)}
	p.ends(0, 0.3, wall)
	p.ends(1, 0.6, wall, one(field(1)))
	return nil
}

// exchange: a_t - D a_xx + k a - l b = s, b_t - E b_xx - k a + l b = 0.
func exchange(p *draft) error {
	p.box("x", "t")
	p.fields = []string{"a", "b"}
	da, db := p.diffusivity(0.01, 0.2), p.diffusivity(0.01, 0.2)
	ka, kb := p.rate(1, 0.3, 4), p.rate(1, 0.3, 4)
	p.equations = []operator{
		{partial(1, 0, 0, 1), partial(-da, 0, 2), partial(ka, 0), partial(-kb, 1)},
		{partial(1, 1, 0, 1), partial(-db, 1, 2), partial(-ka, 0), partial(kb, 1)},
	}
	p.across = [dims]int{4, 2}
	p.mode = func() []expression {
		k := p.wave(0)
		// s is an eigenvalue of the matrix of the equations for waves of number k.
		a, b := -float64(da*k*k)-ka, -float64(db*k*k)-kb
		s := float64((a + b + float64(p.sign()*math.Sqrt(float64((a-b)*(a-b))+float64(4*ka*kb)))) / 2)
		wave := of(sine, 1, p.along(0, k, p.phase())).times(p.growth(1, s))
		return []expression{wave, wave.scaled((s - a) / kb)}
	}
	p.form = func() []expression {
		// b is any function; a is such that its equation has no source.
		b := p.profiles()
		return []expression{plus(b.slope(1), b.derivative([dims]int{2}).scaled(-db), b.scaled(kb)).scaled(1 / ka), b}
	}
	p.chanceKnown, p.chanceUnknown = 0.15, 0.4
	p.gauges = [][]operator{{field(0)}, {field(0), field(1)}, {field(0), field(1)}}
	p.ends(0, 0.5, []operator{field(0), field(1)}, []operator{field(0, 1), field(1, 1)}, one(field(0)))
	p.lower(1, 0.4, one(field(1)), []operator{field(0), field(1)})
	return nil
}

// planeStress: displacements of a sheet, u_xx + (1-n)/2 u_yy + (1+n)/2 v_xy = f, and the same
// with x and y exchanged. Body forces may be unknown.
func planeStress(p *draft) error {
	p.box("x", "y")
	p.fields = []string{"u", "v"}
	n := rounded(p.between(0.1, 0.45), 2)
	stiffness := rounded(p.logBetween(0.1, 100), 2)
	a, b := stiffness*(1-n)/2, stiffness*(1+n)/2
	p.equations = []operator{
		{partial(stiffness, 0, 2), partial(a, 0, 0, 2), partial(b, 1, 1, 1)},
		{partial(stiffness, 1, 0, 2), partial(a, 1, 2), partial(b, 0, 1, 1)},
	}
	p.inside = true
	p.across = [dims]int{4, 4}
	p.mode = func() []expression {
		f := p.harmonic()
		if p.chance(0.5) { // free of dilatation and rotation
			return []expression{f.slope(0).scaled(p.side(0)), f.slope(1).scaled(p.side(0))}
		}
		// Papkovich and Neuber: (0, c f) - y grad f.
		y := of(power, 1, p.centred(1, p.between(0, 1), 1))
		c := (3 - n) / (1 + n)
		return []expression{y.times(f.slope(0)).scaled(-1), plus(f.scaled(c), y.times(f.slope(1)).scaled(-1))}
	}
	p.chanceKnown, p.chanceUnknown = 0.1, 0.6
	p.gauges = [][]operator{{field(0), field(1)}, {field(0), field(1)}, {field(1)}, {field(0), field(1), field(0, 1)}}
	p.ends(0, 0.4, []operator{field(0), field(1)}, one(field(0)))
	p.ends(1, 0.3, []operator{field(0), field(1)}, one(field(1)))
	return nil
}

// darcy: p + k h_x = 0, q + k h_y = 0, p_x + q_y = s, with a permeability k that is
// constant or grows along x.
func darcy(p *draft) error {
	p.box("x", "y")
	p.fields = []string{"h", "p", "q"}
	k := constant(rounded(p.logBetween(0.01, 100), 2))
	g := 0.0
	if p.chance(0.5) {
		g = float64(p.sign() * p.rate(0, 0.2, 1))
		k = k.times(p.growth(0, 2*g))
	}
	p.equations = []operator{
		{partial(1, 1), varying(k, 0, 1)},
		{partial(1, 2), varying(k, 0, 0, 1)},
		{partial(1, 1, 1), partial(1, 2, 0, 1)},
	}
	p.inside = true
	p.across = [dims]int{2, 2}
	fromHead := func(h expression) []expression {
		return []expression{h, k.times(h.slope(0)).scaled(-1), k.times(h.slope(1)).scaled(-1)}
	}
	p.mode = func() []expression {
		l := p.wave(1)
		return fromHead(of(sine, 1, p.along(1, l, p.phase())).times(p.growth(0, float64(p.sign()*math.Sqrt(float64(l*l)+float64(g*g)))-g)))
	}
	p.form = func() []expression { return fromHead(p.profiles()) }
	p.chanceKnown, p.chanceUnknown = 0.2, 0.5
	p.gauges = [][]operator{{field(0)}, {field(0)}, {field(0), field(1)}}
	p.ends(0, 0.3, one(field(0)), one(field(1)))
	p.ends(1, 0.3, one(field(0)), one(field(2)))
	return nil
}

// pendulums: a_tt + (k + c) a - c b = s, b_tt + (l + c) b - c a = 0.
func pendulums(p *draft) error {
	p.box("t")
	p.fields = []string{"a", "b"}
	_, k := squared(p.wave(0))
	_, l := squared(p.wave(0))
	_, c := squared(p.wave(0))
	p.equations = []operator{
		{partial(1, 0, 2), partial(k+c, 0), partial(-c, 1)},
		{partial(1, 1, 2), partial(l+c, 1), partial(-c, 0)},
	}
	p.across = [dims]int{4}
	p.maxModes = 2
	p.mode = func() []expression {
		half, differ := float64((k+l)/2)+c, (k-l)/2
		w2 := half + float64(p.sign()*math.Sqrt(float64(differ*differ)+float64(c*c)))
		at := of(sine, 1, p.along(0, math.Sqrt(w2), p.phase()))
		return []expression{at, at.scaled((k + c - w2) / c)}
	}
	p.form = func() []expression {
		b := p.profile(0)
		return []expression{plus(b.derivative([dims]int{2}), b.scaled(l+c)).scaled(1 / c), b}
	}
	p.gauges = [][]operator{{field(0)}, {field(0), field(1)}, {field(1)}}
	p.lower(0, 0.5, one(field(0)), []operator{field(0), field(0, 1)}, []operator{field(0), field(1)})
	return nil
}

// wall: ka a_xx = -S in a heated layer, kb b_xx = 0 in another. Temperature and heat flux are
// continuous at the joint.
func wall(p *draft) error {
	p.box("x")
	p.fields = []string{"a", "b"}
	v := p.variables[0]
	joint := rounded(v.Min+float64(p.between(0.3, 0.7)*p.side(0)), 6)
	ka, kb := rounded(p.logBetween(0.1, 10), 2), rounded(p.logBetween(0.1, 10), 2)
	p.equations = []operator{{partial(ka, 0, 2)}, {partial(kb, 1, 2)}}
	p.across = [dims]int{2}
	p.layers = [][2]float64{{v.Min, joint}, {joint, v.Max}}
	at := argument{}
	at.slope[0], at.origin[0] = rounded(1/p.side(0), 3), joint
	line := of(power, 1, at)
	p.mode = func() []expression {
		level, slope := constant(rounded(p.between(-1, 1), 2)), rounded(p.between(-2, 2), 2)
		return []expression{plus(level, line.scaled(slope)), plus(level, line.scaled(slope*ka/kb))}
	}
	p.maxModes = 1
	p.form = func() []expression {
		if p.chance(0.5) {
			return []expression{of(power, 2, at), nil}
		}
		return []expression{of(power, 3, at), nil}
	}
	p.chanceKnown, p.chanceUnknown, p.maxUnknown = 0.1, 0.9, 1
	p.gauges = [][]operator{{field(0), field(1)}, {field(0), field(1)}, {field(0)}}
	p.impose(condition{d: 0, at: joint, left: operator{partial(1, 0), partial(-1, 1)}, exact: true})
	p.impose(condition{d: 0, at: joint, left: operator{partial(ka, 0, 1), partial(-kb, 1, 1)}, exact: true})
	p.lower(0, 0.4, one(field(0)), one(field(0, 1)))
	p.upper(0, 0.4, one(field(1)))
	return nil
}
