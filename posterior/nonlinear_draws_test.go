package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// squared is the functional theta^2 of parameter 0 of a problem in one variable.
func squared() system.Functional {
	return system.Functional{Nonlinear: &system.Nonlinear{
		Of:       []system.Functional{system.ParameterValue(0)},
		Value:    system.Func(func(x []float64) float64 { return x[1] * x[1] }),
		Partials: []system.Function{system.Func(func(x []float64) float64 { return 2 * x[1] })},
	}}
}

// parabola has a parameter theta ~ N(mean, sd), of whose square there is a reading, and a field that has nothing to do with
// it.
func parabola(mean, sd, reading, sigma float64) *system.Problem {
	p := &system.Problem{
		Variables:  []system.Variable{{Name: "x", Max: 1}},
		Fields:     []string{"u"},
		Parameters: []system.Parameter{{Name: "theta", Mean: mean, SD: sd}},
	}
	p.Equations = []system.Demand{{Residual: system.Derivative(0, 1), Points: system.Grid(p.Variables, nil, []int{20})}}
	p.Sensors = []system.Sensors{
		{Name: "u", Measures: system.Field(0), Points: column(0.2, 0.8), Values: []float64{1, 1.01}, Sigma: []float64{0.1}},
		{Name: "square", Measures: squared(), Points: column(0.5), Values: []float64{reading}, Sigma: []float64{sigma}},
	}
	return p
}

// momentsOfParabola integrates over theta.
func momentsOfParabola(mean, sd, reading, sigma float64) (float64, float64) {
	var total, first, second float64
	for theta := mean - 8*sd; theta < mean+8*sd; theta += sd / 2000 {
		a, b := (theta-mean)/sd, (theta*theta-reading)/sigma
		w := math.Exp(-(a*a + b*b) / 2)
		total, first, second = total+w, first+w*theta, second+w*theta*theta
	}
	first /= total
	return first, math.Sqrt(second/total - first*first)
}

// Draws give the moments of a posterior that is far from Gaussian, where its Laplace approximation does not: on the average
// over seeds, and roughly for each. What remains is that a stated noise may be too small, which widens all bands.
func TestDrawsHaveTheMomentsOfACurvedPosterior(t *testing.T) {
	const seeds, averageError, oneError = 4, 0.08, 0.2 // of means in standard deviations, and of the logarithms of these
	for _, c := range []struct{ mean, sd, reading, sigma float64 }{
		{1, 0.3, 1, 0.2}, {1, 0.5, 1.2, 0.6}, {1.5, 0.5, 1.3, 0.7}, {2, 0.4, 5, 1},
	} {
		mean, sd := momentsOfParabola(c.mean, c.sd, c.reading, c.sigma)
		offMean, offSD := 0.0, 0.0
		for seed := range uint64(seeds) {
			q, err := Fit(parabola(c.mean, c.sd, c.reading, c.sigma), Config{Neurons: 20, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if q.nonlinear.drawn < 0.99 {
				t.Errorf("%+v: %.2f of the layers were drawn from", c, q.nonlinear.drawn)
			}
			e := q.Parameters()[0]
			m, s := (e.Mean-mean)/sd, math.Log(e.SD/sd)
			if math.Abs(m) > oneError || math.Abs(s) > oneError {
				t.Errorf("%+v, seed %d: %.4f ± %.4f, exactly %.4f ± %.4f", c, seed, e.Mean, e.SD, mean, sd)
			}
			offMean, offSD = offMean+m/seeds, offSD+s/seeds
		}
		if math.Abs(offMean) > averageError || math.Abs(offSD) > averageError {
			t.Errorf("%+v: the mean is off by %.3f standard deviations, these by a factor of %.3f", c, offMean, math.Exp(offSD))
		}
	}
}

// nonlinearAt is the nonlinear rows of the logistic equation with an unknown rate and capacity, in a layer about a state near
// the solution.
func nonlinearAt(t *testing.T, value system.Function, partials ...system.Function) *nonlinearLayer {
	t.Helper()
	p := &system.Problem{
		Variables:    []system.Variable{{Name: "t", Max: 4}},
		Fields:       []string{"u"},
		Parameters:   []system.Parameter{{Name: "r", Mean: 1, SD: 0.3}},
		Coefficients: []system.Coefficient{{Name: "K", Median: 2, Factor: 1.2}},
		Sensors:      []system.Sensors{{Measures: system.Field(0), Points: column(0.5, 1.5, 2.5, 3.5), Values: []float64{0.3, 0.7, 1.2, 1.6}, Sigma: []float64{0.05}}},
	}
	p.Equations = []system.Demand{{Points: system.Grid(p.Variables, nil, []int{40}), Residual: system.Functional{
		Terms:     []system.Term{{Derivative: []int{1}}},
		Nonlinear: &system.Nonlinear{Of: []system.Functional{system.Field(0), system.ParameterValue(0)}, Value: value, Partials: partials},
	}}}
	n := &newton{problem: p, neurons: 30, config: Config{}}
	l := linearised(p, &levelState{[]float64{1}, []float64{1}}, []float64{0})
	f, err := newFrame(l.problem)
	if err != nil {
		t.Fatal(err)
	}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 30, Scale: []float64{2}, Seed: 1, Constant: true})
	if err != nil {
		t.Fatal(err)
	}
	ph, err := compile(f, layer, CompileConfig{Tolerance: 0.01}, f.sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := ph.layerPosterior(mustReadings(t, ph, p.Sensors))
	if err != nil {
		t.Fatal(err)
	}
	y, err := newNonlinearLayer(p, &c.component, n.nonlinearRows(l, f, newPosterior(l.problem, []component{c.component}, c.summary), 0.01))
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func logisticRate(t *testing.T) *nonlinearLayer {
	return nonlinearAt(t, system.DependentFunc(func(x, c []float64) float64 { return -x[2] * x[1] * (1 - x[1]/c[0]) }),
		system.DependentFunc(func(x, c []float64) float64 { return -x[2] * (1 - 2*x[1]/c[0]) }),
		system.DependentFunc(func(x, c []float64) float64 { return -x[1] * (1 - x[1]/c[0]) }))
}

// The derivative of what a linearisation leaves out is the limit of differences, with respect to fields, parameters and
// coefficients.
func TestDerivativesOfTheRemainder(t *testing.T) {
	const step, bound = 1e-5, 1e-6
	y := logisticRate(t)
	random := rand.New(rand.NewPCG(1, 2))
	z := make([]float64, y.directions.Cols())
	fillNormal(random, z)
	_, slopes := y.remainder(z, true)
	for j := range z {
		up, down := append([]float64(nil), z...), append([]float64(nil), z...)
		up[j] += step
		down[j] -= step
		a, _ := y.remainder(up, false)
		b, _ := y.remainder(down, false)
		for i := range a[0] {
			want := (a[0][i] - b[0][i]) / (2 * step)
			if got := slopes[0].At(i, j); math.Abs(got-want) > bound*math.Max(1, mat.Nrm2(slopes[0].Row(i))) {
				t.Fatalf("direction %d, row %d: %g, by differences %g", j, i, got, want)
			}
		}
	}
}

// A draw solves its equation. Its weight is the ratio of the density of the posterior to that of the draws, which is that of
// x times the determinant of dx/dz, here by differences.
func TestWeightsAreRatiosOfDensities(t *testing.T) {
	const step, bound = 1e-5, 1e-5
	y := logisticRate(t)
	p := y.directions.Cols()
	x := pairsOfDraws(2*p, p, 1)
	coordinates := func(v []float64) []float64 { // z = V'v
		z := make([]float64, p)
		mat.Gemv(mat.Trans, 1, y.directions, v, 0, z)
		return z
	}
	from := func(z []float64) []float64 { // x(z) = z + J'd(z)
		d, _ := y.remainder(z, false)
		to := y.along(d)
		mat.Axpy(1, z, to)
		return to
	}
	for i := range 8 {
		v, log, ok := y.draw(x.Row(i))
		if !ok {
			t.Fatalf("draw %d has no solution", i)
		}
		z := coordinates(v)
		d, _ := y.remainder(z, false)
		if _, norm := y.defect(x.Row(i), z, d); norm > 2*drawFound {
			t.Errorf("draw %d misses its equation by %g", i, norm)
		}
		jacobian := mat.NewDense(p, p, nil)
		for j := range p {
			up, down := append([]float64(nil), z...), append([]float64(nil), z...)
			up[j] += step
			down[j] -= step
			a, b := from(up), from(down)
			for k := range a {
				jacobian.Set(k, j, (a[k]-b[k])/(2*step))
			}
		}
		var qr mat.QR
		qr.Factorize(jacobian)
		want := 0.0
		for j := range p {
			want -= math.Log(math.Abs(qr.R().At(j, j)))
		}
		// The posterior is exp(-(|v|^2 + |f + JFv + d|^2 - |f + JFv|^2) / 2), that of v under the draws exp(-|v + F'J'd|^2 / 2).
		f := append([]float64(nil), y.rows[0].residual...)
		mat.Gemv(mat.NoTrans, 1, y.rows[0].whole, v, 1, f)
		sum := append([]float64(nil), f...)
		mat.Axpy(1, d[0], sum)
		moved := y.everywhere(d)
		mat.Axpy(1, v, moved)
		want += -0.5*(squares(v)+squares(sum)-squares(f)) + 0.5*squares(moved)
		if math.Abs(log-want) > bound*math.Max(1, math.Abs(want)) {
			t.Errorf("draw %d: log weight %g, want %g", i, log, want)
		}
	}
}

// A functional that is linear, although it is written as a function, leaves nothing out.
func TestNothingIsLeftOutWhereAllIsLinear(t *testing.T) {
	y := nonlinearAt(t, system.Func(func(x []float64) float64 { return x[1] - 2*x[2] }), system.Constant(1), system.Constant(-2))
	x := pairsOfDraws(2*y.directions.Cols(), y.directions.Cols(), 1)
	for i := range 4 {
		_, log, ok := y.draw(x.Row(i))
		if !ok || math.Abs(log) > 1e-6 {
			t.Errorf("draw %d: log weight %g, %v", i, log, ok)
		}
	}
}

func TestPairsOfDrawsAreWhite(t *testing.T) {
	const pairs, p = 30, 7
	x := pairsOfDraws(pairs, p, 3)
	c := mat.NewSym(p, nil)
	mat.Syrk(mat.Trans, 1.0/(2*pairs), x, 0, c)
	for i := range p {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(c.At(i, j)-want) > 1e-12 {
				t.Errorf("covariance (%d, %d) is %g", i, j, c.At(i, j))
			}
		}
	}
}

// The shape of a tail is found, and weights are the better smoothed the heavier it is.
func TestShapeOfATail(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, shape := range []float64{-0.2, 0.3, 0.7, 1.2} {
		const n, draws = 400, 40
		sum := 0.0
		for range draws {
			x := make([]float64, n)
			for i := range x {
				x[i] = (math.Pow(1-random.Float64(), -shape) - 1) / shape
			}
			slices.Sort(x)
			k, scale := generalisedPareto(x)
			if math.Abs(math.Log(scale)) > 0.5 {
				t.Errorf("shape %g: scale %g, want 1", shape, scale)
			}
			sum += k
		}
		if got := sum / draws; math.Abs(got-shape) > 0.06 {
			t.Errorf("shape %g, want %g", got, shape)
		}
	}
	for name, logs := range map[string][]float64{"equal": make([]float64, 100), "one": {3}, "few": {0, 1, 2}} {
		weights, shape := smoothed(logs)
		if math.Abs(mat.Sum(weights)-1) > 1e-12 || !math.IsInf(shape, -1) {
			t.Errorf("%s: weights %v, shape %g", name, weights, shape)
		}
	}
	heavy := make([]float64, 1000)
	for i := range heavy {
		heavy[i] = 3 * random.NormFloat64()
	}
	if _, shape := smoothed(heavy); shape < paretoLimit {
		t.Errorf("weights exp(3 z) are not to be trusted; their shape is %g", shape)
	}
	for i := range heavy {
		heavy[i] /= 15
	}
	if weights, shape := smoothed(heavy); shape > 0.4 || 1/squares(weights) < 900 {
		t.Errorf("weights exp(0.2 z): shape %g, worth %.0f of 1000", shape, 1/squares(weights))
	}
}
