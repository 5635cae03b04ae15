package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// mapAxes returns the variables that a map shows to the right and upwards:
// time goes upwards.
func (a *artist) mapAxes() (horizontal, vertical int) {
	if a.time() == 0 {
		return 1, 0
	}
	return 0, 1
}

// maps shows mean, standard deviation and error of a field of two variables.
func (a *artist) maps() (*figure, error) {
	horizontal, vertical := a.mapAxes()
	x, y := a.problem.Variables[horizontal], a.problem.Variables[vertical]
	place := func(h, v float64) []float64 {
		p := make([]float64, 2)
		p[horizontal], p[vertical] = h, v
		return p
	}
	r := &raster{
		xMin: x.Min, xMax: x.Max, yMin: y.Min, yMax: y.Max,
		columns: mapNodes(a.file.Output.Grid[horizontal]), rows: mapNodes(a.file.Output.Grid[vertical]),
		inside: func(h, v float64) bool { return a.inside(place(h, v)) },
	}
	points := mat.NewDense(r.columns*r.rows, 2, nil)
	for k := range points.Rows() {
		copy(points.Row(k), place(r.node(k/r.rows, k%r.rows)))
	}
	f, err := evaluate(a.file, a.predictor, a.field, points)
	if err != nil {
		return nil, err
	}
	sensors, thinning := thinned(a.sensorPlaces(horizontal, vertical))
	aspect, stacked := a.mapAspect(x, y)
	var panels []panel
	add := func(title string, values []float64, colours colourMap) {
		panels = append(panels, &mapPanel{
			frame:  frame{title: title, xLabel: x.Name, yLabel: y.Name, aspect: aspect},
			raster: r, values: values, colours: colours, sensors: sensors,
		})
	}
	add(f.name+": posterior mean", f.mean, viridis)
	if f.sd != nil {
		add(f.name+": posterior sd (latent)", f.sd, magma)
	}
	if d := f.deviation(); d != nil {
		for i := range d {
			d[i] = math.Abs(d[i])
		}
		add(f.name+": |mean - exact|", d, magma)
	}
	result := &figure{rows: [][]panel{panels}}
	switch {
	case stacked:
		result.rows = slices.Collect(slices.Chunk(panels, 1))
	case len(panels) < 3:
		result.width = 0.36 * figureWidth * vg.Length(len(panels))
	}
	if len(sensors) > 0 {
		result.legend = []legendEntry{thinnedEntry(sensorEntry, thinning)}
	}
	return result, nil
}

// mapNodes is how many nodes a map has along a side: those of the output grid,
// within reason.
func mapNodes(grid int) int { return min(max(grid, 81), 201) }

// mapAspect returns the height of a map over its width, true to scale where
// both variables are of space and neither side is tiny, and whether the maps
// stand one above the other.
func (a *artist) mapAspect(x, y system.Variable) (aspect float64, stacked bool) {
	if a.time() >= 0 {
		return 1.1, false
	}
	const flattest, tallest, flat = 0.15, 2.2, 0.45
	aspect = (y.Max - y.Min) / (x.Max - x.Min)
	return math.Min(math.Max(aspect, flattest), tallest), aspect < flat
}
