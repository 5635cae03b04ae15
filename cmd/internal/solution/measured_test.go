package solution

import (
	"flag"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// pumped asks for the pumping tests, the column of soil and the cells, which take half a minute to two minutes each. Their
// readings contradict the model.
var pumped = flag.Bool("pumped", false, "solve the pumping tests, the column of soil and the cells, too")

// foundByOthers holds the published answers to the examples with measured readings: means and standard deviations.
var foundByOthers = map[string]struct {
	parameters map[string][2]float64
	contradict bool // sensors contradict each other, see contradictory
}{
	"aluminium-rod":  {parameters: map[string][2]float64{"Phi": {-18.41, 0.1450}, "h": {0.00191, 1.448e-5}}},
	"oude-korendijk": {map[string][2]float64{"k": {66.09, 1.65}, "Ss": {2.541e-5, 0.24e-5}}, true},
	"scratch-assay":  {map[string][2]float64{"D": {790, 94}, "lambda": {0.0565, 0.0016}}, true}, // own finite differences, initial density unknown
	"sioux-flats":    {map[string][2]float64{"T": {4309.8, 17.2}, "S": {0.06414, 0.00051}}, true},
	"tritium-column": {map[string][2]float64{"D": {15.53, 3.77}, "beta": {0.822, 0.0290}, "omega": {0.873, 0.2517}}, true},
	"yeast":          {parameters: map[string][2]float64{"r": {0.54699, 0.00558}, "K": {663.02, 1.703}}},
}

// readMeasured returns an example as it is.
func readMeasured(t *testing.T, m *problems.Measurement) (*spec.File, posterior.Config) {
	t.Helper()
	file, err := spec.ReadFS(problems.Files, m.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := bpielm.Config(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, config
}

// solveMeasured returns the posterior and the verdict of an example.
func solveMeasured(t *testing.T, file *spec.File, config posterior.Config) (*posterior.Posterior, *posterior.Verdict) {
	t.Helper()
	q, err := posterior.Fit(file.Problem, config)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := q.Examine(file.Problem)
	if err != nil {
		t.Fatal(err)
	}
	return q, v
}

// contradictory tells whether a verdict says that sensors, or readings and equations, contradict each other.
func contradictory(v *posterior.Verdict) bool {
	return slices.ContainsFunc(v.Failures(), func(s string) bool {
		return strings.Contains(s, "contradict the other sensors") || strings.Contains(s, "without the equations")
	})
}

// The answers from measured readings agree with the published ones: means to within a combined standard deviation, and
// standard deviations to within a quarter.
func TestMeasuredReadingsSayWhatOthersFound(t *testing.T) {
	if testing.Short() {
		t.Skip("solves them")
	}
	const widthOff = 0.25
	for _, m := range problems.Measured {
		if m.Name == "cavity" {
			continue // nothing is measured, see TestCavity
		}
		others := foundByOthers[m.Name]
		if others.contradict && !*pumped {
			continue
		}
		file, config := readMeasured(t, &m)
		q, v := solveMeasured(t, file, config)
		contradict := contradictory(v)
		if v.Sound == others.contradict || contradict != others.contradict {
			t.Errorf("%s: %q", m.Name, v.Failures())
		}
		for _, e := range q.Parameters() {
			found := others.parameters[e.Name]
			if math.Abs(e.Mean-found[0]) > math.Hypot(e.SD, found[1]) || math.Abs(e.SD/found[1]-1) > widthOff {
				t.Errorf("%s: %s is %.5g ± %.2g; others found %.5g ± %.2g", m.Name, e.Name, e.Mean, e.SD, found[0], found[1])
			}
			t.Logf("%s: %s = %.6g ± %.3g, published %.6g ± %.3g", m.Name, e.Name, e.Mean, e.SD, found[0], found[1])
		}
	}
}
