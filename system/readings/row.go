package readings

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// row stores the cells of a line in the record: true if they have one.
func (r *Reader) row() (bool, error) {
	if r.object = nil; !r.Whole {
		r.restoreColumns()
	}
	b := r.bound
	for len(r.cells) > len(b.columns) && r.cells[len(r.cells)-1] == "" { // separators after the last cell
		r.cells = r.cells[:len(r.cells)-1]
	}
	isEmpty := !slices.ContainsFunc(r.cells, func(cell string) bool { return cell != "" })
	if isEmpty && (len(r.cells) == 1 || len(r.cells) == len(b.columns)) {
		return false, nil
	}
	if len(r.cells) != len(b.columns) {
		return false, r.Refuse("", "found %d column%s; the first line names %d", len(r.cells), plural(len(r.cells)), len(b.columns))
	}
	if !r.Whole {
		return r.readings()
	}
	if !r.rows {
		if len(r.Counts.UnitLines) < maxUnits && !r.Places && !r.Complete && r.hasNoNumber() {
			if r.Counts.UnitLines = append(r.Counts.UnitLines, r.record.Line); r.units == nil {
				_, r.units = r.readings()
				r.rest = nil
			}
			return false, nil
		}
		r.rows, r.certain = true, certainly(b.columns, r.cells, r.comma)
	}
	return r.readings()
}

// restoreColumns takes the previous names of the columns back if several rows in succession fit them and not the last.
func (r *Reader) restoreColumns() {
	switch {
	case len(r.cells) == len(r.bound.columns):
		r.misfits = 0
	case r.before != nil && len(r.cells) == len(r.before.columns):
		if r.misfits++; r.misfits == cutHeader {
			r.bound, r.before, r.misfits = r.before, r.bound, 0
			r.record.Columns = r.bound.columns
		}
	}
}

// hasNoNumber reports whether nothing in the row can be a place, a time or a value, though it is not empty.
func (r *Reader) hasNoNumber() bool {
	words := false
	check := func(at int) bool {
		if at < 0 {
			return true
		}
		cell := r.cells[at]
		words = words || !r.bound.missing.text(cell, r.comma)
		return !beginsNumber(cell)
	}
	for _, at := range r.bound.at[:len(r.Variables)+1] {
		if !check(at) {
			return false
		}
	}
	for _, w := range r.bound.wide {
		if !check(w.column) {
			return false
		}
	}
	return words
}

// readings stores the first reading of the row in the record: true if it has one.
func (r *Reader) readings() (bool, error) {
	b, d := r.bound, len(r.Variables)
	value := b.at[d+valueOffset]
	if !r.Complete && value >= 0 && b.missing.text(r.cells[value], r.comma) {
		name := ""
		if at := b.at[d+sensorOffset]; at >= 0 {
			name = r.cells[at]
		}
		r.gap(name, !isGap(r.cells[value]))
		return false, nil
	}
	sensor, err := r.nameIn(sensorOffset)
	if err != nil {
		return false, err
	}
	kind, err := r.nameIn(kindOffset)
	if err != nil {
		return false, err
	}
	if err := r.setNames(b, sensor, kind); err != nil {
		return false, err
	}
	for i := range r.Variables {
		at := b.at[i]
		if at < 0 {
			if r.Places {
				r.record.At[i] = math.NaN()
			}
			continue
		}
		if r.record.At[i], err = r.coordinate(i, r.cells[at]); err != nil {
			return false, err
		}
	}
	if r.PointsOnly || r.Places {
		return true, nil
	}
	if value < 0 {
		r.rest = b.wide
		return r.nextOfRow()
	}
	if r.record.Value, err = r.number(b.names[d+valueOffset], r.cells[value]); err != nil {
		return false, err
	}
	if at := b.at[d+sigmaOffset]; at >= 0 {
		sigma, err := r.number(b.names[d+sigmaOffset], r.cells[at])
		if err != nil {
			return false, err
		}
		return true, r.setSigma(b, sigma)
	}
	return true, nil
}

// nameIn returns the name in a column of names, "" without one.
func (r *Reader) nameIn(offset int) (string, error) {
	i := len(r.Variables) + offset
	at := r.bound.at[i]
	if at < 0 {
		return "", nil
	}
	return r.cells[at], r.checkName(r.bound.names[i], r.cells[at])
}

func (r *Reader) checkName(column, name string) error {
	if len(name) > maxName {
		return r.Refuse(column, "a name of %d bytes; at most %d are possible", len(name), maxName)
	}
	return nil
}

// setNames stores the names of the sensor and its kind, and the coordinates that depend on nothing else.
func (r *Reader) setNames(b *binding, sensor, kind string) error {
	r.record.Sensor, r.record.Kind = sensor, kind
	if kind == "" {
		r.record.Kind = b.Kind
	}
	copy(r.record.At, b.given)
	if r.PointsOnly || b.at[len(r.Variables)+valueOffset] < 0 {
		return nil
	}
	place, known := b.places[sensor]
	switch {
	case !known && sensor == "":
		place = b.place
	case !known:
		place = -1
	}
	if place >= 0 {
		if sensor == "" {
			r.record.Sensor = b.Places[place].Sensor
		}
		r.setPlace(b, place)
		return nil
	}
	if b.anyPlaced {
		name := "this sensor"
		if r.certain || !r.Whole {
			name = "sensor " + strconv.Quote(shorten(sensor))
		}
		hint := ""
		if near := r.likeness(b, sensor); near != "" {
			hint = "; did you mean " + shorten(near) + "?"
		}
		return r.Refuse(b.names[len(r.Variables)+sensorOffset], "%s has no place%s", name, hint)
	}
	return nil
}

// setPlace stores the coordinates of a place that have no column.
func (r *Reader) setPlace(b *binding, place int) {
	for i, v := range r.Variables {
		if b.placed[i] && b.at[i] < 0 {
			r.record.At[i] = b.Places[place].At[v.Name]
		}
	}
}

// nextOfRow stores the next reading of a row with one for each sensor: true if there is one.
func (r *Reader) nextOfRow() (bool, error) {
	b := r.bound
	if r.object != nil {
		b = r.keys
	}
	for len(r.rest) > 0 {
		w := r.rest[0]
		r.rest = r.rest[1:]
		place := &b.Places[w.place]
		r.record.Column, r.record.Sensor, r.record.Sigma = b.columns[w.column], place.Sensor, 0
		ok, listed, err := false, false, error(nil)
		if r.object != nil {
			cell := r.object[b.columns[w.column]]
			r.record.Value, ok, err = r.jsonValue(b, place.Sensor, cell)
			listed = isListed(cell)
		} else if cell := r.cells[w.column]; !b.missing.text(cell, r.comma) {
			r.record.Value, err = r.number(place.Sensor, cell)
			ok = true
		} else {
			listed = !isGap(cell)
		}
		if err != nil {
			return false, err
		}
		if ok {
			r.setPlace(b, w.place)
			return true, nil
		}
		r.gap(place.Sensor, listed)
	}
	return false, nil
}

// gap counts a missing value. listed tells that Layout.Missing has it.
func (r *Reader) gap(sensor string, listed bool) {
	r.Counts.Gaps++
	if listed {
		if r.Counts.Listed++; r.Counts.Listed == 1 {
			r.Counts.ListedAt = r.record.Line
		}
	}
	if !r.Whole { // a stream has no end, nor have the names in it
		return
	}
	if sensor == "" && r.bound != nil && r.bound.place >= 0 {
		sensor = r.bound.Places[r.bound.place].Sensor
	}
	if sensor == "" || len(sensor) > maxName {
		return
	}
	if r.gaps == nil {
		r.gaps = map[string]int{}
	}
	r.gaps[strings.Clone(sensor)]++
}

// Number returns the number in a column of the row read last. It must be finite.
func (r *Reader) Number(column int) (float64, error) {
	return r.number(r.bound.columns[column], r.cells[column])
}

func (r *Reader) number(column, cell string) (float64, error) {
	v, err := parseNumber(cell, r.comma)
	if why := wrongNumber(cell, v, err, r.certain || !r.Whole); why != "" {
		return 0, r.Refuse(column, "%s", why)
	}
	return v, nil
}

// coordinate reads a place or a time.
func (r *Reader) coordinate(i int, cell string) (float64, error) {
	clock, column := r.bound.clocks[i], r.bound.names[i]
	if clock == nil {
		v, err := r.number(column, cell)
		if e, wrong := err.(*Error); wrong && e.Certain && cell != "" {
			if _, no := parseMoment(cell, DayFirst); no == nil {
				e.Why += fmt.Sprintf("; for dates the time needs a start, as %s = { range = [0, 48], unit = \"h\", start = \"2024-05-01\" }", r.Variables[i].Name)
			}
		}
		return v, err
	}
	if cell == "" {
		return r.number(column, cell)
	}
	t, err := clock.text(cell, r.comma)
	if err == nil && (math.IsNaN(t) || math.IsInf(t, 0)) {
		return r.number(column, cell)
	}
	if err != nil {
		found := ""
		if r.certain || !r.Whole {
			found = fmt.Sprintf("found %q; ", shorten(cell))
		}
		return 0, r.Refuse(column, "%s%s", found, err)
	}
	return t, nil
}

func (r *Reader) setSigma(b *binding, sigma float64) error {
	if !(sigma > 0) {
		return r.Refuse(b.names[len(r.Variables)+sigmaOffset], "found %g; a standard deviation must be positive", sigma)
	}
	r.record.Sigma = sigma
	return nil
}

// takeObject stores a line of JSON in the record: true if it has one.
func (r *Reader) takeObject(line string) (bool, error) {
	r.object = nil
	if r.Complete || r.Places {
		return false, r.Refuse("", "found JSON; a line of CSV is expected")
	}
	var cells map[string]any
	if err := json.Unmarshal([]byte(line), &cells); err != nil {
		if r.Whole {
			return false, r.Refuse("", "not JSON")
		}
		return false, r.Refuse("", "not JSON: %s", err)
	}
	b, err := r.bindKeys(cells)
	if err != nil {
		if lacks, is := err.(absent); is && lacks.places == "" {
			return false, r.Refuse("", "there is no %s%s", shorten(lacks.name), lacks.or)
		}
		return false, r.Refuse("", "%s", err)
	}
	d := len(r.Variables)
	cell := func(i int) any {
		if b.at[i] < 0 {
			return nil
		}
		return cells[b.columns[b.at[i]]]
	}
	if !r.PointsOnly && len(b.wide) == 0 {
		v, ok, err := r.jsonValue(b, b.names[d], cell(d))
		if err != nil {
			return false, err
		}
		if r.record.Value = v; !ok {
			name, _ := cell(d + sensorOffset).(string)
			r.gap(name, isListed(cell(d)))
			return false, nil
		}
	}
	var texts [2]string
	for k, i := range []int{d + sensorOffset, d + kindOffset} {
		text, isText := cell(i).(string)
		if cell(i) != nil && !isText {
			return false, r.wrongType(b.names[i], cell(i))
		}
		if err := r.checkName(b.names[i], text); err != nil {
			return false, err
		}
		texts[k] = text
	}
	if err := r.setNames(b, texts[0], texts[1]); err != nil {
		return false, err
	}
	for i := range r.Variables {
		if b.at[i] < 0 {
			continue
		}
		if r.record.At[i], err = r.jsonCoordinate(b, i, cell(i)); err != nil {
			return false, err
		}
	}
	if r.PointsOnly {
		return true, nil
	}
	if len(b.wide) > 0 {
		r.object, r.rest = cells, b.wide
		return r.nextOfRow()
	}
	switch sigma := cell(d + sigmaOffset).(type) {
	case nil:
		return true, nil
	case float64:
		return true, r.setSigma(b, sigma)
	default:
		return false, r.wrongType(b.names[d+sigmaOffset], sigma)
	}
}

// bindKeys finds the columns of a layout among the keys of an object. Most lines have the same.
func (r *Reader) bindKeys(cells map[string]any) (*binding, error) {
	if r.keys != nil && len(r.keys.columns) == len(cells) {
		same := true
		for _, name := range r.keys.columns {
			_, has := cells[name]
			same = same && has
		}
		if same {
			return r.keys, nil
		}
	}
	b, err := r.bind(slices.Sorted(maps.Keys(cells)))
	if err == nil {
		r.keys = b
	}
	return b, err
}

// jsonValue returns a value, false if it is missing.
func (r *Reader) jsonValue(b *binding, name string, cell any) (float64, bool, error) {
	switch v := cell.(type) {
	case nil:
		return 0, false, nil
	case float64:
		return v, !b.missing.number(v), nil
	case string:
		if b.missing.text(v, false) {
			return 0, false, nil
		}
	}
	return 0, false, r.wrongType(name, cell)
}

// isListed reports whether a value of JSON that is missing is so because Layout.Missing has it.
func isListed(cell any) bool {
	switch v := cell.(type) {
	case float64:
		return true
	case string:
		return !isGap(v)
	}
	return false
}

// jsonCoordinate reads a place or a time.
func (r *Reader) jsonCoordinate(b *binding, i int, cell any) (t float64, err error) {
	clock := b.clocks[i]
	switch v := cell.(type) {
	case float64:
		if t = v; clock != nil {
			t, err = clock.number(v)
		}
	case string:
		if clock == nil {
			return 0, r.wrongType(b.names[i], cell)
		}
		t, err = clock.text(v, false)
		if err == nil && (math.IsNaN(t) || math.IsInf(t, 0)) {
			err = errNoDate
		}
	default:
		return 0, r.wrongType(b.names[i], cell)
	}
	if err != nil {
		return 0, r.Refuse(b.names[i], "%s", err)
	}
	return t, nil
}

func (r *Reader) wrongType(name string, cell any) error {
	if r.Whole {
		return r.Refuse(name, "it is of the wrong type")
	}
	return r.Refuse(name, "%s is of the wrong type", shorten(strings.Join(strings.Fields(fmt.Sprint(cell)), " ")))
}
