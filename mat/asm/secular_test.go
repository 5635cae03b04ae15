package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSecular(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 7))
			for n := range 140 {
				d, z := values(r, f, n), values(r, f, n)
				origin, shift, pole := f.value(r), f.value(r), f.value(r)
				var lanesOfValue, lanesOfSlope [lanes]float64
				quotients, products := make([]float64, n+1), values(r, f, n+1)
				wantProducts := append([]float64(nil), products...)
				for i, x := range d {
					quotients[i] = z[i] / ((x - origin) - shift)
					lanesOfValue[i%lanes] = math.FMA(z[i], quotients[i], lanesOfValue[i%lanes])
					lanesOfSlope[i%lanes] = math.FMA(quotients[i], quotients[i], lanesOfSlope[i%lanes])
					wantProducts[i] *= ((x - origin) - shift) / (x - pole)
				}
				wantValue, wantSlope := fold(&lanesOfValue, n), fold(&lanesOfSlope, n)
				value, slope := k.SecularSums(origin, shift, d, z)
				if !same(value, wantValue) || !same(slope, wantSlope) {
					t.Fatalf("%s, n %d: sums %x, %x, want %x, %x", f.name, n, value, slope, wantValue, wantSlope)
				}
				v := make([]float64, n+1)
				square := k.SecularVector(origin, shift, d, z, v[:n])
				if !same(square, wantSlope) || firstDifference(v, quotients) >= 0 {
					t.Fatalf("%s, n %d: square %x, want %x; vector %d", f.name, n, square, wantSlope, firstDifference(v, quotients))
				}
				k.LoewnerRatios(origin, shift, pole, d, products[:n])
				if firstDifference(products, wantProducts) >= 0 {
					t.Fatalf("%s, n %d: product %d", f.name, n, firstDifference(products, wantProducts))
				}
			}
		}
	})
}

// TestLongSecularSumsAreThoseOfTheirStretches tests more terms than one call of assembly takes.
func TestLongSecularSumsAreThoseOfTheirStretches(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(1, 8))
		d, z := values(r, fillings[0], 2*stretch+3), values(r, fillings[0], 2*stretch+3)
		value, slope := k.SecularSums(4, 0.5, d, z)
		wantValue, wantSlope := 0.0, 0.0
		for first := 0; first < len(d); first += stretch {
			end := min(first+stretch, len(d))
			v, s := k.SecularSums(4, 0.5, d[first:end], z[first:end])
			wantValue, wantSlope = wantValue+v, wantSlope+s
		}
		if !same(value, wantValue) || !same(slope, wantSlope) {
			t.Errorf("%x and %x, want %x and %x", value, slope, wantValue, wantSlope)
		}
		v := make([]float64, len(d))
		if square := k.SecularVector(4, 0.5, d, z, v); !same(square, wantSlope) {
			t.Errorf("square %x, want %x", square, wantSlope)
		}
	})
}
