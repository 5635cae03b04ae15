package spec

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// log10 is exact for powers of 10.
func log10(x float64) float64 {
	return scaledLog(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57) // 1/ln 10
}

// log2 is exact for powers of 2.
func log2(x float64) float64 {
	return scaledLog(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56) // 1/ln 2
}

// scaledLog returns ln(x) times the sum of scale and scaleLow.
func scaledLog(x, scale, scaleLow float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return mat.Log(x)
	}
	high, low := logParts(x)
	scaled, _ := multiplyParts(high, low, scale, scaleLow)
	return scaled
}

// pow returns x to the power y. For whole exponents up to 1024 it rounds once or twice, so
// that a power that is a float64 comes out exactly. For others it computes exp(y ln x) with
// the logarithm in two parts. Special cases follow C99.
func pow(x, y float64) float64 {
	if y == 2 { // the most common power; the product is right in all cases
		return x * x
	}
	const largestPower = 1024
	whole := y == math.Floor(y)
	odd := whole && math.Abs(y) < 0x1p53 && math.Mod(y, 2) != 0
	switch {
	case y == 0 || x == 1:
		return 1
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case math.IsInf(y, 0):
		switch {
		case x == -1:
			return 1
		case (math.Abs(x) > 1) == (y > 0):
			return math.Inf(1)
		}
		return 0
	case x == 0 || math.IsInf(x, 0):
		size := 0.0
		if (x == 0) == (y < 0) {
			size = math.Inf(1)
		}
		if odd {
			return math.Copysign(size, x)
		}
		return size
	case x < 0 && !whole:
		return math.NaN()
	case y == 0.5:
		return math.Sqrt(x)
	}
	var power float64
	if whole && math.Abs(y) <= largestPower {
		power = wholePower(math.Abs(x), int(y))
	} else {
		power = expOfProduct(math.Abs(x), y)
	}
	if odd && x < 0 {
		power = -power
	}
	return power
}

// significand splits a finite x > 0 into m 2^k with m in [sqrt(1/2), sqrt(2)).
func significand(x float64) (m float64, k int) {
	m, k = math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	return m, k
}

// wholePower returns x^n for finite x > 0 and |n| <= 1024. It squares the significand
// repeatedly, in two parts; its powers stay between 2^-512 and 2^512.
func wholePower(x float64, n int) float64 {
	m, k := significand(x)
	high, low := 1.0, 0.0
	factor, factorLow := m, 0.0
	for rest := max(n, -n); rest > 0; rest >>= 1 {
		if rest&1 != 0 {
			high, low = multiplyParts(high, low, factor, factorLow)
		}
		factor, factorLow = multiplyParts(factor, factorLow, factor, factorLow)
	}
	if n < 0 {
		inverse := 1 / high
		remainder := mat.FMA(-inverse, high, 1) - float64(inverse*low)
		high = mat.FMA(inverse, remainder, inverse)
	}
	return math.Ldexp(high, k*n)
}

// multiplyParts returns (a + aLow)(b + bLow) as the nearest float64 and the rest.
func multiplyParts(a, aLow, b, bLow float64) (high, low float64) {
	p := float64(a * b)
	rest := mat.FMA(a, b, -p) + mat.FMA(a, bLow, float64(aLow*b))
	high = p + rest
	return high, (p - high) + rest
}

// expOfProduct returns exp(y ln x) for finite x > 0.
func expOfProduct(x, y float64) float64 {
	high, low := logParts(x)
	exponent := float64(y * high)
	if !(math.Abs(exponent) < 1000) {
		return mat.Exp(exponent)
	}
	rest := mat.FMA(y, high, -exponent) + float64(y*low)
	if math.Abs(exponent) < 700 {
		e := mat.Exp(exponent)
		return mat.FMA(e, rest, e)
	}
	// The square of exp(exponent/2): only the last product can overflow or be subnormal.
	e := mat.Exp(0.5 * exponent)
	return e * mat.FMA(e, rest, e)
}

// logParts returns the natural logarithm of finite x > 0 as high + low with a
// relative error below 2^-63.
//
// With x = 2^k m and s = (m-1)/(m+1) it is k ln 2 + 2s + 2s³/3 + 2s⁵/5 + ... The first
// three terms are computed in two parts each.
func logParts(x float64) (high, low float64) {
	const (
		ln2Short     = 0x1.62e42fefa3800p-1 // 42 bits: its product with k is exact
		ln2Rest      = 0x1.ef35793c76730p-45
		twoThirds    = 0x1.5555555555555p-1
		twoThirdsLow = 0x1.5555555555555p-55
	)
	m, k := significand(x)
	numerator := m - 1
	denominator := m + 1
	denominatorLow := m - (denominator - 1)
	s := numerator / denominator
	sLow := (mat.FMA(-s, denominator, numerator) - float64(s*denominatorLow)) / denominator

	z, zLow := multiplyParts(s, sLow, s, sLow)
	cube, cubeLow := multiplyParts(z, zLow, s, sLow)
	third, thirdLow := multiplyParts(cube, cubeLow, twoThirds, twoThirdsLow)
	series := 0.0
	for j := 25.0; j >= 5; j -= 2 {
		series = mat.FMA(series, z, 2/j)
	}
	thirdLow = mat.FMA(float64(cube*z), series, thirdLow)

	twice := float64(2 * s)
	sum := twice + third
	sumLow := ((twice - sum) + third) + mat.FMA(2, sLow, thirdLow)
	kln2 := float64(float64(k) * ln2Short)
	total := kln2 + sum
	rest := ((kln2 - total) + sum) + mat.FMA(float64(k), ln2Rest, sumLow)
	high = total + rest
	return high, (total - high) + rest
}
