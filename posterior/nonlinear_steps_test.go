package posterior

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/system"
)

// atStart linearises a problem where its first start is.
func atStart(p *system.Problem) *linearisation {
	return linearised(p, startsOf(p)[0], nil)
}

// A layer that is conditioned when it is tried is the one that is compiled again for it, to the last bit.
func TestLayersAreConditionedWhenTheyAreTried(t *testing.T) {
	const neurons = 40
	f, err := newFrame(balanced(atStart(reacting(0)).problem.ForNeurons(neurons)))
	if err != nil {
		t.Fatal(err)
	}
	sites := []site{alike(feature.Tanh, 1, 0), alike(feature.Sine, 1, 1)}
	var all []*Posterior
	for _, eager := range []bool{false, true} {
		s := newSearch(f, Config{Seed: 1}, neurons, nil)
		s.eager = eager
		s.try(sites...)
		for _, o := range s.order {
			if (o.layer != nil) != eager {
				t.Errorf("eager %t: a layer is conditioned when it is tried: %t", eager, o.layer != nil)
			}
		}
		q, err := s.posterior(len(sites))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range s.order {
			if o.layer != nil {
				t.Error("a layer that was mixed, or dropped, is still kept")
			}
		}
		all = append(all, q)
		s.release()
	}
	for k := range all[0].components {
		a, b := &all[0].components[k], &all[1].components[k]
		if a.weight != b.weight || !slices.Equal(a.mean, b.mean) || !a.root().Equal(b.root()) {
			t.Errorf("component %d differs", k)
		}
	}
}

// Steps measure the slack in the units in which hyper-parameters were integrated over.
func TestStepsKeepTheSizesOfTheMixture(t *testing.T) {
	p := parabola(1, 1, 1, 0.5)
	n := &newton{problem: p, config: Config{Neurons: 40}, neurons: 40, sigma: guessNoise(p), at: atStart(p)}
	q, s, err := n.config.integrate(n.at.problem)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	n.take(q, s)
	_, of, err := n.step(0, false, true)
	if err != nil {
		t.Fatal(err)
	}
	defer of.release()
	if want := s.sizes.residual; !slices.Equal(of.sizes.residual, want) {
		t.Errorf("sizes of equations are %v, not %v", of.sizes.residual, want)
	}
	if natural := naturalSizes(of.problem).residual; slices.Equal(of.sizes.residual, natural) {
		t.Errorf("natural sizes are %v, too: the test says nothing", natural)
	}
}

// What the linearisation leaves out is that of the draws where the equations have a value.
func TestDrawsWithoutAValueSayNothingOfTheSlack(t *testing.T) {
	p := parabola(1, 1, 1, 10)
	p.Sensors = p.Sensors[:1]
	p.Equations[0].Residual.Nonlinear = &system.Nonlinear{ // u_x = log(theta): theta ~ N(1, 1) is negative in one draw of six
		Of:       []system.Functional{system.ParameterValue(0)},
		Value:    system.Func(func(x []float64) float64 { return -math.Log(x[1]) }),
		Partials: []system.Function{system.Func(func(x []float64) float64 { return -1 / x[1] })},
	}
	p.Sensors[0].Sigma = []float64{10}
	l := atStart(p)
	l.config = Config{Neurons: 20, Seed: 1}
	q, s, err := l.config.integrate(l.problem)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	n, c := &newton{problem: p, config: l.config, neurons: 20}, &q.components[0]
	slack, curved, err := n.remainderOf(l, s.frame, q, c)
	if err != nil || !curved {
		t.Fatal(curved, err)
	}
	y, err := newNonlinearLayer(l.of, c, n.nonlinearRows(l, s.frame, q, 1))
	if err != nil {
		t.Fatal(err)
	}
	sum, defined := 0.0, 0
	x := pairsOfDraws(max(roughDraws, y.directions.Cols()), y.directions.Cols(), l.config.Seed)
	draws := min(2*roughDraws, x.Rows())
	for i := range draws {
		if d, _ := y.remainder(x.Row(i), false); d != nil {
			sum, defined = sum+squares(d[0]), defined+1
		}
	}
	if defined == 0 || defined == draws {
		t.Fatalf("%d of %d draws have a value: the test says nothing", defined, draws)
	}
	if want := math.Sqrt(sum/float64(defined)) / remainderSDs; math.Abs(slack/want-1) > 1e-12 {
		t.Errorf("slack %g, want %g", slack, want)
	}
}

// Where no step towards the mean of a mixture fits better, steps come to rest if each that undoes the last is shortened, and a warning says so.
func TestRelaxedStepsComeToRest(t *testing.T) {
	for seed, neurons := range map[uint64]int{3: 40, 11: 25} {
		q, err := Fit(reacting(seed), Config{Neurons: neurons, Seed: seed, Maximum: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.ContainsFunc(q.Summary().Warnings, func(w string) bool { return strings.Contains(w, "was shortened") }) {
			t.Errorf("seed %d: other steps led there; %q", seed, q.Summary().Warnings)
		}
		if e := q.Parameters()[0]; math.Abs(e.Mean-0.7) > 3*e.SD || e.SD > 0.1 {
			t.Errorf("seed %d: k = %.3f ± %.3f for 0.7", seed, e.Mean, e.SD)
		}
	}
}
