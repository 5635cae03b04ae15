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

	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
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
	// shape returns the height of the axes over their width, and what decorate needs
	// beside them. Room above is between the heading and the axes.
	shape() (aspect float64, room sides)
	// decorate draws what stands beside the data area; the heading ends at top.
	decorate(data draw.Canvas, top vg.Length)
}

// sides are lengths around a rectangle.
type sides struct{ left, right, bottom, top vg.Length }

// A Frame is what every panel has: labels and proportions.
type Frame struct {
	Title, XLabel, YLabel string
	Aspect                float64         // height of the axes over their width
	Log                   bool            // the horizontal axis is logarithmic
	XDates, YDates        *readings.Clock // an axis has dates by this clock, see DatesOf, and its label names no unit; nil: it has numbers
	Wide                  bool            // the panel is alone in its row, and fills it
}

func (f *Frame) wide() bool                      { return f.Wide }
func (f *Frame) heading() string                 { return f.Title }
func (f *Frame) shape() (float64, sides)         { return f.Aspect, sides{} }
func (f *Frame) decorate(draw.Canvas, vg.Length) {}

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
	rows, height = f.layOut(width - 2*figureMargin)
	lines, _ := f.titleLines(width)
	height += 2*figureMargin + titleLine*vg.Length(len(lines)) + headGap
	height += legendLine * vg.Length(len(legendRows(f.Legend, width-2*figureMargin)))
	return width, height, rows
}

// drawOn draws the figure.
func (f *Figure) drawOn(c draw.Canvas, width, height vg.Length, rows [][]placed) {
	top := f.drawHead(c, width, height)
	for _, row := range rows {
		for i := range row {
			row[i].draw(c, vg.Point{X: figureMargin, Y: top})
		}
	}
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

// placed is a panel with its place. Lengths to the right and up are from the upper left
// corner of all panels.
type placed struct {
	panel Panel
	axes  *plot.Plot
	room  sides        // what decorate needs
	pad   sides        // what the axes need around the data area
	whole [2]plot.Axis // horizontal and vertical, before fit
	data  vg.Rectangle
	from  vg.Length // where its column begins
	to    vg.Length // and ends
	top   vg.Length // of the panel
}

// spacing is how much room the panels leave beside the data areas.
type spacing struct {
	left, right []vg.Length // of each column
	across      vg.Length   // width of each data area
}

// layOut places the panels below each other and side by side in the given width, and
// returns their height. All data areas are equally wide, except those of wide panels;
// those of one row begin at the same height.
func (f *Figure) layOut(whole vg.Length) (rows [][]placed, height vg.Length) {
	for _, row := range f.Rows {
		var list []placed
		for _, p := range row {
			q := placed{panel: p, axes: p.axes()}
			_, q.room = p.shape()
			q.pad = padding(q.axes, 1000, 1000)
			list = append(list, q)
		}
		rows = append(rows, list)
	}
	hideInner(rows)
	for _, row := range rows {
		for i := range row {
			row[i].whole = [2]plot.Axis{row[i].axes.X, row[i].axes.Y}
		}
	}
	space := spaceOf(rows, whole)
	for fitted := vg.Length(math.Inf(1)); space.across < fitted; {
		fitted = space.across
		for _, row := range rows {
			for i := range row {
				row[i].fit(space.acrossOf(&row[i], whole))
			}
		}
		space = spaceOf(rows, whole) // the labels that are left mostly need less
	}
	for _, row := range rows {
		bars, plain, below := vg.Length(0), vg.Length(0), vg.Length(0) // above panels with colour bars, and others
		for i := range row {
			q := &row[i]
			aspect, _ := q.panel.shape()
			if q.room.top > 0 {
				bars = max(bars, q.above())
			} else {
				plain = max(plain, q.above())
			}
			below = max(below, q.pad.bottom+space.acrossOf(q, whole)*vg.Length(aspect))
		}
		above := max(bars, plain)
		for i := range row {
			head := plain // headings are side by side, and so are colour bars; that of a panel beside maps is next to it
			if row[i].room.top > 0 {
				head = bars
			}
			row[i].place(i, space, whole, height+above)
			row[i].top = head - height - above
		}
		height += above + below + panelGap
	}
	return rows, height - panelGap
}

// spaceOf measures columns.
func spaceOf(rows [][]placed, whole vg.Length) spacing {
	s := spacing{}
	for _, row := range rows {
		for i, q := range row {
			if i == len(s.left) {
				s.left, s.right = append(s.left, 0), append(s.right, 0)
			}
			if !q.panel.wide() {
				s.left[i], s.right[i] = max(s.left[i], q.pad.left, q.room.left), max(s.right[i], q.pad.right, q.room.right)
			}
		}
	}
	s.across = whole - vg.Length(len(s.left)-1)*panelGap
	for i := range s.left {
		s.across -= s.left[i] + s.right[i]
	}
	const least = 20 // where labels leave nothing
	s.across = max(s.across/vg.Length(len(s.left)), least)
	return s
}

// acrossOf is the width of a panel's data area.
func (s *spacing) acrossOf(q *placed, whole vg.Length) vg.Length {
	if q.panel.wide() {
		return whole - max(s.left[0], q.pad.left) - max(q.pad.right, q.room.right)
	}
	return s.across
}

// above is what a panel needs above its data area.
func (q *placed) above() vg.Length {
	heading := vg.Length(0)
	if q.panel.heading() != "" {
		heading = panelTitleSpace
	}
	return heading + q.room.top + q.pad.top
}

// fit leaves out labels for which a data area of some width has no room.
func (q *placed) fit(across vg.Length) {
	aspect, room := q.panel.shape()
	q.axes.X, q.axes.Y, q.room = q.whole[0], q.whole[1], room
	up := across * vg.Length(aspect)
	fitTicks(&q.axes.X, across)
	fitLabel(&q.axes.X, across)
	sayOffset(&q.axes.X, across)
	fitHeight(&q.axes.Y, up)
	fitLabel(&q.axes.Y, up)
	q.pad = padding(q.axes, q.pad.left+across+q.pad.right, q.pad.bottom+up+q.pad.top)
	for _, tick := range q.axes.X.Tick.Marker.Ticks(q.axes.X.Min, q.axes.X.Max) { // padding has no room for the first to the left
		half := q.axes.X.Tick.Label.Width(tick.Label) / 2
		q.room.left = max(q.room.left, half-across*vg.Length(q.axes.X.Norm(tick.Value)))
	}
}

// place decides where the data area of a panel in some column is; it begins at top.
func (q *placed) place(column int, s spacing, whole, top vg.Length) {
	aspect, _ := q.panel.shape()
	across := s.acrossOf(q, whole)
	for i := range column {
		q.from += s.left[i] + s.across + s.right[i] + panelGap
	}
	left := q.from + s.left[column]
	if q.to = left + s.across + s.right[column]; q.panel.wide() {
		left, q.to = q.from+max(s.left[0], q.pad.left), whole
	}
	q.data = vg.Rectangle{
		Min: vg.Point{X: left, Y: -top - across*vg.Length(aspect)},
		Max: vg.Point{X: left + across, Y: -top},
	}
}

// hideInner leaves out what two maps side by side, or all maps of two rows, would say
// twice.
func hideInner(rows [][]placed) {
	for k, row := range rows {
		below := k+1 < len(rows) && len(rows[k+1]) >= len(row)
		for i := range row {
			if i > 0 && sameAxis(row[i-1].panel, row[i].panel, false) {
				row[i].hide(&row[i].axes.Y)
			}
			below = below && sameAxis(row[i].panel, rows[k+1][i].panel, true)
		}
		for i := range row {
			if below {
				row[i].hide(&row[i].axes.X)
			}
		}
	}
}

// sameAxis reports whether both panels are maps with the same horizontal axis, or the same
// vertical one.
func sameAxis(p, q Panel, horizontal bool) bool {
	m, ok := mapOf(p)
	n, and := mapOf(q)
	if !ok || !and || m.Aspect != n.Aspect {
		return false
	}
	if horizontal {
		return m.XLabel == n.XLabel && sameRange(m.Raster.X, n.Raster.X)
	}
	return m.YLabel == n.YLabel && sameRange(m.Raster.Y, n.Raster.Y)
}

func sameRange(v, w system.Variable) bool { return v.Min == w.Min && v.Max == w.Max && v.Log == w.Log }

// hide leaves an axis its ticks only.
func (q *placed) hide(axis *plot.Axis) {
	axis.Label.Text, axis.Tick.Marker = "", unlabelled{axis.Tick.Marker}
	q.pad = padding(q.axes, 1000, 1000)
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

// draw draws the panel; at is the upper left corner of all panels.
func (q *placed) draw(c draw.Canvas, at vg.Point) {
	data := q.data.Add(at)
	area := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: data.Min.X - q.pad.left, Y: data.Min.Y - q.pad.bottom},
		Max: vg.Point{X: data.Max.X + q.pad.right, Y: data.Max.Y + q.pad.top},
	}}
	inner := q.axes.DataCanvas(area)
	q.axes.Draw(area)
	top := at.Y + q.top
	if title := q.panel.heading(); title != "" {
		style := textStyle(textSize, weight.WeightNormal)
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		middle := (data.Min.X + data.Max.X) / 2
		title = fitted(title, &style, 2*min(middle-at.X-q.from, at.X+q.to-middle))
		c.FillText(style, vg.Point{X: middle, Y: top - panelTitleSpace/2}, title)
		top -= panelTitleSpace
	}
	q.panel.decorate(inner, top)
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
	if utf8.RuneCountInString(f.YLabel) == 1 && f.YDates == nil {
		p.Y.Label.TextStyle.Rotation = -math.Pi / 2 // upright: a letter on its side is hard to read
		p.Y.Label.Padding = 6
	}
	return p
}

// padding returns what the axes and labels of p need around the data area, drawn in a
// canvas of some size.
func padding(p *plot.Plot, width, height vg.Length) sides {
	data := p.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: width, Y: height}}})
	return sides{data.Min.X, width - data.Max.X, data.Min.Y, height - data.Max.Y}
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
