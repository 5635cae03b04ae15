package solution

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// consistentSets is how many synthetic pumping tests TestConsistentPumpingTests solves, which take three seconds each.
var consistentSets = flag.Int("consistent", 0, "how many consistent synthetic pumping tests to solve")

// wellFunction is the exponential integral E1, by its series, or, from 1 on, by its continued fraction (Abramowitz and
// Stegun, 5.1.11 and 5.1.22).
func wellFunction(u float64) float64 {
	const euler, terms = 0.57721566490153286061, 60
	if u < 1 {
		sum, power := -euler-mat.Log(u), -1.0
		for k := 1.0; k < terms; k++ {
			power *= -u / k
			sum += power / k
		}
		return sum
	}
	fraction := 0.0
	for k := float64(terms); k >= 1; k-- {
		fraction = k / (1 + k/(u+fraction))
	}
	return mat.Exp(-u) / (u + fraction)
}

func TestWellFunction(t *testing.T) {
	// Abramowitz and Stegun, table 5.1.
	for u, want := range map[float64]float64{0.01: 4.0379295765, 0.5: 0.5597735948, 1: 0.2193839344, 2: 0.0489005107} {
		if got := wellFunction(u); math.Abs(got-want) > 1e-9 {
			t.Errorf("E1(%g) is %.10f, want %.10f", u, got, want)
		}
	}
}

// synthetic is the pumping test of Sioux Flats with the readings of a ground that is as the model says (Theis, 1935).
func synthetic(t *testing.T, transmissivity, storativity float64, random *rand.Rand) (*spec.File, posterior.Config) {
	t.Helper()
	const (
		pumped = 6605.754 // m^3/d
		noise  = 0.004    // m; that of the measured readings is learned to be as large
	)
	file, config := readMeasured(t, problems.FindMeasured("sioux-flats"))
	for i := range file.Problem.Sensors {
		s := &file.Problem.Sensors[i]
		for k := range s.Values {
			r, time := s.Points.At(k, 0), s.Points.At(k, 1)
			s.Values[k] = pumped/(4*math.Pi*transmissivity)*wellFunction(r*r*storativity/(4*transmissivity*time)) + noise*random.NormFloat64()
		}
	}
	return file, config
}

// The nearest point of the scan has a storativity that is a third too small. Layers that suit that value would keep to it, with
// a standard deviation of 2 % and 21 nats less evidence than at the true one.
func TestLayersThatSuitAWrongStorativity(t *testing.T) {
	if testing.Short() {
		t.Skip("solves it")
	}
	const transmissivity, storativity = 8420, 0.0695
	file, config := synthetic(t, transmissivity, storativity, rand.New(rand.NewPCG(92, 35)))
	q, _ := solveMeasured(t, file, config)
	if e := q.Parameters()[1]; math.Abs(e.Mean-storativity) > 3*e.SD || e.SD > 0.03*storativity {
		t.Errorf("the storativity is %.4g ± %.2g, truth %g", e.Mean, e.SD, storativity)
	}
}

// TestConsistentPumpingTests solves synthetic pumping tests of other transmissivities and storativities, and counts how often
// the verdict says that wells contradict each other, or the equation, and how often intervals hold.
func TestConsistentPumpingTests(t *testing.T) {
	if *consistentSets == 0 {
		t.Skip("it takes minutes: -args -consistent 100")
	}
	const (
		spread      = 0.3   // of the logarithms of both; with much more the fall would reach the outer edge, where the file says there is none
		mostClaimed = 0.03  // of the sets
		leastHeld   = 0.9   // of the 95 % intervals
		mostBeyond  = 0.015 // of the parameters, off by three standard deviations
	)
	claimed, warned, held, beyond := 0, 0, 0, 0
	for set := range *consistentSets {
		random := rand.New(rand.NewPCG(uint64(set), 35))
		truth := []float64{4300 * mat.Exp(spread*random.NormFloat64()), 0.064 * mat.Exp(spread*random.NormFloat64())}
		file, config := synthetic(t, truth[0], truth[1], random)
		q, v := solveMeasured(t, file, config)
		for i, e := range q.Parameters() {
			if e.Lower95 <= truth[i] && truth[i] <= e.Upper95 {
				held++
			}
			if math.Abs(e.Mean-truth[i]) > 3*e.SD {
				beyond++
				t.Logf("set %d: %s is %.5g ± %.2g, truth %.5g", set, e.Name, e.Mean, e.SD, truth[i])
			}
		}
		if contradictory(v) {
			claimed++
		}
		if !v.Sound {
			warned++
			t.Logf("set %d: %q", set, v.Failures())
		}
	}
	sets := float64(*consistentSets)
	t.Logf("of %d consistent sets %d are said to contradict each other or the equation, %d are warned about; %d of %d intervals hold, %d are off by 3 sd",
		*consistentSets, claimed, warned, held, 2**consistentSets, beyond)
	if float64(claimed) > math.Ceil(mostClaimed*sets) || float64(held) < leastHeld*2*sets || float64(beyond) > math.Ceil(mostBeyond*2*sets) {
		t.Errorf("%d claims, %d of %d intervals hold, %d are off by 3 sd", claimed, held, 2**consistentSets, beyond)
	}
}
