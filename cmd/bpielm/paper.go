package main

import (
	"fmt"
	"path/filepath"

	"github.com/bpielm/bpielm/bench/paper"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/picture"
	"github.com/bpielm/bpielm/cmd/internal/results"
)

// paperCommand is `bpielm paper`.
type paperCommand struct {
	Tables  paperTables  `cmd:"" help:"Repeat the paper's tables: medians over many draws beside the printed figures."`
	Figures paperFigures `cmd:"" help:"Draw the paper's figures."`
}

// paperTables is `bpielm paper tables`.
type paperTables struct {
	Seeds     int      `default:"20" help:"Draws of noise and neurons (default: ${default})."`
	JSON      bool     `name:"json" help:"Print one JSON object instead of tables."`
	PINN      bool     `name:"pinn" help:"Train the PINN as well; minutes for each draw."`
	PINNSeeds int      `name:"pinn-seeds" default:"1" help:"Draws for the PINN (default: ${default})."`
	Limit     bool     `help:"Also show how accurate the readings allow an answer to be: the default method with 500 neurons."`
	Problem   []string `placeholder:"NAME,..." help:"Only these problems; bpielm example lists them."`
	Markdown  bool     `help:"Print tables for a Markdown page."`
	Quiet     bool     `short:"q" help:"Show no progress."`
}

// Help adds to the verb's usage text.
func (*paperTables) Help() string {
	return `Rows: pinn, a physics-informed neural network; pielm, the pseudo-inverse; paper, BPIELM with its fixed point as published; bpielm, this program's default. Each figure is the median over the draws, with the quartiles in brackets, beside the figure that the paper prints for a single run.

Examples:
  bpielm paper tables --seeds 20
  bpielm paper tables --problem diffusion --limit --json`
}

// Run executes the verb.
func (c *paperTables) Run(io *streams) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	o := paper.Options{Seeds: c.Seeds, Limit: c.Limit}
	if c.PINN {
		o.PINNSeeds = c.PINNSeeds
	}
	rows, err := c.rows(io, settings, o)
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		return writePaperJSON(io.out, rows)
	case c.Markdown:
		return writePaperMarkdown(io.out, rows)
	}
	return writePaperText(io.out, rows)
}

// rows runs all trials.
func (c *paperTables) rows(io *streams, settings []paper.Setting, o paper.Options) (rows []paper.Row, err error) {
	bar := newProgress(io.err, c.Quiet, "repeating")
	defer bar.finish()
	done, total := 0, len(settings)*o.Trials()
	o.Progress = func() {
		done++
		bar.update(done, total)
	}
	for i := range settings {
		more, err := paper.Run(&settings[i], o)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// settings returns the tables that were asked for.
func (c *paperTables) settings() ([]paper.Setting, error) {
	switch {
	case c.Seeds < 1:
		return nil, refuse("--seeds=%d: at least 1 is needed", c.Seeds)
	case c.PINNSeeds < 1:
		return nil, refuse("--pinn-seeds=%d: at least 1 is needed", c.PINNSeeds)
	}
	all := paper.Tables()
	if len(c.Problem) == 0 {
		return all, nil
	}
	var some []paper.Setting
	for _, name := range c.Problem {
		before := len(some)
		for _, s := range all {
			if s.Problem == name {
				some = append(some, s)
			}
		}
		if len(some) == before {
			return nil, refuse("--problem: there is no example %q; bpielm example lists them", name)
		}
	}
	return some, nil
}

// paperFigures is `bpielm paper figures`.
type paperFigures struct {
	Out   string `short:"o" default:"figures" placeholder:"DIR" help:"Directory for the pictures (default: ${default})."`
	Seeds int    `default:"10" help:"Draws of noise and neurons where errors are shown (default: ${default})."`
	Quiet bool   `short:"q" help:"Show no progress."`
}

// Help adds to the verb's usage text.
func (*paperFigures) Help() string {
	return `For each problem, draws maps of mean, standard deviation and error with the sensors, and slices at two noise levels. Also draws errors against the number of sensors and of neurons, as medians over draws with quartiles, and parameters against the number of neurons.

Example:
  bpielm paper figures --out figures`
}

// Run executes the verb.
func (c *paperFigures) Run(io *streams) error {
	if c.Seeds < 1 {
		return refuse("--seeds=%d: at least 1 is needed", c.Seeds)
	}
	return c.write(io, picture.Paper(c.Seeds))
}

// write makes the pictures and writes them, all or nothing.
func (c *paperFigures) write(io *streams, drawings []func() ([]picture.Picture, error)) error {
	files, err := results.Open(c.Out)
	if err != nil {
		return err
	}
	defer files.Discard()
	bar := newProgress(io.err, c.Quiet, "drawing")
	defer bar.finish()
	for i, draw := range drawings {
		bar.update(i, len(drawings))
		pictures, err := draw()
		if err != nil {
			return err
		}
		for _, p := range pictures {
			if err := files.Write(p.File(figure.PNG), p.Figure.Writer(figure.PNG)); err != nil {
				return err
			}
		}
	}
	bar.finish()
	written, err := files.Commit()
	for _, path := range written {
		fmt.Fprintln(io.out, filepath.ToSlash(path))
	}
	return err
}
