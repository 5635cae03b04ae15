package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Trend shows how something changes with a number: for each series a line
// through its middles, and a band.
type Trend struct {
	Frame
	Series []Series
	LogX   bool
	LogY   bool
	Level  float64 // a horizontal line, as the true value; NaN for none
}

// A Series has a middle and the ends of a band at each place X.
type Series struct {
	Label             string
	Style             draw.LineStyle
	X, Middle, Lo, Hi []float64
}

// Add appends a place.
func (s *Series) Add(x, middle, lo, hi float64) {
	s.X, s.Middle = append(s.X, x), append(s.Middle, middle)
	s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
}

// Entry explains the line of the series in a legend.
func (s *Series) Entry() Entry {
	style := s.Style
	return Entry{s.Label, lineSample, func(c draw.Canvas) { strokeSample(c, style) }}
}

// Styles of series.
var (
	MeanLine      = meanStyle
	PIELMLine     = draw.LineStyle{Color: rgb(0xc8321f), Width: 1.5, Dashes: []vg.Length{6, 3}}
	PublishedLine = draw.LineStyle{Color: rgb(0xb8860b), Width: 1.5, Dashes: []vg.Length{2, 2}}
)

// LevelEntry explains the Level of a Trend.
var LevelEntry = Entry{"true value", lineSample, func(c draw.Canvas) { strokeSample(c, exactStyle) }}

func (p *Trend) axes() *plot.Plot {
	axes := p.newPlot()
	onX, onY := scaleOf(p.LogX), scaleOf(p.LogY)
	p.setRanges(axes, onX, onY)
	if p.LogX {
		axes.X.Tick.Marker = logTicks{}
	}
	if p.LogY {
		axes.Y.Tick.Marker = logTicks{}
	}
	if !math.IsNaN(p.Level) {
		axes.Add(line(axes.X.Min, onY(p.Level), axes.X.Max, onY(p.Level), exactStyle))
	}
	for i := range p.Series {
		axes.Add(p.Series[i].plotters(onX, onY)...)
	}
	return axes
}

// setRanges gives the axes the range of everything that is drawn.
func (p *Trend) setRanges(axes *plot.Plot, onX, onY func(float64) float64) {
	xLo, xHi, lo, hi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for i, x := range s.X {
			xLo, xHi = math.Min(xLo, onX(x)), math.Max(xHi, onX(x))
			for _, v := range []float64{s.Middle[i], s.Lo[i], s.Hi[i]} {
				if y := onY(v); !math.IsNaN(y) && !math.IsInf(y, 0) {
					lo, hi = math.Min(lo, y), math.Max(hi, y)
				}
			}
		}
	}
	if !math.IsNaN(p.Level) {
		lo, hi = math.Min(lo, onY(p.Level)), math.Max(hi, onY(p.Level))
	}
	axes.X.Min, axes.X.Max = widened(xLo, xHi)
	axes.Y.Min, axes.Y.Max = widened(lo, hi)
}

// plotters draw the band of a series, and its line on top.
func (s *Series) plotters(onX, onY func(float64) float64) []plot.Plotter {
	n := len(s.X)
	ring := make(plotter.XYs, 2*n)
	x, y := make([]float64, n), make([]float64, n)
	for i := range s.X {
		x[i], y[i] = onX(s.X[i]), onY(s.Middle[i])
		ring[i] = plotter.XY{X: x[i], Y: onY(s.Lo[i])}
		ring[2*n-1-i] = plotter.XY{X: x[i], Y: onY(s.Hi[i])}
	}
	r, g, b, _ := s.Style.Color.RGBA()
	band := &plotter.Polygon{XYs: []plotter.XYs{ring}, Color: color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0x30}}
	return []plot.Plotter{band, polyline(x, y, s.Style)}
}

// scaleOf returns the function that turns a number into its place on an axis.
func scaleOf(logarithmic bool) func(float64) float64 {
	if logarithmic {
		return math.Log10
	}
	return func(v float64) float64 { return v }
}
