package posterior

import (
	"hash"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// goldenPosterior holds digests of the bits of means, standard deviations,
// parameters and evidence for each method, computed on linux/amd64. They change
// only when the arithmetic is meant to change, and must then be the same on
// every architecture again.
var goldenPosterior = map[string]uint64{
	"bpielm":                0x02666bd6177c95d4,
	"bpielm, learned noise": 0x240b883c3b99dc34,
	"bpielm, two variables": 0x2cb6f4ecff8a8dab,
	"bpielm, few readings":  0x074dc44a779422ec,
	"paper":                 0xe9894c184a5d814f,
	"pielm":                 0x72e6f8768c579c9d,
}

// digest adds numbers to a digest; what a method does not have it leaves out.
type digest struct{ hash.Hash64 }

func (d digest) add(numbers ...float64) {
	for _, x := range numbers {
		if x != x {
			continue
		}
		b := math.Float64bits(x)
		for i := range 8 {
			d.Write([]byte{byte(b >> (8 * i))})
		}
	}
}

func TestPosteriorHasTheSameBitsOnEveryMachine(t *testing.T) {
	known, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	learned, _ := wave(rand.New(rand.NewPCG(1, 2)), 14, 0.05)
	learned.Sensors[0].Sigma = nil
	few, _ := wave(rand.New(rand.NewPCG(1, 2)), 8, 0.05)
	few.Sensors[0].Sigma = nil
	askew, _ := carried()
	for name, test := range map[string]struct {
		p      *system.Problem
		method Method
		new    bool // what older digests do not have
	}{
		"bpielm": {known, BPIELM, true}, "bpielm, learned noise": {learned, BPIELM, true}, "bpielm, two variables": {askew, BPIELM, true},
		"bpielm, few readings": {few, BPIELM, true},
		"paper":                {known, Published, false}, "pielm": {known, PseudoInverse, false},
	} {
		p := test.p
		q := fit(t, p, Config{Method: test.method, Neurons: 35, Seed: 3})
		d := digest{fnv.New64a()}
		size := []int{23, 5}[:len(p.Variables)]
		mean, sd, err := q.Predict(system.Derivative(0, 1), system.Grid(p.Variables, nil, size))
		if err != nil {
			t.Fatal(err)
		}
		d.add(mean...)
		d.add(sd...)
		for _, e := range q.Parameters() {
			d.add(e.Mean, e.SD)
			if test.new {
				d.add(e.Lower95, e.Median, e.Upper95)
			}
		}
		d.add(q.Summary().Evidence)
		two := column(-1, 2)
		if len(p.Variables) == 2 {
			two = column2(-1, 0.5, 0.25, 0.75)
		}
		if sd != nil {
			samples, err := q.Sample(system.Field(0), two, 3, 5)
			if err != nil {
				t.Fatal(err)
			}
			d.add(samples.Data()...)
		}
		if test.new {
			quantiles, err := q.Quantiles(system.Field(0), two, 0.025, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			s := q.Summary()
			d.add(quantiles.Data()...)
			d.add(s.Amplitude, s.Tolerance, s.EffectiveParameters, s.Noise[0].Sigma)
			d.add(s.Scale...)
		}
		if got, want := d.Sum64(), goldenPosterior[name]; got != want {
			t.Errorf("%s: digest %#x, want %#x", name, got, want)
		}
	}
}

// goldenCoefficients holds digests as goldenPosterior does, of problems with one and two coefficients.
var goldenCoefficients = map[string]uint64{"cooling": 0x70fe7d6b2fb0fab6, "oscillator": 0x1d1c46771e3b966c}

func TestCoefficientsHaveTheSameBitsOnEveryMachine(t *testing.T) {
	problems := coefficientProblems(4)[:2]
	if testing.Short() { // as where processors are emulated
		problems = problems[:1]
	}
	for _, p := range problems {
		q := fit(t, p.problem, Config{Neurons: 8, Seed: 3})
		d := digest{fnv.New64a()}
		mean, sd, err := q.Predict(system.Derivative(0, 1), line(p.problem.Variables[0], 9))
		if err != nil {
			t.Fatal(err)
		}
		d.add(mean...)
		d.add(sd...)
		for i, e := range q.Parameters() {
			d.add(e.Mean, e.SD, e.Lower95, e.Median, e.Upper95, q.ParameterBelow(i, e.Mean), q.ParameterDensity(i, e.Mean))
		}
		d.add(q.SampleParameters(5, 1).Data()...)
		d.add(q.ParameterCorrelation().At(len(p.truth)-1, 0))
		if got, want := d.Sum64(), goldenCoefficients[p.name]; got != want {
			t.Errorf("%s: digest %#x, want %#x", p.name, got, want)
		}
	}
}
