package host

// kernel returns the functions of the kernel, in the order of the table.
func kernel() []*fn {
	all := []*fn{strip(), products(), eliminate(), dot(), axpy(), axpyRows(), mulPolynomial(), transpose(), fma()}
	return append(all, elementary()...)
}

// function begins a function with these parameters, whose locals are numbered from 0.
func function(name string, params ...byte) *fn { return &fn{name: name, params: params} }

// accumulators are those of a tile: four lines of two vectors.
type accumulators [4][2]int

func (f *fn) accumulators() *accumulators {
	var c accumulators
	for i := range c {
		c[i] = [2]int{f.local(v128), f.local(v128)}
	}
	return &c
}

// side is one side of a product: where its first term is, and how far apart terms are, in bytes.
type side struct {
	at   int // local, which the loop changes
	step expr
}

// terms adds depth products to c: line i takes fma(±a_i, b, c), where a_i is an element of line i of a, and lines are
// line bytes apart. It uses up the local depth.
func (f *fn) terms(depth int, a side, line expr, b side, c *accumulators, negate bool) {
	multiply := madd
	if negate {
		multiply = nmadd
	}
	step := func(at [4]expr, offset [4]int) {
		f.times(depth, func() {
			b0, b1 := f.let(load(get(b.at), 0)), f.let(load(get(b.at), 16))
			for i := range c {
				x := f.let(loadSplat(at[i], offset[i]))
				f.set(c[i][0], multiply(x, b0, get(c[i][0])))
				f.set(c[i][1], multiply(x, b1, get(c[i][1])))
			}
			f.advance(a.at, a.step)
			f.advance(b.at, b.step)
		})
	}
	packed := func() { step([4]expr{get(a.at), get(a.at), get(a.at), get(a.at)}, [4]int{0, 8, 16, 24}) }
	if line == nil {
		packed()
		return
	}
	f.either(equalI(line, number(8)), packed, func() {
		second, fourth := f.local(i32), f.local(i32) // the others, seen from the first
		f.set(second, line)
		third := addI(get(second), get(second))
		f.set(fourth, addI(third, get(second)))
		at := get(a.at)
		step([4]expr{at, addI(at, get(second)), addI(at, third), addI(at, get(fourth))}, [4]int{})
	})
}

// strip is Kernel.Strip for whole tiles of 4 rows and 4 columns that end before the diagonal.
//
//	strip(depth, a, lineA, stepA, b, stepB, alpha, accumulate, c, ldc, tiles), distances in bytes
func strip() *fn {
	f := function("strip", i32, i32, i32, i32, i32, i32, f64, i32, i32, i32, i32)
	const depth, a, lineA, stepA, b, stepB, alpha, accumulate, c, ldc, tiles = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	sums := f.accumulators()
	left, fromA, fromB := f.local(i32), f.local(i32), f.local(i32)
	scale := f.let(splat(get(alpha)))
	f.times(tiles, func() {
		for _, line := range sums {
			f.set(line[0], zeros())
			f.set(line[1], zeros())
		}
		f.set(left, get(depth))
		f.set(fromA, get(a))
		f.set(fromB, get(b))
		f.terms(left, side{fromA, get(stepA)}, get(lineA), side{fromB, get(stepB)}, sums, false)
		f.either(get(accumulate), func() {
			for _, line := range sums {
				f.store(get(c), 0, madd(scale, get(line[0]), load(get(c), 0)))
				f.store(get(c), 16, madd(scale, get(line[1]), load(get(c), 16)))
				f.advance(c, get(ldc))
			}
		}, func() {
			for _, line := range sums {
				f.store(get(c), 0, mul(scale, get(line[0])))
				f.store(get(c), 16, mul(scale, get(line[1])))
				f.advance(c, get(ldc))
			}
		})
		f.advance(a, join(get(lineA), number(2), []byte{0x74})) // shifted left
	})
	return f
}

// products adds depth products to a tile of 4 x 4 sums, from packed panels.
//
//	products(depth, a, b, sums)
func products() *fn {
	f := function("products", i32, i32, i32, i32)
	const depth, a, b, at = 0, 1, 2, 3
	sums := f.accumulators()
	for i, line := range sums {
		f.set(line[0], load(get(at), 32*i))
		f.set(line[1], load(get(at), 32*i+16))
	}
	f.terms(depth, side{a, number(32)}, nil, side{b, number(32)}, sums, false)
	for i, line := range sums {
		f.store(get(at), 32*i, get(line[0]))
		f.store(get(at), 32*i+16, get(line[1]))
	}
	return f
}

// eliminate is Kernel.Eliminate.
//
//	eliminate(depth, panels, a, lda, b, c, ldc, solve), distances in bytes
func eliminate() *fn {
	f := function("eliminate", i32, i32, i32, i32, i32, i32, i32, i32)
	const depth, panels, a, lda, b, c, ldc, solve = 0, 1, 2, 3, 4, 5, 6, 7
	const element, column = 8, 8 * 8
	sums := f.accumulators()
	left, fromA, fromB, triangle := f.local(i32), f.local(i32), f.local(i32), f.local(i32)
	f.set(triangle, addI(get(b), join(get(depth), number(6), []byte{0x74})))
	f.times(panels, func() {
		for j := 0; j < 8; j += 4 {
			for r := 0; r < 8; r += 4 {
				for i, line := range sums {
					f.set(line[0], load(get(c), (j+i)*column+r*element))
					f.set(line[1], load(get(c), (j+i)*column+r*element+16))
				}
				f.set(left, get(depth))
				f.set(fromA, addI(get(a), number(r*element)))
				f.set(fromB, addI(get(b), number(j*element)))
				f.terms(left, side{fromB, number(column)}, nil, side{fromA, number(column)}, sums, true)
				for i, line := range sums {
					f.store(get(c), (j+i)*column+r*element, get(line[0]))
					f.store(get(c), (j+i)*column+r*element+16, get(line[1]))
				}
			}
		}
		f.when(get(solve), func() {
			for j := range 8 {
				var x [4]expr
				scale := f.let(loadSplat(get(triangle), 9*j*element))
				for q := range x {
					x[q] = f.let(mul(load(get(c), j*column+16*q), scale))
					f.store(get(c), j*column+16*q, x[q])
				}
				for i := j + 1; i < 8; i++ {
					t := f.let(loadSplat(get(triangle), (8*j+i)*element))
					for q := range x {
						f.store(get(c), i*column+16*q, nmadd(t, x[q], load(get(c), i*column+16*q)))
					}
				}
			}
		})
		f.advance(a, get(lda))
		f.advance(c, get(ldc))
	})
	return f
}

// dot is Kernel.Dot up to the addition of its lanes, which it stores.
//
//	dot(n, x, y, lanes)
func dot() *fn {
	f := function("dot", i32, i32, i32, i32)
	const n, x, y, lanes = 0, 1, 2, 3
	const block = 32 * 8
	count, u, v := f.local(i32), f.local(i32), f.local(i32)
	var sums [8]int
	for i := range sums {
		sums[i] = f.local(v128)
	}
	for half := range 2 { // 16 lanes at a time stay in registers
		for _, s := range sums {
			f.set(s, zeros())
		}
		f.set(count, shiftR(get(n), number(5)))
		f.set(u, get(x))
		f.set(v, get(y))
		f.times(count, func() {
			for i, s := range sums {
				f.set(s, madd(load(get(u), block/2*half+16*i), load(get(v), block/2*half+16*i), get(s)))
			}
			f.advance(u, number(block))
			f.advance(v, number(block))
		})
		for i, s := range sums {
			f.store(get(lanes), block/2*half+16*i, get(s))
		}
	}
	f.set(n, andI(get(n), number(31)))
	f.elements(n, []int{u, v, lanes}, func(load func(int) expr, store func(int, expr)) {
		store(lanes, madd(load(u), load(v), load(lanes)))
	})
	return f
}

// axpy is Kernel.Axpy.
//
//	axpy(alpha, n, x, y)
func axpy() *fn {
	f := function("axpy", f64, i32, i32, i32)
	const alpha, n, x, y = 0, 1, 2, 3
	scale := f.let(splat(get(alpha)))
	f.elements(n, []int{x, y}, func(load func(int) expr, store func(int, expr)) {
		store(y, madd(scale, load(x), load(y)))
	})
	return f
}

// axpyRows is Kernel.AxpyRows, four rows in one pass over y.
//
//	axpyRows(rows, x, a, lda, n, y), lda in bytes
func axpyRows() *fn {
	f := function("axpyRows", i32, i32, i32, i32, i32, i32)
	const rows, x, a, lda, n, y = 0, 1, 2, 3, 4, 5
	to := f.local(i32)
	pass := func(together int) {
		var scale [4]expr
		var row [4]int
		for i := range together {
			scale[i] = f.let(loadSplat(get(x), 8*i))
			row[i] = f.local(i32)
			f.set(row[i], get(a))
			f.advance(a, get(lda))
		}
		f.set(to, get(y))
		f.elements(n, append(row[:together:together], to), func(load func(int) expr, store func(int, expr)) {
			v := load(to)
			for i := range together {
				v = madd(scale[i], load(row[i]), v)
			}
			store(to, v)
		})
		f.advance(x, number(8*together))
	}
	fours := f.local(i32)
	f.set(fours, shiftR(get(rows), number(2)))
	f.times(fours, func() { pass(4) })
	f.set(rows, andI(get(rows), number(3)))
	f.times(rows, func() { pass(1) })
	return f
}

// mulPolynomial is Kernel.MulPolynomialTo.
//
//	mulPolynomial(n, dst, p, w, v, coefficients, c, accumulate)
func mulPolynomial() *fn {
	f := function("mulPolynomial", i32, i32, i32, i32, i32, i32, i32, i32)
	const n, dst, p, w, v, coefficients, c, accumulate = 0, 1, 2, 3, 4, 5, 6, 7
	left, next, sum, factor := f.local(i32), f.local(i32), f.local(v128), f.local(v128)
	f.elements(n, []int{dst, p, w, v}, func(load func(int) expr, store func(int, expr)) {
		f.set(factor, load(w))
		f.when(get(coefficients), func() {
			f.set(sum, loadSplat(get(c), 0))
			f.set(next, get(c))
			f.set(left, subI(get(coefficients), number(1)))
			x := f.let(load(v))
			f.times(left, func() {
				f.advance(next, number(8))
				f.set(sum, madd(get(sum), x, loadSplat(get(next), 0)))
			})
			f.set(factor, mul(get(factor), get(sum)))
		})
		f.either(get(accumulate),
			func() { store(dst, madd(load(p), get(factor), load(dst))) },
			func() { store(dst, mul(load(p), get(factor))) })
	})
	return f
}

// transpose is Kernel.TransposeTiles.
//
//	transpose(tiles, dst, ldd, stepD, src, lds, stepS), distances in bytes
func transpose() *fn {
	f := function("transpose", i32, i32, i32, i32, i32, i32, i32)
	const tiles, dst, ldd, stepD, src, lds, stepS = 0, 1, 2, 3, 4, 5, 6
	pick := func(a, b expr, first byte) expr { // lane first of a and of b
		var lanes []byte
		for i := range byte(16) {
			from := 8*first + i
			if i >= 8 {
				from = 16 + 8*first + i - 8
			}
			lanes = append(lanes, from)
		}
		return join(simd(13, a, b), lanes)
	}
	from, to := f.local(i32), f.local(i32)
	f.times(tiles, func() {
		f.set(from, get(src))
		for i := 0; i < 8; i += 2 { // two rows of src are two columns of dst
			f.set(to, addI(get(dst), number(8*i)))
			second := addI(get(from), get(lds))
			for j := 0; j < 8; j += 2 {
				a, b := f.let(load(get(from), 8*j)), f.let(load(second, 8*j))
				f.store(get(to), 0, pick(a, b, 0))
				f.advance(to, get(ldd))
				f.store(get(to), 0, pick(a, b, 1))
				f.advance(to, get(ldd))
			}
			f.set(from, addI(second, get(lds)))
		}
		f.advance(src, get(stepS))
		f.advance(dst, get(stepD))
	})
	return f
}

// fma is FMA.
//
//	fma(x, y, z) = xy + z
func fma() *fn {
	f := function("fma", f64, f64, f64)
	f.results = []byte{f64}
	f.run(lane(madd(splat(get(0)), splat(get(1)), splat(get(2))), 0))
	return f
}
