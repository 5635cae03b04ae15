package posterior

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bpielm/bpielm/mat"
)

// known is a density whose moments are known from sums over a fine grid.
type known struct {
	name       string
	dimensions int
	log        func(z []float64) float64 // without the standard normal prior
	reach      float64                   // of the grid
	off        float64                   // share of the interval by which its ends may be off
}

// A kink and two arms are harder to follow than a smooth density.
var knownDensities = []known{
	{"flat", 1, func([]float64) float64 { return 3 }, 6, 0.03},
	{"narrow", 1, func(z []float64) float64 { return -0.5 * math.Pow((z[0]-1.2)/0.002, 2) }, 0.02, 0.03},
	{"skewed", 1, func(z []float64) float64 { return -40 * math.Pow(math.Exp(0.8*z[0])-1, 2) }, 6, 0.03},
	{"long tails", 1, func(z []float64) float64 {
		u := math.Abs(z[0]) / 0.04
		return logSumExp([]float64{-0.5 * u * u, -9 - 0.6*u})
	}, 1, 0.03},
	{"half open", 1, func(z []float64) float64 { return -50 * math.Pow(math.Max(z[0], 0), 2) }, 6, 0.05},
	{"long", 2, func(z []float64) float64 {
		return -0.5*math.Pow((z[0]+z[1]-1)/0.03, 2) - 0.5*math.Pow((z[0]-z[1])/0.5, 2)
	}, 6, 0.03},
	{"bent", 2, func(z []float64) float64 { return -0.5 * math.Pow((z[1]-z[0]*z[0]*0.6)/0.2, 2) }, 6, 0.1},
}

// exploredAll returns the clouds that chosen points of a scan lead to, heaviest first.
func exploredAll(t *testing.T, l *landscape) []*cloud {
	t.Helper()
	scanned := priorSpots(l.dimensions, scanPlaces(l.dimensions))
	for i := range scanned {
		scanned[i] = *l.look(scanned[i].z)
	}
	slices.SortStableFunc(scanned, func(a, b spot) int { return cmp.Compare(b.log, a.log) })
	sketches, err := l.sketches(chosenPlaces(scanned, solvedPlaces(l.dimensions), temper), l.firstSteps())
	if err != nil {
		t.Fatal(err)
	}
	clouds, err := l.clouds(sketches, 1)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(clouds, func(a, b *cloud) int { return cmp.Compare(b.mass, a.mass) })
	return clouds
}

// Weighted quantiles of the first coordinate, and the integral, agree with a fine grid.
func TestExplorationFindsKnownDensities(t *testing.T) {
	const (
		steps   = 2001
		planar  = 401
		massOff = 0.1 // nats
	)
	for _, k := range knownDensities {
		var calls atomic.Int64
		l := newLandscape(k.dimensions, func(z []float64) float64 { calls.Add(1); return k.log(z) })
		c := exploredAll(t, l)[0]
		// the grid
		var z, w []float64
		middle := 0.0
		if k.name == "narrow" {
			middle = 1.2
		}
		total, cell := 0.0, 0.0
		add := func(x ...float64) float64 {
			v := math.Exp(k.log(x) - 0.5*squares(x))
			total += v
			return v
		}
		if k.dimensions == 1 {
			cell = 2 * k.reach / (steps - 1)
			for i := range steps {
				x := middle - k.reach + float64(i)*cell
				z, w = append(z, x), append(w, add(x))
			}
		} else {
			side := 2 * k.reach / (planar - 1)
			cell = side * side
			for i := range planar {
				x, sum := -k.reach+float64(i)*side, 0.0
				for j := range planar {
					sum += add(x, -k.reach+float64(j)*side)
				}
				z, w = append(z, x), append(w, sum)
			}
		}
		if got, want := c.mass, math.Log(total*cell); math.Abs(got-want) > massOff {
			t.Errorf("%s: log of the integral is %.4f, want %.4f", k.name, got, want)
		}
		first := make([]float64, len(c.z))
		for i := range c.z {
			first[i] = c.z[i][0]
		}
		low, high := weightedQuantile(z, w, 0.025), weightedQuantile(z, w, 0.975)
		for _, p := range []float64{0.025, 0.5, 0.975} {
			got, want := weightedQuantile(first, c.weights, p), weightedQuantile(z, w, p)
			if math.Abs(got-want) > k.off*(high-low) {
				t.Errorf("%s: quantile %g is %.5g, want %.5g of [%.5g, %.5g]", k.name, p, got, want, low, high)
			}
		}
		t.Logf("%-10s %d places, %d rounds, error %.3f", k.name, calls.Load(), c.rounds, c.off)
	}
}

// weightedQuantile interpolates between the middles of weights.
func weightedQuantile(x, w []float64, p float64) float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	total := 0.0
	for _, v := range w {
		total += v
	}
	before, last := 0.0, math.NaN()
	for n, i := range order {
		at := (before + 0.5*w[i]) / total
		if at >= p {
			if n == 0 {
				return x[i]
			}
			j := order[n-1]
			return x[j] + (x[i]-x[j])*(p-last)/(at-last)
		}
		before, last = before+w[i], at
	}
	return x[order[len(order)-1]]
}

// Two maxima far apart are both found, and their masses.
func TestExplorationFindsBothMaxima(t *testing.T) {
	log := func(z []float64) float64 {
		a := -0.5 * math.Pow((z[0]+1)/0.1, 2)
		b := -0.5*math.Pow((z[0]-1)/0.05, 2) + math.Log(3)
		return math.Max(a, b)
	}
	l := newLandscape(1, func(z []float64) float64 { return log(z) })
	var masses []float64
	for _, c := range exploredAll(t, l) {
		near := math.Inf(1)
		for _, at := range []float64{-1, 1} {
			near = math.Min(near, math.Abs(c.mean[0]-at))
		}
		if near > 0.05 {
			t.Errorf("a maximum at %.3f; they are at -1 and 1", c.mean[0])
		}
		masses = append(masses, c.mass)
	}
	if len(masses) < 2 {
		t.Fatalf("%d maxima were climbed to", len(masses))
	}
	if ratio := math.Exp(slices.Max(masses) - slices.Min(masses)); math.Abs(ratio/1.5-1) > 0.1 {
		t.Errorf("one is %.2f times as probable as the other, want 1.5", ratio)
	}
}

// In eight dimensions a correlated Gaussian is found, with its moments.
func TestExplorationOfEight(t *testing.T) {
	const d = 8
	centre := []float64{0.5, -1, 0.2, 1.5, 0, -0.3, 0.8, -0.6}
	// z ~ N(centre, sigma^2 (I + 11')) in likelihood
	const sigma = 0.05
	log := func(z []float64) float64 {
		r, sum := make([]float64, d), 0.0
		for i := range r {
			r[i] = (z[i] - centre[i]) / sigma
			sum += r[i]
		}
		return -0.5 * (squares(r) - sum*sum/(d+1))
	}
	var calls atomic.Int64
	l := newLandscape(d, func(z []float64) float64 { calls.Add(1); return log(z) })
	c := exploredAll(t, l)[0]
	mean, square := make([]float64, d), make([]float64, d)
	for i, w := range c.weights {
		for k, v := range c.z[i] {
			mean[k] += w * v
			square[k] += w * (v - centre[k]) * (v - centre[k])
		}
	}
	want := sigma * math.Sqrt2
	for k := range d {
		if math.Abs(mean[k]-centre[k]) > 0.15*want {
			t.Errorf("mean %d is %.4f, want %.4f ± %.4f", k, mean[k], centre[k], want)
		}
		if sd := math.Sqrt(square[k]); math.Abs(sd/want-1) > 0.15 {
			t.Errorf("sd %d is %.4f, want %.4f", k, sd, want)
		}
	}
	t.Logf("%d places, %d rounds, error %.3f", calls.Load(), c.rounds, c.off)
}

// Models that disagree are mixed by their tempered evidence: of three nats one counts.
func TestModelsThatDisagreeAreMixed(t *testing.T) {
	w := modelWeights([]float64{0, 0}, []float64{5, 2})
	if want := 1 / (1 + mat.Exp(-1)); math.Abs(w[0]-want) > 1e-12 {
		t.Errorf("the better model weighs %.3f, want %.3f", w[0], want)
	}
}

// Where models agree on coefficients, their evidence is tempered. Where they do not, it is believed.
func TestModelsOfOtherCoefficientsAreBelieved(t *testing.T) {
	at := func(mean, mass float64) *view {
		root := mat.NewDense(1, 1, []float64{0.1})
		return &view{clouds: []*cloud{{centre: []float64{mean}, mean: []float64{mean}, root: root, mass: mass}}}
	}
	const fall = 6
	tempered, exact := 1/(1+math.Exp(-fall/temper)), 1/(1+math.Exp(-fall))
	last := 0.0
	for _, apart := range []float64{0, 0.05, 0.1, 0.2, 0.4, 2} {
		w := agreedWeights([]*view{at(1, fall), at(1+apart, 0)})
		if apart == 0 && math.Abs(w[0]-tempered) > 1e-9 {
			t.Errorf("of models that agree the better one weighs %.4f, want %.4f", w[0], tempered)
		}
		if apart == 2 && math.Abs(w[0]-exact) > 1e-4 {
			t.Errorf("of models that do not agree the better one weighs %.5f, want %.5f", w[0], exact)
		}
		if w[0] < last {
			t.Errorf("%g apart the better model weighs %.4f, nearer %.4f", apart, w[0], last)
		}
		last = w[0]
	}
}

// The reported prediction error of a rough density is its roughness, however many points were
// evaluated.
func TestRoughDensitiesAreForetoldRoughly(t *testing.T) {
	for _, rough := range []float64{0, 0.1, 0.2} {
		c := exploredAll(t, newLandscape(1, func(z []float64) float64 {
			return -0.5*math.Pow((z[0]-0.3)/0.2, 2) + rough*math.Sin(1e5*z[0])
		}))[0]
		rms := rough / math.Sqrt2
		t.Logf("roughness %.3f, predicted to %.3f", rms, c.off)
		if c.off < 0.5*rms || c.off > 2*rms+0.01 {
			t.Errorf("a roughness of %.3f nats is predicted to %.3f", rms, c.off)
		}
	}
}

// A surrogate does not wait for more points than there are.
func TestSurrogateOfFewPlaces(t *testing.T) {
	c := &cloud{centre: []float64{0, 0}, root: lowerRoot(mat.NewSym(2, []float64{1, 0, 0, 1}))}
	ended := make(chan bool, 1)
	go func() {
		for n := 1; n <= 3; n++ {
			var places []*spot
			for i := range n {
				places = append(places, &spot{[]float64{0.1 * float64(i), -0.2 * float64(i*i)}, -float64(i)})
			}
			if fit, err := c.fit(places, nil); err == nil && !finite(fit.at([]float64{0.05, 0})) {
				t.Errorf("of %d places: %g", n, fit.at([]float64{0.05, 0}))
			}
		}
		ended <- true
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
}

// A climb ends where it comes into the bulk of a maximum that is known.
func TestClimbsEndWhereMaximaAreKnown(t *testing.T) {
	ridge := func(z []float64) float64 {
		return -0.5*math.Pow((z[1]-z[0]*z[0]*0.6)/0.02, 2) - 0.5*math.Pow(z[0]/0.3, 2)
	}
	looked := func(starts ...[]float64) (int, []*cloud) {
		l := newLandscape(2, ridge)
		var known []spot
		for _, z := range starts {
			known = append(known, *l.look(z))
		}
		list, err := l.sketches(known, l.firstSteps())
		if err != nil {
			t.Fatal(err)
		}
		return len(l.seen), list
	}
	near, far := []float64{0.3, 0.1}, []float64{-1.2, 0.8}
	one, _ := looked(near)
	other, _ := looked(far)
	if both, list := looked(near, far); both >= one+other-1 || len(list) != 1 {
		t.Errorf("%d points for two climbs to %d maxima, %d and %d alone", both, len(list), one, other)
	}
}

// A density with long tails, such as one that two models make together, bends up before the last points. A surrogate falls beyond
// them all the same.
func TestSurrogateFallsBeyondTheLastPoints(t *testing.T) {
	log := func(u float64) float64 { return logSumExp([]float64{-0.5 * u * u, -6 - math.Abs(u)}) }
	var places [][]float64
	var logs []float64
	for u := -farthestSentinel; u <= farthestSentinel; u++ {
		places, logs = append(places, []float64{u}), append(logs, log(u))
	}
	s, err := newSurrogate(places, logs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []float64{-20, -14, -10, 10, 14, 20} {
		edge := math.Copysign(farthestSentinel, u)
		want := s.at([]float64{edge}) - 0.5*(u*u-edge*edge)
		if v := s.at([]float64{u}); math.Abs(v-want) > 1e-9 {
			t.Errorf("at %g it is %g, want %g", u, v, want)
		}
		if off := math.Abs(s.at([]float64{edge}) - log(edge)); off > 1 {
			t.Errorf("at %g it is off by %g", edge, off)
		}
		t.Logf("at %g it would be %g without that", u, s.plain([]float64{u}))
	}
}
