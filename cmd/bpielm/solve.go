package main

import (
	"errors"

	"github.com/bpielm/bpielm/cmd/internal/picture"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// solveCommand is `bpielm solve`.
type solveCommand struct {
	problemFlags
	Out    string `short:"o" placeholder:"DIR" help:"Write solution.csv, readings.csv, model.bpielm and plots into this directory, made if needed."`
	JSON   bool   `name:"json" help:"Print one JSON object instead of the summary."`
	Quiet  bool   `short:"q" help:"Print no summary and no progress."`
	Strict bool   `help:"Exit with status 3 if the verdict says not to trust the answer."`
}

// Help adds to the verb's usage text.
func (*solveCommand) Help() string {
	return `The summary names the unknown parameters with their 95 % intervals, the noise, the evidence and, where the problem file gives the exact solution, the errors on the output grid. The verdict says whether the answer is to be trusted: whether equations and readings agree with each other, which readings do not, and whether there are enough neurons.

The files of --out replace those of an earlier run all at once: if the program is killed, it leaves either the old result or the new one, complete.

Examples:
  bpielm solve problem.toml --out results
  bpielm solve problem.toml --json --set features.neurons=300`
}

// Run executes the verb.
func (c *solveCommand) Run(io *streams) error {
	file, config, err := c.prepare(io, true)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := results.Check(c.Out, "solution.csv", "readings.csv", "model.bpielm"); err != nil {
			return err
		}
	}
	bar := newProgress(io.err, c.Quiet, "fitting")
	config.Progress = bar.update
	a, err := newAnswer(file, config)
	bar.finish()
	if err != nil {
		return inProblem(file, err)
	}
	var written []string
	if c.Out != "" {
		if written, err = a.write(c.Out); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = answerOf(file.Path, a.report().writeJSON(io.out))
	case !c.Quiet:
		err = a.writeSummary(io.out, written)
	}
	if err == nil && c.Strict && a.verdict != nil && !a.verdict.Sound {
		return errVerdict
	}
	return err
}

// An answer is all that solve finds out.
type answer struct {
	file     *spec.File
	q        *posterior.Posterior
	solution *solution.Solution
	verdict  *verdict // nil where the method has no uncertainty
}

// newAnswer solves a problem.
func newAnswer(file *spec.File, config posterior.Config) (*answer, error) {
	a := &answer{file: file}
	var err error
	if file.Problem, err = posterior.Ranged(file.Problem); err != nil { // pictures show the priors, too
		return nil, err
	}
	if a.q, err = posterior.Fit(file.Problem, config); err != nil {
		return nil, err
	}
	if a.solution, err = solution.OnGrid(file, a.q); err != nil {
		return nil, err
	}
	a.verdict, err = examine(file, a.q)
	return a, err
}

// errVerdict ends a solve with --strict whose verdict is bad.
var errVerdict = errors.New("the answer is not to be trusted: see its verdict")

// write writes everything that --out asks for, all or nothing, and returns the paths.
func (a *answer) write(directory string) ([]string, error) {
	pictures, err := picture.Of(a.file, a.q)
	if err != nil {
		return nil, inProblem(a.file, err)
	}
	folder, err := results.Open(directory)
	if err != nil {
		return nil, err
	}
	defer folder.Discard()
	names, tables := solutionTables(a.solution, a.file.Problem.Variables)
	for i, t := range tables {
		if err := folder.Write(names[i], t.writeCSV); err != nil {
			return nil, err
		}
	}
	if a.verdict != nil {
		if err := folder.Write("readings.csv", a.verdict.writeReadings); err != nil {
			return nil, err
		}
	}
	if err := folder.Write("model.bpielm", a.q.Save); err != nil {
		return nil, err
	}
	for _, p := range pictures {
		if err := folder.Write(p.Name, p.Figure.WritePNG); err != nil {
			return nil, err
		}
	}
	return folder.Commit()
}

// solutionTables returns the solution as columns, by the names of files: the fields
// of all variables together, and each of the others in a file of its own.
func solutionTables(s *solution.Solution, variables []system.Variable) (names []string, tables []*table) {
	names, tables = []string{"solution.csv"}, []*table{newTable(variables, s.Points)}
	for i := range s.Fields {
		f := &s.Fields[i]
		t := tables[0]
		if len(f.Variables) < len(variables) {
			t = newTable(f.Variables, f.Points)
			names, tables = append(names, "solution-"+f.Name+".csv"), append(tables, t)
		}
		t.add(f.Name+"_mean", f.Mean)
		t.add(f.Name+"_sd", f.SD)
		t.add(f.Name+"_exact", f.Exact)
		t.add(f.Name+"_error", f.Deviation())
	}
	return names, tables
}
