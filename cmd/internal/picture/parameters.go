package picture

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// parameters is the posterior, as far as pictures show its parameters.
type parameters interface {
	Parameters() []posterior.ParameterEstimate
	ParameterDensity(i int, x float64) float64
	SampleParameters(count int, seed uint64) *mat.Dense
}

// densityPanels shows the posterior of each parameter that has one. of holds the
// parameters' numbers.
func densityPanels(file *spec.File, q parameters) (panels []*figure.Density, of []int) {
	linear := len(file.Problem.Parameters)
	for i, e := range q.Parameters() {
		if !(e.SD > 0) || math.IsInf(e.SD, 0) {
			continue
		}
		panel := figure.NewDensity(e, func(x float64) float64 { return q.ParameterDensity(i, x) }, nil)
		panel.XLabel = file.Axis(e.Name)
		switch c := describe.PriorOf(file.Problem, i); {
		case c != nil && !c.Open():
			panel.Prior = c.Density
			panel.XLabel = withPrior(file.Axis(e.Name), stated(c))
		case i < linear:
			panel.XLabel = withPrior(file.Axis(e.Name), "wide")
		}
		panels = append(panels, panel)
		of = append(of, i)
	}
	return panels, of
}

// withPrior adds a prior to the label of an axis, on a line of its own where one line would be too long.
func withPrior(axis, prior string) string {
	const longest = 30 // letters
	text := axis + " (prior: " + prior + ")"
	if utf8.RuneCountInString(text) > longest {
		return axis + "\n(prior: " + prior + ")"
	}
	return text
}

// stated writes a prior with the numbers by which it was stated. A range of both signs that was found reaches far beyond
// what anybody expects of the parameter, and its ends mean nothing to a reader.
func stated(c *system.Coefficient) string {
	switch {
	case c.Fine > 0:
		return "wide, range found"
	case c.SD > 0:
		return fmt.Sprintf("%.6g ± %.6g", c.Mean, c.SD)
	case c.Median > 0:
		return fmt.Sprintf("%.6g, factor %.6g", c.Median, c.Factor)
	}
	return fmt.Sprintf("%.6g to %.6g", c.Min, c.Max)
}

// densities shows the posterior of each parameter. It is nil if there are none.
func densities(file *spec.File, q parameters) *Picture {
	of, _ := densityPanels(file, q)
	if len(of) == 0 {
		return nil
	}
	var panels []figure.Panel
	for _, p := range of {
		panels = append(panels, p)
	}
	f := &figure.Figure{
		Title:  file.Title,
		Legend: figure.DensityLegend(of),
		Rows:   slices.Collect(slices.Chunk(panels, 2)),
	}
	f.Narrow(len(panels))
	return &Picture{"parameters", f}
}

const (
	mostCorners = 8 // parameters of a corner plot; more could not be read
	cornerDraws = 1500
	cornerWidth = 170 // points for each parameter
	cornerSeed  = 1
)

// corner shows how parameters depend on each other, where some of them are
// coefficients: the density of each, and draws of every two. It is nil where there
// are fewer than two, or too many.
func corner(file *spec.File, q parameters) *Picture {
	if len(file.Problem.Coefficients) == 0 {
		return nil
	}
	diagonal, of := densityPanels(file, q)
	for _, d := range diagonal {
		d.XLabel = file.Axis(d.Estimate.Name)
	}
	if n := len(diagonal); n < 2 || n > mostCorners {
		return nil
	}
	samples := q.SampleParameters(cornerDraws, cornerSeed)
	f := &figure.Figure{Title: file.Title, Legend: figure.DensityLegend(diagonal)}
	for i, d := range diagonal {
		var row []figure.Panel
		for j := range i {
			row = append(row, &figure.Joint{
				Frame: figure.Frame{XLabel: file.Axis(diagonal[j].Estimate.Name), YLabel: file.Axis(d.Estimate.Name), Aspect: 0.8},
				X:     column(samples, of[j]), Y: column(samples, of[i]),
			})
		}
		f.Rows = append(f.Rows, append(row, d))
	}
	f.Width = math.Max(figure.FullWidth, cornerWidth*float64(len(diagonal)))
	return &Picture{"corner", f}
}
