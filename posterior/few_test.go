package posterior

import (
	"math"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// TestFewReadingsIntegralIsThatOnAGrid, with and without a parameter, to what quadratures leave.
func TestFewReadingsIntegralIsThatOnAGrid(t *testing.T) {
	const quadratureError, sumError = 0.02, 1e-9
	problems := map[string]*system.Problem{"rod": learnedRod(rod(true)), "stated prior": learnedRod(rod(true))}
	problems["stated prior"].Parameters[0].SD = 3
	for name, p := range problems {
		ph := levelled(t, p, 14, 4)
		r, err := ph.read(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		sh, err := ph.at(1)
		if err != nil {
			t.Fatal(err)
		}
		o := newObserved(ph.scaled(r), len(ph.scale), sh, nil)
		for _, tau := range []float64{1e-6, 1e-4, 1e-2} {
			prior := new(prior)
			if err := prior.set(sh, tau); err != nil {
				t.Fatal(err)
			}
			u, a := o.under(prior), openAmplitude(tau)
			if !u.few() {
				t.Fatalf("%s: readings are not few", name)
			}
			nodes, got, err := u.integrate(a)
			if err != nil {
				t.Fatal(err)
			}
			l := levelsOf(t, ph, p, tau, a)
			if want := gridOfNoise(l, smallestNoise, widestNoise); math.Abs(got-want) > quadratureError {
				t.Errorf("%s, slack %g: log integral %.4f, want %.4f", name, tau, got, want)
			}
			logs := make([]float64, len(nodes))
			for i := range nodes {
				logs[i] = nodes[i].logWeight
			}
			if math.Abs(logSumExp(logs)-got) > sumError {
				t.Errorf("%s: nodes sum to %g, the integral is %g", name, logSumExp(logs), got)
			}
			noise := u.learned[0]
			if !slices.IsSortedFunc(nodes, func(a, b node) int {
				return int(math.Copysign(1, a.amplitude/a.noise[noise]-b.amplitude/b.noise[noise]))
			}) {
				t.Errorf("%s: nodes are not in the order of their amplitudes relative to the noise", name)
			}
		}
	}
}
