package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The messages about model files and the files that go with them, word for word.
// Nothing is written.
func TestRefusalsOfModelsInFull(t *testing.T) {
	root := t.TempDir()
	problem := writeExample(t, "beam", "--neurons=20")
	succeed(t, "solve", problem, "--out", root, "--quiet")
	succeed(t, "compile", problem, "--out", filepath.Join(root, "compiled"))
	model, err := os.ReadFile(filepath.Join(root, "model.bpielm"))
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int) []byte {
		b := bytes.Clone(model)
		b[at] ^= 0x10
		return b
	}
	picture, err := os.ReadFile(filepath.Join(root, "solution.png"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"model": model, "empty": nil, "begun": model[:5], "half": model[:len(model)/2], "short": model[:len(model)-1],
		"longer": append(bytes.Clone(model), '\n'), "damaged": changed(len(model) - 40), "version": changed(10),
		"picture": picture, "text": []byte("x\n1\n"), "problem": []byte("title = \"Beam\"\n"),
		"points": []byte("x\n1\n2\n"), "header": []byte("x\n"), "other": []byte("y\n1\n"), "capital": []byte("X\n1\n"),
		"word": []byte("x\n1\nend\n"), "ragged": []byte("x\n1\n1,2\n"), "numbers": []byte("1\n2\n"), "far": []byte("x\n7\n"),
		"archive": []byte("PK\x03\x04\x00\x00"),
	} {
		if err := os.WriteFile(filepath.Join(root, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := listing(t, root)
	t.Chdir(root)
	for _, c := range []struct{ command, want string }{
		{"predict nothing points", "nothing: no such file or directory"},
		{"predict . points", ".: is a directory; a model file is expected, as model.bpielm"},
		{"predict empty points", "empty: model file: it ends too early"},
		{"predict begun points", "begun: model file: it ends too early"},
		{"predict half points", "half: model file: it ends too early"},
		{"predict short points", "short: model file: it ends too early"},
		{"predict longer points", "longer: model file: there is more after its end"},
		{"predict damaged points", "damaged: model file: its checksum is wrong: it is damaged"},
		{"predict version points", "version: model file: it has version 1048580; this program reads versions 1 to 5"},
		{"predict picture points", "picture: model file: it is not a bpielm model"},
		{"predict text points", "text: model file: it is not a bpielm model"},
		{"predict problem points", "problem: model file: it is not a bpielm model"},
		{"predict compiled points", "compiled: model file: it holds compiled physics; a posterior is expected"},
		{"assimilate model points", "model: model file: it holds a posterior; compiled physics is expected"},
		{"place text points", "text: model file: it is not a bpielm model"},
		{"place model far", "far: row 1 is outside the model's box"},
		{"place model points --count=3", "--count 3: points has 2 candidates"},
		{"predict model nothing", "nothing: no such file or directory"},
		{"predict model .", ".: is a directory"},
		{"predict model empty", "empty: the file is empty; a first line with the columns' names is expected"},
		{"predict model header", "header: the file has no rows after the first line"},
		{"predict model other", "other:1: x: there is no column x; found y"},
		{"predict model capital", "capital:1: x: there is no column x; did you mean X?"},
		{"predict model word", `word:3: x: found "end"; a number is expected`},
		{"predict model ragged", "ragged:3: found 2 columns; the first line names 1"},
		{"predict model numbers", "numbers:1: the first line must name the columns; it has only numbers"},
		{"predict model archive", "archive:1: the first line is not text; is this a CSV file?"},
		{"solve model", "model: not a text file in UTF-8; a problem file in TOML is expected"},
		{"check picture", "picture: not a text file in UTF-8; a problem file in TOML is expected"},
		{"solve points", "points:1: not TOML: expected '.' or '=', but got '\\n' instead"},
	} {
		status, stdout, stderr := execute(strings.Fields(c.command)...)
		if status != exitBadInput || stdout != "" || stderr != "bpielm: "+c.want+"\n" {
			t.Errorf("bpielm %s: status %d\n  says %q\n  want %q", c.command, status, stderr, "bpielm: "+c.want+"\n")
		}
	}
	if after := listing(t, root); len(after) != len(before) {
		t.Errorf("left behind: %v", after)
	}
}

// What goes wrong in a fit is an error of the problem file, on the line where the part that it names begins.
func TestErrorsOfFitsNameTheLine(t *testing.T) {
	const problem = `[variables]
x = [0, 1]

[parameters]
k = %s

[[equation]]
pde = "u_xx = 1"

[[condition]]
on = "x = 0"
equals = "u = 0"
exact = true

[[equation]]
pde = "%s"

[[sensors]]
file = "sensors.csv"
sigma = 0.1

[features]
neurons = 30
`
	directory := t.TempDir()
	path := filepath.Join(directory, "problem.toml")
	write(t, directory, "sensors.csv", "x,value\n0.2,0.1\n0.5,0.3\n0.8,0.7\n")
	for name, c := range map[string]struct{ prior, pde, verb, want string }{
		"no value":     {"1", "u_x + k*log(u - 3) = 1", "solve", ":15: equation 2: "},
		"no range":     {"{}", "k*u_xxx = 0", "solve", `:5: parameter "k": `},
		"checked":      {"{}", "k*u_xxx = 0", "check", `:5: parameter "k": `},
		"not compiled": {"{ min = 1, max = 2 }", "k*u_xxx = 0", "compile", `:5: coefficient "k": `},
	} {
		text := fmt.Sprintf(problem, c.prior, c.pde)
		if c.prior == "1" {
			text = strings.Replace(text, "[parameters]", "[constants]", 1)
		}
		write(t, directory, "problem.toml", text)
		arguments := []string{c.verb, path}
		if c.verb == "compile" {
			arguments = append(arguments, "--out", filepath.Join(directory, "physics"))
		}
		status, _, stderr := execute(arguments...)
		if status != exitBadInput || !strings.HasPrefix(stderr, "bpielm: "+path+c.want) {
			t.Errorf("%s: status %d, %q; want %q", name, status, stderr, path+c.want)
		}
	}
}
