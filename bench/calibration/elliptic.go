package calibration

import "math"

// laplace: u_xx + u_yy = 0.
func laplace(p *draft) error {
	if err := p.poissonLike(); err != nil {
		return err
	}
	p.chanceKnown, p.chanceUnknown = 0, 0
	return nil
}

// poisson: u_xx + u_yy = s, with a known source.
func poisson(p *draft) error {
	if err := p.poissonLike(); err != nil {
		return err
	}
	p.chanceKnown, p.chanceUnknown = 1, 0
	return nil
}

// poissonUnknown: u_xx + u_yy = s, with unknown strengths.
func poissonUnknown(p *draft) error {
	if err := p.poissonLike(); err != nil {
		return err
	}
	p.chanceUnknown, p.maxUnknown = 1, 3
	return nil
}

// recharge: -k (h_xx + h_yy) = N, the head of groundwater in wells. How much rain reaches
// the ground is unknown, and the same everywhere.
func recharge(p *draft) error {
	if err := p.poissonLike(); err != nil {
		return err
	}
	p.fields = []string{"h"}
	k := rounded(p.logBetween(1e-3, 1e3), 2)
	p.equations = []operator{{partial(-k, 0, 2, 0), partial(-k, 0, 0, 2)}}
	p.form = func() []expression {
		share := rounded(p.between(0, 1), 2)
		x := of(power, 2, p.centred(0, p.between(0.3, 0.7), rounded(1/p.side(0), 3)))
		y := of(power, 2, p.centred(1, p.between(0.3, 0.7), rounded(1/p.side(1), 3)))
		return []expression{plus(x.scaled(share), y.scaled(rounded(1-share, 2)))}
	}
	p.chanceUnknown, p.maxUnknown = 1, 1
	p.chanceKnown = 0.2
	return nil
}

// poissonLike states u_xx + u_yy = s in a domain of any shape.
func (p *draft) poissonLike() error {
	if err := p.plane(); err != nil {
		return err
	}
	p.equations = []operator{{partial(1, 0, 2, 0), partial(1, 0, 0, 2)}}
	p.across = [dims]int{2, 2}
	p.mode = func() []expression { return []expression{p.harmonic()} }
	p.aboutField()
	for d := range 2 {
		p.ends(d, 0.4, one(u()), one(u(p.first(d)...)))
	}
	return nil
}

// aboutField lets sensors measure the field and sometimes a first derivative.
func (p *draft) aboutField() {
	p.gauges = [][]operator{{u()}}
	for d := range p.variables {
		p.additional = append(p.additional, u(p.first(d)...))
	}
}

// first returns the order of the first derivative in variable d.
func (p *draft) first(d int) []int {
	order := make([]int, len(p.variables))
	order[d] = 1
	return order
}

// harmonic draws a solution of Laplace's equation in x and y: a wave along one variable that
// decays along the other, or a polynomial.
func (p *draft) harmonic() expression {
	if p.chance(0.25) {
		return p.harmonicPolynomial()
	}
	d := p.IntN(2)
	k := p.wave(d)
	return of(sine, 1, p.along(d, k, p.phase())).times(p.growth(1-d, p.sign()*k))
}

// harmonicPolynomial draws the real part of a power of x + i y about a place in the box.
func (p *draft) harmonicPolynomial() expression {
	slope := rounded(1/max(p.side(0), p.side(1)), 3)
	x, y := p.centred(0, p.between(0.2, 0.8), slope), p.centred(1, p.between(0.2, 0.8), slope)
	a := func(n int) expression { return of(power, n, x) }
	b := func(n int) expression { return of(power, n, y) }
	switch p.count(0, 3) {
	case 0:
		return plus(a(1).scaled(rounded(p.between(-1, 1), 2)), b(1).scaled(rounded(p.between(-1, 1), 2)))
	case 1:
		return a(1).times(b(1))
	case 2:
		return plus(a(2), b(2).scaled(-1))
	}
	return plus(a(3), a(1).times(b(2)).scaled(-3))
}

// helmholtz2D: u_xx + u_yy + k^2 u = s, plane waves.
func helmholtz2D(p *draft) error {
	if err := p.plane(); err != nil {
		return err
	}
	k, k2 := squared(math.Pi * p.between(0.5, 4) / max(p.side(0), p.side(1)))
	p.equations = []operator{{partial(1, 0, 2, 0), partial(1, 0, 0, 2), partial(k2, 0)}}
	p.across = [dims]int{2, 2}
	p.mode = func() []expression {
		c, s := p.direction()
		return []expression{of(sine, 1, p.oblique(p.phase(), k*c, k*s))}
	}
	p.chanceUnknown = 0.4
	p.aboutField()
	for d := range 2 {
		p.ends(d, 0.3, one(u()), one(u(p.first(d)...)))
	}
	return nil
}

// direction draws a unit vector in the plane.
func (p *draft) direction() (x, y float64) {
	a := p.between(-math.Pi, math.Pi)
	return cosSin(a)
}

// screened: u_xx + u_yy - m^2 u = s.
func screened(p *draft) error {
	if err := p.plane(); err != nil {
		return err
	}
	m, m2 := squared(p.logBetween(1, 6) / max(p.side(0), p.side(1)))
	p.equations = []operator{{partial(1, 0, 2, 0), partial(1, 0, 0, 2), partial(-m2, 0)}}
	p.across = [dims]int{2, 2}
	p.mode = func() []expression {
		if p.chance(0.5) {
			d := p.IntN(2)
			k := p.wave(d)
			return []expression{of(sine, 1, p.along(d, k, p.phase())).times(p.growth(1-d, p.sign()*math.Sqrt(float64(k*k)+m2)))}
		}
		c, s := p.direction()
		return []expression{p.growth(0, m*c).times(p.growth(1, m*s))}
	}
	p.chanceUnknown = 0.4
	p.aboutField()
	for d := range 2 {
		p.ends(d, 0.3, one(u()), one(u(p.first(d)...)))
	}
	return nil
}

// anisotropic: a u_xx + 2 b u_xy + c u_yy = s.
func anisotropic(p *draft) error {
	if err := p.plane(); err != nil {
		return err
	}
	a, c := rounded(p.logBetween(0.2, 5), 2), rounded(p.logBetween(0.2, 5), 2)
	b := rounded(p.between(-0.8, 0.8)*math.Sqrt(a*c), 2)
	p.equations = []operator{{partial(a, 0, 2, 0), partial(2*b, 0, 1, 1), partial(c, 0, 0, 2)}}
	p.across = [dims]int{2, 2}
	p.mode = func() []expression {
		k := p.wave(1)
		wave := of(sine, 1, p.oblique(p.phase(), -k*b/a, k))
		return []expression{wave.times(p.growth(0, p.sign()*k*math.Sqrt(float64(a*c)-float64(b*b))/a))}
	}
	p.chanceUnknown = 0.4
	p.aboutField()
	for d := range 2 {
		p.ends(d, 0.3, one(u()))
	}
	return nil
}

// varyingDiffusion2D: (k u_x)_x + (k u_y)_y = s.
func varyingDiffusion2D(p *draft) error {
	if err := p.plane(); err != nil {
		return err
	}
	d := p.IntN(2)
	k := p.conductivity(d)
	p.equations = []operator{{varying(k, 0, 2, 0), varying(k, 0, 0, 2), varying(k.slope(d), 0, p.first(d)...)}}
	p.across = [dims]int{2, 2}
	p.chanceUnknown = 0.5
	p.aboutField()
	for d := range 2 {
		p.ends(d, 0.3, one(u()), one(u(p.first(d)...)))
	}
	return nil
}

// plate: w_xxxx + 2 w_xxyy + w_yyyy = s.
func plate(p *draft) error {
	p.box("x", "y")
	p.fields = []string{"w"}
	p.equations = []operator{{partial(1, 0, 4, 0), partial(2, 0, 2, 2), partial(1, 0, 0, 4)}}
	p.across = [dims]int{4, 4}
	p.mode = func() []expression {
		d := p.IntN(2)
		line := plus(constant(rounded(p.between(-1, 1), 2)), of(power, 1, p.centred(1-d, 0.5, rounded(1/p.side(1-d), 3))).scaled(rounded(p.between(-2, 2), 2)))
		k := p.wave(d)
		return []expression{of(sine, 1, p.along(d, k, p.phase())).times(p.growth(1-d, p.sign()*k)).times(line)}
	}
	p.chanceUnknown = 0.5
	p.inside = true
	p.aboutField()
	for d := range 2 {
		second := p.first(d)
		second[d] = 2
		p.ends(d, 0.6, []operator{u(), u(p.first(d)...)}, []operator{u(), u(second...)}, one(u()))
	}
	return nil
}

// laplace3D: u_xx + u_yy + u_zz = 0.
func laplace3D(p *draft) error {
	p.box("x", "y", "z")
	p.equations = []operator{{partial(1, 0, 2), partial(1, 0, 0, 2), partial(1, 0, 0, 0, 2)}}
	p.across = [dims]int{2, 2, 2}
	p.maxModes = 3
	p.mode = func() []expression {
		order := p.Perm(3)
		a, b := p.wave(order[0])/2, p.wave(order[1])/2
		waves := of(sine, 1, p.along(order[0], a, p.phase())).times(of(sine, 1, p.along(order[1], b, p.phase())))
		return []expression{waves.times(p.growth(order[2], p.sign()*math.Sqrt(float64(a*a)+float64(b*b))))}
	}
	p.chanceKnown, p.chanceUnknown = 0, 0
	p.aboutField()
	for d := range 3 {
		p.ends(d, 0.3, one(u()), one(u(p.first(d)...)))
	}
	return nil
}

// poisson3D: u_xx + u_yy + u_zz = s.
func poisson3D(p *draft) error {
	if err := laplace3D(p); err != nil {
		return err
	}
	p.chanceKnown, p.chanceUnknown = 0.6, 0.7
	return nil
}
