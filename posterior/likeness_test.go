package posterior

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// leading is a skewed density, whose surface is known.
func leading(z []float64) float64 {
	return -40*math.Pow(math.Exp(0.8*(z[0]-0.4))-1, 2) - 0.5*math.Pow((z[1]-0.5*z[0])/0.05, 2)
}

// exploredLeading returns its clouds.
func exploredLeading(t *testing.T) []*cloud {
	t.Helper()
	clouds := exploredAll(t, newLandscape(2, leading))
	if len(clouds) != 1 || clouds[0].surface == nil {
		t.Fatalf("%d clouds of a density with one maximum", len(clouds))
	}
	return clouds
}

// A density that differs by a slope, a curvature or a ripple from a known one is found with a fraction of the points, and
// with the moments that a search by itself finds.
func TestDensitiesLikeAKnownOne(t *testing.T) {
	const off = 0.1 // of the mass in nats, of the mean in standard deviations, and of the logarithm of these
	known := exploredLeading(t)
	for _, k := range []struct {
		name  string
		other func(z []float64) float64
		share float64 // of the points of a search
	}{
		{"constant", func([]float64) float64 { return 20 }, 0.3},
		{"slope", func(z []float64) float64 { return 8 * z[0] }, 0.3},
		{"one standard deviation", func(z []float64) float64 { return (z[1] - 0.5*z[0]) / 0.05 }, 0.3},
		{"two standard deviations", func(z []float64) float64 { return 2 * (z[1] - 0.5*z[0]) / 0.05 }, 0.5},
		{"narrower", func(z []float64) float64 { return -0.5 * math.Pow((z[1]-0.5*z[0])/0.07, 2) }, 0.3},
		{"ripple", func(z []float64) float64 { return 0.5 * math.Sin(8*z[0]) }, 0.3},
	} {
		density := func(z []float64) float64 { return leading(z) + k.other(z) }
		var calls, alone atomic.Int64
		l := newLandscape(2, func(z []float64) float64 { calls.Add(1); return density(z) })
		list := l.like(known, nil, 1)
		want := exploredAll(t, newLandscape(2, func(z []float64) float64 { alone.Add(1); return density(z) }))[0]
		if len(list) != 1 {
			t.Errorf("%s: not taken for alike", k.name)
			continue
		}
		got := list[0]
		t.Logf("%-26s %3d points, %3d alone, %d rounds, error %.4f", k.name, calls.Load(), alone.Load(), got.rounds, got.off)
		if float64(calls.Load()) > k.share*float64(alone.Load()) {
			t.Errorf("%s: %d points, a search by itself takes %d", k.name, calls.Load(), alone.Load())
		}
		if math.Abs(got.mass-want.mass) > off {
			t.Errorf("%s: log mass %.4f, want %.4f", k.name, got.mass, want.mass)
		}
		a, b := got.outline(), want.outline()
		for i, sd := range b.sd {
			if d := (a.mean[i] - b.mean[i]) / sd; math.Abs(d) > off || math.Abs(math.Log(a.sd[i]/sd)) > off {
				t.Errorf("%s: number %d is %.4f ± %.4f, want %.4f ± %.4f", k.name, i, a.mean[i], a.sd[i], b.mean[i], sd)
			}
		}
	}
}

// A density that is not like the known one is not taken for it: it is rough, has no values, or has a maximum elsewhere.
func TestDensitiesUnlikeAKnownOne(t *testing.T) {
	known := exploredLeading(t)
	for name, density := range map[string]func(z []float64) float64{
		"rough":   func(z []float64) float64 { return leading(z) + math.Sin(1e5*z[0]) },
		"nowhere": func([]float64) float64 { return math.Inf(-1) },
		"half":    func(z []float64) float64 { return leading(z) + math.Log(math.Max(0, 0.4-z[0])) },
	} {
		if newLandscape(2, density).like(known, nil, 1) != nil {
			t.Errorf("%s: taken for alike", name)
		}
	}
	l := newLandscape(2, leading)
	elsewhere := spot{[]float64{-2, 2}, l.at(known[0].mean) - 1}
	if l.like(known, []spot{elsewhere}, 1) != nil {
		t.Error("a maximum elsewhere is missed")
	}
	if l.like(known, []spot{{elsewhere.z, elsewhere.log - deepest}}, 1) == nil {
		t.Error("a place far below the top counts as a maximum")
	}
}

// Where no layer has a density, exploring fails with an error.
func TestNothingToExplore(t *testing.T) {
	nowhere := func([]float64) float64 { return math.Inf(-1) }
	views := func(n int) (list []*view) {
		for range n {
			list = append(list, &view{land: newLandscape(1, nowhere), weight: 1})
		}
		return list
	}
	e := &coefficients{solved: []solution{{z: []float64{0}}}, views: views(3)}
	if err := e.sketch(); err == nil {
		t.Error("nothing is sketched without an error")
	}
	for n := 1; n <= 2; n++ { // one that was sketched, and none or one that was not
		e.views = views(n)
		e.views[0].clouds = []*cloud{{centre: []float64{0}, mean: []float64{0}, root: lowerRoot(mat.NewSym(1, []float64{1}))}}
		if err := e.explore(); err == nil {
			t.Error("nothing is explored without an error")
		}
	}
}
