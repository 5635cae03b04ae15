package posterior

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// searched runs the search of a fit and returns its posterior, too.
func searched(t *testing.T, p *system.Problem, c Config) (*Posterior, *search) {
	t.Helper()
	if err := c.complete(); err != nil {
		t.Fatal(err)
	}
	q, s, err := integrate(p, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.release)
	return q, s
}

// TestSitesShareThePrior: in one variable a site represents the tempered prior between the midpoints
// to its neighbours; a turned site represents an octave.
func TestSitesShareThePrior(t *testing.T) {
	const points = 0.003 // the largest share of the prior that so many points leave uncertain
	at := []float64{-2, 0, 1, 1.5, 4}
	var sites []*tried
	for _, k := range at {
		sites = append(sites, &tried{site: site{activation: feature.Sine, octaves: []float64{k}}})
	}
	sites = append(sites, &tried{site: site{octaves: []float64{-1}}}) // another activation, by itself
	sd := scaleOctaves * math.Sqrt(temper)
	below := func(x float64) float64 { return 0.5 * math.Erfc(-x/(sd*math.Sqrt2)) }
	// A density to the power of 1/temper is that of a wider normal distribution, times this.
	factor := math.Exp(logScalePrior([]float64{0})/temper) * sd * math.Sqrt(2*math.Pi)
	shares := logShares(sites)
	for i, k := range at {
		low, high := float64(lowestOctave), float64(highestOctave)
		if i > 0 {
			low = (at[i-1] + k) / 2
		}
		if i < len(at)-1 {
			high = (at[i+1] + k) / 2
		}
		if got, want := math.Exp(shares[i])/factor, below(high)-below(low); math.Abs(got-want) > points {
			t.Errorf("the site at %g stands for %.4f of the prior, want %.4f", k, got, want)
		}
	}
	if got, want := math.Exp(shares[len(at)])/factor, below(highestOctave)-below(lowestOctave); math.Abs(got-want) > points {
		t.Errorf("the only site of its activation stands for %.4f of the prior, want %.4f", got, want)
	}
	turned := &tried{site: site{octaves: []float64{1, -1}, turn: 3}}
	if got, want := logShares([]*tried{turned})[0], logScalePrior(turned.octaves)/temper; got != want {
		t.Errorf("a turned site stands for exp(%g), want exp(%g)", got, want)
	}
	if got := logShares([]*tried{{}, {}}); got[0] != got[1] {
		t.Errorf("with scales held shares are %v", got)
	}
}

// TestNoSiteIsWithoutAShare: in four variables the points are too few for the cell of every site,
// even for that of the best.
func TestNoSiteIsWithoutAShare(t *testing.T) {
	for d := 2; d <= 4; d++ {
		best := site{octaves: make([]float64, d)}
		sites := []*tried{{site: best}}
		for _, next := range best.neighbours(1) {
			sites = append(sites, &tried{site: next})
		}
		// The cell is an octave wide: it has about as much as the density in its middle.
		if got, want := logShares(sites)[0], logScalePrior(best.octaves)/temper; math.Abs(got-want) > 1 {
			t.Errorf("%d variables: the best site stands for exp(%.2f), want about exp(%.2f)", d, got, want)
		}
	}
}

// TestDrawsOfASiteShareTheirMean whatever their own evidence.
func TestDrawsOfASiteShareTheirMean(t *testing.T) {
	at := func(k, score float64, draw int) *tried {
		return &tried{site: site{octaves: []float64{k}, draw: draw}, score: score}
	}
	list := []*tried{at(-1, 2, 0), at(-1, 5, 1), at(-1, -1, 2), at(1, 2, 0)}
	weights := logWeights(list)
	mean := (math.Exp(2./temper) + math.Exp(5./temper) + math.Exp(-1./temper)) / 3
	for i := range 3 {
		if weights[i] != weights[0] {
			t.Errorf("draw %d has weight %g, draw 0 %g", i, weights[i], weights[0])
		}
	}
	shares := logShares([]*tried{list[0], list[3]})
	got, want := 3*math.Exp(weights[0]-weights[3]), mean/math.Exp(2./temper)*math.Exp(shares[0]-shares[1])
	if math.Abs(got/want-1) > 1e-9 {
		t.Errorf("three draws weigh %.6f times as much as a site of one, want %.6f", got, want)
	}
}

// TestRepresentativesStandForAll: where the evidence is flat, few layers spread as widely over
// scales as all; otherwise they are the best, and negligible ones are dropped.
func TestRepresentativesStandForAll(t *testing.T) {
	var list []*tried
	random := rand.New(rand.NewPCG(6, 6))
	for k := -4.0; k <= 4; k += 0.5 {
		octaves := []float64{k}
		list = append(list, &tried{site: site{octaves: octaves}, score: logScalePrior(octaves) + 0.2*random.Float64()})
	}
	slices.SortStableFunc(list, func(a, b *tried) int { return cmp.Compare(b.score, a.score) })
	spread := func(list []*tried, logs []float64) (mean, sd float64) {
		total := logSumExp(logs)
		square := 0.0
		for i, t := range list {
			w := math.Exp(logs[i] - total)
			mean += w * t.octaves[0]
			square += w * t.octaves[0] * t.octaves[0]
		}
		return mean, math.Sqrt(square - mean*mean)
	}
	mean, sd := spread(list, logWeights(list))
	chosen, logs := representatives(list, mostComponents)
	if got, s := spread(chosen, logs); len(chosen) > mostComponents || math.Abs(got-mean) > 0.1*sd || math.Abs(s/sd-1) > 0.1 {
		t.Errorf("%d layers have scales of %.3f +- %.3f octaves, all have %.3f +- %.3f", len(chosen), got, s, mean, sd)
	}
	if !slices.IsSortedFunc(logs, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("weights are not in order: %v", logs)
	}
	for _, l := range list[3:] {
		l.score -= 100
	}
	if chosen, _ := representatives(list, mostComponents); len(chosen) != 3 {
		t.Errorf("%d layers of three that matter", len(chosen))
	}
	if chosen, _ := representatives(list, 1); len(chosen) != 1 || chosen[0] != list[0] {
		t.Errorf("the only one is not the best")
	}
}

// TestLayersOfAllSolutionsExplore: the best layer of each solution does, however alike the layers of the best
// one are; of solutions that do not matter none does.
func TestLayersOfAllSolutionsExplore(t *testing.T) {
	solved := func(log, middle float64) solution {
		s := solution{log: log}
		for k := -4.0; k <= 4; k += 0.5 {
			octaves := []float64{k}
			s.sites = append(s.sites, &tried{site: site{octaves: octaves}, score: logScalePrior(octaves) - 20*(k-middle)*(k-middle)})
		}
		return s
	}
	e := &coefficients{solved: []solution{solved(0, -2), solved(-3, 1), solved(-2*deepest, 3)}}
	found := map[float64]bool{}
	chosen := e.sites(mostExplored)
	for _, c := range chosen {
		found[c.octaves[0]] = true
	}
	if len(found) != len(chosen) || !found[-2] || !found[1] || found[3] {
		t.Errorf("layers of scales %v explore", found)
	}
	if chosen := e.sites(1); len(chosen) != 1 || chosen[0].octaves[0] != -2 {
		t.Errorf("the only one is not the best")
	}
}

// TestMixtureHasTheWeightsOfItsLayers: including those of the layers that they represent, and 1 in
// total.
func TestMixtureHasTheWeightsOfItsLayers(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	q, s := searched(t, p, Config{Neurons: 25, Seed: 3})
	_, logs := representatives(s.ranked(), mostComponents)
	if len(q.components) != len(logs) || len(logs) < 3 {
		t.Fatalf("%d components, want %d", len(q.components), len(logs))
	}
	total, sum := logSumExp(logs), 0.0
	for i := range logs {
		got, want := q.components[i].weight, math.Exp(logs[i]-total)
		if sum += got; math.Abs(got-want) > 1e-4 {
			t.Errorf("component %d has weight %.6f, want %.6f", i, got, want)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("weights sum to %.15f", sum)
	}
}

// TestSearchLooksAllOverThePrior: at scales far from the best, too.
func TestSearchLooksAllOverThePrior(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	_, s := searched(t, p, Config{Neurons: 25, Seed: 3})
	for _, a := range []feature.Activation{feature.Tanh, feature.Sine} {
		for _, k := range []float64{-latticeStep, 0, latticeStep} {
			if t0 := (site{activation: a, octaves: []float64{k}}); s.book[t0.key()] == nil {
				t.Errorf("%v: nothing was tried %g octaves from the median", a, k)
			}
		}
	}
}

// betweenSteps is how much better, in nats, a scale half a step away may be: negligible when layers
// are mixed.
const betweenSteps = 1

// TestSearchFindsTheBestScales: no common scale on a ladder of octaves, and none beside the best,
// has a score better by more than the difference between two steps.
func TestSearchFindsTheBestScales(t *testing.T) {
	for _, seed := range []uint64{3, 4} {
		p, _ := wave(rand.New(rand.NewPCG(5, seed)), 12, 0.05)
		_, s := searched(t, p, Config{Neurons: 60, Seed: seed, Ensemble: 1})
		best := s.best()
		for _, a := range s.config.activations() {
			for k := -3.0; k <= 5; k++ {
				s.try(site{activation: a, octaves: []float64{k}})
			}
		}
		if found := s.best(); found.score > best.score+betweenSteps {
			t.Errorf("score %.2f at %s, the search found %.2f at %s", found.score, found.key(), best.score, best.key())
		}
	}
}

// TestOnlyTheActivationsThatAreAskedForAreMixed.
func TestOnlyTheActivationsThatAreAskedForAreMixed(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	for name, test := range map[string]struct {
		config Config
		want   []feature.Activation
	}{
		"the default":   {Config{}, []feature.Activation{feature.Tanh, feature.Sine, feature.Gaussian}},
		"one":           {Config{Activation: feature.Gaussian}, []feature.Activation{feature.Gaussian}},
		"tanh alone":    {Config{Activations: []feature.Activation{feature.Tanh}}, []feature.Activation{feature.Tanh}},
		"two of a list": {Config{Activation: feature.Sine, Activations: []feature.Activation{feature.Logistic, feature.Softplus}}, []feature.Activation{feature.Logistic, feature.Softplus}},
	} {
		test.config.Neurons, test.config.Seed = 25, 3
		q, s := searched(t, p, test.config)
		for _, tried := range s.order {
			if !slices.Contains(test.want, tried.activation) {
				t.Errorf("%s: %v was tried", name, tried.activation)
			}
		}
		for _, c := range q.components {
			if !slices.Contains(test.want, c.basis.Layer.Activation()) {
				t.Errorf("%s: %v is mixed", name, c.basis.Layer.Activation())
			}
		}
	}
}

// TestHeldScalesAreKept: with given scales only activations and draws are mixed.
func TestHeldScalesAreKept(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	q, s := searched(t, p, Config{Neurons: 25, Seed: 3, Scale: []float64{5}})
	for _, c := range q.components {
		if got := c.basis.Layer.Scale()[0]; got != 5 {
			t.Errorf("a component has scale %g", got)
		}
	}
	draws := map[int]bool{}
	for _, tried := range s.order {
		draws[tried.draw] = true
	}
	if len(draws) < 2 || len(draws) > defaultEnsemble {
		t.Errorf("draws %v were tried, want two to %d", draws, defaultEnsemble)
	}
	if got := relative(q.Summary().Scale[0], 5); got > 1e-12 {
		t.Errorf("the summary says %v", q.Summary().Scale)
	}
}

// carried is u_x - u_y/2 = 0 on a square with u = tanh(6 (x/2 + y)): constant along oblique lines.
func carried() (*system.Problem, system.Func) {
	exact := system.Func(func(x []float64) float64 { return mat.Tanh(6 * (float64(0.5*x[0]) + x[1])) })
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: -1, Max: 1}, {Name: "y", Min: -1, Max: 1}}, Fields: []string{"u"},
		Equations: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}, {Derivative: []int{0, 1}, Coefficient: system.Constant(-0.5)}}}}},
		Sensors:   []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(20, 2, nil), Values: make([]float64, 20), Sigma: []float64{0.02}}},
	}
	p.Equations[0].Points, _ = system.Collocation(p.Variables, nil, 150, 3)
	random := rand.New(rand.NewPCG(2, 3))
	noise := make([]float64, 20)
	fillNormal(random, noise)
	s := &p.Sensors[0]
	for i := range noise {
		s.Points.Set(i, 0, 2*random.Float64()-1)
		s.Points.Set(i, 1, 2*random.Float64()-1)
		s.Values[i] = exact(s.Points.Row(i)) + float64(0.02*noise[i])
	}
	return p, exact
}

// TestNeuronsTurnToTheSolution: the evidence finds neurons that are longer along the lines on which
// the solution is constant.
func TestNeuronsTurnToTheSolution(t *testing.T) {
	p, exact := carried()
	q, s := searched(t, p, Config{Neurons: 150, Seed: 1, Ensemble: 1, Activations: []feature.Activation{feature.Tanh}})
	best := s.best()
	if best.turn == 0 {
		t.Fatalf("the best site, %s, is not turned", best.key())
	}
	straight := math.Inf(-1)
	for _, tried := range s.order {
		if tried.turn == 0 {
			straight = math.Max(straight, tried.score)
		}
	}
	if best.score < straight+2 {
		t.Errorf("turned neurons have score %.2f, others %.2f", best.score, straight)
	}
	// The axis of the larger slopes is that of (1/2, 1).
	axes, steep := best.axes(), 0
	if best.octaves[1] > best.octaves[0] {
		steep = 1
	}
	cosine := math.Abs(axes[steep]*0.5+axes[2+steep]) / math.Sqrt(1.25)
	if cosine < math.Cos(math.Pi/16) {
		t.Errorf("the steep axis is (%.2f, %.2f)", axes[steep], axes[2+steep])
	}
	points := system.Grid(p.Variables, nil, []int{11, 11})
	mean, sd, err := q.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range mean {
		if off := math.Abs(m - exact(points.Row(i))); off > 0.05+4*sd[i] {
			t.Errorf("at %v: off by %.3f with sd %.3f", points.Row(i), off, sd[i])
		}
	}
}

// TestTurnsOfASite: a right angle exchanges the axes, and turning forth and back gives the same
// site.
func TestTurnsOfASite(t *testing.T) {
	half := int(math.Round(math.Pi / 2 / turnUnit))
	s := site{octaves: []float64{2, -1}}
	for by := 1; by < 3*half; by++ {
		there := s
		for range by {
			there = there.turned(1)
		}
		if there.turn > half/2 || there.turn <= -half/2 {
			t.Fatalf("turned by %d: turn %d", by, there.turn)
		}
		back := there
		for range by {
			back = back.turned(-1)
		}
		if back.key() != s.key() {
			t.Errorf("turned by %d and back: %s, was %s", by, back.key(), s.key())
		}
		// Wherever the turn ends, the steep axis is turned by so much in all.
		axes := there.axes()
		if axes == nil {
			axes = []float64{1, 0, 0, 1}
		}
		steep := 0
		if there.octaves[1] > there.octaves[0] {
			steep = 1
		}
		angle := math.Atan2(axes[2+steep], axes[steep])
		want := float64(by) * turnUnit
		if d := math.Mod(math.Abs(angle-want)+1e-9, math.Pi); d > 1e-6 {
			t.Errorf("turned by %d: the steep axis is at %.4f, want %.4f", by, angle, want)
		}
	}
}

// TestFirstNeurons are few along one variable, but for the pilot, and where several fields share the weights.
func TestFirstNeurons(t *testing.T) {
	for _, test := range []struct{ variables, fields, pilot, want int }{
		{1, 1, 200, 100}, {1, 2, 200, 100}, {1, 3, 100, 100}, {2, 1, 200, 200}, {3, 2, 200, 200}, {2, 3, 100, 100},
	} {
		p := &system.Problem{Variables: make([]system.Variable, test.variables), Fields: make([]string, test.fields)}
		if got := startingNeurons(p); got != test.want {
			t.Errorf("%d variables and %d fields begin with %d neurons, want %d", test.variables, test.fields, got, test.want)
		}
		if got := pilotNeurons(p); got != test.pilot {
			t.Errorf("%d variables and %d fields: the pilot has %d neurons, want %d", test.variables, test.fields, got, test.pilot)
		}
		for linearised, want := range map[bool]int{false: test.want, true: test.pilot} {
			c := Config{linearised: linearised}
			if got := c.stages(p)[0].neurons; got != want {
				t.Errorf("%d variables and %d fields, linearised %v: %d neurons, want %d", test.variables, test.fields, linearised, got, want)
			}
		}
	}
}

// TestLatticeGoesUpToTheSteepest scales along one variable that the equations have points for, whatever the best one is.
func TestLatticeGoesUpToTheSteepest(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	f, err := newFrame(balanced(p.ForNeurons(fewestNeurons)))
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(f, Config{Seed: 3, Activations: []feature.Activation{feature.Tanh}}, fewestNeurons, nil)
	defer s.release()
	s.begin(s.config.activations()...)
	s.spread()
	steepest := 0
	for k := -latticeStep; k <= highestOctave; k += latticeStep {
		at := &tried{site: alike(feature.Tanh, 1, float64(k))}
		switch known := s.book[at.key()]; {
		case s.beyond(at):
			continue
		case known == nil:
			t.Errorf("%d octaves have not been tried", k)
		case known.err != nil:
			t.Errorf("%d octaves: %v", k, known.err)
		}
		steepest = k
	}
	if steepest <= latticeStep {
		t.Errorf("nothing steeper than %d octaves was asked for", steepest)
	}
}

// TestNeuronsAreDoubledUntilAnswersStand where their number is open.
func TestNeuronsAreDoubledUntilAnswersStand(t *testing.T) {
	p, exact := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	q := fit(t, p, Config{Seed: 3, Activations: []feature.Activation{feature.Tanh}})
	s := q.Summary()
	if s.Neurons < 2*startingNeurons(p) || s.Neurons > maxNeurons+1 {
		t.Errorf("%d neurons", s.Neurons)
	}
	if !(s.Unsettled > 0) || s.Unsettled > stillness && s.Neurons <= maxNeurons/2 {
		t.Errorf("with %d neurons answers have moved by %g of their sd", s.Neurons, s.Unsettled)
	}
	points := system.Grid(p.Variables, nil, []int{41})
	mean, sd, err := q.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range mean {
		if math.Abs(m-exact(points.Row(i))) > 4*sd[i] {
			t.Errorf("at %v: off by %g with sd %g", points.Row(i), m-exact(points.Row(i)), sd[i])
		}
	}
	if given := fit(t, p, Config{Neurons: 40, Seed: 3}).Summary(); given.Unsettled != 0 {
		t.Errorf("forty neurons were asked for, and unsettled is %g", given.Unsettled)
	}
}

// TestMovedFrom is in standard deviations.
func TestMovedFrom(t *testing.T) {
	a := &answers{[]float64{1, 2}, []float64{0.1, 0.5}}
	b := &answers{[]float64{1.2, 2}, []float64{0.2, 0.1}}
	if got, want := a.movedFrom(b), math.Sqrt(0.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("moved by %g, want %g", got, want)
	}
}
