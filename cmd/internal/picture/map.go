package picture

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A section is a plane through the box along two variables. The others have the
// values in fixed.
type section struct {
	horizontal, vertical int
	fixed                []float64 // one for each variable
	across               int       // the variable in which sections follow each other; -1 for a single one
}

// mapAxes returns the variables that a map shows to the right and upwards. Of two
// variables, time goes upwards; of more, it is not shown.
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
// the only one, or three that follow each other in time or in the last variable that
// is not shown. A fourth variable is fixed at its middle.
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

// Slim maps are large enough three side by side, and very flat ones too small even two side by
// side, however many there are.
const slim, veryFlat = 1.5, 0.25

// maps shows mean and standard deviation of a field side by side, section by section,
// and below them the errors. A colour means the same in all maps of a kind, see
// figure.ShareColours.
func (a *artist) maps() (*figure.Figure, error) {
	sections := a.sections()
	result := &figure.Figure{}
	thinning := 1
	var kinds [][]*figure.Map
	var marks []figure.Mark
	var tracks []figure.Track
	var errors []figure.Panel
	across := a.shownRange()
	for k := range sections {
		panels, thin, err := a.sectionMaps(sections, k, across)
		if err != nil {
			return nil, err
		}
		thinning, marks, tracks = max(thinning, thin), append(marks, panels[0].Sensors...), append(tracks, panels[0].Tracks...)
		var row []figure.Panel
		for kind, p := range panels {
			if kind == len(kinds) {
				kinds = append(kinds, nil)
			}
			kinds[kind] = append(kinds[kind], p.Map)
			if p.isError {
				errors = append(errors, p.Map)
			} else {
				row = append(row, p.Map)
			}
		}
		result.Rows = append(result.Rows, row)
	}
	for kind, alike := range kinds {
		figure.ShareColours(alike, kind > 0)
	}
	aspect, stacked := a.mapAspect(&sections[0], across)
	switch {
	case aspect >= slim: // the error stands beside the others
		for k := range errors {
			result.Rows[k] = append(result.Rows[k], errors[k])
		}
		result.Narrow(len(result.Rows[0]))
	case stacked && (len(sections) == 1 || aspect < veryFlat):
		result.Rows = slices.Collect(slices.Chunk(append(slices.Concat(result.Rows...), errors...), 1))
	default:
		result.Rows = append(result.Rows, slices.Collect(slices.Chunk(errors, 2))...)
		result.Narrow(max(len(result.Rows[0]), min(len(errors), 2)))
	}
	result.Legend = figure.SensorLegend(marks, tracks, thinning)
	return result, nil
}

// shownRange returns the part of the variables' ranges in which the field exists: a layer
// of a wall fills its axes.
func (a *artist) shownRange() []system.Variable {
	const nodes, most = 41, 70_000
	if known := a.shown[a.field]; known != nil {
		return known
	}
	shown := slices.Clone(a.problem.Variables)
	if a.problem.Domain == nil && (a.field >= len(a.file.Output.Where) || a.file.Output.Where[a.field] == nil) {
		return shown
	}
	counts := make([]int, len(shown))
	for d := range counts {
		counts[d] = max(2, min(nodes, int(math.Pow(most, 1/float64(len(shown))))))
	}
	points := system.Grid(a.problem.Variables, nil, counts)
	low, high := slices.Repeat([]float64{1}, len(shown)), make([]float64, len(shown))
	for i := range points.Rows() {
		if x := points.Row(i); a.inside(x) {
			for d, v := range a.problem.Variables {
				low[d], high[d] = math.Min(low[d], v.Share(x[d])), math.Max(high[d], v.Share(x[d]))
			}
		}
	}
	for d, v := range a.problem.Variables {
		if step := 1 / float64(counts[d]-1); low[d] < high[d] { // it may reach almost to the next node
			shown[d].Min, shown[d].Max = v.At(math.Max(0, low[d]-step)), v.At(math.Min(1, high[d]+step))
		}
	}
	if a.shown == nil {
		a.shown = map[int][]system.Variable{}
	}
	a.shown[a.field] = shown
	return shown
}

// longestName is how many letters leave room for what a map shows of the quantity, such as its sd.
const longestName = 20

// shortName is a label with its unit, or if that is long beside some more letters the name of
// the quantity with it.
func shortName(label, name string, quantities map[string]spec.Quantity, more int) string {
	if utf8.RuneCountInString(label)+more > longestName {
		return name + quantities[name].InParentheses()
	}
	return label
}

// kindMap is a map of one kind.
type kindMap struct {
	*figure.Map
	isError bool
}

// sectionMaps returns the maps of the k-th section, with the sensors that are
// nearer to it than to the others. One in thinning of these is shown.
func (a *artist) sectionMaps(sections []section, k int, across []system.Variable) (panels []kindMap, thinning int, err error) {
	s := &sections[k]
	x, y := across[s.horizontal], across[s.vertical]
	r := &figure.Raster{
		X: x, Y: y,
		Columns: mapNodes(a.file.Output.Grid[s.horizontal]), Rows: mapNodes(a.file.Output.Grid[s.vertical]),
		Inside: func(h, v float64) bool { return a.inside(s.place(h, v)) },
	}
	points := mat.NewDense(r.Columns*r.Rows, len(s.fixed), nil)
	for i := range points.Rows() {
		copy(points.Row(i), s.place(r.Node(i/r.Rows, i%r.Rows)))
	}
	f, err := solution.Evaluate(a.file, a.predictor, a.field, points)
	if err != nil {
		return nil, 0, err
	}
	tracks, sensors := figure.Tracks(a.sensorPlaces(sections, k), s.vertical == a.time())
	sensors, thinning = figure.Thin(sensors)
	aspect, _ := a.mapAspect(s, across)
	where := ""
	if s.across >= 0 {
		v := a.problem.Variables[s.across]
		where = ", " + valueOf(v, s.fixed[s.across])
	}
	add := func(title string, values []float64, colours figure.ColourMap) {
		panels = append(panels, kindMap{Map: &figure.Map{
			Frame:  figure.Frame{Title: title + where, XLabel: axisLabel(x), YLabel: axisLabel(y), XDates: figure.DatesOf(x), YDates: figure.DatesOf(y), Aspect: aspect},
			Raster: r, Values: values, Colours: colours, Sensors: sensors, Tracks: tracks,
		}})
	}
	more := utf8.RuneCountInString(where)
	if aspect >= slim {
		more += longestName / 2 // the map is narrow
	}
	name := shortName(a.file.Axis(f.Name), f.Name, a.file.Quantities, more)
	add(name+": mean", f.Mean, figure.Viridis)
	if f.SD != nil {
		add(name+": sd (latent)", f.SD, figure.Magma)
	}
	if d := f.Deviation(); d != nil {
		for i := range d {
			d[i] = math.Abs(d[i])
		}
		add(name+": |mean - exact|", d, figure.Magma)
		panels[len(panels)-1].isError = true
	}
	return panels, thinning, nil
}

// mapNodes is the number of nodes along a side of a map: that of the output grid,
// within reason.
func mapNodes(grid int) int { return min(max(grid, 81), 201) }

// mapAspect returns the height of a map over its width. It is true to scale where
// both variables are in space and neither side is tiny. stacked says that maps this
// flat go one above the other.
func (a *artist) mapAspect(s *section, across []system.Variable) (aspect float64, stacked bool) {
	if t := a.time(); t == s.horizontal || t == s.vertical {
		return 1.1, false
	}
	x, y := across[s.horizontal], across[s.vertical]
	if x.Log || y.Log {
		return 1.1, false
	}
	const flattest, tallest, flat = 0.15, 2, 0.45
	aspect = (y.Max - y.Min) / (x.Max - x.Min)
	return math.Min(math.Max(aspect, flattest), tallest), aspect < flat
}
