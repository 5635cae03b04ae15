package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
)

// A Density shows the posterior density of one parameter. The part within the
// 95 % interval is shaded. The density of the prior, if given, is drawn beside it.
type Density struct {
	Frame
	Estimate posterior.ParameterEstimate
	Density  func(x float64) float64
	Prior    func(x float64) float64 // nil: none
}

var (
	densityMeanEntry = Entry{"posterior mean", lineSample, func(c draw.Canvas) { strokeSample(c, densityMeanStyle) }}
	intervalEntry    = Entry{"95 % interval", lineSample, fillSample}
	priorEntry       = Entry{"prior", lineSample, func(c draw.Canvas) { strokeSample(c, priorStyle) }}
	priorStyle       = draw.LineStyle{Color: rgb(0x777777), Width: 1, Dashes: []vg.Length{1.5, 2}}
	drawGlyph        = draw.GlyphStyle{Color: color.NRGBA{0x1f, 0x4e, 0x9c, 0x60}, Radius: 1.3, Shape: draw.CircleGlyph{}}
	densityMeanStyle = draw.LineStyle{Color: meanColour, Width: 1, Dashes: []vg.Length{4, 3}}
)

// NewDensity returns the panel of one parameter, its estimate in the title.
func NewDensity(e posterior.ParameterEstimate, density, prior func(x float64) float64) *Density {
	title := e.Name + " = " + format.Estimate(e.Mean, e.SD)
	return &Density{Frame{Title: title, XLabel: e.Name, YLabel: "density", Aspect: 0.8}, e, density, prior}
}

// ends returns where the curve begins and ends: twice as far from the median as the ends of the 95 % interval.
func (p *Density) ends() (low, high float64) {
	e := &p.Estimate
	return e.Lower95 - (e.Median - e.Lower95), e.Upper95 + (e.Upper95 - e.Median)
}

func (p *Density) axes() *plot.Plot {
	const points = 241
	e := &p.Estimate
	low, high := p.ends()
	x, y, prior := make([]float64, points), make([]float64, points), make([]float64, points)
	top := 0.0
	ring := plotter.XYs{{X: e.Lower95, Y: 0}, {X: e.Lower95, Y: p.Density(e.Lower95)}}
	for i := range x {
		x[i] = low + (high-low)*float64(i)/(points-1)
		y[i] = p.Density(x[i])
		top = math.Max(top, y[i])
		if p.Prior != nil {
			prior[i] = p.Prior(x[i])
			top = math.Max(top, prior[i])
		}
		if e.Lower95 < x[i] && x[i] < e.Upper95 {
			ring = append(ring, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	ring = append(ring, plotter.XY{X: e.Upper95, Y: p.Density(e.Upper95)}, plotter.XY{X: e.Upper95, Y: 0})

	axes := p.newPlot()
	axes.X.Min, axes.X.Max = low, high
	axes.Y.Min, axes.Y.Max = 0, 1.08*top
	axes.Add(&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: bandColour})
	if p.Prior != nil {
		axes.Add(polyline(x, prior, priorStyle))
	}
	axes.Add(polyline(x, y, meanStyle))
	axes.Add(line(e.Mean, 0, e.Mean, p.Density(e.Mean), densityMeanStyle))
	return axes
}

// A Joint shows draws of two parameters as dots.
type Joint struct {
	Frame
	X, Y []float64
}

func (p *Joint) axes() *plot.Plot {
	axes := p.newPlot()
	axes.X.Min, axes.X.Max = widened(slices.Min(p.X), slices.Max(p.X))
	axes.Y.Min, axes.Y.Max = widened(slices.Min(p.Y), slices.Max(p.Y))
	points := make(plotter.XYs, len(p.X))
	for i := range p.X {
		points[i] = plotter.XY{X: p.X[i], Y: p.Y[i]}
	}
	axes.Add(&plotter.Scatter{XYs: points, GlyphStyle: drawGlyph})
	return axes
}
