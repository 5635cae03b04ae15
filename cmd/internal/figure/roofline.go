package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// familyColours distinguish families of points, also for the colour-blind: those of
// M. Okabe and K. Ito, with a grey instead of yellow, which is hard to see on white.
var familyColours = []color.Color{
	rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7), rgb(0xe69f00), rgb(0x56b4e9), rgb(0x000000), rgb(0x4d4d4d),
}

var roofStyle = draw.LineStyle{Color: inkColour, Width: 1.2}

// A Roofline shows rates over arithmetic intensity, below the roof that memory and
// arithmetic units set (S. Williams, A. Waterman, D. Patterson, Communications of
// the ACM 52(4), 2009).
type Roofline struct {
	Frame
	Peak, Memory float64 // GFLOP/s and GB/s
	Families     []Family
}

// A Family is points of one colour.
type Family struct {
	Name   string
	Number int         // families of the same number have the same colour
	Points plotter.XYs // flops a byte, GFLOP/s
}

// Entry explains the points of the family in a legend.
func (f *Family) Entry() Entry {
	glyph := f.glyph()
	return Entry{f.Name, glyphSample, func(c draw.Canvas) { c.DrawGlyph(glyph, c.Center()) }}
}

// Add appends a point.
func (f *Family) Add(intensity, rate float64) {
	f.Points = append(f.Points, plotter.XY{X: intensity, Y: rate})
}

func (f *Family) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: familyColours[f.Number%len(familyColours)], Radius: 3.5, Shape: draw.CircleGlyph{}}
}

func (p *Roofline) axes() *plot.Plot {
	axes := p.newPlot()
	axes.X.Scale, axes.Y.Scale = plot.LogScale{}, plot.LogScale{}
	axes.X.Tick.Marker, axes.Y.Tick.Marker = decades{}, decades{}
	ridge := p.Peak / p.Memory
	axes.X.Min, axes.X.Max = ridge/8, ridge*8
	axes.Y.Min, axes.Y.Max = p.Peak/20, p.Peak*1.5
	for _, f := range p.Families {
		for _, at := range f.Points {
			axes.X.Min, axes.X.Max = math.Min(axes.X.Min, at.X/1.5), math.Max(axes.X.Max, at.X*1.5)
			axes.Y.Min, axes.Y.Max = math.Min(axes.Y.Min, at.Y/1.5), math.Max(axes.Y.Max, at.Y*1.5)
		}
	}
	low := math.Max(axes.X.Min, axes.Y.Min/p.Memory)
	axes.Add(polyline([]float64{low, ridge, axes.X.Max}, []float64{low * p.Memory, p.Peak, p.Peak}, roofStyle))
	for i := range p.Families {
		f := &p.Families[i]
		axes.Add(&plotter.Scatter{XYs: f.Points, GlyphStyle: f.glyph()})
	}
	return axes
}
