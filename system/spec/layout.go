package spec

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

const (
	maxFiles  = 10_000 // of one block
	maxPlaces = 100_000
)

// files returns the names of the block's files: file is a name, a pattern as logs/*.csv, or a list of these.
func (s section) files() ([]string, error) {
	var wanted []string
	switch v := s.values["file"].(type) {
	case nil:
		return nil, s.missing(`file = "readings.csv" is missing`)
	case []any:
		for _, item := range v {
			name, ok := item.(string)
			if !ok || strings.TrimSpace(name) == "" {
				return nil, s.refuse(join(s.name, "file"), "expected names of files in quotes, found %s", describe(item))
			}
			wanted = append(wanted, name)
		}
		if len(wanted) == 0 {
			return nil, s.refuse(join(s.name, "file"), "the list is empty")
		}
	default:
		name, err := s.text("file")
		if err != nil {
			return nil, err
		}
		wanted = []string{name}
	}
	var names []string
	for _, name := range wanted {
		if !strings.ContainsAny(name, "*?[") {
			names = append(names, name)
			continue
		}
		some, err := s.matching(s.path, name)
		if err != nil {
			return nil, s.wrong("file", fmt.Errorf("%s: %w", shorten(name), err))
		}
		names = append(names, some...)
	}
	if len(names) > maxFiles {
		return nil, s.refuse(join(s.name, "file"), "%d files; at most %d are possible", len(names), maxFiles)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return nil, s.refuse(join(s.name, "file"), "%s is named twice", shorten(name))
		}
		seen[name] = true
	}
	return names, nil
}

// matching returns the names of the files that match a pattern, in order, as a problem file would write them.
func (s source) matching(problem, pattern string) (names []string, err error) {
	if f, err := s.open(s.place.beside(problem, pattern)); err == nil { // the file has that name
		f.Close()
		return []string{pattern}, nil
	}
	names, err = s.place.matching(problem, pattern)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("no file matches")
	}
	slices.Sort(names)
	return names, nil
}

// layout reads how the block's files are laid out.
func (s section) layout(p *system.Problem) (l system.Layout, err error) {
	if l.Columns, err = s.columns(append(variableNames(p), readings.Holds()...)); err != nil {
		return l, err
	}
	if l.At, err = s.fixedPlace(p); err != nil {
		return l, err
	}
	if s.has("time") {
		v := slices.IndexFunc(p.Variables, func(v system.Variable) bool { return v.Start != "" })
		if v < 0 {
			return l, s.refuse(join(s.name, "time"), `no variable has a start, as t = { range = [0, 48], unit = "h", start = "2024-05-01" }`)
		}
		if l.Time, err = s.choice("time", readings.Times()...); err != nil {
			return l, err
		}
		if _, err := readings.NewClock(p.Variables[v], l.Time); err != nil {
			return l, s.wrong("time", err)
		}
	}
	if l.Missing, err = s.missingTexts(); err != nil {
		return l, err
	}
	s.document.listed, s.document.outside = false, nil
	if s.has("places") {
		l.Places, err = s.placesOfSensors(p)
	}
	return l, err
}

// columns reads the heads of the columns that hold any of the known.
func (s section) columns(known []string) (map[string]string, error) {
	if !s.has("columns") {
		return nil, nil
	}
	in := s.inner("columns")
	columns, holds := map[string]string{}, map[string]string{}
	for _, name := range s.inOrder(in.name, in.values) {
		if !slices.Contains(known, name) {
			return nil, in.wrong(name, fmt.Errorf("a column cannot hold that%s", didYouMean(name, known, "possible are")))
		}
		text, err := in.text(name)
		if err != nil {
			return nil, err
		}
		head := strings.TrimSpace(text)
		if other, taken := holds[head]; taken {
			return nil, in.refuse(join(in.name, name), "%s is the column for %s, too", shorten(head), other)
		}
		columns[name], holds[head] = head, name
	}
	return columns, nil
}

func variableNames(p *system.Problem) []string {
	var names []string
	for _, v := range p.Variables {
		names = append(names, v.Name)
	}
	return names
}

// fixedPlace reads the coordinates that have no column.
func (s section) fixedPlace(p *system.Problem) (map[string]float64, error) {
	if !s.has("at") {
		return nil, nil
	}
	coordinates, err := s.places("at", p)
	if err != nil {
		return nil, err
	}
	columns := s.inner("columns").values
	return s.inBox("at", p, coordinates, columns)
}

// inBox returns the coordinates that are given, by the names of their variables.
func (s section) inBox(key string, p *system.Problem, coordinates []float64, columns map[string]any) (map[string]float64, error) {
	at := map[string]float64{}
	for i, x := range coordinates {
		v := &p.Variables[i]
		if x != x {
			continue
		}
		if v.Outside(x) {
			return nil, s.refuse(join(join(s.name, key), v.Name), "%.10g is outside [%.10g, %.10g]", x, v.Min, v.Max)
		}
		if columns[v.Name] != nil {
			return nil, s.refuse(join(join(s.name, key), v.Name), "columns names a column for %s, too", v.Name)
		}
		at[v.Name] = x
	}
	return at, nil
}

// missingTexts reads what stands for no reading.
func (s section) missingTexts() (texts []string, err error) {
	if !s.has("missing") {
		return nil, nil
	}
	list, ok := s.values["missing"].([]any)
	if !ok {
		list = []any{s.values["missing"]}
	}
	for _, item := range list {
		switch v := item.(type) {
		case string:
			texts = append(texts, v)
		case int64, float64:
			texts = append(texts, fmt.Sprint(v))
		default:
			return nil, s.refuse(join(s.name, "missing"), `expected numbers or texts that stand for no reading, as [-9999, "OVR"], found %s`, describe(item))
		}
	}
	return texts, nil
}

// placesOfSensors reads where sensors are: from a file, or as the problem file says.
func (s section) placesOfSensors(p *system.Problem) ([]system.Place, error) {
	in := s.inner("places")
	switch v := s.values["places"].(type) {
	case string:
		name, err := s.text("places")
		if err != nil {
			return nil, err
		}
		return s.placesFrom("places", name, nil, p)
	case map[string]any:
		if _, isFile := v["file"].(string); !isFile { // perhaps it is the name of a sensor
			return s.inlinePlaces(p)
		}
		name, err := in.text("file")
		if err != nil {
			return nil, err
		}
		for _, key := range s.inOrder(in.name, v) {
			if key != "file" && key != "columns" {
				return nil, in.wrong(key, errors.New("places are in a file or here, not both"))
			}
		}
		columns, err := in.columns(append(variableNames(p), sensorColumn))
		if err != nil {
			return nil, err
		}
		return in.placesFrom("file", name, columns, p)
	default:
		return nil, s.refuse(in.name, `expected a file with a column sensor, or a table, { T1 = { %s = 0.5 } }, found %s`, p.Variables[0].Name, describe(v))
	}
}

// inlinePlaces reads places = { T1 = { x = 0.5 } }.
func (s section) inlinePlaces(p *system.Problem) (places []system.Place, err error) {
	in := s.inner("places")
	for _, name := range s.inOrder(in.name, in.values) {
		coordinates, err := in.places(name, p)
		if err != nil {
			return nil, err
		}
		at, err := in.inBox(name, p, coordinates, nil)
		if err != nil {
			return nil, err
		}
		places = append(places, system.Place{Sensor: name, At: at})
	}
	if len(places) == 0 {
		return nil, in.missing("it names no sensor")
	}
	return places, nil
}

// placesFrom reads a file with the name of each sensor and some of its coordinates. columns has the heads of its
// columns where they are not what they hold.
func (s section) placesFrom(key, name string, columns map[string]string, p *system.Problem) ([]system.Place, error) {
	places, outside, err := s.readPlaces(s.file(name), p.Variables, columns)
	if err != nil {
		return nil, s.fromFile(key, name, err)
	}
	s.document.listed, s.document.outside = true, outside
	return places, nil
}

// readPlaces reads a table of places. A sensor outside the box is an error only if it has readings.
func (s source) readPlaces(path string, variables []system.Variable, columns map[string]string) (places []system.Place, outside map[string]error, err error) {
	layout := readings.Layout{Layout: system.Layout{Columns: columns}}
	t, err := s.openTable(path, readings.Config{Variables: variables, Layouts: []readings.Layout{layout}, Places: true})
	if err != nil {
		return nil, nil, err
	}
	defer t.close()
	seen := map[string]bool{}
	outside = map[string]error{}
	for {
		record, err := t.next()
		if err == io.EOF {
			break
		}
		if e, is := err.(*Error); is && e.lacksColumn(sensorColumn) && columns[sensorColumn] == "" {
			e.Why += `; places = { file = "...", columns = { sensor = "..." } } names it`
		}
		if err != nil {
			return nil, nil, err
		}
		place := system.Place{Sensor: strings.Clone(record.Sensor), At: map[string]float64{}}
		switch {
		case place.Sensor == "":
			return nil, nil, t.refuse(record, sensorColumn, "the cell is empty; the name of a sensor is expected")
		case seen[place.Sensor]:
			return nil, nil, t.refuse(record, sensorColumn, "this sensor has a place already")
		}
		seen[place.Sensor] = true
		for i := range variables {
			v, x := &variables[i], record.At[i]
			if math.IsNaN(x) {
				continue
			}
			if v.Outside(x) {
				outside[place.Sensor] = t.refuse(record, v.Name, "%.10g is outside [%.10g, %.10g], and sensor %s has readings%s", x, v.Min, v.Max, shorten(place.Sensor), t.otherUnit(i))
			}
			place.At[v.Name] = x
		}
		if len(place.At) == 0 {
			return nil, nil, t.noCoordinate()
		}
		if len(places) == maxPlaces {
			return nil, nil, t.refuse(record, "", "more than %d places", maxPlaces)
		}
		places = append(places, place)
	}
	if len(places) == 0 {
		return nil, nil, t.because(errors.New(noRows))
	}
	return places, outside, nil
}

// noCoordinate refuses a table of places that has only names.
func (t *csvTable) noCoordinate() error {
	of, found := t.Variables[0].Name, t.Refuse("", "").(*readings.Error)
	why := "there is no column with a coordinate, as " + of
	if found.Certain {
		why += "; found " + shorten(list(t.Columns(), "and"))
	}
	why += fmt.Sprintf(`; places = { file = "...", columns = { %s = "..." } } names it`, of)
	return &Error{File: t.path, Line: t.Counts.Header, Why: why}
}
