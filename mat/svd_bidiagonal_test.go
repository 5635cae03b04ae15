package mat

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// U'AV is upper bidiagonal with the reported elements, U and V are orthogonal, and all
// methods that apply V agree.
func TestBidiagonalFactors(t *testing.T) {
	const residual, orthogonality = 8, 8 // times (m+n) eps
	forEachKernel(t, func(t *testing.T) {
		var b Bidiagonal
		for _, n := range sizesUpTo(33, []int{0, 1, 2, 3, 5, 8, 17, 33, 65}) {
			for _, m := range []int{n, n + 1, 2*n + 3} {
				for name, a := range matrices(newRandom(uint64(m*100+n)), m, n) {
					what := fmt.Sprintf("%s, %d x %d", name, m, n)
					before := a.Clone()
					if err := b.Factorize(a); err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					if d := distance(a, before); d != 0 {
						t.Fatalf("%s: A has changed", what)
					}
					whole, exponent := scaledBack(a)
					ut, v, size := NewDense(m, m, nil), b.VTrans().Transpose(), float64(m+n)
					for i := range m { // column i of U'
						y := make([]float64, m)
						y[i] = 1
						b.MulUTrans(y)
						for j, x := range y {
							ut.Set(j, i, x)
						}
					}
					want := NewDense(m, n, nil)
					for i, d := range b.Diagonal() {
						want.Set(i, i, math.Ldexp(d, -exponent))
					}
					for i, e := range b.Super() {
						want.Set(i, i+1, math.Ldexp(e, -exponent))
					}
					floor := 0.0
					if exponent < -900 {
						floor = size * math.Ldexp(1, -1074-exponent)
					}
					got := distance(naive(NoTrans, NoTrans, ut, naive(NoTrans, NoTrans, whole, v)), want) - floor
					requireSmall(t, what+": U'AV - B", got, residual, size*frobenius(whole))
					requireSmall(t, what+": UU' - I", distance(naive(Trans, NoTrans, ut, ut), identity(m)), orthogonality, size)
					requireSmall(t, what+": V'V - I", distance(naive(Trans, NoTrans, v, v), identity(n)), orthogonality, size)
					x := randomDense(newRandom(6), n, 1, 0)
					vx := naive(NoTrans, NoTrans, v, x)
					b.MulV(x.Data())
					requireSmall(t, what+": Vx", distance(x, vx), orthogonality, size*frobenius(x))
					for _, rows := range []int{0, 3, 10} {
						h := randomDense(newRandom(7), rows, n, 2)
						hv := naive(NoTrans, NoTrans, h, v)
						b.MulRightV(h)
						requireSmall(t, what+": HV", distance(h, hv), orthogonality, size*frobenius(h))
						if !gapsUntouched(h) {
							t.Errorf("%s: MulRightV writes between the rows", what)
						}
					}
				}
			}
		}
	})
}

func TestBidiagonalRefusesNonFiniteInput(t *testing.T) {
	var b Bidiagonal
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		a := identity(5)
		a.Set(3, 2, v)
		var notFinite *NotFiniteError
		if err := b.Factorize(a); !errors.As(err, &notFinite) || notFinite.Row != 3 || notFinite.Col != 2 {
			t.Errorf("%g: %v", v, err)
		}
		if len(b.Diagonal()) != 0 {
			t.Error("the decomposition is not empty")
		}
	}
}

// R'R = B'B + tau^2 I. The solution, the minimum and solves with R agree with the dense
// problem, for tau from far above to far below the elements of B.
func TestRidgeAgainstDense(t *testing.T) {
	const residual, solution = 8, 64
	r := newRandom(3)
	var ridge Ridge
	for _, n := range []int{0, 1, 2, 3, 7, 40} {
		for _, tau := range []float64{1e3, 1, 1e-2, 1e-6} {
			what := fmt.Sprintf("n %d, tau %g", n, tau)
			b, c := NewDense(n, n, nil), make([]float64, n)
			d, e := make([]float64, n), make([]float64, max(0, n-1))
			for i := range n {
				d[i], c[i] = 2*r.Float64()-1, r.NormFloat64()
				b.Set(i, i, d[i])
				if i < n-1 {
					e[i] = 2*r.Float64() - 1
					b.Set(i, i+1, e[i])
				}
			}
			ridge.Factorize(d, e, tau, c)
			triangle := NewDense(n, n, nil)
			for i := range n {
				triangle.Set(i, i, ridge.d[i])
				if i < n-1 {
					triangle.Set(i, i+1, ridge.e[i])
				}
			}
			normal := naive(Trans, NoTrans, b, b)
			for i := range n {
				normal.Set(i, i, normal.At(i, i)+tau*tau)
			}
			requireSmall(t, what+": R'R - B'B - tau^2", distance(naive(Trans, NoTrans, triangle, triangle), normal), residual, float64(n+1)*frobenius(normal))

			stacked := NewDense(2*n, n, nil)
			stacked.Slice(0, n, 0, n).CopyFrom(b)
			for i := range n {
				stacked.Set(n+i, i, tau)
			}
			rhs := NewDense(2*n, 1, nil)
			for i, v := range c {
				rhs.Set(i, 0, v)
			}
			var qr QR
			qr.Factorize(stacked)
			qr.MulQ(Trans, rhs)
			want, rest := make([]float64, n), 0.0
			for i := range 2 * n {
				if i < n {
					want[i] = rhs.At(i, 0)
				} else {
					rest += rhs.At(i, 0) * rhs.At(i, 0)
				}
			}
			Trsv(NoTrans, qr.R().Tri(Upper), want)
			x := make([]float64, n)
			ridge.SolveTo(x)
			condition := (2 + tau) / tau
			difference := 0.0
			for i := range x {
				difference = math.Max(difference, math.Abs(x[i]-want[i]))
			}
			requireSmall(t, what+": x", difference, solution*condition, (1+Nrm2(want))*float64(n+1))
			requireSmall(t, what+": minimum", math.Abs(ridge.Rest()-rest), solution, float64(n+1)*(1+squared(c)))

			h := randomDense(r, n, 3, 1)
			back := h.Clone()
			ridge.SolveTrans(h)
			requireSmall(t, what+": R' R^-T H - H", distance(naive(Trans, NoTrans, triangle, h), back), residual, float64(n+1)*frobenius(h)*frobenius(triangle))
			back.CopyFrom(h)
			ridge.Solve(h)
			requireSmall(t, what+": R R^-1 H - H", distance(naive(NoTrans, NoTrans, triangle, h), back), residual, float64(n+1)*frobenius(h)*frobenius(triangle))
			if !gapsUntouched(h) {
				t.Errorf("%s: writes between the rows", what)
			}
			inverse := identity(n)
			ridge.Solve(inverse)
			square := frobenius(inverse) * frobenius(inverse)
			requireSmall(t, what+": |R^-1|^2", math.Abs(ridge.InverseSquare()-square), solution, float64(n+1)*square)
		}
	}
}

func squared(x []float64) float64 { return Dot(x, x) }

// With tau = 0 and a well-conditioned B, the ridge is the QR factorisation of B.
func TestRidgeWithoutDamping(t *testing.T) {
	var ridge Ridge
	ridge.Factorize([]float64{3, -4}, []float64{1}, 0, []float64{6, 8})
	x := make([]float64, 2)
	ridge.SolveTo(x)
	if math.Abs(x[1]+2) > 4*eps || math.Abs(x[0]-8./3) > 4*eps || ridge.Rest() != 0 {
		t.Errorf("x = %v, rest %g", x, ridge.Rest())
	}
}

// Ridge works on squares and, where these would vanish or overflow, by rotations. Scaling
// by a power of two is exact and selects between the two.
func TestRidgeBySquaresMatchesRotations(t *testing.T) {
	const agreement = 1e-12
	r := newRandom(5)
	for _, n := range []int{1, 2, 9, 64} {
		d, e, c := make([]float64, n), make([]float64, n-1), make([]float64, n)
		far, farE := make([]float64, n), make([]float64, n-1)
		for i := range n {
			d[i], c[i] = math.Ldexp(2*r.Float64()-1, -i), r.NormFloat64()
			far[i] = math.Ldexp(d[i], -480)
			if i < n-1 {
				e[i] = math.Ldexp(2*r.Float64()-1, -i)
				farE[i] = math.Ldexp(e[i], -480)
			}
		}
		var near, rotated Ridge
		near.Factorize(d, e, 1e-3, c)
		rotated.Factorize(far, farE, math.Ldexp(1e-3, -480), c)
		x, y := make([]float64, n), make([]float64, n)
		near.SolveTo(x)
		rotated.SolveTo(y)
		scale := Nrm2(x)
		for i := range n {
			if v := math.Ldexp(rotated.Diagonal()[i], 480); math.Abs(v-near.Diagonal()[i]) > agreement*v {
				t.Errorf("n %d: diagonal %d is %g, by rotations %g", n, i, near.Diagonal()[i], v)
			}
			if v := math.Ldexp(y[i], -480); math.Abs(v-x[i]) > agreement*1e3*scale {
				t.Errorf("n %d: x[%d] is %g, by rotations %g", n, i, x[i], v)
			}
		}
		if a, b := near.Rest(), rotated.Rest(); math.Abs(a-b) > agreement*b {
			t.Errorf("n %d: rest %g, by rotations %g", n, a, b)
		}
	}
}
