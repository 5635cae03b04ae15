package figure

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Format is a way to write a figure. It is also the extension of its files.
type Format string

// The formats of figures.
const (
	PNG Format = "png"
	SVG Format = "svg"
	PDF Format = "pdf"
)

// Formats are all formats of figures.
var Formats = []Format{PNG, SVG, PDF}

// FormatOf returns the format that the extension of a file's name states. ok is false
// for others.
func FormatOf(name string) (f Format, ok bool) {
	f = Format(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]))
	return f, slices.Contains(Formats, f)
}

// Write draws the figure in a format. The same figure gives the same bytes, whatever
// the time and the fonts of the machine.
func (f *Figure) Write(w io.Writer, format Format) error {
	width, height, rows := f.measure()
	switch format {
	case PNG:
		canvas := newImage(width, height)
		f.drawOn(draw.NewCanvas(canvas, width, height), width, height, rows)
		fast := png.Encoder{CompressionLevel: png.BestSpeed} // twice as fast, and a tenth larger
		return fast.Encode(w, canvas.Image())
	case SVG:
		canvas := vgsvg.New(width, height)
		f.drawOn(draw.New(&outlines{canvas, canvas}), width, height, rows)
		return f.writeSVG(w, canvas)
	case PDF:
		canvas := vgpdf.New(width, height)
		f.drawOn(draw.New(&straight{outlines{canvas, canvas}}), width, height, rows)
		_, err := canvas.WriteTo(w)
		return err
	}
	return fmt.Errorf("figures have no format %q", format)
}

// newImage returns an image canvas, as vgimg.NewWith does for a width and a height, but without making and copying a second image.
func newImage(width, height vg.Length) *vgimg.Canvas {
	pixels := func(v vg.Length) int { return int(v.Dots(figureDPI) + 0.5) }
	picture := image.NewRGBA(image.Rect(0, 0, pixels(width), pixels(height)))
	context := gg.NewContextForRGBA(picture)
	context.SetLineCapButt()
	context.InvertY()
	return vgimg.NewWith(vgimg.UseImageWithContext(picture, context), vgimg.UseDPI(figureDPI))
}

// Writer returns Write in a format.
func (f *Figure) Writer(format Format) func(io.Writer) error {
	return func(w io.Writer) error { return f.Write(w, format) }
}

// writeSVG adds a title, which is what screen readers say of a picture without text,
// and corrects the type of the images inside, which must fill their rectangles.
func (f *Figure) writeSVG(w io.Writer, canvas *vgsvg.Canvas) error {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	text := bytes.ReplaceAll(b.Bytes(), []byte(`xlink:href="data:image/jpg;`), []byte(`preserveAspectRatio="none" xlink:href="data:image/png;`))
	const head = `xmlns:xlink="http://www.w3.org/1999/xlink">`
	titled := head + "\n<title>" + html.EscapeString(strings.ToValidUTF8(f.Title, "\uFFFD")) + "</title>"
	_, err := w.Write(bytes.Replace(text, []byte(head), []byte(titled), 1))
	return err
}

func init() { // or a PDF would hold the time at which it was made
	date := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(date)
	fpdf.SetDefaultModificationDate(date)
	fpdf.SetDefaultCatalogSort(true)
}

// outlines is a vector canvas on which text and circles are curves. A picture then
// looks the same where its font is missing, can hold every letter that the font has, and
// needs no copy of the font.
type outlines struct {
	vg.Canvas
	sizer vg.CanvasSizer
}

// Size implements vg.CanvasSizer.
func (o *outlines) Size() (width, height vg.Length) { return o.sizer.Size() }

// Stroke implements vg.Canvas.
func (o *outlines) Stroke(p vg.Path) { o.Canvas.Stroke(withoutArcs(p)) }

// Fill implements vg.Canvas.
func (o *outlines) Fill(p vg.Path) { o.Canvas.Fill(withoutArcs(p)) }

// FillString implements vg.Canvas.
func (o *outlines) FillString(face font.Face, at vg.Point, text string) {
	if path := textPath(face, at, text); len(path) > 0 {
		o.Canvas.Fill(path)
	}
}

// straight corrects what vgpdf gets wrong: it turns images upside down, and takes the
// product of a colour and its opacity for the colour.
type straight struct{ outlines }

// DrawImage implements vg.Canvas.
func (s *straight) DrawImage(in vg.Rectangle, m image.Image) {
	size := m.Bounds()
	turned := image.NewNRGBA(image.Rect(0, 0, size.Dx(), size.Dy()))
	for y := range size.Dy() {
		for x := range size.Dx() {
			turned.Set(x, size.Dy()-1-y, m.At(size.Min.X+x, size.Min.Y+y))
		}
	}
	s.outlines.DrawImage(in, turned)
}

// SetColor implements vg.Canvas.
func (s *straight) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	s.outlines.SetColor(asIs(color.NRGBAModel.Convert(c).(color.NRGBA)))
}

// asIs is a colour whose RGBA are not multiplied by the opacity.
type asIs color.NRGBA

// RGBA implements color.Color.
func (c asIs) RGBA() (r, g, b, a uint32) {
	return 0x101 * uint32(c.R), 0x101 * uint32(c.G), 0x101 * uint32(c.B), 0x101 * uint32(c.A)
}

// withoutArcs replaces arcs by cubic curves, which are off by less than 0.03 % of the
// radius.
func withoutArcs(p vg.Path) vg.Path {
	if !slices.ContainsFunc(p, func(c vg.PathComp) bool { return c.Type == vg.ArcComp }) {
		return p
	}
	var q vg.Path
	for _, c := range p {
		if c.Type != vg.ArcComp {
			q = append(q, c)
			continue
		}
		at := func(angle float64) (x, y float64) { return math.Cos(angle), math.Sin(angle) }
		point := func(x, y float64) vg.Point {
			return vg.Point{X: c.Pos.X + c.Radius*vg.Length(x), Y: c.Pos.Y + c.Radius*vg.Length(y)}
		}
		n := max(1, int(math.Ceil(math.Abs(c.Angle)/(math.Pi/2))))
		step := c.Angle / float64(n)
		handle := 4. / 3 * math.Tan(step/4)
		first := point(at(c.Start))
		if len(q) == 0 {
			q.Move(first)
		} else {
			q.Line(first)
		}
		for i := range n {
			x0, y0 := at(c.Start + float64(i)*step)
			x1, y1 := at(c.Start + float64(i+1)*step)
			q.CubeTo(point(x0-handle*y0, y0+handle*x0), point(x1+handle*y1, y1-handle*x1), point(x1, y1))
		}
	}
	return q
}

// textPath returns the outlines of a text that begins at a point, with the widths and
// kerning of font.Face.Width, by which the text was placed.
func textPath(face font.Face, at vg.Point, text string) vg.Path {
	var (
		buffer sfnt.Buffer
		path   vg.Path
		units  = fixed.I(int(face.Face.UnitsPerEm()))
		pen    fixed.Int26_6
		before sfnt.GlyphIndex
	)
	scale := face.Font.Size / vg.Length(face.Face.UnitsPerEm()) / 64
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(pen+p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
	}
	for i, r := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if kern, err := face.Face.Kern(&buffer, before, glyph, units, 0); err == nil {
				pen += kern
			}
		}
		if segments, err := face.Face.LoadGlyph(&buffer, glyph, units, nil); err == nil {
			for k, s := range segments {
				switch s.Op {
				case sfnt.SegmentOpMoveTo:
					if k > 0 {
						path.Close()
					}
					path.Move(point(s.Args[0]))
				case sfnt.SegmentOpLineTo:
					path.Line(point(s.Args[0]))
				case sfnt.SegmentOpQuadTo:
					path.QuadTo(point(s.Args[0]), point(s.Args[1]))
				case sfnt.SegmentOpCubeTo:
					path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
				}
			}
			if len(segments) > 0 {
				path.Close()
			}
		}
		if advance, err := face.Face.GlyphAdvance(&buffer, glyph, units, 0); err == nil {
			pen += advance
		}
		before = glyph
	}
	return path
}
