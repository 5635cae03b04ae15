package mat

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

// everySize calls test for sizes n from 0 to 300: for every n up to a limit, then for
// those around multiples of 8. Short tests skip most.
func everySize(test func(n int)) {
	for n := 0; n <= 300; n++ {
		switch {
		case testing.Short() && n%23 != 0:
		case n <= 140 || (n+1)%8 <= 2:
			test(n)
		}
	}
}

// hardMatrices returns matrices of one shape with nearly dependent columns.
func hardMatrices(m, n int) map[string]*Dense {
	all := map[string]*Dense{"random": randomDense(newRandom(uint64(m+1000*n)), m, n, 0)}
	for _, name := range []string{"graded", "nearly dependent", "Hilbert", "Vandermonde", "singular"} {
		all[name] = NewDense(m, n, nil)
	}
	for i := range m {
		power := 1.0
		for j, v := range all["random"].Row(i) {
			all["graded"].Set(i, j, math.Ldexp(v, -j))
			all["nearly dependent"].Set(i, j, float64(i%7)+1e-9*v)
			all["Hilbert"].Set(i, j, 1/float64(1+i+j))
			all["Vandermonde"].Set(i, j, power)
			all["singular"].Set(i, j, float64(i%3)-float64(j%2))
			power *= float64(i+1) / float64(m)
		}
	}
	return all
}

// hardDefinite returns matrices that are positive definite up to rounding errors.
func hardDefinite(n int) map[string]*Sym {
	all := map[string]*Sym{}
	for name, m := range hardMatrices(n+n/3, n) {
		a := NewSym(n, nil)
		Syrk(Trans, 1, m, 0, a)
		largest := 0.0
		for i := range n {
			largest = max(largest, a.At(i, i))
		}
		for i := range n {
			switch name {
			case "singular": // exactly
			case "graded":
				a.Set(i, i, a.At(i, i)*1.5)
			default:
				a.Set(i, i, a.At(i, i)+1e-6*largest)
			}
		}
		all[name] = a
	}
	return all
}

// times returns the product of a vector and the matrix with elements at(i, j), and the
// product of their absolute values.
func times(rows, cols int, at func(i, j int) float64, x []float64) (product, magnitude []float64) {
	product, magnitude = make([]float64, rows), make([]float64, rows)
	for i := range rows {
		for j := range cols {
			v := at(i, j)
			product[i] = math.FMA(v, x[j], product[i])
			magnitude[i] += math.Abs(float64(v * x[j]))
		}
	}
	return product, magnitude
}

func TestCholeskyOfEverySize(t *testing.T) {
	const residual, inverseResidual = 2, 2 // times n eps
	var c Cholesky
	everySize(func(n int) {
		x := randomDense(newRandom(uint64(n)), 1, n, 0).Row(0)
		for name, a := range hardDefinite(n) {
			what := fmt.Sprint(name, " ", n)
			if err := c.Factorize(a); err != nil {
				var target *NotPositiveDefiniteError
				if !errors.As(err, &target) || name != "singular" {
					t.Fatal(what, err)
				}
				if n > 2 && target.Index < 2 {
					t.Errorf("%s: pivot %d of a matrix of rank 2", what, target.Index)
				}
				continue
			}
			// |LL' - A| <= (n+1) eps |L||L'|, element by element.
			l := c.L()
			y, plain := times(n, n, func(i, j int) float64 { return l.At(j, i) }, x)
			got, _ := times(n, n, l.At, y)
			_, limit := times(n, n, func(i, j int) float64 { return math.Abs(l.At(i, j)) }, plain)
			want, _ := times(n, n, a.At, x)
			for i, v := range got {
				if math.Abs(v-want[i]) > residual*float64(n+1)*eps*limit[i] {
					t.Fatalf("%s: element %d of LL'x is %v, of Ax %v", what, i, v, want[i])
				}
			}
			inverse, diagonal := NewSym(n, nil), make([]float64, n)
			c.InverseTo(inverse)
			c.InverseDiagonalTo(diagonal)
			z, _ := times(n, n, inverse.At, x)
			back, _ := times(n, n, a.At, z)
			scale := float64(n+1) * frobenius(full(a)) * frobenius(full(inverse)) * Nrm2(x)
			requireSmall(t, what+": A inv(A) x - x", Nrm2(minus(back, x)), inverseResidual, scale)
			for i, v := range diagonal {
				requireSmall(t, what+": diagonal", math.Abs(v-inverse.At(i, i)), inverseResidual, float64(n+1)*v)
			}
			solution := append([]float64(nil), x...)
			c.SolveVecTo(solution, solution)
			requireSmall(t, what+": solution", Nrm2(minus(solution, z)), 2*inverseResidual, float64(n+1)*frobenius(full(a))*math.Pow(frobenius(full(inverse)), 2)*Nrm2(x))
			if t.Failed() {
				t.FailNow()
			}
		}
	})
}

func minus(x, y []float64) []float64 {
	d := append([]float64(nil), x...)
	Axpy(-1, y, d)
	return d
}

// someColumns returns a few of n columns, including the first and the last.
func someColumns(n int) (columns []int) {
	for _, j := range []int{0, n / 3, n / 2, n - 2, n - 1} {
		if j >= 0 && (len(columns) == 0 || j > columns[len(columns)-1]) {
			columns = append(columns, j)
		}
	}
	return columns
}

// checkQR compares columns of QR with those of A, each relative to its own norm, and
// checks that Q is orthogonal.
func checkQR(t *testing.T, what string, a, r *Dense, column func(j int) int, mulQ func(Transpose, *Dense)) {
	t.Helper()
	const residual, orthogonality = 2, 2 // times max(m, n) eps
	m, n := a.Dims()
	size := float64(max(m, n) + 1)
	columns := someColumns(n)
	product := NewDense(m, len(columns), nil)
	for c, j := range columns {
		for i := range min(m, n) {
			product.Set(i, c, r.At(i, j))
		}
	}
	mulQ(NoTrans, product)
	for c, j := range columns {
		difference, square := 0.0, 0.0
		for i := range m {
			v := a.At(i, column(j))
			d := product.At(i, c) - v
			difference, square = math.FMA(d, d, difference), math.FMA(v, v, square)
		}
		requireSmall(t, fmt.Sprint(what, ": column ", j, " of QR"), math.Sqrt(difference), residual, size*math.Sqrt(square))
	}
	x := randomDense(newRandom(uint64(m)), m, 5, 0)
	y := x.Clone()
	mulQ(NoTrans, y)
	requireSmall(t, what+": length of Qx", math.Abs(frobenius(y)-frobenius(x)), orthogonality, size*frobenius(x))
	mulQ(Trans, y)
	requireSmall(t, what+": Q'Qx - x", distance(y, x), orthogonality, size*frobenius(x))
	if t.Failed() {
		t.FailNow()
	}
}

func TestQROfEverySize(t *testing.T) {
	var q QR
	var p PivotedQR
	everySize(func(n int) {
		shapes := [][2]int{{n + n/3, n}, {n, n}, {n, n + n/5}}
		shape := shapes[n%3]
		for name, a := range hardMatrices(shape[0], shape[1]) {
			what := fmt.Sprint(name, shape)
			q.Factorize(a)
			checkQR(t, "QR "+what, a, q.R(), func(j int) int { return j }, q.MulQ)
			if err := p.Factorize(a); err != nil {
				t.Fatal(what, err)
			}
			r, small := p.R(), eps*frobenius(a)
			checkQR(t, "PivotedQR "+what, a, r, func(j int) int { return p.Order()[j] }, p.MulQ)
			for i := 1; i < min(shape[0], shape[1]); i++ {
				if math.Abs(r.At(i, i)) > math.Abs(r.At(i-1, i-1))*(1+1e-6)+small {
					t.Fatalf("PivotedQR %s: the diagonal grows at %d", what, i)
				}
			}
			if rank := p.Rank(1e-12); name == "singular" && n > 3 && rank != 2 {
				t.Fatalf("PivotedQR %s: rank %d", what, rank)
			}
		}
	})
}

// The sizes are around those at which blocks grow or work is shared among processors.
func TestFactorisationsAreTheSameOnAnyKernelAndNumberOfProcessors(t *testing.T) {
	cholesky := []int{127, 129, 200, 383, 385, 500}
	eigen := []int{95, 97, 201, 300}
	qr := [][2]int{{60, 40}, {300, 255}, {300, 257}, {420, 330}, {257, 400}}
	if testing.Short() {
		cholesky, eigen, qr = cholesky[:4], eigen[:3], qr[:3]
	}
	before := asm.Active().Name()
	defer asm.Use(before)
	results := func() (digests []uint64) {
		for _, n := range cholesky {
			a := positiveDefinite(uint64(n), n)
			var c Cholesky
			if err := c.Factorize(a); err != nil {
				t.Fatal(err)
			}
			inverse := NewSym(n, nil)
			c.InverseTo(inverse)
			digests = append(digests, digest(full(inverse).Data(), fullTri(c.L()).Data()))
		}
		for _, n := range eigen {
			var e SymEigen
			if err := e.Factorize(symmetric(randomDense(newRandom(7), n, n, 0)), true); err != nil {
				t.Fatal(err)
			}
			digests = append(digests, digest(e.Values(), e.Vectors().Data()))
		}
		for _, s := range qr {
			a, b := randomDense(newRandom(9), s[0], s[1], 0), randomDense(newRandom(8), s[0], 7, 0)
			var q QR
			q.Factorize(a)
			q.MulQ(Trans, b)
			digests = append(digests, digest(q.R().Data(), b.Data()))
		}
		return digests
	}
	var want []uint64
	compare := func(what string) {
		got := results()
		if want == nil {
			want = got
		}
		for i, v := range got {
			if v != want[i] {
				t.Errorf("%s: case %d differs", what, i)
			}
		}
	}
	withProcessors(t, func(processors int) { compare(fmt.Sprint(processors, " processors")) })
	for _, k := range asm.All() {
		useKernel(t, k.Name())
		compare(k.Name())
	}
}

func TestCholeskyNamesThePivotOnAnyNumberOfProcessors(t *testing.T) {
	const n = 450
	withProcessors(t, func(processors int) {
		for _, at := range []int{0, 47, 48, 100, 383, 384, n - 1} {
			for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
				a := symmetric(identity(n))
				a.Set(at, at, bad)
				if at > 0 {
					a.Set(n-1, n-1, -2) // not the first
				}
				if at == n-1 {
					a.Set(at, at, bad)
				}
				var c Cholesky
				var target *NotPositiveDefiniteError
				if err := c.Factorize(a); !errors.As(err, &target) || target.Index != at || !sameBits(target.Pivot, bad) {
					t.Errorf("%d processors, %v at %d: %v", processors, bad, at, err)
				}
			}
		}
	})
}
