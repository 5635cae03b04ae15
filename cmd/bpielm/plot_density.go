package main

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/posterior"
)

// A densityPanel shows the posterior density of one parameter; the shaded part is the 95 %
// interval. The density of its prior, where one is stated, is beside it.
type densityPanel struct {
	frame
	estimate posterior.ParameterEstimate
	density  func(x float64) float64
	prior    func(x float64) float64 // nil: none
}

var (
	densityMeanEntry = legendEntry{"posterior mean", lineSample, func(c draw.Canvas) { strokeSample(c, densityMeanStyle) }}
	intervalEntry    = legendEntry{"95 % interval", lineSample, fillSample}
	priorEntry       = legendEntry{"prior", lineSample, func(c draw.Canvas) { strokeSample(c, priorStyle) }}
	priorStyle       = draw.LineStyle{Color: rgb(0x777777), Width: 1, Dashes: []vg.Length{1.5, 2}}
	drawGlyph        = draw.GlyphStyle{Color: color.NRGBA{0x1f, 0x4e, 0x9c, 0x60}, Radius: 1.3, Shape: draw.CircleGlyph{}}
	densityMeanStyle = draw.LineStyle{Color: meanColour, Width: 1, Dashes: []vg.Length{4, 3}}
)

func newDensityPanel(e posterior.ParameterEstimate, density, prior func(x float64) float64) *densityPanel {
	title := e.Name + " = " + formatEstimate(e.Mean, e.SD)
	return &densityPanel{frame{title: title, xLabel: e.Name, yLabel: "density", aspect: 0.8}, e, density, prior}
}

// ends of the curve: as far beyond the interval as half of it is wide.
func (p *densityPanel) ends() (low, high float64) {
	e := &p.estimate
	return e.Lower95 - (e.Median - e.Lower95), e.Upper95 + (e.Upper95 - e.Median)
}

func (p *densityPanel) axes() *plot.Plot {
	const points = 241
	e := &p.estimate
	low, high := p.ends()
	x, y, prior := make([]float64, points), make([]float64, points), make([]float64, points)
	top := 0.0
	ring := plotter.XYs{{X: e.Lower95, Y: 0}, {X: e.Lower95, Y: p.density(e.Lower95)}}
	for i := range x {
		x[i] = low + (high-low)*float64(i)/(points-1)
		y[i] = p.density(x[i])
		top = math.Max(top, y[i])
		if p.prior != nil {
			prior[i] = p.prior(x[i])
			top = math.Max(top, prior[i])
		}
		if e.Lower95 < x[i] && x[i] < e.Upper95 {
			ring = append(ring, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	ring = append(ring, plotter.XY{X: e.Upper95, Y: p.density(e.Upper95)}, plotter.XY{X: e.Upper95, Y: 0})

	axes := p.newPlot()
	axes.X.Min, axes.X.Max = low, high
	axes.Y.Min, axes.Y.Max = 0, 1.08*top
	axes.Add(&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: bandColour})
	if p.prior != nil {
		axes.Add(polyline(x, prior, priorStyle))
	}
	axes.Add(polyline(x, y, meanStyle))
	axes.Add(line(e.Mean, 0, e.Mean, p.density(e.Mean), densityMeanStyle))
	return axes
}

// A jointPanel shows draws of two parameters.
type jointPanel struct {
	frame
	x, y []float64
}

func (p *jointPanel) axes() *plot.Plot {
	axes := p.newPlot()
	axes.X.Min, axes.X.Max = widened(slices.Min(p.x), slices.Max(p.x))
	axes.Y.Min, axes.Y.Max = widened(slices.Min(p.y), slices.Max(p.y))
	points := make(plotter.XYs, len(p.x))
	for i := range p.x {
		points[i] = plotter.XY{X: p.x[i], Y: p.y[i]}
	}
	axes.Add(&plotter.Scatter{XYs: points, GlyphStyle: drawGlyph})
	return axes
}
