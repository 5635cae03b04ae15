package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/system"
)

// The panels that show where new sensors go, and what they do.

var (
	beforeStyle    = draw.LineStyle{Color: rgb(0x888888), Width: 1.4, Dashes: []vg.Length{5, 3}}
	placeStyle     = draw.LineStyle{Color: exactColour, Width: 0.8}
	candidateGlyph = draw.GlyphStyle{Color: rgb(0xaaaaaa), Radius: 1.3, Shape: draw.CircleGlyph{}}
	placeGlyph     = draw.GlyphStyle{Color: exactColour, Radius: 7}

	beforeEntry    = Entry{"sd today", lineSample, func(c draw.Canvas) { strokeSample(c, beforeStyle) }}
	afterEntry     = Entry{"sd with the new sensors", lineSample, func(c draw.Canvas) { strokeSample(c, meanStyle) }}
	candidateEntry = Entry{"candidates", glyphSample, func(c draw.Canvas) { c.DrawGlyph(candidateGlyph, c.Center()) }}
	gainEntry      = Entry{"candidates by their gain", 2 * glyphSample, func(c draw.Canvas) {
		for i := range 3 {
			g := draw.GlyphStyle{Color: Cividis.at(float64(i) / 2), Radius: 2.6, Shape: draw.CircleGlyph{}}
			c.DrawGlyph(g, vg.Point{X: c.Center().X + vg.Length(i-1)*6, Y: c.Center().Y})
		}
	}}
	placeEntry = Entry{"new sensors in the order of choice", glyphSample + 6, func(c draw.Canvas) { drawNumber(&c, "1", c.Center()) }}
)

// SpreadLegend explains what a Spread and a Gains show, the latter one in thinning candidates.
func SpreadLegend(existing []Mark, thinning int) []Entry {
	entries := append([]Entry{beforeEntry, afterEntry}, existingEntries(existing, nil, 1)...)
	return append(entries, thinnedEntry(candidateEntry, thinning), placeEntry)
}

// PlacesLegend explains the marks of maps of places, of which one in so many is shown.
func PlacesLegend(existing []Mark, tracks []Track, thinning, candidates int) []Entry {
	return append(existingEntries(existing, tracks, thinning), thinnedEntry(gainEntry, candidates), placeEntry)
}

// existingEntries explains sensors that are there already.
func existingEntries(marks []Mark, tracks []Track, thinning int) []Entry {
	entries := SensorLegend(marks, tracks, thinning)
	for i := range entries {
		entries[i].Label = "existing " + entries[i].Label
	}
	return entries
}

// Steps shows the standard deviation that 0, 1, 2, ... sensors leave.
type Steps struct {
	Frame
	SD []float64
}

func (s *Steps) axes() *plot.Plot {
	axes := s.newPlot()
	axes.X.Min, axes.X.Max = 0, float64(len(s.SD)-1)
	_, axes.Y.Max = widened(0, s.SD[0])
	axes.Y.Min = 0
	x := make([]float64, len(s.SD))
	marks := make(readingMarks, len(s.SD))
	for i, v := range s.SD {
		x[i] = float64(i)
		marks[i] = Reading{X: x[i], Value: v}
	}
	axes.Add(polyline(x, s.SD, meanStyle), marks)
	axes.X.Tick.Marker = wholeTicks{}
	return axes
}

// A Spread shows standard deviations along one variable, before and after the new
// sensors. Before may be nil.
type Spread struct {
	Frame
	X, Before, After   []float64
	Chosen, Candidates []float64 // places
	Existing           []Mark    // of which X is used
}

func (s *Spread) axes() *plot.Plot {
	axes := s.newPlot()
	along(&axes.X, system.Variable{Min: s.X[0], Max: s.X[len(s.X)-1], Log: s.Log}, s.XDates)
	top := 0.0
	for _, curve := range [][]float64{s.Before, s.After} {
		for _, v := range curve {
			top = math.Max(top, v)
		}
	}
	_, axes.Y.Max = widened(0, top)
	axes.Y.Max *= 1.15 // room for the numbers
	for _, x := range s.Chosen {
		axes.Add(line(x, 0, x, axes.Y.Max, placeStyle))
	}
	if s.Before != nil {
		axes.Add(polyline(s.X, s.Before, beforeStyle))
	}
	axes.Add(polyline(s.X, s.After, meanStyle))
	marks := Marks{}
	for _, x := range s.Candidates {
		marks.Candidates = append(marks.Candidates, [2]float64{x, 0})
	}
	for _, x := range s.Chosen {
		marks.Chosen = append(marks.Chosen, [2]float64{x, axes.Y.Max * 0.93})
	}
	existing := slices.Clone(s.Existing)
	for i := range existing {
		existing[i].Y, existing[i].SX, existing[i].SY = 0, 0, 0
	}
	axes.Add(marks, placeMarks(existing))
	return axes
}

// Gains shows the gain of every candidate against the only variable, which has a range.
type Gains struct {
	Frame
	Min, Max float64
	X, Gain  []float64
	Chosen   []float64
}

func (g *Gains) axes() *plot.Plot {
	axes := g.newPlot()
	axes.X.Min, axes.X.Max = g.Min, g.Max
	top := 0.0
	dots := Marks{Size: 2}
	for i, x := range g.X {
		top = math.Max(top, g.Gain[i])
		dots.Candidates = append(dots.Candidates, [2]float64{x, g.Gain[i]})
	}
	_, axes.Y.Max = widened(0, top)
	for _, x := range g.Chosen {
		axes.Add(line(x, 0, x, axes.Y.Max, placeStyle))
	}
	axes.Add(dots)
	return axes
}

// A MarkedMap is a map with candidates and chosen places.
type MarkedMap struct {
	*Map
	Marks Marks
}

func (m *MarkedMap) axes() *plot.Plot {
	axes := m.Map.axes()
	axes.Add(m.Marks)
	return axes
}

// Marks draws candidates as dots and chosen places as numbered circles.
type Marks struct {
	Candidates, Chosen [][2]float64
	Size               vg.Length // radius of a candidate; 0: a small one
	// Beside leaves the chosen places to be seen: each has a ring, and its number is beside it.
	Beside bool
}

// Plot implements plot.Plotter.
func (m Marks) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	glyph := candidateGlyph
	if m.Size > 0 {
		glyph.Radius, glyph.Color = m.Size, Cividis[0]
	}
	for _, at := range m.Candidates {
		c.DrawGlyph(glyph, vg.Point{X: trX(at[0]), Y: trY(at[1])})
	}
	for i := len(m.Chosen) - 1; i >= 0; i-- { // the first choice on top
		at := vg.Point{X: trX(m.Chosen[i][0]), Y: trY(m.Chosen[i][1])}
		if m.Beside {
			drawBeside(&c, fmt.Sprint(i+1), at)
		} else {
			drawNumber(&c, fmt.Sprint(i+1), at)
		}
	}
}

// GlyphBoxes implements plot.GlyphBoxer, so that marks at the edge are not cut.
func (m Marks) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	boxes := make([]plot.GlyphBox, len(m.Chosen))
	for i, at := range m.Chosen {
		boxes[i] = plot.GlyphBox{X: p.X.Norm(at[0]), Y: p.Y.Norm(at[1]), Rectangle: placeGlyph.Rectangle()}
	}
	return boxes
}

// drawBeside draws a ring around a place, and a number to the upper right of it, or where there is room.
func drawBeside(c *draw.Canvas, number string, at vg.Point) {
	const radius, apart = 5.8, 9.2
	for _, ring := range []draw.LineStyle{{Color: color.White, Width: 2.4}, {Color: placeGlyph.Color, Width: 1.2}} {
		var path vg.Path
		path.Move(vg.Point{X: at.X + radius, Y: at.Y})
		path.Arc(at, radius, 0, 2*math.Pi)
		path.Close()
		c.SetLineStyle(ring)
		c.Stroke(path)
	}
	by := vg.Point{X: apart, Y: apart}
	if at.X+by.X+placeGlyph.Radius > c.Max.X {
		by.X = -by.X
	}
	if at.Y+by.Y+placeGlyph.Radius > c.Max.Y {
		by.Y = -by.Y
	}
	style := textStyle(8.5, weight.WeightBold)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	middle := vg.Point{X: at.X + by.X, Y: at.Y + by.Y}
	for k := range 12 { // a white rim, so that it can be read on every colour
		turn := 2 * math.Pi * float64(k) / 12
		halo := style
		halo.Color = color.White
		c.FillText(halo, vg.Point{X: middle.X + vg.Length(1.3*math.Cos(turn)), Y: middle.Y + 0.8 + vg.Length(1.3*math.Sin(turn))}, number)
	}
	style.Color = placeGlyph.Color
	c.FillText(style, vg.Point{X: middle.X, Y: middle.Y + 0.8}, number)
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
