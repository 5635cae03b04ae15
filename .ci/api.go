//go:build ignore

// api lists the exported names of the module's packages, one per line, sorted. A change to
// the API then shows as a change to .ci/api.txt.
//
//	go run .ci/api.go > .ci/api.txt
//
// Programs and packages in internal or testdata folders export nothing. Files are those of
// linux/amd64.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	var lines []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "internal" || name == "testdata") {
			return fs.SkipDir
		}
		some, err := exported(path)
		lines = append(lines, some...)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	slices.Sort(lines)
	os.Stdout.WriteString(strings.Join(lines, "\n") + "\n")
}

// exported lists what the package in a folder exports.
func exported(folder string) ([]string, error) {
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", false
	p, err := context.ImportDir(folder, 0)
	if _, none := err.(*build.NoGoError); none || p.Name == "main" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &listing{prefix: filepath.ToSlash(folder) + ": ", files: token.NewFileSet()}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(l.files, filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			l.declaration(d)
		}
	}
	return l.lines, nil
}

// listing collects the lines of one package.
type listing struct {
	prefix string
	files  *token.FileSet
	lines  []string
}

func (l *listing) add(format string, args ...any) {
	l.lines = append(l.lines, l.prefix+fmt.Sprintf(format, args...))
}

// text prints a node on one line.
func (l *listing) text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, l.files, node); err != nil {
		log.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// declaration lists what a top-level declaration exports.
func (l *listing) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		signature := strings.TrimPrefix(l.text(d.Type), "func")
		switch {
		case !d.Name.IsExported():
		case d.Recv == nil:
			l.add("func %s%s", d.Name.Name, signature)
		default:
			receiver := l.text(d.Recv.List[0].Type)
			if ast.IsExported(strings.TrimLeft(receiver, "*")) {
				l.add("method (%s) %s%s", receiver, d.Name.Name, signature)
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						of := ""
						if s.Type != nil {
							of = " " + l.text(s.Type)
						}
						l.add("%s %s%s", d.Tok, name.Name, of)
					}
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					l.typed(s)
				}
			}
		}
	}
}

// typed adds a type with its exported fields or methods.
func (l *listing) typed(s *ast.TypeSpec) {
	kind, members := "", (*ast.FieldList)(nil)
	switch t := s.Type.(type) {
	case *ast.StructType:
		kind, members = "struct", t.Fields
	case *ast.InterfaceType:
		kind, members = "interface", t.Methods
	default:
		l.add("type %s %s", s.Name.Name, l.text(s.Type))
		return
	}
	l.add("type %s %s", s.Name.Name, kind)
	for _, f := range members.List {
		if len(f.Names) == 0 {
			l.add("type %s %s, %s", s.Name.Name, kind, l.text(f.Type))
		}
		for _, name := range f.Names {
			if name.IsExported() {
				l.add("type %s %s, %s %s", s.Name.Name, kind, name.Name, l.text(f.Type))
			}
		}
	}
}
