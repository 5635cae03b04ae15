package handbook

import (
	"fmt"
	"io"
	"strings"

	"github.com/bpielm/bpielm/system/spec"
)

// Markdown writes the reference as one page.
func Markdown(w io.Writer, entries []spec.Entry) error {
	var b strings.Builder
	b.WriteString(`# The problem file

<!-- Written by "bpielm help problem --markdown" from the table beside the parser, system/spec/reference_keys.go.
     Do not edit: a test compares this page with what the program prints. -->

A problem is a TOML file beside CSV files of readings. This page lists every section and key that the program accepts;
a misspelt key is refused, with the most similar right one. ` + "`bpielm help problem KEY`" + ` prints one entry. For completion and
checks while you type, let your editor use the JSON schema that ` + "`bpielm help problem --schema > bpielm.schema.json`" + ` writes; with
Taplo or the extension Even Better TOML, put ` + "`#:schema bpielm.schema.json`" + ` in the first line of the problem file.

NAME stands for a name of your choice. Wherever a number is expected, text with an expression of constants will do:
` + "`\"2*pi\"`" + `. [Expressions](#expressions) are described at the end.
`)
	section := "?"
	for i := range entries {
		e := &entries[i]
		if s := e.Section(); s != section {
			section = s
			if s == "" {
				b.WriteString("\n## Before the first section\n")
			} else {
				fmt.Fprintf(&b, "\n## `%s`\n", header(entries, s))
			}
			if isSection(e) {
				must := ""
				if e.Required {
					must = " Required."
				}
				fmt.Fprintf(&b, "\n%s%s\n", e.Text, must)
			}
			b.WriteString("\n| key | value | unit | default | example | |\n|---|---|---|---|---|---|\n")
		}
		if isSection(e) {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", under(e), cell(kind(e)), cell(e.Unit), defaultCell(e), code(e.Example), cell(e.Text))
	}
	b.WriteString("\n## Expressions\n\nEquations, conditions, measurements and known functions are expressions of variables, fields, derivatives,\nparameters, constants and numbers, joined by these:\n\n| | |\n|---|---|\n")
	for _, s := range spec.Operators() {
		fmt.Fprintf(&b, "| %s | %s |\n", code(s.Usage), cell(s.Text))
	}
	b.WriteString("\nThe functions below are known. Smooth ones may also be applied to unknown fields; the problem is then solved by Gauss and\nNewton's method.\n\n| function | is | smooth |\n|---|---|---|\n")
	for _, s := range spec.Functions() {
		smooth := ""
		if s.Smooth {
			smooth = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(s.Usage), cell(s.Text), smooth)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell escapes what would end a cell, or mean emphasis.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;").Replace(text)
}

// code writes the lines of an example as code.
func code(text string) string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		all = append(all, "`"+strings.ReplaceAll(line, "|", `\|`)+"`")
	}
	return strings.Join(all, "<br>")
}

func defaultCell(e *spec.Entry) string {
	if e.Required {
		return "required"
	}
	text, isValue := without(e)
	if isValue {
		return code(text)
	}
	return cell(text)
}
