package main

import (
	weight "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legendEntry explains one kind of mark: sample draws the mark into c.
type legendEntry struct {
	label  string
	width  vg.Length // of the sample
	sample func(c draw.Canvas)
}

const (
	lineSample  vg.Length = 26
	glyphSample vg.Length = 8
)

var (
	meanEntry   = legendEntry{"posterior mean", lineSample, func(c draw.Canvas) { strokeSample(c, meanStyle) }}
	exactEntry  = legendEntry{"exact", lineSample, func(c draw.Canvas) { strokeSample(c, exactStyle) }}
	bandEntry   = legendEntry{"± 2 sd (latent)", lineSample, fillSample}
	sensorEntry = legendEntry{"sensors", glyphSample, func(c draw.Canvas) { c.DrawGlyph(sensorGlyph, c.Center()) }}
	barEntry    = legendEntry{"sensors ± noise sd", glyphSample, func(c draw.Canvas) {
		middle := c.Center().X
		c.StrokeLine2(errorBarStyle, middle, c.Min.Y, middle, c.Max.Y)
		c.DrawGlyph(sensorGlyph, c.Center())
	}}
)

// drawLegend draws the entries in one line centred at middle.
func drawLegend(c draw.Canvas, entries []legendEntry, middle vg.Point) {
	const sampleHeight, gap, between, baselineLift = 12, 6, 22, 1.2
	style := textStyle(smallSize, weight.WeightNormal)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	total := vg.Length(0)
	for _, e := range entries {
		total += e.width + gap + style.Width(e.label)
	}
	total += between * vg.Length(max(0, len(entries)-1))
	x := middle.X - total/2
	for _, e := range entries {
		e.sample(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: middle.Y - sampleHeight/2},
			Max: vg.Point{X: x + e.width, Y: middle.Y + sampleHeight/2},
		}})
		x += e.width + gap
		c.FillText(style, vg.Point{X: x, Y: middle.Y + baselineLift}, e.label)
		x += style.Width(e.label) + between
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
