package spec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/system"
)

// Limits of a problem. Within them, powers of numbers neither overflow nor underflow.
const (
	narrowest = 1e-12 // smallest range of a variable, relative to its distance from 0
	widest    = 1e30  // largest range of a variable; the smallest is its inverse
	largest   = 1e120 // largest reading; the smallest noise is its inverse

	maxVariables  = 16
	maxFields     = 64
	maxParameters = 1000
	maxNeurons    = 100_000
	maxPatches    = 1 << 16
	maxEnsemble   = 100
	maxPoints     = 10_000_000  // of one equation or condition
	maxGrid       = 100_000_000 // points of the output grid
)

// File is a problem file, read and checked.
type File struct {
	Path, Title string
	Problem     *system.Problem // complete and valid
	Shape       string          // the domain as an expression of shapes, or ""
	Features    Features
	Fit         Fit
	Output      Output
	SensorFiles []SensorFile        // one for each of Problem.Sensors
	Quantities  map[string]Quantity // of fields and parameters that have a unit or a label
	Remarks     []*Error            // what looks wrong and may be right: terms in different units, readings outside the domain
	Units       []UnitCheck         // whether units could be compared, of each equation and condition; nil if none is stated

	lines       map[string]int     // see LineOf
	definitions *storedDefinitions // see Definitions
}

// LineOf returns the line of the problem file on which a part of the problem begins, or 0 if that is not known. where
// names the part as errors of the packages system and posterior do: "equation 2", "condition 1 (x = 0), point 5",
// `sensors "gauges.csv", reading 3`, `coefficient "k"` or "features.patches".
func (f *File) LineOf(where string) int {
	for part, line := range f.lines {
		if rest, found := strings.CutPrefix(where, part); found && (rest == "" || rest[0] == ',') {
			return line
		}
	}
	return 0
}

const patchesKey = "features.patches"

// lineOfParts finds the lines for File.LineOf. Two blocks of sensors that read the same file have none: an error does
// not tell them apart.
func (d *document) lineOfParts(p *system.Problem) map[string]int {
	lines := map[string]int{}
	for label := range p.Demands() {
		lines[label.String()] = d.line(fmt.Sprintf("%s[%d]", label.Kind, label.Number))
	}
	for i, s := range p.Sensors {
		part := fmt.Sprintf("sensors %q", s.Name)
		if _, known := lines[part]; known {
			lines[part] = 0
		} else {
			lines[part] = d.line(fmt.Sprintf("sensors[%d]", i))
		}
	}
	for _, parameter := range p.Parameters {
		lines[fmt.Sprintf("parameter %q", parameter.Name)] = d.line(join("parameters", parameter.Name))
	}
	for _, c := range p.Coefficients {
		line := d.line(join("parameters", c.Name))
		lines[fmt.Sprintf("coefficient %q", c.Name)], lines[fmt.Sprintf("parameter %q", c.Name)] = line, line
	}
	lines[patchesKey] = d.line(patchesKey)
	return lines
}

// Features is the section [features], about the hidden layer.
type Features struct {
	Neurons int       // 0: "auto"
	Scale   []float64 // one number for all variables, or one for each; nil: "auto"
	Seed    uint64
	Draw    string // "spread", "independent" or "published"
	// Activation is the name of a feature.Activation, or "auto", which mixes tanh and sine.
	Activation string
	// Patches is into how many cells the range of each variable is cut; nil: it is not. Neurons are then
	// those of each cell.
	Patches []int
}

// Layer returns how the neurons are drawn, and the activation as a list of one, or none for
// "auto". It fails with an *Error, or a feature.Error, for values that Read would have refused.
func (f *File) Layer() (draw feature.Draw, activations []feature.Activation, err error) {
	switch f.Features.Draw {
	case "", "spread":
		draw = feature.Spread
	case "independent":
		draw = feature.Independent
	case "published":
		draw = feature.Published
	default:
		return 0, nil, &Error{File: f.Path, Key: "features.draw", Why: "unknown draw " + f.Features.Draw}
	}
	if f.Features.Activation == "auto" {
		return draw, nil, nil
	}
	a, err := feature.ParseActivation(f.Features.Activation)
	return draw, []feature.Activation{a}, err
}

// Fit is the section [fit], about how the problem is solved.
type Fit struct {
	Method    string  // "bpielm", "paper" or "pielm"
	Maximum   bool    // inference = "maximum": only the most probable hyper-parameters
	Path      string  // "auto", "sqrt" or "gram"
	Tolerance float64 // 0: "auto"
	Ensemble  int     // draws of the layer, with bpielm
}

// Output is the section [output]: where to write the solution, and what to compare it
// with.
type Output struct {
	Grid  []int             // number of points in each variable
	Exact []system.Function // one for each field; nil: not given
	Where []system.Domain   // where each field is defined; nil: everywhere
}

// Holds reports whether field i is defined at x.
func (o *Output) Holds(i int, x []float64) bool {
	return i >= len(o.Where) || o.Where[i] == nil || o.Where[i].Contains(x)
}

// SensorFile is the file of a [[sensors]] block.
type SensorFile struct {
	Path    string         // Name relative to the working directory
	Name    string         // as written in the problem file
	Sigma   *float64       // as stated in the problem file, or nil
	Columns []string       // the CSV file's header
	Unread  []string       // the columns that are ignored
	Lines   []int          // line of each reading in its file
	Files   []string       // names of the files, if there are several, else nil; Path and Columns are those of the first
	From    []int          // number of the file that each reading is from; nil without Files
	Sensors []string       // name of the sensor of each reading; nil if none has one
	Passed  Passed         // what of the files is no reading
	GapsOf  map[string]int // values that are missing, by the names of their sensors; nil if none has a name

	// Measures says what sensors that do not read one place measure, such as
	// "u averaged over 0.1 in x". For others it is "".
	Measures string

	more *log // how further readings are read

	// Placeless says that they measure an average over a region. The coordinates of space
	// in Problem.Sensors then have no meaning.
	Placeless bool
}

// Source says where reading i stands: the name of its file, the line, and the name of its
// sensor, "" if it has none.
func (s *SensorFile) Source(i int) (file string, line int, sensor string) {
	if file = s.Name; s.Files != nil {
		file = s.Files[s.From[i]]
	}
	if s.Sensors != nil {
		sensor = s.Sensors[i]
	}
	return file, s.Lines[i], sensor
}

// Read reads a problem file and the files that it names, whose paths are relative to it.
// Each element of set is an override, "section.key=value" or, for one of several tables,
// "sensors[1].key=value", counted from 0. Every error is an *Error.
func Read(path string, set []string) (*File, error) {
	return source{place: disk{}}.read(path, set)
}

// ReadLimited is Read with limits.
func ReadLimited(path string, set []string, l Limits) (*File, error) {
	return source{place: disk{}, budget: &budget{Limits: l}}.read(path, set)
}

// ReadSandboxed is ReadLimited for an untrusted file: it reads only regular files below the file's folder, whatever the
// file names and wherever links lead.
func ReadSandboxed(path string, set []string, l Limits) (*File, error) {
	folder := filepath.Dir(path)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, &Error{File: path, Why: reason(err)}
	}
	defer root.Close()
	return source{place: sandbox{root: root, folder: folder}, budget: &budget{Limits: l}}.read(path, set)
}

// ReadFS is Read for the files of a file system, such as an embedded one.
func ReadFS(fsys fs.FS, path string, set []string) (*File, error) {
	return source{place: within{fsys}}.read(path, set)
}

// ReadFSLimited is ReadFS with limits.
func ReadFSLimited(fsys fs.FS, path string, set []string, l Limits) (*File, error) {
	return source{place: within{fsys}, budget: &budget{Limits: l}}.read(path, set)
}

// ReadFSLater is ReadFSLimited without the files of sensors of which later is true. Their groups have no readings;
// File.ReadMore reads them in parts.
func ReadFSLater(fsys fs.FS, path string, set []string, l Limits, later func(name string) bool) (*File, error) {
	return source{place: within{fsys}, budget: &budget{Limits: l}, later: later}.read(path, set)
}

// ReadMore reads readings of group i of the sensors from r as if it were the file that the problem file names, or a part of
// that which begins with its header. It returns the group with these alone; there may be none. Errors are of type *Error
// and call r name.
func (f *File) ReadMore(i int, r io.Reader, name string) (group system.Sensors, file SensorFile, err error) {
	group, file = f.Problem.Sensors[i], f.SensorFiles[i]
	l := *file.more
	t, err := source{}.table(r, name, l.config(file.Name))
	if err == nil {
		err = l.take(t, file.Name)
	}
	if err != nil {
		return group, file, err
	}
	l.give(&group, &file)
	if len(group.Values) == 0 {
		return group, file, nil
	}
	alone := *f.Problem
	alone.Sensors = []system.Sensors{group}
	if err := alone.Validate(); err != nil {
		return group, file, &Error{File: name, Why: err.Error()}
	}
	return group, file, nil
}

func (s source) read(path string, set []string) (*File, error) {
	d, err := readDocument(s, path, set)
	if err != nil {
		return nil, err
	}
	for {
		f, err := d.readAll()
		var h *holding
		switch {
		case errors.As(err, &h): // what is not linear in a parameter is when that is a coefficient
			d.held[h.parameter] = true
		case errors.As(err, new(curved)):
			d.curved = true
			clear(d.held)
		default:
			return f, err
		}
		d.scope, d.parts, d.shapes, d.demands, d.remarks, d.compared = newScope(), nil, nil, nil, nil, nil
		if d.budget != nil {
			d.budget.points, d.budget.bytes = 0, 0
		}
	}
}

// readAll reads the sections. It fails with a *holding if a parameter must be a coefficient.
func (d *document) readAll() (*File, error) {
	f := &File{Path: d.path, Problem: &system.Problem{}}
	d.named = nil
	for _, read := range []func(*File) error{
		d.readTitle, d.readNames, d.readDomain, d.keepDefinitions, d.readFeatures, d.readEquations, d.readConditions, d.readSensors, d.readFit, d.readOutput,
	} {
		if err := read(f); err != nil {
			return nil, err
		}
	}
	if err := d.allOccur(f.Problem); err != nil {
		return nil, err
	}
	if d.later == nil || f.Problem.Readings() > 0 { // else ReadMore validates it
		if err := f.Problem.Validate(); err != nil {
			return nil, d.refuse("", "%s", err)
		}
	}
	f.lines, f.Remarks, f.Units = d.lineOfParts(f.Problem), append(d.remarks, f.placesOutside()...), d.compared
	return f, d.meansSomething(f.Problem)
}

// placesOutside remarks on readings outside the domain's shape, one remark for each block of sensors. They count, and
// nothing contradicts them there: the equations hold in the domain only.
func (f *File) placesOutside() (remarks []*Error) {
	p := f.Problem
	for g := range p.Sensors {
		s, of := &p.Sensors[g], &f.SensorFiles[g]
		if p.Domain == nil || of.Placeless {
			continue
		}
		var outside []int
		for i := range s.Points.Rows() {
			if !system.Near(p.Domain, p.Variables, s.Points.Row(i)) {
				outside = append(outside, i)
			}
		}
		if len(outside) == 0 {
			continue
		}
		file, line, _ := of.Source(outside[0])
		others := ""
		switch n := len(outside) - 1; {
		case n == 1:
			others = ", and so is another"
		case n > 1:
			others = fmt.Sprintf(", and so are %d others", n)
		}
		remarks = append(remarks, &Error{File: file, Line: line, Why: fmt.Sprintf("the place is outside the domain, where the equations say nothing of the reading%s", others)})
	}
	return remarks
}

func (d *document) readTitle(f *File) (err error) {
	f.Title, err = section{d, "", d.root}.text("title")
	return err
}

// readNames reads the sections that declare names, then the values of these.
func (d *document) readNames(f *File) error {
	variables, parameters, constants := d.section("variables"), d.section("parameters"), d.section("constants")
	if err := d.declareVariables(variables); err != nil {
		return err
	}
	if err := d.readFields(f); err != nil {
		return err
	}
	f.Problem.Fields, f.Problem.Over = d.scope.fields, d.scope.over
	if err := d.readSizes(f); err != nil {
		return err
	}
	list := d.inOrder("parameters", parameters.values)
	if n := len(list); n > maxParameters {
		return parameters.missing("found %d parameters; at most %d are allowed", n, maxParameters)
	}
	for _, name := range list {
		if err := d.scope.declare(name, "parameter"); err != nil {
			return parameters.wrong(name, err)
		}
	}
	if err := d.readConstants(constants); err != nil {
		return err
	}
	if err := d.readTables(); err != nil {
		return err
	}
	for _, name := range d.scope.variables {
		v, err := variables.variable(name)
		if err != nil {
			return err
		}
		f.Problem.Variables = append(f.Problem.Variables, v)
	}
	return d.readParameters(f, parameters, list)
}

// declareVariables reads the names of the variables.
func (d *document) declareVariables(variables section) error {
	names := d.inOrder("variables", variables.values)
	switch n := len(names); {
	case n == 0:
		return variables.missing("at least one variable with its range is needed, as x = [0, 1]")
	case n > maxVariables:
		return variables.missing("found %d variables; at most %d are allowed", n, maxVariables)
	}
	for _, name := range names {
		if err := d.scope.declare(name, "variable"); err != nil {
			return variables.wrong(name, err)
		}
	}
	if err := unambiguous(names); err != nil {
		return variables.missing("%s", err)
	}
	d.scope.variables = names
	return nil
}

// readFields reads the names of the fields: a list, or a table with the variables of each. Without either, the
// equations tell.
func (d *document) readFields(f *File) error {
	var names []string
	var over [][]bool
	var err error
	switch v := d.root["fields"].(type) {
	case nil:
		names, err = d.guessFields()
	case map[string]any:
		names, over, err = d.fieldTable(f, v)
	case []any:
		names, err = d.fieldList(v)
	default:
		err = d.refuse("fields", `expected a list of 1 to %d names, as ["u", "v"], or a table with the variables of each, found %s`, maxFields, describe(v))
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := d.scope.declare(name, "field"); err != nil {
			return d.refuse("fields", "%s", err)
		}
	}
	d.scope.fields = names
	if slices.ContainsFunc(over, func(of []bool) bool { return of != nil }) {
		d.scope.over = over
	}
	return nil
}

func (d *document) fieldList(list []any) (names []string, err error) {
	if len(list) == 0 || len(list) > maxFields {
		return nil, d.refuse("fields", `expected a list of 1 to %d names, as ["u", "v"], found %s`, maxFields, describe(list))
	}
	for _, item := range list {
		name, ok := item.(string)
		if !ok {
			return nil, d.refuse("fields", "expected names in quotes, found %s", describe(item))
		}
		names = append(names, name)
	}
	return names, nil
}

func (d *document) fieldTable(f *File, table map[string]any) (names []string, over [][]bool, err error) {
	in := d.section("fields")
	names = d.inOrder("fields", table)
	if n := len(names); n == 0 || n > maxFields {
		return nil, nil, in.missing("found %d fields; 1 to %d are expected, as u = [%q]", n, maxFields, d.scope.variables[0])
	}
	for _, name := range names {
		from, key := in, name
		if _, isTable := table[name].(map[string]any); isTable {
			from, key = in.inner(name), "over"
			if err := from.quantity(f, name); err != nil {
				return nil, nil, err
			}
		}
		if from.name != in.name && !from.has(key) {
			over = append(over, nil)
			continue
		}
		of, err := from.functionOf(key)
		if err != nil {
			return nil, nil, err
		}
		over = append(over, of)
	}
	return names, over, nil
}

// functionOf reads the variables that a field depends on. It returns nil for all.
func (s section) functionOf(name string) ([]bool, error) {
	all := s.scope.variables
	list, isList := s.values[name].([]any)
	if !isList || len(list) == 0 {
		return nil, s.refuse(join(s.name, name), `expected a list of variables, as [%q], found %s; an unknown number stands under [parameters]`, all[0], describe(s.values[name]))
	}
	of := make([]bool, len(all))
	for _, item := range list {
		v, _ := item.(string)
		d := slices.Index(all, v)
		if d < 0 {
			return nil, s.wrong(name, fmt.Errorf("%s is no variable%s", describe(item), didYouMean(v, all, are("variable", all))))
		}
		of[d] = true
	}
	if !slices.Contains(of, false) {
		return nil, nil
	}
	return of, nil
}

// readSizes reads by how much fields vary. It may be stated for some of them.
func (d *document) readSizes(f *File) error {
	sizes := d.section("sizes")
	names := d.inOrder("sizes", sizes.values)
	if len(names) > 0 {
		f.Problem.Sizes = make([]float64, len(f.Problem.Fields))
	}
	for _, name := range names {
		i := slices.Index(f.Problem.Fields, name)
		if i < 0 {
			return sizes.wrong(name, fmt.Errorf("no such field%s", didYouMean(name, f.Problem.Fields, are("field", f.Problem.Fields))))
		}
		v, err := sizes.positive(name, false)
		if err != nil {
			return err
		}
		f.Problem.Sizes[i] = v
	}
	return nil
}

// readConstants evaluates the constants in order. Each may use the ones before it.
func (d *document) readConstants(constants section) error {
	names := d.inOrder("constants", constants.values)
	for _, name := range names {
		if err := d.scope.declare(name, "constant"); err != nil {
			return constants.wrong(name, err)
		}
	}
	for _, name := range names {
		v, err := constants.constant(name)
		if err != nil {
			return err
		}
		d.scope.constants[name] = v
	}
	return nil
}

// constant reads a number, or a table with a number and its unit.
func (s section) constant(name string) (float64, error) {
	if _, isTable := s.values[name].(map[string]any); !isTable {
		v, err := s.number(name, 0)
		if text, isText := s.values[name].(string); err != nil && isText {
			if number, symbols, ok := numberAndUnit(text); ok && isUnit(symbols) {
				err = s.refuse(join(s.name, name), "found a number with a unit: write %s = { value = %s, unit = %q }", name, number, shorten(symbols))
			}
		}
		return v, err
	}
	in := s.inner(name)
	if !in.has("value") {
		return 0, s.refuse(in.name, `value is missing, as { value = 210, unit = "GPa" }`)
	}
	unit, err := in.caption("unit", maxUnit)
	if err != nil {
		return 0, err
	}
	s.scope.hasUnit(name, unit)
	return in.number("value", 0)
}

// variable reads the range of a variable.
func (s section) variable(name string) (system.Variable, error) {
	v := system.Variable{Name: name}
	from, key := s, name
	if _, isTable := s.values[name].(map[string]any); isTable {
		from, key = s.inner(name), "range"
		if !from.has(key) {
			return v, s.refuse(from.name, "range is missing, as { range = [0.1, 100], axis = \"log\" }")
		}
		axis, err := from.choice("axis", "linear", "log")
		if err != nil {
			return v, err
		}
		v.Log = axis == "log"
		if err := from.describe(&v); err != nil {
			return v, err
		}
	}
	ends, err := from.ends(key, &v)
	if err != nil {
		return v, err
	}
	v.Min, v.Max = ends[0], ends[1]
	if v.Log && !(v.Min > 0) {
		return v, s.refuse(join(s.name, name), "[%g, %g] has no logarithms; the first end must be positive", v.Min, v.Max)
	}
	if !(v.Min < v.Max) || math.IsInf(v.Max-v.Min, 0) {
		return v, s.refuse(join(s.name, name), "[%g, %g] is not a range; the first end must be below the second", v.Min, v.Max)
	}
	side := v.Max - v.Min
	if side < narrowest*math.Max(math.Abs(v.Min), math.Abs(v.Max)) {
		return v, s.refuse(join(s.name, name), "the range [%.17g, %.17g] is so narrow that double precision hardly tells places in it apart; move the origin", v.Min, v.Max)
	}
	if v.Log && v.Min < 1/widest {
		return v, s.refuse(join(s.name, name), "the range begins at %.3g; a logarithmic one may begin at %g or above: choose another unit", v.Min, 1/widest)
	}
	if side < 1/widest || side > widest {
		return v, s.refuse(join(s.name, name), "the range is %.3g wide; from %g to %g is possible: choose another unit", side, 1/widest, widest)
	}
	return v, nil
}

// scale reads the scale of the neurons: a number for all variables, or a table. It returns nil for "auto".
func (s section) scale() ([]float64, error) {
	if _, isTable := s.values["scale"].(map[string]any); !isTable {
		scale, err := s.positive("scale", true)
		if err != nil || scale == 0 {
			return nil, err
		}
		return []float64{scale}, nil
	}
	in := s.inner("scale")
	for _, name := range s.inOrder(in.name, in.values) {
		if !slices.Contains(s.scope.variables, name) {
			return nil, in.wrong(name, fmt.Errorf("no such variable%s", didYouMean(name, s.scope.variables, are("variable", s.scope.variables))))
		}
	}
	scale := make([]float64, len(s.scope.variables))
	for i, name := range s.scope.variables {
		var err error
		if scale[i], err = in.positive(name, false); err != nil {
			return nil, err
		}
		if scale[i] == 0 {
			return nil, s.refuse(in.name, "that of %s is missing: a table holds the scale of every variable", name)
		}
	}
	return scale, nil
}

func (d *document) readFeatures(f *File) (err error) {
	s := d.section("features")
	if f.Features.Neurons, err = s.neurons(); err != nil {
		return err
	}
	if f.Features.Scale, err = s.scale(); err != nil {
		return err
	}
	if f.Features.Seed, err = s.seed(); err != nil {
		return err
	}
	d.seed = f.Features.Seed
	if f.Features.Draw, err = s.choice("draw", "spread", "independent", "published"); err != nil {
		return err
	}
	names := []string{"auto"}
	for _, a := range feature.Activations() {
		names = append(names, a.String())
	}
	if f.Features.Activation, err = s.choice("activation", names...); err != nil || !s.has("patches") {
		return err
	}
	if f.Features.Patches, err = s.counts("patches", len(f.Problem.Variables), maxPatches); err != nil {
		return err
	}
	d.cells, d.each = f.Features.Patches, f.Features.Neurons
	return nil
}

// neurons reads the number of neurons. It returns 0 for "auto".
func (s section) neurons() (int, error) {
	if v, ok := s.values["neurons"].(string); ok && v == "auto" {
		return 0, nil
	}
	return s.count("neurons", 0, 1, maxNeurons)
}

// seed reads the seed. As a TOML integer it keeps all its bits.
func (s section) seed() (uint64, error) {
	if v, ok := s.values["seed"].(int64); ok && v >= 0 {
		return uint64(v), nil
	}
	const exact = 1 << 53
	v, err := s.number("seed", 1)
	if err == nil && (v != math.Trunc(v) || v < 0 || v > exact) {
		err = s.refuse("features.seed", "found %.15g; a whole number from 0 is expected", v)
	}
	return uint64(v), err
}

func (d *document) readFit(f *File) (err error) {
	s := d.section("fit")
	if f.Fit.Method, err = s.choice("method", "bpielm", "paper", "pielm"); err != nil {
		return err
	}
	if f.Fit.Method != "bpielm" && f.Features.Activation == "auto" { // only bpielm chooses
		if d.section("features").has("activation") {
			return d.refuse("features.activation", "%s cannot choose it; name one, or leave it out for tanh", f.Fit.Method)
		}
		f.Features.Activation = feature.Tanh.String()
	}
	inference, err := s.choice("inference", "integrate", "maximum")
	if err != nil {
		return err
	}
	f.Fit.Maximum = inference == "maximum"
	if f.Fit.Path, err = s.choice("path", "auto", "sqrt", "gram"); err != nil {
		return err
	}
	if f.Fit.Ensemble, err = s.count("ensemble", 0, 1, maxEnsemble); err != nil {
		return err
	}
	f.Fit.Tolerance, err = s.positive("tolerance", true)
	return err
}

func (d *document) readOutput(f *File) (err error) {
	s := d.section("output")
	n := len(f.Problem.Variables)
	f.Output.Grid = defaultGrid(n)
	if s.has("grid") {
		if f.Output.Grid, err = s.counts("grid", n, maxGrid); err != nil {
			return err
		}
	}
	if err := s.take("grid", f.Output.Grid...); err != nil {
		return err
	}
	if f.Output.Exact, err = s.exact(f.Problem.Fields); err != nil {
		return err
	}
	f.Output.Where, err = s.layers(f.Problem.Fields)
	f.Problem.Where = f.Output.Where
	return err
}

// layers reads where each field is defined. A field of a layer is defined in a part of the domain.
func (s section) layers(fields []string) ([]system.Domain, error) {
	where := make([]system.Domain, len(fields))
	byField, isTable := s.values["where"].(map[string]any)
	switch {
	case !s.has("where"):
		return where, nil
	case !isTable:
		return nil, s.refuse("output.where", "expected a table, { %s = \"x < 0.5\" }, found %s", fields[0], describe(s.values["where"]))
	}
	in := s.inner("where")
	for _, name := range s.inOrder(in.name, byField) {
		i := slices.Index(fields, name)
		if i < 0 {
			return nil, in.wrong(name, fmt.Errorf("no such field%s", didYouMean(name, fields, are("field", fields))))
		}
		var err error
		if where[i], err = in.inside(name); err != nil {
			return nil, err
		}
	}
	return where, nil
}

// defaultGrid is fine enough to draw a curve or a map. With more variables it has at most
// as many points as the map.
func defaultGrid(variables int) []int {
	const points, ofCurve = 81 * 81, 401
	n := 1
	for fits := true; fits && n < ofCurve; {
		n++
		total := 1
		for range variables {
			total *= n + 1
			if total > points {
				fits = false
				break
			}
		}
	}
	return slices.Repeat([]int{n}, variables)
}

// exact reads the exact solution: one expression, or one for each field.
func (s section) exact(fields []string) ([]system.Function, error) {
	exact := make([]system.Function, len(fields))
	byField, isTable := s.values["exact"].(map[string]any)
	switch {
	case !s.has("exact"):
		return exact, nil
	case !isTable && len(fields) > 1:
		return nil, s.refuse("output.exact", "with several fields it must be a table: { %s = \"...\", ... }", fields[0])
	case !isTable:
		f, err := s.function("exact")
		return []system.Function{f}, err
	}
	in := s.inner("exact")
	for _, name := range s.inOrder(in.name, byField) {
		i := slices.Index(fields, name)
		if i < 0 {
			return nil, in.wrong(name, fmt.Errorf("no such field%s", didYouMean(name, fields, are("field", fields))))
		}
		f, err := in.function(name)
		if err != nil {
			return nil, err
		}
		exact[i] = f
	}
	return exact, nil
}

// function reads an expression of variables and constants.
func (s section) function(key string) (system.Function, error) {
	text, err := s.formula(key)
	if err != nil {
		return nil, err
	}
	n, err := s.scope.known(text)
	if err != nil {
		return nil, s.wrong(key, err)
	}
	return n.function(), nil
}
