package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/handbook"
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
		fmt.Fprintln(&p.text, format.Printable(heading))
	}
	var aligned strings.Builder
	table := tabwriter.NewWriter(&aligned, 0, 0, 3, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(table, "  %s\n", format.Printable(l))
	}
	table.Flush()
	i := 0
	for l := range strings.Lines(aligned.String()) {
		last := lines[i][strings.LastIndexByte(lines[i], '\t')+1:]
		writeWrapped(&p.text, strings.TrimRight(l, "\n"), len([]rune(l))-1-len([]rune(format.Printable(last))))
		i++
	}
}

// writeWrapped continues a line that is too long for a terminal below its last cell, which begins at the given column.
// A cell that leaves little room stays as it is: it is a number, or short.
func writeWrapped(b *strings.Builder, line string, column int) {
	const room = 24
	letters, from := []rune(line), max(column, 0)
	if strings.HasPrefix(string(letters[from:]), "- ") {
		column += 2 // a list
	}
	for len(letters) > handbook.Width && column <= handbook.Width-room {
		end := handbook.Width
		for end > from && letters[end] != ' ' {
			end--
		}
		if end == from {
			break // one long word
		}
		b.WriteString(strings.TrimRight(string(letters[:end]), " ") + "\n")
		letters = append([]rune(strings.Repeat(" ", column)), letters[end+1:]...)
		from = column
	}
	b.WriteString(string(letters) + "\n")
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.text.String())
	return err
}
