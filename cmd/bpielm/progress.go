package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	// patience is how long work lasts before a terminal shows its progress.
	patience = 500 * time.Millisecond
	// A file, such as a log, gets its first line after firstLine, and further ones not more often than every nextLine.
	firstLine, nextLine = 10 * time.Second, 30 * time.Second
)

// progress shows how far work is, if it takes long: a bar on a terminal, and now and then a line in a file or a pipe.
type progress struct {
	terminal io.Writer // nil: none
	lines    io.Writer // nil: none
	what     string
	begin    time.Time
	told     time.Duration // when the last line was written
	bar      *progressbar.ProgressBar
}

func newProgress(w io.Writer, quiet bool, what string) *progress {
	p := &progress{what: what, begin: time.Now()}
	file, is := w.(*os.File)
	switch {
	case quiet || !is: // what is no file belongs to a program, which has its own ways
	case isTerminal(file):
		p.terminal = file
	default:
		p.lines = file
	}
	return p
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// update says that done of total parts are complete.
func (p *progress) update(done, total int) { p.show(time.Since(p.begin), done, total) }

// show is update, some time after the beginning.
func (p *progress) show(after time.Duration, done, total int) {
	switch {
	case p.lines != nil:
		p.line(after, done, total)
	case p.terminal == nil || after < patience:
	default:
		if p.bar == nil {
			p.bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(p.terminal),
				progressbar.OptionSetDescription(p.what),
				progressbar.OptionSetWidth(30),
				progressbar.OptionClearOnFinish(),
			)
		}
		p.bar.ChangeMax(total)
		p.bar.Set(done)
	}
}

// line writes a line if it is time.
func (p *progress) line(after time.Duration, done, total int) {
	if after < firstLine || p.told > 0 && after < p.told+nextLine {
		return
	}
	p.told = after
	fmt.Fprintf(p.lines, "bpielm: %s: %.0f %% after %s\n", p.what, 100*float64(done)/float64(max(total, 1)), after.Round(time.Second))
}

// finish removes the bar from the terminal.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
