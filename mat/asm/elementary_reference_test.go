package asm

import (
	"math"
	"math/big"
)

// This file computes the elementary functions in 200-bit arithmetic, by Taylor series after
// argument reduction, to a relative accuracy of 2^-140 or better, as the reference for tests.

const referenceBits = 200

func newBig() *big.Float { return new(big.Float).SetPrec(referenceBits) }

func bigOf(x float64) *big.Float { return newBig().SetFloat64(x) }

// bigArctanOfInverse returns arctan(1/k) in 1500-bit arithmetic.
func bigArctanOfInverse(k int64) *big.Float {
	const bits = 1500
	square := new(big.Float).SetPrec(bits).SetInt64(k * k)
	power := new(big.Float).SetPrec(bits).Quo(big.NewFloat(1), new(big.Float).SetInt64(k))
	sum := new(big.Float).SetPrec(bits)
	for i := int64(0); power.MantExp(nil) > -bits; i++ {
		term := new(big.Float).SetPrec(bits).Quo(power, new(big.Float).SetInt64(2*i+1))
		if i%2 == 0 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		power.Quo(power, square)
	}
	return sum
}

// bigHalfPi is π/2 from Machin's formula, π/4 = 4 arctan(1/5) - arctan(1/239).
var bigHalfPi = func() *big.Float {
	v := bigArctanOfInverse(5)
	v.Mul(v, big.NewFloat(4))
	v.Sub(v, bigArctanOfInverse(239))
	return v.Mul(v, big.NewFloat(2))
}()

// bigLn2 is ln 2 = 2 artanh(1/3).
var bigLn2 = func() *big.Float {
	sum, power := newBig(), newBig().Quo(big.NewFloat(1), big.NewFloat(3))
	for i := int64(0); power.MantExp(nil) > -2*referenceBits; i++ {
		sum.Add(sum, newBig().Quo(power, newBig().SetInt64(2*i+1)))
		power.Quo(power, big.NewFloat(9))
	}
	return sum.Mul(sum, big.NewFloat(2))
}()

// bigInverseFactorial[k] is 1/k!.
var bigInverseFactorial = func() (v [48]*big.Float) {
	v[0] = bigOf(1)
	for k := 1; k < len(v); k++ {
		v[k] = newBig().Quo(v[k-1], newBig().SetInt64(int64(k)))
	}
	return v
}()

// bigExp returns exp(x). It subtracts n ln 2, divides the remainder by 2^12, and squares the
// series twelve times.
func bigExp(x *big.Float) *big.Float {
	const halvings, terms = 12, 12
	quotient, _ := newBig().Quo(x, bigLn2).Float64()
	n := math.RoundToEven(quotient)
	r := newBig().Mul(bigOf(n), bigLn2)
	r.Sub(x, r)
	r.SetMantExp(r, -halvings)
	y := newBig().Set(bigInverseFactorial[terms])
	for k := terms - 1; k >= 0; k-- {
		y.Mul(y, r)
		y.Add(y, bigInverseFactorial[k])
	}
	for range halvings {
		y.Mul(y, y)
	}
	return y.SetMantExp(y, int(n))
}

// bigLog returns ln(x) by one step of a third-order iteration from guess, which must be
// within 2^-40 of the result.
func bigLog(x *big.Float, guess float64) *big.Float {
	d := bigExp(bigOf(-guess))
	d.Mul(d, x)
	d.Sub(d, bigOf(1))
	if d.Sign() != 0 && d.MantExp(nil) > -40 {
		panic("guess too far from the logarithm")
	}
	// ln(1+d) = d(1 - d(1/2 - d(1/3 - d/4)))
	s := newBig().Mul(d, bigOf(0.25))
	s.Sub(newBig().Quo(bigOf(1), bigOf(3)), s)
	s.Mul(s, d)
	s.Sub(bigOf(0.5), s)
	s.Mul(s, d)
	s.Sub(bigOf(1), s)
	s.Mul(s, d)
	return s.Add(s, bigOf(guess))
}

// bigTanhSech2 returns tanh(x) and sech²(x).
func bigTanhSech2(x float64) (t, u *big.Float) {
	one := bigOf(1)
	if math.Abs(x) < 0x1p-30 {
		// x(1 - z/3 + 2z²/15 - 17z³/315)
		z := bigOf(x)
		z.Mul(z, z)
		s := newBig().Quo(bigOf(-17), bigOf(315))
		for _, c := range [][2]float64{{2, 15}, {-1, 3}, {1, 1}} {
			s.Mul(s, z)
			s.Add(s, newBig().Quo(bigOf(c[0]), bigOf(c[1])))
		}
		t = s.Mul(s, bigOf(x))
		u = newBig().Mul(t, t)
		return t, u.Sub(one, u)
	}
	e := bigExp(bigOf(-2 * math.Abs(x)))
	d := newBig().Add(one, e)
	t = newBig().Sub(one, e)
	t.Quo(t, d)
	if x < 0 {
		t.Neg(t)
	}
	u = newBig().Mul(d, d)
	u.Quo(e, u)
	return t, u.Mul(u, bigOf(4))
}

// bigSinCos returns sin(x) and cos(x) for x of any size.
func bigSinCos(x float64) (sin, cos *big.Float) {
	const terms = 34
	r := new(big.Float).SetPrec(1500).SetFloat64(x)
	quadrant := int64(0)
	if math.Abs(x) > 0.78 {
		quotient := new(big.Float).SetPrec(1500).Quo(r, bigHalfPi)
		quotient.Add(quotient, big.NewFloat(math.Copysign(0.5, x)))
		whole, _ := quotient.Int(nil)
		r.Sub(r, new(big.Float).SetPrec(1500).Mul(bigHalfPi, new(big.Float).SetPrec(1500).SetInt(whole)))
		quadrant = new(big.Int).And(whole, big.NewInt(3)).Int64()
	}
	r = newBig().Set(r)
	z := newBig().Mul(r, r)
	z.Neg(z)
	series := func(last int) *big.Float {
		y := newBig().Set(bigInverseFactorial[last])
		for k := last - 2; k >= 0; k -= 2 {
			y.Mul(y, z)
			y.Add(y, bigInverseFactorial[k])
		}
		return y
	}
	cos, sin = series(terms), series(terms+1)
	sin.Mul(sin, r)
	if quadrant&1 != 0 {
		sin, cos = cos, sin.Neg(sin)
	}
	if quadrant&2 != 0 {
		sin.Neg(sin)
		cos.Neg(cos)
	}
	return sin, cos
}

// ulpError returns |got - want| in ulp of want; if want is subnormal, in units of the smallest
// subnormal. If want overflows, the error of an infinity is 0.
func ulpError(got float64, want *big.Float) float64 {
	exponent := want.MantExp(nil)
	if exponent > 1024 {
		if math.IsInf(got, want.Sign()) {
			return 0
		}
		return math.Inf(1)
	}
	if rounded, _ := want.Float64(); math.IsInf(rounded, 0) && rounded == got {
		return 0
	}
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Inf(1)
	}
	difference := newBig().Sub(bigOf(got), want)
	difference.SetMantExp(difference, -max(exponent-53, -1074))
	e, _ := difference.Float64()
	return math.Abs(e)
}
