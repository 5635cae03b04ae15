package readings

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/bpielm/bpielm/system"
)

// What a column holds, besides a variable.
const (
	valueColumn  = "value"
	sigmaColumn  = "sigma"
	sensorColumn = "sensor"
	kindColumn   = "kind"
)

// Holds returns what columns may hold besides the variables.
func Holds() []string { return []string{valueColumn, sigmaColumn, sensorColumn, kindColumn} }

// The numbers of these columns, counted from that of the first after the variables.
const (
	valueOffset = iota
	sigmaOffset
	sensorOffset
	kindOffset
	extraColumns
)

// Layout is how the tables of one kind of sensors are laid out. Kind is "" where kinds
// need not be told apart.
type Layout struct {
	system.Layout
	Kind string
}

// Layouts returns how a stream may be laid out that carries readings of several kinds of
// sensors: as the tables of any of them, or plainly.
func Layouts(kinds []string, of []system.Layout) []Layout {
	var all []Layout
	for i := range of {
		if !of[i].Plain() {
			all = append(all, Layout{of[i], kinds[i]})
		}
	}
	if len(of) == 1 && len(all) == 1 {
		all[0].Kind = ""
	}
	return append(all, Layout{})
}

// layout is a Layout, prepared for a problem's variables.
type layout struct {
	*Layout
	names     []string       // of the columns: the variables', then those of Holds
	explicit  []bool         // whether a column must be there because Columns names it
	taken     []bool         // whether a column of this name holds something else
	given     []float64      // coordinates without a column
	fixed     []bool         // whether a coordinate is one of these
	placed    []bool         // whether a coordinate may be that of the sensor's place
	anyPlaced bool           // whether one is
	places    map[string]int // by the names of sensors
	open      []int          // places whose names end in *
	missing   missing
	clocks    []*Clock // of the variables that have a start; nil for others
}

// prepare fails if a layout makes no sense for the variables.
func prepare(l *Layout, c *Config) (*layout, error) {
	p := &layout{Layout: l, missing: newMissing(l.Missing), clocks: make([]*Clock, len(c.Variables)), places: map[string]int{}}
	for i, v := range c.Variables {
		x, fixed := l.At[v.Name]
		fixed = fixed || i < c.Placeless
		placed := len(l.Places) > 0 && !fixed
		for k := range l.Places {
			_, has := l.Places[k].At[v.Name]
			placed = placed && has
		}
		p.given, p.fixed, p.placed = append(p.given, x), append(p.fixed, fixed), append(p.placed, placed)
		p.anyPlaced = p.anyPlaced || placed
		p.names = append(p.names, v.Name)
		if v.Start == "" {
			continue
		}
		clock, err := NewClock(v, l.Time)
		if err != nil {
			return nil, err
		}
		p.clocks[i] = clock
	}
	p.names = append(p.names, Holds()...)
	p.explicit, p.taken = make([]bool, len(p.names)), make([]bool, len(p.names))
	heads := map[string]bool{}
	for i, name := range p.names {
		if column := l.Columns[name]; column != "" {
			p.names[i], p.explicit[i] = column, true
			heads[column] = true
		}
	}
	for i, name := range p.names {
		p.taken[i] = heads[name] && !p.explicit[i]
	}
	for k := range l.Places {
		name := l.Places[k].Sensor
		if _, twice := p.places[name]; twice {
			return nil, fmt.Errorf("there are two places of sensor %s", shorten(name))
		}
		p.places[name] = k
		if strings.HasSuffix(name, "*") {
			p.open = append(p.open, k)
		}
	}
	return p, nil
}

// binding says in which columns of a table a layout finds what.
type binding struct {
	*layout
	at        []int        // of layout.names; -1: there is none
	wide      []wideColumn // where each sensor has a column; at has none for the value then
	place     int          // of the whole table; -1: there is none
	separator byte         // 0: not known
	columns   []string     // the names of all columns
}

// wideColumn is the column with the values of one sensor.
type wideColumn struct{ column, place int }

// absent is the error of a table that has no column for something.
type absent struct {
	name, or string
	places   string // the names of places that no column has, where that is what is wrong
}

func (e absent) Error() string {
	if e.places != "" {
		return fmt.Sprintf("places names %s, but no column is called so", e.places)
	}
	return fmt.Sprintf("there is no column %s%s", shorten(e.name), e.or)
}

// twice is the error of a table with two columns for something, or with one for two.
type twice struct{ name, other string }

func (e twice) Error() string {
	if e.other != "" {
		return fmt.Sprintf("the column is that of two places, %s and %s", shorten(e.name), shorten(e.other))
	}
	return fmt.Sprintf("there are two columns %s", shorten(e.name))
}

// bind finds the columns of a layout. It fails with absent, or with twice, but only if nothing is absent.
func (l *layout) bind(columns []string, c *Config) (*binding, error) {
	b := &binding{layout: l, columns: columns, place: -1}
	var double error
	look := func(name string) int {
		at, more := find(columns, name)
		if more && double == nil {
			double = twice{name: name}
		}
		return at
	}
	d := len(c.Variables)
	for i, name := range l.names {
		at := -1
		if l.looks(i, c) {
			or := ""
			if l.taken[i] {
				or = " besides the one that holds something else"
			} else {
				at = look(name)
			}
			if at < 0 && l.needs(i, c) {
				return nil, absent{name: name, or: or}
			}
		}
		b.at = append(b.at, at)
	}
	if c.PointsOnly || c.Places {
		return b, double
	}
	if place, known := l.places[c.Sensor]; known {
		b.place = place
	}
	if b.at[d+valueOffset] >= 0 {
		if l.anyPlaced && b.place < 0 && b.at[d+sensorOffset] < 0 {
			return nil, absent{name: l.names[d+sensorOffset], or: byPlace}
		}
		return b, double
	}
	wide, err := l.columnsOfPlaces(columns, b.at)
	if b.wide = wide; double == nil {
		double = err
	}
	if len(b.wide) == 0 {
		lacks := absent{name: l.names[d+valueOffset]}
		switch {
		case len(l.Places) == 0:
		case b.at[d+sensorOffset] < 0 && b.place < 0:
			lacks.places = l.placeNames()
		default:
			lacks.or = ", and none is named as a sensor that has a place"
		}
		return nil, lacks
	}
	return b, double
}

// byPlace says what a column sensor is for.
const byPlace = ", by which to find the place of each reading"

// columnsOfPlaces finds the columns of the sensors that have places, in the order of these. A column has the name of a
// place, or that name and a unit in brackets, as "T1 [K]" or "T1 (K)"; or it begins with what stands before the final *
// of one. The same name is preferred. held are the columns that hold something else. The error is a twice.
func (l *layout) columnsOfPlaces(columns []string, held []int) (wide []wideColumn, err error) {
	exact, found := make([]bool, len(columns)), map[int]bool{}
	for at, column := range columns {
		if place, known := l.places[column]; known {
			exact[at], found[place] = true, true
			wide = append(wide, wideColumn{at, place})
		}
	}
	if len(found) < len(l.Places) { // then perhaps some have another name
		for at, column := range columns {
			if exact[at] || slices.Contains(held, at) {
				continue
			}
			if place, known := l.places[withoutUnit(column)]; known && !found[place] {
				wide = append(wide, wideColumn{at, place})
			}
			for _, place := range l.open {
				if begin := strings.TrimSuffix(l.Places[place].Sensor, "*"); !found[place] && strings.HasPrefix(column, begin) {
					wide = append(wide, wideColumn{at, place})
				}
			}
		}
	}
	of := map[int]int{}
	for _, w := range wide {
		if other, taken := of[w.column]; taken && err == nil {
			err = twice{l.Places[other].Sensor, l.Places[w.place].Sensor}
		}
		of[w.column] = w.place
	}
	sort.SliceStable(wide, func(i, j int) bool { return wide[i].place < wide[j].place })
	for i := 1; i < len(wide) && err == nil; i++ {
		if w := wide[i]; w.place == wide[i-1].place {
			err = twice{name: l.Places[w.place].Sensor}
		}
	}
	return wide, err
}

// withoutUnit returns the head of a column without the unit in brackets at its end: T1 of "T1 [K]" and of "T1 (K)".
func withoutUnit(head string) string {
	name, _ := SplitUnit(head)
	return name
}

// SplitUnit splits the head of a column into a name and the unit in brackets at its end, "" if there is none.
func SplitUnit(head string) (name, unit string) {
	for _, pair := range []string{"[]", "()"} {
		if inside, ends := strings.CutSuffix(head, pair[1:]); ends {
			if at := strings.LastIndex(inside, pair[:1]); at >= 0 {
				return strings.TrimSpace(inside[:at]), strings.TrimSpace(inside[at+1:])
			}
		}
	}
	return head, ""
}

// placeNames lists some names of sensors that have a place.
func (l *layout) placeNames() string {
	const most = 3
	text := ""
	for i := range l.Places {
		switch {
		case i == most && len(l.Places) > most+1:
			return fmt.Sprintf("%s and %d more", text, len(l.Places)-most)
		case i > 0 && i == len(l.Places)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += shorten(l.Places[i].Sensor)
	}
	return text
}

// Plain returns the name of a sensor without case, blanks and signs: that of MW-1 and of "mw 1" is mw1.
func Plain(name string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

// likeness returns the sensor with a place whose name is like this one, "" if there is none.
func (r *Reader) likeness(l *binding, name string) string {
	plain := Plain(name)
	if !r.Whole { // a stream may name it again and again
		return ""
	}
	for i := range l.Places {
		if plain != "" && Plain(l.Places[i].Sensor) == plain {
			return l.Places[i].Sensor
		}
	}
	return ""
}

// looks reports whether a table may have a column for names[i].
func (l *layout) looks(i int, c *Config) bool {
	d := len(c.Variables)
	switch {
	case i < d:
		return !l.fixed[i]
	case c.Places:
		return i == d+sensorOffset
	}
	return !c.PointsOnly
}

// needs reports whether it must.
func (l *layout) needs(i int, c *Config) bool {
	d := len(c.Variables)
	switch {
	case c.Places:
		return l.explicit[i] || i == d+sensorOffset
	case i < d:
		return l.explicit[i] || !l.placed[i]
	}
	return l.explicit[i]
}

// find returns the first column of a name, and whether there is another. A name that ends
// in * is a beginning.
func find(columns []string, name string) (at int, more bool) {
	matches := func(column string) bool { return column == name }
	if begin, open := strings.CutSuffix(name, "*"); open {
		matches = func(column string) bool { return column == name || strings.HasPrefix(column, begin) }
	}
	at = slices.IndexFunc(columns, matches)
	return at, at >= 0 && slices.ContainsFunc(columns[at+1:], matches)
}

// score says how likely columns are meant for a layout: what it finds among them counts most, then words.
func (l *layout) score(columns []string) int {
	n, found := 0, len(columns)+1
	inColumn := l.explicit[len(l.explicit)-extraColumns+sensorOffset] // rows name sensors then, and heads do not
	if !inColumn {
		wide, _ := l.columnsOfPlaces(columns, nil)
		n += found * len(wide)
	}
	for _, column := range columns {
		if column != "" && !beginsNumber(column) {
			n++
		}
	}
	for _, name := range l.names {
		if at, _ := find(columns, name); at >= 0 {
			n += found
		}
	}
	return n
}

// first is the first column that has a meaning.
func (b *binding) first() int {
	for _, at := range b.at {
		if at >= 0 {
			return at
		}
	}
	return b.wide[0].column
}
