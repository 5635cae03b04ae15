package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A densityPanel shows the Gaussian posterior density of one parameter; the
// shaded part is the 95 % interval.
type densityPanel struct {
	frame
	mean, sd float64
}

var (
	densityMeanEntry = legendEntry{"posterior mean", lineSample, func(c draw.Canvas) { strokeSample(c, densityMeanStyle) }}
	intervalEntry    = legendEntry{"95 % interval", lineSample, fillSample}
	densityMeanStyle = draw.LineStyle{Color: meanColour, Width: 1, Dashes: []vg.Length{4, 3}}
)

func newDensityPanel(name string, mean, sd float64) *densityPanel {
	title := name + " = " + formatEstimate(mean, sd)
	return &densityPanel{frame{title: title, xLabel: name, yLabel: "density", aspect: 0.8}, mean, sd}
}

func (p *densityPanel) axes() *plot.Plot {
	const points, reach, half = 241, 4, 1.96 // reach, half: of the curve and of the interval, in standard deviations
	density := func(z float64) float64 { return math.Exp(-z*z/2) / (p.sd * math.Sqrt(2*math.Pi)) }
	x, y := make([]float64, points), make([]float64, points)
	ring := plotter.XYs{{X: p.mean - half*p.sd, Y: 0}, {X: p.mean - half*p.sd, Y: density(half)}}
	for i := range x {
		z := reach * (2*float64(i)/(points-1) - 1)
		x[i], y[i] = p.mean+z*p.sd, density(z)
		if math.Abs(z) < half {
			ring = append(ring, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	ring = append(ring, plotter.XY{X: p.mean + half*p.sd, Y: density(half)}, plotter.XY{X: p.mean + half*p.sd, Y: 0})

	axes := p.newPlot()
	axes.X.Min, axes.X.Max = x[0], x[points-1]
	axes.Y.Min, axes.Y.Max = 0, 1.08*density(0)
	axes.Add(&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: bandColour})
	axes.Add(polyline(x, y, meanStyle))
	axes.Add(line(p.mean, 0, p.mean, density(0), densityMeanStyle))
	return axes
}
