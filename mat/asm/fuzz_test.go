package asm

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzKernels calls every kernel with arbitrary bits, including NaN and subnormal numbers, and
// compares the results with those of generic.
func FuzzKernels(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x00\x80"), 0.5, true)
	f.Add(make([]byte, 8*40), -1.0, false)
	f.Fuzz(func(t *testing.T, data []byte, alpha float64, accumulate bool) {
		x := make([]float64, min(len(data)/8, 1000))
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		y := make([]float64, len(x))
		for i := range y {
			y[i] = x[len(x)-1-i] + alpha
		}
		for _, k := range All() {
			got, want := vectorResults(k, alpha, x, y), vectorResults(&generic, alpha, x, y)
			if i := firstDifference(got, want); i >= 0 {
				t.Fatalf("%s: result %d is %v, not %v", k.Name(), i, got[i], want[i])
			}
			depth := min(len(x)/k.MR(), len(x)/k.NR(), 80)
			c := tileCase{
				depth: depth, alpha: alpha, accumulate: accumulate, rows: 1 + len(x)%k.MR(), cols: 1 + len(x)%k.NR(), ldc: k.NR(),
				a: x, b: y, ab: product(depth, x, y, k.MR(), k.NR()), before: make([]float64, k.MR()*k.NR()),
			}
			copy(c.before, x)
			c.check(t, k)
			c.rows, c.cols = k.MR(), k.NR()
			c.check(t, k)
		}
	})
}

// vectorResults concatenates the results of the vector functions of k.
func vectorResults(k *Kernel, alpha float64, x, y []float64) []float64 {
	results := []float64{k.Dot(x, y), k.Sum(x)}
	u, v := append([]float64(nil), x...), append([]float64(nil), y...)
	k.Axpy(alpha, u, v)
	results = append(results, v...)
	k.Rotate(alpha, -0.75, u, v)
	results = append(append(results, u...), v...)
	rows := min(len(x), 13)
	if rows > 0 {
		v = v[:len(x)/rows]
		k.AxpyRows(y[:rows], u, len(v), v)
		results = append(results, v...)
	}
	return results
}
