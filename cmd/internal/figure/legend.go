package figure

import (
	"fmt"
	"slices"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Entry explains one kind of mark in a legend: sample draws the mark into c.
type Entry struct {
	Label  string
	width  vg.Length // of the sample
	sample func(c draw.Canvas)
}

const (
	lineSample  vg.Length = 26
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

// CurveLegend explains what the panels, all of them Curves, show.
func CurveLegend(rows [][]Panel) []Entry {
	band, exact, sensors, bars, thinning := false, false, false, false, 1
	for _, row := range rows {
		for _, p := range row {
			c := p.(*Curve)
			band = band || c.SD != nil
			exact = exact || c.Exact != nil
			sensors = sensors || len(c.Sensors) > 0
			thinning = max(thinning, c.Thinning)
			for _, r := range c.Sensors {
				bars = bars || r.Sigma > 0
			}
		}
	}
	entries := []Entry{meanEntry}
	if band {
		entries = append(entries, BandEntry)
	}
	if exact {
		entries = append(entries, exactEntry)
	}
	switch {
	case bars:
		entries = append(entries, thinnedEntry(barEntry, thinning))
	case sensors:
		entries = append(entries, thinnedEntry(sensorEntry, thinning))
	}
	return entries
}

// SensorLegend explains the sensors of Maps, of which one in thinning is shown.
func SensorLegend(thinning int) []Entry { return []Entry{thinnedEntry(sensorEntry, thinning)} }

// DensityLegend explains what the panels show.
func DensityLegend(panels []*Density) []Entry {
	entries := []Entry{densityMeanEntry, intervalEntry}
	if slices.ContainsFunc(panels, func(p *Density) bool { return p.Prior != nil }) {
		entries = append(entries, priorEntry)
	}
	return entries
}

// mostMarks is how many marks one panel shows at most. More would hide the
// picture and take long to draw.
const mostMarks = 1000

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

// drawLegend draws the entries in one line centred at middle.
func drawLegend(c draw.Canvas, entries []Entry, middle vg.Point) {
	const sampleHeight, gap, between, baselineLift = 12, 6, 22, 1.2
	style := textStyle(smallSize, weight.WeightNormal)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	total := vg.Length(0)
	for _, e := range entries {
		total += e.width + gap + style.Width(e.Label)
	}
	total += between * vg.Length(max(0, len(entries)-1))
	x := middle.X - total/2
	for _, e := range entries {
		e.sample(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: middle.Y - sampleHeight/2},
			Max: vg.Point{X: x + e.width, Y: middle.Y + sampleHeight/2},
		}})
		x += e.width + gap
		c.FillText(style, vg.Point{X: x, Y: middle.Y + baselineLift}, e.Label)
		x += style.Width(e.Label) + between
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
