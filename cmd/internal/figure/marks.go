package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placeMarks draws the places of sensors: a circle for the field itself, a diamond for
// something else, and the box of an average with a square in its middle. Their shapes
// differ, so that no colour need be told from another.
type placeMarks []Mark

var boxStyle = draw.LineStyle{Color: color.White, Width: 0.7}

// glyph returns how a sensor is drawn, of so many.
func (k MarkKind) glyph(n int) draw.GlyphStyle {
	g := draw.GlyphStyle{Color: inkColour, Radius: placeRadius(n), Shape: dot{}}
	switch k {
	case Other:
		g.Shape = outlined(rhombus)
		g.Radius *= 1.3
	case Average:
		g.Shape = outlined(square)
	}
	return g
}

// Plot implements plot.Plotter.
func (marks placeMarks) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for _, m := range marks {
		if m.Kind != Average {
			continue
		}
		low := vg.Point{X: max(trX(m.X-m.SX/2), c.Min.X), Y: max(trY(m.Y-m.SY/2), c.Min.Y)}
		high := vg.Point{X: min(trX(m.X+m.SX/2), c.Max.X), Y: min(trY(m.Y+m.SY/2), c.Max.Y)}
		ring := []vg.Point{low, {X: high.X, Y: low.Y}, high, {X: low.X, Y: high.Y}, low}
		c.StrokeLines(draw.LineStyle{Color: inkColour, Width: 1.5}, ring)
		c.StrokeLines(boxStyle, ring)
	}
	if len(marks) <= mostSingle {
		for _, m := range marks {
			c.DrawGlyph(m.Kind.glyph(len(marks)), vg.Point{X: trX(m.X), Y: trY(m.Y)})
		}
		return
	}
	// All rims, then all marks: where they overlap, as readings of a sensor that stays do in
	// time, they are one white shape with a rim, and not a black one.
	for _, rim := range []bool{true, false} {
		for _, m := range marks {
			g := m.Kind.glyph(len(marks))
			if g.Color = color.White; rim {
				g.Color = inkColour
				g.Radius += thinRim
			}
			fillShape(c, g, vg.Point{X: trX(m.X), Y: trY(m.Y)})
		}
	}
}

// A Track is where a sensor stayed while it read again and again, on a map whose vertical axis is the time. One that
// paused has several.
type Track struct {
	X, From, To float64
	Kind        MarkKind
}

var (
	trackRim   = draw.LineStyle{Color: ink(0.5), Width: 1.3}
	trackStyle = draw.LineStyle{Color: color.White, Width: 0.6}
)

// Tracks replaces the marks of sensors that read often by their tracks, on a map of times and where there are many marks:
// as marks they would be white bars.
func Tracks(marks []Mark, times bool) (tracks []Track, others []Mark) {
	const often, pause = 8, 3 // readings, and usual steps between them
	if !times || len(marks) <= mostSingle {
		return nil, marks
	}
	rest := slices.Clone(marks)
	slices.SortStableFunc(rest, func(a, b Mark) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	rest = slices.Compact(rest)
	for start, end := 0, 0; start < len(rest); start = end {
		for end = start; end < len(rest) && rest[end].Kind == rest[start].Kind && rest[end].X == rest[start].X; end++ {
		}
		station := rest[start:end]
		if len(station) < often || station[0].Kind == Average {
			others = append(others, station...)
			continue
		}
		var steps []float64
		for i := 1; i < len(station); i++ {
			steps = append(steps, station[i].Y-station[i-1].Y)
		}
		usual := slices.Sorted(slices.Values(steps))[len(steps)/2]
		first := 0
		for i := range station {
			if i < len(steps) && steps[i] <= pause*usual {
				continue
			}
			if first == i {
				others = append(others, station[i])
			} else {
				tracks = append(tracks, Track{station[i].X, station[first].Y, station[i].Y, station[i].Kind})
			}
			first = i + 1
		}
	}
	return tracks, others
}

// trackLines draws tracks.
type trackLines []Track

// Plot implements plot.Plotter.
func (tracks trackLines) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for _, t := range tracks {
		strokeTrack(c, t.Kind, vg.Point{X: trX(t.X), Y: trY(t.From)}, vg.Point{X: trX(t.X), Y: trY(t.To)})
	}
}

// strokeTrack draws a line, which is dashed for sensors of other quantities.
func strokeTrack(c draw.Canvas, kind MarkKind, from, to vg.Point) {
	inner := trackStyle
	if kind == Other {
		inner.Dashes = []vg.Length{3, 2}
	}
	c.StrokeLines(trackRim, []vg.Point{from, to})
	c.StrokeLines(inner, []vg.Point{from, to})
}

const (
	mostSingle           = 60  // marks of which each has its rim
	thinRim    vg.Length = 0.4 // of the others
)

// placeRadius is the radius of each of n marks on a map. All together they cover a sixteenth of
// it at most, or of one that is half a figure wide.
func placeRadius(n int) vg.Length {
	const share, area, least = 0.06, 150 * 150, 0.6
	return min(max(vg.Length(math.Sqrt(share*area/(math.Pi*float64(max(n, 1))))), least), sensorGlyph.Radius)
}

// fillShape draws the shape of a mark without a rim.
func fillShape(c draw.Canvas, g draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	if o, ok := g.Shape.(outlined); ok {
		path = o.path(g.Radius, at)
	} else {
		path.Move(vg.Point{X: at.X + g.Radius, Y: at.Y})
		path.Arc(at, g.Radius, 0, 2*math.Pi)
		path.Close()
	}
	c.SetColor(g.Color)
	c.Fill(path)
}

// GlyphBoxes implements plot.GlyphBoxer, so that marks at the edge of the axes are not cut.
func (marks placeMarks) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	boxes := make([]plot.GlyphBox, len(marks))
	for i, m := range marks {
		g := m.Kind.glyph(len(marks))
		g.Radius += glyphRim
		boxes[i] = plot.GlyphBox{X: p.X.Norm(m.X), Y: p.Y.Norm(m.Y), Rectangle: g.Rectangle()}
	}
	return boxes
}

// outlined is a white shape with a dark rim; its corners are in units of the radius.
type outlined [][2]float64

var (
	rhombus = [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	square  = [][2]float64{{0.85, 0.85}, {-0.85, 0.85}, {-0.85, -0.85}, {0.85, -0.85}}
)

// DrawGlyph implements draw.GlyphDrawer.
func (o outlined) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	path := o.path(style.Radius, at)
	c.SetColor(color.White)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: glyphRim})
	c.Stroke(path)
}

func (o outlined) path(radius vg.Length, at vg.Point) (path vg.Path) {
	for i, corner := range o {
		p := vg.Point{X: at.X + radius*vg.Length(corner[0]), Y: at.Y + radius*vg.Length(corner[1])}
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	return path
}

// dot is a white circle with a dark rim, which is visible on every colour.
type dot struct{}

const glyphRim = 0.8

// DrawGlyph implements draw.GlyphDrawer.
func (dot) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	path.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
	path.Arc(at, style.Radius, 0, 2*math.Pi)
	path.Close()
	c.SetColor(color.White)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: glyphRim})
	c.Stroke(path)
}
