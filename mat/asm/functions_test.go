package asm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// vectorFunctions lists the vector functions of one argument: how to call them on a kernel,
// with all their results, and their scalar versions.
var vectorFunctions = []struct {
	name    string
	results int
	draw    func(*rand.Rand) float64
	vector  func(k *Kernel, dst [][]float64, x []float64)
	scalar  func(x float64) []float64
}{
	{"Exp", 1, drawExp, func(k *Kernel, d [][]float64, x []float64) { k.ExpTo(d[0], x) }, func(x float64) []float64 { return []float64{Exp(x)} }},
	{"Log", 1, drawLog, func(k *Kernel, d [][]float64, x []float64) { k.LogTo(d[0], x) }, func(x float64) []float64 { return []float64{Log(x)} }},
	{"Sin", 1, drawSin, func(k *Kernel, d [][]float64, x []float64) { k.SinTo(d[0], x) }, func(x float64) []float64 { return []float64{Sin(x)} }},
	{"Cos", 1, drawSin, func(k *Kernel, d [][]float64, x []float64) { k.CosTo(d[0], x) }, func(x float64) []float64 { return []float64{Cos(x)} }},
	{"SinCos", 2, drawSin, func(k *Kernel, d [][]float64, x []float64) { k.SinCosTo(d[0], d[1], x) }, func(x float64) []float64 { s, c := SinCos(x); return []float64{s, c} }},
	{"Tanh", 1, drawTanh, func(k *Kernel, d [][]float64, x []float64) { k.TanhTo(d[0], x) }, func(x float64) []float64 { return []float64{Tanh(x)} }},
	{"TanhSech2", 2, drawTanh, func(k *Kernel, d [][]float64, x []float64) { k.TanhSech2To(d[0], d[1], x) }, func(x float64) []float64 { t, u := TanhSech2(x); return []float64{t, u} }},
	{"TanhJet", 4, drawTanh, func(k *Kernel, d [][]float64, x []float64) { k.TanhJetTo(d[0], d[1], d[2], d[3], x) }, func(x float64) []float64 { t, u, v, w := TanhJet(x); return []float64{t, u, v, w} }},
}

// specialArguments are arguments that a lane must treat specially, and the ends of the ranges
// in which it need not.
var specialArguments = func() []float64 {
	list := []float64{math.NaN(), math.Inf(1), 0, math.SmallestNonzeroFloat64, 0x1p-1022, math.Nextafter(0x1p-1022, 0), math.MaxFloat64,
		sechLargest, math.Nextafter(sechLargest, 400), 372.9, 373.3, 350, expLargest, -expSmallest, reductionLimit, math.Nextafter(reductionLimit, math.Inf(1)),
		1, math.Nextafter(1, 0), math.Nextafter(1, 2), math.Sqrt2, math.Float64frombits(sqrtHalfBits), math.Float64frombits(sqrtHalfBits - 1), 709.782712893384, 709.7827128933841, 745.1332191019411, 745.1332191019412, math.Pi}
	for _, x := range list {
		list = append(list, -x)
	}
	return append(list, math.Float64frombits(0x7ff0_0000_0000_0001), math.Float64frombits(0xfff8_dead_beef_0001))
}()

// drawArgument returns one of f's arguments, and rarely a special one or arbitrary bits.
func drawArgument(random *rand.Rand, draw func(*rand.Rand) float64) float64 {
	switch random.IntN(40) {
	case 0:
		return specialArguments[random.IntN(len(specialArguments))]
	case 1:
		return math.Float64frombits(random.Uint64())
	}
	return draw(random)
}

// TestVectorFunctionsHaveTheBitsOfOne compares with the scalar functions, including NaN bits.
func TestVectorFunctionsHaveTheBitsOfOne(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 4
	}
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range vectorFunctions {
			t.Run(f.name, func(t *testing.T) {
				random := rand.New(rand.NewPCG(7, 8))
				lengths := []int{stretch + 5}
				for range rounds {
					for n := range 70 {
						lengths = append(lengths, n)
					}
				}
				lengths = append(lengths, len(specialArguments))
				for round, n := range lengths {
					x := make([]float64, n)
					for i := range x {
						x[i] = drawArgument(random, f.draw)
					}
					if round == len(lengths)-1 {
						copy(x, specialArguments)
					}
					dst := make([][]float64, f.results)
					for j := range dst {
						dst[j] = append(make([]float64, n), 7)[:n]
					}
					f.vector(k, dst, x)
					for i := range x {
						for j, want := range f.scalar(x[i]) {
							if math.Float64bits(dst[j][i]) != math.Float64bits(want) {
								t.Fatalf("length %d: result %d of %v (%#x) is %v, want %v", n, j, x[i], math.Float64bits(x[i]), dst[j][i], want)
							}
						}
					}
					for j := range dst {
						if dst[j][:n+1][n] != 7 {
							t.Fatalf("length %d: wrote beyond the result", n)
						}
						y := append([]float64(nil), x...) // in place
						in := append([][]float64(nil), dst...)
						in[j] = y
						f.vector(k, in, y)
						for i := range y {
							if want := f.scalar(x[i])[j]; math.Float64bits(y[i]) != math.Float64bits(want) {
								t.Fatalf("length %d: in place, result %d of %v is %v, want %v", n, j, x[i], y[i], want)
							}
						}
					}
				}
			})
		}
	})
}

func TestMulPolynomial(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, filling := range fillings {
			random := rand.New(rand.NewPCG(9, 10))
			fill := func(n int) []float64 {
				x := make([]float64, n, n+1)
				for i := range x {
					x[i] = filling.value(random)
				}
				return x
			}
			for n := range 70 {
				for terms := range 6 {
					for _, accumulate := range []bool{false, true} {
						p, w, v, c, dst := fill(n), fill(n), fill(n), fill(terms), fill(n)
						dst = append(dst, 7)[:n]
						want := append([]float64(nil), dst...)
						genericMulPolynomial(want, p, w, v, c, accumulate)
						k.MulPolynomialTo(dst, p, w, v, c, accumulate)
						if i := firstDifference(dst, want); i >= 0 {
							t.Fatalf("%s, length %d, %d coefficients, accumulate %v: element %d is %v, want %v", filling.name, n, terms, accumulate, i, dst[i], want[i])
						}
						if dst[:n+1][n] != 7 {
							t.Fatalf("length %d: wrote beyond the result", n)
						}
					}
				}
			}
		}
	})
}

// TestTanhJetIsTheDerivatives compares v = -2tu, and w = u(4-6u), which has a zero, with the
// reference.
func TestTanhJetIsTheDerivatives(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 5_000 {
		x := drawUniform(random, -30, 30)
		bigT, bigU := bigTanhSech2(x)
		_, _, v, w := TanhJet(x)
		want := newBig().Mul(bigT, bigU)
		want.Mul(want, bigOf(-2))
		if e := ulpError(v, want); !(e < 4) {
			t.Fatalf("second derivative at %v: %v ulp", x, e)
		}
		want = newBig().Mul(bigU, bigOf(-6))
		want.Add(want, bigOf(4))
		want.Mul(want, bigU)
		exact, _ := want.Float64()
		u, _ := bigU.Float64()
		if math.Abs(w-exact) > 16*0x1p-53*u {
			t.Fatalf("third derivative at %v: %v, want %v", x, w, exact)
		}
	}
}

func BenchmarkFunctions(b *testing.B) {
	const n = 4096
	random := rand.New(rand.NewPCG(13, 14))
	x := make([]float64, n)
	for i := range x {
		x[i] = drawUniform(random, -3, 3)
	}
	dst := make([][]float64, 4)
	for j := range dst {
		dst[j] = make([]float64, n)
	}
	for _, k := range All() {
		for _, f := range vectorFunctions {
			b.Run(fmt.Sprintf("%s/%s", k.Name(), f.name), func(b *testing.B) {
				p := newPace(n, func() { f.vector(k, dst, x) })
				for b.Loop() {
					p.run()
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(1/p.best, "ns/elem")
			})
		}
	}
}

// FuzzFunctions calls the vector functions with arbitrary bits.
func FuzzFunctions(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\xf0\x7f"))
	seed := []byte(nil)
	for _, x := range specialArguments {
		seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(x))
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		x := make([]float64, min(len(data)/8, 200))
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		for _, k := range All() {
			for _, f := range vectorFunctions {
				dst := make([][]float64, f.results)
				for j := range dst {
					dst[j] = make([]float64, len(x))
				}
				f.vector(k, dst, x)
				for i := range x {
					for j, want := range f.scalar(x[i]) {
						if math.Float64bits(dst[j][i]) != math.Float64bits(want) {
							t.Fatalf("%s, %s: result %d of %#x is %v, want %v", k.Name(), f.name, j, math.Float64bits(x[i]), dst[j][i], want)
						}
					}
				}
			}
		}
	})
}
