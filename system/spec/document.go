package spec

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/bpielm/bpielm/system"
)

// maxFileSize is the largest problem file, in bytes.
const maxFileSize = 1 << 20

// document is a problem file as TOML, with the line of each key and the meaning of
// each name.
type document struct {
	source
	path   string
	text   string   // of the file
	named  []string // files that it names, in the order in which they were asked for
	over   []string // the overrides
	root   map[string]any
	lines  map[string]int  // line of each key; see outline
	order  map[string]int  // position of each key in the file
	set    map[string]bool // keys set by an override
	scope  *scope
	parts  []string // names of the domain's shapes
	shapes map[string]system.Shape
	seed   uint64
	cells  []int // features.patches; nil: none
	each   int   // features.neurons, 0 if it is left out

	held    map[string]bool // parameters that are coefficients because the problem is not linear in them
	curved  bool            // the problem is not linear in its fields
	remarks []*Error        // see File.Remarks

	compared []UnitCheck // see File.Units

	// Of the block of sensors that is being read:
	listed  bool             // its places are those of a file
	outside map[string]error // those outside the box, by sensor

	demands []demand // what must be finite for all values of the coefficients
}

// readDocument reads a file, applies the overrides, and checks that all keys exist.
func readDocument(from source, path string, overrides []string) (*document, error) {
	d := &document{source: from, path: path, order: map[string]int{}, set: map[string]bool{}, scope: newScope(), held: map[string]bool{}}
	text, err := from.readText(path)
	if err != nil {
		return nil, d.because("", err)
	}
	if strings.Contains(text, "\x00") {
		return nil, d.refuse("", "not a text file in UTF-8; a problem file in TOML is expected")
	}
	d.text, d.over = text, overrides
	if d.lines, err = newOutline(text); err != nil {
		return nil, inFile(path, err)
	}
	meta, err := toml.Decode(text, &d.root)
	if err != nil {
		return nil, d.notTOML(err)
	}
	for i, key := range meta.Keys() {
		name := strings.Join(key, ".")
		if _, known := d.order[name]; !known {
			d.order[name] = i
		}
	}
	for _, o := range overrides {
		if err := d.override(o); err != nil {
			return nil, err
		}
	}
	return d, d.checkTable(d.root, problemKeys, "")
}

func (s source) readText(path string) (string, error) {
	f, err := s.open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxFileSize {
		return "", fmt.Errorf("the file has more than %d bytes", maxFileSize)
	}
	return string(text), nil
}

// notTOML returns an error that says where the TOML library stopped.
func (d *document) notTOML(err error) error {
	e := &Error{File: d.path, Why: "not a TOML file: " + err.Error()}
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		e.Line, e.Why = syntax.Position.Line, "not TOML: "+shortenTo(syntax.Message, maxKey) // it may repeat a whole line
	}
	return e
}

// refuse returns an error about a key, with the line of the key or of the innermost table around it.
func (d *document) refuse(key, format string, args ...any) error {
	e := &Error{File: d.path, Key: shortenTo(d.shown(key), maxKey), Why: fmt.Sprintf(format, args...)}
	for k := key; k != ""; k = parent(k) {
		if d.set[k] {
			e.Key = "--set " + e.Key
			return e
		}
		if _, written := d.lines[k]; written {
			break
		}
	}
	e.Line = d.line(key)
	return e
}

// line returns the line of a key or of the innermost table around it, or 0 if the file has neither.
func (d *document) line(key string) int {
	for ; key != ""; key = parent(key) {
		if line, written := d.lines[key]; written {
			return line
		}
	}
	return 0
}

// because puts a key, and its line, in front of an error.
func (d *document) because(key string, err error) error {
	placed := d.refuse(key, "%s", reason(err))
	var over *overLimit
	placed.(*Error).Limit = errors.As(err, &over)
	return placed
}

// parent returns a key without its last part, which is a name or a number in an array.
func parent(key string) string {
	return key[:max(0, strings.LastIndexAny(key, ".["))]
}

// shown returns a key as errors write it: without [0] if the array has only one table.
func (d *document) shown(key string) string {
	section, rest, found := strings.Cut(key, "[0]")
	if found && len(d.tables(section)) == 1 {
		return section + rest
	}
	return key
}

// tables returns the tables of an array of tables, which may be written inline.
func (d *document) tables(section string) []map[string]any {
	switch v := d.root[section].(type) {
	case []map[string]any:
		return v
	case []any:
		var all []map[string]any
		for _, item := range v {
			t, ok := item.(map[string]any)
			if !ok {
				return nil
			}
			all = append(all, t)
		}
		return all
	}
	return nil
}

// inOrder returns the keys of a table in the order of the file.
func (d *document) inOrder(section string, table map[string]any) []string {
	keys := slices.Sorted(maps.Keys(table))
	sort.SliceStable(keys, func(i, j int) bool { return d.order[join(section, keys[i])] < d.order[join(section, keys[j])] })
	return keys
}

// checkTable reports the first key that does not belong in a table.
func (d *document) checkTable(t map[string]any, s *shape, section string) error {
	for _, key := range d.inOrder(section, t) {
		name := join(section, key)
		inner := s.at(key)
		if inner == nil {
			return d.unknownKey(section, key, s)
		}
		if err := d.checkEntry(t[key], inner, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) checkEntry(v any, s *shape, name string) error {
	if s.array {
		tables := d.tables(name)
		if len(tables) == 0 {
			return d.refuse(name, "expected tables, found %s: write [[%s]]", describe(v), name)
		}
		for i, t := range tables {
			if err := d.checkTable(t, s, fmt.Sprintf("%s[%d]", name, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if t, ok := v.(map[string]any); ok && (s.keys != nil || s.named != nil) {
		return d.checkTable(t, s, name)
	}
	if !s.value {
		why := ""
		if _, ok := v.([]map[string]any); ok {
			why = fmt.Sprintf(": write [%s]", name)
		} else if parent(name) == "parameters" {
			why = "; parameters are unknown: a known number belongs under [constants]"
		}
		return d.refuse(name, "expected a table, found %s%s", describe(v), why)
	}
	return nil
}

func (d *document) unknownKey(section, key string, s *shape) error {
	known := slices.Sorted(maps.Keys(s.keys))
	if section == "" {
		if meant := meantBy(key); meant != "" {
			return d.refuse(key, "unknown key or section; did you mean %s?", meant)
		}
		return d.refuse(key, "unknown key or section%s", didYouMean(key, known, "a problem file has"))
	}
	bare, _, _ := strings.Cut(section, "[")
	return d.refuse(join(section, key), "unknown key%s", didYouMean(key, known, bare+" has"))
}

// meantBy returns the section that people mean by a word of their own, or the key with its section where that was left out;
// "" if there is none, or more than one.
func meantBy(key string) (meant string) {
	switch strings.ToLower(key) {
	case "boundary", "boundary_condition", "initial", "initial_condition", "bc", "ic", "boundaries":
		return "[[condition]]"
	case "data", "readings", "measurements", "observations":
		return "[[sensors]]"
	case "pde", "ode", "pdes":
		return "[[equation]]"
	case "unknowns", "coefficients":
		return "[parameters]"
	}
	for _, section := range slices.Sorted(maps.Keys(problemKeys.keys)) {
		if s := problemKeys.keys[section]; !s.array && s.named == nil && s.keys[key] != nil {
			if meant != "" {
				return ""
			}
			meant = section + "." + key
		}
	}
	return meant
}

// describe says in words what a TOML value is.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", shorten(v))
	case int64, float64:
		return fmt.Sprintf("%v", v)
	case bool:
		return fmt.Sprintf("%v", v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "an array of tables"
	}
	return "a date"
}

// file returns the path of a file that the problem file names.
func (d *document) file(name string) string {
	d.named = append(d.named, name)
	return d.place.beside(d.path, name)
}
