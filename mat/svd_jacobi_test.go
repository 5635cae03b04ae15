package mat

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
)

// exactSingularValues returns the singular values of a square matrix, largest first,
// computed by one-sided Jacobi in 140-bit arithmetic.
func exactSingularValues(a *Dense) []float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(140).SetFloat64(v) }
	zero, one := number(0), number(1)
	n := a.Rows()
	rows := make([][]*big.Float, n)
	for i := range rows {
		for _, v := range a.Row(i) {
			rows[i] = append(rows[i], number(v))
		}
	}
	term := number(0)
	inner := func(x, y []*big.Float) *big.Float {
		sum := number(0)
		for i := range x {
			sum.Add(sum, term.Mul(x[i], y[i]))
		}
		return sum
	}
	for rotated := true; rotated; {
		rotated = false
		for p := range n {
			for q := p + 1; q < n; q++ {
				pp, qq, pq := inner(rows[p], rows[p]), inner(rows[q], rows[q]), inner(rows[p], rows[q])
				cosine2 := new(big.Float).Quo(new(big.Float).Mul(pq, pq), new(big.Float).Mul(pp, qq))
				if cosine2.Cmp(number(0x1p-130)) < 0 {
					continue
				}
				rotated = true
				zeta := new(big.Float).Quo(new(big.Float).Sub(qq, pp), new(big.Float).Add(pq, pq))
				root := new(big.Float).Sqrt(new(big.Float).Add(one, new(big.Float).Mul(zeta, zeta)))
				t := new(big.Float).Quo(one, root.Add(root, new(big.Float).Abs(zeta)))
				if zeta.Cmp(zero) < 0 {
					t.Neg(t)
				}
				c := new(big.Float).Quo(one, new(big.Float).Sqrt(new(big.Float).Add(one, new(big.Float).Mul(t, t))))
				s := new(big.Float).Mul(c, t)
				for i, x := range rows[p] {
					y := rows[q][i]
					rows[p][i] = new(big.Float).Sub(new(big.Float).Mul(c, x), new(big.Float).Mul(s, y))
					rows[q][i] = new(big.Float).Add(new(big.Float).Mul(s, x), new(big.Float).Mul(c, y))
				}
			}
		}
	}
	values := make([]float64, n)
	for i, row := range rows {
		values[i], _ = new(big.Float).Sqrt(inner(row, row)).Float64()
	}
	slices.SortFunc(values, func(x, y float64) int {
		if x > y {
			return -1
		}
		return 1
	})
	return values
}

func TestSVDValuesHaveAllDigits(t *testing.T) {
	const n, factor = 32, 2 // times n eps
	if testing.Short() {
		t.Skip("140-bit arithmetic is slow")
	}
	r := newRandom(32)
	var q QR
	q.Factorize(randomDense(r, n, n, 0))
	orthogonal := identity(n)
	q.MulQ(NoTrans, orthogonal)
	var s SVD
	for name, power := range map[string]func(i int) int{
		"one scale":    func(i int) int { return i % 3 },
		"one group":    func(i int) int { return 11 * i / n },
		"upside down":  func(i int) int { return 11 * (n - 1 - i) / n },
		"many scales":  func(i int) int { return 3 * i },
		"two groups":   func(i int) int { return 60 * (2 * i / n) },
		"out of order": func(i int) int { return (7 * i) % n / 3 },
	} {
		for _, byRows := range []bool{true, false} {
			a := orthogonal.Clone()
			for i := range n {
				for j := range n {
					p := power(j)
					if byRows {
						p = power(i)
					}
					// Not quite orthogonal, or the values would be known in advance.
					a.Set(i, j, math.Ldexp(a.At(i, j)+0.05*r.NormFloat64(), -p))
				}
			}
			if err := s.Factorize(a, true); err != nil {
				t.Fatal(err)
			}
			for i, want := range exactSingularValues(a) {
				what := fmt.Sprintf("%s, by rows %v: value %d, relative to itself", name, byRows, i)
				requireSmall(t, what, math.Abs(s.Values()[i]/want-1), factor, n)
			}
		}
	}
}
