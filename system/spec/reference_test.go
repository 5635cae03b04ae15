package spec

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/BurntSushi/toml"
)

// acceptedKeys lists every section and key that Read accepts, with NAME for names that the user chooses.
func acceptedKeys(s *shape, at string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(s.keys)) {
		all = append(append(all, join(at, key)), acceptedKeys(s.keys[key], join(at, key))...)
	}
	if s.named != nil {
		all = append(append(all, join(at, "NAME")), acceptedKeys(s.named, join(at, "NAME"))...)
	}
	return all
}

// TestReferenceIsComplete: each key that Read accepts is described, and no other. A failure says which line
// reference_keys.go needs.
func TestReferenceIsComplete(t *testing.T) {
	described := map[string]bool{}
	for _, e := range Reference() {
		if described[e.Key] {
			t.Errorf("%s is described twice", e.Key)
		}
		described[e.Key] = true
		if e.Kind == 0 && len(e.Words) == 0 || e.Text == "" || e.Example == "" {
			t.Errorf("%s lacks a kind, a text or an example", e.Key)
		}
		if !strings.HasSuffix(e.Text, ".") {
			t.Errorf("the text of %s is no sentence", e.Key)
		}
	}
	accepted := acceptedKeys(problemKeys, "")
	for _, key := range accepted {
		if !described[key] {
			t.Errorf("%s is accepted and not described: add a line to reference in reference_keys.go", key)
		}
		delete(described, key)
	}
	for key := range described {
		t.Errorf("%s is described and not accepted", key)
	}
	if len(accepted) < 80 {
		t.Errorf("%d keys are seen: too few to be all", len(accepted))
	}
}

// TestWordsOfTheReference: every word is accepted where the reference offers it, and another one is not.
func TestWordsOfTheReference(t *testing.T) {
	for _, e := range Reference() {
		last := e.Key[strings.LastIndexByte(e.Key, '.')+1:]
		for _, word := range append([]string{"nonsense"}, e.Words...) {
			if len(e.Words) == 0 || last == "NAME" || e.Key == "sensors.time" { // each needs dates of its own
				continue
			}
			_, err := readExample(&e, func(example map[string]any) { replaceLast(example, e.Key, word) })
			if word == "auto" && e.Key == "features.activation" {
				continue // it is the default, but readExample's method may be another
			}
			if (err == nil) != (word != "nonsense") {
				t.Errorf("%s = %q: %v", e.Key, word, err)
			}
		}
	}
}

// contexts complete the examples that do not stand alone: TOML to merge, and keys that it replaces.
var contexts = []struct{ prefix, text, without string }{
	{"fields.NAME", "[[equation]]\npde = \"u_xx = q\"", ""},
	{"fields", "[[equation]]\npde = \"u_xx = v\"", ""},
	{"parameters.NAME", "[[equation]]\npde = \"D*u_xx = 1\"", ""},
	{"parameters", "[[equation]]\npde = \"D*u_xx = q\"", ""},
	{"shapes.NAME", "[domain]\nshape = \"hole\"", ""},
	{"shapes", "[domain]\nshape = \"plate - hole\"", ""},
	{"domain.shape", "[shapes]\nplate = { box = { x = [0, 2], y = [0, 1] } }\nhole = { disk = { center = [1, 0.5], radius = 0.2 } }", ""},
	{"sensors.noise_group", "", "sigma"},
	{"sensors.time", "[variables]\ny = { range = [0, 1], unit = \"h\", start = \"2024-05-01T00:00:00Z\" }\n[[sensors]]\nfile = \"unix.csv\"", ""},
}

// readExample reads a small problem with the example of an entry in it, which change may alter.
func readExample(e *Entry, change func(example map[string]any)) (*File, error) {
	whole := decode(`
[variables]
x = [0, 2]
y = [0, 1]
[[equation]]
pde = "u_xx + u_yy = 1"
[[sensors]]
file = "readings.csv"
sigma = 0.1
`)
	for _, c := range contexts {
		if e.Key == c.prefix || strings.HasPrefix(e.Key, c.prefix+".") {
			merge(whole, decode(c.text))
			delete(whole["sensors"].([]map[string]any)[0], c.without)
			break
		}
	}
	header := ""
	if section := e.Section(); section != "" {
		header = "[" + section + "]\n"
		if problemKeys.keys[section].array {
			header = "[[" + section + "]]\n"
		}
	}
	if e.Key == "fields.NAME" {
		header = "[fields]\n"
	}
	example := decode(header + e.Example)
	if change != nil {
		change(example)
	}
	merge(whole, example)
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(whole); err != nil {
		return nil, err
	}
	files := fstest.MapFS{
		"problem.toml":     {Data: text.Bytes()},
		"readings.csv":     {Data: []byte("x,y,value\n1,0.5,3\n1.1,0.4,2\n")},
		"unix.csv":         {Data: []byte("x,y,value\n1,1714521600,3\n1.1,1714523400,2\n")},
		"stations.csv":     {Data: []byte("north,south\n3,2\n")},
		"wells.csv":        {Data: []byte("Well,X,Y\nnorth,1,0.5\nsouth,1,0.2\n")},
		"points.csv":       {Data: []byte("x,y\n1,0.5\n")},
		"outline.csv":      {Data: []byte("x,y\n0.5,0.2\n1.5,0.2\n1,0.8\n")},
		"conductivity.csv": {Data: []byte("x,value\n0,1\n2,3\n")},
	}
	f, err := ReadFS(files, "problem.toml", nil)
	if err != nil {
		err = fmt.Errorf("%w, of\n%s", err, text.String())
	}
	return f, err
}

func decode(text string) map[string]any {
	var m map[string]any
	if _, err := toml.Decode(text, &m); err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, text))
	}
	if m == nil {
		m = map[string]any{}
	}
	return m
}

// merge puts the keys of sections into those of a whole problem; those of an array into its first table.
func merge(whole, part map[string]any) {
	for section, v := range part {
		switch v := v.(type) {
		case map[string]any:
			if there, ok := whole[section].(map[string]any); ok {
				maps.Copy(there, v)
				continue
			}
		case []map[string]any:
			if there, ok := whole[section].([]map[string]any); ok {
				maps.Copy(there[0], v[0])
				continue
			}
		}
		whole[section] = v
	}
}

// replaceLast sets a key wherever the example has it.
func replaceLast(v any, key string, to any) bool {
	last := key[strings.LastIndexByte(key, '.')+1:]
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v[last]; ok {
			v[last] = to
			return true
		}
		for _, inner := range v {
			if replaceLast(inner, key, to) {
				return true
			}
		}
	case []map[string]any:
		return replaceLast(v[0], key, to)
	}
	return false
}

func TestExamplesOfTheReferenceAreRead(t *testing.T) {
	for _, e := range Reference() {
		if _, err := readExample(&e, nil); err != nil {
			t.Errorf("%s: %v", e.Key, err)
		}
	}
}

// TestDefaultsOfTheReference: a default that is written out means the same as none.
func TestDefaultsOfTheReference(t *testing.T) {
	tried := 0
	for _, e := range Reference() {
		if e.Default == "" || strings.HasPrefix(e.Default, "(") || e.Key == "title" || e.Key == "parameters.NAME" || e.Key == "parameters.NAME.mean" || e.Key == "fields" {
			continue
		}
		value := decode("value = " + e.Default)["value"]
		stated, err := readExample(&e, func(m map[string]any) {
			if !replaceLast(m, e.Key, value) {
				t.Errorf("the example of %s does not have it", e.Key)
			}
		})
		if err != nil {
			t.Errorf("%s = %s: %v", e.Key, e.Default, err)
			continue
		}
		last := e.Key[strings.LastIndexByte(e.Key, '.')+1:]
		left, err := readExample(&e, func(m map[string]any) { remove(m, last) })
		if err != nil {
			t.Errorf("without %s: %v", e.Key, err)
			continue
		}
		if e.Key == "fit.ensemble" { // package posterior fills it in
			left.Fit.Ensemble = 4
		}
		if a, b := settings(stated), settings(left); a != b {
			t.Errorf("%s = %s gives\n%s\nwithout it\n%s", e.Key, e.Default, a, b)
		}
		changed, err := readExample(&e, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Key != "domain" && settings(changed) == settings(left) {
			t.Errorf("the example of %s changes nothing", e.Key)
		}
		tried++
	}
	if tried < 15 {
		t.Errorf("%d defaults were tried: too few to be all", tried)
	}
}

func remove(v any, key string) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, key)
		for _, inner := range v {
			remove(inner, key)
		}
	case []map[string]any:
		remove(v[0], key)
	}
}

// settings writes what keys with defaults decide.
func settings(f *File) string {
	text := fmt.Sprintf("%+v %+v %v %+v", f.Features, f.Fit, f.Output.Grid, f.Problem.Variables)
	for _, e := range f.Problem.Demands() {
		text += fmt.Sprintf("\n%d points, spare %v, %g, %g, %v", e.Points.Rows(), e.Spare, e.Tolerance, e.SD, e.Exact)
	}
	for _, s := range f.Problem.Sensors {
		text += fmt.Sprintf("\n%g %v %g %q", s.Sigma, s.Student, s.Freedom, s.Group)
	}
	return text
}

// TestFunctionsAreDescribed and what they are said to be is true: the texts are compared where they are formulas.
func TestFunctionsAreDescribed(t *testing.T) {
	if !reflect.DeepEqual(slices.Sorted(maps.Keys(functionTexts)), functionNames()) {
		t.Errorf("functionTexts describes\n%v\nthere are\n%v", slices.Sorted(maps.Keys(functionTexts)), functionNames())
	}
	scope := newScope()
	scope.variables = []string{"x", "y"}
	compared := 0
	for _, f := range Functions() {
		call, err := scope.known(strings.ReplaceAll(f.Usage, ", ...", ""))
		if err != nil {
			t.Errorf("%s: %v", f.Usage, err)
			continue
		}
		formula, err := scope.known(f.Text)
		if err != nil {
			continue // it is in words
		}
		compared++
		for _, x := range [][]float64{{0.3, 0.7}, {1.5, 2.5}} {
			if a, b := compile(call).at(x), compile(formula).at(x); math.Abs(a-b) > 1e-12 {
				t.Errorf("%s is %g at %v, %s is %g", f.Usage, a, x, f.Text, b)
			}
		}
	}
	if compared < 5 {
		t.Errorf("%d formulas were compared", compared)
	}
}
