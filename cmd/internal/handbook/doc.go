// Package handbook writes the reference of problem files, for people and for editors, from the table in system/spec
// beside the keys that its parser accepts.
//
//	handbook.Overview(w, spec.Reference())              // a line or two for each key
//	err := handbook.Key(w, spec.Reference(), "sigma")   // all about one key or section
//	handbook.Markdown(w, spec.Reference())              // docs/problem-file.md
//	schema, err := handbook.Schema(spec.Reference())    // JSON Schema, for editors
//
// Begin reading at text.go; schema.go turns kinds of values into JSON Schema.
package handbook
