package page

// The protocol. Numbers are in the units of the problem file. A Grid is base64 of little-endian float32, row by row, the
// last axis fastest; NaN where there is nothing. Names are never changed, only added.

// A Request is what a page asks for. Do says what, and which of the other members matter.
//
//	do          members                  reply         what happens
//	examples                             []Example     lists the examples
//	example     name                     Problem       opens an example
//	open        files, main              Problem       opens files; the former ones are forgotten
//	check       text                     Problem       replaces the text of the problem file, if it can be read
//	edit        edits                    Problem       changes readings for good: tables are rewritten
//	solve                                Answer        infers everything; event progress meanwhile. What has been solved is
//	                                                   known, unless what is "again"
//	judge                                Judgement     the verdict of the last solve, and its readings; event progress
//	slice       slice                    Slice         a field on a grid, with the preview's edits if there are any
//	outline     slice                    Outline       which nodes of a grid are in the domain
//	preview     edits, slice             Preview       what the last solve would say with these edits, hyper-parameters held
//	place       slice, kind, count       Placements    where further sensors would help most, over the grid of the slice
//	export      what                     File          "csv", "model", "problem" (a zip of all files), "all" (what solve writes)
//	cancel                               nothing       stops a solve or judge, whose reply then is an error with Canceled
type Request struct {
	ID    int               `json:"id"` // that of the reply
	Do    string            `json:"do"`
	Name  string            `json:"name,omitempty"`
	Files map[string]string `json:"files,omitempty"`
	Main  string            `json:"main,omitempty"` // of Files, the problem file
	Text  string            `json:"text,omitempty"`
	Edits []Edit            `json:"edits,omitempty"`
	Slice *SliceOf          `json:"slice,omitempty"`
	Kind  int               `json:"kind,omitempty"` // group of sensors that a new one is like
	Count int               `json:"count,omitempty"`
	What  string            `json:"what,omitempty"`
}

// A Reply answers the request with the same ID. Exactly one of OK and Error is set.
type Reply struct {
	ID    int    `json:"id"`
	OK    any    `json:"ok,omitempty"`
	Error *Fault `json:"error,omitempty"`
}

// A Fault is why a request failed, in words for the person who made it.
type Fault struct {
	Message  string `json:"message"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"` // from 1
	Canceled bool   `json:"canceled,omitempty"`
}

// An Event is what happens while a request is being answered, or a stream comes in.
type Event struct {
	Event    string    `json:"event"` // "progress", "estimate"
	Share    float64   `json:"share,omitempty"`
	Left     float64   `json:"left,omitempty"`  // seconds, as far as is known
	Waits    int       `json:"waits,omitempty"` // how many solves of other pages come before; it has not begun
	Estimate *Estimate `json:"estimate,omitempty"`
}

// Example is one of the problems that come with the program.
type Example struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// Problem is an open problem, as far as it has been read. If the text cannot be read, Fault says why and only Files and
// Main are of the new text.
type Problem struct {
	Files      map[string]string `json:"files"`
	Main       string            `json:"main"`
	Fault      *Fault            `json:"fault,omitempty"`
	Title      string            `json:"title"`
	Variables  []Axis            `json:"variables"`
	Fields     []Axis            `json:"fields"` // without Range
	Equations  []Statement       `json:"equations"`
	Conditions []Statement       `json:"conditions"`
	Parameters []Parameter       `json:"parameters"`
	Sensors    []Group           `json:"sensors"`
	Notes      []string          `json:"notes,omitempty"`

	// What the last solve and judge have found, if they were of exactly this problem: an example that comes solved, or a
	// change that has been undone.
	Answer    *Answer    `json:"answer,omitempty"`
	Judgement *Judgement `json:"judgement,omitempty"`
}

// Axis is a variable or a field.
type Axis struct {
	Name  string      `json:"name"`
	Label string      `json:"label"` // with its unit, for a person
	Range *[2]float64 `json:"range,omitempty"`
	Log   bool        `json:"log,omitempty"`
	Start string      `json:"start,omitempty"` // RFC 3339, of 0
	Unit  string      `json:"unit,omitempty"`
	Over  []int       `json:"over,omitempty"` // of a field, the variables that it depends on
}

// Statement is an equation or a condition, as it was understood.
type Statement struct {
	Name string `json:"name"`
	Says string `json:"says"`
	Line int    `json:"line,omitempty"`
}

// Parameter is an unknown number.
type Parameter struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Prior string `json:"prior"` // in words
}

// Group is the readings of one [[sensors]] block.
type Group struct {
	Name     string    `json:"name"`
	Measures string    `json:"measures"`
	Field    int       `json:"field"`           // -1 unless the value of a field itself is measured
	Sigma    float64   `json:"sigma,omitempty"` // 0: each has its own, or it is learned
	Learned  bool      `json:"learned,omitempty"`
	Student  bool      `json:"student,omitempty"`
	Readings []Reading `json:"readings"`
}

// Reading is one reading.
type Reading struct {
	X     []float64 `json:"x"`
	Value float64   `json:"value"`
	Sigma float64   `json:"sigma,omitempty"` // if it has one of its own
	Name  string    `json:"name,omitempty"`  // of its sensor
}

// Edit changes one reading of what is open; members that are missing stay. With Reading -1 it adds one, which needs X and
// Value.
type Edit struct {
	Group   int       `json:"group"`
	Reading int       `json:"reading"`
	X       []float64 `json:"x,omitempty"`
	Value   *float64  `json:"value,omitempty"`
	Sigma   *float64  `json:"sigma,omitempty"`
	Off     bool      `json:"off,omitempty"` // left out
}

// Answer is what solve has found.
type Answer struct {
	Seconds    float64     `json:"seconds"`
	Neurons    int         `json:"neurons"`
	Evidence   float64     `json:"evidence"`
	Method     string      `json:"method"`
	Parameters []Estimated `json:"parameters"`
	Noise      []Noise     `json:"noise"`
	Warnings   []string    `json:"warnings,omitempty"`
	Digest     string      `json:"digest"` // of the fields on a fixed grid and the parameters: the same bits everywhere
}

// Estimated is the posterior of a parameter. X, Prior and Posterior are densities to draw; Prior is nil if it is not proper.
type Estimated struct {
	Name      string    `json:"name"`
	Mean      float64   `json:"mean"`
	SD        float64   `json:"sd"`
	Median    float64   `json:"median"`
	Lower95   float64   `json:"lower95"`
	Upper95   float64   `json:"upper95"`
	X         []float64 `json:"x"`
	Posterior []float64 `json:"posterior"`
	Prior     []float64 `json:"prior,omitempty"`
}

// Noise is that of a group.
type Noise struct {
	Group   int     `json:"group"`
	Sigma   float64 `json:"sigma"`
	Learned bool    `json:"learned"`
}

// Judgement is the verdict.
type Judgement struct {
	Sound    bool            `json:"sound"`
	Failures []string        `json:"failures,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
	Readings []JudgedReading `json:"readings"`
	Seconds  float64         `json:"seconds"`
}

// JudgedReading is a reading against what is predicted at its place.
type JudgedReading struct {
	Group        int     `json:"group"`
	Reading      int     `json:"reading"`
	Predicted    float64 `json:"predicted"`
	SD           float64 `json:"sd"`
	LeftOut      float64 `json:"leftOut"`      // predicted by the others
	Standardised float64 `json:"standardised"` // residual, left out
}

// SliceOf asks for a field on a grid: Axes are one or two variables, with Size points each; At is the value of every
// variable, used for those that are no axes.
type SliceOf struct {
	Field int       `json:"field"`
	Axes  []int     `json:"axes"`
	Size  []int     `json:"size"`
	At    []float64 `json:"at"`
}

// Slice is a field on a grid, from the lower to the upper end of each axis; on a logarithmic axis evenly in its logarithm.
// Low and High are the smallest and largest mean, and SDHigh the largest sd, over the whole domain, so that colours do not
// change with a slider.
type Slice struct {
	Mean   string  `json:"mean"`
	SD     string  `json:"sd,omitempty"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	SDHigh float64 `json:"sdHigh"`
}

// Outline tells which nodes of a grid are in the domain: one bit for each, in the order of a Grid, the lowest bit of a byte
// first, as base64.
type Outline struct {
	Size   []int  `json:"size"` // of the grid
	Inside string `json:"inside"`
}

// Preview is what a solve would say if only readings changed.
type Preview struct {
	Slice
	Parameters []Estimated `json:"parameters"` // without densities
	Predicted  []Reading   `json:"predicted"`  // at the places of the edits: Value, and Sigma the sd of the field there
}

// Placements are places for further sensors, best first.
type Placements struct {
	Places []Place `json:"places"`
	Gain   string  `json:"gain"` // Grid of the slice: by how much one sensor there lowers the root mean square of the sd of the field
}

// Place is a place for a sensor, and the mean sd of the field over the domain before it is there and after.
type Place struct {
	X      []float64 `json:"x"`
	Before float64   `json:"before"`
	After  float64   `json:"after"`
}

// File is an exported file.
type File struct {
	Name string `json:"name"`
	Type string `json:"type"` // of its content, as MIME has it
	Data string `json:"data"` // base64
}

// Estimate is the state of a stream of readings. It stands for itself: a page may miss those before it.
type Estimate struct {
	Readings   int         `json:"readings"`
	Kept       int         `json:"kept"`      // of them, those that count now
	Variables  []Axis      `json:"variables"` // of the slice, of Last and of Points
	Fields     []Axis      `json:"fields"`
	Of         *SliceOf    `json:"of,omitempty"`      // what Slice is of
	Points     []Spot      `json:"points,omitempty"`  // estimates at the points that bpielm-edge logs
	Skipped    int         `json:"skipped,omitempty"` // lines that are no readings
	Why        string      `json:"why,omitempty"`     // the last of them was skipped
	Ended      string      `json:"ended,omitempty"`   // why no more readings come
	Others     int         `json:"others,omitempty"`  // how many sensors are not in Sensors: there are too many
	At         string      `json:"at,omitempty"`      // of the last reading, RFC 3339 where there are dates
	Slice      *Slice      `json:"slice,omitempty"`
	Outline    *Outline    `json:"outline,omitempty"` // of a map that does not fill its box
	Parameters []Estimated `json:"parameters,omitempty"`
	Last       []Innovated `json:"last"` // the last readings, at most 200
	Sensors    []Health    `json:"sensors"`
}

// Innovated is a reading against what was predicted before it came.
type Innovated struct {
	Sensor    string  `json:"sensor"`
	Value     float64 `json:"value"`
	Predicted float64 `json:"predicted"`
	SD        float64 `json:"sd"`
	// X is its place, At when that is, as in Estimate.
	X        []float64 `json:"x,omitempty"`
	At       string    `json:"at,omitempty"`
	Rejected bool      `json:"rejected,omitempty"` // it is left out
}

// Spot is a field at a point.
type Spot struct {
	Field string    `json:"field"`
	X     []float64 `json:"x"`
	Mean  float64   `json:"mean"`
	SD    float64   `json:"sd"`
}

// Health is that of one sensor.
type Health struct {
	Sensor   string `json:"sensor"`
	State    string `json:"state"` // "sound", or what is wrong, in words
	Readings int    `json:"readings"`
	Rejected int    `json:"rejected"`
}
