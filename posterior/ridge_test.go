package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// The map of ridges is the identity to first order at its centre, it has an inverse, and its volume is the determinant.
func TestMapOfRidges(t *testing.T) {
	list := []system.Coefficient{
		{Name: "a", Min: 0.01, Max: 3}, {Name: "b", Min: -2, Max: 7}, {Name: "c", Median: 0.2, Factor: 3}, {Name: "d", Mean: 4, SD: 2},
		{Name: "e", Min: -5, Max: 5, Fine: 0.1},
	}
	centre := []float64{0.3, -0.7, 1.1, -1.4, 0.6}
	s := newRidgeMap(list, centre)
	const step, most = 1e-4, 1e-6
	random := rand.New(rand.NewPCG(1, 2))
	z := make([]float64, len(list))
	for range 20 {
		log := 0.0
		fillNormal(random, z)
		for i := range z {
			up, down := append([]float64(nil), z...), append([]float64(nil), z...)
			up[i], down[i] = z[i]+step, z[i]-step
			s.to(up)
			s.to(down)
			slope := 2 * step / (up[i] - down[i])
			if along := s.along(i, z[i]); math.Abs(along/slope-1) > most {
				t.Errorf("%s at %g: %g normal numbers for each place, by differences %g", list[i].Name, z[i], along, slope)
			}
			log += math.Log(slope)
		}
		if got := s.log(z); math.Abs(got-log) > 10*most {
			t.Errorf("at %g: the volume's logarithm is %g, by differences %g", z, got, log)
		}
		y := append([]float64(nil), z...)
		s.to(y)
		if !s.has(y) {
			t.Errorf("%g is not allowed, the place of %g", y, z)
		}
		if s.from(y); math.Sqrt(squaredDistance(y, z)) > most {
			t.Errorf("%g becomes %g", z, y)
		}
	}
	for i := range centre {
		if got := s.along(i, centre[i]); math.Abs(got-1) > 1e-12 {
			t.Errorf("%s: at the centre it has %g normal numbers for each place, want 1", list[i].Name, got)
		}
	}
	beyond := append([]float64(nil), centre...)
	beyond[1] += 100
	if s.has(beyond) {
		t.Error("a coefficient beyond its bound is allowed")
	}
}

// A ridge that is straight in the coefficients and bent in their normal numbers is explored to its ends, from wherever it is met. The
// patches that represent it are as thin as it is.
func TestRidgesAreFollowed(t *testing.T) {
	const sum, width = 0.6, 0.002 // of a + 2 b
	list := []system.Coefficient{{Name: "a", Min: 0.01, Max: 1}, {Name: "b", Median: 0.2, Factor: 2}}
	// What is known of a: the prior of both, along the ridge.
	var total, mean, square float64
	const from, to, points = 0.01, 0.6, 20000
	for i := range points {
		a := from + (to-from)*(float64(i)+0.5)/points
		w := list[0].Density(a) * list[1].Density((sum-a)/2) * (to - from) / points
		total, mean, square = total+w, mean+w*a, square+w*a*a
	}
	mean /= total
	sd, mass := math.Sqrt(square/total-mean*mean), math.Log(total*width*math.Sqrt(2*math.Pi)/2*2*math.Pi)
	for _, starts := range [][]float64{{0.1}, {0.3}, {0.5}, {0.1, 0.3, 0.5}} {
		l := newLandscape(2, func(z []float64) float64 {
			off := (list[0].Value(z[0]) + 2*list[1].Value(z[1]) - sum) / width
			return -0.5 * off * off
		})
		l.list = list
		step := l.firstSteps()
		var known []spot
		for _, a := range starts {
			known = append(known, *l.look([]float64{list[0].Number(a), list[1].Number((sum - a) / 2)}))
		}
		sketches, err := l.sketches(known, step)
		if err != nil {
			t.Fatal(err)
		}
		clouds, err := l.clouds(sketches, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := clouds[0]
		var m, s float64
		for i, z := range c.z {
			a := list[0].Value(z[0])
			m, s = m+c.weights[i]*a, s+c.weights[i]*a*a
		}
		s = math.Sqrt(s - m*m)
		t.Logf("from a = %g: %.4f ± %.4f, mass %.3f, %d points; by quadrature %.4f ± %.4f, %.3f", starts, m, s, c.mass, len(l.seen), mean, sd, mass)
		if len(clouds) != 1 || math.Abs(m-mean) > 0.1*sd || math.Abs(s/sd-1) > 0.1 || math.Abs(c.mass-mass) > 0.1 {
			t.Errorf("from a = %g: %d clouds, the first with %.4f ± %.4f and mass %.3f, want %.4f ± %.4f and %.3f", starts, len(clouds), m, s, c.mass, mean, sd, mass)
		}
		e := &coefficients{list: list}
		parts := e.patches(c, mostPatches)
		thick := 0.0 // mean square deviation of a + 2 b
		for _, p := range parts {
			random := rand.New(rand.NewPCG(3, 4))
			x := make([]float64, 2)
			const draws = 200
			for range draws {
				fillNormal(random, x)
				z := append([]float64(nil), p.centre...)
				mat.Gemv(mat.NoTrans, 1, p.root, x, 1, z)
				off := list[0].Value(z[0]) + 2*list[1].Value(z[1]) - sum
				thick += p.weight * off * off / draws
			}
		}
		if thick = math.Sqrt(thick); thick > 5*width {
			t.Errorf("from a = %g: a + 2 b has a standard deviation of %.4f in the patches, want %.4f", starts, thick, width)
		}
		t.Logf("thickness %.4f of %.4f", thick, width)
		deepest := deepestWave(parts)
		t.Logf("waves of %.3f", deepest)
		if deepest > 0.1 {
			t.Errorf("from a = %g: between maxima along the ridge the density falls by %.0f %%", starts, 100*deepest)
		}
	}
}

// deepestWave is the largest share by which the marginal density of the first number falls between two maxima, in the middle 98 % of
// a mixture.
func deepestWave(parts []patch) float64 {
	var m mixture
	for i := range parts {
		m = append(m, gaussian{parts[i].weight, parts[i].centre[0], parts[i].root.At(0, 0)})
	}
	const points = 400
	low, high := m.quantile(0.01), m.quantile(0.99)
	density := func(i int) float64 {
		x, sum := low+(high-low)*float64(i)/points, 0.0
		for _, g := range m {
			d := (x - g.mean) / g.sd
			sum += g.weight / g.sd * math.Exp(-0.5*d*d)
		}
		return sum
	}
	var before, after [points + 1]float64 // the largest to either side
	for i := range before {
		before[i] = math.Max(density(i), before[max(i-1, 0)])
		k := points - i
		after[k] = math.Max(density(k), after[min(k+1, points)])
	}
	deepest := 0.0
	for i := range before {
		deepest = math.Max(deepest, 1-density(i)/math.Min(before[i], after[i]))
	}
	return deepest
}
