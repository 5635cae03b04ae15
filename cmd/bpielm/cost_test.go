package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/bench/suite"
	"github.com/bpielm/bpielm/mat/asm"
)

// TestWholeSolveKeepsItsCost sees what no benchmark of a part sees: a change that solves
// everything twice leaves every part as fast as it was.
//
// Allocations hardly vary. Costs are relative to the peak of the same processor in the
// same minute (see package regress); they vary by a tenth, and on other processors by
// more. Lower the limits if you make a solve cheaper; say why if you raise one.
func TestWholeSolveKeepsItsCost(t *testing.T) {
	for _, solve := range []struct {
		example     string
		allocations float64 // measured, with what is read and printed
		cost        float64 // measured with kernel avx2 on one thread, in multiply-adds and additions at its peak
	}{
		{"poisson", 58_400, 24e9},
		{"inverse-poisson", 70_000, 17e9},
	} {
		path := writeExample(t, solve.example)
		c := suite.Case{Name: "Solve/" + solve.example, Start: func() (func() error, error) {
			return func() error {
				if status, _, stderr := execute("solve", path, "--json"); status != 0 {
					return errors.New(stderr)
				}
				return nil
			}, nil
		}}
		options := regress.Options{Repeats: 3}
		judged := slices.ContainsFunc(asm.All(), func(k *asm.Kernel) bool { return k.Name() == "avx2" }) && !testing.Short()
		if judged {
			options.Kernels = []string{"avx2"}
		} else {
			options.Repeats = 1
		}
		run, err := regress.Measure([]suite.Case{c}, options)
		if err != nil {
			t.Fatal(err)
		}
		got := run.Results[0]
		if !(got.Allocations <= 1.1*solve.allocations) {
			t.Errorf("%s: %.0f allocations, more than 1.1 times %.0f", c.Name, got.Allocations, solve.allocations)
		}
		if cost := slices.Min(got.Cost); judged && !(cost <= 1.5*solve.cost) {
			t.Errorf("%s: costs %.3g, more than 1.5 times %.3g", c.Name, cost, solve.cost)
		}
	}
}
