package feature

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

func derivatives(a Activation, orders int, z ...float64) *mat.Dense {
	d := mat.NewDense(orders, len(z), nil)
	a.DerivativesTo(d, z)
	return d
}

// TestActivationValues compares them with package math.
func TestActivationValues(t *testing.T) {
	definitions := map[Activation]func(z float64) float64{
		Tanh:     math.Tanh,
		Sine:     math.Sin,
		Gaussian: func(z float64) float64 { return math.Exp(-z * z / 2) },
		Logistic: func(z float64) float64 { return 1 / (1 + math.Exp(-z)) },
		Softplus: func(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) },
	}
	for _, a := range Activations() {
		f := definitions[a]
		if f == nil {
			t.Errorf("%v has no definition here", a)
			continue
		}
		for z := -30.0; z <= 30; z += 0.37 {
			got, want := derivatives(a, 1, z).At(0, 0), f(z)
			// Computing exp(-z²/2) with math.Exp loses z²/2 ulp to the rounding of z².
			if math.Abs(got-want) > 4*0x1p-53*(2+z*z)*math.Abs(want) {
				t.Errorf("%v at %g is %g, want %g", a, z, got, want)
			}
		}
	}
}

// Far from a neuron's centre every derivative is a multiple of one exponential.
func TestDerivativesKeepRelativeAccuracyFarOut(t *testing.T) {
	const tolerance = 1e-12
	for _, z := range []float64{-300, -60, -40, 40, 60, 300} {
		for k := 1; k <= MaxOrder; k++ {
			sign := 1.0
			if k%2 == 0 && z > 0 {
				sign = -1
			}
			// tanh z = ±(1 - 2 exp(-2|z|)), logistic z = exp z for z < 0.
			want := sign * math.Ldexp(4, k-1) * math.Exp(-2*math.Abs(z))
			if got := derivatives(Tanh, k+1, z).At(k, 0); math.Abs(got-want) > tolerance*math.Abs(want) {
				t.Errorf("tanh, derivative %d at %g: %g, want %g", k, z, got, want)
			}
			want = sign * math.Exp(-math.Abs(z))
			if got := derivatives(Logistic, k+1, z).At(k, 0); math.Abs(got-want) > tolerance*math.Abs(want) {
				t.Errorf("logistic, derivative %d at %g: %g, want %g", k, z, got, want)
			}
		}
		if z < 0 {
			for k := range 2 {
				if got, want := derivatives(Softplus, 2, z).At(k, 0), math.Exp(z); math.Abs(got-want) > tolerance*want {
					t.Errorf("softplus, derivative %d at %g: %g, want %g", k, z, got, want)
				}
			}
		}
	}
}

// The rounding of z² costs many digits of exp(-z²/2). The reference writes z = a + b with
// an a of few bits, so that none of its exponents is rounded noticeably.
func TestGaussianKeepsItsDigitsFarOut(t *testing.T) {
	const tolerance = 2e-15
	for i := range 400 {
		z := 5 + 0.07*float64(i) + 1.0/3
		a := math.Round(4*z) / 4
		b := z - a
		want := math.Exp(-a*a/2) * math.Exp(-a*b) * math.Exp(-b*b/2)
		for _, z := range []float64{z, -z} {
			if got := derivatives(Gaussian, 1, z).At(0, 0); math.Abs(got-want) > tolerance*want {
				t.Errorf("at %g: %g, want %g, %.2g apart", z, got, want, got/want-1)
			}
		}
	}
}

// TestDerivativesDoNotDependOnTheOrderAskedFor compares every number of orders with all.
func TestDerivativesDoNotDependOnTheOrderAskedFor(t *testing.T) {
	z := make([]float64, 100)
	for i := range z {
		z[i] = float64(i)/7 - 7
	}
	for _, a := range Activations() {
		all := derivatives(a, MaxOrder+1, z...)
		for orders := range MaxOrder + 1 {
			some := derivatives(a, orders, z...)
			for k := range orders {
				for i := range z {
					if some.At(k, i) != all.At(k, i) {
						t.Fatalf("%v: derivative %d at %g is %g among %d orders, %g among all", a, k, z[i], some.At(k, i), orders, all.At(k, i))
					}
				}
			}
		}
	}
}

// At huge arguments values have limits and derivatives vanish.
func TestDerivativesAtHugeArguments(t *testing.T) {
	for _, z := range []float64{1e3, -1e3, 1e200, -1e200, math.MaxFloat64} {
		for _, a := range []Activation{Tanh, Gaussian, Logistic, Softplus} {
			d := derivatives(a, MaxOrder+1, z)
			for k := range MaxOrder + 1 {
				want := 0.0
				switch {
				case a == Tanh && k == 0:
					want = math.Copysign(1, z)
				case z > 0 && (a == Logistic && k == 0 || a == Softplus && k == 1):
					want = 1
				case z > 0 && a == Softplus && k == 0:
					want = z
				}
				if d.At(k, 0) != want {
					t.Errorf("%v, derivative %d at %g: %g, want %g", a, k, z, d.At(k, 0), want)
				}
			}
		}
	}
}

func TestActivationNames(t *testing.T) {
	for _, a := range Activations() {
		if b, err := ParseActivation(a.String()); err != nil || b != a {
			t.Errorf("%v: parsed as %v, %v", a, b, err)
		}
	}
	if b := Activation(-1).Breadth(); b != 1 {
		t.Errorf("what is not an activation has breadth %g", b)
	}
	var e Error
	if _, err := ParseActivation("relu"); !errors.As(err, &e) {
		t.Errorf("relu: %v", err)
	}
}

// TestOperatorsShareTheirPoints compares several operators together with each alone.
func TestOperatorsShareTheirPoints(t *testing.T) {
	l := layer(t, 2, Config{Neurons: 31, Scale: []float64{2}, Seed: 5})
	points := mat.NewDense(300, 2, nil)
	varying := make([]float64, 300)
	for i := range 300 {
		points.Set(i, 0, -1+3.5*float64(i)/300)
		points.Set(i, 1, 2+4.5*float64(i%17)/17)
		varying[i] = float64(i) / 10
	}
	operators := [][]Term{
		{{Derivative: []int{2}}, {Derivative: []int{0, 2}}},
		nil,
		{{Derivative: []int{1, 3}, Coefficient: varying}, {Derivative: []int{4}, Coefficient: []float64{2}}, {Coefficient: varying}},
	}
	var dst []*mat.Dense
	for range operators {
		dst = append(dst, mat.NewDense(300, 31, nil))
	}
	l.OperatorsTo(dst, points, operators)
	for i, terms := range operators {
		alone := rows(l, points, terms...)
		for r := range 300 {
			one := rows(l, points.Slice(r, r+1, 0, 2), at(terms, r)...)
			for j := range 31 {
				if dst[i].At(r, j) != alone.At(r, j) || alone.At(r, j) != one.At(0, j) {
					t.Fatalf("operator %d, point %d, neuron %d: %g together, %g alone, %g for this point only", i, r, j, dst[i].At(r, j), alone.At(r, j), one.At(0, j))
				}
			}
		}
	}
}

// at returns the terms with the coefficients of a single point.
func at(terms []Term, point int) []Term {
	terms = append([]Term(nil), terms...)
	for i := range terms {
		if len(terms[i].Coefficient) > 1 {
			terms[i].Coefficient = terms[i].Coefficient[point:][:1]
		}
	}
	return terms
}

// TestRowsAreTheSameForAnyNumberOfProcessors also compares with single rows.
func TestRowsAreTheSameForAnyNumberOfProcessors(t *testing.T) {
	const n = 3001
	l := layer(t, 2, Config{Neurons: 70, Scale: []float64{2}, Seed: 5})
	points, varying := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		points.Set(i, 0, -1+3.5*float64(i%53)/53)
		points.Set(i, 1, 2+4.5*float64(i)/n)
		varying[i] = float64(i % 11)
	}
	terms := []Term{{Derivative: []int{1, 3}, Coefficient: varying}, {Derivative: []int{2}}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(processors)
		h := rows(l, points, terms...)
		for r := range n {
			one := rows(l, points.Slice(r, r+1, 0, 2), at(terms, r)...)
			for j := range l.Neurons() {
				if h.At(r, j) != one.At(0, j) {
					t.Fatalf("%d processors, row %d, neuron %d: %g, alone %g", processors, r, j, h.At(r, j), one.At(0, j))
				}
			}
		}
	}
}

// TestRowsDoNotAllocate checks one row and many.
func TestRowsDoNotAllocate(t *testing.T) {
	for _, activation := range Activations() {
		l := layer(t, 2, Config{Neurons: 100, Scale: []float64{2}, Seed: 5, Activation: activation})
		for _, n := range []int{1, 100} {
			points, dst := mat.NewDense(n, 2, nil), mat.NewDense(n, 100, nil)
			terms := []Term{{Derivative: []int{2}}, {Derivative: []int{0, 1}, Coefficient: make([]float64, n)}, {Coefficient: []float64{3}}}
			l.RowsTo(dst, points, terms)
			if allocations := testing.AllocsPerRun(20, func() { l.RowsTo(dst, points, terms) }); allocations > 0 {
				t.Errorf("%v: %g allocations for %d rows", activation, allocations, n)
			}
		}
	}
}
