package bpielm

import (
	"context"
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Version is that of the library and of its program, see CHANGELOG.md.
const Version = "0.1.0-dev"

// Answer is what is known of a problem after its readings. The methods of Posterior are its own: Parameters, Predict,
// Sample, Summary, Save and more.
type Answer struct {
	*posterior.Posterior
	File    *spec.File
	problem *system.Problem // with the ranges that were found for parameters without any
}

// SolveFile reads a problem file and solves it, until ctx ends. Each of set overrides a value, "features.neurons=200".
// It fails with a *spec.Error that names file, line and key, as Solve does, and with the cause of the end of ctx.
func SolveFile(ctx context.Context, path string, set ...string) (*Answer, error) {
	file, err := spec.Read(path, set)
	if err != nil {
		return nil, err
	}
	return Solve(ctx, file)
}

// Solve solves a problem that has been read, from a folder, a file system or a sandbox. It fails as posterior.FitContext
// does. The file is kept: do not change it afterwards.
func Solve(ctx context.Context, file *spec.File) (*Answer, error) {
	config, err := Config(file)
	if err != nil {
		return nil, err
	}
	problem, err := posterior.Ranged(file.Problem)
	if err != nil {
		return nil, err
	}
	q, err := posterior.FitContext(ctx, problem, config)
	if err != nil {
		return nil, err
	}
	return &Answer{Posterior: q, File: file, problem: problem}, nil
}

// Config returns what the sections [features] and [fit] of a problem file ask of posterior.Fit. It fails with a
// *spec.Error for values that spec.Read would have refused.
func Config(file *spec.File) (posterior.Config, error) {
	c := posterior.Config{
		Method:    posterior.Method(file.Fit.Method),
		Neurons:   file.Features.Neurons,
		Seed:      file.Features.Seed,
		Tolerance: file.Fit.Tolerance,
		Ensemble:  file.Fit.Ensemble,
		Maximum:   file.Fit.Maximum,
		Path:      posterior.Path(file.Fit.Path),
		Scale:     file.Features.Scale,
		Patches:   file.Features.Patches,
	}
	var err error
	if c.Draw, c.Activations, err = file.Layer(); err == nil && c.Activations != nil {
		c.Activation = c.Activations[0]
	}
	return c, err
}

// Band is the posterior at some points: one number for each. SD, Lower95 and Upper95 are nil for method = "pielm", which
// has no uncertainty.
type Band struct{ Mean, SD, Lower95, Upper95 []float64 }

// half95 is half the width of a 95 % band, in standard deviations, as in the files that the program writes.
const half95 = 1.96

// Band returns the 95 % band of a field at points (n x variables, in the file's order and units). It is that of the
// field itself; another reading of it has noise besides. It fails for a field that is not one of Fields, and as BandOf.
func (a *Answer) Band(field string, points *mat.Dense) (*Band, error) {
	i := slices.Index(a.Fields(), field)
	if i < 0 {
		return nil, fmt.Errorf("there is no field %q; the fields are %q", field, a.Fields())
	}
	return a.BandOf(system.Field(i), points)
}

// BandOf is Band for any functional, such as a derivative: system.Derivative(0, 1). The points are n x variables. It fails
// as Posterior.Predict does.
func (a *Answer) BandOf(f system.Functional, points *mat.Dense) (*Band, error) {
	mean, sd, err := a.Predict(f, points)
	if err != nil {
		return nil, err
	}
	b := &Band{Mean: mean, SD: sd}
	for k, s := range sd {
		half := float64(half95 * s)
		b.Lower95, b.Upper95 = append(b.Lower95, mean[k]-half), append(b.Upper95, mean[k]+half)
	}
	return b, nil
}

// Verdict looks for reasons not to believe the answer, and compares every reading with what the others predict. It takes
// about as long as the solution, and fails as Posterior.Examine does.
func (a *Answer) Verdict() (*posterior.Verdict, []posterior.ReadingCheck, error) {
	return a.Examine(a.problem)
}
