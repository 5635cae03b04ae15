package host

import (
	"encoding/binary"
	"math"
)

// An expr is code that leaves one value on the stack: code is written as expressions, which are concatenated.
type expr []byte

// Types of values, as WebAssembly encodes them.
const (
	i32  = 0x7f
	f64  = 0x7c
	v128 = 0x7b
)

// fn is a function that is being written.
type fn struct {
	name    string
	params  []byte
	results []byte
	locals  []byte
	code    []byte
}

// unsigned returns LEB128, in which WebAssembly writes numbers.
func unsigned(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func signed(n int) []byte {
	var b []byte
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func join(parts ...[]byte) expr {
	var e expr
	for _, p := range parts {
		e = append(e, p...)
	}
	return e
}

// op appends an instruction to its operands.
func op(code byte, operands ...expr) expr {
	var e expr
	for _, x := range operands {
		e = append(e, x...)
	}
	return append(e, code)
}

// simd appends a vector instruction to its operands.
func simd(code int, operands ...expr) expr {
	return join(op(0xfd, operands...), unsigned(code))
}

func number(n int) expr     { return join([]byte{0x41}, signed(n)) }
func addI(a, b expr) expr   { return op(0x6a, a, b) }
func subI(a, b expr) expr   { return op(0x6b, a, b) }
func andI(a, b expr) expr   { return op(0x71, a, b) }
func shiftR(a, b expr) expr { return op(0x76, a, b) }
func equalI(a, b expr) expr { return op(0x46, a, b) }
func real64(x float64) expr {
	return join([]byte{0x44}, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
}
func splat(x expr) expr        { return simd(20, x) }
func lane(v expr, i byte) expr { return append(simd(33, v), i) }

func add(a, b expr) expr       { return simd(0xf0, a, b) }
func sub(a, b expr) expr       { return simd(0xf1, a, b) }
func mul(a, b expr) expr       { return simd(0xf2, a, b) }
func div(a, b expr) expr       { return simd(0xf3, a, b) }
func abs(a expr) expr          { return simd(0xec, a) }
func neg(a expr) expr          { return simd(0xed, a) }
func smaller(a, b expr) expr   { return simd(0xf6, a, b) } // b < a ? b : a
func larger(a, b expr) expr    { return simd(0xf7, a, b) } // a < b ? b : a
func equal(a, b expr) expr     { return simd(0x47, a, b) }
func less(a, b expr) expr      { return simd(0x49, a, b) }
func atMost(a, b expr) expr    { return simd(0x4b, a, b) }
func and(a, b expr) expr       { return simd(0x4e, a, b) }
func or(a, b expr) expr        { return simd(0x50, a, b) }
func xor(a, b expr) expr       { return simd(0x51, a, b) }
func add64(a, b expr) expr     { return simd(0xce, a, b) }
func sub64(a, b expr) expr     { return simd(0xd1, a, b) }
func equal64(a, b expr) expr   { return simd(0xd6, a, b) }
func left(a expr, n int) expr  { return simd(0xcb, a, number(n)) }
func right(a expr, n int) expr { return simd(0xcd, a, number(n)) } // zeros come in
func all(a expr) expr          { return simd(0xc3, a) }

// choose returns a where the mask has ones, and b elsewhere.
func choose(a, b, mask expr) expr { return simd(0x52, a, b, mask) }

// madd returns ab + c and nmadd returns c - ab, rounded once where the host fuses them.
func madd(a, b, c expr) expr  { return simd(0x107, a, b, c) }
func nmadd(a, b, c expr) expr { return simd(0x108, a, b, c) }

// zeros is a vector of zeros.
func zeros() expr { return join([]byte{0xfd, 12}, make([]byte, 16)) }

// place is what a load or store appends: the alignment, as a power of two, and an offset in bytes.
func place(offset int) []byte { return join([]byte{3}, unsigned(offset)) }

func load(at expr, offset int) expr      { return join(simd(0, at), place(offset)) }
func loadSplat(at expr, offset int) expr { return join(simd(10, at), place(offset)) }
func loadOne(at expr, offset int) expr   { return join(simd(0x5d, at), place(offset)) } // the other lane is zero

// new returns a new local variable, whose number is also its expression's.
func (f *fn) local(kind byte) int {
	f.locals = append(f.locals, kind)
	return len(f.params) + len(f.locals) - 1
}

func get(local int) expr { return join([]byte{0x20}, unsigned(local)) }

// run appends code that leaves nothing on the stack.
func (f *fn) run(e []byte) { f.code = append(f.code, e...) }

func (f *fn) set(local int, e expr) { f.run(join(e, []byte{0x21}, unsigned(local))) }

// let gives the value of a vector expression a name.
func (f *fn) let(e expr) expr {
	v := f.local(v128)
	f.set(v, e)
	return get(v)
}

func (f *fn) store(at expr, offset int, e expr) {
	f.run(join(simd(11, at, e), place(offset)))
}

// storeOne stores the first lane.
func (f *fn) storeOne(at expr, offset int, e expr) {
	f.run(append(join(simd(0x5b, at, e), place(offset)), 0))
}

// advance adds a number of bytes to a pointer.
func (f *fn) advance(pointer int, by expr) { f.set(pointer, addI(get(pointer), by)) }

// when runs body if e is not zero.
func (f *fn) when(e expr, body func()) {
	f.run(join(e, []byte{0x04, 0x40}))
	body()
	f.run([]byte{0x0b})
}

// either runs yes if e is not zero, and no otherwise.
func (f *fn) either(e expr, yes, no func()) {
	f.run(join(e, []byte{0x04, 0x40}))
	yes()
	f.run([]byte{0x05})
	no()
	f.run([]byte{0x0b})
}

// times runs body as often as the local count says, which is zero afterwards.
func (f *fn) times(count int, body func()) {
	f.when(get(count), func() {
		f.run([]byte{0x03, 0x40})
		body()
		f.set(count, subI(get(count), number(1)))
		f.run(join(get(count), []byte{0x0d, 0, 0x0b}))
	})
}

// elements runs body for n elements two at a time, and if n is odd for the last one alone. load and store access the
// current elements of the vector that a local points to.
func (f *fn) elements(n int, pointers []int, body func(load func(pointer int) expr, store func(pointer int, e expr))) {
	pairs := f.local(i32)
	f.set(pairs, shiftR(get(n), number(1)))
	f.times(pairs, func() {
		body(func(p int) expr { return load(get(p), 0) }, func(p int, e expr) { f.store(get(p), 0, e) })
		for _, p := range pointers {
			f.advance(p, number(16))
		}
	})
	f.when(andI(get(n), number(1)), func() {
		body(func(p int) expr { return loadOne(get(p), 0) }, func(p int, e expr) { f.storeOne(get(p), 0, e) })
	})
}
