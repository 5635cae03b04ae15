package calibration

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A layout places n sensors.
type layout func(p *draft, n int) *mat.Dense

// layouts returns how sensors may be placed in this problem, with likely ones listed twice.
// Nobody measures what is known, and the boundary says nothing about sources inside.
func (p *draft) layouts() []layout {
	t := p.timeAt()
	if len(p.variables) == 1 {
		return []layout{scattered, scattered, even, partly}
	}
	if p.late {
		return []layout{lateReadings, lateStations}
	}
	all := []layout{scattered, scattered, gridded}
	boundary := len(p.unknownSides()) > 0 || p.region.text != "" && !p.knows("boundary")
	inside := p.inside || len(p.sources) > 0
	if t < 0 {
		if boundary {
			all = append(all, boundaryAndInside)
		}
		if boundary && !inside {
			all = append(all, onBoundary, onBoundary)
		}
		return all
	}
	all = append(all, stations)
	if !p.knowsAt(t, p.variables[t].Min) {
		all = append(all, initialAndStations)
		if boundary && !inside {
			all = append(all, initialAndSides, initialAndSides)
		}
	}
	return all
}

// scattered places sensors independently in the domain.
func scattered(p *draft, n int) *mat.Dense {
	points := mat.NewDense(n, len(p.variables), nil)
	for i := range n {
		p.anywhere(points.Row(i))
	}
	return points
}

// anywhere sets x to a place in the domain.
func (p *draft) anywhere(x []float64) {
	for {
		for d, v := range p.variables {
			x[d] = p.within(v)
		}
		if p.region.domain == nil || p.region.domain.Contains(x) {
			return
		}
	}
}

// within draws a value of a variable with the digits that a person writes.
func (p *draft) within(v system.Variable) float64 {
	side := v.Max - v.Min
	return min(max(v.Min+rounded(p.between(0, side), 4), v.Min), v.Max)
}

// even places sensors at equal distances from end to end.
func even(p *draft, n int) *mat.Dense { return system.Grid(p.variables, p.region.domain, []int{n}) }

// partly scatters sensors over half or more of the range.
func partly(p *draft, n int) *mat.Dense {
	v := p.variables[0]
	side := v.Max - v.Min
	length := float64(side * p.between(0.5, 1))
	v.Min += rounded(p.between(0, float64(side-length)), 4)
	v.Max = min(v.Max, v.Min+rounded(length, 4))
	points := mat.NewDense(n, 1, nil)
	for i := range n {
		points.Set(i, 0, p.within(v))
	}
	return points
}

// gridded places sensors on a regular grid that reaches to the sides of the box or stays up
// to half a step away. Sensors that do not fit the grid or the domain go anywhere.
func gridded(p *draft, n int) *mat.Dense {
	d := len(p.variables)
	inner, counts := make([]system.Variable, d), make([]int, d)
	away := pick(p.dice, 0, 0.25, 0.5)
	rest := n
	for i := range d {
		// The root of the remaining number, so that the last variable takes what is left.
		counts[i] = rest
		if left := d - i; left > 1 {
			many := mat.Exp(mat.Log(float64(rest)) / float64(left))
			counts[i] = max(2, int(many*p.between(0.8, 1.3)))
		}
		rest = max(rest/counts[i], 1)
		inner[i] = p.inset(i, counts[i], away)
	}
	points := scattered(p, n)
	grid := system.Grid(inner, p.region.domain, counts)
	for i := range min(grid.Rows(), n) {
		copy(points.Row(i), grid.Row(i))
	}
	return points
}

// inset returns the range of a variable with a margin of away steps at both ends, for count
// values; half a step if an end is known.
func (p *draft) inset(d, count int, away float64) system.Variable {
	v := p.variables[d]
	if p.knowsAt(d, v.Min) || p.knowsAt(d, v.Max) {
		away = 0.5
	}
	if steps := float64(count-1) + 2*away; steps > 0 {
		margin := away * (v.Max - v.Min) / steps
		v.Min, v.Max = v.Min+float64(margin), v.Max-float64(margin)
	}
	return v
}

// onBoundary places sensors on the boundary of space, at any time.
func onBoundary(p *draft, n int) *mat.Dense {
	points := scattered(p, n)
	p.toBoundary(points, 0, n)
	return points
}

// toBoundary moves rows to the boundary of space, where it is not known.
func (p *draft) toBoundary(points *mat.Dense, from, to int) {
	if shape, ok := p.region.domain.(system.Shape); ok {
		on, _, err := system.BoundaryPoints(shape, "", to-from)
		if err != nil {
			return // the draft's shapes have boundaries; inside would do as well
		}
		for i := from; i < to; i++ {
			for d, v := range p.variables[:2] {
				points.Set(i, d, min(max(on.At(i-from, d), v.Min), v.Max))
			}
		}
		return
	}
	sides := p.unknownSides()
	for i := from; i < to; i++ {
		s := pick(p.dice, sides...)
		points.Set(i, s.d, s.at)
	}
}

// boundaryAndInside places half of the sensors on the boundary and half anywhere.
func boundaryAndInside(p *draft, n int) *mat.Dense {
	points := scattered(p, n)
	p.toBoundary(points, 0, n/2)
	return points
}

// stations places a few sensors that are read at equal intervals of time.
func stations(p *draft, n int) *mat.Dense {
	points := scattered(p, n)
	p.toStations(points, 0, n, p.variables[p.timeAt()])
	return points
}

// toStations turns rows into readings of stations. There are about as many stations as the
// solution has modes in space, and at least two.
func (p *draft) toStations(points *mat.Dense, from, to int, time system.Variable) {
	t := p.timeAt()
	places := max(2, int(math.Round(float64(p.modesAcross(t))*p.between(0.7, 1.6))))
	for i := from; i < to; i++ {
		if first := i - places; first >= from {
			copy(points.Row(i)[:t], points.Row(first)[:t])
		}
		points.Set(i, t, system.GridValue(time, max(to-from, 2), i-from))
	}
}

// initialAndSides places a share of the sensors at the initial time and the others on the
// boundary.
func initialAndSides(p *draft, n int) *mat.Dense {
	points := scattered(p, n)
	p.toBoundary(points, p.toInitialTime(points), n)
	return points
}

// initialAndStations places a share of the readings at the initial time and the others at
// stations.
func initialAndStations(p *draft, n int) *mat.Dense {
	points := scattered(p, n)
	p.toStations(points, p.toInitialTime(points), n, p.variables[p.timeAt()])
	return points
}

// toInitialTime moves a third to a half of the rows to the initial time, and returns how many.
func (p *draft) toInitialTime(points *mat.Dense) int {
	n := int(float64(points.Rows()) * p.between(0.33, 0.5))
	t := p.timeAt()
	for i := range n {
		points.Set(i, t, p.variables[t].Min)
	}
	return n
}

// lateReadings scatters readings over the last part of the time.
func lateReadings(p *draft, n int) *mat.Dense {
	points := scattered(p, n)
	t := p.timeAt()
	time := p.lateTime()
	for i := range n {
		points.Set(i, t, p.within(time))
	}
	return points
}

// lateStations places stations whose readings start late.
func lateStations(p *draft, n int) *mat.Dense {
	points := scattered(p, n)
	p.toStations(points, 0, n, p.lateTime())
	return points
}

// lateTime draws the later part of the time.
func (p *draft) lateTime() system.Variable {
	v := p.variables[p.timeAt()]
	v.Min += rounded(p.side(p.timeAt())*p.between(0.15, 0.5), 3)
	return v
}
