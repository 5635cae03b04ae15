package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
)

const (
	// fewestOfStation is how many readings along a line make a curve worthwhile.
	fewestOfStation = 4
	// mostStations is how many stations are drawn; more would be a poster.
	mostStations = 24
	longestLabel = 14 // of an axis, in letters
	// mostNames is how many readings have the names of their sensors on the axis; more would overlap.
	mostNames = 24
)

// A station is the readings of one group of sensors along one variable, at the same place
// otherwise.
type station struct {
	group    int
	along    int // variable; -1: the readings are numbered
	readings []int
}

// stations splits the readings of a group into stations: first along the time, then along
// the variables in which most of the others follow each other. Readings that are alone are
// one station, and numbered unless they differ in a single variable.
func (a *artist) stations(g int) (all []station) {
	left := make([]int, len(a.problem.Sensors[g].Values))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		var best []station
		alone, fewest := left, len(left)
		for d := range a.problem.Variables {
			if a.placeless(g, d) {
				continue
			}
			lines, others := a.linesAlong(g, d, left)
			if len(others) < fewest || d == a.time() && len(lines) > 0 {
				best, alone, fewest = lines, others, len(others)
			}
			if d == a.time() && len(lines) > 0 {
				fewest = -1 // no other variable comes before it
			}
		}
		if all = append(all, best...); best == nil {
			return append(all, station{group: g, along: a.differIn(g, left), readings: left})
		}
		left = alone
	}
	return all
}

// differIn returns the only variable in which some readings differ, however few they are; -1 if there is none.
func (a *artist) differIn(g int, readings []int) int {
	for d := range a.problem.Variables {
		differ := len(a.problem.Variables) == 1
		same := !a.placeless(g, d)
		for _, i := range readings {
			same = same && a.placeOf(g, i, d) == a.placeOf(g, readings[0], d)
			differ = differ || a.compare(g, -1, i, readings[0]) != 0
		}
		if same && differ {
			return d
		}
	}
	return -1
}

// linesAlong returns the stations along variable d among some readings, and those that
// are in none.
func (a *artist) linesAlong(g, d int, of []int) (lines []station, others []int) {
	at := map[string]int{}
	for _, i := range of {
		key := a.placeOf(g, i, d)
		k, known := at[key]
		if !known {
			k, at[key] = len(lines), len(lines)
			lines = append(lines, station{group: g, along: d})
		}
		lines[k].readings = append(lines[k].readings, i)
	}
	lines = slices.DeleteFunc(lines, func(l station) bool {
		if len(l.readings) >= fewestOfStation {
			return false
		}
		others = append(others, l.readings...)
		return true
	})
	// Neighbours stand side by side, whatever order the file or the sensors' names have.
	slices.SortStableFunc(lines, func(l, m station) int { return a.compare(g, d, l.readings[0], m.readings[0]) })
	slices.Sort(others)
	return lines, others
}

// compare orders the places of two readings without one of their variables.
func (a *artist) compare(g, without, i, j int) int {
	points := a.problem.Sensors[g].Points
	for d := range a.problem.Variables {
		if c := cmp.Compare(points.At(i, d), points.At(j, d)); c != 0 && d != without && !a.placeless(g, d) {
			return c
		}
	}
	return 0
}

// placeless says that variable d of a group's readings has no meaning, see spec.SensorFile.
func (a *artist) placeless(g, d int) bool {
	return g < len(a.file.SensorFiles) && a.file.SensorFiles[g].Placeless && (a.time() < 0 || d < a.time())
}

// placeOf names the place of a reading without one of its variables.
func (a *artist) placeOf(g, i, without int) string {
	key := ""
	for d, x := range a.problem.Sensors[g].Points.Row(i) {
		if d != without && !a.placeless(g, d) {
			key += fmt.Sprintf("%x,", math.Float64bits(x))
		}
	}
	return key
}

// readings shows every sensor's readings with what the posterior says of the same
// quantity. checks may be nil.
func (a *artist) readings(checks []posterior.ReadingCheck) (*figure.Figure, error) {
	var all []station
	for g := range a.problem.Sensors {
		all = append(all, a.stations(g)...)
	}
	f := &figure.Figure{Title: a.file.Title + ": readings"}
	if n := len(all); n > mostStations {
		kept, worst := worstStations(all, checks)
		f.Title += fmt.Sprintf(", %d of %d stations", mostStations, n)
		if all = kept; worst {
			f.Title += ", those that fit worst"
		}
	}
	var panels []figure.Panel
	for _, s := range all {
		p, err := a.stationPanel(&s, checks)
		if err != nil {
			return nil, err
		}
		panels = append(panels, p)
	}
	f.Rows = slices.Collect(slices.Chunk(panels, 2))
	if len(panels) == 1 {
		panels[0].(*figure.Curve).Aspect = 0.45
	}
	f.Legend = figure.CurveLegend(f.Rows)
	return f, nil
}

// worstStations returns the mostStations stations whose readings are farthest from what the
// others predict for them, in the root mean square, in their old order. Without checks these
// are the first; worst is then false.
func worstStations(all []station, checks []posterior.ReadingCheck) (kept []station, worst bool) {
	type key struct{ group, reading int }
	squares := map[key]float64{}
	for i := range checks {
		c := &checks[i]
		if z := c.Standardised; !math.IsNaN(z) {
			squares[key{c.Sensors, c.Reading}] = z * z
		}
	}
	misfit := make([]float64, len(all)) // mean square
	order := make([]int, len(all))
	for k := range all {
		order[k] = k
		for _, i := range all[k].readings {
			misfit[k] += squares[key{all[k].group, i}] / float64(len(all[k].readings))
		}
		worst = worst || misfit[k] > 0
	}
	slices.SortStableFunc(order, func(k, l int) int { return cmp.Compare(misfit[l], misfit[k]) })
	order = order[:mostStations]
	slices.Sort(order)
	for _, k := range order {
		kept = append(kept, all[k])
	}
	return kept, worst
}

// stationPanel shows one station.
func (a *artist) stationPanel(s *station, checks []posterior.ReadingCheck) (*figure.Curve, error) {
	group := &a.problem.Sensors[s.group]
	p := &figure.Curve{Frame: figure.Frame{Title: a.stationTitle(s), XLabel: "reading", YLabel: a.quantity(s.group), Aspect: 0.6}}
	var err error
	if s.along >= 0 {
		v := a.problem.Variables[s.along]
		p.XLabel, p.Log, p.XDates = axisLabel(v), v.Log, figure.DatesOf(v)
		if group.Measures.Nonlinear == nil {
			a.shownRange() // so that copies share what it finds
			of := *a
			if len(group.Measures.Terms) > 0 {
				of.field = group.Measures.Terms[0].Field
			}
			points, x := of.pointsOn(slice{along: s.along, fixed: group.Points.Row(s.readings[0])})
			p.X = x
			if p.Mean, p.SD, err = a.predictor.Predict(group.Measures, points); err != nil {
				return nil, err
			}
			for i := range p.Mean {
				if a.problem.Domain == nil && !of.inside(points.Row(i)) { // in another layer
					p.Mean[i] = math.NaN()
				}
			}
		} else {
			p.X = []float64{v.Min, v.Max}
		}
	} else {
		p.X, p.Counted = []float64{0.5, float64(len(s.readings)) + 0.5}, true
		if p.Names = a.sensorNames(len(s.readings), func(k int) (g, i int) { return s.group, s.readings[k] }); p.Names != nil {
			p.XLabel = "sensor"
		}
	}
	marks, points := []figure.Reading(nil), []figure.Reading(nil)
	for k, i := range s.readings {
		x := float64(k + 1)
		if s.along >= 0 {
			x = group.Points.At(i, s.along)
		}
		marks = append(marks, figure.Reading{X: x, Value: group.Values[i], Sigma: a.sigma(s.group, i), Source: a.sourceOf(s.group, i)})
	}
	if p.Mean == nil {
		if points, err = a.pointEstimates(s, marks, checks); err != nil {
			return nil, err
		}
		p.At = points
	}
	p.Show(marks) // compared with all of the estimates
	p.At, _ = figure.Thin(p.At)
	return p, nil
}

// pointEstimates is what the posterior says of the quantity at each reading.
func (a *artist) pointEstimates(s *station, marks []figure.Reading, checks []posterior.ReadingCheck) ([]figure.Reading, error) {
	group := &a.problem.Sensors[s.group]
	estimates := slices.Clone(marks)
	if group.Measures.Nonlinear == nil {
		at := mat.NewDense(len(s.readings), group.Points.Cols(), nil)
		for k, i := range s.readings {
			copy(at.Row(k), group.Points.Row(i))
		}
		mean, sd, err := a.predictor.Predict(group.Measures, at)
		if err != nil {
			return nil, err
		}
		for k := range estimates {
			estimates[k].Value, estimates[k].Sigma = mean[k], 0
			if sd != nil {
				estimates[k].Sigma = sd[k]
			}
		}
		return estimates, nil
	}
	known := map[int]*posterior.ReadingCheck{}
	for i := range checks {
		if c := &checks[i]; c.Sensors == s.group {
			known[c.Reading] = c
		}
	}
	estimates = estimates[:0]
	for k, i := range s.readings {
		if c := known[i]; c != nil {
			estimates = append(estimates, figure.Reading{X: marks[k].X, Value: c.Mean, Sigma: c.SD})
		}
	}
	return estimates, nil
}

// quantity is what a group measures, if that is short enough for an axis.
func (a *artist) quantity(g int) string {
	f := &a.problem.Sensors[g].Measures
	text := describe.Functional(a.problem, f)
	switch {
	case g < len(a.file.SensorFiles) && a.file.SensorFiles[g].Measures != "":
		return "reading"
	case f.Nonlinear == nil && len(f.Terms) == 1 && solution.MeasuresField(f, f.Terms[0].Field):
		return a.file.Axis(a.problem.Fields[f.Terms[0].Field])
	case len([]rune(text)) > longestLabel:
		return "reading"
	}
	return text
}

// stationName is the name of the sensor that took all readings of a station, or else that
// of the group.
func (a *artist) stationName(s *station) string {
	name := a.problem.Sensors[s.group].Name
	if s.group >= len(a.file.SensorFiles) || a.file.SensorFiles[s.group].Sensors == nil {
		return name
	}
	sensors := a.file.SensorFiles[s.group].Sensors
	for _, i := range s.readings {
		if sensors[i] == "" || sensors[i] != sensors[s.readings[0]] {
			return name
		}
	}
	return sensors[s.readings[0]]
}

// sensorNames returns the names of the sensors of n readings, of which the k-th is reading i of group g. It is nil where
// one has none, where two readings are of one sensor, and for too many.
func (a *artist) sensorNames(n int, reading func(k int) (g, i int)) (names []string) {
	if n > mostNames {
		return nil
	}
	for k := range n {
		g, i := reading(k)
		if g >= len(a.file.SensorFiles) || i >= len(a.file.SensorFiles[g].Sensors) {
			return nil
		}
		name := a.file.SensorFiles[g].Sensors[i]
		if name == "" || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// sourceOf names the file and the line of reading i of group g; it is empty if they are not known.
func (a *artist) sourceOf(g, i int) string {
	if g >= len(a.file.SensorFiles) || i >= len(a.file.SensorFiles[g].Lines) {
		return ""
	}
	name, line, _ := a.file.SensorFiles[g].Source(i)
	return fmt.Sprintf("%s line %d", name, line)
}

// stationTitle is the name of the sensors, and where they stand.
func (a *artist) stationTitle(s *station) string {
	group := &a.problem.Sensors[s.group]
	title, longest := a.stationName(s), 30
	where := ""
	if s.along >= 0 && !(s.group < len(a.file.SensorFiles) && a.file.SensorFiles[s.group].Placeless) {
		l := slice{along: s.along, fixed: group.Points.Row(s.readings[0])}
		where = a.sliceTitle(l)
	}
	if letters := []rune(title); where != "" && len(letters)+len([]rune(where)) > longest {
		title = ""
	}
	if title != "" && where != "" {
		title += ", "
	}
	return title + where
}

// mostStretches is how many are separated by lines, and have upright names side by side.
const mostStretches = 28

// A stretch is the readings of one sensor, among those of all in the order of residuals.
type stretch struct {
	name         string
	first, count int
}

// bySensor orders readings by their groups, sensors and times, so that a drift is seen. A sensor is known by its name, or
// else by its place where there is a time; readings of which neither is known are one stretch, in the order of the file.
func (a *artist) bySensor(checks []posterior.ReadingCheck) (ordered []posterior.ReadingCheck, stretches []stretch) {
	type key struct {
		group  int
		sensor string
	}
	of := map[key]int{}
	var names []string
	var members [][]int
	for k := range checks {
		id, name := a.sensorOf(&checks[k])
		s, known := of[key{checks[k].Sensors, id}]
		if !known {
			s, of[key{checks[k].Sensors, id}] = len(members), len(members)
			names, members = append(names, name), append(members, nil)
		}
		members[s] = append(members[s], k)
	}
	if len(members) > len(checks)/2 { // most have a single reading
		return checks, byGroup(checks)
	}
	order := make([]int, len(members))
	for s := range order {
		order[s] = s
	}
	slices.SortStableFunc(order, func(s, t int) int { return cmp.Compare(checks[members[s][0]].Sensors, checks[members[t][0]].Sensors) })
	time := a.time()
	for _, s := range order {
		if g := checks[members[s][0]].Sensors; time >= 0 && g < len(a.problem.Sensors) {
			points := a.problem.Sensors[g].Points
			slices.SortStableFunc(members[s], func(k, l int) int {
				return cmp.Compare(points.At(checks[k].Reading, time), points.At(checks[l].Reading, time))
			})
		}
		stretches = append(stretches, stretch{names[s], len(ordered), len(members[s])})
		for _, k := range members[s] {
			ordered = append(ordered, checks[k])
		}
	}
	return ordered, stretches
}

// byGroup returns groups of readings as stretches without names.
func byGroup(checks []posterior.ReadingCheck) (stretches []stretch) {
	for i := range checks {
		if i == 0 || checks[i].Sensors != checks[i-1].Sensors {
			stretches = append(stretches, stretch{first: i})
		}
		stretches[len(stretches)-1].count++
	}
	return stretches
}

// sensorOf returns what tells the sensor of a reading from others of its group, and its name for an axis.
func (a *artist) sensorOf(c *posterior.ReadingCheck) (id, name string) {
	g, i := c.Sensors, c.Reading
	if g < len(a.file.SensorFiles) && i < len(a.file.SensorFiles[g].Sensors) && a.file.SensorFiles[g].Sensors[i] != "" {
		return "name " + a.file.SensorFiles[g].Sensors[i], a.file.SensorFiles[g].Sensors[i]
	}
	if g >= len(a.problem.Sensors) {
		return "", ""
	}
	if time := a.time(); time >= 0 && len(a.problem.Variables) > 1 && !a.placeless(g, (time+1)%len(a.problem.Variables)) {
		return "place " + a.placeOf(g, i, time), a.sliceTitle(slice{along: time, fixed: a.problem.Sensors[g].Points.Row(i)})
	}
	return "", a.problem.Sensors[g].Name
}

// stretchNames returns the names of stretches and their middles, if there is room for them on an axis of n readings.
func stretchNames(stretches []stretch, n int) (names []string, at []float64) {
	const closest = 1. / mostStretches // of the axis, upright
	if len(stretches) < 2 {
		return nil, nil
	}
	for _, s := range stretches {
		middle := float64(s.first) + float64(s.count+1)/2
		if s.name == "" || len(at) > 0 && middle-at[len(at)-1] < closest*float64(n) {
			return nil, nil
		}
		names, at = append(names, s.name), append(at, middle)
	}
	return names, at
}

// residuals shows how far each reading is from the posterior, in standard deviations of
// its noise, and from what the other readings predict. It is nil without checks.
func (a *artist) residuals(checks []posterior.ReadingCheck) *figure.Figure {
	if len(checks) == 0 {
		return nil
	}
	upper, lower := &figure.Curve{}, &figure.Curve{}
	checks, stretches := a.bySensor(checks)
	for _, s := range stretches[1:] {
		if len(stretches) > mostStretches {
			break
		}
		upper.Breaks = append(upper.Breaks, float64(s.first)+0.5)
	}
	for i := range checks {
		c := &checks[i]
		x := float64(i + 1)
		if r := (c.Value - c.Mean) / c.Sigma; !math.IsNaN(r) && !math.IsInf(r, 0) {
			upper.Sensors = append(upper.Sensors, figure.Reading{X: x, Value: r, Source: a.sourceOf(c.Sensors, c.Reading)})
		}
		if !math.IsNaN(c.Standardised) && !math.IsInf(c.Standardised, 0) {
			lower.Sensors = append(lower.Sensors, figure.Reading{X: x, Value: c.Standardised, Source: a.sourceOf(c.Sensors, c.Reading)})
		}
	}
	lower.Breaks = upper.Breaks
	names := a.sensorNames(len(checks), func(k int) (g, i int) { return checks[k].Sensors, checks[k].Reading })
	var at []float64
	along := "sensor"
	if names == nil {
		if names, at = stretchNames(stretches, len(checks)); names != nil && a.time() >= 0 {
			along = "sensor, its readings in order of time"
		}
	}
	for _, panel := range []*figure.Curve{upper, lower} {
		panel.X, panel.Mean, panel.SD = []float64{0.5, float64(len(checks)) + 0.5}, []float64{0, 0}, []float64{1, 1}
		panel.Show(panel.Sensors)
		panel.Frame, panel.Counted = figure.Frame{XLabel: "reading", Aspect: 0.32}, true
		if len(stretches) > 1 && a.time() >= 0 && stretches[0].name != "" {
			panel.XLabel = "reading, sensor by sensor in order of time"
		}
		if panel.Names, panel.NamesAt = names, at; names != nil {
			panel.XLabel = along
		}
	}
	upper.Title, upper.YLabel = "reading less posterior mean", "noise sd"
	lower.Title, lower.YLabel = "reading less what the others predict for it", "sd"
	f := &figure.Figure{Title: a.file.Title + ": residuals of " + format.Count(len(checks), "reading"), Rows: [][]figure.Panel{{upper}, {lower}}}
	f.Legend = figure.ResidualLegend(f.Rows)
	return f
}

// ofReadings makes the pictures of all readings.
func ofReadings(a *artist, checks []posterior.ReadingCheck) ([]Picture, error) {
	var pictures []Picture
	if a.problem.Readings() > 0 {
		f, err := a.readings(checks)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, Picture{"readings", f})
	}
	if f := a.residuals(checks); f != nil {
		pictures = append(pictures, Picture{"residuals", f})
	}
	return pictures, nil
}
