package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
)

// A group is a [[sensors]] block with its file.
type group struct {
	measures operator
	points   *mat.Dense
	exact    []float64 // readings without noise
	values   []float64
	sigma    []float64 // of each reading: the true noise
	stated   []float64 // of each reading: what the file says
	given    given
	student  bool
}

// given is how a file states the noise.
type given int

const (
	bySigma given = iota
	byColumn
	unstated // and learned from the readings
)

// The number of readings of a problem, per degree of freedom and in all, and the noise
// relative to the variation of what is measured.
const (
	minRatio       = 0.7
	maxRatio       = 4.0
	maxCurveRatio  = 12.0 // with one variable: curves are often read closely
	maxScarceRatio = 1.6

	minReadings        = 8
	maxReadings        = 300
	minScarceReadings  = 4  // in scarce problems
	minLearnedReadings = 12 // in a group whose noise is learned
	minNoise           = 0.001
	maxNoise           = 0.2
)

// drawSensors draws the groups of sensors, their places, and their readings.
func (p *draft) drawSensors(o Options) error {
	p.freedom = p.degrees()
	n := p.howMany(o)
	gauges, places := p.arrange(n)
	p.noise = rounded(p.logBetween(minNoise, maxNoise), 3)
	how := bySigma
	switch {
	case p.chance(0.5): // many of these groups will be too small
		how = unstated
	case p.chance(0.2):
		how = byColumn
	}
	left := max(n, 2*len(gauges))
	for i, measures := range gauges {
		share := left
		if others := len(gauges) - 1 - i; others > 0 {
			share = int(math.Round(float64(left) / float64(others+1) * p.between(0.7, 1.3)))
			share = min(max(share, 2), left-2*others)
		}
		left -= share
		g := &group{measures: measures, given: how, points: places[i](p, share)}
		if g.given == unstated && share < minLearnedReadings {
			g.given = bySigma
		}
		if p.layers != nil {
			p.intoLayer(g)
		}
		if err := p.drawReadings(g); err != nil {
			return err
		}
		p.groups = append(p.groups, g)
	}
	return nil
}

// howMany draws the number of readings.
func (p *draft) howMany(o Options) int {
	most, fewest := maxRatio, minReadings
	switch {
	case o.Scarce:
		most, fewest = maxScarceRatio, minScarceReadings
	case len(p.variables) == 1:
		most = maxCurveRatio
	}
	n := int(math.Round(p.logBetween(minRatio, most) * float64(p.freedom)))
	return min(max(n, fewest), maxReadings)
}

// arrange draws what is measured, and where: one group for each of the kind's gauges. If
// there is only one, sometimes another group measures the same elsewhere, or a derivative.
func (p *draft) arrange(n int) (gauges []operator, places []layout) {
	gauges = pick(p.dice, p.gauges...)
	all := p.layouts()
	main := pick(p.dice, all...)
	for range gauges {
		places = append(places, main)
	}
	if len(gauges) > 1 || n < 2*minReadings {
		return gauges, places
	}
	switch {
	case len(p.additional) > 0 && p.chance(0.2):
		return append(gauges, pick(p.dice, p.additional...)), append(places, main)
	case p.chance(0.3):
		return append(gauges, gauges[0]), append(places, pick(p.dice, all...))
	}
	return gauges, places
}

// intoLayer moves places along the first variable into the layer of the field.
func (p *draft) intoLayer(g *group) {
	v, layer := p.variables[0], p.layers[g.measures[0].field]
	for i := range g.points.Rows() {
		share := (g.points.At(i, 0) - v.Min) / (v.Max - v.Min)
		g.points.Set(i, 0, layer[0]+float64(share*(layer[1]-layer[0])))
	}
}

// drawReadings draws the group's readings.
func (p *draft) drawReadings(g *group) error {
	quantity := g.measures.apply(p.exact)
	g.exact = quantity.values(g.points)
	// Sensors that happen to be where little varies do not have less noise.
	over := max(variation(g.exact), 0.1*variation(quantity.values(p.grid(400))))
	level := 0.0
	for _, v := range g.exact {
		level = max(level, math.Abs(v))
	}
	if !(over > flat*level) {
		return errUnsuited
	}
	sigma := rounded(p.noise*over, 3)
	for _, v := range g.exact {
		s := sigma
		if g.given == byColumn {
			s = rounded(sigma*p.logBetween(0.5, 2), 3)
		}
		g.sigma = append(g.sigma, s)
		g.values = append(g.values, v+float64(s*p.normal()))
	}
	g.stated = slices.Clone(g.sigma)
	return nil
}

// flat is the variation, relative to the level, below which there is nothing to see.
const flat = 1e-3

// csv writes the group's file.
func (g *group) csv(p *draft) string {
	var b strings.Builder
	b.WriteString(strings.Join(p.names(), ",") + ",value")
	if g.given == byColumn {
		b.WriteString(",sigma")
	}
	b.WriteByte('\n')
	for i, v := range g.values {
		for _, x := range g.points.Row(i) {
			b.WriteString(number(x) + ",")
		}
		b.WriteString(number(v))
		if g.given == byColumn {
			b.WriteString("," + number(g.stated[i]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// text writes the group's block. It always states what sensors measure, even if that is the
// default.
func (g *group) text(p *draft, file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n[[sensors]]\nfile = %q\nmeasures = %q\n", file, g.measures.text(p.fields, p.names()))
	if g.given == bySigma {
		fmt.Fprintf(&b, "sigma = %s\n", number(g.stated[0]))
	}
	if g.student {
		b.WriteString("noise = \"student\"\n")
	}
	return b.String()
}
