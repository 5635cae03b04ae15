package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

var (
	beforeStyle    = draw.LineStyle{Color: rgb(0x888888), Width: 1.4, Dashes: []vg.Length{5, 3}}
	placeStyle     = draw.LineStyle{Color: exactColour, Width: 0.8}
	candidateGlyph = draw.GlyphStyle{Color: rgb(0xaaaaaa), Radius: 1.3, Shape: draw.CircleGlyph{}}
	placeGlyph     = draw.GlyphStyle{Color: exactColour, Radius: 7}

	beforeEntry    = legendEntry{"sd today", lineSample, func(c draw.Canvas) { strokeSample(c, beforeStyle) }}
	afterEntry     = legendEntry{"sd with the new sensors", lineSample, func(c draw.Canvas) { strokeSample(c, meanStyle) }}
	candidateEntry = legendEntry{"candidates", glyphSample, func(c draw.Canvas) { c.DrawGlyph(candidateGlyph, c.Center()) }}
	placeEntry     = legendEntry{"new sensors in the order of choice", glyphSample + 6, func(c draw.Canvas) { drawNumber(&c, "1", c.Center()) }}
)

// figure shows where the sensors go and what they do: the standard deviation of
// the field before and after for one or two variables, and for any number of
// them the goal's against the number of sensors.
func (p *places) figure() (*figure, error) {
	f := &figure{title: "Where to put " + count(len(p.placements), "sensor")}
	at := mat.NewDense(len(p.placements), p.candidates.Cols(), nil)
	for i, e := range p.placements {
		copy(at.Row(i), p.candidates.Row(e.Candidate))
	}
	after, err := p.q.WithSensors(p.sensor, at)
	if err != nil {
		return nil, err
	}
	steps := p.stepsPanel()
	switch p.candidates.Cols() {
	case 1:
		both, err := p.curvePanel(after, at)
		if err != nil {
			return nil, err
		}
		only := *both
		only.before, only.aspect, only.yLabel = nil, 0.2, only.yLabel+", after"
		both.aspect, steps.aspect = 0.3, 0.2
		f.rows = [][]panel{{both}, {&only}, {steps}}
		f.legend = []legendEntry{beforeEntry, afterEntry, candidateEntry, placeEntry}
	case 2:
		maps, err := p.mapPanels(after, at)
		if err != nil {
			return nil, err
		}
		steps.aspect, _ = maps[0].shape()
		f.rows = [][]panel{append(maps, steps)}
		f.legend = []legendEntry{candidateEntry, placeEntry}
	default:
		steps.aspect = 0.6
		f.rows, f.width = [][]panel{{steps}}, 0.6*figureWidth
	}
	return f, nil
}

// stepsPanel shows the goal's standard deviation against the number of sensors.
func (p *places) stepsPanel() *stepsPanel {
	s := &stepsPanel{frame: frame{xLabel: "number of new sensors", yLabel: "sd of " + p.goalName, aspect: 1}}
	if p.candidates.Cols() == 2 {
		s.title = "sd of " + p.goalName + ", root mean square"
		s.yLabel = ""
	}
	for n := range len(p.placements) + 1 {
		s.sd = append(s.sd, p.sd(n))
	}
	return s
}

// A stepsPanel shows numbers that belong to 0, 1, 2, ... sensors.
type stepsPanel struct {
	frame
	sd []float64
}

func (s *stepsPanel) axes() *plot.Plot {
	axes := s.newPlot()
	axes.X.Min, axes.X.Max = 0, float64(len(s.sd)-1)
	_, axes.Y.Max = widened(0, s.sd[0])
	axes.Y.Min = 0
	x := make([]float64, len(s.sd))
	marks := make(readingMarks, len(s.sd))
	for i, v := range s.sd {
		x[i] = float64(i)
		marks[i] = reading{x: x[i], value: v}
	}
	axes.Add(polyline(x, s.sd, meanStyle), marks)
	axes.X.Tick.Marker = wholeTicks{}
	return axes
}

// wholeTicks labels an axis at whole numbers.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(lo, hi float64) []plot.Tick {
	step := math.Max(1, math.Ceil((hi-lo)/maxIntervals))
	var ticks []plot.Tick
	for v := math.Ceil(lo); v <= hi; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.Itoa(int(v))})
	}
	return ticks
}

// curvePanel shows the standard deviation along the only variable.
func (p *places) curvePanel(after *posterior.Posterior, at *mat.Dense) (*spreadPanel, error) {
	v := p.q.Variables()[0]
	points := system.Grid(p.q.Variables(), nil, []int{curvePoints})
	s := &spreadPanel{frame: frame{xLabel: v.Name, yLabel: "sd of " + p.q.Fields()[p.field]}, at: at, candidates: p.candidates}
	for i := range points.Rows() {
		s.x = append(s.x, points.At(i, 0))
	}
	var err error
	if _, s.before, err = p.q.Predict(system.Field(p.field), points); err != nil {
		return nil, err
	}
	_, s.after, err = after.Predict(system.Field(p.field), points)
	return s, err
}

// A spreadPanel shows standard deviations along one variable; before may be nil.
type spreadPanel struct {
	frame
	x, before, after []float64
	at, candidates   *mat.Dense
}

func (s *spreadPanel) axes() *plot.Plot {
	axes := s.newPlot()
	axes.X.Min, axes.X.Max = s.x[0], s.x[len(s.x)-1]
	top := 0.0
	for _, curve := range [][]float64{s.before, s.after} {
		for _, v := range curve {
			top = math.Max(top, v)
		}
	}
	_, axes.Y.Max = widened(0, top)
	axes.Y.Max *= 1.15 // room for the numbers
	for i := range s.at.Rows() {
		axes.Add(line(s.at.At(i, 0), 0, s.at.At(i, 0), axes.Y.Max, placeStyle))
	}
	if s.before != nil {
		axes.Add(polyline(s.x, s.before, beforeStyle))
	}
	axes.Add(polyline(s.x, s.after, meanStyle))
	marks := placeMarks{}
	for i := range s.candidates.Rows() {
		marks.candidates = append(marks.candidates, [2]float64{s.candidates.At(i, 0), 0})
	}
	for i := range s.at.Rows() {
		marks.chosen = append(marks.chosen, [2]float64{s.at.At(i, 0), axes.Y.Max * 0.93})
	}
	axes.Add(marks)
	return axes
}

// mapPanels shows the standard deviation before and after in two variables, each
// with colours of its own: they often differ by orders of magnitude.
func (p *places) mapPanels(after *posterior.Posterior, at *mat.Dense) ([]panel, error) {
	variables := p.q.Variables()
	a := &artist{problem: &system.Problem{Variables: variables}, field: p.field}
	horizontal, vertical := a.mapAxes()
	x, y := variables[horizontal], variables[vertical]
	const nodes = 121
	r := &raster{x: x, y: y, columns: nodes, rows: nodes, inside: func(h, v float64) bool { return true }}
	if p.prior != nil {
		r.inside = shapeOf(p.prior.Domain(), r, horizontal, vertical)
	}
	points := mat.NewDense(nodes*nodes, 2, nil)
	for k := range points.Rows() {
		h, v := r.node(k/nodes, k%nodes)
		points.Set(k, horizontal, h)
		points.Set(k, vertical, v)
	}
	_, before, err := p.q.Predict(system.Field(p.field), points)
	if err != nil {
		return nil, err
	}
	_, with, err := after.Predict(system.Field(p.field), points)
	if err != nil {
		return nil, err
	}
	marks := placeMarks{}
	for i := range p.candidates.Rows() {
		marks.candidates = append(marks.candidates, [2]float64{p.candidates.At(i, horizontal), p.candidates.At(i, vertical)})
	}
	for i := range at.Rows() {
		marks.chosen = append(marks.chosen, [2]float64{at.At(i, horizontal), at.At(i, vertical)})
	}
	aspect, _ := a.mapAspect(&section{horizontal: horizontal, vertical: vertical})
	name := p.q.Fields()[p.field]
	first := &mapPanel{frame: frame{title: name + ": sd today", xLabel: x.Name, yLabel: y.Name, aspect: aspect}, raster: r, values: before, colours: magma}
	second := &mapPanel{frame: frame{title: name + ": sd with the new sensors", xLabel: x.Name, yLabel: y.Name, aspect: aspect}, raster: r, values: with, colours: magma}
	first.alike = []*mapPanel{first, second}
	second.alike = first.alike
	return []panel{first, &placesMap{second, marks}}, nil
}

// A placesMap is a map with candidates and chosen places.
type placesMap struct {
	*mapPanel
	marks placeMarks
}

func (m *placesMap) axes() *plot.Plot {
	axes := m.mapPanel.axes()
	axes.Add(m.marks)
	return axes
}

// placeMarks draws candidates as dots and chosen places as numbered circles.
type placeMarks struct {
	candidates, chosen [][2]float64
}

// Plot implements plot.Plotter.
func (m placeMarks) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	candidates, _ := thinned(m.candidates)
	for _, at := range candidates {
		c.DrawGlyph(candidateGlyph, vg.Point{X: trX(at[0]), Y: trY(at[1])})
	}
	for i := len(m.chosen) - 1; i >= 0; i-- { // the first choice on top
		at := m.chosen[i]
		drawNumber(&c, fmt.Sprint(i+1), vg.Point{X: trX(at[0]), Y: trY(at[1])})
	}
}

// GlyphBoxes implements plot.GlyphBoxer, so that marks at the edge are not cut.
func (m placeMarks) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	boxes := make([]plot.GlyphBox, len(m.chosen))
	for i, at := range m.chosen {
		boxes[i] = plot.GlyphBox{X: p.X.Norm(at[0]), Y: p.Y.Norm(at[1]), Rectangle: placeGlyph.Rectangle()}
	}
	return boxes
}

// drawNumber draws a number in a circle.
func drawNumber(c *draw.Canvas, number string, at vg.Point) {
	var path vg.Path
	path.Move(vg.Point{X: at.X + placeGlyph.Radius, Y: at.Y})
	path.Arc(at, placeGlyph.Radius, 0, 2*math.Pi)
	path.Close()
	c.SetColor(color.White)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: placeGlyph.Color, Width: 1.2})
	c.Stroke(path)
	style := textStyle(8.5, weight.WeightBold)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	c.FillText(style, vg.Point{X: at.X, Y: at.Y + 0.8}, number)
}

// shapeOf guesses a plane domain from points that fill it evenly: it is where
// their density, smoothed over their spacing, is at least half of what it is
// inside. Reflections keep the box's sides from looking like its boundary.
func shapeOf(points *mat.Dense, r *raster, horizontal, vertical int) func(x, y float64) bool {
	var filled [][2]float64 // in the unit square, and reflected
	for i := range points.Rows() {
		u, v := r.x.Share(points.At(i, horizontal)), r.y.Share(points.At(i, vertical))
		for _, s := range []float64{u, -u, 2 - u} {
			for _, t := range []float64{v, -v, 2 - v} {
				if s > -0.3 && s < 1.3 && t > -0.3 && t < 1.3 {
					filled = append(filled, [2]float64{s, t})
				}
			}
		}
	}
	reach := 1.2 / math.Sqrt(float64(points.Rows()))
	density := func(u, v float64) float64 {
		sum := 0.0
		for _, p := range filled {
			if d2 := ((u-p[0])*(u-p[0]) + (v-p[1])*(v-p[1])) / (reach * reach); d2 < 12 {
				sum += math.Exp(-d2 / 2)
			}
		}
		return sum
	}
	within := make([]float64, points.Rows())
	for i := range within {
		within[i] = density(r.x.Share(points.At(i, horizontal)), r.y.Share(points.At(i, vertical)))
	}
	slices.Sort(within)
	limit := 0.5 * within[len(within)/2]
	grid := *r
	values := make([]float64, grid.columns*grid.rows)
	for k := range values {
		values[k] = density(float64(k/grid.rows)/float64(grid.columns-1), float64(k%grid.rows)/float64(grid.rows-1))
	}
	return func(x, y float64) bool {
		u, v := grid.x.Share(x), grid.y.Share(y)
		return grid.interpolate(values, math.Min(math.Max(u, 0), 1), math.Min(math.Max(v, 0), 1)) >= limit
	}
}
