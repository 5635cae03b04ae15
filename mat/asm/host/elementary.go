package host

// Places in the table of constants of mat/asm (functions_constants.go), which the functions are given.
const (
	aNaN = iota
	aSign
	aMagnitude
	aOne
	aTwo
	aShift
	aSechLargest
	aTanhLargest
	aTwoOverLn2
	aTanhBias
	aHalfLn2High
	aHalfLn2Middle
	aTanh0
	aTanh1
	aTanh2
	aTanh3
	aTanh4
	aTanh5
	aTanh6
	aMinusTwo
	aMinusSix
	aPlusFour
	anExpLargest
	anExpSmallest
	anOverLn2
	aLn2High
	aLn2Middle
	aHalf
	anExp3
	anExp4
	anExp5
	anExp6
	anExp7
	anExp8
	anExp9
	anExp10
	anExp11
	aLargeAngle
	aTwoOverPi
	aPiHigh
	aPiMiddle
	aPiLow
	aSin0
	aSin1
	aSin2
	aSin3
	aSin4
	aSin5
	aCos0
	aCos1
	aCos2
	aCos3
	aCos4
	aCos5
	aLn2Short
	aLn2Rest
	aLog0
	aLog1
	aLog2
	aLog3
	aLog4
	aLog5
	aLog6
	aSqrtHalf
	aFraction
	aBias
	anEven
	aLowered
	aRaised
	aLowestBit
	aMinusHalf
	aTwo54
	aBias54
	aLogOffset
	aSmallestNormal
	aMinusInf
	anInf
	aTwo52
	aMinusBias
)

// writer is a function under way, with the local that points to the table of constants.
type writer struct {
	*fn
	table int
}

func (w *writer) c(i int) expr { return loadSplat(get(w.table), 8*i) }

// estrin returns the polynomial with the seven, or without the last six, coefficients in z that follow first:
// a0 + a1 z + z²(a2 + a3 z + z²(a4 + a5 z + a6 z²)), the order of mat/asm.
func (w *writer) estrin(first, terms int, z, z2 expr) expr {
	pair := func(i int) expr { return w.let(madd(w.c(first+i+1), z, w.c(first+i))) }
	a, b, c := pair(0), pair(2), pair(4)
	if terms == 7 {
		c = w.let(madd(w.c(first+6), z2, c))
	}
	b = w.let(madd(c, z2, b))
	return w.let(madd(b, z2, a))
}

// orNaN returns e, or where x is NaN the NaN of the contract.
func (w *writer) orNaN(e, x expr) expr { return choose(e, w.c(aNaN), equal(x, x)) }

// withSign returns e with the signs of x.
func (w *writer) withSign(e, x expr) expr { return choose(x, e, w.c(aSign)) }

// elementary returns the elementary functions: the steps of mat/asm/elementary_*.go, two lanes at a time.
//
//	exp, log, tanh(n, dst, x, constants)
//	tanhSech2(n, t, u, x, constants)
//	tanhJet(n, t, u, v, w, x, constants)
//	sin, cos(n, dst, x, constants) far
//	sinCos(n, s, c, x, constants) far
//
// far is not zero if there are arguments beyond the short reduction; these are left in place of the result.
func elementary() []*fn {
	return []*fn{
		unary("exp", (*writer).exp),
		unary("log", (*writer).log),
		unary("tanh", (*writer).tanh),
		hyperbolic("tanhSech2", 2),
		hyperbolic("tanhJet", 4),
		angle("sin", true, false),
		angle("cos", false, true),
		angle("sinCos", true, true),
	}
}

func unary(name string, of func(w *writer, x expr) expr) *fn {
	f := function(name, i32, i32, i32, i32)
	const n, dst, x, table = 0, 1, 2, 3
	w := &writer{f, table}
	f.elements(n, []int{dst, x}, func(load func(int) expr, store func(int, expr)) {
		store(dst, of(w, f.let(load(x))))
	})
	return f
}

func (w *writer) exp(x expr) expr {
	y := w.let(larger(smaller(x, w.c(anExpLargest)), w.c(anExpSmallest)))
	shifted := w.let(madd(y, w.c(anOverLn2), w.c(aShift)))
	n := w.let(sub(shifted, w.c(aShift)))
	first := w.let(nmadd(n, w.c(aLn2High), y))
	r := w.let(nmadd(n, w.c(aLn2Middle), first))
	low := w.let(nmadd(n, w.c(aLn2Middle), sub(first, r)))
	r2 := w.let(mul(r, r))
	r4 := w.let(mul(r2, r2))
	a := madd(w.c(anExp3), r, w.c(aHalf))
	b := madd(w.c(anExp5), r, w.c(anExp4))
	c := madd(w.c(anExp7), r, w.c(anExp6))
	d := madd(w.c(anExp9), r, w.c(anExp8))
	e := madd(w.c(anExp11), r, w.c(anExp10))
	a = madd(b, r2, a)
	c = madd(d, r2, c)
	c = madd(e, r4, c)
	p := w.let(madd(c, r4, a))
	one := w.let(add(w.c(aOne), r))
	rest := w.let(add(add(sub(w.c(aOne), one), r), low))
	y = w.let(add(one, madd(r2, p, rest)))
	// With h = (k + 2048) >> 1 the two powers of two are 2^(h-1024) and 2^(k-h+1024).
	h := w.let(right(add64(shifted, w.c(anEven)), 1))
	y = mul(y, add64(left(h, 52), w.c(aLowered)))
	y = mul(y, add64(left(sub64(shifted, h), 52), w.c(aRaised)))
	return w.orNaN(y, x)
}

func (w *writer) log(x expr) expr {
	small := w.let(less(x, w.c(aSmallestNormal)))
	bias := w.let(choose(w.c(aBias54), w.c(aBias), small))
	scaled := choose(mul(x, w.c(aTwo54)), x, small)
	bits := w.let(add64(scaled, w.c(aLogOffset)))
	// The exponent field, below 2^52, becomes a number by way of the fraction of 2^52.
	k := w.let(sub(sub(or(right(bits, 52), w.c(aTwo52)), w.c(aTwo52)), bias))
	f := w.let(sub(add64(and(bits, w.c(aFraction)), w.c(aSqrtHalf)), w.c(aOne)))
	s := w.let(div(f, add(w.c(aTwo), f)))
	z := w.let(mul(s, s))
	z2 := w.let(mul(z, z))
	a := w.estrin(aLog0, 7, z, z2)
	half := w.let(mul(w.c(aHalf), f))
	square := w.let(mul(half, f))
	squareLow := w.let(madd(half, f, neg(square)))
	tail := w.let(mul(s, madd(a, z, square)))
	first := w.let(sub(f, square))
	firstLow := sub(sub(f, first), square)
	kln2 := w.let(mul(k, w.c(aLn2Short)))
	sum := w.let(add(kln2, first))
	sumLow := w.let(add(sub(kln2, sum), first))
	rest := add(sub(firstLow, squareLow), tail)
	y := w.let(add(sum, add(sumLow, madd(k, w.c(aLn2Rest), rest))))
	y = w.let(choose(x, y, equal(x, w.c(anInf))))
	y = w.let(choose(w.c(aMinusInf), y, equal(x, zeros())))
	return choose(y, w.c(aNaN), atMost(zeros(), x))
}

// tanhParts are the variables of the function tanh of mat/asm.
type tanhParts struct{ t, complement, r, dh, dl expr }

// tanhOf returns the parts for y >= 0. scale returns s = 2^-n of shifted = n + the shift.
func (w *writer) tanhOf(y expr, scale func(shifted expr) expr, shifted expr) tanhParts {
	n := w.let(sub(shifted, w.c(aShift)))
	f := w.let(nmadd(n, w.c(aHalfLn2Middle), nmadd(n, w.c(aHalfLn2High), y)))
	z := w.let(mul(f, f))
	z2 := w.let(mul(z, z))
	a := w.estrin(aTanh0, 7, z, z2)
	th := w.let(madd(mul(f, z), a, f))
	s := w.let(scale(shifted))
	minus, plus := w.let(sub(w.c(aOne), s)), w.let(add(w.c(aOne), s))
	minusLow := w.let(sub(sub(w.c(aOne), minus), s))
	nh := w.let(madd(plus, th, minus))
	nl := w.let(madd(plus, th, add(sub(minus, nh), minusLow)))
	dh := w.let(madd(minus, th, plus))
	dl := w.let(madd(minus, th, add(sub(w.c(aOne), dh), s)))
	r := w.let(div(w.c(aOne), dh))
	q := w.let(mul(nh, r))
	remainder := add(nmadd(q, dh, nh), nmadd(q, dl, nl))
	t := w.let(madd(remainder, r, q))
	return tanhParts{t, w.let(nmadd(th, th, w.c(aOne))), r, dh, dl}
}

func (w *writer) tanhShifted(y expr) expr {
	return w.let(add(madd(y, w.c(aTwoOverLn2), w.c(aMinusBias)), w.c(aShift)))
}

func (w *writer) tanh(x expr) expr {
	y := w.let(smaller(abs(x), w.c(aTanhLargest)))
	// n is small enough for s to be a normal number.
	p := w.tanhOf(y, func(shifted expr) expr { return sub64(w.c(aOne), left(shifted, 52)) }, w.tanhShifted(y))
	return w.orNaN(w.withSign(p.t, x), x)
}

// hyperbolic is tanhSech2 or, with four results, tanhJet.
func hyperbolic(name string, results int) *fn {
	f := function(name, i32)
	for range results + 2 {
		f.params = append(f.params, i32)
	}
	n, x, table := 0, results+1, results+2
	w := &writer{f, table}
	pointers := []int{x}
	for i := range results {
		pointers = append(pointers, 1+i)
	}
	f.elements(n, pointers, func(load func(int) expr, store func(int, expr)) {
		x := f.let(load(x))
		y := f.let(smaller(abs(x), w.c(aSechLargest)))
		shifted := w.tanhShifted(y)
		// s is the product of two powers of two, because it may be subnormal.
		k := w.let(sub64(shifted, w.c(aShift)))
		half := w.let(right(k, 1))
		s1 := w.let(sub64(w.c(aOne), left(half, 52)))
		s2 := w.let(sub64(w.c(aOne), left(sub64(k, half), 52)))
		p := w.tanhOf(y, func(expr) expr { return mul(s1, s2) }, shifted)
		correction := w.let(nmadd(p.r, p.dl, nmadd(p.r, p.dh, w.c(aOne))))
		u := w.let(mul(mul(p.complement, p.r), p.r))
		u = w.let(madd(add(u, u), correction, u))
		u = w.let(mul(mul(mul(u, w.c(aPlusFour)), s1), s2))
		t := w.let(w.orNaN(w.withSign(p.t, x), x))
		u = w.let(w.orNaN(u, x))
		store(1, t)
		store(2, u)
		if results == 4 {
			store(3, mul(mul(t, w.c(aMinusTwo)), u))
			store(4, mul(u, madd(w.c(aMinusSix), u, w.c(aPlusFour))))
		}
	})
	return f
}

// angle is sin, cos or sinCos.
func angle(name string, sine, cosine bool) *fn {
	f := function(name, i32, i32)
	f.results = []byte{i32}
	var pointers []int
	n, dst, second := 0, 1, 2
	if sine && cosine {
		f.params = append(f.params, i32)
		pointers = append(pointers, second)
	}
	x := len(f.params)
	table := x + 1
	f.params = append(f.params, i32, i32)
	pointers = append(pointers, dst, x)
	w := &writer{f, table}
	near := f.local(v128)
	f.set(near, equal64(zeros(), zeros()))
	f.elements(n, pointers, func(load func(int) expr, store func(int, expr)) {
		x := f.let(load(x))
		y := f.let(abs(x))
		shifted := w.let(madd(y, w.c(aTwoOverPi), w.c(aShift)))
		k := w.let(sub(shifted, w.c(aShift)))
		first := w.let(nmadd(k, w.c(aPiHigh), y))
		product := w.let(mul(k, w.c(aPiMiddle)))
		productLow := madd(k, w.c(aPiMiddle), neg(product))
		r := w.let(sub(first, product))
		low := w.let(sub(sub(sub(first, r), product), madd(k, w.c(aPiLow), productLow)))
		z := w.let(mul(r, r))
		z2 := w.let(mul(z, z))

		slope := madd(mul(w.c(aMinusHalf), z), low, low)
		s := w.let(add(r, madd(mul(r, z), w.estrin(aSin0, 6, z, z2), slope)))

		half := w.let(mul(w.c(aHalf), z))
		one := w.let(sub(w.c(aOne), half))
		squareLow := w.let(mul(w.c(aHalf), madd(r, r, neg(z))))
		rest := w.let(sub(sub(sub(w.c(aOne), one), half), madd(r, low, squareLow)))
		c := w.let(add(one, madd(z2, w.estrin(aCos0, 6, z, z2), rest)))

		odd := w.let(equal64(and(shifted, w.c(aLowestBit)), w.c(aLowestBit)))
		within := w.let(atMost(y, w.c(aLargeAngle)))
		f.set(near, and(get(near), within))
		if sine {
			sign := and(xor(left(shifted, 62), x), w.c(aSign))
			store(dst, choose(xor(choose(c, s, odd), sign), x, within))
		}
		if cosine {
			to := dst
			if sine {
				to = second
			}
			sign := and(left(add64(shifted, w.c(aLowestBit)), 62), w.c(aSign))
			store(to, choose(xor(choose(s, c, odd), sign), x, within))
		}
	})
	f.run(op(0x45, all(get(near)))) // not all
	return f
}
