package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// Where a neuron is so steep that its fourth derivative is beyond what sums of squares resolve, only
// the loosest slack remains.
func TestNeuronsTooSteepForSums(t *testing.T) {
	p := gauged(3, 5, 7, 9)
	p.Parameters = nil
	p.Equations[0].Residual = system.Derivative(0, 4)
	for _, path := range []Path{"", GramPath, SquareRoot} {
		q, err := Fit(p, Config{Neurons: 40, Scale: []float64{300}, Path: path})
		if err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		if _, _, err := q.Examine(p); err != nil {
			t.Errorf("%q: %v", path, err)
		}
		mean, sd, err := q.Predict(system.Field(0), p.Sensors[0].Points)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range mean {
			if !finite(m) || !(sd[i] > 0) || math.Abs(m) > 100 {
				t.Errorf("%q: %g ± %g at reading %d", path, m, sd[i], i+1)
			}
		}
	}
}
