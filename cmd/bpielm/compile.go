package main

import (
	"fmt"
	"io"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/posterior"
)

// compileCommand is `bpielm compile`.
type compileCommand struct {
	problemFlags
	Out   string `short:"o" default:"physics.bpielm" placeholder:"FILE" help:"Write the compiled physics to this file."`
	Quiet bool   `short:"q" help:"Print no summary and no progress."`
}

// Help adds to the verb's usage text.
func (*compileCommand) Help() string {
	return `Does the expensive half of solve: finds the best layer for the sensors of the problem file, and stores what the physics alone says with that layer. It leaves out how much other layers differ, so the bands of solve are somewhat wider. The file does not hold the sensors' readings; bpielm assimilate adds readings in microseconds, here or on another machine.

Example:
  bpielm compile problem.toml -o physics.bpielm
  bpielm assimilate physics.bpielm sensors.csv --points points.csv`
}

// Run executes the verb.
func (c *compileCommand) Run(io *streams) error {
	file, config, err := c.prepare(io, false)
	if err != nil {
		return err
	}
	bar := newProgress(io.err, c.Quiet, "compiling")
	config.Progress = bar.update
	prior, err := posterior.FitPrior(file.Problem, config)
	bar.finish()
	if err != nil {
		return inProblem(file, err)
	}
	if err := results.WriteFile(c.Out, prior.WithNote(file.Definitions(nil)).Save); err != nil {
		return inFile(file.Path, err)
	}
	if c.Quiet {
		return nil
	}
	return c.summary(io.out, prior)
}

func (c *compileCommand) summary(w io.Writer, prior *posterior.Prior) error {
	s := prior.Posterior().Summary()
	p := &page{}
	p.section(c.File, fmt.Sprintf("size\t%s, %s of physics", format.Count(s.Neurons, "neuron"), format.Count(s.Rows, "row")))
	var lines []string
	for i, k := range prior.Sensors() {
		lines = append(lines, fmt.Sprintf("%s\tsigma %s, %s", k.Name, format.Short(k.Sigma), origin(s.Noise[i].Learned)))
	}
	p.section("Kinds of sensors", lines...)
	p.section("Hyper-parameters, held from now on", hyperLines(prior.Variables(), &s)...)
	p.section("Written", c.Out)
	return p.writeTo(w)
}
