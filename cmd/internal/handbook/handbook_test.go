package handbook

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/bpielm/bpielm/system/spec"
)

// schema compiles the schema with a library that knows nothing of problem files.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema(spec.Reference())
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("bpielm.schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("bpielm.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, problem string) error {
	t.Helper()
	var root map[string]any
	if _, err := toml.Decode(problem, &root); err != nil {
		t.Fatalf("%v in\n%s", err, problem)
	}
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

func TestTheSchemaAcceptsAllExamples(t *testing.T) {
	s := schema(t)
	var all []string
	for _, pattern := range []string{"../../../bench/problems/*/problem.toml", "../../../docs/recipes/*/problem.toml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	if len(all) < 38 {
		t.Fatalf("%d problems are seen: too few to be all", len(all))
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, string(text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

const small = "[variables]\nx = [0, 1]\n[[equation]]\npde = \"u_xx = 1\"\n[[sensors]]\nfile = \"r.csv\"\n"

func TestTheSchemaRefusesMistakes(t *testing.T) {
	s := schema(t)
	if err := validate(t, s, small); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to string }{
		{`[[sensors]]`, "[features]\nneurones = 3\n[[sensors]]"},
		{`pde =`, `pdf =`},
		{`[[equation]]`, `[equation]`},
		{`file = "r.csv"`, `file = 3`},
		{`file = "r.csv"`, "file = \"r.csv\"\nnoise = \"gamma\""},
		{`file = "r.csv"`, "file = \"r.csv\"\naverage = { x = [1] }"},
		{`x = [0, 1]`, `x = 3`},
		{`x = [0, 1]`, `x = { range = [0, 1], axis = "logarithmic" }`},
		{`x = [0, 1]`, `x = { axis = "log" }`},
		{`[[equation]]`, "[[equation]]\npoints = 1.5"},
		{`[[equation]]`, "[[condition]]\nexact = 1\n[[equation]]"},
	} {
		if err := validate(t, s, strings.Replace(small, c.from, c.to, 1)); err == nil {
			t.Errorf("%q instead of %q is accepted", c.to, c.from)
		}
	}
}

// TestThePageIsWhatTheProgramPrints: go run ./cmd/bpielm help problem --markdown > docs/problem-file.md renews it.
func TestThePageIsWhatTheProgramPrints(t *testing.T) {
	page, err := os.ReadFile("../../../docs/problem-file.md")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := Markdown(&want, spec.Reference()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, want.Bytes()) {
		t.Error("docs/problem-file.md is out of date: go run ./cmd/bpielm help problem --markdown > docs/problem-file.md")
	}
}

func TestTextsFitTheTerminal(t *testing.T) {
	var all bytes.Buffer
	if err := Overview(&all, spec.Reference()); err != nil {
		t.Fatal(err)
	}
	if err := Expressions(&all); err != nil {
		t.Fatal(err)
	}
	examples := ""
	for _, e := range spec.Reference() {
		examples += e.Example + "\n"
	}
	for _, e := range spec.Reference() {
		var one bytes.Buffer
		if err := Key(&one, spec.Reference(), e.Key); err != nil {
			t.Errorf("%s: %v", e.Key, err)
		}
		if text := one.String(); !strings.HasPrefix(text, e.Key+"\n") || !strings.Contains(text, "example") {
			t.Errorf("%s prints\n%s", e.Key, text)
		}
		if !strings.Contains(all.String(), under(&e)) && !isSection(&e) {
			t.Errorf("the overview lacks %s", e.Key)
		}
		for l := range strings.Lines(one.String()) {
			if !strings.Contains(examples, strings.TrimSpace(strings.TrimPrefix(l, "  example"))) {
				all.WriteString(l)
			}
		}
	}
	for l := range strings.Lines(all.String()) {
		if n := len([]rune(strings.TrimSuffix(l, "\n"))); n > Width {
			t.Errorf("%d columns: %s", n, l)
		}
	}
}

func TestKeysAreFound(t *testing.T) {
	for key, want := range map[string]string{
		"sigma":                 "sensors.sigma\n",
		"[[sensors]]":           "sensors\n",
		"parameters.lambda.min": "parameters.NAME.min\n",
		"variables.x":           "variables.NAME\n",
		"tolerance":             "equation.tolerance\n",
	} {
		var b bytes.Buffer
		if err := Key(&b, spec.Reference(), key); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("%s: %v, %q", key, err, b.String())
		}
	}
	var b bytes.Buffer
	if err := Key(&b, spec.Reference(), "tolerance"); err != nil || strings.Count(b.String(), "example") != 3 {
		t.Errorf("tolerance is explained as\n%s", b.String())
	}
	for key, near := range map[string]string{"sensors.sgima": "sensors.sigma", "neurones": "features.neurons", "qqqqqqqq": ""} {
		var unknown *UnknownKeyError
		if err := Key(&b, spec.Reference(), key); !errors.As(err, &unknown) || unknown.Near != near {
			t.Errorf("%s: %v, want %q", key, err, near)
		}
	}
}
