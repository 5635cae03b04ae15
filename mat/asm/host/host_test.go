package host

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestTheGoProgramImportsWhatTheDoorExports compares the declarations of mat/asm with the functions here: names, and how
// many numbers of which type. A program with a wrong import could not be instantiated at all.
func TestTheGoProgramImportsWhatTheDoorExports(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../host_wasm.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]string{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Doc == nil {
			continue
		}
		for _, c := range f.Doc.List {
			if name, ok := strings.CutPrefix(c.Text, "//go:wasmimport bpielm "); ok {
				imported[name] = signature(f.Type)
			}
		}
	}
	ready := &fn{name: "ready", results: []byte{i32}}
	for _, f := range append(kernel(), ready) {
		want := letters(f.params) + " " + letters(f.results)
		if got := imported[f.name]; got != want {
			t.Errorf("%s: mat/asm imports %q, the door has %q", f.name, got, want)
		}
		delete(imported, f.name)
	}
	for name := range imported {
		t.Errorf("mat/asm imports %s, which the door does not have", name)
	}
}

// signature writes i for what is 32 bits wide and f for a float64: parameters, a space, results.
func signature(f *ast.FuncType) string {
	list := func(fields *ast.FieldList) string {
		var s strings.Builder
		if fields == nil {
			return ""
		}
		for _, field := range fields.List {
			letter := "i"
			if id, ok := field.Type.(*ast.Ident); ok && id.Name == "float64" {
				letter = "f"
			}
			s.WriteString(strings.Repeat(letter, max(1, len(field.Names))))
		}
		return s.String()
	}
	return list(f.Params) + " " + list(f.Results)
}

func letters(kinds []byte) string {
	var s strings.Builder
	for _, k := range kinds {
		if k == f64 {
			s.WriteByte('f')
		} else {
			s.WriteByte('i')
		}
	}
	return s.String()
}
