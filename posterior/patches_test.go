package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// logGamma is the log density of log g about its mode, of a gamma variate g of a shape, whose skewness is about -1/sqrt(shape).
func logGamma(shape, middle, unit float64) func(z []float64) float64 {
	return func(z []float64) float64 {
		v := (z[0] - middle) / (unit * math.Sqrt(shape))
		return shape * (v - math.Exp(v))
	}
}

// cloudOf explores a density of one number without its prior.
func cloudOf(t *testing.T, density func(z []float64) float64, start float64) *cloud {
	t.Helper()
	l := newLandscape(1, func(z []float64) float64 { return density(z) + 0.5*z[0]*z[0] })
	sketches, err := l.sketches([]spot{*l.look([]float64{start})}, l.firstSteps())
	if err != nil {
		t.Fatal(err)
	}
	clouds, err := l.clouds(sketches, 1)
	if err != nil {
		t.Fatal(err)
	}
	return clouds[0]
}

// quantileOf is a quantile of a density between two points, by quadrature.
func quantileOf(density func(z []float64) float64, from, to, share float64) float64 {
	const points = 200000
	step, sum := (to-from)/points, 0.0
	cumulative := make([]float64, points)
	for i := range cumulative {
		sum += math.Exp(density([]float64{from + (float64(i)+0.5)*step}) - density([]float64{(from + to) / 2}))
		cumulative[i] = sum
	}
	for i, v := range cumulative {
		if v >= share*sum {
			return from + float64(i)*step
		}
	}
	return to
}

// A density has as many patches as its shape asks for, and their quantiles are its own to within the error that is allowed.
func TestPatchesAreAsManyAsNeeded(t *testing.T) {
	const (
		start, unit = 0.4, 0.02
		allowed     = 0.03 // of the width of the interval
	)
	e := &coefficients{list: []system.Coefficient{{Name: "D", Min: 0.1, Max: 10}}}
	for _, of := range []struct {
		shape       float64
		fewest      int
		most        int
		description string
	}{
		{1000, 1, 1, "nearly normal"},
		{30, 2, 8, "a little skewed"},
		{2, 2, mostPatches, "skewed"},
	} {
		density := logGamma(of.shape, start, unit)
		c := cloudOf(t, density, start)
		list, sum := e.patchesOf(c, 0.49), 0.0 // so light that it has one draw
		var m mixture
		for _, p := range list {
			sum += p.weight
			m = append(m, gaussian{p.weight, p.centre[0], p.root.At(0, 0)})
		}
		from, to := start-15*unit, start+6*unit
		width := quantileOf(density, from, to, 0.975) - quantileOf(density, from, to, 0.025)
		worst := 0.0
		for _, share := range []float64{0.025, 0.5, 0.975} {
			worst = math.Max(worst, math.Abs(m.quantile(share)-quantileOf(density, from, to, share))/width)
		}
		t.Logf("%s: %d patches, divergence %.2g, quantiles within %.2f %%", of.description, len(list), c.divergence(list), 100*worst)
		if len(list) < of.fewest || len(list) > of.most || math.Abs(sum-1) > lightPoint {
			t.Errorf("%s: %d patches of weight %g, want %d to %d", of.description, len(list), sum, of.fewest, of.most)
		}
		if worst > allowed {
			t.Errorf("%s: quantiles are off by %.3f of the interval's width", of.description, worst)
		}
	}
}

// The divergence from one normal density is that of Kullback and Leibler, by quadrature.
func TestDivergenceOfPatches(t *testing.T) {
	const start, unit, shape = 0.4, 0.02, 60
	density := logGamma(shape, start, unit)
	c := cloudOf(t, density, start)
	e := &coefficients{list: []system.Coefficient{{Name: "D", Min: 0.1, Max: 10}}}
	one := e.patches(c, 1)
	const points = 100000
	from, to := start-15*unit, start+8*unit
	logs, normals, total, totalNormal := make([]float64, points), make([]float64, points), 0.0, 0.0
	for i := range points {
		z := from + (to-from)*(float64(i)+0.5)/points
		x := (z - one[0].centre[0]) / one[0].root.At(0, 0)
		logs[i], normals[i] = density([]float64{z})+shape, -0.5*x*x
		total, totalNormal = total+math.Exp(logs[i]), totalNormal+math.Exp(normals[i])
	}
	want := 0.0
	for i := range points {
		want += math.Exp(logs[i]) / total * (logs[i] - normals[i] - math.Log(total/totalNormal))
	}
	got := c.divergence(one)
	t.Logf("divergence %.3g, by quadrature %.3g", got, want)
	if math.Abs(got-want) > 0.3*want+1e-4 { // half a variance is the divergence to first order, and the surface errs a little
		t.Errorf("divergence %g, want %g", got, want)
	}
}

// Where readings say nothing, the posterior is the prior: normal in the numbers that stand for coefficients, but these are far from linear in
// them, and so are fields. One patch would not do. A coefficient that is nearly linear has one, with each draw if it is heavy.
func TestPatchesFollowWideCoefficients(t *testing.T) {
	prior := func(z []float64) float64 { return -0.5 * z[0] * z[0] }
	c := cloudOf(t, prior, 0.1)
	wide := &coefficients{list: []system.Coefficient{{Name: "D", Min: 0.01, Max: 10}}}
	if list := wide.patchesOf(c, 1); len(list) < 4 {
		t.Errorf("%d patches for a prior over three decades", len(list))
	}
	narrow := &coefficients{list: []system.Coefficient{{Name: "D", Mean: 3, SD: 0.1}}}
	for weight, want := range map[float64]int{1: evidenceDraws, 0.3: 1} {
		list := narrow.patchesOf(c, weight)
		sum := 0.0
		for _, p := range list {
			sum += p.weight
		}
		if len(list) != want || math.Abs(sum-1) > lightPoint {
			t.Errorf("weight %g: %d patches of weight %g, want %d", weight, len(list), sum, want)
		}
	}
}
