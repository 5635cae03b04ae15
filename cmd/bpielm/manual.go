package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// manualCommand is `bpielm manual`.
type manualCommand struct{}

// Help adds to the verb's usage text.
func (*manualCommand) Help() string {
	return `The page is in roff, made from the help of all verbs.

Examples:
  bpielm manual > bpielm.1 && man ./bpielm.1`
}

// Run executes the verb.
func (*manualCommand) Run(io *streams, parsed *kong.Context) error {
	return writeManual(io.out, parsed.Model.Node)
}

// writeManual writes the page in the macros of man(7).
func writeManual(w io.Writer, root *kong.Node) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	fmt.Fprintf(&b, ".TH BPIELM 1\n.SH NAME\nbpielm \\- differential equations from noisy sensor readings\n.SH SYNOPSIS\n.B bpielm\n.I verb\n[\\fIflags\\fR]\n.SH DESCRIPTION\n")
	writeRoff(&b, root.Help)
	line(".SH VERBS")
	for _, l := range leaves(root) {
		line(".SS %s", roff(strings.TrimPrefix(l.Summary(), root.Name+" ")))
		writeRoff(&b, l.Help)
		if l.Detail != "" {
			line(".PP")
			writeRoff(&b, l.Detail)
		}
		for _, p := range l.Positional {
			line(".TP\n.I %s\n%s", roff(p.Name), roff(p.Help))
		}
		for _, f := range l.Flags {
			if f.Name != "help" {
				writeFlag(&b, f)
			}
		}
	}
	line(".SH FLAGS OF ALL VERBS")
	for _, f := range root.Flags {
		writeFlag(&b, f)
	}
	line(".SH SEE ALSO\n.B bpielm help problem\nfor the keys of a problem file,\n.B bpielm help expressions\nfor formulas.")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeFlag(b *strings.Builder, f *kong.Flag) {
	name := "--" + f.Name
	if f.Short != 0 {
		name = "-" + string(f.Short) + ", " + name
	}
	if !f.IsBool() {
		name += "=" + strings.Trim(f.FormatPlaceHolder(), `"`)
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(f.Help))
}

// writeRoff writes paragraphs; indented lines stay as they are.
func writeRoff(b *strings.Builder, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		switch {
		case l == "":
			b.WriteString(".PP\n")
		case strings.HasPrefix(l, "  "):
			fmt.Fprintf(b, ".nf\n%s\n.fi\n", roff(l))
		default:
			b.WriteString(roff(l) + "\n")
		}
	}
}

// roff escapes what roff would interpret.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
