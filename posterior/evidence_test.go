package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// quadratureError bounds the error of an integral over log a in nats.
const quadratureError = 0.01

// logIntegral is the logarithm of the integral of exp(f) over [a, b] on a fine grid.
func logIntegral(f func(x float64) float64, a, b float64) float64 {
	const steps = 100_000
	h := (b - a) / steps
	logs := make([]float64, steps)
	for i := range logs {
		logs[i] = f(a+(float64(i)+0.5)*h) + math.Log(h)
	}
	return logSumExp(logs)
}

func gaussianAt(mean, sd float64) func(x float64) float64 {
	return func(x float64) float64 {
		z := (x - mean) / sd
		return -0.5*z*z - math.Log(sd) - 0.5*log2Pi
	}
}

// mixedLogs is the logarithm of a sum of densities.
func mixedLogs(share float64, f, g func(x float64) float64) func(x float64) float64 {
	return func(x float64) float64 {
		return logSumExp([]float64{math.Log(1-share) + f(x), math.Log(share) + g(x)})
	}
}

func TestQuadratureOfDensitiesOfManyShapes(t *testing.T) {
	cauchy := func(x float64) float64 { return -math.Log(1 + (x-2)*(x-2)) }
	for name, test := range map[string]struct {
		f     func(x float64) float64
		error float64
	}{
		"a Gaussian":            {gaussianAt(1.3, 0.4), 1e-3},
		"a wide one":            {gaussianAt(2, 2), quadratureError},
		"a narrow one":          {gaussianAt(3.217, 0.03), quadratureError},
		"a very narrow one":     {gaussianAt(-3.3331, 0.012), quadratureError},
		"one at the end":        {gaussianAt(lowestLogA+0.5, 0.1), quadratureError},
		"a heavy tail":          {cauchy, 0.02},
		"an exponential tail":   {func(x float64) float64 { return -math.Abs(x) }, 0.02},
		"one that breaks off":   {func(x float64) float64 { return -0.5*(x-1)*(x-1) - 0.02*math.Exp(3*x) }, quadratureError},
		"two modes":             {mixedLogs(0.3, gaussianAt(-1, 0.3), gaussianAt(5, 0.2)), 0.03},
		"two modes, one narrow": {mixedLogs(0.6, gaussianAt(0, 0.5), gaussianAt(7.6, 0.1)), 0.03},
		"two modes in one":      {mixedLogs(0.5, gaussianAt(0, 0.5), gaussianAt(1.4, 0.4)), 0.03},
		"shifted by a thousand": {func(x float64) float64 { return gaussianAt(1.3, 0.4)(x) - 1000 }, 1e-3},
	} {
		u := &underPhysics{observed: &observed{evidenceSpace: new(evidenceSpace)}}
		for _, run := range []string{"once", "again, in the same memory"} {
			got := u.quadrature(lowestLogA, highestLogA, func(x, exp float64) float64 {
				if relative(exp, math.Exp(x)) > 1e-12 {
					t.Fatalf("%s: exp(%g) = %g", name, x, exp)
				}
				return test.f(x)
			})
			want := logIntegral(test.f, lowestLogA, highestLogA)
			if math.Abs(got-want) > test.error {
				t.Errorf("%s, %s: log integral %.5f, want %.5f", name, run, got, want)
			}
			logs := make([]float64, len(u.places))
			for i, p := range u.places {
				logs[i] = p.log + p.logStep
				if i > 0 && !(p.x > u.places[i-1].x) {
					t.Fatalf("%s: places are not in order", name)
				}
			}
			if sum := logSumExp(logs); math.Abs(sum-got) > 1e-9 {
				t.Errorf("%s: places sum to %g, the integral is %g", name, sum, got)
			}
		}
	}
}

// TestQuadratureOfNothing: a density that is zero everywhere has no abscissae, and none remain from
// before.
func TestQuadratureOfNothing(t *testing.T) {
	u := &underPhysics{observed: &observed{evidenceSpace: new(evidenceSpace)}}
	u.quadrature(lowestLogA, highestLogA, func(x, _ float64) float64 { return gaussianAt(1, 1)(x) })
	for name, nothing := range map[string]float64{"zero": math.Inf(-1), "NaN": math.NaN(), "infinite": math.Inf(1)} {
		if got := u.quadrature(lowestLogA, highestLogA, func(float64, float64) float64 { return nothing }); !math.IsInf(got, -1) || len(u.places) != 0 {
			t.Errorf("%s: log integral %g with %d places", name, got, len(u.places))
		}
	}
}

// spectralReadings is readings of one learned level and of size unit, whose prior covariance has
// the eigenvalues k.
func spectralReadings(random *rand.Rand, k []float64, unit, signal, noise float64) *underPhysics {
	n := len(k)
	u := &underPhysics{x: mat.NewDense(n, n, nil), observed: &observed{
		groups: []group{{learned: true, size: unit}}, learned: []int{0}, readings: n, data: n, evidenceSpace: new(evidenceSpace),
	}}
	for i, v := range k {
		u.x.Set(i, i, math.Sqrt(v))
		u.r = append(u.r, math.Hypot(signal*math.Sqrt(v), noise)*random.NormFloat64())
	}
	return u
}

// noiseNodesError bounds the error of an integral over the noise at one ratio, and
// noiseError that of everything, both in nats.
const noiseNodesError, noiseError = 0.03, 0.025

// TestNoiseIsIntegratedOver: at every ratio of amplitude to noise the integral over the noise, and
// the integral over the ratio, agree with a fine grid.
func TestNoiseIsIntegratedOver(t *testing.T) {
	flat := amplitudes{density: amplitudeDensity}
	draw := func(k []float64, unit, signal, noise float64) *underPhysics {
		return spectralReadings(rand.New(rand.NewPCG(5, 6)), k, unit, signal, noise)
	}
	// Either all is noise, or an amplitude of e^6 explains readings along small eigenvalues, and
	// that there is nothing along three large ones is chance.
	explained := []float64{1, 0.3, 0.1, 0.03, 0.01, 0.003, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3}
	k := []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}
	for i, r := range explained[:9] {
		k[i] = r * r * math.Exp(-2*6)
	}
	two := draw(k, 1, 1, 1)
	copy(two.r, explained)
	for name, test := range map[string]struct {
		u     *underPhysics
		each  float64
		modes int
	}{
		"twelve readings":    {draw([]float64{30, 20, 9, 5, 2, 1, 0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-8}, 1, 1, 0.1), noiseNodesError, 1},
		"five readings":      {draw([]float64{4, 1, 0.3, 1e-3, 1e-7}, 1, 1.5, 0.1), noiseNodesError, 1},
		"two readings":       {draw([]float64{2, 1e-3}, 1, 1, 0.2), 0.1, 2},
		"one reading":        {draw([]float64{1}, 1, 1, 0.1), 0.25, 1},
		"thousand as large":  {draw([]float64{4e6, 1e6, 3e5, 1e3, 0.1}, 1e3, 1.5, 100), noiseNodesError, 1},
		"millionth as large": {draw([]float64{4e-12, 1e-12, 3e-13, 1e-15, 1e-19}, 1e-6, 1.5, 1e-7), noiseNodesError, 1},
		"hardly any noise":   {draw([]float64{30, 20, 9, 5, 2, 1, 0.3, 0.1, 1e-13, 1e-13, 1e-14, 1e-14}, 1, 1, 1e-5), noiseNodesError, 1},
		"nothing but noise":  {draw([]float64{1e-9, 1e-9, 1e-9, 1e-10, 1e-10, 1e-10}, 1, 1, 1), noiseNodesError, 1},
		"two explanations":   {two, noiseNodesError, 2},
	} {
		u := test.u
		unit, n := u.groups[0].size, float64(u.readings)
		nodes, got, err := u.integrate(flat)
		if err != nil {
			t.Fatal(err)
		}
		at := func(logRatio, logSigma float64) float64 {
			sigma, quadratic, logDet := math.Exp(logSigma), 0.0, 0.0
			for i, r := range u.r {
				k := u.x.At(i, i) * u.x.At(i, i)
				d := 1 + math.Exp(2*logRatio)*k
				quadratic += r * r / d
				logDet += math.Log(d)
			}
			return -0.5*(n*log2Pi+quadratic/(sigma*sigma)+logDet) - n*logSigma + logNoisePrior(sigma/unit) + logAmplitudePrior(logRatio+logSigma)
		}
		const step, noiseStep = 0.1, 0.05
		var ratios, values []float64
		for x := lowestLogA; x < highestLogA+smallNoise; x += step {
			var logs []float64
			for y := -16.0; y < 3; y += noiseStep {
				logs = append(logs, at(x-math.Log(unit), y+math.Log(unit))+math.Log(noiseStep))
			}
			ratios, values = append(ratios, x-math.Log(unit)), append(values, logSumExp(logs))
		}
		want, best, modes := logSumExp(values)+math.Log(step), slices.Max(values), 0
		for i, v := range values {
			if v < best-5 {
				continue
			}
			if i > 0 && i < len(values)-1 && v > values[i-1] && v > values[i+1] {
				modes++
			}
			if one := u.overNoise(ratios[i], math.Exp(ratios[i]), flat); math.Abs(one-v) > test.each {
				t.Errorf("%s, log ratio %.2f: %.4f, want %.4f", name, ratios[i], one, v)
			}
		}
		if modes != test.modes {
			t.Errorf("%s: %d modes, want %d", name, modes, test.modes)
		}
		if math.Abs(got-want) > noiseError {
			t.Errorf("%s: log evidence %.4f, want %.4f", name, got, want)
		}
		logs := make([]float64, len(nodes))
		for i := range nodes {
			logs[i] = nodes[i].logWeight
		}
		if math.Abs(logSumExp(logs)-got) > 1e-9 {
			t.Errorf("%s: nodes sum to %g, the integral is %g", name, logSumExp(logs), got)
		}
	}
}

// TestReadingsWithoutNoiseAreFinite: readings that are all zero, or that the model interpolates, do
// not drive the noise to zero.
func TestReadingsWithoutNoiseAreFinite(t *testing.T) {
	for _, size := range []float64{0, 1} {
		u := spectralReadings(rand.New(rand.NewPCG(5, 6)), []float64{3, 1, 0.2, 0.05}, 1, size, 0)
		nodes, got, err := u.integrate(amplitudes{density: amplitudeDensity})
		if err != nil || !finite(got) {
			t.Fatalf("readings of size %g: log evidence %g, %v", size, got, err)
		}
		for _, n := range nodes {
			if !(n.noise[0] > 0.1*smallestNoise) || !finite(n.amplitude) {
				t.Errorf("readings of size %g: noise %g, amplitude %g", size, n.noise[0], n.amplitude)
			}
		}
	}
}

// The logarithm of a product is the sum of those of its factors, even without factors, or with
// factors too large or too small to be multiplied.
func TestLogOfAProduct(t *testing.T) {
	for _, factors := range [][]float64{nil, {1}, {3}, {0x1p500}, {0x1p-500}, {2, 0x1p500, 3}, slices.Repeat([]float64{1e100}, 20), slices.Repeat([]float64{1e-100, 7}, 20)} {
		var l logProduct
		want := 0.0
		for _, f := range factors {
			l.times(f)
			want += math.Log(f)
		}
		if got := l.log(); !(math.Abs(got-want) <= 1e-13*(1+math.Abs(want))) {
			t.Errorf("%g: %g, want %g", factors, got, want)
		}
	}
}
