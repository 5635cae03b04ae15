package figure

import (
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// FullWidth is the width of a figure, in points: two panels side by side. WideWidth is
// that of figures with more columns.
const (
	FullWidth = 400
	WideWidth = 720
)

// Sizes of every figure: where a figure of FullWidth is printed 80 mm wide, as one
// column of a journal, the smallest text is 6 points high.
const (
	figureDPI = 220
	textSize  = 11.5
	smallSize = 10.5
	titleSize = 13.5

	figureMargin    vg.Length = 8
	panelGap        vg.Length = 12
	titleLine       vg.Length = 18 // height of a line of the title
	legendLine      vg.Length = 17
	panelTitleSpace vg.Length = 20
)

var (
	inkColour   = rgb(0x222222) // text, axes
	meanColour  = rgb(0x1f4e9c)
	bandColour  = color.NRGBA{0x1f, 0x4e, 0x9c, 0x38}
	exactColour = rgb(0xc8321f)
)

// A Panel is one set of axes of a figure.
type Panel interface {
	heading() string
	wide() bool
	axes() *plot.Plot // without a title
	// shape returns the height of the axes over their width, and the width
	// that decorate needs to their right.
	shape() (aspect float64, right vg.Length)
	// decorate draws what stands beside the data area.
	decorate(data draw.Canvas)
}

// A Frame is what every panel has: labels and proportions.
type Frame struct {
	Title, XLabel, YLabel string
	Aspect                float64 // height of the axes over their width
	Log                   bool    // the horizontal axis is logarithmic
	Wide                  bool    // the panel is alone in its row, and fills it
}

func (f *Frame) wide() bool                  { return f.Wide }
func (f *Frame) heading() string             { return f.Title }
func (f *Frame) shape() (float64, vg.Length) { return f.Aspect, 0 }
func (f *Frame) decorate(draw.Canvas)        {}

// A Figure is one picture: a title, a legend for all panels, and the panels row
// by row.
type Figure struct {
	Title  string
	Legend []Entry
	Width  float64 // in points; 0: FullWidth
	Rows   [][]Panel
}

// Narrow makes a figure with a single column narrower, so that its panels are not much
// larger than those of other figures.
func (f *Figure) Narrow(columns int) {
	if columns == 1 {
		f.Width = 0.62 * FullWidth
	}
}

// measure returns the size of the figure, and its panels with their measures.
func (f *Figure) measure() (width, height vg.Length, rows [][]placed) {
	if width = vg.Length(f.Width); width == 0 {
		width = FullWidth
	}
	rows = f.layOut(f.columnWidth(width), width-2*figureMargin)
	return width, f.height(width, rows), rows
}

// columnWidth is the width of each column of panels.
func (f *Figure) columnWidth(width vg.Length) vg.Length {
	columns := 1
	for _, row := range f.Rows {
		columns = max(columns, len(row))
	}
	return (width - 2*figureMargin - vg.Length(columns-1)*panelGap) / vg.Length(columns)
}

// drawOn draws the figure.
func (f *Figure) drawOn(c draw.Canvas, width, height vg.Length, rows [][]placed) {
	columnWidth := f.columnWidth(width)
	top := f.drawHead(c, width, height)
	for _, row := range rows {
		for column, p := range row {
			left := figureMargin + vg.Length(column)*(columnWidth+panelGap)
			right := left + columnWidth
			if p.panel.wide() {
				right = width - figureMargin
			}
			p.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: left, Y: top - p.height},
				Max: vg.Point{X: right, Y: top},
			}})
		}
		top -= rowHeight(row) + panelGap
	}
}

// height is that of the whole figure.
func (f *Figure) height(width vg.Length, rows [][]placed) vg.Length {
	lines, _ := f.titleLines(width)
	height := 2*figureMargin - panelGap + titleLine*vg.Length(len(lines)) + headGap
	height += legendLine * vg.Length(len(legendRows(f.Legend, width-2*figureMargin)))
	for _, row := range rows {
		height += rowHeight(row) + panelGap
	}
	return height
}

// headGap is between title and legend, and the panels.
const headGap vg.Length = 5

// titleLines returns the title in the largest size in which it fits one line, or else in
// two lines, the second of which may be shortened.
func (f *Figure) titleLines(width vg.Length) (lines []string, style text.Style) {
	style = textStyle(titleSize, weight.WeightBold)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	width -= 2 * figureMargin
	for style.Font.Size > textSize && style.Width(f.Title) > width {
		style.Font.Size -= 0.5
	}
	first, rest := f.Title, ""
	for style.Width(first) > width {
		space := strings.LastIndexByte(first, ' ')
		if space < 0 {
			first, rest = fitText(f.Title, style, width), ""
			break
		}
		first, rest = first[:space], f.Title[space+1:]
	}
	if rest == "" {
		return []string{first}, style
	}
	return []string{first, fitText(rest, style, width)}, style
}

// drawHead draws title and legend and returns where the panels begin.
func (f *Figure) drawHead(c draw.Canvas, width, height vg.Length) (top vg.Length) {
	top = height - figureMargin
	lines, style := f.titleLines(width)
	for _, line := range lines {
		c.FillText(style, vg.Point{X: width / 2, Y: top - titleLine/2}, line)
		top -= titleLine
	}
	for _, row := range legendRows(f.Legend, width-2*figureMargin) {
		drawLegend(c, row, vg.Point{X: width / 2, Y: top - legendLine/2})
		top -= legendLine
	}
	return top - headGap
}

// placed is a panel with its measures.
type placed struct {
	panel              Panel
	axes               *plot.Plot
	left, right, above vg.Length // free space around the plot
	height             vg.Length
}

// layOut measures the panels for columns of the given width, and wide panels for all of
// them. All other panels get axes of the same width.
func (f *Figure) layOut(width, whole vg.Length) [][]placed {
	rows := make([][]placed, len(f.Rows))
	left, right := vg.Length(0), vg.Length(0)
	for i, row := range f.Rows {
		for _, p := range row {
			q := placed{panel: p, axes: p.axes()}
			q.left, q.height = overhead(q.axes)
			_, q.right = p.shape()
			if !p.wide() {
				left, right = max(left, q.left), max(right, q.right)
			}
			if p.heading() != "" {
				q.above = panelTitleSpace
			}
			rows[i] = append(rows[i], q)
		}
	}
	for _, row := range rows {
		for i := range row {
			q := &row[i]
			aspect, _ := q.panel.shape()
			across := width - left - right
			if q.panel.wide() {
				across = whole - max(left, q.left) - q.right
			}
			q.height += q.above + across*vg.Length(aspect)
			if q.left = max(0, left-q.left); !q.panel.wide() {
				q.right = right
			}
			fitTicks(&q.axes.X, across)
			fitLabel(&q.axes.X, across)
			fitHeight(&q.axes.Y, across*vg.Length(aspect))
			fitLabel(&q.axes.Y, across*vg.Length(aspect))
		}
	}
	return rows
}

// fitLabel makes the label of an axis smaller, then shorter, until it is no longer than the axis. A short one may
// stand out a little. What it ends with in parentheses, such as a unit, is kept if there is room for it.
func fitLabel(axis *plot.Axis, length vg.Length) {
	style, most := &axis.Label.TextStyle, max(length, 60)
	whole := axis.Label.Text
	axis.Label.Text = fitted(whole, style, most)
	if i := strings.LastIndex(whole, " ("); i > 0 && axis.Label.Text != whole {
		if head := fitText(whole[:i], *style, most-style.Width(whole[i:])); head != "..." {
			axis.Label.Text = head + whole[i:]
		}
	}
}

// fitted makes a text smaller, then shorter, until it is no wider than width.
func fitted(s string, style *text.Style, width vg.Length) string {
	for style.Font.Size > smallSize-2 && style.Width(s) > width {
		style.Font.Size -= 0.5
	}
	return fitText(s, *style, width)
}

func rowHeight(row []placed) vg.Length {
	height := vg.Length(0)
	for _, p := range row {
		height = max(height, p.height)
	}
	return height
}

// draw draws the panel into c, which has its height.
func (p *placed) draw(c draw.Canvas) {
	area := draw.Crop(c, p.left, -p.right, 0, -p.above)
	data := p.axes.DataCanvas(area)
	p.axes.Draw(area)
	if title := p.panel.heading(); title != "" {
		style := textStyle(textSize, weight.WeightNormal)
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		middle := data.Center().X
		title = fitted(title, &style, 2*min(middle-c.Min.X, c.Max.X-middle))
		c.FillText(style, vg.Point{X: middle, Y: c.Max.Y - p.above/2}, title)
	}
	p.panel.decorate(data)
}

// newPlot returns empty axes in the common style.
func (f *Frame) newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(textSize, weight.WeightNormal)
		axis.Label.TextStyle.Color = inkColour
		axis.Label.Padding = 3
		axis.Tick.Label.Font = sans(smallSize, weight.WeightNormal)
		axis.Tick.Label.Color = inkColour
		axis.Tick.Marker = ticker{}
		axis.Tick.Length = 4
		axis.Padding = 0
		axis.LineStyle = draw.LineStyle{Color: inkColour, Width: 0.7}
		axis.Tick.LineStyle = axis.LineStyle
	}
	if utf8.RuneCountInString(f.YLabel) == 1 {
		p.Y.Label.TextStyle.Rotation = -math.Pi / 2 // upright: a letter on its side is hard to read
		p.Y.Label.Padding = 6
	}
	return p
}

// overhead returns how much of the width and height of p its axes and labels
// take.
func overhead(p *plot.Plot) (width, height vg.Length) {
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 1000, Y: 1000}}}
	size := p.DataCanvas(c).Rectangle.Size()
	return 1000 - size.X, 1000 - size.Y
}

func sans(size vg.Length, w weight.Weight) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Weight: w, Size: size}
}

func textStyle(size vg.Length, w weight.Weight) text.Style {
	return text.Style{Color: inkColour, Font: sans(size, w), Handler: plot.DefaultTextHandler}
}

// fitText shortens s until it is no wider than width.
func fitText(s string, style text.Style, width vg.Length) string {
	letters := []rune(s)
	for short := s; ; short = string(letters) + "..." {
		if style.Width(short) <= width || len(letters) == 0 {
			return short
		}
		letters = letters[:len(letters)-1]
	}
}
