package posterior

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// levelled is a problem whose evidence has no diagonal form, compiled with a layer of the given
// size.
func levelled(t *testing.T, p *system.Problem, neurons int, scale float64) *Physics {
	t.Helper()
	layer, err := feature.New(p.Box(), feature.Config{Neurons: neurons, Scale: []float64{scale}, Seed: 7, Constant: true})
	if err != nil {
		t.Fatal(err)
	}
	ph, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
	if err != nil {
		t.Fatal(err)
	}
	return ph
}

// levelledProblems have one learned noise level beside a parameter; two, and a condition with an sd;
// and two with so many readings that they are compressed.
func levelledProblems() map[string]*system.Problem {
	one, _ := wave(rand.New(rand.NewPCG(1, 2)), 20, 0.05)
	one.Sensors[0].Sigma = nil
	two := rod(true)
	two.Conditions[0].SD = 0.05
	many := rod(true)
	for _, p := range []*system.Problem{two, many} {
		n := 9
		if p == many {
			n = 40
		}
		random := rand.New(rand.NewPCG(3, 4))
		for g := range p.Sensors {
			s := &p.Sensors[g]
			s.Points, s.Values, s.Sigma = mat.NewDense(n, 1, nil), make([]float64, n), nil
			for i := range n {
				x := 2 * (float64(i) + 0.5) / float64(n)
				s.Points.Set(i, 0, x)
				s.Values[i] = math.Sin(2*x) + 0.03*random.NormFloat64()
				if g == 1 {
					s.Values[i] = 2*math.Cos(2*x) + 0.2*random.NormFloat64()
				}
			}
		}
	}
	return map[string]*system.Problem{"one level": one, "two levels": two, "two levels of many readings": many}
}

// levelsOf fixes the slack at an amplitude of 1.
func levelsOf(t *testing.T, ph *Physics, p *system.Problem, tau float64, a amplitudes) *levels {
	t.Helper()
	return hold(t, ph, p.Sensors, 1, tau, nil).levels(a)
}

// openAmplitude is the amplitude's prior with that of the slack.
func openAmplitude(tau float64) amplitudes {
	return amplitudes{density: func(logA, a float64) (exponent, factor float64) {
		exponent, factor = amplitudeDensity(logA, a)
		return exponent + logSlackPrior(tau*a), factor
	}}
}

// differenceError bounds the relative error of the amplitude prior's derivatives, which are
// differences over a twentieth.
const differenceError = 5e-3

func TestDerivativesOfTheLevelsAreThoseOfTheirEvidence(t *testing.T) {
	for name, p := range levelledProblems() {
		ph := levelled(t, p, 14, 4)
		for _, a := range []amplitudes{openAmplitude(1e-4), flatAmplitude(1.4)} {
			l := levelsOf(t, ph, p, 1e-4, a)
			theta := []float64{math.Log(1.4), math.Log(0.07), math.Log(0.3)}[:1+len(l.u.learned)]
			value := func(i int, step float64) float64 {
				moved := slices.Clone(theta)
				moved[i] += step
				v, err := l.at(moved)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			const h = 1e-4
			var want []float64
			for i := range theta {
				want = append(want, (value(i, h)-value(i, -h))/(2*h))
			}
			if a.single {
				want[0] = 0
			}
			value(0, 0) // what derivatives refers to
			gradient, information := l.derivatives(theta)
			size := mat.Nrm2(want)
			for i, g := range gradient {
				if math.Abs(g-want[i]) > differenceError*size {
					t.Errorf("%s: derivative %d is %.6g, want %.6g", name, i, g, want[i])
				}
			}
			expected := expectedInformation(t, l, theta)
			for i := range theta {
				for j := range i + 1 {
					bound := differenceError * math.Sqrt(expected.At(i, i)*expected.At(j, j))
					if math.Abs(information.At(i, j)-expected.At(i, j)) > bound {
						t.Errorf("%s: information (%d, %d) is %.6g, want %.6g", name, i, j, information.At(i, j), expected.At(i, j))
					}
				}
			}
		}
	}
}

// expectedInformation is 1/2 tr S^-1 dS S^-1 dS by the definition, plus the observed curvature of
// the priors and of the rows that are not data.
func expectedInformation(t *testing.T, l *levels, theta []float64) *mat.Sym {
	t.Helper()
	n, m := len(l.u.r), len(theta)
	index := map[int]int{}
	for i, g := range l.u.learned {
		index[g] = 1 + i
	}
	inverse := func() *mat.Dense { // of S, which is nearly singular, in extended precision
		a, one := make([][]*big.Float, n), make([][]*big.Float, n)
		for i := range n {
			a[i], one[i] = make([]*big.Float, n), make([]*big.Float, n)
			for j := range n {
				product := bigZero()
				for k := range l.u.x.Rows() {
					product.Add(product, bigZero().Mul(bigOf(l.u.x.At(k, i)), bigOf(l.u.x.At(k, j))))
				}
				a[i][j], one[i][j] = product.Mul(product, bigOf(math.Exp(2*theta[0]))), bigZero()
			}
			noise := 1.0
			if k := index[l.u.group[i]]; k > 0 {
				noise = math.Exp(2 * theta[k])
			}
			a[i][i].Add(a[i][i], bigOf(noise))
			one[i][i] = bigOf(1)
		}
		x, _ := bigSolve(a, one)
		v := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				element, _ := x[i][j].Float64()
				v.Set(i, j, element)
			}
		}
		return v
	}()
	products := make([]*mat.Dense, m) // S^-1 dS
	for k := range m {
		d := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				if k == 0 {
					d.Set(i, j, 2*math.Exp(2*theta[0])*l.k.At(max(i, j), min(i, j)))
				} else if i == j && index[l.u.group[i]] == k {
					d.Set(i, i, 2*math.Exp(2*theta[k]))
				}
			}
		}
		products[k] = mat.NewDense(n, n, nil)
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, inverse, d, 0, products[k])
	}
	information := mat.NewSym(m, nil)
	for k := range m {
		for q := range k + 1 {
			trace := 0.0
			for i := range n {
				for j := range n {
					trace += products[k].At(i, j) * products[q].At(j, i)
				}
			}
			information.Set(k, q, trace/2)
		}
	}
	for i, g := range l.u.learned {
		of := &l.u.groups[g]
		information.Set(1+i, 1+i, information.At(1+i, 1+i)+2*float64(of.extra)+math.Exp(theta[1+i])/of.size)
	}
	if l.a.single {
		for k := 1; k < m; k++ {
			information.Set(k, 0, 0)
		}
		information.Set(0, 0, 1)
		return information
	}
	f := func(logA float64) float64 {
		value := l.a.logPrior(logA)
		if n > l.u.data {
			q, det, err := l.priorRows(math.Exp(2 * logA))
			if err != nil {
				t.Fatal(err)
			}
			value += 0.5 * (q + det)
		}
		return value
	}
	const h = 1e-3
	curvature := -(f(theta[0]+h) - 2*f(theta[0]) + f(theta[0]-h)) / (h * h)
	information.Set(0, 0, information.At(0, 0)+curvature)
	return information
}

// laplaceError bounds the error of an integral over amplitude and noise in nats, where readings
// determine both.
const laplaceError = 0.35

// TestLaplaceIntegralIsThatOnAGrid: for several slacks, each starting from the previous one, over
// everything that explains the readings.
func TestLaplaceIntegralIsThatOnAGrid(t *testing.T) {
	for name, p := range levelledProblems() {
		eachSlack(t, p, []float64{1e-6, 1e-3}, func(tau float64, u *underPhysics, l *levels, nodes []node, got float64) {
			if want := gridOfLevels(t, l); math.Abs(got-want) > laplaceError {
				t.Errorf("%s, slack %g: log integral %.4f, want %.4f", name, tau, got, want)
			}
			if !slices.IsSortedFunc(nodes, func(a, b node) int { return int(math.Copysign(1, a.amplitude-b.amplitude)) }) {
				t.Errorf("%s: nodes are not in the order of their amplitudes", name)
			}
		})
	}
}

// eachSlack integrates over amplitude and noise at several slacks, each starting from the previous
// one, and passes on each integral, which must be that of the nodes.
func eachSlack(t *testing.T, p *system.Problem, slacks []float64, check func(tau float64, u *underPhysics, l *levels, nodes []node, got float64)) {
	t.Helper()
	const sumError = 1e-9
	ph := levelled(t, p, 14, 4)
	dec, err := ph.at(1)
	if err != nil {
		t.Fatal(err)
	}
	o := newObserved(ph.scaled(mustRead(t, ph, p.Sensors)), len(ph.scale), dec, nil)
	for _, tau := range slacks {
		prior := new(slackPrior)
		if err := prior.set(dec, tau); err != nil {
			t.Fatal(err)
		}
		u, a := o.under(prior), openAmplitude(tau)
		nodes, got, err := u.integrate(a)
		if err != nil {
			t.Fatal(err)
		}
		logs := make([]float64, len(nodes))
		for i := range nodes {
			logs[i] = nodes[i].logWeight
		}
		if math.Abs(logSumExp(logs)-got) > sumError {
			t.Errorf("slack %g: nodes sum to %g, the integral is %g", tau, logSumExp(logs), got)
		}
		check(tau, u, levelsOf(t, ph, p, tau, a), nodes, got)
	}
}

// gridOfLevels integrates levels on a grid.
func gridOfLevels(t *testing.T, l *levels) float64 {
	t.Helper()
	return gridOfNoise(l, 0.01, 2)
}

// gridOfNoise does so for noise between two shares of the size of the readings.
func gridOfNoise(l *levels, least, most float64) float64 {
	const stepA, stepNoise = 0.4, 0.2
	var logs []float64
	var over func(theta []float64, volume float64)
	over = func(theta []float64, volume float64) {
		if len(theta) == 1+len(l.u.learned) {
			if v, err := l.at(theta); err == nil {
				logs = append(logs, v+volume)
			}
			return
		}
		unit := math.Log(l.u.groups[l.u.learned[len(theta)-1]].size)
		for x := math.Log(least); x < math.Log(most); x += stepNoise {
			over(append(theta[:len(theta):len(theta)], unit+x), volume+math.Log(stepNoise))
		}
	}
	for logA := lowestLogA; logA < highestLogA; logA += stepA {
		over([]float64{logA}, math.Log(stepA))
	}
	return logSumExp(logs)
}

// TestBothExplanationsAreFound: a layer may explain the readings by a large amplitude, or as noise.
// The explanation that is found first must not hide the other.
func TestBothExplanationsAreFound(t *testing.T) {
	for _, readings := range []int{14, 30} {
		p, _ := wave(rand.New(rand.NewPCG(1, 2)), readings, 0.05)
		p.Sensors[0].Sigma = nil
		ph := levelled(t, p, 24, 6)
		states, _, err := ph.survey(mustRead(t, ph, p.Sensors))
		if err != nil {
			t.Fatal(err)
		}
		top := math.Inf(-1)
		for _, s := range states {
			top = math.Max(top, s.logWeight)
		}
		for _, s := range states {
			a := openAmplitude(s.tau)
			if s.tau == states[0].tau {
				continue // which stands for tighter ones, too
			}
			want := gridOfLevels(t, levelsOf(t, ph, p, s.tau, a)) + math.Log(tauStep)
			if want > top-slackDrop && math.Abs(s.logWeight-want) > laplaceError {
				t.Errorf("%d readings, slack %g: log integral %.3f, want %.3f", readings, s.tau, s.logWeight, want)
			}
		}
		q, err := ph.Assimilate(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		if sigma := q.Summary().Noise[0].Sigma; readings == 30 && (sigma < 0.03 || sigma > 0.08) {
			t.Errorf("%d readings: noise %.3f, true 0.05", readings, sigma)
		}
	}
}

func mustRead(t *testing.T, ph *Physics, sensors []system.Sensors) *readings {
	t.Helper()
	r, err := ph.read(sensors)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
