package figure

import (
	"fmt"
	"slices"
	"strings"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/cmd/internal/format"
)

// An Entry explains one kind of mark in a legend: sample draws the mark into c.
type Entry struct {
	Label  string
	width  vg.Length // of the sample
	sample func(c draw.Canvas)
}

const (
	lineSample  vg.Length = 20
	glyphSample vg.Length = 8
)

var (
	meanEntry  = Entry{"posterior mean", lineSample, func(c draw.Canvas) { strokeSample(c, meanStyle) }}
	exactEntry = Entry{"exact", lineSample, func(c draw.Canvas) { strokeSample(c, exactStyle) }}
	// BandEntry explains the band of a Curve or a Trend.
	BandEntry   = Entry{"± 2 sd (latent)", lineSample, fillSample}
	sensorEntry = Entry{"sensors", glyphSample, func(c draw.Canvas) { c.DrawGlyph(sensorGlyph, c.Center()) }}
	barEntry    = Entry{"sensors ± noise sd", glyphSample, func(c draw.Canvas) {
		middle := c.Center().X
		c.StrokeLine2(errorBarStyle, middle, c.Min.Y, middle, c.Max.Y)
		c.DrawGlyph(sensorGlyph, c.Center())
	}}
)

// crowdEntry explains dots as the circles of another entry.
func crowdEntry(e Entry, thinning int) Entry {
	marks := make(readingDots, 2*mostCircles)
	e.sample = func(c draw.Canvas) {
		for _, at := range []vg.Point{{X: -3, Y: -1}, {X: -1, Y: 2}, {X: 0, Y: -2}, {X: 2, Y: 1}, {X: 3.5, Y: -1}} {
			c.DrawGlyph(marks.glyph(), c.Center().Add(at))
		}
	}
	if thinning > 1 {
		e.Label += fmt.Sprintf(", one in %d shown", thinning)
	}
	return e
}

// readingEntries explains the readings of Curves: circles, and dots where there are many, among which circles are those
// that are far from the mean.
func readingEntries(rows [][]Panel, of Entry) (entries []Entry) {
	dots, circles, thinning := false, false, 1
	var far, out []Reading
	for _, row := range rows {
		for _, p := range row {
			crowd, single := p.(*Curve).crowd()
			out = append(out, p.(*Curve).clipped()...)
			if thinning = max(thinning, p.(*Curve).Thinning); len(crowd) > 0 {
				dots, far = true, append(far, single...)
			} else {
				circles = circles || len(single) > 0
			}
		}
	}
	farthest := of
	if circles {
		entries = append(entries, of)
		of.Label = "many of them"
	}
	if dots {
		entries = append(entries, crowdEntry(of, thinning))
	}
	if len(out) > 0 {
		entries = append(entries, beyondEntry(out))
	}
	if len(far) > 0 {
		if farthest.Label = "farthest from the prediction"; len(out) > 0 {
			farthest.Label = "far from the prediction"
		}
		if len(far) == 1 && far[0].Source != "" {
			farthest.Label += ": " + format.Clipped(format.Printable(far[0].Source), longestSource)
		}
		entries = append(entries, farthest)
	}
	return entries
}

// beyondEntry explains the arrows of readings that are beyond the axis, and says where one or two of them are from.
func beyondEntry(out []Reading) Entry {
	const named = 2
	var sources []string
	for _, r := range out {
		if source := format.Clipped(format.Printable(r.Source), longestSource); source != "" && !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	label := "farthest, beyond the axis"
	if n := len(sources); n > 0 && n <= named {
		label += ": " + strings.Join(sources, ", ")
	}
	return Entry{label, glyphSample, func(c draw.Canvas) {
		drawArrow(c, vg.Point{X: c.Center().X, Y: c.Center().Y + arrowLength/2}, 1)
	}}
}

// longestSource is how many letters of where a reading is from a legend has.
const longestSource = 40

// CurveLegend explains what the panels, all of them Curves, show.
func CurveLegend(rows [][]Panel) []Entry {
	band, exact, bars := false, false, false
	for _, row := range rows {
		for _, p := range row {
			c := p.(*Curve)
			band = band || c.SD != nil || slices.ContainsFunc(c.At, func(e Reading) bool { return e.Sigma > 0 })
			exact = exact || c.Exact != nil
			bars = bars || slices.ContainsFunc(c.Sensors, func(r Reading) bool { return r.Sigma > 0 })
		}
	}
	entries := []Entry{meanEntry}
	if band {
		entries = append(entries, BandEntry)
	}
	if exact {
		entries = append(entries, exactEntry)
	}
	reading := sensorEntry
	if bars {
		reading = barEntry
	}
	return append(entries, readingEntries(rows, reading)...)
}

// ResidualLegend explains panels of residuals, whose band holds 95 % of a normal
// distribution.
func ResidualLegend(rows [][]Panel) []Entry {
	reading := Entry{"reading", glyphSample, func(c draw.Canvas) { c.DrawGlyph(sensorGlyph, c.Center()) }}
	return append(readingEntries(rows, reading), Entry{"95 % of readings are expected here", lineSample, fillSample})
}

// SensorLegend explains the sensors of Maps, of which one in thinning is shown, and tracks.
func SensorLegend(marks []Mark, tracks []Track, thinning int) []Entry {
	var entries []Entry
	for kind, label := range []string{"sensors", "sensors of other quantities", "sensors of averages"} {
		if slices.ContainsFunc(tracks, func(t Track) bool { return t.Kind == MarkKind(kind) }) {
			entries = append(entries, Entry{label + ", reading often", lineSample, func(c draw.Canvas) {
				strokeTrack(c, MarkKind(kind), vg.Point{X: c.Min.X, Y: c.Center().Y}, vg.Point{X: c.Max.X, Y: c.Center().Y})
			}})
		}
		if !slices.ContainsFunc(marks, func(m Mark) bool { return m.Kind == MarkKind(kind) }) {
			continue
		}
		glyph := MarkKind(kind).glyph(1)
		entries = append(entries, thinnedEntry(Entry{label, glyphSample, func(c draw.Canvas) { c.DrawGlyph(glyph, c.Center()) }}, thinning))
	}
	return entries
}

// DensityLegend explains what the panels show.
func DensityLegend(panels []*Density) []Entry {
	entries := []Entry{densityMeanEntry, intervalEntry}
	if slices.ContainsFunc(panels, func(p *Density) bool { return p.Prior != nil }) {
		entries = append(entries, priorEntry)
	}
	return entries
}

// Thin keeps one in step of the marks, so that no more are left than a panel shows.
func Thin[T any](marks []T) (kept []T, step int) {
	step = (len(marks) + mostMarks - 1) / mostMarks
	if step <= 1 {
		return marks, 1
	}
	for i := 0; i < len(marks); i += step {
		kept = append(kept, marks[i])
	}
	return kept, step
}

// thinnedEntry says that only one in step sensors is shown.
func thinnedEntry(e Entry, step int) Entry {
	if step > 1 {
		e.Label += fmt.Sprintf(", one in %d shown", step)
	}
	return e
}

// The spaces in a legend: between a sample and its label, and between entries.
const legendGap, legendBetween vg.Length = 5, 16

func legendStyle() text.Style {
	style := textStyle(smallSize, weight.WeightNormal)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	return style
}

func (e *Entry) total() vg.Length { return e.width + legendGap + legendStyle().Width(e.Label) }

// legendRows breaks the entries into lines of at most a width.
func legendRows(entries []Entry, width vg.Length) (rows [][]Entry) {
	used := width
	for _, e := range entries {
		if w := e.total(); used+legendBetween+w > width {
			rows, used = append(rows, []Entry{e}), w
		} else {
			last := len(rows) - 1
			rows[last], used = append(rows[last], e), used+legendBetween+w
		}
	}
	return rows
}

// drawLegend draws the entries in one line centred at middle.
func drawLegend(c draw.Canvas, entries []Entry, middle vg.Point) {
	const sampleHeight, baselineLift = 11, 1.2
	style := legendStyle()
	total := legendBetween * vg.Length(max(0, len(entries)-1))
	for _, e := range entries {
		total += e.total()
	}
	x := middle.X - total/2
	for _, e := range entries {
		e.sample(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: middle.Y - sampleHeight/2},
			Max: vg.Point{X: x + e.width, Y: middle.Y + sampleHeight/2},
		}})
		c.FillText(style, vg.Point{X: x + e.width + legendGap, Y: middle.Y + baselineLift}, e.Label)
		x += e.total() + legendBetween
	}
}

func strokeSample(c draw.Canvas, style draw.LineStyle) {
	y := c.Center().Y
	c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
}

func fillSample(c draw.Canvas) {
	c.SetColor(bandColour)
	c.Fill(c.Rectangle.Path())
}
