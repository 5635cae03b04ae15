package mat

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat/asm"
)

var vectorFunctions = []struct {
	name   string
	value  func(float64) float64
	vector func(dst, x []float64)
}{
	{"Exp", Exp, ExpTo},
	{"Log", Log, LogTo},
	{"Sin", Sin, SinTo},
	{"Cos", Cos, CosTo},
	{"Tanh", Tanh, TanhTo},
	{"first of TanhSech2", func(x float64) float64 { t, _ := asm.TanhSech2(x); return t },
		func(dst, x []float64) { TanhSech2To(dst, make([]float64, len(x)), x) }},
	{"second of TanhSech2", func(x float64) float64 { _, u := asm.TanhSech2(x); return u },
		func(dst, x []float64) { TanhSech2To(make([]float64, len(x)), dst, x) }},
	{"first of SinCos", func(x float64) float64 { s, _ := SinCos(x); return s }, SinTo},
	{"second of SinCos", func(x float64) float64 { _, c := SinCos(x); return c }, CosTo},
	{"first of SinCosTo", Sin, func(dst, x []float64) { SinCosTo(dst, make([]float64, len(x)), x) }},
	{"second of SinCosTo", Cos, func(dst, x []float64) { SinCosTo(make([]float64, len(x)), dst, x) }},
	{"value of TanhJetTo", Tanh, func(dst, x []float64) {
		n := len(x)
		TanhJetTo(dst, make([]float64, n), make([]float64, n), make([]float64, n), x)
	}},
	{"first derivative of TanhJetTo", func(x float64) float64 { _, u := asm.TanhSech2(x); return u }, func(dst, x []float64) {
		n := len(x)
		TanhJetTo(make([]float64, n), dst, make([]float64, n), make([]float64, n), x)
	}},
}

// spread returns n arguments: special values first, then all magnitudes.
func spread(n int) []float64 {
	x := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1074, -0x1p-1030, 1e300, 800, -800}
	for i := 0; len(x) < n; i++ {
		x = append(x, math.Ldexp(1+float64(i%89)/89, i%120-60))
	}
	return x[:n]
}

func TestVectorFormsAreTheScalarFunctions(t *testing.T) {
	for _, f := range vectorFunctions {
		for n := range 200 {
			x := spread(n)
			dst := make([]float64, n)
			f.vector(dst, x)
			inPlace := append([]float64(nil), x...)
			f.vector(inPlace, inPlace)
			for i, v := range x {
				want := math.Float64bits(f.value(v))
				if got := math.Float64bits(dst[i]); got != want {
					t.Fatalf("%s of %v in a vector of %d: bits %#x, want %#x", f.name, v, n, got, want)
				}
				if got := math.Float64bits(inPlace[i]); got != want {
					t.Fatalf("%s of %v in place, vector of %d: bits %#x, want %#x", f.name, v, n, got, want)
				}
			}
		}
	}
}

// Accuracy is tested in package asm. This test checks that each name belongs to its
// function, by identities and against package math.
func TestElementaryFunctionsAreWhatTheirNamesSay(t *testing.T) {
	for i := range 400 {
		x := float64(i-200) / 16
		for _, f := range []struct {
			name      string
			got, want float64
		}{
			{"Exp", Exp(x), math.Exp(x)},
			{"Log", Log(math.Abs(x) + 0.01), math.Log(math.Abs(x) + 0.01)},
			{"Sin", Sin(x), math.Sin(x)},
			{"Cos", Cos(x), math.Cos(x)},
			{"Tanh", Tanh(x), math.Tanh(x)},
		} {
			if !(math.Abs(f.got-f.want) <= 4*0x1p-52*math.Max(math.Abs(f.want), 0x1p-6)) {
				t.Errorf("%s at %v is %v, want %v", f.name, x, f.got, f.want)
			}
		}
		_, u := asm.TanhSech2(x)
		if cosh := math.Cosh(x); !(math.Abs(float64(float64(u*cosh)*cosh)-1) <= 16*0x1p-52) {
			t.Errorf("sech²(%v) = %v, want %v", x, u, 1/(cosh*cosh))
		}
	}
}

func TestVectorLengthsMustBeEqual(t *testing.T) {
	two, three := make([]float64, 2), make([]float64, 3)
	for name, call := range map[string]func(){
		"ExpTo":              func() { ExpTo(two, three) },
		"LogTo":              func() { LogTo(three, two) },
		"SinTo":              func() { SinTo(two, three) },
		"CosTo":              func() { CosTo(three, two) },
		"TanhTo":             func() { TanhTo(two, three) },
		"TanhSech2To, t":     func() { TanhSech2To(two, three, three) },
		"TanhSech2To, u":     func() { TanhSech2To(three, two, three) },
		"TanhSech2To, x":     func() { TanhSech2To(three, three, two) },
		"SinCosTo":           func() { SinCosTo(three, two, three) },
		"TanhJetTo":          func() { TanhJetTo(three, three, three, two, three) },
		"MulPolynomialTo":    func() { MulPolynomialTo(three, three, two, three, nil, false) },
		"ExpTo, empty to":    func() { ExpTo(nil, two) },
		"TanhTo, empty from": func() { TanhTo(two, nil) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(Error); !ok {
					t.Errorf("%s with unequal lengths did not panic with Error", name)
				}
			}()
			call()
		}()
	}
}
