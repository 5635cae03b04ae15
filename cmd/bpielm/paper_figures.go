package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/bpielm/bpielm/bench/paper"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// paperFigures is `bpielm paper figures`.
type paperFigures struct {
	Out   string `default:"figures" placeholder:"DIR" help:"Directory for the pictures (default: ${default})."`
	Seeds int    `default:"10" help:"Draws of noise and neurons where errors are shown (default: ${default})."`
	Quiet bool   `short:"q" help:"No progress bar."`
}

// Help adds to the verb's usage text.
func (*paperFigures) Help() string {
	return `Writes for each problem maps of mean, standard deviation and error with the sensors, and slices at two noise levels; and errors against the number of sensors and of neurons, and parameters against the number of neurons, as medians over draws with quartiles.

Example:
  bpielm paper figures --out figures`
}

// Numbers of sensors and neurons along the axes.
var (
	sensorCounts = []int{10, 15, 20, 30, 45, 70, 100}
	neuronCounts = []int{25, 50, 100, 200, 350, 600}
	figureNoise  = 0.05
)

// Run executes the verb.
func (c *paperFigures) Run(io *streams) error {
	if c.Seeds < 1 {
		return refuse("--seeds=%d: at least 1 is needed", c.Seeds)
	}
	files, err := results.Open(c.Out)
	if err != nil {
		return err
	}
	defer files.Discard()
	bar := newProgress(io.err, c.Quiet, "drawing")
	defer bar.finish()
	settings := paper.Tables()
	drawings := []func() ([]picture, error){
		func() ([]picture, error) { return c.againstSensors(settings) },
		func() ([]picture, error) { return c.againstNeurons(settings) },
		func() ([]picture, error) { return c.parameters(settings) },
	}
	for _, s := range atNoise(settings, figureNoise) {
		drawings = append(drawings, func() ([]picture, error) { return solutionFigures(s, settings) })
	}
	for i, draw := range drawings {
		bar.update(i, len(drawings))
		pictures, err := draw()
		if err != nil {
			return err
		}
		for _, p := range pictures {
			if err := files.Write(p.name, p.figure.writePNG); err != nil {
				return err
			}
		}
	}
	bar.finish()
	written, err := files.Commit()
	for _, path := range written {
		fmt.Fprintln(io.out, filepath.ToSlash(path))
	}
	return err
}

// atNoise returns the settings of one noise level.
func atNoise(settings []paper.Setting, noise float64) (some []*paper.Setting) {
	for i := range settings {
		if settings[i].Noise == noise {
			some = append(some, &settings[i])
		}
	}
	return some
}

// fitted is a setting's first draw and its posterior.
func fitted(s *paper.Setting) (*spec.File, *posterior.Posterior, error) {
	f, err := s.Simulate(1)
	if err != nil {
		return nil, nil, err
	}
	q, err := paper.Fit(f, paper.BPIELM)
	return f, q, err
}

// solutionFigures shows one problem: a map where it has two variables, and slices at
// the lowest and the highest noise level.
func solutionFigures(s *paper.Setting, settings []paper.Setting) ([]picture, error) {
	var pictures []picture
	file, q, err := fitted(s)
	if err != nil {
		return nil, err
	}
	a := &artist{file: file, problem: file.Problem, predictor: q}
	if len(file.Problem.Variables) == 2 {
		f, err := a.maps()
		if err != nil {
			return nil, err
		}
		f.title = fmt.Sprintf("%s, noise %g", file.Title, s.Noise)
		pictures = append(pictures, picture{s.Problem + "-map.png", f})
	}
	var levels []*paper.Setting
	for i := range settings {
		if settings[i].Problem == s.Problem {
			levels = append(levels, &settings[i])
		}
	}
	both := &figure{title: file.Title + ": slices at two noise levels"}
	var all []*curvePanel
	for _, level := range []*paper.Setting{levels[0], levels[len(levels)-1]} {
		file, q, err := fitted(level)
		if err != nil {
			return nil, err
		}
		a := &artist{file: file, problem: file.Problem, predictor: q}
		lines := []slice{{along: 0, fixed: []float64{0}}}
		if len(file.Problem.Variables) == 2 {
			lines = a.acrossMap()
		}
		var row []panel
		for _, l := range lines {
			p, err := a.slicePanel(l)
			if err != nil {
				return nil, err
			}
			p.aspect = 0.9
			if len(lines) == 1 {
				p.aspect = 0.32
			}
			heading := fmt.Sprintf("noise %g", level.Noise)
			if p.title != "" {
				heading += ", " + p.title
			}
			p.title = heading
			all, row = append(all, p), append(row, p)
		}
		both.rows = append(both.rows, row)
	}
	commonRange(all)
	both.legend = curveLegend(both.rows)
	return append(pictures, picture{s.Problem + "-slices.png", both}), nil
}

// compared are the methods whose errors are drawn.
var compared = []struct {
	method, label string
	style         draw.LineStyle
}{
	{paper.PIELM, "PIELM", pielmStyle},
	{paper.Published, "BPIELM as published", publishedStyle},
	{paper.BPIELM, "BPIELM", meanStyle},
}

func comparedLegend() (entries []legendEntry) {
	for _, m := range compared {
		entries = append(entries, seriesEntry(m.label, m.style))
	}
	return entries
}

// errors runs all methods on variants of a setting, one for each of counts.
func (c *paperFigures) errors(s paper.Setting, counts []int, set func(s *paper.Setting, count int)) ([]series, error) {
	lines := make([]series, len(compared))
	for i, m := range compared {
		lines[i].style = m.style
	}
	for _, count := range counts {
		variant := s
		set(&variant, count)
		for i, m := range compared {
			spread, err := variant.Errors(m.method, c.Seeds)
			if err != nil {
				return nil, err
			}
			l := &lines[i]
			l.x, l.middle = append(l.x, float64(count)), append(l.middle, spread.Median)
			l.lo, l.hi = append(l.lo, spread.Lower), append(l.hi, spread.Upper)
		}
	}
	return lines, nil
}

func (c *paperFigures) errorFigure(name, title, axis string, settings []paper.Setting, counts []int, mark float64, set func(s *paper.Setting, count int)) ([]picture, error) {
	f := &figure{title: title, legend: comparedLegend()}
	var panels []panel
	for _, s := range atNoise(settings, figureNoise) {
		lines, err := c.errors(*s, counts, set)
		if err != nil {
			return nil, err
		}
		panels = append(panels, &seriesPanel{
			frame: frame{title: s.Problem, xLabel: axis, yLabel: "mean absolute error", aspect: 0.8}, series: lines, logX: true, logY: true,
			level: math.NaN(), mark: mark,
		})
	}
	f.rows = slices.Collect(slices.Chunk(panels, 3))
	return []picture{{name, f}}, nil
}

func (c *paperFigures) againstSensors(settings []paper.Setting) ([]picture, error) {
	return c.errorFigure("sensors.png", "Error against the number of sensors, noise 0.05: medians and quartiles", "sensors", settings, sensorCounts, math.NaN(),
		func(s *paper.Setting, count int) { s.Sensors = count })
}

func (c *paperFigures) againstNeurons(settings []paper.Setting) ([]picture, error) {
	return c.errorFigure("neurons.png", "Error against the number of neurons, noise 0.05: medians and quartiles", "neurons", settings, neuronCounts, math.NaN(),
		func(s *paper.Setting, count int) { s.Neurons = count })
}

// parameters shows the inferred parameters of the inverse problems against the
// number of neurons, with two standard deviations.
func (c *paperFigures) parameters(settings []paper.Setting) ([]picture, error) {
	f := &figure{title: "Parameters against the number of neurons, noise 0.05: mean ± 2 sd of one draw", legend: []legendEntry{seriesEntry("posterior mean", meanStyle), bandEntry, levelEntry}}
	var panels []panel
	for _, s := range atNoise(settings, figureNoise) {
		names := s.ParameterNames()
		lines := make([]series, len(names))
		for _, count := range neuronCounts {
			variant := *s
			variant.Neurons = count
			trial, err := variant.Try(paper.BPIELM, 1, nil)
			if err != nil {
				return nil, err
			}
			for i, e := range trial.Parameters {
				l := &lines[i]
				l.style = meanStyle
				l.x, l.middle = append(l.x, float64(count)), append(l.middle, e.Mean)
				l.lo, l.hi = append(l.lo, e.Mean-2*e.SD), append(l.hi, e.Mean+2*e.SD)
			}
		}
		for i, name := range names {
			panels = append(panels, &seriesPanel{
				frame:  frame{title: s.Problem + ": " + name, xLabel: "neurons", yLabel: name, aspect: 0.8},
				series: lines[i : i+1], logX: true, level: s.Truth[name], mark: math.NaN(),
			})
		}
	}
	f.rows = slices.Collect(slices.Chunk(panels, 3))
	return []picture{{"parameters.png", f}}, nil
}
