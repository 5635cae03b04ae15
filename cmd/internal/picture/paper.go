package picture

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/bench/paper"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// Numbers of sensors and neurons along the axes, and the noise, of the paper's
// figures.
var (
	sensorCounts = []int{10, 15, 20, 30, 45, 70, 100}
	neuronCounts = []int{25, 50, 100, 200, 350, 600}
	figureNoise  = 0.05
)

// Paper returns functions that make the paper's figures, some at each call. Errors
// are medians over so many seeds.
func Paper(seeds int) []func() ([]Picture, error) {
	settings := paper.Tables()
	drawings := []func() ([]Picture, error){
		func() ([]Picture, error) { return againstSensors(settings, seeds) },
		func() ([]Picture, error) { return againstNeurons(settings, seeds) },
		func() ([]Picture, error) { return estimates(settings) },
	}
	for _, s := range atNoise(settings, figureNoise) {
		drawings = append(drawings, func() ([]Picture, error) { return ofProblem(s, settings) })
	}
	return drawings
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

// fitted returns a setting's first draw and its posterior.
func fitted(s *paper.Setting) (*spec.File, *posterior.Posterior, error) {
	f, err := s.Simulate(1)
	if err != nil {
		return nil, nil, err
	}
	q, err := paper.Fit(f, paper.BPIELM)
	return f, q, err
}

// ofProblem shows one problem: a map where it has two variables, and slices at the
// lowest and the highest noise level.
func ofProblem(s *paper.Setting, settings []paper.Setting) ([]Picture, error) {
	file, q, err := fitted(s)
	if err != nil {
		return nil, err
	}
	var pictures []Picture
	if len(file.Problem.Variables) == 2 {
		f, err := (&artist{file: file, problem: file.Problem, predictor: q}).maps()
		if err != nil {
			return nil, err
		}
		f.Title = fmt.Sprintf("%s, noise %g", file.Title, s.Noise)
		pictures = append(pictures, Picture{s.Problem + "-map", f})
	}
	var levels []*paper.Setting
	for i := range settings {
		if settings[i].Problem == s.Problem {
			levels = append(levels, &settings[i])
		}
	}
	both, err := compareLevels(file.Title, levels[0], levels[len(levels)-1])
	if err != nil {
		return nil, err
	}
	return append(pictures, Picture{s.Problem + "-slices", both}), nil
}

// compareLevels shows slices of a problem, a row for each noise level.
func compareLevels(title string, levels ...*paper.Setting) (*figure.Figure, error) {
	both := &figure.Figure{Title: title + ": slices at two noise levels", Width: figure.WideWidth}
	var all []*figure.Curve
	for _, level := range levels {
		curves, err := slicesAt(level)
		if err != nil {
			return nil, err
		}
		var row []figure.Panel
		for _, p := range curves {
			row = append(row, p)
		}
		all = append(all, curves...)
		both.Rows = append(both.Rows, row)
	}
	figure.CommonRange(all)
	both.Legend = figure.CurveLegend(both.Rows)
	return both, nil
}

// slicesAt returns slices of one draw, or the whole of it in one variable.
func slicesAt(level *paper.Setting) ([]*figure.Curve, error) {
	file, q, err := fitted(level)
	if err != nil {
		return nil, err
	}
	a := &artist{file: file, problem: file.Problem, predictor: q}
	lines := []slice{{along: 0, fixed: []float64{0}}}
	if len(file.Problem.Variables) == 2 {
		lines = a.acrossMap()
	}
	var row []*figure.Curve
	for _, l := range lines {
		p, err := a.slicePanel(l)
		if err != nil {
			return nil, err
		}
		p.Aspect = 0.9
		if len(lines) == 1 {
			p.Aspect = 0.32
		}
		heading := fmt.Sprintf("noise %g", level.Noise)
		if p.Title != "" {
			heading += ", " + p.Title
		}
		p.Title = heading
		row = append(row, p)
	}
	return row, nil
}

// compared are the methods whose errors are drawn, without their places.
var compared = []struct {
	method string
	line   figure.Series
}{
	{paper.PIELM, figure.Series{Label: "PIELM", Style: figure.PIELMLine}},
	{paper.Published, figure.Series{Label: "BPIELM as published", Style: figure.PublishedLine}},
	{paper.BPIELM, figure.Series{Label: "BPIELM", Style: figure.MeanLine}},
}

func comparedLegend() (entries []figure.Entry) {
	for i := range compared {
		entries = append(entries, compared[i].line.Entry())
	}
	return entries
}

// errorsOf runs all methods on variants of a setting, one for each of counts.
func errorsOf(s paper.Setting, seeds int, counts []int, set func(s *paper.Setting, count int)) ([]figure.Series, error) {
	lines := make([]figure.Series, len(compared))
	for i := range compared {
		lines[i] = compared[i].line
	}
	for _, count := range counts {
		variant := s
		set(&variant, count)
		for i, m := range compared {
			spread, err := variant.Errors(m.method, seeds)
			if err != nil {
				return nil, err
			}
			lines[i].Add(float64(count), spread.Median, spread.Lower, spread.Upper)
		}
	}
	return lines, nil
}

func errorFigure(name, axis string, settings []paper.Setting, seeds int, counts []int, set func(s *paper.Setting, count int)) ([]Picture, error) {
	f := &figure.Figure{Title: "Error against the number of " + axis + ", noise 0.05: medians and quartiles", Legend: comparedLegend(), Width: figure.WideWidth}
	var panels []figure.Panel
	for _, s := range atNoise(settings, figureNoise) {
		lines, err := errorsOf(*s, seeds, counts, set)
		if err != nil {
			return nil, err
		}
		panels = append(panels, &figure.Trend{
			Frame:  figure.Frame{Title: s.Problem, XLabel: axis, YLabel: "mean absolute error", Aspect: 0.8},
			Series: lines, LogX: true, LogY: true, Level: math.NaN(),
		})
	}
	f.Rows = slices.Collect(slices.Chunk(panels, 3))
	return []Picture{{name, f}}, nil
}

func againstSensors(settings []paper.Setting, seeds int) ([]Picture, error) {
	return errorFigure("sensors", "sensors", settings, seeds, sensorCounts, func(s *paper.Setting, count int) { s.Sensors = count })
}

func againstNeurons(settings []paper.Setting, seeds int) ([]Picture, error) {
	return errorFigure("neurons", "neurons", settings, seeds, neuronCounts, func(s *paper.Setting, count int) { s.Neurons = count })
}

// estimates shows the inferred parameters of the inverse problems against the number
// of neurons, with two standard deviations.
func estimates(settings []paper.Setting) ([]Picture, error) {
	empty := figure.Series{Label: "posterior mean", Style: figure.MeanLine}
	f := &figure.Figure{
		Title:  "Parameters against the number of neurons, noise 0.05: mean ± 2 sd of one draw",
		Width:  figure.WideWidth,
		Legend: []figure.Entry{empty.Entry(), figure.BandEntry, figure.LevelEntry},
	}
	var panels []figure.Panel
	for _, s := range atNoise(settings, figureNoise) {
		names := s.ParameterNames()
		lines := slices.Repeat([]figure.Series{empty}, len(names))
		for _, count := range neuronCounts {
			variant := *s
			variant.Neurons = count
			trial, err := variant.Try(paper.BPIELM, 1, nil)
			if err != nil {
				return nil, err
			}
			for i, e := range trial.Parameters {
				lines[i].Add(float64(count), e.Mean, e.Mean-2*e.SD, e.Mean+2*e.SD)
			}
		}
		for i, name := range names {
			panels = append(panels, &figure.Trend{
				Frame:  figure.Frame{Title: s.Problem + ": " + name, XLabel: "neurons", YLabel: name, Aspect: 0.8},
				Series: lines[i : i+1], LogX: true, Level: s.Truth[name],
			})
		}
	}
	f.Rows = slices.Collect(slices.Chunk(panels, 3))
	return []Picture{{"parameters", f}}, nil
}
