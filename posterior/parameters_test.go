package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// strongSource makes a field of size 1 ten times as large.
const strongSource = 20

// heated is u_xx = -q at the given number of points of [0, 2] with u = 0 at both ends and few
// readings of u, whose noise is about as large as the stated size of the field; u = q x (2 - x) / 2.
func heated(count int, noise []float64, offset float64) (*system.Problem, func(random *rand.Rand)) {
	points := mat.NewDense(count, 1, nil)
	for i := range count {
		points.Set(i, 0, 2*(float64(i)+0.5)/float64(count))
	}
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 2}}, Fields: []string{"u"}, Sizes: []float64{1},
		Parameters: []system.Parameter{{Name: "q"}},
		Equations:  []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}}, Parameters: []system.ParameterTerm{{}}}, Points: points}},
		Conditions: []system.Demand{{Residual: system.Field(0), Points: column(0, 2)}},
		Sensors:    []system.Sensors{{Measures: system.Field(0), Points: column(0.4, 1.1, 1.5), Values: []float64{6, 10, 7}, Sigma: noise}},
	}
	if offset != 0 {
		p.Parameters = append(p.Parameters, system.Parameter{Name: "offset"})
		s := &p.Sensors[0]
		s.Measures.Parameters = []system.ParameterTerm{{Parameter: 1}}
		s.Points, s.Values = column(0.1, 0.4, 0.9, 1.5, 1.9), []float64{7, 11, 15, 12, 7}
	}
	s := &p.Sensors[0]
	return p, func(random *rand.Rand) {
		values := make([]float64, len(s.Values))
		fillNormal(random, values)
		for i := range values {
			x := s.Points.At(i, 0)
			values[i] = strongSource*x*(2-x)/2 + offset + noise[0]*values[i]
		}
		s.Values = values
	}
}

// biasBound is how many standard deviations of its own, over all draws, a mean may be off.
const biasBound = 4

// TestStrongSourcesAreNotShrunk: at fixed amplitude and slack the mean over many draws of the noise
// is the truth, for the source and for an offset beside it. Without splitting off the parameters it
// would be far from it. There are so few points that the neurons can satisfy the equation there:
// what they cannot satisfy counts against the source.
func TestStrongSourcesAreNotShrunk(t *testing.T) {
	const (
		draws            = 400
		amplitude, slack = 10, 1e-3
		points           = 10
		shrunk           = 0.5 // standard deviations
	)
	for name, test := range map[string]struct {
		offset float64
		path   Path
	}{"source": {0, SquareRoot}, "source, sums": {0, GramPath}, "source and offset": {5, SquareRoot}} {
		noise := []float64{1.5}
		p, draw := heated(points, noise, test.offset)
		layer, err := feature.New(p.Box(), feature.Config{Neurons: 20, Scale: []float64{4}, Seed: 7, Constant: true})
		if err != nil {
			t.Fatal(err)
		}
		ph, err := Compile(p, layer, CompileConfig{Path: test.path})
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(3, 4))
		truth := []float64{strongSource, test.offset}[:len(p.Parameters)]
		off, sd := make([]float64, len(truth)), make([]float64, len(truth))
		values := make([]float64, len(p.Sensors[0].Values)) // their mean
		for range draws {
			draw(random)
			mat.Axpy(1./draws, p.Sensors[0].Values, values)
			for i, e := range hold(t, ph, p.Sensors, amplitude, slack, nil).posterior(t).Parameters() {
				off[i] += (e.Mean - truth[i]) / e.SD / draws
				sd[i] = e.SD
			}
		}
		p.Sensors[0].Values = values
		m := plainModelOf(p, layer, ph, amplitude, slack)
		mu, _ := bruteForce(m.d, m.physics.with(m.priors, m.readings)) // with parameters as they come
		for i := range truth {
			if math.Abs(off[i]) > biasBound/math.Sqrt(draws) {
				t.Errorf("%s: parameter %d is off by %.3f of its standard deviation %.3g, on average", name, i, off[i], sd[i])
			}
			if other := (mu[m.neurons+i] - truth[i]) / sd[i]; i == 0 && other > -shrunk {
				t.Errorf("%s: what weights cost moves parameter %d by %.3f standard deviations only; the test does not say much", name, i, other)
			}
		}
	}
}

// TestFitsDoNotShrinkAStrongSource: with every hyper-parameter integrated out, the median over many
// draws of the noise is about the truth, relative to the width of its interval, which has its
// nominal coverage.
func TestFitsDoNotShrinkAStrongSource(t *testing.T) {
	draws := 30
	if testing.Short() {
		draws = 10
	}
	const (
		neurons     = 25
		points      = 2 * neurons // between which no solution can hide
		normalWidth = 2 * 1.96    // of a 95 % interval, in standard deviations
		leastInside = 0.85
	)
	for name, noise := range map[string]float64{"a seventh of the readings": 1.5, "a third": 3, "half": 5, "nearly all": 9} {
		t.Run(name, func(t *testing.T) {
			p, draw := heated(points, []float64{noise}, 0)
			random := rand.New(rand.NewPCG(5, 6))
			off, inside := 0.0, 0
			for seed := range draws {
				draw(random)
				e := fit(t, p, Config{Neurons: neurons, Seed: uint64(seed), Ensemble: 1}).Parameters()[0]
				off += (e.Median - strongSource) / ((e.Upper95 - e.Lower95) / normalWidth) / float64(draws)
				if e.Lower95 <= strongSource && strongSource <= e.Upper95 {
					inside++
				}
			}
			if math.Abs(off) > biasBound/math.Sqrt(float64(draws)) {
				t.Errorf("the source is off by %.3f of its standard deviation on average", off)
			}
			if float64(inside) < leastInside*float64(draws) {
				t.Errorf("its interval holds it %d times of %d", inside, draws)
			}
		})
	}
}

// TestFactorOfAPriorWithParametersApart: mulTrans is the transpose of mul, and trace that of the
// covariance.
func TestFactorOfAPriorWithParametersApart(t *testing.T) {
	const bound = 1e-9
	exact := rod(true)
	exact.Conditions[0].Exact = true
	for name, test := range map[string]struct {
		problem *system.Problem
		path    Path
	}{
		"rows": {rod(true), SquareRoot}, "sums": {rod(true), GramPath}, "an exact condition": {exact, SquareRoot}, "two parameters": {twoFields(), SquareRoot},
	} {
		ph, err := Compile(test.problem, layerFor(test.problem, 12, 3, 7), CompileConfig{Path: test.path})
		if err != nil {
			t.Fatal(err)
		}
		dec, err := ph.at(1)
		if err != nil {
			t.Fatal(err)
		}
		for _, tau := range []float64{1e-4, 1e-2} {
			p := new(slackPrior)
			if err := p.set(dec, tau); err != nil {
				t.Fatal(err)
			}
			if p.apart.count != len(test.problem.Parameters) {
				t.Fatalf("%s: %d parameters are set apart", name, p.apart.count)
			}
			n := len(p.mean)
			left, spread := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			for i := range n {
				left.Set(i, i, 1)
				spread.Set(i, i, 1)
			}
			p.mul(left)
			p.mulTrans(spread)
			size := math.Sqrt(squaresOf(left))
			for i := range n {
				for j := range n {
					if math.Abs(left.At(i, j)-spread.At(j, i)) > bound*size {
						t.Fatalf("%s, slack %g: factor (%d, %d) is %.12g one way, %.12g the other", name, tau, i, j, left.At(i, j), spread.At(j, i))
					}
				}
			}
			if got := p.trace(); relative(got, size*size) > bound {
				t.Errorf("%s, slack %g: trace %.12g, want %.12g", name, tau, got, size*size)
			}
		}
	}
}
