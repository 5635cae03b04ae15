package main

import (
	"errors"

	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// solveCommand is `bpielm solve`.
type solveCommand struct {
	problemFlags
	Out    string `placeholder:"DIR" help:"Write solution.csv, readings.csv, model.bpielm and plots into this directory, made if needed."`
	JSON   bool   `name:"json" help:"Print one JSON object instead of the summary."`
	Quiet  bool   `short:"q" help:"Print no summary and no progress."`
	Strict bool   `help:"End with status 3 where the verdict is that the answer is not to be trusted."`
}

// Help adds to the verb's usage text.
func (*solveCommand) Help() string {
	return `The summary names the unknown parameters with their 95 % intervals, the noise, the evidence and, where the problem file gives the exact solution, the errors on the output grid. The verdict says whether the answer is to be trusted: whether equations and readings agree with each other, which readings do not, and whether there are enough neurons.

The files of --out replace those of an earlier run all at once: killed at any moment, the program leaves the old result or the new one whole.

Examples:
  bpielm solve problem.toml --out results
  bpielm solve problem.toml --json --set features.neurons=300 --set fit.method=pielm`
}

// Run executes the verb.
func (c *solveCommand) Run(io *streams) error {
	file, err := c.read(io)
	if err != nil {
		return err
	}
	config, err := configuration(file)
	if err != nil {
		return err
	}
	if err := io.checkMemory(file.Path, solveMemory(file, config, true)); err != nil {
		return err
	}
	config.MaxMemory = int64(io.maxMemory)
	if c.Out != "" {
		if err := results.Check(c.Out, "solution.csv", "readings.csv", "model.bpielm"); err != nil {
			return err
		}
	}
	if file.Problem, err = posterior.Ranged(file.Problem); err != nil { // pictures show priors, too
		return inFile(file.Path, err)
	}
	bar := newProgress(io.err, c.Quiet, "fitting")
	config.Progress = bar.update
	q, err := posterior.Fit(file.Problem, config)
	bar.finish()
	if err != nil {
		return inFile(file.Path, err)
	}
	s, err := solveOnGrid(file, q)
	if err != nil {
		return inFile(file.Path, err)
	}
	v, err := examine(file, q)
	if err != nil {
		return inFile(file.Path, err)
	}
	var written []string
	if c.Out != "" {
		if written, err = writeResults(c.Out, file, q, s, v); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = answerOf(file.Path, newReport(file, q, s, v).writeJSON(io.out))
	case !c.Quiet:
		err = writeSummary(io.out, file, q, s, v, written)
	}
	if err == nil && c.Strict && v != nil && !v.Sound {
		return errVerdict
	}
	return err
}

// errVerdict is that of a solve with --strict.
var errVerdict = errors.New("the answer is not to be trusted: see its verdict")

// configuration turns the file's [features] and [fit] into the fit's.
func configuration(file *spec.File) (posterior.Config, error) {
	c := posterior.Config{
		Method:    posterior.Method(file.Fit.Method),
		Neurons:   file.Features.Neurons,
		Seed:      file.Features.Seed,
		Tolerance: file.Fit.Tolerance,
		Ensemble:  file.Fit.Ensemble,
		Maximum:   file.Fit.Maximum,
		Path:      posterior.Path(file.Fit.Path),
		Scale:     file.Features.Scale,
	}
	var err error
	if c.Draw, c.Activations, err = file.Layer(); err == nil && c.Activations != nil {
		c.Activation = c.Activations[0]
	}
	return c, err
}

// writeResults writes everything that --out asks for, all or nothing, and
// returns the paths.
func writeResults(directory string, file *spec.File, q *posterior.Posterior, s *solution, v *verdict) ([]string, error) {
	pictures, err := drawPictures(file, q, q.Summary().Noise)
	if err != nil {
		return nil, inFile(file.Path, err)
	}
	for _, p := range []*picture{parameterPicture(file, q), cornerPicture(file, q)} {
		if p != nil {
			pictures = append(pictures, *p)
		}
	}
	folder, err := results.Open(directory)
	if err != nil {
		return nil, err
	}
	defer folder.Discard()
	names, tables := s.tables(file.Problem.Variables)
	for i, t := range tables {
		if err := folder.Write(names[i], t.writeCSV); err != nil {
			return nil, err
		}
	}
	if v != nil {
		if err := folder.Write("readings.csv", v.writeReadings); err != nil {
			return nil, err
		}
	}
	if err := folder.Write("model.bpielm", q.Save); err != nil {
		return nil, err
	}
	for _, p := range pictures {
		if err := folder.Write(p.name, p.figure.writePNG); err != nil {
			return nil, err
		}
	}
	return folder.Commit()
}
