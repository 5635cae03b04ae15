package spec

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/bpielm/bpielm/system"
)

// maxName is the longest name of a variable, field, parameter or constant.
const maxName = 64

// mathematical are the constants that need no declaration.
var mathematical = map[string]float64{"pi": math.Pi, "e": math.E}

// scope says what the names in an expression stand for.
type scope struct {
	variables    []string
	fields       []string
	over         [][]bool // variables that each field depends on; nil: all
	parameters   []string
	coefficients []system.Coefficient
	occurring    map[string]bool // coefficients that some expression contains
	constants    map[string]float64
	tables       map[string]*lookup
	declared     map[string]string // what each name is, in words
	units        map[string]string // of variables, fields and parameters that have one

	normal        *normals // normals for u_n; nil where it has no meaning
	onlyConstants bool     // the expression may have no other names
	guessed       bool     // the file does not say what is unknown
}

func newScope() *scope {
	return &scope{occurring: map[string]bool{}, constants: map[string]float64{}, tables: map[string]*lookup{}, declared: map[string]string{}, units: map[string]string{}}
}

// aParameter says in words what a parameter is.
const aParameter = "a parameter"

// declare reserves a name for a kind of thing. A name can be reserved once.
func (s *scope) declare(name, kind string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name has %d characters; at most %d are allowed", len(name), maxName)
	case !isName(name):
		return fmt.Errorf("%q is not a name: names begin with a letter and have only the letters a-z, A-Z and digits%s", shorten(name), andUnderscores(kind))
	case strings.Contains(name, "_") && (kind == "field" || kind == "variable"):
		return fmt.Errorf("the name of a %s has only letters and digits: an underscore marks derivatives, as in u_xx", kind)
	case kind == "variable" && (name == valueColumn || name == sigmaColumn):
		return fmt.Errorf("a variable cannot be named %s, which is a column of sensor files", name)
	}
	if other := s.occupant(name); other != "" {
		return fmt.Errorf("%s is already %s", name, other)
	}
	s.declared[name] = "a " + kind
	return nil
}

func andUnderscores(kind string) string {
	if kind != "field" && kind != "variable" {
		return ", and underscores inside"
	}
	return ""
}

// occupant says in words what a name stands for, or returns "" if it is free.
func (s *scope) occupant(name string) string {
	if other := s.declared[name]; other != "" {
		return other
	}
	if _, ok := mathematical[name]; ok {
		return "a mathematical constant"
	}
	if _, ok := functions[name]; ok {
		return "a function"
	}
	if name == "and" {
		return "the word that joins inequalities"
	}
	if field, orders, err := s.derivative(name); field >= 0 && err == nil && orders != nil {
		return "a derivative of the field " + s.fields[field]
	}
	return ""
}

func isName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != ""
}

// derivative reads a name as field_variables, such as u_xxy. It returns the number of the
// field, or -1 if the name does not begin with one, and the order in each variable. It
// fails if what follows is not a sequence of variables.
func (s *scope) derivative(name string) (field int, orders []int, err error) {
	prefix, suffix, found := strings.Cut(name, "_")
	field = slices.Index(s.fields, prefix)
	if !found || field < 0 {
		return -1, nil, nil
	}
	if suffix == "" {
		return field, nil, fmt.Errorf("variables must follow the underscore, as in %s_%s", prefix, s.variables[0])
	}
	if orders, err = s.sequence(suffix); err != nil {
		return field, nil, fmt.Errorf("%q after %s_ %w", shorten(suffix), prefix, err)
	}
	return field, orders, nil
}

// sequence reads names of variables that follow each other, as xxy, and counts them.
func (s *scope) sequence(text string) (orders []int, err error) {
	// next[i] is the variable with which text[i:] begins, if the rest can be read, too.
	// There is at most one way to read it: see unambiguous.
	next := make([]int, len(text)+1)
	for i := len(text) - 1; i >= 0; i-- {
		next[i] = -1
		for v, variable := range s.variables {
			if strings.HasPrefix(text[i:], variable) && next[i+len(variable)] >= 0 {
				next[i] = v
			}
		}
	}
	if next[0] < 0 {
		return nil, fmt.Errorf("is not a sequence of the variables %s", list(s.variables, "and"))
	}
	orders = make([]int, len(s.variables))
	for i := 0; i < len(text); i += len(s.variables[next[i]]) {
		orders[next[i]]++
	}
	return orders, nil
}

// unambiguous fails if some derivative can be read in two ways, such as u_xt with the
// variables x, t and xt. It is the test of Sardinas and Patterson (1953) for codes: follow
// all ways in which one sequence of names can be ahead of another with the same letters,
// and see whether the other ever catches up.
func unambiguous(variables []string) error {
	ahead, seen := []string{}, map[string]bool{}
	follow := func(longer, shorter string) {
		if rest, ok := strings.CutPrefix(longer, shorter); ok && !seen[rest] {
			seen[rest] = true
			ahead = append(ahead, rest)
		}
	}
	for i, a := range variables {
		for j, b := range variables {
			if i != j {
				follow(a, b)
			}
		}
	}
	for len(ahead) > 0 && !seen[""] {
		rest := ahead[0]
		ahead = ahead[1:]
		for _, v := range variables {
			follow(v, rest)
			follow(rest, v)
		}
	}
	if seen[""] {
		return fmt.Errorf("with variables named %s a derivative could be read in two ways; rename one", list(variables, "and"))
	}
	return nil
}

// dependsOn reports whether field i is a function of variable d.
func (s *scope) dependsOn(i, d int) bool {
	return s.over == nil || s.over[i] == nil || s.over[i][d]
}

// variablesOf lists the variables that field i is a function of.
func (s *scope) variablesOf(i int) string {
	var names []string
	for d, v := range s.variables {
		if s.dependsOn(i, d) {
			names = append(names, v)
		}
	}
	return list(names, "and")
}

// names returns all declared names that an expression may contain, in order.
func (s *scope) names() []string {
	names := slices.Sorted(maps.Keys(s.declared))
	return slices.DeleteFunc(names, func(name string) bool { return s.declared[name] == "a shape" })
}

// functionNames returns the names of all functions in order.
func functionNames() []string {
	return slices.Sorted(maps.Keys(functions))
}

// nearest returns the candidate that a misspelt name most likely means, or "".
func nearest(name string, candidates []string) string {
	if len(name) > 2*maxName {
		return ""
	}
	most := 0 // letters that may differ; a very short name would match anything
	switch {
	case len(name) > 4:
		most = max(2, len(name)/3)
	case len(name) >= 3:
		most = 1
	}
	best := ""
	for _, c := range candidates {
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(c), nil); d <= most {
			best, most = c, d-1
		}
	}
	return best
}

// didYouMean ends an error about an unknown name: with the most similar right one, or
// with all of them.
func didYouMean(name string, candidates []string, all string) string {
	if near := nearest(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	if all == "" || len(candidates) == 0 {
		return ""
	}
	return "; " + all + " " + list(candidates, "and")
}

// list joins names as in "a, b and c".
func list(names []string, conjunction string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + conjunction + " " + names[last]
}
