package picture

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// Places are the places that were chosen for new sensors.
type Places struct {
	Posterior  *posterior.Posterior
	Prior      *posterior.Prior // knows the domain; nil where the model is a posterior
	Field      int              // whose standard deviation is shown
	Sensor     posterior.Sensor
	Candidates *mat.Dense
	Goal       string // name of what the sensors are to determine
	Placements []posterior.Placement
}

// SD is the root mean square standard deviation of the goal with the first n
// sensors.
func (p *Places) SD(n int) float64 {
	if n == 0 {
		return math.Sqrt(p.Placements[0].Before)
	}
	return math.Sqrt(p.Placements[n-1].After)
}

// Figure shows where the sensors go and what they do: for one or two variables the
// standard deviation of the field before and after, and for any number of variables
// that of the goal against the number of sensors.
func (p *Places) Figure() (*figure.Figure, error) {
	f := &figure.Figure{Title: "Where to put " + format.Count(len(p.Placements), "sensor")}
	at := mat.NewDense(len(p.Placements), p.Candidates.Cols(), nil)
	for i, e := range p.Placements {
		copy(at.Row(i), p.Candidates.Row(e.Candidate))
	}
	after, err := p.Posterior.WithSensors(p.Sensor, at)
	if err != nil {
		return nil, err
	}
	steps := p.steps()
	switch p.Candidates.Cols() {
	case 1:
		both, err := p.spread(after, at)
		if err != nil {
			return nil, err
		}
		only := *both
		only.Before, only.Aspect, only.YLabel = nil, 0.2, only.YLabel+", after"
		both.Aspect, steps.Aspect = 0.3, 0.2
		f.Rows = [][]figure.Panel{{both}, {&only}, {steps}}
		f.Legend = figure.SpreadLegend
	case 2:
		before, after, err := p.maps(after, at)
		if err != nil {
			return nil, err
		}
		steps.Aspect = 0.6
		f.Rows = [][]figure.Panel{{before, after}, {steps}}
		f.Legend = figure.PlacesLegend
	default:
		steps.Aspect = 0.6
		f.Rows = [][]figure.Panel{{steps}}
		f.Narrow(1)
	}
	return f, nil
}

// steps shows the goal's standard deviation against the number of sensors.
func (p *Places) steps() *figure.Steps {
	s := &figure.Steps{Frame: figure.Frame{XLabel: "number of new sensors", YLabel: "sd of " + p.Goal, Aspect: 1}}
	if p.Candidates.Cols() == 2 {
		s.Title = "sd of " + p.Goal + ", root mean square"
		s.YLabel = ""
	}
	for n := range len(p.Placements) + 1 {
		s.SD = append(s.SD, p.SD(n))
	}
	return s
}

// spread shows the standard deviation along the only variable.
func (p *Places) spread(after *posterior.Posterior, at *mat.Dense) (*figure.Spread, error) {
	v := p.Posterior.Variables()[0]
	points := system.Grid(p.Posterior.Variables(), nil, []int{curvePoints})
	s := &figure.Spread{
		Frame: figure.Frame{XLabel: v.Name, YLabel: "sd of " + p.Posterior.Fields()[p.Field]},
		X:     column(points, 0), Chosen: column(at, 0), Candidates: column(p.Candidates, 0),
	}
	var err error
	s.Before, s.After, err = p.sds(after, points)
	return s, err
}

// sds returns the field's standard deviation at points, today and with the new
// sensors.
func (p *Places) sds(after *posterior.Posterior, points *mat.Dense) (before, with []float64, err error) {
	if _, before, err = p.Posterior.Predict(system.Field(p.Field), points); err != nil {
		return nil, nil, err
	}
	_, with, err = after.Predict(system.Field(p.Field), points)
	return before, with, err
}

// maps shows the standard deviation before and after in two variables.
func (p *Places) maps(after *posterior.Posterior, at *mat.Dense) (first, second *figure.MarkedMap, err error) {
	variables := p.Posterior.Variables()
	a := &artist{problem: &system.Problem{Variables: variables}, field: p.Field}
	horizontal, vertical := a.mapAxes()
	x, y := variables[horizontal], variables[vertical]
	const nodes = 121
	r := &figure.Raster{X: x, Y: y, Columns: nodes, Rows: nodes, Inside: func(h, v float64) bool { return true }}
	if p.Prior != nil {
		r.Inside = shapeOf(p.Prior.Domain(), r, horizontal, vertical)
	}
	points := mat.NewDense(nodes*nodes, 2, nil)
	for k := range points.Rows() {
		h, v := r.Node(k/nodes, k%nodes)
		points.Set(k, horizontal, h)
		points.Set(k, vertical, v)
	}
	before, with, err := p.sds(after, points)
	if err != nil {
		return nil, nil, err
	}
	aspect, _ := a.mapAspect(&section{horizontal: horizontal, vertical: vertical}, variables)
	name := p.Posterior.Fields()[p.Field]
	panel := func(what string, sd []float64) *figure.Map {
		return &figure.Map{
			Frame:  figure.Frame{Title: name + ": " + what, XLabel: x.Name, YLabel: y.Name, Aspect: aspect},
			Raster: r, Values: sd, Colours: figure.Magma,
		}
	}
	first, second = &figure.MarkedMap{Map: panel("sd today", before)}, &figure.MarkedMap{Map: panel("sd with them", with)}
	figure.ShareColours([]*figure.Map{first.Map, second.Map}, true)
	// Both have the marks, so that both maps have the same size; on the first they are blank.
	second.Marks = figure.Marks{Candidates: pairs(p.Candidates, horizontal, vertical), Chosen: pairs(at, horizontal, vertical)}
	first.Marks = figure.Marks{Chosen: second.Marks.Chosen, Blank: true}
	return first, second, nil
}

func column(m *mat.Dense, j int) []float64 {
	v := make([]float64, m.Rows())
	for i := range v {
		v[i] = m.At(i, j)
	}
	return v
}

func pairs(m *mat.Dense, j, k int) [][2]float64 {
	v := make([][2]float64, m.Rows())
	for i := range v {
		v[i] = [2]float64{m.At(i, j), m.At(i, k)}
	}
	return v
}

// shapeOf guesses a plane domain from points that fill it evenly: compiled physics
// holds such points, not the shape. The domain is where their smoothed density is at
// least half of what it is inside.
func shapeOf(points *mat.Dense, r *figure.Raster, horizontal, vertical int) func(x, y float64) bool {
	density := densityOf(points, r, horizontal, vertical)
	within := make([]float64, points.Rows())
	for i := range within {
		within[i] = density(r.X.Share(points.At(i, horizontal)), r.Y.Share(points.At(i, vertical)))
	}
	slices.Sort(within)
	limit := 0.5 * within[len(within)/2]
	grid := *r
	values := make([]float64, grid.Columns*grid.Rows)
	for k := range values {
		values[k] = density(float64(k/grid.Rows)/float64(grid.Columns-1), float64(k%grid.Rows)/float64(grid.Rows-1))
	}
	return func(x, y float64) bool {
		u, v := grid.X.Share(x), grid.Y.Share(y)
		return grid.Interpolate(values, math.Min(math.Max(u, 0), 1), math.Min(math.Max(v, 0), 1)) >= limit
	}
}

// densityOf returns the density of points in the unit square, smoothed over their
// spacing. Points are reflected at the sides of the square, or these would look like
// the domain's boundary.
func densityOf(points *mat.Dense, r *figure.Raster, horizontal, vertical int) func(u, v float64) float64 {
	var filled [][2]float64
	for i := range points.Rows() {
		u, v := r.X.Share(points.At(i, horizontal)), r.Y.Share(points.At(i, vertical))
		for _, s := range []float64{u, -u, 2 - u} {
			for _, t := range []float64{v, -v, 2 - v} {
				if s > -0.3 && s < 1.3 && t > -0.3 && t < 1.3 {
					filled = append(filled, [2]float64{s, t})
				}
			}
		}
	}
	reach := 1.2 / math.Sqrt(float64(points.Rows()))
	return func(u, v float64) float64 {
		sum := 0.0
		for _, p := range filled {
			if d2 := ((u-p[0])*(u-p[0]) + (v-p[1])*(v-p[1])) / (reach * reach); d2 < 12 {
				sum += math.Exp(-d2 / 2)
			}
		}
		return sum
	}
}
