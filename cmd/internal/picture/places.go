package picture

import (
	"math"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// Places are the places that were chosen for new sensors.
type Places struct {
	Posterior  *posterior.Posterior
	Inside     func(x []float64) bool // the domain; nil: the box
	Field      int                    // whose standard deviation is shown
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
		steps.Aspect, steps.Wide = 0.3, true
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
		Frame: figure.Frame{XLabel: v.Axis(), YLabel: "sd of " + p.Posterior.Fields()[p.Field]},
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
	if p.Inside != nil {
		r.Inside = func(h, v float64) bool {
			at := make([]float64, 2)
			at[horizontal], at[vertical] = h, v
			return p.Inside(at)
		}
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
			Frame:  figure.Frame{Title: name + ": " + what, XLabel: x.Axis(), YLabel: y.Axis(), Aspect: aspect},
			Raster: r, Values: sd, Colours: figure.Magma,
		}
	}
	first, second = &figure.MarkedMap{Map: panel("sd today", before)}, &figure.MarkedMap{Map: panel("sd with new sensors", with)}
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
