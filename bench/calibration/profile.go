package calibration

// profile draws a function of variable d, at most about 1, for manufactured solutions: a
// wave, an exponential, a low power, a bump, or a moderately steep step.
func (p *draft) profile(d int) expression {
	side := p.side(d)
	switch {
	case p.chance(0.4):
		return of(sine, 1, p.along(d, p.wave(d), p.phase()))
	case p.chance(0.2):
		return p.growth(d, p.sign()*p.rate(d, 0.3, 3))
	case p.chance(0.35):
		n := p.count(0, 3)
		if n == 0 {
			return constant(1)
		}
		return of(power, n, p.centred(d, rounded(p.between(0.2, 0.8), 2), rounded(1/side, 3)))
	case p.chance(0.5):
		return of(gaussian, 1, p.centred(d, p.between(0, 1), rounded(1/(side*p.logBetween(0.15, 0.6)), 3)))
	}
	return of(tanh, 1, p.centred(d, p.between(0, 1), rounded(1/(side*p.logBetween(0.15, 0.6)), 3)))
}

// profiles draws a product of profiles, one in each variable.
func (p *draft) profiles() expression {
	e := constant(1)
	for d := range p.variables {
		e = e.times(p.profile(d))
	}
	return e
}

// anyForm draws a product of profiles for every field.
func (p *draft) anyForm() []expression {
	fields := p.zero()
	for i := range fields {
		fields[i] = p.profiles()
	}
	return fields
}
