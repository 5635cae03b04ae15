package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/system"
)

var (
	meanStyle     = draw.LineStyle{Color: meanColour, Width: 1.6}
	exactStyle    = draw.LineStyle{Color: exactColour, Width: 1.3, Dashes: []vg.Length{5, 3}}
	zeroStyle     = draw.LineStyle{Color: rgb(0x999999), Width: 0.5}
	errorBarStyle = draw.LineStyle{Color: inkColour, Width: 0.8}
	sensorGlyph   = draw.GlyphStyle{Color: inkColour, Radius: 2.6, Shape: dot{}}
)

// A Curve shows functions of one variable: mean, band of two standard deviations,
// exact solution, and readings. NaN in a slice is a gap, where the line leaves the
// domain. Nil slices are not drawn.
type Curve struct {
	Frame
	X               []float64
	Mean, SD, Exact []float64
	Sensors         []Reading // see Show
	Thinning        int       // Sensors holds one in so many sensors, and those farthest from the mean
	At              []Reading // means and standard deviations at single places, instead of a curve
	Breaks          []float64 // places of vertical lines
	Names           []string  // of the places 1, 2, 3, ... on the horizontal axis; nil: it has numbers
	NamesAt         []float64 // these places instead, unless nil
	Counted         bool      // the horizontal axis counts readings

	yMin, yMax float64 // equal: chosen by the data
}

// A Reading is a sensor's value, a mark in a panel. Sigma is half the length of
// its error bar; there is none where it is 0 or NaN. Source names it where it stands out; it may be empty.
type Reading struct {
	X, Value, Sigma float64
	Source          string
}

// CommonRange gives all curves the same vertical range, which shows everything.
func CommonRange(panels []*Curve) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		pLo, pHi := p.yRange()
		lo, hi = math.Min(lo, pLo), math.Max(hi, pHi)
	}
	for _, p := range panels {
		p.yMin, p.yMax = lo, hi
	}
}

func (p *Curve) axes() *plot.Plot {
	axes := p.newPlot()
	along(&axes.X, system.Variable{Min: p.X[0], Max: p.X[len(p.X)-1], Log: p.Log}, p.XDates)
	if p.Counted {
		axes.X.Tick.Marker = ticker{whole: true}
	}
	if p.Names != nil {
		axes.X.Tick.Marker = nameTicks{names: p.Names, at: p.NamesAt}
	}
	axes.Y.Min, axes.Y.Max = p.limits()
	if axes.Y.Min < 0 && axes.Y.Max > 0 {
		axes.Add(line(axes.X.Min, 0, axes.X.Max, 0, zeroStyle))
	}
	for _, x := range p.Breaks {
		axes.Add(line(x, axes.Y.Min, x, axes.Y.Max, zeroStyle))
	}
	crowd, single := p.crowd()
	axes.Add(estimates(p.At), crowd) // below what the posterior says
	if p.SD != nil {
		for _, piece := range pieces(p.X, p.Mean, p.SD) {
			axes.Add(band{p.X[piece[0]:piece[1]], p.Mean[piece[0]:piece[1]], p.SD[piece[0]:piece[1]]})
		}
	}
	for _, piece := range pieces(p.X, p.Mean) {
		mean := meanCurve{x: p.X[piece[0]:piece[1]], mean: p.Mean[piece[0]:piece[1]]}
		if p.SD != nil {
			mean.sd = p.SD[piece[0]:piece[1]]
		}
		axes.Add(mean)
	}
	if p.Exact != nil {
		for _, piece := range pieces(p.X, p.Exact) {
			axes.Add(polyline(p.X[piece[0]:piece[1]], p.Exact[piece[0]:piece[1]], exactStyle))
		}
	}
	axes.Add(single, beyond(p.clipped()))
	return axes
}

// limits are those of the vertical axis.
func (p *Curve) limits() (lo, hi float64) {
	if p.yMin < p.yMax {
		return p.yMin, p.yMax
	}
	return p.yRange()
}

// yRange returns the range of everything the panel draws, with a margin, but for readings that would squash it.
func (p *Curve) yRange() (lo, hi float64) {
	low, high := p.rangeOf(p.Sensors)
	if len(p.Sensors) == 0 {
		return widened(low, high)
	}
	const squashed, share = 3, 10 // heights of the others; one in so many readings may be left out
	far := p.far()
	var near, others []Reading
	for i, r := range p.Sensors {
		switch {
		case !far[i]:
			near = append(near, r)
		case !math.IsNaN(r.Value) && !math.IsInf(r.Value, 0):
			others = append(others, r)
		}
	}
	lo, hi = p.rangeOf(near)
	most := squashed * (hi - lo)
	if !(high-low > most) || !(most > 0) {
		return widened(low, high)
	}
	middle := (lo + hi) / 2
	slices.SortStableFunc(others, func(a, b Reading) int {
		return cmp.Compare(math.Abs(a.Value-middle), math.Abs(b.Value-middle))
	})
	for i, r := range others {
		if l, h := math.Min(lo, r.Value-barOf(r)), math.Max(hi, r.Value+barOf(r)); h-l <= most {
			lo, hi = l, h
			continue
		}
		if left := len(others) - i; left*share > len(p.Sensors) {
			return widened(low, high)
		}
		room := 0.2 * (hi - lo) // for arrows
		up, down := false, false
		for _, r := range others[i:] {
			up, down = up || r.Value > hi, down || r.Value < lo
		}
		if up {
			hi += room
		}
		if down {
			lo -= room
		}
		break
	}
	return widened(lo, hi)
}

// barOf is half the length of a reading's error bar.
func barOf(r Reading) float64 {
	if r.Sigma > 0 {
		return r.Sigma
	}
	return 0
}

// rangeOf returns the range of what the panel draws with some of its readings, without a margin.
func (p *Curve) rangeOf(readings []Reading) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	include := func(v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	for i, m := range p.Mean {
		if p.SD != nil {
			include(m - 2*p.SD[i])
			include(m + 2*p.SD[i])
		}
		include(m)
	}
	for _, v := range p.Exact {
		include(v)
	}
	for _, r := range p.At {
		include(r.Value - 2*r.Sigma)
		include(r.Value + 2*r.Sigma)
	}
	for _, r := range readings {
		include(r.Value - barOf(r))
		include(r.Value + barOf(r))
	}
	return lo, hi
}

// widened adds a margin of 5 % to a range. An empty range, or one of a single
// number, becomes one that can be drawn.
func widened(lo, hi float64) (float64, float64) {
	if !(lo <= hi) {
		return -1, 1
	}
	margin := 0.05 * (hi - lo)
	if margin <= 1e-12*math.Max(math.Abs(lo), math.Abs(hi)) {
		margin = math.Max(0.05*math.Abs(lo), 1e-12)
	}
	return lo - margin, hi + margin
}

// pieces returns the half-open index ranges, of two or more points, where all
// ys are finite. There are none where one of ys is nil.
func pieces(x []float64, ys ...[]float64) [][2]int {
	for _, y := range ys {
		if y == nil {
			return nil
		}
	}
	var out [][2]int
	start := 0
	for i := 0; i <= len(x); i++ {
		whole := i < len(x)
		for _, y := range ys {
			whole = whole && !math.IsNaN(y[i]) && !math.IsInf(y[i], 0)
		}
		if !whole {
			if i-start >= 2 {
				out = append(out, [2]int{start, i})
			}
			start = i + 1
		}
	}
	return out
}

func polyline(x, y []float64, style draw.LineStyle) *plotter.Line {
	points := make(plotter.XYs, len(x))
	for i := range x {
		points[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return &plotter.Line{XYs: points, LineStyle: style}
}

func line(x0, y0, x1, y1 float64, style draw.LineStyle) *plotter.Line {
	return polyline([]float64{x0, x1}, []float64{y0, y1}, style)
}

// band is the area within two standard deviations of the mean. It is as narrow as they are: where the line of the mean
// hides it, the panel of the same relative to the mean shows it.
type band struct{ x, mean, sd []float64 }

// narrowBand is half the width of a band on which the line of the mean is thin, and thinMean the width of that line.
const narrowBand, thinMean vg.Length = 2, 0.7

// Plot implements plot.Plotter.
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	n := len(b.x)
	ring := make([]vg.Point, 2*n)
	for i, x := range b.x {
		ring[i] = vg.Point{X: trX(x), Y: trY(b.mean[i] + 2*b.sd[i])}
		ring[2*n-1-i] = vg.Point{X: trX(x), Y: trY(b.mean[i] - 2*b.sd[i])}
	}
	c.FillPolygon(bandColour, c.ClipPolygonXY(ring))
}

// meanCurve is the line of the mean. On a band of which a quarter is narrow it is thin; sd may be nil.
type meanCurve struct{ x, mean, sd []float64 }

// Plot implements plot.Plotter.
func (m meanCurve) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	style, narrow := meanStyle, 0
	points := make([]vg.Point, len(m.x))
	for i, x := range m.x {
		points[i] = vg.Point{X: trX(x), Y: trY(m.mean[i])}
		if m.sd != nil && trY(m.mean[i]+2*m.sd[i])-points[i].Y < narrowBand {
			narrow++
		}
	}
	if 4*narrow > len(m.x) {
		style.Width = thinMean
	}
	c.StrokeLines(style, c.ClipLinesXY(points)...)
}

// estimates draws means as short lines, each with a bar of two standard deviations.
type estimates []Reading

const estimateWidth vg.Length = 7

// Plot implements plot.Plotter.
func (list estimates) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	half := estimateWidth / 2
	if n := len(list); n > 1 {
		half = min(half, 0.4*(c.Max.X-c.Min.X)/vg.Length(n))
	}
	for _, e := range list {
		x := trX(e.X)
		if e.Sigma > 0 {
			c.SetColor(bandColour)
			bar := vg.Rectangle{Min: vg.Point{X: x - half, Y: max(trY(e.Value-2*e.Sigma), c.Min.Y)}, Max: vg.Point{X: x + half, Y: min(trY(e.Value+2*e.Sigma), c.Max.Y)}}
			c.Fill(bar.Path())
		}
		c.StrokeLine2(meanStyle, x-half, trY(e.Value), x+half, trY(e.Value))
	}
}
