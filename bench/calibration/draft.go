package calibration

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A draft is a problem in the making. A kind draws the box and states the equations, the
// solutions without sources, and what may be known and measured. The rest is drawn in the
// same way for all kinds: see solution.go, conditions.go and sensors.go.
type draft struct {
	dice
	length, time, unit float64 // units of length, of time, and of the first field

	variables []system.Variable
	fields    []string
	region    region

	equations []operator
	// across is the number of conditions across each variable, over all fields, that makes
	// the problem well posed: 2 in x and 1 in t for the heat equation.
	across [dims]int

	// mode draws a solution of the equations without sources, of any amplitude, one
	// expression for each field; nil if the kind has none.
	mode     func() []expression
	maxModes int
	// form draws fields; the equations then give their sources.
	form func() []expression
	// background is always part of the solution, and its source is known.
	background    []expression
	chanceKnown   float64 // of a known source
	chanceUnknown float64 // of sources of unknown strength
	maxUnknown    int     // the largest number of the latter

	sides   []side
	imposed []condition // in every file

	gauges     [][]operator // what sensors measure: one of these lists
	additional []operator   // what another group of sensors may measure
	late       bool         // sensors are read only in the later part of the time
	inside     bool         // values on the boundary do not determine the solution
	layers     [][2]float64 // range of each field in the first variable; nil for everywhere

	sources    []source
	known      []expression // source of each equation
	exact      []expression // the solution, one expression for each field
	conditions []condition
	groups     []*group
	unknowns   []unknown     // coefficients that the file does not state
	curved     *nonlinearity // nil: none
	freedom    int
	noise      float64  // relative
	features   []string // more lines of [features]
	points     int      // of each equation; 0: see collocation
}

// A source of unknown strength is strength times shapes, one for each equation. The sd of
// its prior is 0 if the file states none.
type source struct {
	name     string
	strength float64
	shapes   []expression
	mean, sd float64
}

// Half of the problems have units between these bounds; in the others, sides and amplitudes
// are around 1.
const (
	smallestUnit = 1e-3
	largestUnit  = 1e5
)

// newDraft returns a draft with default chances, and draws its units.
func newDraft(d dice) *draft {
	p := &draft{dice: d, length: 1, time: 1, unit: 1, fields: []string{"u"}, maxModes: 4, chanceKnown: 0.3, chanceUnknown: 0.65, maxUnknown: 2}
	p.form = p.anyForm
	if p.chance(0.5) {
		p.length = p.logBetween(smallestUnit, largestUnit)
		p.time = p.logBetween(smallestUnit, largestUnit)
		p.unit = rounded(p.logBetween(smallestUnit, largestUnit), 2)
	}
	return p
}

// timeName is the name of the time variable, as in problem files.
const timeName = "t"

// box draws the ranges of the variables. Sides differ by a factor of up to three. Some
// boxes are centred at the origin; some lie anywhere.
func (p *draft) box(names ...string) {
	for _, name := range names {
		unit := p.length
		if name == timeName {
			unit = p.time
		}
		side := rounded(unit*p.logBetween(1, 3), 3)
		low := 0.0
		switch {
		case p.chance(0.15):
			low = rounded(side*p.between(-100, 100), 3)
		case p.chance(0.25):
			low = rounded(side*p.between(-3, 3), 3)
		case name != timeName && p.chance(0.25):
			low = -side / 2
		}
		p.variables = append(p.variables, system.Variable{Name: name, Min: low, Max: rounded(low+side, 12)})
	}
}

// side returns the length of the box along variable d.
func (p *draft) side(d int) float64 { return p.variables[d].Max - p.variables[d].Min }

// timeAt returns the index of the time variable, or -1.
func (p *draft) timeAt() int {
	if d := len(p.variables) - 1; p.variables[d].Name == timeName {
		return d
	}
	return -1
}

// origin returns the value from which arguments measure variable d: 0, or the box's lower
// end if that is far away.
func (p *draft) origin(d int) float64 {
	if v := p.variables[d]; math.Abs(v.Min) > 3*p.side(d) {
		return v.Min
	}
	return 0
}

// along returns slope times variable d, plus a phase.
func (p *draft) along(d int, slope, phase float64) argument {
	a := argument{phase: phase}
	a.slope[d], a.origin[d] = slope, p.origin(d)
	return a
}

// from returns slope times the distance of variable d from the lower end of its range.
func (p *draft) from(d int, slope float64) argument {
	a := argument{}
	a.slope[d], a.origin[d] = slope, p.variables[d].Min
	return a
}

// centred returns slope times the distance of variable d from a fraction of its range.
func (p *draft) centred(d int, fraction, slope float64) argument {
	a := argument{}
	a.slope[d], a.origin[d] = slope, rounded(p.variables[d].Min+float64(fraction*p.side(d)), 6)
	return a
}

// oblique returns the sum of slopes times variables, plus a phase.
func (p *draft) oblique(phase float64, slopes ...float64) argument {
	a := argument{phase: phase}
	for d, s := range slopes {
		if s != 0 {
			a.slope[d], a.origin[d] = s, p.origin(d)
		}
	}
	return a
}

// growth returns exp(rate times variable d), scaled to 1 at the end of the range where it
// is largest.
func (p *draft) growth(d int, rate float64) expression {
	a := p.from(d, rate)
	if rate > 0 {
		a.origin[d] = p.variables[d].Max
	}
	return of(exponential, 1, a)
}

// phase draws an angle from -pi to pi.
func (p *draft) phase() float64 { return rounded(p.between(-math.Pi, math.Pi), 3) }

// maxHalfWaves returns the largest number of half-waves of a solution across the box along
// a variable.
func (p *draft) maxHalfWaves() float64 {
	if len(p.variables) > 2 {
		return 3.5
	}
	return 6
}

// halfWaves draws a number of half-waves: mostly up to three, sometimes hardly any. With
// three variables there are fewer.
func (p *draft) halfWaves() float64 {
	most := p.maxHalfWaves()
	switch {
	case p.chance(0.12):
		return p.between(0.05, 0.4)
	case p.chance(0.2):
		return p.between(most/2, most)
	}
	return p.between(0.4, most/2)
}

// wave draws a wave number for variable d.
func (p *draft) wave(d int) float64 {
	return rounded(math.Pi*p.halfWaves()/p.side(d), 4)
}

// rate draws the reciprocal of a time or length, such that the side of variable d is least to
// most of these.
func (p *draft) rate(d int, least, most float64) float64 {
	return rounded(p.logBetween(least, most)/p.side(d), 3)
}

// grid returns a regular grid of about many places inside the domain.
func (p *draft) grid(many int) *mat.Dense {
	counts := make([]int, len(p.variables))
	for d := range counts {
		counts[d] = max(3, int(math.Round(mat.Exp(mat.Log(float64(many))/float64(len(counts))))))
	}
	return system.Grid(p.variables, p.region.domain, counts)
}

func (p *draft) names() []string {
	var names []string
	for _, v := range p.variables {
		names = append(names, v.Name)
	}
	return names
}

// zero returns fields that are zero everywhere.
func (p *draft) zero() []expression { return make([]expression, len(p.fields)) }

// leftSides applies the equations to fields, which gives their sources.
func (p *draft) leftSides(fields []expression) []expression {
	var out []expression
	for _, o := range p.equations {
		out = append(out, o.apply(fields))
	}
	return out
}
