package system

// Layout says how a table of readings is laid out. The zero value is the plain layout: a
// column for each variable, named as the variable, and one named value. Package readings
// reads tables, and says what the strings mean.
type Layout struct {
	// Columns holds names of columns by what they hold: the name of a variable, "value",
	// "sigma", "sensor" or "kind". A name that ends in * stands for any with this beginning.
	Columns map[string]string `json:",omitempty"`
	// Time says how times are written: "unix", "unix ms", "excel", "excel 1904", "day first"
	// or "month first". If "", as numbers in the unit of the variable, or as dates that
	// cannot be misread.
	Time string `json:",omitempty"`
	// Missing lists what stands for no reading, besides an empty cell, NaN, NA and the like.
	Missing []string `json:",omitempty"`
	// At holds coordinates that have no column.
	At map[string]float64 `json:",omitempty"`
	// Places says where sensors are. In a table without a column of values, each place is
	// the name of a column: its head, the head without a unit in brackets at its end, or a
	// beginning that ends in *.
	Places []Place `json:",omitempty"`
}

// Place is where a sensor is: some of its coordinates, by the names of the variables.
type Place struct {
	Sensor string
	At     map[string]float64
}

// Plain reports whether it is the plain layout.
func (l *Layout) Plain() bool {
	return len(l.Columns) == 0 && l.Time == "" && len(l.Missing) == 0 && len(l.At) == 0 && len(l.Places) == 0
}
