package picture

import (
	"math"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// curvePoints is the number of points that a curve is drawn through.
const curvePoints = 301

// A slice is a line through the box along one variable. The others have the values
// in fixed.
type slice struct {
	along int
	fixed []float64 // one for each variable
}

// acrossMap returns three slices of a problem in two variables: at the beginning,
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

// twoDigits rounds a positive number to two significant digits.
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

// slices shows the field along lines, one below the other, and beside each the same
// relative to the posterior mean. All panels of a kind have the same vertical range.
func (a *artist) slices(lines []slice) (*figure.Figure, error) {
	f := &figure.Figure{}
	var left, right []*figure.Curve
	for _, l := range lines {
		p, err := a.slicePanel(l)
		if err != nil {
			return nil, err
		}
		q, err := a.deviationPanel(l, p)
		if err != nil {
			return nil, err
		}
		p.Aspect, q.Aspect = 0.7, 0.7
		q.Title = p.Title
		left, right = append(left, p), append(right, q)
		f.Rows = append(f.Rows, []figure.Panel{p, q})
	}
	figure.CommonRange(left)
	figure.CommonRange(right)
	f.Legend = figure.CurveLegend(f.Rows)
	return f, nil
}

// slicePanel evaluates the field along a line. The part outside the domain is a gap.
func (a *artist) slicePanel(l slice) (*figure.Curve, error) {
	along := a.problem.Variables[l.along]
	points, x := a.pointsOn(l)
	f, err := solution.Evaluate(a.file, a.predictor, a.field, points)
	if err != nil {
		return nil, err
	}
	for i := range x {
		if !a.inside(points.Row(i)) {
			f.Erase(i)
		}
	}
	p := &figure.Curve{
		Frame: figure.Frame{Title: a.sliceTitle(l), XLabel: axisLabel(along), YLabel: a.file.Axis(f.Name), Log: along.Log, XDates: figure.DatesOf(along)},
		X:     x, Mean: f.Mean, SD: f.SD, Exact: f.Exact,
	}
	p.Show(a.readingsOn(l))
	return p, nil
}

// pointsOn returns equidistant points of a slice, and their coordinates along it.
func (a *artist) pointsOn(l slice) (points *mat.Dense, x []float64) {
	points = mat.NewDense(curvePoints, len(a.problem.Variables), nil)
	x = make([]float64, curvePoints)
	along := a.shownRange()[l.along]
	for i := range x {
		x[i] = system.GridValue(along, curvePoints, i)
		copy(points.Row(i), l.fixed)
		points.Set(i, l.along, x[i])
	}
	return points, x
}

func (a *artist) pointsInside(l slice) int {
	points, _ := a.pointsOn(l)
	return len(a.problem.Inside(points))
}

// axisLabel names an axis. One with dates has no unit.
func axisLabel(v system.Variable) string {
	if figure.DatesOf(v) != nil {
		v.Unit = ""
	}
	return v.Axis()
}

// valueOf writes a value of a variable with its unit, or as a date.
func valueOf(v system.Variable, x float64) string {
	if clock := figure.DatesOf(v); clock != nil {
		return clock.Date(x)
	}
	text := v.Name + " = " + format.Within(x, v.Min, v.Max)
	if v.Unit != "" {
		text += " " + v.Unit
	}
	return text
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
		title += valueOf(v, l.fixed[i])
	}
	return title
}
