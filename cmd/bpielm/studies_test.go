package main

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// studyError is the largest median mean absolute error that each field of a
// study may have: at most the noise where the field itself is measured, and a
// few per cent of its range where it is not.
var studyError = map[string]map[string]float64{
	"beam":               {"w": 1e-4},                      // noise 2e-4
	"heat-2d":            {"u": 0.015},                     // noise 0.03
	"acoustics":          {"p": 0.04, "v": 0.04},           // noise 0.05
	"far-disk":           {"u": 0.1},                       // noise 0.2
	"reaction-diffusion": {"u": 0.03},                      // noise 0.08
	"advection-2d":       {"u": 0.03},                      // noise 0.03
	"diffusion-2d":       {"u": 0.035},                     // noise 0.05
	"stokes":             {"u": 0.03, "v": 0.03, "p": 0.3}, // ranges 2, 0.75 and 8
	"robin-rod":          {"T": 0.25},                      // noise 0.5
	"ring":               {"u": 0.05},                      // noise 0.05
	"patches":            {"u": 0.02},                      // noise 0.02
	"seepage":            {"h": 0.05, "p": 0.3, "q": 0.3},  // noise 0.05; p and q are about 6 and 4
	"ball":               {"u": 0.05},                      // noise 0.05
	"l-plate":            {"u": 0.005},                     // noise 0.05
	"wall":               {"a": 0.1, "b": 0.1},             // noise 0.1
	"ground-heat":        {"u": 0.3, "q": 5},               // noise 0.1, of q none; ranges 20 and 240
	"half-known":         {"u": 0.03},                      // noise 0.05
	"point-sources":      {"h": 0.02},                      // noise 0.02
}

// The files that are embedded are those that `bpielm example` writes.
func TestEmbeddedStudiesAreTheSimulators(t *testing.T) {
	for i := range problems.Studies {
		s := &problems.Studies[i]
		files, err := (&exampleCommand{Seed: 1}).studyFiles(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if string(f.content) != string(s.File(f.name)) {
				t.Errorf("%s/%s differs from what is simulated:\n%s", s.Name, f.name, f.content)
			}
		}
	}
}

// The equations and conditions hold for the exact solution with the true
// parameters, and what the sensors read is what they are said to measure, by
// differences.
func TestExactSolutionsOfStudies(t *testing.T) {
	for i := range problems.Studies {
		s := &problems.Studies[i]
		t.Run(s.Name, func(t *testing.T) {
			file, err := s.Read()
			if err != nil {
				t.Fatal(err)
			}
			p := file.Problem
			for k, e := range p.Equations {
				checkVanishes(t, fmt.Sprintf("equation %d", k+1), s, file, &e.Residual, e.Points, nil)
			}
			for k, e := range p.Conditions {
				checkVanishes(t, fmt.Sprintf("condition %d", k+1), s, file, &e.Residual, e.Points, nil)
			}
			if len(s.Groups) != len(p.Sensors) {
				t.Fatalf("%d groups, the file has %d", len(s.Groups), len(p.Sensors))
			}
			for k := range p.Sensors {
				g := &s.Groups[k]
				if sigma := p.Sensors[k].Sigma; g.File != p.Sensors[k].Name || sigma != nil && sigma[0] != g.Noise {
					t.Errorf("%s: the file says %s with sigma %g", g.File, p.Sensors[k].Name, sigma)
				}
				_, reads, err := readsExactly(s, g)
				if err != nil {
					t.Fatal(err)
				}
				checkVanishes(t, g.File, s, file, &p.Sensors[k].Measures, p.Sensors[k].Points, reads)
			}
		})
	}
}

// checkVanishes applies a functional to the exact solution and compares it with
// a function, with 0 for nil.
func checkVanishes(t *testing.T, where string, s *problems.Study, file *spec.File, f *system.Functional, points *mat.Dense, want system.Function) {
	t.Helper()
	sum, size := make([]float64, points.Rows()), make([]float64, points.Rows())
	add := func(coefficient system.Function, values []float64) {
		c := evaluated(coefficient, points)
		for i := range sum {
			sum[i] += c[i] * values[i]
			size[i] += math.Abs(c[i] * values[i])
		}
	}
	var steps []float64
	for _, v := range file.Problem.Variables {
		steps = append(steps, 2e-3*(v.Max-v.Min))
	}
	for _, term := range f.Terms {
		add(term.Coefficient, differentiatedBy(file.Output.Exact[term.Field], term.Derivative, term.Places(points), steps))
	}
	for _, term := range f.Parameters {
		truth, known := s.Truth[file.Problem.Parameters[term.Parameter].Name]
		if !known {
			t.Fatalf("the truth of parameter %d is not stated", term.Parameter)
		}
		add(term.Coefficient, evaluated(system.Constant(truth), points))
	}
	if f.Known != nil {
		add(nil, evaluated(f.Known, points))
	}
	if want != nil {
		add(system.Constant(-1), evaluated(want, points))
	}
	// Where all terms vanish only rounding is left, measured by the largest.
	largest := 0.0
	for _, v := range size {
		largest = max(largest, v)
	}
	for i := range sum {
		if !(math.Abs(sum[i]) <= 1e-5*largest+1e-8) {
			t.Fatalf("%s: at %v there remain %g of terms that sum to %g", where, points.Row(i), sum[i], size[i])
		}
	}
}

var studyDraws = flag.Int("draws", 4, "draws of every study; the figures of the README are of ten")

// TestStudiesAreSolvedByDefault solves every study with several draws of the
// sensors' noise and of the neurons. Nothing was tuned for them: what a problem
// file does not state is inferred.
func TestStudiesAreSolvedByDefault(t *testing.T) {
	// Few draws say little about a median: they are only to show that it works.
	seeds, leeway, covered := *studyDraws, 1.0, 0.9
	switch {
	case testing.Short():
		seeds, leeway, covered = 2, 2, 0.6
	case seeds < 10:
		covered = 0.85
	}
	within, parameters := 0, 0
	for i := range problems.Studies {
		s := &problems.Studies[i]
		t.Run(s.Name, func(t *testing.T) {
			mae, coverage := map[string][]float64{}, map[string][]float64{}
			for seed := 1; seed <= seeds; seed++ {
				path := writeExample(t, s.Name, fmt.Sprintf("--seed=%d", seed))
				r := solveJSON(t, path, fmt.Sprintf("--set=features.seed=%d", seed))
				for field := range studyError[s.Name] {
					mae[field] = append(mae[field], numberAt(t, r, "error", field, "mae"))
					coverage[field] = append(coverage[field], numberAt(t, r, "error", field, "coverage95"))
				}
				for name, value := range s.Truth {
					z := (numberAt(t, r, "parameters", name, "mean") - value) / numberAt(t, r, "parameters", name, "sd")
					t.Logf("seed %d: %s is %.2f sd from its true value", seed, name, z)
					if math.Abs(z) > 4 {
						t.Errorf("seed %d: %s is %.2f sd from its true value", seed, name, z)
					}
					parameters++
					if math.Abs(z) <= 1.96 {
						within++
					}
				}
			}
			for field, limit := range studyError[s.Name] {
				t.Logf("%s: medians over %d seeds: MAE %.3g, coverage %.3f", field, seeds, median(mae[field]), median(coverage[field]))
				if testing.Verbose() {
					t.Logf("  %.3g\n  %.2f", mae[field], coverage[field])
				}
				if !(median(mae[field]) <= leeway*limit) {
					t.Errorf("%s: median MAE %.3g, at most %g is wanted", field, median(mae[field]), leeway*limit)
				}
				if mean := average(coverage[field]); mean < covered-0.05 {
					t.Errorf("%s: mean coverage %.3f of the 95 %% band, at least %.2f is wanted", field, mean, covered-0.05)
				}
				if median(coverage[field]) < covered {
					t.Errorf("%s: median coverage %.3f of the 95 %% band, at least %g is wanted", field, median(coverage[field]), covered)
				}
			}
		})
	}
	t.Logf("%d of %d parameters within their 95 %% intervals", within, parameters)
	if within < parameters*17/20 {
		t.Errorf("%d of %d parameters are within their 95 %% intervals", within, parameters)
	}
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
