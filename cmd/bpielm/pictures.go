package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/mat"
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
		if own, of, ok := ownVariables(file, q, i); ok {
			a = &artist{file: own, problem: own.Problem, predictor: of, noise: noise}
		}
		suffix, heading := "", file.Title
		if len(file.Problem.Fields) > 1 {
			suffix = "-" + field
			heading = fmt.Sprintf("%s: %s", file.Title, field)
		}
		var solution, sliced *figure
		var err error
		switch len(a.problem.Variables) {
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

// parameters are what pictures show of them.
type parameters interface {
	Parameters() []posterior.ParameterEstimate
	ParameterDensity(i int, x float64) float64
	SampleParameters(count int, seed uint64) *mat.Dense
}

// densityPanels shows the posterior of each parameter that has one.
func densityPanels(file *spec.File, q parameters) (panels []*densityPanel, of []int) {
	linear := len(file.Problem.Parameters)
	for i, e := range q.Parameters() {
		if !(e.SD > 0) || math.IsInf(e.SD, 0) {
			continue
		}
		var prior func(x float64) float64
		if i >= linear && i-linear < len(file.Problem.Coefficients) {
			prior = file.Problem.Coefficients[i-linear].Density
		}
		panels = append(panels, newDensityPanel(e, func(x float64) float64 { return q.ParameterDensity(i, x) }, prior))
		of = append(of, i)
	}
	return panels, of
}

// densityLegend names what panels show.
func densityLegend(panels []*densityPanel) []legendEntry {
	entries := []legendEntry{densityMeanEntry, intervalEntry}
	if slices.ContainsFunc(panels, func(p *densityPanel) bool { return p.prior != nil }) {
		entries = append(entries, priorEntry)
	}
	return entries
}

// parameterPicture shows the posterior of each parameter; nil when there are
// none.
func parameterPicture(file *spec.File, q parameters) *picture {
	densities, _ := densityPanels(file, q)
	if len(densities) == 0 {
		return nil
	}
	var panels []panel
	for _, p := range densities {
		panels = append(panels, p)
	}
	f := &figure{
		title:  file.Title,
		legend: densityLegend(densities),
		rows:   slices.Collect(slices.Chunk(panels, 3)),
	}
	if len(panels) < 3 {
		f.width = 0.36 * figureWidth * vg.Length(len(panels))
	}
	return &picture{"parameters.png", f}
}

const (
	// mostCorners bounds how many parameters a corner plot has, cornerDraws how many draws.
	mostCorners, cornerDraws = 8, 1500
	cornerSeed               = 1
)

// cornerPicture shows how parameters hang together, where some of them are coefficients: the density of each, and draws
// of every two. It is nil where there are fewer than two, or too many to be seen.
func cornerPicture(file *spec.File, q parameters) *picture {
	if len(file.Problem.Coefficients) == 0 {
		return nil
	}
	densities, of := densityPanels(file, q)
	if n := len(densities); n < 2 || n > mostCorners {
		return nil
	}
	samples := q.SampleParameters(cornerDraws, cornerSeed)
	column := func(i int) []float64 {
		v := make([]float64, samples.Rows())
		for k := range v {
			v[k] = samples.At(k, i)
		}
		return v
	}
	f := &figure{title: file.Title, legend: densityLegend(densities)}
	for i, d := range densities {
		var row []panel
		for j := range i {
			row = append(row, &jointPanel{
				frame{xLabel: densities[j].xLabel, yLabel: d.xLabel, aspect: 0.8}, column(of[j]), column(of[i]),
			})
		}
		f.rows = append(f.rows, append(row, d))
	}
	if len(densities) < 3 {
		f.width = 0.36 * figureWidth * vg.Length(len(densities))
	}
	return &picture{"corner.png", f}
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
