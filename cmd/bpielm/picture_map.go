package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/mat"
)

// A section is a plane through the box along two variables; the others have the
// values in fixed.
type section struct {
	horizontal, vertical int
	fixed                []float64 // one for each variable
	across               int       // the variable in which sections follow each other; -1 for a single one
}

// mapAxes returns the variables that a map shows to the right and upwards: of two,
// time goes upwards; of more it is not shown.
func (a *artist) mapAxes() (horizontal, vertical int) {
	switch {
	case a.time() == 0 && len(a.problem.Variables) == 2:
		return 1, 0
	case a.time() == 0:
		return 1, 2
	case a.time() == 1 && len(a.problem.Variables) > 2:
		return 0, 2
	}
	return 0, 1
}

// sections returns the planes that are shown of a problem in two or more variables:
// the only one, or three along the time or the last variable that is not shown; a
// fourth variable stands in the middle.
func (a *artist) sections() []section {
	s := section{across: -1, fixed: make([]float64, len(a.problem.Variables))}
	s.horizontal, s.vertical = a.mapAxes()
	for i, v := range a.problem.Variables {
		s.fixed[i] = v.At(0.5)
		if i != s.horizontal && i != s.vertical && (s.across < 0 || s.across != a.time()) {
			s.across = i
		}
	}
	if s.across < 0 {
		return []section{s}
	}
	places := []float64{0.25, 0.5, 0.75}
	if s.across == a.time() {
		places = []float64{0, 0.5, 1}
	}
	var list []section
	for _, place := range places {
		one := s
		one.fixed = slices.Clone(s.fixed)
		v := a.problem.Variables[s.across]
		one.fixed[s.across] = v.At(place)
		list = append(list, one)
	}
	return list
}

// place is the point of a section that a map shows at (h, v).
func (s *section) place(h, v float64) []float64 {
	x := slices.Clone(s.fixed)
	x[s.horizontal], x[s.vertical] = h, v
	return x
}

// maps shows mean, standard deviation and error of a field, section by section.
// Maps of the same kind have the same colours.
func (a *artist) maps() (*figure, error) {
	sections := a.sections()
	result := &figure{}
	thinning, marked := 1, false
	var kinds [][]*mapPanel
	for k := range sections {
		panels, thin, err := a.sectionMaps(sections, k)
		if err != nil {
			return nil, err
		}
		thinning, marked = max(thinning, thin), marked || len(panels[0].sensors) > 0
		var row []panel
		for kind, p := range panels {
			if kind == len(kinds) {
				kinds = append(kinds, nil)
			}
			kinds[kind] = append(kinds[kind], p)
			row = append(row, p)
		}
		result.rows = append(result.rows, row)
	}
	for _, alike := range kinds {
		for _, p := range alike {
			p.alike = alike
		}
	}
	_, stacked := a.mapAspect(&sections[0])
	switch {
	case stacked && len(sections) == 1:
		result.rows = slices.Collect(slices.Chunk(result.rows[0], 1))
	case len(kinds) < 3:
		result.width = 0.36 * figureWidth * vg.Length(len(kinds))
	}
	if marked {
		result.legend = []legendEntry{thinnedEntry(sensorEntry, thinning)}
	}
	return result, nil
}

// sectionMaps returns the maps of the k-th section, with the sensors that are
// nearer to it than to others, and how many of these a mark stands for.
func (a *artist) sectionMaps(sections []section, k int) (panels []*mapPanel, thinning int, err error) {
	s := &sections[k]
	x, y := a.problem.Variables[s.horizontal], a.problem.Variables[s.vertical]
	r := &raster{
		x: x, y: y,
		columns: mapNodes(a.file.Output.Grid[s.horizontal]), rows: mapNodes(a.file.Output.Grid[s.vertical]),
		inside: func(h, v float64) bool { return a.inside(s.place(h, v)) },
	}
	points := mat.NewDense(r.columns*r.rows, len(s.fixed), nil)
	for i := range points.Rows() {
		copy(points.Row(i), s.place(r.node(i/r.rows, i%r.rows)))
	}
	f, err := evaluate(a.file, a.predictor, a.field, points)
	if err != nil {
		return nil, 0, err
	}
	sensors, thinning := thinned(a.sensorPlaces(sections, k))
	aspect, _ := a.mapAspect(s)
	where := ""
	if s.across >= 0 {
		v := a.problem.Variables[s.across]
		where = ", " + v.Name + " = " + formatWithin(s.fixed[s.across], v.Min, v.Max)
	}
	add := func(title string, values []float64, colours colourMap) {
		panels = append(panels, &mapPanel{
			frame:  frame{title: title + where, xLabel: x.Name, yLabel: y.Name, aspect: aspect},
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
	return panels, thinning, nil
}

// mapNodes is how many nodes a map has along a side: those of the output grid,
// within reason.
func mapNodes(grid int) int { return min(max(grid, 81), 201) }

// mapAspect returns the height of a map over its width, true to scale where
// both variables are of space and neither side is tiny, and whether the maps
// stand one above the other.
func (a *artist) mapAspect(s *section) (aspect float64, stacked bool) {
	if t := a.time(); t == s.horizontal || t == s.vertical {
		return 1.1, false
	}
	x, y := a.problem.Variables[s.horizontal], a.problem.Variables[s.vertical]
	if x.Log || y.Log {
		return 1.1, false
	}
	const flattest, tallest, flat = 0.15, 2.2, 0.45
	aspect = (y.Max - y.Min) / (x.Max - x.Min)
	return math.Min(math.Max(aspect, flattest), tallest), aspect < flat
}
