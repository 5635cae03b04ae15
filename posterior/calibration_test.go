package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// TestSimulationBasedCalibration draws truths from the model itself: weights
// from the prior, a source from the physics rows with their tolerance, readings
// with their noise. The rank of the truth within its posterior must then be
// uniform, for the field where nothing was measured and for the parameter
// alike. [Talts et al., Validating Bayesian inference algorithms with
// simulation-based calibration, 2018]
func TestSimulationBasedCalibration(t *testing.T) {
	const (
		neurons   = 10
		amplitude = 1.7
		tolerance = 1e-2
		bins      = 10
	)
	draws := 2000
	if testing.Short() {
		draws = 400
	}
	p := rod(true)
	p.Parameters[0].SD = 0 // wide
	layer := layerFor(p, neurons, 3, 11)
	d, hf, hs, _, vf, _, vs := plainRows(p, layer, amplitude, tolerance)
	random := rand.New(rand.NewPCG(5, 6))
	normal := func(n int) []float64 {
		x := make([]float64, n)
		fillNormal(random, x)
		return x
	}
	points := column(0.05, 1.21, 1.9)
	field, parameter := system.Field(0), system.ParameterValue(0)
	truthRows := mat.NewDense(3, len(d), nil)
	p.Basis(layer).RowsTo(truthRows, nil, &field, points)

	var counts [4][bins]int
	for range draws {
		w := normal(len(d))
		for j := range w {
			w[j] *= math.Sqrt(d[j])
		}
		yf, ys := normal(hf.Rows()), normal(hs.Rows())
		for i := range yf {
			yf[i] = mat.Dot(hf.Row(i), w) + yf[i]*math.Sqrt(vf[i])
		}
		for i := range ys {
			ys[i] = mat.Dot(hs.Row(i), w) + ys[i]*math.Sqrt(vs[i])
		}
		q := conditionAt(t, withData(p, yf, ys), layer, amplitude, tolerance)
		mean, sd, err := q.Predict(field, points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mean {
			counts[i][bin(mat.Dot(truthRows.Row(i), w), mean[i], sd[i], bins)]++
		}
		mean, sd, err = q.Predict(parameter, points.Slice(0, 1, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		counts[3][bin(w[len(w)-1], mean[0], sd[0], bins)]++
	}
	// 99.99 % point of chi-squared with nine degrees of freedom
	const limit = 33.7
	for k, c := range counts {
		chi2, expected := 0.0, float64(draws)/bins
		for _, v := range c {
			chi2 += (float64(v) - expected) * (float64(v) - expected) / expected
		}
		if chi2 > limit {
			t.Errorf("quantity %d: ranks %v are not uniform, chi-squared %.1f", k, c, chi2)
		}
	}
}

// bin returns in which of n equally probable parts of N(mean, sd) x lies.
func bin(x, mean, sd float64, n int) int {
	u := 0.5 * math.Erfc(-(x-mean)/(sd*math.Sqrt2))
	return min(int(u*float64(n)), n-1)
}

// withData returns rod's problem with other right-hand sides and readings.
func withData(p *system.Problem, yf, ys []float64) *system.Problem {
	q := *p
	source := map[float64]float64{}
	n := p.Equations[0].Points.Rows()
	for i := range n {
		source[p.Equations[0].Points.At(i, 0)] = -yf[i]
	}
	q.Equations = []system.Equation{p.Equations[0]}
	q.Equations[0].Residual.Known = at(source)
	q.Conditions = []system.Equation{p.Conditions[0]}
	q.Conditions[0].Residual.Known = system.Constant(-yf[n])
	q.Sensors = append([]system.Sensors(nil), p.Sensors...)
	q.Sensors[0].Values = ys[:3]
	q.Sensors[1].Values = ys[3:]
	return &q
}

// conditionAt is the posterior at given hyper-parameters.
func conditionAt(t *testing.T, p *system.Problem, layer *feature.Layer, amplitude, tolerance float64) *Posterior {
	t.Helper()
	ph, err := Compile(p, layer, CompileConfig{Tolerance: tolerance, Path: SquareRoot})
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReadings(nil, ph.basis, p.Sensors, p)
	if err != nil {
		t.Fatal(err)
	}
	var shared *scored
	c, err := ph.score(r, tolerance, &shared)
	if err != nil {
		t.Fatal(err)
	}
	c.hyper.amplitude = amplitude
	q, err := ph.condition(c, r)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestCoverageOfTheWholeFit checks that 95 % bands hold the truth about as
// often as they say when every hyper-parameter is chosen by the evidence, with
// given and with learned noise.
func TestCoverageOfTheWholeFit(t *testing.T) {
	seeds := 30
	if testing.Short() {
		seeds = 6
	}
	for _, learned := range []bool{false, true} {
		inside, total, lambdaInside := 0, 0, 0
		noise := 0.0
		for seed := range seeds {
			p, exact := wave(rand.New(rand.NewPCG(uint64(seed), 3)), 15, 0.1)
			if learned {
				p.Sensors[0].Sigma = nil
			}
			q, err := Fit(p, Config{Neurons: 40, Seed: uint64(seed)})
			if err != nil {
				t.Fatal(err)
			}
			grid := system.Grid(p.Variables, nil, []int{61})
			mean, sd, err := q.Predict(system.Field(0), grid)
			if err != nil {
				t.Fatal(err)
			}
			for i := range mean {
				total++
				if math.Abs(mean[i]-exact(grid.Row(i))) <= 1.96*sd[i] {
					inside++
				}
			}
			e := q.Parameters()[0]
			if math.Abs(e.Mean-4) <= 1.96*e.SD {
				lambdaInside++
			}
			noise += q.Summary().Noise[0].Sigma / float64(seeds)
		}
		if share := float64(inside) / float64(total); share < 0.85 {
			t.Errorf("learned noise %v: the bands hold the solution at %.3f of the points", learned, share)
		}
		if share := float64(lambdaInside) / float64(seeds); share < 0.8 {
			t.Errorf("learned noise %v: the interval holds lambda in %.3f of the runs", learned, share)
		}
		if noise < 0.06 || noise > 0.14 {
			t.Errorf("learned noise %v: mean noise %.3f, true 0.1", learned, noise)
		}
	}
}
