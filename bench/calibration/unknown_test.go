package calibration

import (
	"context"
	"math"
	"strings"
	"testing"
)

// The equations hold for the exact solution with the true coefficients, and fail with others.
// The truth is within reach of its prior.
func TestProblemsWithUnknownCoefficients(t *testing.T) {
	seen := map[string]int{}
	for number := range 3 * len(coefficientKinds) {
		p := draw(t, number, Options{Coefficients: true})
		f := read(t, p)
		n := len(f.Problem.Coefficients)
		if n == 0 || n > 2 {
			t.Fatalf("%s, number %d: %d coefficients", p.Kind, number, n)
		}
		seen[p.Kind]++
		values, wrong := make([]float64, n), make([]float64, n)
		for i := range values {
			c := &f.Problem.Coefficients[i]
			values[i] = p.Truth[c.Name]
			wrong[i] = 1.3 * values[i]
			if z := c.Number(values[i]); math.Abs(z) > 4.5 {
				t.Errorf("%s, number %d: %s = %g is %.1f sd from the median of its prior", p.Kind, number, c.Name, values[i], z)
			}
		}
		all := f.Problem
		for _, at := range [][]float64{values, wrong} {
			f.Problem = all.With(at)
			holds := true
			for _, e := range f.Problem.Equations {
				holds = holds && vanishes(p, f, &e.Residual, inLayer(f, &e.Residual, e.Points), nil) == nil
			}
			if holds != (&at[0] == &values[0]) {
				t.Errorf("%s, number %d: with coefficients %v of truth %v the equations hold: %v\n%s", p.Kind, number, at, values, holds, p.files[problemFile])
			}
		}
	}
	for _, name := range coefficientKinds {
		if seen[name] != 3 {
			t.Errorf("%s occurs %d times in three turns", name, seen[name])
		}
	}
	if _, err := DrawWith(1, 0, Options{Coefficients: true, Kind: "plate"}); err == nil || !strings.Contains(err.Error(), "plate") {
		t.Errorf("a kind without coefficients: %v", err)
	}
}

// The truth is a draw from its prior: as normal numbers, truths have mean 0 and sd 1.
func TestTruthsAreDrawsFromPriors(t *testing.T) {
	n, sum, square := 0.0, 0.0, 0.0
	for number := range 400 {
		p, err := DrawWith(5, number, Options{Coefficients: true, Kind: "relaxation"})
		if err != nil {
			t.Fatal(err)
		}
		f := read(t, p)
		for i := range f.Problem.Coefficients {
			c := &f.Problem.Coefficients[i]
			z := c.Number(p.Truth[c.Name])
			n, sum, square = n+1, sum+z, square+z*z
		}
	}
	if mean := sum / n; math.Abs(mean) > 4/math.Sqrt(n) {
		t.Errorf("the mean of normal numbers is %.3f", mean)
	}
	if variance := square / n; math.Abs(variance-1) > 4*math.Sqrt(2/n) {
		t.Errorf("their variance is %.3f", variance)
	}
}

// Coefficients of a few problems are found.
func TestCoefficientsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("solves problems")
	}
	for _, kind := range []string{"relaxation", "oscillator"} {
		all := Run(context.Background(), Study{Seed: 11, Count: 1, Options: Options{Coefficients: true, Kind: kind}})
		for i := range all {
			o := &all[i]
			if o.Failure != "" {
				t.Errorf("%s, number %d: %s", kind, o.Number, o.Failure)
			}
			for _, e := range o.Parameters {
				if math.Abs(e.Z) > 4 {
					t.Errorf("%s, number %d: %s is %g ± %g, truth %g, z %.1f", kind, o.Number, e.Name, e.Mean, e.SD, e.Truth, e.Z)
				}
			}
		}
	}
}

// The evidence rises by a hundred nats within a few per cent of a string's true speed, and only
// for layers that suit that speed.
func TestNarrowMaximumIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("solves a problem")
	}
	const offBy = 0.01 // of the speed squared
	o := &Run(context.Background(), Study{Seed: 2041, First: 226, Count: 1, Options: Options{Coefficients: true}})[0]
	if o.Kind != "wave-string" || o.Failure != "" || o.Warned {
		t.Fatalf("%s: %s, %q", o.Kind, o.Failure, o.Warnings)
	}
	for _, e := range o.Parameters {
		if e.Coefficient && (math.Abs(e.Mean/e.Truth-1) > offBy || math.Abs(e.Z) > 4) {
			t.Errorf("%s is %g ± %g, truth %g", e.Name, e.Mean, e.SD, e.Truth)
		}
	}
}
