package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// patience is how long work lasts before progress is shown.
const patience = 500 * time.Millisecond

// progress shows a progress bar, on a terminal only, and only if the work takes long.
// The zero value shows nothing.
type progress struct {
	terminal io.Writer
	what     string
	begin    time.Time
	bar      *progressbar.ProgressBar
}

func newProgress(w io.Writer, quiet bool, what string) *progress {
	p := &progress{what: what, begin: time.Now()}
	if !quiet && isTerminal(w) {
		p.terminal = w
	}
	return p
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// update says that done of total parts are complete.
func (p *progress) update(done, total int) {
	if p.terminal == nil || time.Since(p.begin) < patience {
		return
	}
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

// finish removes the bar from the terminal.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
