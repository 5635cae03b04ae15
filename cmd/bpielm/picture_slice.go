package main

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// curvePoints is how many points a curve is drawn through.
const curvePoints = 301

// A slice is a line through the box along one variable; the others have the
// values in fixed.
type slice struct {
	along int
	fixed []float64 // one for each variable
}

// acrossMap returns three slices of a problem in two variables: at the begin,
// middle and end of time, or near the quarters of the second variable.
func (a *artist) acrossMap() []slice {
	horizontal, vertical := a.mapAxes()
	v := a.problem.Variables[vertical]
	at := func(place float64) slice {
		s := slice{along: horizontal, fixed: make([]float64, 2)}
		if s.fixed[vertical] = v.At(place); v.Log && place > 0 && place < 1 {
			s.fixed[vertical] = twoDigits(s.fixed[vertical])
		}
		return s
	}
	if vertical == a.time() {
		return []slice{at(0), at(0.5), at(1)}
	}
	round := 0.05 * math.Pow10(int(math.Floor(math.Log10(v.Max-v.Min))))
	var lines []slice
	for _, place := range []float64{0.25, 0.5, 0.75} {
		best, most := slice{}, -1
		for _, shift := range []float64{0, -1. / 24, 1. / 24, -1. / 12, 1. / 12} {
			s := at(place + shift)
			if !v.Log {
				s.fixed[vertical] = round * math.Round(s.fixed[vertical]/round)
			}
			// A slice that passes through more of the domain shows more.
			if n := a.pointsInside(s); n > most {
				best, most = s, n
			}
		}
		lines = append(lines, best)
	}
	return lines
}

// twoDigits rounds a positive number.
func twoDigits(x float64) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(x))) - 1)
	return unit * math.Round(x/unit)
}

// throughMiddle returns a slice along each variable through the box's middle.
func (a *artist) throughMiddle() []slice {
	var lines []slice
	for i := range a.problem.Variables {
		s := slice{along: i}
		for _, v := range a.problem.Variables {
			s.fixed = append(s.fixed, v.At(0.5))
		}
		lines = append(lines, s)
	}
	return lines
}

// slices shows the field along lines, three in a row, and below each row the
// same relative to the posterior mean. All panels of a kind have the same
// vertical range.
func (a *artist) slices(lines []slice) (*figure, error) {
	f := &figure{}
	var upper, lower []*curvePanel
	for chunk := range slices.Chunk(lines, 3) {
		rows := [2][]panel{}
		for _, l := range chunk {
			p, err := a.slicePanel(l)
			if err != nil {
				return nil, err
			}
			q, err := a.deviationPanel(l, p)
			if err != nil {
				return nil, err
			}
			p.aspect, q.aspect = 0.9, 0.5
			upper, lower = append(upper, p), append(lower, q)
			rows[0], rows[1] = append(rows[0], p), append(rows[1], q)
		}
		f.rows = append(f.rows, rows[0], rows[1])
	}
	commonRange(upper)
	commonRange(lower)
	f.legend = curveLegend(f.rows)
	return f, nil
}

// commonRange gives all panels the vertical range that shows everything.
func commonRange(panels []*curvePanel) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		pLo, pHi := p.yRange()
		lo, hi = math.Min(lo, pLo), math.Max(hi, pHi)
	}
	for _, p := range panels {
		p.yMin, p.yMax = lo, hi
	}
}

// slicePanel evaluates the field along a line. What lies outside the domain is
// a gap.
func (a *artist) slicePanel(l slice) (*curvePanel, error) {
	along := a.problem.Variables[l.along]
	points, x := a.pointsOn(l)
	f, err := evaluate(a.file, a.predictor, a.field, points)
	if err != nil {
		return nil, err
	}
	for i := range x {
		if a.inside(points.Row(i)) {
			continue
		}
		for _, values := range [][]float64{f.mean, f.sd, f.exact} {
			if values != nil {
				values[i] = math.NaN()
			}
		}
	}
	p := &curvePanel{
		frame: frame{title: a.sliceTitle(l), xLabel: along.Name, yLabel: f.name, log: along.Log},
		x:     x, mean: f.mean, sd: f.sd, exact: f.exact,
	}
	p.sensors, p.thinning = thinned(a.readingsOn(l))
	return p, nil
}

// pointsOn returns equidistant points of a slice, and their coordinates along it.
func (a *artist) pointsOn(l slice) (points *mat.Dense, x []float64) {
	points = mat.NewDense(curvePoints, len(a.problem.Variables), nil)
	x = make([]float64, curvePoints)
	for i := range x {
		x[i] = system.GridValue(a.problem.Variables[l.along], curvePoints, i)
		copy(points.Row(i), l.fixed)
		points.Set(i, l.along, x[i])
	}
	return points, x
}

func (a *artist) pointsInside(l slice) int {
	points, _ := a.pointsOn(l)
	return len(a.problem.Inside(points))
}

func (a *artist) sliceTitle(l slice) string {
	title := ""
	for i, v := range a.problem.Variables {
		if i == l.along {
			continue
		}
		if title != "" {
			title += ", "
		}
		title += v.Name + " = " + formatWithin(l.fixed[i], v.Min, v.Max)
	}
	return title
}

// curveLegend explains what the panels, all curvePanels, show.
func curveLegend(rows [][]panel) []legendEntry {
	entries := []legendEntry{meanEntry}
	band, exact, sensors, bars, thinning := false, false, false, false, 1
	for _, row := range rows {
		for _, p := range row {
			c := p.(*curvePanel)
			band = band || c.sd != nil
			exact = exact || c.exact != nil
			sensors = sensors || len(c.sensors) > 0
			thinning = max(thinning, c.thinning)
			for _, r := range c.sensors {
				bars = bars || r.sigma > 0
			}
		}
	}
	if band {
		entries = append(entries, bandEntry)
	}
	if exact {
		entries = append(entries, exactEntry)
	}
	switch {
	case bars:
		entries = append(entries, thinnedEntry(barEntry, thinning))
	case sensors:
		entries = append(entries, thinnedEntry(sensorEntry, thinning))
	}
	return entries
}
