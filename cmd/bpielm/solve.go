package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/bpielm/bpielm/bench/usage"
	"github.com/bpielm/bpielm/cmd/internal/export"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/picture"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// solveCommand is `bpielm solve`.
type solveCommand struct {
	problemFlags
	Out     string  `short:"o" placeholder:"DIR" help:"Write tables, pictures, the model and summary.json into this directory, made if needed."`
	Formats formats `default:"png" placeholder:"LIST" help:"What --out writes besides CSV and the model, separated by commas: pictures as png (default), svg or pdf; the numbers of solution.csv as vtk (for ParaView) or npz (for NumPy)."`
	JSON    bool    `name:"json" help:"Print one JSON object instead of the summary."`
	Quiet   bool    `short:"q" help:"Print no summary and no progress."`
	Usage   string  `placeholder:"FILE" help:"Write into this file, as JSON, the time, the peak memory and the allocations that it took."`
	Strict  bool    `help:"Exit with status 3 if the verdict says not to trust the answer."`
}

// Help adds to the verb's usage text.
func (*solveCommand) Help() string {
	return `The summary names the unknown parameters with their 95 % intervals, the noise, the evidence and, where the problem file gives the exact solution, the errors on the output grid. The verdict says whether the answer is to be trusted: whether equations and readings agree with each other, which readings do not, and whether there are enough neurons.

The log evidence is the logarithm of the probability density of the readings. It compares equations and priors: of two files, the one that is larger by 3 explains the readings 20 times better. That needs the same readings in the same unit, no matter with which noise, and a stated prior for every parameter: those of {} have a width that follows from the file.

--out writes solution.csv (each field on the output grid, with standard deviation and 95 % band), parameters.csv, readings.csv (every reading beside what the others predict for it), summary.json (the object of --json), model.bpielm (for predict and place) and pictures. The files replace those of an earlier run all at once: if the program is killed, it leaves either the old result or the new one, complete.

Examples:
  bpielm solve problem.toml --out results
  bpielm solve problem.toml --out results --formats png,pdf,vtk
  bpielm solve problem.toml --json --set features.neurons=300`
}

// Run executes the verb.
func (c *solveCommand) Run(io *streams) error {
	file, config, err := c.prepare(io, true)
	if err != nil {
		return err
	}
	if err := c.Formats.check(file); err != nil {
		return err
	}
	if c.Out != "" {
		if err := results.Check(c.Out, "solution.csv", "parameters.csv", "readings.csv", "model.bpielm", summaryFile); err != nil {
			return err
		}
	}
	bar := newProgress(io.err, c.Quiet, "fitting")
	config.Progress = bar.update
	a, err := newAnswer(context.Background(), file, config)
	bar.finish()
	if err != nil {
		return inProblem(file, err)
	}
	r := a.report()
	var written []string
	if c.Out != "" {
		if written, err = a.write(c.Out, c.Formats, r); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = answerOf(file.Path, r.writeJSON(io.out))
	case !c.Quiet:
		err = a.writeSummary(io.out, written, io.terminal && c.Out == "")
	}
	if err == nil && c.Usage != "" {
		err = results.WriteFile(c.Usage, writeUsage)
	}
	if err == nil && c.Strict && a.verdict != nil && !a.verdict.Sound {
		return errVerdict
	}
	return err
}

// writeUsage writes what the process has used so far.
func writeUsage(w io.Writer) error { return findings.WriteJSON(w, usage.Now(), " ") }

// An answer is all that solve finds out.
type answer struct {
	file     *spec.File
	q        *posterior.Posterior
	solution *solution.Solution
	verdict  *verdict // nil where the method has no uncertainty
}

// newAnswer solves a problem, unless ctx ends before.
func newAnswer(ctx context.Context, file *spec.File, config posterior.Config) (*answer, error) {
	a := &answer{file: file}
	var err error
	if file.Problem, err = posterior.Ranged(file.Problem); err != nil { // pictures show the priors, too
		return nil, err
	}
	if a.q, err = posterior.FitContext(ctx, file.Problem, config); err != nil {
		return nil, err
	}
	if a.solution, err = solution.OnGrid(file, a.q); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a.verdict, err = examine(file, a.q)
	return a, err
}

// errVerdict ends a solve with --strict whose verdict is bad.
var errVerdict = errors.New("the answer is not to be trusted: see its verdict")

// summaryFile is the name of the report in a results folder.
const summaryFile = "summary.json"

// write writes everything that --out asks for, all or nothing, and returns the paths. The
// report r, which is written with it, then lists the files.
func (a *answer) write(directory string, as formats, r *report) ([]string, error) {
	files, err := a.files(as, r)
	if err != nil {
		return nil, err
	}
	folder, err := results.Open(directory)
	if err != nil {
		return nil, err
	}
	defer folder.Discard()
	for _, f := range files {
		if err := folder.Write(f.Name, f.Fill); err != nil {
			return nil, err
		}
	}
	return folder.Commit()
}

// files returns everything that --out asks for. The report r, which is one of the files, then lists them.
func (a *answer) files(as formats, r *report) ([]export.File, error) {
	file, checks := a.file, []posterior.ReadingCheck(nil)
	if a.verdict != nil {
		file, checks = a.verdict.file, a.verdict.readings
	}
	pictures, err := picture.Of(file, a.q, checks)
	if err != nil {
		return nil, inProblem(a.file, err)
	}
	var files []export.File
	names, tables := a.solution.Tables(a.file.Problem.Variables)
	for i, t := range tables {
		files = append(files, export.File{Name: names[i], Fill: t.WriteCSV})
	}
	files = append(files, export.File{Name: "parameters.csv", Fill: func(w io.Writer) error { return solution.WriteParameters(w, a.q.Parameters()) }})
	if a.verdict != nil {
		files = append(files, export.File{Name: "readings.csv", Fill: func(w io.Writer) error { return solution.WriteReadings(w, a.verdict.file, a.verdict.readings) }})
	}
	files = append(files, export.File{Name: "model.bpielm", Fill: a.q.WithNote(a.file.Definitions(solution.KnownSensors(a.file))).Save}, export.File{Name: summaryFile, Fill: func(w io.Writer) error { return answerOf(a.file.Path, r.writeJSON(w)) }})
	figures, err := drawn(pictures, as.pictures())
	if err != nil {
		return nil, err
	}
	files = append(append(files, figures...), as.numbers(a)...)
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
	}
	return files, nil
}

// drawn draws pictures, in every format, on all processors: they are a third of the work of a small solve.
func drawn(pictures []picture.Picture, as []figure.Format) ([]export.File, error) {
	var files []export.File
	for _, p := range pictures {
		for _, f := range as {
			files = append(files, export.File{Name: p.File(f), Fill: p.Figure.Writer(f)})
		}
	}
	contents, errs := make([]bytes.Buffer, len(files)), make([]error, len(files))
	mat.Parallel(len(pictures), func(k int) {
		for i := k * len(as); i < (k+1)*len(as); i++ { // what a figure has computed for one format it knows for the next
			errs[i] = files[i].Fill(&contents[i])
		}
	})
	for i := range files {
		if errs[i] != nil {
			return nil, fmt.Errorf("%s: %w", files[i].Name, errs[i])
		}
		files[i].Fill = func(w io.Writer) error {
			_, err := w.Write(contents[i].Bytes())
			return err
		}
	}
	return files, nil
}
