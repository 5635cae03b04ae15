package figure

import (
	"cmp"
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

// A Map shows a function of two variables as colours, with its colour bar above. The title
// names the quantity and its unit.
type Map struct {
	Frame
	Raster  *Raster
	Values  []float64 // at the nodes of Raster; nil: the map shows Dots, on a pale domain
	Colours ColourMap
	Dots    []Dot
	Sensors []Mark
	Tracks  []Track

	alike       []*Map // the maps that share the scale of colours; nil for this one alone
	logarithmic bool   // colours are those of the logarithm, see ShareColours
}

// A Dot is a place with a value, which is its colour.
type Dot struct{ X, Y, Value float64 }

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
	for _, d := range p.Dots {
		f(d.Value)
	}
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

// The colour bar stands between the heading, which names the quantity and its unit, and
// the map, and is as wide as the map. Beside the map it would take a third of the width.
const (
	barHeight   vg.Length = 7
	barGap      vg.Length = 6 // between the colour bar and the axes, with marks on their edge
	barTick     vg.Length = 3
	barLabel    vg.Length = 12 // height of its numbers
	barLeastGap vg.Length = 6  // between two numbers
)

func (p *Map) axes() *plot.Plot {
	axes := p.newPlot()
	along(&axes.X, p.Raster.X, p.XDates)
	along(&axes.Y, p.Raster.Y, p.YDates)
	axes.Add((*mapColours)(p), (*mapDots)(p))
	axes.Add(trackLines(p.Tracks), placeMarks(p.Sensors))
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

// barTicks are those of a colour bar of some length. No two labels overlap.
func (p *Map) barTicks(length vg.Length) []plot.Tick {
	style := textStyle(smallSize, weight.WeightNormal)
	lo, hi := p.Scale()
	if !p.logarithmic || !(lo > 0) {
		return spaced(lo, hi, length, beside(style)).Ticks(lo, hi)
	}
	ticks := decades{}.Ticks(lo, hi)
	end := vg.Length(math.Inf(-1))
	crowded := false
	for _, crowd := range []bool{false, true} {
		ticks, end, crowded = decades{crowd}.Ticks(lo, hi), vg.Length(math.Inf(-1)), false
		for i, t := range ticks {
			if t.Label == "" {
				continue
			}
			half, middle := style.Width(t.Label)/2, length*vg.Length(p.position(t.Value, lo, hi))
			if middle-half < end+barLeastGap {
				crowded, ticks[i].Label = true, ""
				continue
			}
			end = middle + half
		}
		if !crowded {
			break
		}
	}
	return ticks
}

func (p *Map) shape() (aspect float64, room sides) {
	room.top = barLabel + barTick + barHeight + barGap
	const length = 120 // about that of a bar of one in two columns
	style := textStyle(smallSize, weight.WeightNormal)
	lo, hi := p.Scale()
	for _, t := range p.barTicks(length) {
		half, place := style.Width(t.Label)/2, length*vg.Length(p.position(t.Value, lo, hi))
		room.left, room.right = max(room.left, half-place), max(room.right, half-(length-place))
	}
	return p.Aspect, room
}

// mapOf returns the map that a panel shows.
func mapOf(p Panel) (m *Map, ok bool) {
	switch p := p.(type) {
	case *Map:
		return p, true
	case *MarkedMap:
		return p.Map, true
	}
	return nil, false
}

// decorate draws the colour bar.
func (p *Map) decorate(data draw.Canvas, top vg.Length) {
	top -= barLabel + barTick
	c := draw.Canvas{Canvas: data.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: data.Min.X, Y: top - barHeight},
		Max: vg.Point{X: data.Max.X, Y: top},
	}}
	const steps = 256
	strip := image.NewRGBA(image.Rect(0, 0, steps, 1))
	for i := range steps {
		strip.SetRGBA(i, 0, p.Colours.at(float64(i)/(steps-1)))
	}
	c.DrawImage(c.Rectangle, strip)
	rim := draw.LineStyle{Color: inkColour, Width: 0.7}
	c.SetLineStyle(rim)
	c.Stroke(c.Rectangle.Path())
	style := textStyle(smallSize, weight.WeightNormal)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	lo, hi := p.Scale()
	for _, t := range p.barTicks(c.Max.X - c.Min.X) {
		x := c.X(p.position(t.Value, lo, hi))
		tick := barTick
		if t.Label == "" {
			tick /= 2
		}
		c.StrokeLine2(rim, x, c.Max.Y, x, c.Max.Y+tick)
		c.FillText(style, vg.Point{X: x, Y: c.Max.Y + barTick + barLabel/2}, t.Label)
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
			if m.Values == nil {
				picture.SetNRGBA(column, row, color.NRGBA{paleColour.R, paleColour.G, paleColour.B, a})
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

// paleColour is that of a domain without values.
var paleColour = rgb(0xeeeeee)

// mostDots is how many dots a map shows.
const mostDots = 5000

// ThinDots sorts dots by their values, so that high ones are drawn last, and of very many
// keeps the highest and one in step of the others.
func ThinDots(dots []Dot) (kept []Dot, step int) {
	kept = slices.Clone(dots)
	slices.SortStableFunc(kept, func(a, b Dot) int { return cmp.Compare(a.Value, b.Value) })
	if len(kept) <= mostDots {
		return kept, 1
	}
	const best = mostDots / 3
	others, top := kept[:len(kept)-best], kept[len(kept)-best:]
	step = (len(others) + mostDots - best - 1) / (mostDots - best)
	var list []Dot
	for i := 0; i < len(others); i += step {
		list = append(list, others[i])
	}
	return append(list, top...), step
}

// mapDots draws the dots of a map.
type mapDots Map

// glyph is smaller where there are many. All together they cover a third of a map.
func (m *mapDots) glyph() draw.GlyphStyle {
	const share, area, least, most = 0.3, 150 * 150, 1, 4
	r := math.Sqrt(share * area / (math.Pi * float64(max(len(m.Dots), 1))))
	return draw.GlyphStyle{Radius: vg.Length(min(max(r, least), most)), Shape: draw.CircleGlyph{}}
}

// Plot implements plot.Plotter.
func (m *mapDots) Plot(c draw.Canvas, p *plot.Plot) {
	if len(m.Dots) == 0 {
		return
	}
	trX, trY := p.Transforms(&c)
	lo, hi := (*Map)(m).Scale()
	g, rim := m.glyph(), m.glyph()
	rim.Color = inkColour
	rim.Radius += thinRim
	for _, d := range m.Dots {
		at := vg.Point{X: trX(d.X), Y: trY(d.Y)}
		if g.Radius > 2 { // a dot as pale as the map is seen
			c.DrawGlyph(rim, at)
		}
		g.Color = m.Colours.at((*Map)(m).position(d.Value, lo, hi))
		c.DrawGlyph(g, at)
	}
}

// GlyphBoxes implements plot.GlyphBoxer.
func (m *mapDots) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	g := m.glyph()
	g.Radius += thinRim
	boxes := make([]plot.GlyphBox, len(m.Dots))
	for i, d := range m.Dots {
		boxes[i] = plot.GlyphBox{X: p.X.Norm(d.X), Y: p.Y.Norm(d.Y), Rectangle: g.Rectangle()}
	}
	return boxes
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
