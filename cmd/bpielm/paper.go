package main

import (
	"github.com/bpielm/bpielm/bench/paper"
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
	Limit     bool     `help:"Also show what the readings allow: the default method with 500 neurons."`
	Problem   []string `placeholder:"NAME,..." help:"Only these problems; bpielm example lists them."`
	Markdown  bool     `help:"Print tables for a Markdown page."`
	Quiet     bool     `short:"q" help:"No progress bar."`
}

// Help adds to the verb's usage text.
func (*paperTables) Help() string {
	return `Rows: pinn, a physics-informed neural network; pielm, the pseudo-inverse; paper, BPIELM with its fixed point as published; bpielm, this program's default. Each is the median over draws with the quartiles in brackets, beside the figure that the paper prints for a single run.

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
	bar := newProgress(io.err, c.Quiet, "repeating")
	done, total := 0, len(settings)*o.Trials()
	o.Progress = func() {
		done++
		bar.update(done, total)
	}
	var rows []paper.Row
	for i := range settings {
		more, err := paper.Run(&settings[i], o)
		if err != nil {
			bar.finish()
			return err
		}
		rows = append(rows, more...)
	}
	bar.finish()
	switch {
	case c.JSON:
		return writePaperJSON(io.out, rows)
	case c.Markdown:
		return writePaperMarkdown(io.out, rows)
	}
	return writePaperText(io.out, rows)
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
