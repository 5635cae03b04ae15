package asm

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// On processors that have the instruction, errorFreeFMA has no callers, and tests compare it
// with the instruction. Kernel dekker takes part in every test.
func init() {
	if !errorFree {
		kernels = append(kernels, dekker.complete())
	}
}

// exactArithmetic is false where Go's own arithmetic replaces the processor's (GO386=softfloat).
// It rounds some subnormal numbers twice, and FMA is math.FMA.
const exactArithmetic = errorFree || runtime.GOARCH != "386"

// checkFMA compares with the bits of math.FMA.
func checkFMA(t *testing.T, x, y, z float64) {
	t.Helper()
	want := math.FMA(x, y, z)
	if got := errorFreeFMA(x, y, z); exactArithmetic && !same(got, want) {
		t.Errorf("errorFreeFMA(%x, %x, %x) = %x, want %x", x, y, z, got, want)
	}
	if got := FMA(x, y, z); !same(got, want) {
		t.Errorf("FMA(%x, %x, %x) = %x, want %x", x, y, z, got, want)
	}
}

// edges are numbers at which an FMA is prone to errors.
func edges() []float64 {
	powers := []float64{0}
	for _, k := range []int{-1074, -1073, -1042, -1023, -1022, -1021, -970, -969, -968, -537, -106, -54, -53, -52, -27, -1, 0, 1, 26, 27, 52, 53, 54, 511, 512, 970, 995, 996, 997, 1022, 1023} {
		powers = append(powers, math.Ldexp(1, k))
	}
	var numbers []float64
	for _, v := range append(powers, math.Inf(1), math.MaxFloat64, 3, 1<<27+1, 0x1.5555555555555p0) {
		numbers = append(numbers, v, -v)
		if v > 0 {
			numbers = append(numbers, math.Nextafter(v, math.Inf(1)), -math.Nextafter(v, 0))
		}
	}
	return append(numbers, math.NaN(), math.Copysign(math.NaN(), -1), math.Float64frombits(0x7ff0_0000_dead_beef), sentinel)
}

func TestFMAAtTheEdges(t *testing.T) {
	numbers := edges()
	for _, x := range numbers {
		for _, y := range numbers {
			for _, z := range numbers {
				checkFMA(t, x, y, z)
			}
			// Next to -xy, little more than the rounding error of the product is left.
			p := math.Float64bits(-x * y)
			for step := uint64(0); step <= 4; step++ {
				checkFMA(t, x, y, math.Float64frombits(p+step-2))
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// hostile returns a number with many zeros or ones in its fraction, and often an extreme
// exponent or one near others.
func hostile(r *rand.Rand) float64 {
	const fraction = 1<<52 - 1
	var exponent uint64
	switch r.IntN(6) {
	case 0:
		exponent = uint64(r.IntN(2048))
	case 1:
		exponent = uint64(exponentBias - 2 + r.IntN(5))
	case 2:
		exponent = uint64(r.IntN(60))
	case 3:
		exponent = uint64(2047 - r.IntN(60))
	default:
		exponent = uint64(exponentBias - 100 + r.IntN(200))
	}
	bits := r.Uint64()
	sign := bits >> 63 << 63
	bits &= fraction
	switch r.IntN(8) {
	case 0:
		bits = 0
	case 1:
		bits = 1 << r.IntN(52)
	case 2:
		bits = fraction &^ (1<<r.IntN(52) - 1)
	case 3:
		bits &^= 1<<26 - 1
	case 4:
		bits = 1<<r.IntN(52) ^ 1<<r.IntN(52)
	case 5:
		bits = 1<<r.IntN(52) - 1
	}
	return math.Float64frombits(sign | exponent<<52 | bits)
}

// TestFMAOfHostileOperands covers cancellation, and sums next to the midpoint of two numbers,
// which random operands would miss.
func TestFMAOfHostileOperands(t *testing.T) {
	trials := 10_000_000
	if testing.Short() {
		trials = 500_000
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range trials {
		x, y, z := hostile(r), hostile(r), hostile(r)
		switch r.IntN(4) {
		case 0: // xy + z cancels all but a few bits
			z = math.Float64frombits(math.Float64bits(-x*y) + uint64(r.IntN(5)-2))
		case 1: // xy and z overlap, or just do not
			_, e := math.Frexp(x * y)
			f, _ := math.Frexp(z)
			z = math.Ldexp(f, e+r.IntN(220)-110)
		case 2: // xy is half a unit of z, up to its last bit
			f, e := math.Frexp(z)
			z = math.Ldexp(f, e%900)
			k := r.IntN(52)
			x = math.Ldexp(1+math.Ldexp(1, -k), e%900-54)
			y = math.Copysign(1-math.Ldexp(float64(r.IntN(3)-1), -k), y)
			if r.IntN(2) == 0 {
				x, y = y, x
			}
		}
		checkFMA(t, x, y, z)
		if t.Failed() {
			t.FailNow()
		}
	}
}

func FuzzFMA(f *testing.F) {
	f.Add(1+0x1p-30, 1-0x1p-30, -1.0)
	f.Add(0x1p-53, 1+0x1p-52, 1.0)
	f.Add(0x1p-500, 0x1p-570, 0x1p-1074)
	f.Add(0x1p1000, 0x1p-3, math.Inf(-1))
	f.Fuzz(checkFMA)
}

// BenchmarkFMA times one call of each, which matters where neither is an instruction.
func BenchmarkFMA(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y, z := make([]float64, 1024), make([]float64, 1024), make([]float64, 1024)
	for i := range x {
		x[i], y[i], z[i] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	}
	run := func(name string, pass func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				pass()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/fma")
		})
	}
	run("error-free", func() {
		for i, v := range x {
			z[i] = errorFreeFMA(v, y[i], z[i])
		}
	})
	run("math", func() {
		for i, v := range x {
			z[i] = math.FMA(v, y[i], z[i])
		}
	})
	run("axpy", func() { Active().Axpy(0.001, x, z) })
	run("tile", func() { // as many products as in the others
		k := Active()
		k.Strip(packedStrip(k, len(x)/k.mr/k.nr, 1, x, y, true, z, k.nr, k.mr, k.nr))
	})
}
