package figure

import (
	"fmt"
	"image/color"
	"math"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	placeEntry     = Entry{"new sensors in the order of choice", glyphSample + 6, func(c draw.Canvas) { drawNumber(&c, "1", c.Center()) }}

	// SpreadLegend explains what a Spread shows, PlacesLegend the marks of a MarkedMap.
	SpreadLegend = []Entry{beforeEntry, afterEntry, candidateEntry, placeEntry}
	PlacesLegend = []Entry{candidateEntry, placeEntry}
)

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
}

func (s *Spread) axes() *plot.Plot {
	axes := s.newPlot()
	axes.X.Min, axes.X.Max = s.X[0], s.X[len(s.X)-1]
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
	axes.Add(marks)
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

func (m *MarkedMap) shape() (aspect float64, right vg.Length) {
	m.aside = placeGlyph.Radius // a number on the edge is beside the colour bar, not on it
	return m.Map.shape()
}

// Marks draws candidates as dots and chosen places as numbered circles.
type Marks struct {
	Candidates, Chosen [][2]float64
	Blank              bool // the chosen ones take their room, but are not drawn
}

// Plot implements plot.Plotter.
func (m Marks) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	candidates, _ := Thin(m.Candidates)
	for _, at := range candidates {
		c.DrawGlyph(candidateGlyph, vg.Point{X: trX(at[0]), Y: trY(at[1])})
	}
	for i := len(m.Chosen) - 1; i >= 0 && !m.Blank; i-- { // the first choice on top
		at := m.Chosen[i]
		drawNumber(&c, fmt.Sprint(i+1), vg.Point{X: trX(at[0]), Y: trY(at[1])})
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
