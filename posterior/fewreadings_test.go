package posterior

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// TestFewReadingsIntegralIsThatOnAGrid, with and without a parameter, to the accuracy of the
// quadratures.
func TestFewReadingsIntegralIsThatOnAGrid(t *testing.T) {
	const quadratureError = 0.02
	problems := map[string]*system.Problem{"rod": learnedRod(rod(true)), "stated prior": learnedRod(rod(true))}
	problems["stated prior"].Parameters[0].SD = 3
	for name, p := range problems {
		eachSlack(t, p, []float64{1e-6, 1e-4, 1e-2}, func(tau float64, u *underPhysics, l *levels, nodes []node, got float64) {
			if !u.few() {
				t.Fatalf("%s: readings are not few", name)
			}
			if want := gridOfNoise(l, smallestNoise, widestNoise); math.Abs(got-want) > quadratureError {
				t.Errorf("%s, slack %g: log integral %.4f, want %.4f", name, tau, got, want)
			}
			ratio := func(n node) float64 { return n.amplitude / n.noise[u.learned[0]] }
			if !slices.IsSortedFunc(nodes, func(a, b node) int { return cmp.Compare(ratio(a), ratio(b)) }) {
				t.Errorf("%s: nodes are not in the order of their amplitudes relative to the noise", name)
			}
		})
	}
}
