package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/cmd/internal/format"
)

// How a Curve shows readings: a few as circles with error bars. Many would be a black bar, so
// they become translucent dots behind the curves, dark where they are dense; those far from
// the mean, for which one looks, stay circles.

const (
	mostCircles = 60   // that one panel shows
	mostFar     = 50   // readings that stay circles
	farFrom     = 3.5  // in robust standard deviations of the distances from the mean
	mostMarks   = 1000 // marks that one panel shows; more would take long to draw
)

// Show puts readings into the panel, after its means. Of very many it keeps one in so many,
// and all that are far from the mean.
func (p *Curve) Show(readings []Reading) {
	p.Sensors, p.Thinning = readings, 1
	if len(readings) <= mostMarks {
		return
	}
	far := p.far()
	p.Thinning = (len(readings) + mostMarks - 1) / mostMarks
	p.Sensors = nil
	for i, r := range readings {
		if i%p.Thinning == 0 || far[i] {
			p.Sensors = append(p.Sensors, r)
		}
	}
}

// crowd splits the readings on the axes into those that are drawn as dots and as circles.
func (p *Curve) crowd() (dots readingDots, circles readingMarks) {
	lo, hi := p.limits()
	far := p.far()
	for i, r := range p.Sensors {
		if r.Value < lo || r.Value > hi {
			continue
		}
		if far[i] || len(p.Sensors) <= mostCircles {
			circles = append(circles, r)
		} else {
			dots = append(dots, r)
		}
	}
	return dots, circles
}

// clipped returns the readings beyond the vertical axis.
func (p *Curve) clipped() (out []Reading) {
	lo, hi := p.limits()
	for _, r := range p.Sensors {
		if r.Value < lo || r.Value > hi {
			out = append(out, r)
		}
	}
	return out
}

// far tells which readings are much farther from the mean than most, but not of more than
// mostFar.
func (p *Curve) far() []bool {
	distance := make([]float64, len(p.Sensors))
	for i, r := range p.Sensors {
		if distance[i] = math.Abs(r.Value - p.middle(i)); math.IsNaN(distance[i]) {
			distance[i] = 0
		}
	}
	if len(distance) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(distance))
	const ofNormal = 0.6745 // the median distance of a normal distribution, in standard deviations
	least := farFrom / ofNormal * sorted[len(sorted)/2]
	if k := len(sorted) - mostFar; k > 0 {
		least = math.Max(least, sorted[k-1])
	}
	far := make([]bool, len(distance))
	for i, d := range distance {
		far[i] = d > least
	}
	return far
}

// middle is the mean at the place of a reading, or the nearest estimate; without these, NaN.
func (p *Curve) middle(i int) float64 {
	x := p.Sensors[i].X
	switch {
	case p.Mean != nil:
		k, _ := slices.BinarySearch(p.X, x)
		k = min(max(k, 1), len(p.X)-1)
		t := (x - p.X[k-1]) / (p.X[k] - p.X[k-1])
		return p.Mean[k-1] + t*(p.Mean[k]-p.Mean[k-1])
	case len(p.At) > 0:
		k, _ := slices.BinarySearchFunc(p.At, x, func(e Reading, x float64) int {
			if e.X < x {
				return -1
			}
			return 1
		})
		return p.At[min(k, len(p.At)-1)].Value
	}
	return math.NaN()
}

// readingMarks draws readings as circles with error bars.
type readingMarks []Reading

// Plot implements plot.Plotter.
func (marks readingMarks) Plot(c draw.Canvas, p *plot.Plot) {
	glyph := marks.glyph()
	trX, trY := p.Transforms(&c)
	errorBars(c, p, marks, errorBarStyle)
	for _, r := range marks {
		c.DrawGlyph(glyph, vg.Point{X: trX(r.X), Y: trY(r.Value)})
	}
}

// GlyphBoxes implements plot.GlyphBoxer, so that marks at the edge of the axes
// are not cut.
func (marks readingMarks) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	glyph := marks.glyph()
	glyph.Radius += glyphRim
	return glyphBoxes(marks, glyph, p)
}

// glyph is smaller where there are many.
func (marks readingMarks) glyph() draw.GlyphStyle {
	g := sensorGlyph
	if len(marks) > mostCircles/2 {
		g.Radius *= 0.8
	}
	return g
}

func glyphBoxes(marks []Reading, glyph draw.GlyphStyle, p *plot.Plot) []plot.GlyphBox {
	boxes := make([]plot.GlyphBox, len(marks))
	for i, r := range marks {
		boxes[i] = plot.GlyphBox{X: p.X.Norm(r.X), Y: p.Y.Norm(r.Value), Rectangle: glyph.Rectangle()}
	}
	return boxes
}

func errorBars(c draw.Canvas, p *plot.Plot, marks []Reading, style draw.LineStyle) {
	trX, trY := p.Transforms(&c)
	for _, r := range marks {
		if r.Sigma > 0 {
			x := trX(r.X)
			bar := c.ClipLinesY([]vg.Point{{X: x, Y: trY(r.Value - r.Sigma)}, {X: x, Y: trY(r.Value + r.Sigma)}})
			c.StrokeLines(style, bar...)
		}
	}
}

// beyond draws readings beyond the vertical axis: an arrow at its end, and the value where there is room.
type beyond []Reading

const arrowLength, arrowHead vg.Length = 11, 2.6

// Plot implements plot.Plotter.
func (marks beyond) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	style := textStyle(smallSize, weight.WeightNormal)
	style.YAlign = draw.YCenter
	ends := map[bool]vg.Length{true: c.Min.X, false: c.Min.X} // of the last text, at the top and at the bottom
	sorted := slices.SortedFunc(slices.Values(marks), func(a, b Reading) int { return cmp.Compare(a.X, b.X) })
	for _, r := range sorted {
		x, up := trX(r.X), trY(r.Value) > c.Max.Y
		end, way := c.Min.Y, vg.Length(-1)
		if up {
			end, way = c.Max.Y, 1
		}
		drawArrow(c, vg.Point{X: x, Y: end}, way)
		const gap vg.Length = 5
		text := format.Short(r.Value)
		at := vg.Point{X: x + gap, Y: end - way*arrowLength/2}
		if width := style.Width(text); at.X+width > c.Max.X {
			at.X = x - gap - width
		}
		if at.X < ends[up] {
			continue
		}
		c.FillText(style, at, text)
		ends[up] = at.X + style.Width(text) + gap
	}
}

// drawArrow draws an arrow up (way is 1) or down (-1) that ends at a point.
func drawArrow(c draw.Canvas, end vg.Point, way vg.Length) {
	c.StrokeLine2(errorBarStyle, end.X, end.Y-way*arrowLength, end.X, end.Y-way*arrowHead)
	c.FillPolygon(inkColour, []vg.Point{end, {X: end.X - arrowHead, Y: end.Y - way*2*arrowHead}, {X: end.X + arrowHead, Y: end.Y - way*2*arrowHead}})
}

// readingDots draws many readings, with pale error bars.
type readingDots []Reading

// Plot implements plot.Plotter.
func (marks readingDots) Plot(c draw.Canvas, p *plot.Plot) {
	if len(marks) == 0 {
		return
	}
	trX, trY := p.Transforms(&c)
	errorBars(c, p, marks, marks.bar())
	glyph := marks.glyph()
	for _, r := range marks {
		c.DrawGlyph(glyph, vg.Point{X: trX(r.X), Y: trY(r.Value)})
	}
}

// GlyphBoxes implements plot.GlyphBoxer.
func (marks readingDots) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	return glyphBoxes(marks, marks.glyph(), p)
}

// glyph and bar are the paler the more readings there are.
func (marks readingDots) glyph() draw.GlyphStyle {
	t := min(float64(len(marks))/mostMarks, 1)
	return draw.GlyphStyle{Color: ink(0.65 - 0.25*t), Radius: vg.Length(1.4 - 0.5*t), Shape: draw.CircleGlyph{}}
}

func (marks readingDots) bar() draw.LineStyle {
	t := min(float64(len(marks))/mostMarks, 1)
	return draw.LineStyle{Color: ink(0.3 - 0.2*t), Width: 0.5}
}

// ink is the colour of text, with some opacity.
func ink(opacity float64) color.NRGBA {
	return color.NRGBA{inkColour.R, inkColour.G, inkColour.B, uint8(math.Round(255 * opacity))}
}
