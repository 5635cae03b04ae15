package spec

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// function is a function that expressions may call: one if it takes one argument, two if
// it takes two. A variadic function takes arity arguments or more, and is applied to
// them two at a time from the left.
//
// All functions are built from package mat's elementary functions, and like them give the
// same bits on every machine. They are accurate to about 4 ulp, those of package mat to 1.
// NaN gives NaN, except that pow and hypot follow C99 where an argument does not matter.
//
// A smooth function may also be applied to unknown fields. It has a slope, the derivative of the call f with respect
// to its argument x, or slopeOfTwo, that of a call whose arguments have the slopes dx and dy, nil where these are 0.
//
// To add a function, give it a line here, and its code below or in functions_*.go. The tests ask for the digest of its
// bits (functionDigests) and, if it is smooth, for an expression with it (smoothCases). oneArgument in the tests
// compares functions with references: add one.
type function struct {
	arity      int
	variadic   bool
	one        func(x float64) float64
	two        func(x, y float64) float64
	slope      func(f, x *node) *node
	slopeOfTwo func(f, dx, dy *node) *node
}

var functions = map[string]function{
	"sin":       {arity: 1, one: mat.Sin, slope: func(f, x *node) *node { return call("cos", x) }},
	"cos":       {arity: 1, one: mat.Cos, slope: func(f, x *node) *node { return negated(call("sin", x)) }},
	"tan":       {arity: 1, one: tan, slope: func(f, x *node) *node { return plus(literal(1), square(f)) }},
	"asin":      {arity: 1, one: asin, slope: func(f, x *node) *node { return over(literal(1), call("sqrt", minus(literal(1), square(x)))) }},
	"acos":      {arity: 1, one: acos, slope: func(f, x *node) *node { return over(literal(-1), call("sqrt", minus(literal(1), square(x)))) }},
	"atan":      {arity: 1, one: atan, slope: func(f, x *node) *node { return over(literal(1), plus(literal(1), square(x))) }},
	"atan2":     {arity: 2, two: atan2, slopeOfTwo: slopeOfAtan2},
	"sinh":      {arity: 1, one: sinh, slope: func(f, x *node) *node { return call("cosh", x) }},
	"cosh":      {arity: 1, one: cosh, slope: func(f, x *node) *node { return call("sinh", x) }},
	"tanh":      {arity: 1, one: mat.Tanh, slope: func(f, x *node) *node { return minus(literal(1), square(f)) }},
	"sech":      {arity: 1, one: sech, slope: func(f, x *node) *node { return negated(times(f, call("tanh", x))) }},
	"asinh":     {arity: 1, one: asinh, slope: func(f, x *node) *node { return over(literal(1), call("sqrt", plus(square(x), literal(1)))) }},
	"acosh":     {arity: 1, one: acosh, slope: func(f, x *node) *node { return over(literal(1), call("sqrt", minus(square(x), literal(1)))) }},
	"atanh":     {arity: 1, one: atanh, slope: func(f, x *node) *node { return over(literal(1), minus(literal(1), square(x))) }},
	"exp":       {arity: 1, one: mat.Exp, slope: func(f, x *node) *node { return f }},
	"log":       {arity: 1, one: mat.Log, slope: func(f, x *node) *node { return over(literal(1), x) }},
	"ln":        {arity: 1, one: mat.Log, slope: func(f, x *node) *node { return over(literal(1), x) }},
	"log10":     {arity: 1, one: log10, slope: func(f, x *node) *node { return over(literal(1/math.Ln10), x) }},
	"log2":      {arity: 1, one: log2, slope: func(f, x *node) *node { return over(literal(1/math.Ln2), x) }},
	"sqrt":      {arity: 1, one: math.Sqrt, slope: func(f, x *node) *node { return over(literal(0.5), f) }},
	"cbrt":      {arity: 1, one: cbrt, slope: func(f, x *node) *node { return over(literal(1), times(literal(3), square(f))) }},
	"pow":       {arity: 2, two: pow, slopeOfTwo: slopeOfPower},
	"hypot":     {arity: 2, two: hypot, slopeOfTwo: slopeOfHypot},
	"erf":       {arity: 1, one: mat.Erf, slope: func(f, x *node) *node { return times(literal(2/math.Sqrt(math.Pi)), call("exp", negated(square(x)))) }},
	"erfc":      {arity: 1, one: mat.Erfc, slope: func(f, x *node) *node { return times(literal(-2/math.Sqrt(math.Pi)), call("exp", negated(square(x)))) }},
	"abs":       {arity: 1, one: math.Abs},
	"sign":      {arity: 1, one: sign},
	"heaviside": {arity: 1, one: heaviside},
	"floor":     {arity: 1, one: math.Floor},
	"ceil":      {arity: 1, one: math.Ceil},
	"round":     {arity: 1, one: math.Round},
	"mod":       {arity: 2, two: mod},
	"min":       {arity: 2, variadic: true, two: math.Min},
	"max":       {arity: 2, variadic: true, two: math.Max},
}

// sign returns -1, 0 or 1.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return 0
	}
	return math.NaN()
}

// heaviside returns 0 for negative numbers, 1/2 at zero and 1 for positive numbers.
func heaviside(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return 0
	case x == 0:
		return 0.5
	}
	return math.NaN()
}

// mod returns the floored modulus x - y floor(x/y). It has the sign of y and a smaller
// magnitude. It is exact unless x/y is negative; then it is rounded once, but never to a
// finite y itself. It is NaN for y = 0 and for infinite x.
func mod(x, y float64) float64 {
	r := math.Mod(x, y)
	switch {
	case r == 0:
		return math.Copysign(0, y)
	case (r < 0) == (y < 0) || math.IsNaN(r):
		return r
	}
	if r += y; r == y && !math.IsInf(y, 0) {
		r = math.Nextafter(y, 0)
	}
	return r
}

// hypot returns the square root of x² + y² to within 1 ulp. No intermediate result
// overflows or underflows. It is +Inf if either is infinite.
func hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Inf(1)
	case x < y:
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	_, exponent := math.Frexp(x)
	x, y = math.Ldexp(x, -exponent), math.Ldexp(y, -exponent)
	square := float64(x * x)
	sum := mat.FMA(y, y, square)
	low := mat.FMA(y, y, square-sum) + mat.FMA(x, x, -square)
	root := math.Sqrt(sum)
	root += (mat.FMA(-root, root, sum) + low) / (2 * root)
	return math.Ldexp(root, exponent)
}

// cbrt returns the cube root of x to within 1 ulp. It is exact for cubes.
func cbrt(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	m, exponent := math.Frexp(math.Abs(x))
	third := exponent / 3
	m = math.Ldexp(m, exponent-3*third)
	// One step of Newton's method with an exact remainder.
	root := mat.Exp(mat.Log(m) / 3)
	square := float64(root * root)
	squareLow := mat.FMA(root, root, -square)
	remainder := mat.FMA(square, root, -m) + float64(squareLow*root)
	root -= remainder / (3 * square)
	return math.Copysign(math.Ldexp(root, third), x)
}
