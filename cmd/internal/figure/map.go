package figure

import (
	"image"
	"image/color"
	"math"
	"slices"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/system"
)

// A Map shows a function of two variables as colours, with its colour bar.
type Map struct {
	Frame
	Raster  *Raster
	Values  []float64 // at the nodes of Raster
	Colours ColourMap
	Sensors []Mark

	alike       []*Map // the maps that share the scale of colours; nil for this one alone
	logarithmic bool   // colours are those of the logarithm, see ShareColours
	aside       vg.Length
}

// A Mark is the place of a sensor on a map.
type Mark struct {
	X, Y   float64
	Kind   MarkKind
	SX, SY float64 // sides of the box that an Average is taken over
}

// A MarkKind is what a sensor measures.
type MarkKind int

// The kinds of sensors: of the field that the map shows, of a derivative, another field or
// something else, and of an average over a box.
const (
	Value MarkKind = iota
	Other
	Average
)

// A Raster is the rectangle of a map and the grid of nodes where the function is
// known. The panels of one figure share it.
type Raster struct {
	X, Y          system.Variable
	Columns, Rows int // nodes; node (i, j) has index i*Rows + j, x rising with i and y with j
	Inside        func(x, y float64) bool

	shape *image.Alpha // the domain at the picture's resolution, made by mask
}

// ShareColours lets a colour stand for the same value in all of the maps, unless one of
// them would then have hardly more than one colour: then each has its own scale.
//
// Maps of sizes, such as standard deviations, which are positive, get logarithmic scales
// where most of them would otherwise be as dark as 0.
func ShareColours(maps []*Map, sizes bool) {
	const least = 1. / 3 // of the scale
	for _, m := range maps {
		m.alike = maps
	}
	if sizes && spansDecades(maps) {
		for _, m := range maps {
			m.logarithmic = true
		}
	}
	lo, hi := maps[0].Scale()
	for _, m := range maps {
		if m.logarithmic { // no map is dark all over
			return
		}
		own := *m
		own.alike = nil
		if low, high := own.Scale(); m.position(high, lo, hi)-m.position(low, lo, hi) < least {
			for _, m := range maps {
				m.alike = nil
			}
			return
		}
	}
}

// spansDecades tells whether half of the values are less than an eighth of the largest.
func spansDecades(maps []*Map) bool {
	var all []float64
	for _, m := range maps {
		m.each(func(v float64) { all = append(all, v) })
	}
	slices.Sort(all)
	return len(all) > 0 && all[0] >= 0 && all[len(all)/2] < all[len(all)-1]/8
}

// each calls f with every value of the map that is a number, inside the domain.
func (p *Map) each(f func(v float64)) {
	for k, v := range p.Values {
		x, y := p.Raster.Node(k/p.Raster.Rows, k%p.Raster.Rows)
		if !math.IsNaN(v) && !math.IsInf(v, 0) && p.Raster.Inside(x, y) {
			f(v)
		}
	}
}

// decades of a logarithmic scale: smaller values have its lowest colour.
const mostDecades = 3

// position is the place of a value on the scale from lo to hi, from 0 to 1.
func (p *Map) position(v, lo, hi float64) float64 {
	if p.logarithmic && lo > 0 {
		if !(v > lo) {
			return 0
		}
		return math.Log(v/lo) / math.Log(hi/lo)
	}
	return (v - lo) / (hi - lo)
}

const (
	barWidth    = 9
	barGap      = 8 // between the axes, and marks on their edge, and the colour bar
	barLabelGap = 6 // between the colour bar and its numbers
)

func (p *Map) axes() *plot.Plot {
	axes := p.newPlot()
	along(&axes.X, p.Raster.X)
	along(&axes.Y, p.Raster.Y)
	axes.Add((*mapColours)(p))
	axes.Add(placeMarks(p.Sensors))
	return axes
}

// Scale returns the values that the two ends of the colour map stand for.
func (p *Map) Scale() (lo, hi float64) {
	alike := p.alike
	if alike == nil {
		alike = []*Map{p}
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, q := range alike {
		q.each(func(v float64) { lo, hi = math.Min(lo, v), math.Max(hi, v) })
	}
	if p.logarithmic && hi > 0 {
		return math.Max(lo, hi*math.Pow10(-mostDecades)), hi * (1 + 1e-9)
	}
	if !(lo < hi) || hi-lo <= 1e-12*math.Max(math.Abs(lo), math.Abs(hi)) {
		return widened(lo, hi)
	}
	return lo, hi
}

// barTicks are those of a colour bar of some length.
func (p *Map) barTicks(length vg.Length) []plot.Tick {
	lo, hi := p.Scale()
	if !p.logarithmic || !(lo > 0) {
		return spaced(lo, hi, length, upright).Ticks(lo, hi)
	}
	ticks := decades{}.Ticks(lo, hi)
	labels := 0
	for _, t := range ticks {
		if t.Label != "" {
			labels++
		}
	}
	if labels > intervalsIn(length)+1 {
		ticks = decades{crowded: true}.Ticks(lo, hi)
	}
	return ticks
}

func (p *Map) shape() (aspect float64, right vg.Length) {
	style, widest := textStyle(smallSize, weight.WeightNormal), vg.Length(0)
	for _, t := range p.barTicks(FullWidth) {
		widest = max(widest, style.Width(t.Label))
	}
	return p.Aspect, p.aside + barGap + barWidth + barLabelGap + widest
}

// decorate draws the colour bar.
func (p *Map) decorate(data draw.Canvas) {
	c := draw.Canvas{Canvas: data.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: data.Max.X + p.aside + barGap, Y: data.Min.Y},
		Max: vg.Point{X: data.Max.X + p.aside + barGap + barWidth, Y: data.Max.Y},
	}}
	const steps = 256
	strip := image.NewRGBA(image.Rect(0, 0, 1, steps))
	for i := range steps {
		strip.SetRGBA(0, steps-1-i, p.Colours.at(float64(i)/(steps-1)))
	}
	c.DrawImage(c.Rectangle, strip)
	rim := draw.LineStyle{Color: inkColour, Width: 0.7}
	c.SetLineStyle(rim)
	c.Stroke(c.Rectangle.Path())
	style := textStyle(smallSize, weight.WeightNormal)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	lo, hi := p.Scale()
	for _, t := range p.barTicks(c.Max.Y - c.Min.Y) {
		y := c.Y(p.position(t.Value, lo, hi))
		c.StrokeLine2(rim, c.Max.X, y, c.Max.X+3, y)
		c.FillText(style, vg.Point{X: c.Max.X + barLabelGap, Y: y}, t.Label)
	}
}

// mapColours draws the coloured area of a map panel.
type mapColours Map

// Plot implements plot.Plotter.
func (m *mapColours) Plot(c draw.Canvas, _ *plot.Plot) {
	size := c.Rectangle.Size()
	width, height := int(math.Round(size.X.Dots(figureDPI))), int(math.Round(size.Y.Dots(figureDPI)))
	mask := m.Raster.mask(width, height)
	lo, hi := (*Map)(m).Scale()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for row := range height {
		for column := range width {
			a := mask.AlphaAt(column, row).A
			if a == 0 {
				continue
			}
			v := m.Raster.Interpolate(m.Values, (float64(column)+0.5)/float64(width), 1-(float64(row)+0.5)/float64(height))
			if math.IsNaN(v) {
				continue
			}
			hue := m.Colours.at((*Map)(m).position(v, lo, hi))
			picture.SetNRGBA(column, row, color.NRGBA{hue.R, hue.G, hue.B, a})
		}
	}
	c.DrawImage(c.Rectangle, picture)
}

// Node returns the coordinates of node (i, j).
func (r *Raster) Node(i, j int) (x, y float64) {
	return r.at(float64(i)/float64(r.Columns-1), float64(j)/float64(r.Rows-1))
}

// at returns the coordinates of a place given as fractions of width and height.
func (r *Raster) at(s, t float64) (x, y float64) {
	return r.X.At(s), r.Y.At(t)
}

// Interpolate returns the bilinear interpolant at fractions s and t of width
// and height. Nodes that have no finite value are left out.
func (r *Raster) Interpolate(values []float64, s, t float64) float64 {
	s, t = s*float64(r.Columns-1), t*float64(r.Rows-1)
	i, j := min(int(s), r.Columns-2), min(int(t), r.Rows-2)
	s, t = s-float64(i), t-float64(j)
	sum, weight := 0.0, 0.0
	for _, corner := range [4]struct {
		index  int
		weight float64
	}{
		{i*r.Rows + j, (1 - s) * (1 - t)},
		{i*r.Rows + j + 1, (1 - s) * t},
		{(i+1)*r.Rows + j, s * (1 - t)},
		{(i+1)*r.Rows + j + 1, s * t},
	} {
		if v := values[corner.index]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum += corner.weight * v
			weight += corner.weight
		}
	}
	if weight == 0 {
		return math.NaN()
	}
	return sum / weight
}

// mask returns the domain as opacity, one byte for each pixel of a picture of
// the raster's rectangle.
func (r *Raster) mask(width, height int) *image.Alpha {
	if r.shape != nil && r.shape.Rect.Dx() == width && r.shape.Rect.Dy() == height {
		return r.shape
	}
	inside := func(column, row float64) bool {
		return r.Inside(r.at(column/float64(width), 1-row/float64(height)))
	}
	corners := make([]bool, (width+1)*(height+1))
	for row := range height + 1 {
		for column := range width + 1 {
			corners[row*(width+1)+column] = inside(float64(column), float64(row))
		}
	}
	r.shape = image.NewAlpha(image.Rect(0, 0, width, height))
	for row := range height {
		for column := range width {
			k := row*(width+1) + column
			a, b, c, d := corners[k], corners[k+1], corners[k+width+1], corners[k+width+2]
			switch {
			case a && b && c && d:
				r.shape.SetAlpha(column, row, color.Alpha{A: 255})
			case a || b || c || d:
				r.shape.SetAlpha(column, row, color.Alpha{A: covered(inside, column, row)})
			}
		}
	}
	return r.shape
}

// covered returns which part of a pixel on the domain's boundary is inside, so
// that the boundary is smooth.
func covered(inside func(column, row float64) bool, column, row int) uint8 {
	const samples = 4 // along each side of the pixel
	count := 0
	for s := range samples * samples {
		if inside(float64(column)+(float64(s%samples)+0.5)/samples, float64(row)+(float64(s/samples)+0.5)/samples) {
			count++
		}
	}
	return uint8(count * 255 / (samples * samples))
}
