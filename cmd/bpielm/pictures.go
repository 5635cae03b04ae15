package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A picture is a figure with the name of its file.
type picture struct {
	name   string
	figure *figure
}

// drawPictures chooses and fills the figures for every field: curves for one
// variable, maps and slices for more. Readings whose noise was
// learned get their error bars from noise.
func drawPictures(file *spec.File, q predictor, noise []posterior.NoiseEstimate) ([]picture, error) {
	var pictures []picture
	for i, field := range file.Problem.Fields {
		a := &artist{file: file, problem: file.Problem, predictor: q, noise: noise, field: i}
		suffix, heading := "", file.Title
		if len(file.Problem.Fields) > 1 {
			suffix = "-" + field
			heading = fmt.Sprintf("%s: %s", file.Title, field)
		}
		var solution, sliced *figure
		var err error
		switch len(file.Problem.Variables) {
		case 1:
			solution, err = a.curve()
		case 2:
			if solution, err = a.maps(); err == nil {
				sliced, err = a.slices(a.acrossMap())
			}
		default:
			if solution, err = a.maps(); err == nil {
				sliced, err = a.slices(a.throughMiddle())
			}
		}
		if err != nil {
			return nil, err
		}
		if solution != nil {
			solution.title = heading
			pictures = append(pictures, picture{"solution" + suffix + ".png", solution})
		}
		if sliced != nil {
			sliced.title = heading
			pictures = append(pictures, picture{"slices" + suffix + ".png", sliced})
		}
	}
	return pictures, nil
}

// parameterPicture shows the posterior of each parameter; nil when there are
// none or when they have no uncertainty.
func parameterPicture(file *spec.File, estimates []posterior.ParameterEstimate) *picture {
	var panels []panel
	for _, e := range estimates {
		if e.SD > 0 && !math.IsInf(e.SD, 0) {
			panels = append(panels, newDensityPanel(e.Name, e.Mean, e.SD))
		}
	}
	if len(panels) == 0 {
		return nil
	}
	f := &figure{
		title:  file.Title,
		legend: []legendEntry{densityMeanEntry, intervalEntry},
		rows:   slices.Collect(slices.Chunk(panels, 3)),
	}
	if len(panels) < 3 {
		f.width = 0.36 * figureWidth * vg.Length(len(panels))
	}
	return &picture{"parameters.png", f}
}

// An artist makes the figures of one field.
type artist struct {
	file      *spec.File
	problem   *system.Problem
	predictor predictor
	noise     []posterior.NoiseEstimate // of each group of sensors, or none
	field     int
}

// inside tells whether the field has a meaning at x.
func (a *artist) inside(x []float64) bool {
	return (a.problem.Domain == nil || a.problem.Domain.Contains(x)) && a.file.Output.Holds(a.field, x)
}

// time returns which variable is the time, -1 for none.
func (a *artist) time() int {
	for i, v := range a.problem.Variables {
		if v.Name == "t" {
			return i
		}
	}
	return -1
}
