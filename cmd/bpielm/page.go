package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A page is text for people: headings, each with lines below it. The tab-separated
// cells of the lines are aligned.
type page struct {
	text strings.Builder
}

// section adds a heading and lines, or nothing if there are no lines.
func (p *page) section(heading string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	if p.text.Len() > 0 {
		p.text.WriteByte('\n')
	}
	if heading != "" {
		fmt.Fprintln(&p.text, printable(heading))
	}
	table := tabwriter.NewWriter(&p.text, 0, 0, 3, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(table, "  %s\n", printable(l))
	}
	table.Flush()
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.text.String())
	return err
}
