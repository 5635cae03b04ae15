package posterior

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// goldenPosterior holds a digest of the bits of means, standard deviations,
// parameters and evidence for each method, computed on linux/amd64. It changes
// only when the arithmetic is meant to change, and must then be the same on
// every architecture again.
var goldenPosterior = map[Method]uint64{
	BPIELM:        0xb7f2af5c38095971,
	Published:     0xe9894c184a5d814f,
	PseudoInverse: 0x72e6f8768c579c9d,
}

func TestPosteriorHasTheSameBitsOnEveryMachine(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	for method, want := range goldenPosterior {
		q := fit(t, p, Config{Method: method, Neurons: 35, Seed: 3})
		digest := fnv.New64a()
		add := func(x float64) {
			if x != x { // what a method does not have
				return
			}
			b := math.Float64bits(x)
			for i := range 8 {
				digest.Write([]byte{byte(b >> (8 * i))})
			}
		}
		mean, sd, err := q.Predict(system.Derivative(0, 1), system.Grid(p.Variables, nil, []int{23}))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range append(mean, sd...) {
			add(x)
		}
		add(q.Parameters()[0].Mean)
		add(q.Parameters()[0].SD)
		add(q.Summary().Evidence)
		if sd != nil {
			samples, err := q.Sample(system.Field(0), column(-1, 2), 3, 5)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				for _, x := range samples.Row(i) {
					add(x)
				}
			}
		}
		if got := digest.Sum64(); got != want {
			t.Errorf("%s: digest %#x, want %#x", method, got, want)
		}
	}
}
