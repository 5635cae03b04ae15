package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// Each model has the same density at its own most probable coefficients, whatever the constant in its logarithm.
func TestBothModelsTogether(t *testing.T) {
	const offset = 91.5 // nats
	first := func(z float64) float64 { return -0.5 * (z + 3) * (z + 3) }
	second := func(z float64) float64 { return -2*(z-3)*(z-3) + offset }
	at := func(z float64) float64 { return rated{first(z), second(z)}.together(rated{0, offset}) }
	if a, b := at(-3), at(3); math.Abs(a-b) > 1e-6 || math.Abs(a+math.Ln2) > 1e-6 {
		t.Errorf("the tops of the models are at %g and %g nats, want %g", a, b, -math.Ln2)
	}
	const step = 1e-3
	var below, above float64 // the second one is half as wide
	for z := -12.0; z < 12; z += step {
		if p := math.Exp(at(z)) * step; z < 0.5 {
			below += p
		} else {
			above += p
		}
	}
	if math.Abs(below/above-2) > 0.01 {
		t.Errorf("the first model has %.3f times the probability of the second one, want 2", below/above)
	}
	for _, same := range []rated{{-7, -7 + offset}, {3, 3 + offset}} { // models that agree
		if got := same.together(rated{0, offset}); got != same[0] {
			t.Errorf("where both have %g nats they have %g together", same[0], got)
		}
	}
	if v := impossible.together(rated{0, offset}); !math.IsInf(v, -1) {
		t.Errorf("where nothing can be solved the log density is %g", v)
	}
}

// Tops are those of maxima, not of the points that have been solved.
func TestBothModelsAreLevelled(t *testing.T) {
	e := &coefficients{config: Config{compared: true}, list: forced(1, nil).Coefficients, neurons: 100}
	e.solved = []solution{{z: []float64{-1}}, {z: []float64{1}}}
	v := &view{rates: map[string]*ratedSpot{}}
	v.land = newLandscape(1, func(z []float64) float64 { return v.rated(z).together(e.tops) })
	e.views = []*view{v}
	v.rate = func(z []float64) rated {
		return rated{-50 * (z[0] + 1.3) * (z[0] + 1.3), 7 - 50*(z[0]-0.8)*(z[0]-0.8)}
	}
	for _, z := range []float64{-1, 1} {
		v.rated([]float64{z})
	}
	e.level(v.land.firstSteps())
	// With the prior, -z^2/2, the tops are at 100/101 of the centres.
	want := rated{-0.5 * 1.3 * 1.3 * 100 / 101, 7 - 0.5*0.8*0.8*100/101}
	for k := range want {
		if math.Abs(e.tops[k]-want[k]) > 0.05 {
			t.Errorf("model %d has its top at %g nats, want %g", k, e.tops[k], want[k])
		}
	}
}

// Where climbing by both models leads one of them higher than it was, they are made level again.
func TestModelsAreLevelledAgain(t *testing.T) {
	e := &coefficients{config: Config{compared: true}, list: forced(1, nil).Coefficients, neurons: 100}
	e.solved = []solution{{z: []float64{0.9}}, {z: []float64{-1.2}}}
	v := &view{rates: map[string]*ratedSpot{}}
	v.land = newLandscape(1, func(z []float64) float64 { return v.rated(z).together(e.tops) })
	e.views = []*view{v}
	peak := func(z, at float64) float64 { return -50 * (z - at) * (z - at) }
	v.rate = func(z []float64) rated {
		return rated{peak(z[0], 0.8), math.Max(5+peak(z[0], 0.8), 9+peak(z[0], -1.6))}
	}
	if err := e.sketchLead(); err != nil {
		t.Fatal(err)
	}
	if want := 9 - 0.5*1.6*1.6*100/101; math.Abs(e.tops[1]-want) > levelEnough {
		t.Errorf("the second model has its top at %g nats, want %g", e.tops[1], want)
	}
	if len(v.clouds) != 2 {
		t.Errorf("%d maxima, want one of both models and one of the second", len(v.clouds))
	}
}

// Maxima elsewhere that may matter are solved before they are compared, unless they have been.
func TestRivalsAreSolved(t *testing.T) {
	narrow := mat.NewDense(1, 1, []float64{0.01})
	at := func(z, mass float64) *cloud {
		return &cloud{centre: []float64{z}, mean: []float64{z}, root: narrow, mass: mass}
	}
	e := &coefficients{views: []*view{
		{clouds: []*cloud{at(1, 20), at(1.01, 19), at(-1, 12)}},
		{clouds: []*cloud{at(-1.02, 14), at(0, 15), at(2, 20-2*deepest)}},
	}}
	e.solved = []solution{{z: []float64{1}}, {z: []float64{0.001}}, {z: []float64{-1}, rough: true}}
	if got := e.rivals(); len(got) != 1 || got[0].z[0] != -1.02 {
		t.Errorf("the rivals are %v; 0 has been solved, and 2 is too far below", got)
	}
	if e.neurons = 2 * manyNeurons; e.rivals() != nil { // no layers would be chosen
		t.Errorf("with large layers the rivals are %v, want none", e.rivals())
	}
	e.neurons = 0
	e.solved = append(e.solved, solution{z: []float64{-1.021}})
	if got := e.rivals(); got != nil {
		t.Errorf("all has been solved, but %v", got)
	}
}

// Sites at the same coefficients are compared by their evidence: what one gets back beyond the average of all does not count.
func TestSitesGetTheSameBack(t *testing.T) {
	e := &coefficients{config: Config{compared: true}, list: forced(1, nil).Coefficients}
	e.solved = []solution{{z: []float64{-1}}, {z: []float64{1}}}
	add := func(at, back, more float64) {
		v := &view{rates: map[string]*ratedSpot{}}
		v.rate = func(z []float64) rated {
			r := -50 * (z[0] - at) * (z[0] - at)
			return rated{r, r + back + more*z[0]}
		}
		e.views = append(e.views, v)
	}
	add(1, 7, 0.5)
	add(1, 9, 0.5)
	add(-1, 20, 0) // it has no evidence where the others have
	e.compare(e.views)
	for k, want := range []float64{-1, 1, 0} {
		if v := e.views[k]; math.Abs(v.excess-want) > 1e-6 {
			t.Errorf("site %d gets %g nats more back than the average, want %g", k, v.excess, want)
		}
	}
	if a, b := e.views[0].rated([]float64{1}), e.views[1].rated([]float64{1}); math.Abs(a.back()-b.back()) > 1e-6 {
		t.Errorf("the second model has %g and %g nats more than the first, want the same", a.back(), b.back())
	}
}

// Evidences are given back at the noise of the nearest solution. Where that turns out to be another one, all is rated anew.
func TestNoiseIsReferredTo(t *testing.T) {
	for _, test := range []struct {
		noise  float64
		passes bool
	}{{0.015, true}, {0.05, false}} {
		e := &coefficients{config: Config{compared: true, reference: []float64{0.01}}, list: forced(1, nil).Coefficients, levelled: 100}
		e.solved = []solution{{z: []float64{0.1}, noise: []float64{test.noise}}}
		v := &view{rates: map[string]*ratedSpot{}, rate: func(z []float64) rated { return rated{-z[0], -z[0]} }}
		v.land = newLandscape(1, func(z []float64) float64 { return v.rated(z)[0] })
		v.clouds = []*cloud{{centre: []float64{0}, mean: []float64{0}, root: mat.NewDense(1, 1, []float64{1})}}
		v.rated([]float64{3})
		e.views = []*view{v}
		e.refer()
		want, kept := 0.01, v.clouds != nil && v.rates["[3]"] != nil && e.levelled == 100
		if !test.passes {
			want = test.noise
			kept = v.clouds != nil || v.rates["[3]"] != nil || e.levelled != 0
		}
		if got := e.config.reference[0]; got != want || kept != test.passes {
			t.Errorf("noise of %g: the reference is %g, want %g; what was known was kept: %t", test.noise, got, want, kept)
		}
	}
}

// Neurons are doubled for what changes the density where it is, not for changes far below its top; and where neither the solution nor
// the layers leave hope, larger layers are not even tried.
func TestChangesMatterWhereTheDensityIs(t *testing.T) {
	e := &coefficients{list: forced(1, nil).Coefficients}
	e.solved = []solution{{z: []float64{0}}, {z: []float64{0.8}, log: -8}, {z: []float64{3}, log: -100}}
	changed := func(at, by float64) (float64, *view) {
		add := func(more float64) *view {
			v := &view{rates: map[string]*ratedSpot{}}
			v.rate = func(z []float64) rated {
				r := -12 * z[0] * z[0]
				if z[0] == at {
					r += more
				}
				return rated{r, r}
			}
			v.land = newLandscape(1, func(z []float64) float64 { return v.rated(z)[0] })
			return v
		}
		v, larger := add(0), add(by)
		v.clouds = []*cloud{{centre: []float64{0}, mean: []float64{0}, root: mat.NewDense(1, 1, []float64{0.2})}}
		return math.Sqrt(e.change(v, larger, v)), larger
	}
	low, larger := changed(0.8, 2)
	if low > 0.1 {
		t.Errorf("two nats that are added eight nats below the top change the density by %g", low)
	}
	if larger.rates["[3]"] != nil {
		t.Error("a point without hope has been rated with larger layers")
	}
	for _, test := range []struct{ at, by float64 }{{0, 2}, {0.8, 10}} {
		if got, _ := changed(test.at, test.by); got < enoughNeurons {
			t.Errorf("%g nats that are added at %g change the density by %g only", test.by, test.at, got)
		}
	}
}
