package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// The prior of weights w and parameters N under physics, exp(-|w|^2/2) times what the
// rows c N = H w say, prefers parameters of small effect: what N makes costs weights,
// |w_N|^2 N^2 with w_N the solution for N = 1. Readings of a solution with a strong
// source would then have the source made smaller than it is. That preference is nobody's:
// it is divided out. What remains of the rows' say, |c N - H w_N N|^2 relative to the
// slack, stays: it is what the equations contradict of a parameter. (Being taken at w_N, which
// the prior of the weights pulls to zero where the slack is loose, it is somewhat more.)
//
// With S the covariance of the parameters under physics, W that of all coordinates
// with them times S^-1 (so that W N is what is to be expected given N), all
// coordinates of unit prior variance and rows R, S^-1 = W'R'RW / tau^2 + W'W. Without what
// weights cost the precision is
//
//	M = W'R'RW / tau^2 + 1.

// freed is what has been done to parameters: F becomes F T, T = 1 + Q (B - 1) Q'.
type freed struct {
	count int
	q, b  *mat.Dense // n x m, m x m: B - 1
	more  float64    // of the trace of FF'
}

// free divides the preference out of a prior that has been set.
func (p *prior) free(sh *shape) error {
	p.freed.count = 0
	if sh.parameters == nil {
		return nil
	}
	n, m := sh.parameters.Dims()
	g := sh.parameters.Clone()
	p.spread(g) // F'e
	var qr mat.QR
	qr.Factorize(g)
	r := qr.R().Tri(mat.Upper) // S = R'R
	q := mat.NewDense(n, m, nil)
	for i := range m {
		q.Set(i, i, 1)
	}
	qr.MulQ(mat.NoTrans, q)
	fq := q.Clone()
	p.leave(fq)
	w := fq.Clone() // F Q R^-T = F F'e S^-1
	mat.Trsm(mat.Right, mat.Trans, 1, r, w)
	left := sh.square(w) // M
	for i := range m {
		for j := range i + 1 {
			left.Set(i, j, left.At(i, j)/float64(p.tau*p.tau))
		}
	}
	of, right := make([]float64, m), make([]float64, m)
	mat.Gemv(mat.Trans, 1, sh.parameters, p.mean, 0, of)
	mat.Gemv(mat.Trans, 1, w, p.mean, 0, right)
	for i := range m {
		for j := range m {
			right[i] += float64(left.At(max(i, j), min(i, j)) * of[j])
		}
	}
	for i := range m {
		left.Set(i, i, left.At(i, i)+1)
	}
	var chol mat.Cholesky
	if err := chol.Factorize(left); err != nil {
		return err
	}
	chol.SolveVecTo(right, right)
	mat.Axpy(-1, of, right)
	mat.Gemv(mat.NoTrans, 1, w, right, 1, p.mean)
	// B = R^-T L^-T
	b := mat.NewDense(m, m, nil)
	for i := range m {
		b.Set(i, i, 1)
	}
	mat.Trsm(mat.Left, mat.Trans, 1, chol.L(), b)
	mat.Trsm(mat.Left, mat.Trans, 1, r, b)
	for i := range m {
		b.Set(i, i, b.At(i, i)-1)
	}
	p.freed = freed{count: m, q: q, b: b}
	change := mat.NewDense(n, m, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, fq, b, 0, change)
	p.freed.more = squaresOf(change)
	for i := range n {
		p.freed.more += float64(2 * mat.Dot(fq.Row(i), change.Row(i)))
	}
	return nil
}

// sumsRounding bounds the relative error of sums of squares.
const sumsRounding = 0x1p-50

// square returns W'R'RW, of the rows R that have been decomposed.
func (sh *shape) square(w *mat.Dense) *mat.Sym {
	n, m := w.Dims()
	of := mat.NewSym(m, nil)
	if sh.sums == nil { // R = U B V'
		b := mat.NewDense(n, m, nil)
		for i := range n {
			to, from := b.Row(i), w.Row(i)
			for j := range m {
				to[j] = float64(sh.d[i] * from[j])
				if i < len(sh.e) {
					to[j] += float64(sh.e[i] * w.At(i+1, j))
				}
			}
		}
		mat.Syrk(mat.Trans, 1, b, 0, of)
		return of
	}
	hh := sh.sums.hh
	rows := w.Transpose()
	product := make([]float64, hh.N())
	for a := range m {
		x := rows.Row(a)[:hh.N()]
		clear(product)
		for i := range product {
			from := hh.Row(i)
			product[i] += mat.Dot(from, x[:i+1])
			mat.Axpy(x[i], from[:i], product[:i])
		}
		for c := range a + 1 {
			of.Set(a, c, mat.Dot(product, rows.Row(c)[:hh.N()]))
		}
	}
	// What rounding makes of sums of large terms says nothing.
	kept := make([]float64, m)
	for a := range m {
		sum := 0.0
		for i, x := range rows.Row(a)[:hh.N()] {
			sum += float64(math.Abs(x) * math.Sqrt(hh.At(i, i)))
		}
		v := of.At(a, a)
		if least := float64(sumsRounding * float64(sum*sum)); v > least {
			kept[a] = math.Sqrt((v - least) / v)
		}
	}
	for a := range m {
		for c := range a + 1 {
			of.Set(a, c, float64(of.At(a, c)*kept[a])*kept[c])
		}
	}
	return of
}

// times sets X = T X, or T'X.
func (f *freed) times(t mat.Transpose, x *mat.Dense) {
	if f.count == 0 {
		return
	}
	y := mat.NewDense(f.count, x.Cols(), nil)
	mat.Gemm(mat.Trans, mat.NoTrans, 1, f.q, x, 0, y)
	z := mat.NewDense(f.count, x.Cols(), nil)
	mat.Gemm(t, mat.NoTrans, 1, f.b, y, 0, z)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, f.q, z, 1, x)
}
