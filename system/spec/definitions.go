package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bpielm/bpielm/system"
)

// Definitions say what the names in an expression about a solved problem mean, and where the problem's domain is. They
// are stored with a model, so that it can be asked without its problem file.
type Definitions struct {
	Domain     system.Domain       // nil: the whole box
	Where      []system.Domain     // where each field is defined; nil: everywhere
	Quantities map[string]Quantity // of fields and parameters that have a unit or a label
	Sensors    []KnownSensors      // behind the model; nil: not known
	scope      *scope
}

// KnownSensors are a group of sensors whose readings a model holds, as far as a picture of
// them needs.
type KnownSensors struct {
	Name     string
	Readings int         // how many
	Field    int         // number of the field that they measure; -1: something else
	Sides    []float64   `json:",omitempty"` // of the box that they average over, in each variable; nil: they read one place
	Places   [][]float64 `json:",omitempty"` // different ones, of very many a part
}

// storedDefinitions is the text of definitions: the problem file with its overrides, and the files that tables and
// shapes name. Equations and readings are in it only as text.
type storedDefinitions struct {
	Problem string
	Set     []string          `json:",omitempty"`
	Files   map[string][]byte `json:",omitempty"` // by the names in the problem file

	// Files of earlier programs have none of these.
	Quantities map[string]Quantity `json:",omitempty"`
	Sensors    []KnownSensors      `json:",omitempty"`
}

// maxDefinitions is the largest text of definitions. Larger ones, as with large tables, are not kept.
const maxDefinitions = 1 << 19

// Definitions returns what ReadDefinitions reads, or "" if it would be larger than half a MiB.
// The sensors may be nil; they are left out if there is no room for them.
func (f *File) Definitions(sensors []KnownSensors) string {
	if f.definitions == nil {
		return ""
	}
	stored := *f.definitions
	stored.Quantities = f.Quantities
	return stored.text(sensors)
}

// WithSensors returns the text of File.Definitions with other sensors, or the text as it is
// where it is empty, damaged or has no room for them.
func WithSensors(definitions string, sensors []KnownSensors) string {
	stored := storedDefinitions{}
	if definitions == "" || json.Unmarshal([]byte(definitions), &stored) != nil {
		return definitions
	}
	if text := stored.text(sensors); text != "" {
		return text
	}
	return definitions
}

// text is "" if it would be too large even without sensors.
func (stored storedDefinitions) text(sensors []KnownSensors) string {
	for _, stored.Sensors = range [][]KnownSensors{sensors, nil} {
		if text, err := json.Marshal(stored); err == nil && len(text) <= maxDefinitions {
			return string(text)
		}
	}
	return ""
}

// keepDefinitions reads the files that tables and shapes name once more, as text.
func (d *document) keepDefinitions(f *File) error {
	kept := storedDefinitions{Problem: d.text, Set: d.over}
	size := len(d.text)
	from := d.source
	from.budget = nil // they have been counted
	for _, name := range d.named {
		if _, known := kept.Files[name]; known {
			continue
		}
		text, err := from.readText(d.place.beside(d.path, name))
		if size += len(text); err != nil || size > maxDefinitions {
			return nil // too large; an error would have been one before
		}
		if kept.Files == nil {
			kept.Files = map[string][]byte{}
		}
		kept.Files[name] = []byte(text)
	}
	f.definitions = &kept
	return nil
}

// ReadDefinitions reads the text of File.Definitions for a solved problem, of which variables, fields, parameters and
// coefficients are used. An empty text defines nothing but these. It fails with an *Error if the text, which may come
// from anywhere, is damaged.
func ReadDefinitions(text string, p *system.Problem) (*Definitions, error) {
	stored := storedDefinitions{}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &stored); err != nil || len(text) > maxDefinitions {
			return nil, damagedDefinitions()
		}
	}
	for _, q := range stored.Quantities {
		if !isCaption(q.Unit, maxUnit) || !isCaption(q.Label, maxLabel) {
			return nil, damagedDefinitions()
		}
	}
	for i := range stored.Sensors {
		if !stored.Sensors[i].valid(p) {
			return nil, damagedDefinitions()
		}
	}
	const problem = "problem.toml"
	files := memory{problem: stored.Problem}
	for name, content := range stored.Files {
		files[path.Join(path.Dir(problem), name)] = string(content)
	}
	d, err := readDocument(source{place: within{files}, budget: &budget{Limits: Limits{Points: maxTableSize * maxTableAxes}}}, problem, stored.Set)
	if err != nil {
		return nil, err
	}
	s := d.scope
	for _, v := range p.Variables {
		s.variables = append(s.variables, v.Name)
	}
	s.fields, s.over, s.coefficients = p.Fields, p.Over, slices.Clone(p.Coefficients)
	for _, q := range p.Parameters {
		s.parameters = append(s.parameters, q.Name)
	}
	if err := s.declareAll(); err != nil {
		return nil, d.refuse("", "%s", err)
	}
	f := &File{Problem: &system.Problem{Variables: p.Variables, Fields: p.Fields}}
	if err := d.readConstants(d.section("constants")); err != nil {
		return nil, err
	}
	if err := d.readTables(); err != nil {
		return nil, err
	}
	if err := d.readDomain(f); err != nil {
		return nil, err
	}
	where, err := d.section("output").layers(p.Fields)
	if err != nil {
		return nil, err
	}
	return &Definitions{Domain: f.Problem.Domain, Where: where, Quantities: stored.Quantities, Sensors: stored.Sensors, scope: s}, nil
}

func damagedDefinitions() error { return &Error{Why: "the definitions of its problem are damaged"} }

// valid tells whether sensors are possible in a problem. Numbers of JSON are finite.
func (s *KnownSensors) valid(p *system.Problem) bool {
	d := len(p.Variables)
	if s.Field < -1 || s.Field >= len(p.Fields) || s.Readings < 0 || s.Sides != nil && len(s.Sides) != d {
		return false
	}
	for _, side := range s.Sides {
		if side < 0 {
			return false
		}
	}
	return !slices.ContainsFunc(s.Places, func(x []float64) bool { return len(x) != d })
}

// Axis is File.Axis for a field or a parameter.
func (d *Definitions) Axis(name string) string { return axisOf(d.Quantities, name) }

// declareAll declares the names that a solved problem has.
func (s *scope) declareAll() error {
	if err := unambiguous(s.variables); err != nil {
		return err
	}
	parameters := slices.Clone(s.parameters)
	for i := range s.coefficients {
		parameters = append(parameters, s.coefficients[i].Name)
	}
	for _, group := range []struct {
		kind  string
		names []string
	}{{"variable", s.variables}, {"field", s.fields}, {"parameter", parameters}} {
		for _, name := range group.names {
			if err := s.declare(name, group.kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// Holds reports whether field i is defined at x, inside the domain. A field of no number is defined in all of it.
func (d *Definitions) Holds(i int, x []float64) bool {
	if d.Domain != nil && !d.Domain.Contains(x) {
		return false
	}
	return i < 0 || i >= len(d.Where) || d.Where[i] == nil || d.Where[i].Contains(x)
}

// IsPlaceless reports whether an expression has the same value everywhere: it contains no field and no variable. It is
// false for a text that Measure does not read.
func (d *Definitions) IsPlaceless(text string) bool {
	n, err := d.scope.expression(text)
	return err == nil && n.mentions(field, variable) == nil
}

// Measure reads an expression of fields, their derivatives, parameters, variables, constants and tables. Where it is not
// linear in the unknowns, it need not be smooth, and the functional has no derivatives: it is for
// posterior.Posterior.Sample.
func (d *Definitions) Measure(text string) (system.Functional, error) {
	n, err := d.scope.expression(text)
	if err != nil {
		return system.Functional{}, &Error{Why: err.Error()}
	}
	a, err := split(n)
	if err == nil && a.size() <= maxExpanded {
		f := a.functional()
		if len(f.Terms) == 0 && len(f.Parameters) == 0 && n.mentions(coefficient) == nil {
			err = fmt.Errorf("%q contains no unknown; %s %s", shorten(text), are("field", d.scope.fields), list(d.scope.fields, "and"))
			return f, &Error{Why: err.Error()}
		}
		return f, nil
	}
	var not *notLinear
	if err != nil && !errors.As(err, &not) {
		return system.Functional{}, &Error{Why: err.Error()}
	}
	f := &system.Nonlinear{}
	unknowns := n.unknowns()
	for _, u := range unknowns {
		one := affine{terms: []linearTerm{{u, literal(1)}}}
		f.Of = append(f.Of, one.functional())
	}
	f.Partials = make([]system.Function, len(f.Of))
	f.Value = d.scope.extended(n, unknowns).function()
	return system.Functional{Nonlinear: f}, nil
}

// memory is a file system of texts by their paths.
type memory map[string]string

// Open implements fs.FS.
func (m memory) Open(name string) (fs.File, error) {
	text, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &memoryFile{strings.NewReader(text), name}, nil
}

// memoryFile is an open file of memory, and what is known of it.
type memoryFile struct {
	*strings.Reader
	name string
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memoryFile) Close() error               { return nil }
func (f *memoryFile) Name() string               { return path.Base(f.name) }
func (f *memoryFile) Mode() fs.FileMode          { return 0o444 }
func (f *memoryFile) ModTime() time.Time         { return time.Time{} }
func (f *memoryFile) IsDir() bool                { return false }
func (f *memoryFile) Sys() any                   { return nil }

var _ io.Reader = (*memoryFile)(nil)
