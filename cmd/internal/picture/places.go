package picture

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Places are the places that were chosen for new sensors.
type Places struct {
	Posterior  *posterior.Posterior
	Known      *spec.Definitions // what the model says of its problem: the domain, units, present sensors
	Field      int               // whose standard deviation is shown
	Sensor     posterior.Sensor
	Candidates *mat.Dense
	Goal       string // name of what the sensors are to determine
	Placements []posterior.Placement
	Alone      []float64 // variance of the goal with one sensor at each candidate
}

// Gain is by how much one sensor at candidate i lowers the standard deviation of the goal.
func (p *Places) Gain(i int) float64 { return math.Max(p.SD(0)-math.Sqrt(p.Alone[i]), 0) }

// Rank is the place of candidate i in the order of choice, from 1; 0 if it was not chosen.
func (p *Places) Rank(i int) int {
	return 1 + slices.IndexFunc(p.Placements, func(e posterior.Placement) bool { return e.Candidate == i })
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
// standard deviation of the field before and after, and for any number of variables the gain
// of every candidate, the present sensors, and the standard deviation of the goal against the
// number of sensors.
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
	if p.Candidates.Cols() == 1 {
		return f, p.along(f, after, at)
	}
	return f, p.across(f, after, at)
}

// goalName is the goal as a heading with some more letters names it, with the unit in
// parentheses.
func (p *Places) goalName(more int) string {
	return shortName(p.Known.Axis(p.Goal), p.Goal, p.Known.Quantities, more)
}

// fieldName is the field whose standard deviation is shown.
func (p *Places) fieldName() string {
	name := p.Posterior.Fields()[p.Field]
	return shortName(p.Known.Axis(name), name, p.Known.Quantities, 4)
}

// gainName names what candidates are compared by.
func (p *Places) gainName() string {
	return "gain of one sensor" + p.Known.Quantities[p.Goal].InParentheses()
}

// along draws places on the only variable.
func (p *Places) along(f *figure.Figure, after *posterior.Posterior, at *mat.Dense) error {
	v := p.Posterior.Variables()[0]
	both, err := p.spread(after, at)
	if err != nil {
		return err
	}
	only := *both
	only.Before, only.Aspect, only.YLabel = nil, 0.2, only.YLabel+", after"
	dots, thinning := figure.ThinDots(p.dots(0, 0))
	gains := &figure.Gains{Frame: figure.Frame{Title: p.gainName(), XLabel: axisLabel(v), XDates: figure.DatesOf(v), YLabel: "gain", Aspect: 0.2}, Min: v.Min, Max: v.Max, Chosen: both.Chosen}
	for _, d := range dots {
		gains.X, gains.Gain = append(gains.X, d.X), append(gains.Gain, d.Value)
	}
	both.Candidates, only.Candidates = gains.X, gains.X
	steps := p.steps()
	steps.Aspect, both.Aspect = 0.2, 0.3
	f.Rows = [][]figure.Panel{{both}, {&only}, {gains}, {steps}}
	f.Legend = figure.SpreadLegend(both.Existing, thinning)
	return nil
}

// mostBesideDots is how many present sensors leave the colours of candidates to be seen.
const mostBesideDots = 60

// across draws places in two or more variables.
func (p *Places) across(f *figure.Figure, after *posterior.Posterior, at *mat.Dense) error {
	variables := p.Posterior.Variables()
	a := &artist{problem: &system.Problem{Variables: variables}, field: p.Field}
	horizontal, vertical := a.mapAxes()
	aspect, stacked := a.mapAspect(&section{horizontal: horizontal, vertical: vertical}, variables)
	x, y := variables[horizontal], variables[vertical]
	tracks, existing := figure.Tracks(p.existing(horizontal, vertical), vertical == a.time())
	existing, thinning := figure.Thin(existing)
	dots, part := figure.ThinDots(p.dots(horizontal, vertical))
	frame := figure.Frame{Title: p.gainName(), XLabel: axisLabel(x), YLabel: axisLabel(y), XDates: figure.DatesOf(x), YDates: figure.DatesOf(y), Aspect: aspect}
	whole := &figure.Raster{X: x, Y: y, Columns: 2, Rows: 2, Inside: func(h, v float64) bool { return true }}
	onGains := existing
	if len(existing) > mostBesideDots {
		onGains = nil
	}
	gains := &figure.MarkedMap{
		Map:   &figure.Map{Frame: frame, Raster: whole, Colours: figure.Cividis, Dots: dots, Sensors: onGains},
		Marks: figure.Marks{Chosen: pairs(at, horizontal, vertical), Beside: true},
	}
	steps := p.steps()
	steps.Aspect = aspect
	f.Rows = [][]figure.Panel{{gains, steps}}
	if len(variables) == 2 {
		before, with, err := p.maps(after, frame, horizontal, vertical)
		if err != nil {
			return err
		}
		gains.Raster = before.Raster
		before.Sensors, with.Sensors = existing, existing
		before.Tracks, with.Tracks = tracks, tracks
		f.Rows = [][]figure.Panel{{before, &figure.MarkedMap{Map: with, Marks: figure.Marks{Chosen: gains.Marks.Chosen}}}, {gains, steps}}
	}
	switch panels := slices.Concat(f.Rows...); {
	case stacked:
		f.Rows, steps.Aspect = slices.Collect(slices.Chunk(panels, 1)), 0.3
	case aspect >= slim && len(panels) > 2:
		f.Rows, steps.Aspect, steps.Wide = [][]figure.Panel{panels[:3], {steps}}, 0.3, true
	}
	f.Legend = figure.PlacesLegend(existing, tracks, thinning, part)
	return nil
}

// existing are the marks of the sensors whose readings the model has.
func (p *Places) existing(horizontal, vertical int) (marks []figure.Mark) {
	for i := range p.Known.Sensors {
		k := &p.Known.Sensors[i]
		mark := markOf(k, p.Field, horizontal, vertical)
		for _, at := range k.Places {
			if outside(p.Posterior.Variables(), at) { // a model file may say anything
				continue
			}
			mark.X, mark.Y = at[horizontal], at[vertical]
			marks = append(marks, mark)
		}
	}
	return marks
}

// outside tells whether a place is outside the ranges of the variables.
func outside(variables []system.Variable, at []float64) bool {
	for d, v := range variables {
		if v.Outside(at[d]) {
			return true
		}
	}
	return false
}

// dots are the candidates with their gains.
func (p *Places) dots(horizontal, vertical int) []figure.Dot {
	dots := make([]figure.Dot, p.Candidates.Rows())
	for i := range dots {
		dots[i] = figure.Dot{X: p.Candidates.At(i, horizontal), Y: p.Candidates.At(i, vertical), Value: p.Gain(i)}
	}
	return dots
}

// steps shows the goal's standard deviation against the number of sensors.
func (p *Places) steps() *figure.Steps {
	sd := "sd of "
	if slices.Contains(p.Posterior.Fields(), p.Goal) {
		sd = "rms sd of " // over the domain
	}
	s := &figure.Steps{Frame: figure.Frame{Title: sd + p.goalName(len(sd)), XLabel: "number of new sensors"}}
	for n := range len(p.Placements) + 1 {
		s.SD = append(s.SD, p.SD(n))
	}
	return s
}

// spread shows the standard deviation along the only variable.
func (p *Places) spread(after *posterior.Posterior, at *mat.Dense) (*figure.Spread, error) {
	v := p.Posterior.Variables()[0]
	points := system.Grid(p.Posterior.Variables(), nil, []int{curvePoints})
	existing, _ := figure.Thin(p.existing(0, 0))
	s := &figure.Spread{
		Frame: figure.Frame{XLabel: axisLabel(v), YLabel: "sd of " + p.fieldName(), XDates: figure.DatesOf(v)},
		X:     column(points, 0), Chosen: column(at, 0), Existing: existing,
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

// maps shows the standard deviation before and after in two variables, in a frame.
func (p *Places) maps(after *posterior.Posterior, frame figure.Frame, horizontal, vertical int) (first, second *figure.Map, err error) {
	variables := p.Posterior.Variables()
	const nodes = 121
	r := &figure.Raster{X: variables[horizontal], Y: variables[vertical], Columns: nodes, Rows: nodes}
	r.Inside = func(h, v float64) bool {
		at := make([]float64, 2)
		at[horizontal], at[vertical] = h, v
		return p.Known.Holds(p.Field, at)
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
	panel := func(what string, sd []float64) *figure.Map {
		m := &figure.Map{Frame: frame, Raster: r, Values: sd, Colours: figure.Magma}
		m.Title = p.fieldName() + ": " + what
		return m
	}
	first, second = panel("sd today", before), panel("sd after", with)
	figure.ShareColours([]*figure.Map{first, second}, true)
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
