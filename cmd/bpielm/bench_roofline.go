package main

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/bench/regress"
)

// familyColours tell the families of benchmarks apart, also to the colour-blind.
var familyColours = []color.Color{
	rgb(0x1f4e9c), rgb(0xc8321f), rgb(0x2a9d5c), rgb(0x8e44ad), rgb(0xd98c10), rgb(0x128a9e), rgb(0x6b4f2a), rgb(0x555555),
}

var roofStyle = draw.LineStyle{Color: inkColour, Width: 1.2}

// A rooflinePanel shows rates over arithmetic intensity below what memory and
// arithmetic units allow (S. Williams, A. Waterman, D. Patterson, Communications
// of the ACM 52(4), 2009).
type rooflinePanel struct {
	frame
	peak, memory float64 // GFLOP/s and GB/s
	families     []rooflineFamily
}

type rooflineFamily struct {
	name   string
	colour color.Color
	points plotter.XYs // flops a byte, GFLOP/s
}

// rooflineFigure draws one panel for each kernel and number of threads.
func rooflineFigure(run *regress.Run) *figure {
	f := &figure{title: "Roofline: " + orUnknown(run.Machine.CPU)}
	colours := map[string]color.Color{}
	var p *rooflinePanel
	for i := range run.Results {
		r := &run.Results[i]
		if r.Work.Flops == 0 || r.Work.Bytes == 0 {
			continue
		}
		title := fmt.Sprintf("%s, %s", r.Kernel, count(r.Threads, "thread"))
		if p == nil || p.title != title {
			p = &rooflinePanel{memory: run.Machine.Memory / 1e9}
			p.frame = frame{title: title, xLabel: "arithmetic intensity in flops a byte of operands", yLabel: "GFLOP/s", aspect: 0.62}
			f.rows = append(f.rows, []panel{p})
		}
		p.peak = math.Max(p.peak, r.Peak/1e9)
		family, _, _ := strings.Cut(r.Name, "/")
		if colours[family] == nil {
			colours[family] = familyColours[len(colours)%len(familyColours)]
			glyph := rateGlyph(colours[family])
			f.legend = append(f.legend, legendEntry{family, glyphSample, func(c draw.Canvas) { c.DrawGlyph(glyph, c.Center()) }})
		}
		p.add(family, colours[family], r.Work.Flops/r.Work.Bytes, r.Work.Flops/regress.Median(r.Nanoseconds))
	}
	return f
}

func (p *rooflinePanel) add(family string, colour color.Color, intensity, rate float64) {
	n := len(p.families)
	if n == 0 || p.families[n-1].name != family {
		p.families = append(p.families, rooflineFamily{name: family, colour: colour})
		n++
	}
	last := &p.families[n-1]
	last.points = append(last.points, plotter.XY{X: intensity, Y: rate})
}

// axes implements panel.
func (p *rooflinePanel) axes() *plot.Plot {
	axes := p.newPlot()
	axes.X.Scale, axes.Y.Scale = plot.LogScale{}, plot.LogScale{}
	axes.X.Tick.Marker, axes.Y.Tick.Marker = decades{}, decades{}
	ridge := p.peak / p.memory
	axes.X.Min, axes.X.Max = ridge/8, ridge*8
	axes.Y.Min, axes.Y.Max = p.peak/20, p.peak*1.5
	for _, f := range p.families {
		for _, at := range f.points {
			axes.X.Min, axes.X.Max = math.Min(axes.X.Min, at.X/1.5), math.Max(axes.X.Max, at.X*1.5)
			axes.Y.Min, axes.Y.Max = math.Min(axes.Y.Min, at.Y/1.5), math.Max(axes.Y.Max, at.Y*1.5)
		}
	}
	low := math.Max(axes.X.Min, axes.Y.Min/p.memory)
	axes.Add(polyline([]float64{low, ridge, axes.X.Max}, []float64{low * p.memory, p.peak, p.peak}, roofStyle))
	for _, f := range p.families {
		axes.Add(&plotter.Scatter{XYs: f.points, GlyphStyle: rateGlyph(f.colour)})
	}
	return axes
}

func rateGlyph(colour color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour, Radius: 3.5, Shape: draw.CircleGlyph{}}
}
