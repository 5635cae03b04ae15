package calibration

import (
	"fmt"
	"math"
	"testing"
	"testing/fstest"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system/spec"
)

// sample returns an expression of two variables with every curve.
func sample() expression {
	both := argument{slope: [dims]float64{0.7, -1.1}, origin: [dims]float64{0.2, 0}, phase: 0.4}
	x := argument{slope: [dims]float64{1.3}, origin: [dims]float64{-0.5}}
	e := of(sine, 1, both).times(of(exponential, 1, x)).scaled(2)
	e = plus(e, of(cosine, 1, x).times(of(gaussian, 1, both)))
	e = plus(e, of(tanh, 3, both).times(of(power, 2, x)).scaled(-0.3))
	return plus(e, constant(1.5))
}

// Derivatives match finite differences.
func TestDerivatives(t *testing.T) {
	const h = 1e-5
	e := sample()
	for _, order := range [][dims]int{{1}, {0, 1}, {2}, {1, 1}, {2, 2}, {4}, {0, 4}} {
		lower, d := order, 0
		if lower[0] == 0 {
			d = 1
		}
		lower[d]--
		before, after := e.derivative(lower), e.derivative(order)
		for _, x := range [][]float64{{0.3, 0.8, 0}, {-1.2, 0.1, 0}} {
			up, down := append([]float64(nil), x...), append([]float64(nil), x...)
			up[d], down[d] = up[d]+h, down[d]-h
			want := (before.value(up) - before.value(down)) / (2 * h)
			if got := after.value(x); math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("derivative %v at %v is %g, by differences %g", order, x, got, want)
			}
		}
	}
}

// Package spec reads the text as the same function, up to the last few bits.
func TestTextIsTheExpression(t *testing.T) {
	names := []string{"x", "y"}
	square := func(a argument) expression { return of(power, 2, a).scaled(-2) }
	for _, e := range []expression{
		nil, constant(-3), sample(), sample().derivative([dims]int{2, 2}),
		square(argument{slope: [dims]float64{0, 1}}),
		square(argument{slope: [dims]float64{1}, origin: [dims]float64{0.5}}),
		square(argument{slope: [dims]float64{1}, origin: [dims]float64{0.5}, phase: 2}),
		square(argument{slope: [dims]float64{1, -1}, origin: [dims]float64{0.5, -1}}),
	} {
		problem := fmt.Sprintf("[variables]\nx = [-2, 2]\ny = [-2, 2]\n[[equation]]\npde = \"u_xx = 0\"\npoints = 1\n[[sensors]]\nfile = \"r\"\nsigma = 1\n[output]\nexact = %q\n", e.text(names))
		files := fstest.MapFS{"p": {Data: []byte(problem)}, "r": {Data: []byte("x,y,value\n0,0,0\n")}}
		f, err := spec.ReadFS(files, "p", nil)
		if err != nil {
			t.Fatalf("%s: %v", e.text(names), err)
		}
		points := mat.NewDense(3, 2, []float64{0.3, 0.8, -1.2, 0.1, 2, -2})
		for i, got := range evaluated(f.Output.Exact[0], points) {
			if want := e.value(points.Row(i)); math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
				t.Errorf("%s at %v is %g, read %g", e.text(names), points.Row(i), want, got)
			}
		}
	}
}

// Terms that cancel are dropped, and only those.
func TestCollect(t *testing.T) {
	wave := of(sine, 1, argument{slope: [dims]float64{math.Pi}})
	third := 1.0 / 3
	if e := plus(wave.scaled(third), wave.scaled(third), wave.scaled(third), wave.scaled(-1)); len(e) != 0 {
		t.Errorf("%s remains of terms that cancel", e.text([]string{"x"}))
	}
	if e := plus(wave, constant(1e-20)); len(e) != 2 {
		t.Errorf("%s lacks a term", e.text([]string{"x"}))
	}
	line := of(power, 1, argument{slope: [dims]float64{2}})
	if e := line.times(line); len(e) != 1 || len(e[0].factors) != 1 || e[0].factors[0].n != 2 {
		t.Errorf("the square of 2*x is %s", e.text([]string{"x"}))
	}
}

// An expression with a variable fixed no longer depends on it.
func TestWhere(t *testing.T) {
	e := sample()
	fixed := e.where(0, 0.9)
	for _, x := range []float64{-1, 0, 2} {
		got, want := fixed.value([]float64{x, 0.3, 0}), e.value([]float64{0.9, 0.3, 0})
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("fixed at x = 0.9 it is %g at x = %g, not %g", got, x, want)
		}
	}
	if e := of(sine, 1, argument{slope: [dims]float64{math.Pi, 0}}).where(0, 3); len(e) != 0 {
		t.Errorf("sin(3 pi) is %s", e.text([]string{"x", "y"}))
	}
}

func TestHalfWaves(t *testing.T) {
	wave := of(sine, 1, argument{slope: [dims]float64{3 * math.Pi}})
	if n := wave.halfWaves(0, 2); math.Abs(n-6) > 1e-14 {
		t.Errorf("sin(3 pi x) has %g half-waves over a length of 2", n)
	}
	if n := wave.halfWaves(1, 2); n != 0 {
		t.Errorf("it has %g along y", n)
	}
	if n := plus(wave, of(exponential, 1, argument{slope: [dims]float64{math.Pi}})).halfWaves(0, 1); n != 3 {
		t.Errorf("with exp(pi x) it has %g", n)
	}
}
