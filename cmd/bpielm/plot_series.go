package main

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A seriesPanel shows how something changes with a number: for each series medians
// joined by lines, and quartiles as a band.
type seriesPanel struct {
	frame
	series []series
	logX   bool
	logY   bool
	level  float64 // a horizontal line, as the true value; NaN for none
	mark   float64 // a vertical line; NaN for none
}

// series are places x with a middle and the ends of a band.
type series struct {
	style             draw.LineStyle
	x, middle, lo, hi []float64
}

func (p *seriesPanel) axes() *plot.Plot {
	axes := p.newPlot()
	onX, onY := scaleOf(p.logX), scaleOf(p.logY)
	xLo, xHi, lo, hi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range p.series {
		for i, x := range s.x {
			xLo, xHi = math.Min(xLo, onX(x)), math.Max(xHi, onX(x))
			for _, v := range []float64{s.middle[i], s.lo[i], s.hi[i]} {
				if y := onY(v); !math.IsNaN(y) && !math.IsInf(y, 0) {
					lo, hi = math.Min(lo, y), math.Max(hi, y)
				}
			}
		}
	}
	if !math.IsNaN(p.level) {
		lo, hi = math.Min(lo, onY(p.level)), math.Max(hi, onY(p.level))
	}
	axes.X.Min, axes.X.Max = widened(xLo, xHi)
	axes.Y.Min, axes.Y.Max = widened(lo, hi)
	if p.logX {
		axes.X.Tick.Marker = logTicks{}
	}
	if p.logY {
		axes.Y.Tick.Marker = logTicks{}
	}
	if !math.IsNaN(p.level) {
		axes.Add(line(axes.X.Min, onY(p.level), axes.X.Max, onY(p.level), exactStyle))
	}
	if !math.IsNaN(p.mark) {
		axes.Add(line(onX(p.mark), axes.Y.Min, onX(p.mark), axes.Y.Max, zeroStyle))
	}
	for _, s := range p.series {
		n := len(s.x)
		ring := make(plotter.XYs, 2*n)
		x, y := make([]float64, n), make([]float64, n)
		for i := range s.x {
			x[i], y[i] = onX(s.x[i]), onY(s.middle[i])
			ring[i] = plotter.XY{X: x[i], Y: onY(s.lo[i])}
			ring[2*n-1-i] = plotter.XY{X: x[i], Y: onY(s.hi[i])}
		}
		r, g, b, _ := s.style.Color.RGBA()
		axes.Add(&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0x30}})
		axes.Add(polyline(x, y, s.style))
	}
	return axes
}

// scaleOf returns what turns a number into its place on an axis.
func scaleOf(logarithmic bool) func(float64) float64 {
	if logarithmic {
		return math.Log10
	}
	return func(v float64) float64 { return v }
}

// logTicks labels an axis of decimal logarithms with numbers 1, 2 and 5 times
// powers of ten, or with fewer of them.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for _, digits := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		ticks = ticks[:0]
		for decade := math.Floor(lo); decade <= hi; decade++ {
			for _, d := range digits {
				if v := decade + math.Log10(d); v >= lo && v <= hi {
					ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(d*math.Pow(10, decade), 'g', 3, 64)})
				}
			}
		}
		if len(ticks) <= maxIntervals {
			break
		}
	}
	return ticks
}

// seriesEntry explains a series in a legend.
func seriesEntry(label string, style draw.LineStyle) legendEntry {
	return legendEntry{label, lineSample, func(c draw.Canvas) { strokeSample(c, style) }}
}

// The styles of the methods.
var (
	pielmStyle     = draw.LineStyle{Color: rgb(0xc8321f), Width: 1.5, Dashes: []vg.Length{6, 3}}
	publishedStyle = draw.LineStyle{Color: rgb(0xb8860b), Width: 1.5, Dashes: []vg.Length{2, 2}}
	levelEntry     = legendEntry{"true value", lineSample, func(c draw.Canvas) { strokeSample(c, exactStyle) }}
)
