package solution

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// studyError is the largest median mean absolute error that each field of a
// study may have: at most the noise where the field itself is measured, and a
// few per cent of its range where it is not.
var studyError = map[string]map[string]float64{
	"beam":               {"w": 1e-4},                       // noise 2e-4
	"heat-2d":            {"u": 0.015},                      // noise 0.03
	"acoustics":          {"p": 0.04, "v": 0.04},            // noise 0.05
	"far-disk":           {"u": 0.1},                        // noise 0.2
	"reaction-diffusion": {"u": 0.03},                       // noise 0.08
	"advection-2d":       {"u": 0.03},                       // noise 0.03
	"diffusion-2d":       {"u": 0.035},                      // noise 0.05
	"stokes":             {"u": 0.03, "v": 0.03, "p": 0.3},  // ranges 2, 0.75 and 8
	"robin-rod":          {"T": 0.25},                       // noise 0.5
	"ring":               {"u": 0.05},                       // noise 0.05
	"patches":            {"u": 0.02},                       // noise 0.02
	"seepage":            {"h": 0.05, "p": 0.3, "q": 0.3},   // noise 0.05; p and q are about 6 and 4
	"ball":               {"u": 0.05},                       // noise 0.05
	"l-plate":            {"u": 0.005},                      // noise 0.05
	"front":              {"u": 0.005},                      // noise 0.01
	"wall":               {"a": 0.1, "b": 0.1},              // noise 0.1
	"ground-heat":        {"u": 0.3, "q": 5},                // noise 0.1, of q none; ranges 20 and 240
	"half-known":         {"u": 0.03},                       // noise 0.05
	"point-sources":      {"h": 0.02},                       // noise 0.02
	"conductivity":       {"T": 0.6},                        // noise 1
	"pendulum":           {"a": 0.05},                       // noise 0.05
	"burgers":            {"u": 0.005},                      // noise 0.01
	"inverse-burgers":    {"u": 0.005},                      // noise 0.01
	"lorenz":             {"x": 0.5, "y": 0.5, "z": 0.5},    // noise 0.5
	"kovasznay":          {"u": 1e-5, "v": 1e-5, "p": 1e-5}, // nothing but the gauge is measured
	"plate":              {"u": 0.02, "a": 0.1},             // noise 0.1, of a none
}

// drawStudy returns a study with the neurons and the noise of a seed.
func drawStudy(t *testing.T, s *problems.Study, seed int) *spec.File {
	t.Helper()
	file, err := s.Read(fmt.Sprintf("features.seed=%d", seed))
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Groups {
		g, sensors := &s.Groups[i], &file.Problem.Sensors[i]
		_, reads, err := s.Reads(g)
		if err != nil {
			t.Fatal(err)
		}
		sensors.Points = g.Place(file.Problem, g.Sensors)
		sensors.Values = problems.Simulate(reads, sensors.Points, g.Noise, problems.GroupSeed(uint64(seed), i))
	}
	return file
}

// slowStudies take minutes.
var slowStudies = map[string]bool{"burgers": true, "kovasznay": true, "lorenz": true, "plate": true}

var solveSlow = flag.Bool("slow", false, "studies that take minutes, too")

var studyDraws = flag.Int("draws", 4, "draws of every study; the figures of the README are of ten")

// TestStudiesAreSolvedByDefault solves every study with several draws of the
// sensors' noise and of the neurons. Nothing was tuned for them: what a problem
// file does not state is inferred.
func TestStudiesAreSolvedByDefault(t *testing.T) {
	// Few draws say little about a median. They only show that it works.
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
			if slowStudies[s.Name] && !*solveSlow {
				t.Skip("it takes minutes: -args -slow")
			}
			mae, coverage := map[string][]float64{}, map[string][]float64{}
			seeds := seeds
			if !drawStudy(t, s, 1).Problem.IsLinear() && seeds < 10 {
				seeds = 1 // nonlinear problems take half a minute each
			}
			for seed := 1; seed <= seeds; seed++ {
				file := drawStudy(t, s, seed)
				q := fit(t, file)
				solved, err := OnGrid(file, q)
				if err != nil {
					t.Fatal(err)
				}
				for i := range solved.Fields {
					f := &solved.Fields[i]
					score := f.Score()
					mae[f.Name], coverage[f.Name] = append(mae[f.Name], score.MAE), append(coverage[f.Name], score.Coverage95)
				}
				estimates := map[string]posterior.ParameterEstimate{}
				for _, e := range q.Parameters() {
					estimates[e.Name] = e
				}
				for name, value := range s.Truth {
					z := (estimates[name].Mean - value) / estimates[name].SD
					t.Logf("seed %d: %s is %.2f sd from its true value", seed, name, z)
					if !(math.Abs(z) <= 4) {
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
