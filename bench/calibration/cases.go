package calibration

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A Case is a problem on which some way to choose hyper-parameters once failed. Cases stay
// as tests; JudgeCase judges one.
type Case struct {
	Name  string
	About string
	// Field says that the solution is judged instead of the parameters.
	Field bool
	state func(p *draft, seed uint64) error
}

// Cases returns all named cases.
func Cases() []Case { return slices.Clone(cases) }

// FindCase returns the case with the given name, or nil.
func FindCase(name string) *Case {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	c := cases[i]
	return &c
}

var cases = []Case{
	{"rod", "measured temperatures of a heated rod, flux at its end unknown; seeds are those of the layer", false, rodCase},
	{"wells", "heads in twelve wells, recharge unknown, nothing known of the boundary", false, wellsCase},
	{"string", "few noisy readings of a string of three or four modes, how it began unknown", true, stringCase},
	{"helmholtz50", "the example inverse-helmholtz with fifty neurons", false, helmholtzCase},
	{"plane-stress", "displacements of a hanging sheet, nearly straight along y, its weight unknown", false, planeStressCase},
}

// Draw returns the case's problem for a seed, which also seeds the layer. The same seed
// gives the same bytes on every machine. It returns an error if the seed is too large.
func (c *Case) Draw(seed uint64) (*Problem, error) {
	if seed > math.MaxInt32 {
		return nil, fmt.Errorf("calibration: the seed of a case is at most %d", math.MaxInt32)
	}
	p := &draft{dice: newDice(seed, 0, casePurpose), fields: []string{"u"}}
	p.features = []string{fmt.Sprintf("seed = %d", seed)}
	if err := c.state(p, seed); err != nil {
		return nil, fmt.Errorf("calibration: %s, seed %d: %w", c.Name, seed, err)
	}
	return p.problem(&kind{name: c.Name, family: "case"}, seed, int(seed)), nil
}

// casePurpose tells the random numbers of cases from others of the same seed.
const casePurpose = 0x63617365

// state completes a draft whose solution is known. The given sources have unknown
// strength; the rest of what the equations leave is a known source. The right sides of
// conditions follow from the solution.
func (p *draft) state(exact []expression, sources []source, conditions ...condition) error {
	p.exact, p.sources, p.conditions = exact, sources, conditions
	p.known = p.leftSides(exact)
	for i := range p.known {
		for _, s := range sources {
			p.known[i] = plus(p.known[i], s.shapes[i].scaled(-s.strength))
		}
	}
	for i := range p.conditions {
		if err := p.conditions[i].complete(p); err != nil {
			return err
		}
	}
	p.freedom = p.degrees()
	return nil
}

// read adds a group of sensors with noise of standard deviation sigma, and its readings.
func (p *draft) read(measures operator, points *mat.Dense, sigma float64) {
	g := &group{measures: measures, points: points, exact: measures.apply(p.exact).values(points)}
	for _, v := range g.exact {
		g.values = append(g.values, v+float64(sigma*p.normal()))
		g.sigma = append(g.sigma, sigma)
	}
	g.stated = slices.Clone(g.sigma)
	p.groups = append(p.groups, g)
	p.noise = sigma / variation(g.exact)
}

//go:embed measured/smith-rod.csv
var smithRod string

// The rod is of aluminium and square, hot at x = 0, in air. See measured/README.md.
const (
	rodWidth        = 0.95    // cm
	rodLength       = 70      // cm
	rodConductivity = 2.37    // W/(cm K)
	rodTransfer     = 0.00191 // heat transfer to the air, W/(cm2 K)
	rodAir          = 21.29   // degrees Celsius
	rodNoise        = 0.25    // degrees
	// rodDecay is m^2, in 1/cm2: transfer times circumference over conductivity times cross-section.
	rodDecay = 4 * rodTransfer / (rodConductivity * rodWidth)
)

// rodCase: u_xx = m^2 (u - air), u_x(0) = Phi/k, u_x(L) = h/k (air - u(L)), m^2 = rodDecay.
// The true flux is not known; its least-squares estimate from the closed form stands in.
func rodCase(p *draft, _ uint64) error {
	points, values, err := readRod()
	if err != nil {
		return err
	}
	p.variables = []system.Variable{{Name: "x", Min: 0, Max: rodLength}}
	p.equations = []operator{{partial(1, 0, 2), partial(-rodDecay, 0)}}
	p.across = [dims]int{2}
	shape := rodShape(math.Sqrt(rodDecay))
	flux, _ := fitFlux(shape.values(points), values)
	err = p.state([]expression{plus(constant(rodAir), shape.scaled(flux))}, nil,
		condition{d: 0, at: 0, left: u(1), parameter: "Phi", factor: 1 / rodConductivity},
		condition{d: 0, at: rodLength, left: operator{partial(1, 0, 1), partial(rodTransfer/rodConductivity, 0)}})
	p.read(u(), points, rodNoise)
	p.groups[0].values = values
	return err
}

// rodShape returns the excess temperature for a flux of 1: sinh and cosh of m (L - x).
func rodShape(m float64) expression {
	const loss = rodTransfer / rodConductivity
	b, end := loss/m, mat.Exp(-m*rodLength)
	x := system.Variable{Name: "x", Min: 0, Max: rodLength}
	p := draft{variables: []system.Variable{x}}
	c := -1 / (rodConductivity * m * float64(1-float64(end*end)+float64(b*(1+float64(end*end)))))
	return plus(p.growth(0, -m).scaled(c*(1+b)), p.growth(0, m).scaled(c*(1-b)*end))
}

// fitFlux returns the least-squares estimate of the flux, and its sd.
func fitFlux(shape, values []float64) (flux, sd float64) {
	above, below := 0.0, 0.0
	for i, s := range shape {
		above += float64(s * (values[i] - rodAir))
		below += float64(s * s)
	}
	return above / below, rodNoise / math.Sqrt(below)
}

// readRod returns the places, in cm, and the temperatures, in degrees Celsius.
func readRod() (*mat.Dense, []float64, error) {
	rows, err := csv.NewReader(strings.NewReader(smithRod)).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	var places, values []float64
	for _, row := range rows[1:] {
		x, errX := strconv.ParseFloat(row[1], 64)
		v, errV := strconv.ParseFloat(row[2], 64)
		if err := errors.Join(errX, errV); err != nil {
			return nil, nil, err
		}
		places, values = append(places, x), append(values, v)
	}
	return mat.NewDense(len(places), 1, places), values, nil
}

// wellsCase: -T (h_xx + h_yy) = N in a square of some km, with head h in m, transmissivity T
// in m2/d and recharge N in m/d. Wells are read to a few cm.
func wellsCase(p *draft, _ uint64) error {
	side := rounded(p.between(3000, 6000), 2)
	p.variables = []system.Variable{{Name: "x", Max: side}, {Name: "y", Max: side}}
	p.fields = []string{"h"}
	transmissivity := rounded(p.logBetween(200, 800), 2)
	p.equations = []operator{{partial(-transmissivity, 0, 2), partial(-transmissivity, 0, 0, 2)}}
	p.across = [dims]int{2, 2}
	// The recharge raises the head by 1 to 4 m between the ends and the middle of a strip.
	n := rounded(p.between(1, 4)*8*transmissivity/float64(side*side), 3)
	x, y := p.centred(0, p.between(0.3, 0.7), 1), p.centred(1, p.between(0.3, 0.7), 1)
	share := rounded(p.between(0.2, 0.8), 2)
	bulge := plus(of(power, 2, x).scaled(share), of(power, 2, y).scaled(1-share)).scaled(-n / (2 * transmissivity))
	slope := plus(of(power, 1, x).scaled(rounded(p.between(-3, 3)/side, 3)), of(power, 1, y).scaled(rounded(p.between(-3, 3)/side, 3)))
	head := plus(constant(rounded(p.between(20, 60), 3)), slope, bulge)
	for range p.count(1, 2) {
		d := p.IntN(2)
		k := rounded(p.between(0.4, 1.2)*math.Pi/side, 3)
		mode := of(sine, 1, p.along(d, k, p.phase())).times(p.growth(1-d, p.sign()*k))
		head = plus(head, mode.scaled(rounded(p.sign()*p.between(0.5, 2), 3)))
	}
	if err := p.state([]expression{head}, []source{{name: "N", strength: n, shapes: []expression{constant(1)}}}); err != nil {
		return err
	}
	p.read(u(), scattered(p, 12), rounded(p.between(0.02, 0.04), 2))
	return nil
}

// stringCase: u_tt = c^2 u_xx on [0, 1] with fixed ends; 34 readings at four stations within
// about two thirds of a period.
func stringCase(p *draft, _ uint64) error {
	c, c2 := squared(p.between(0.8, 1.25))
	p.variables = []system.Variable{{Name: "x", Max: 1}, {Name: "t", Max: rounded(p.between(1.2, 1.5)/c, 3)}}
	p.equations = []operator{{partial(1, 0, 0, 2), partial(-c2, 0, 2)}}
	p.across = [dims]int{2, 2}
	var shape expression
	for i := range p.count(3, 4) {
		k := float64(i+1) * math.Pi
		mode := of(sine, 1, p.along(0, k, 0)).times(of(sine, 1, p.along(1, c*k, p.phase())))
		shape = plus(shape, mode.scaled(rounded(p.sign()*p.between(0.3, 1)/math.Sqrt(float64(i+1)), 3)))
	}
	if err := p.state([]expression{shape}, nil, condition{d: 0, at: 0, left: u()}, condition{d: 0, at: 1, left: u()}); err != nil {
		return err
	}
	const readings, stations = 34, 4
	points := mat.NewDense(readings, 2, nil)
	var at [stations]float64
	for i := range at {
		at[i] = rounded(p.between(float64(i)+0.2, float64(i)+0.8)/stations, 2)
	}
	for i := range readings {
		points.Set(i, 0, at[i%stations])
		points.Set(i, 1, p.within(p.variables[1]))
	}
	p.read(u(), points, rounded(p.between(0.03, 0.05)*variation(shape.values(points)), 2))
	return nil
}

// helmholtzCase is the example inverse-helmholtz with fifty neurons and fresh readings.
func helmholtzCase(p *draft, seed uint64) error {
	e := problems.Find("inverse-helmholtz")
	f, err := e.Read()
	if err != nil {
		return err
	}
	p.variables = f.Problem.Variables
	p.points = f.Problem.Equations[0].Points.Rows()
	p.equations = []operator{{partial(1, 0, 2), partial(10, 0)}}
	p.across = [dims]int{2}
	p.features = append(p.features, "neurons = 50")
	wave := func(of2, of4 curve) expression {
		return of(of2, 1, p.along(0, 2, 0)).times(of(of4, 1, p.along(0, 4, 0)))
	}
	err = p.state([]expression{plus(wave(sine, cosine), constant(1))}, []source{
		{name: "lambda1", strength: 10, shapes: []expression{wave(sine, cosine).scaled(-1)}},
		{name: "lambda2", strength: 16, shapes: []expression{wave(cosine, sine).scaled(-1)}},
		{name: "lambda3", strength: -10, shapes: []expression{constant(-1)}},
	})
	p.read(u(), e.Place(f.Problem, e.Sensors), problems.Sigma)
	p.groups[0].values = problems.Simulate(f.Output.Exact[0], p.groups[0].points, problems.Sigma, seed)
	return err
}

// planeStressCase: a sheet of gel hangs askew, in plane stress. The displacements u, v are in
// m, the weights bx, by per volume in N/m3; with d = E/(1 - nu^2) and the shear modulus g in Pa
//
//	-d (u_xx + nu v_xy) - g (u_yy + v_xy) = bx
//	-d (v_yy + nu u_xy) - g (v_xx + u_xy) = by
//
// Along y, u is a straight line, and so is v up to the little that bending adds.
func planeStressCase(p *draft, _ uint64) error {
	const nu = 0.45
	const length, height = 0.1, 0.04
	p.variables = []system.Variable{{Name: "x", Max: length}, {Name: "y", Max: height}}
	p.fields = []string{"u", "v"}
	modulus := rounded(p.logBetween(1e4, 1e5), 2)
	d, g := modulus/(1-nu*nu), modulus/(2*(1+nu))
	coupling := float64(d*nu) + g
	p.equations = []operator{
		{partial(-d, 0, 2), partial(-g, 0, 0, 2), partial(-coupling, 1, 1, 1)},
		{partial(-d, 1, 0, 2), partial(-g, 1, 2), partial(-coupling, 0, 1, 1)},
	}
	p.across = [dims]int{4, 4}
	c, s := cosSin(p.between(-1, 1))
	weight := p.between(9000, 11000)
	bx, by := rounded(weight*c, 4), rounded(weight*s, 4)
	// The sheet's own weight, then strain and rotation, and bending, each as large as the first.
	typical := bx * length * length / (2 * d)
	x, y := of(power, 1, p.centred(0, 0, 1)), of(power, 1, p.centred(1, 0.5, 1))
	some := func() float64 { return rounded(p.between(-1, 1)*typical/length, 3) }
	bend := rounded(p.between(-1, 1)*typical/(length*length), 3)
	alongX := plus(x.times(x).scaled(-bx/(2*d)), x.scaled(some()), y.scaled(some()), x.times(y).scaled(bend))
	alongY := plus(x.times(x).scaled(-by/(2*g)-bend/2), x.scaled(some()), y.scaled(some()), y.times(y).scaled(-nu*bend/2))
	err := p.state([]expression{alongX, alongY}, []source{
		{name: "bx", strength: bx, shapes: []expression{constant(1), nil}},
		{name: "by", strength: by, shapes: []expression{nil, constant(1)}},
	})
	if err != nil {
		return err
	}
	places, noise := scattered(p, 25), p.between(0.01, 0.02)
	for i, e := range p.exact {
		p.read(field(i), places, rounded(noise*variation(e.values(places)), 2))
	}
	return nil
}
