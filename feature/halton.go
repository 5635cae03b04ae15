package feature

import "math/rand/v2"

// Halton is a scrambled Halton sequence: points that fill the unit cube more evenly than
// independent draws, in any dimension. Coordinate i is the radical inverse of the index in
// the i-th prime base. A random permutation of the digits (including zero) and a random
// shift modulo one remove the correlations of the plain sequence between large bases. The
// same seed gives the same points on every machine.
type Halton struct {
	base  []uint64
	digit [][]uint64 // digit[i] is the permutation of the digits in base[i]
	power [][]uint64 // power[i][k] is base[i]^k, up to the largest integers exact in float64
	zeros [][]uint64 // zeros[i][k] is the number that k permuted zero digits stand for
	shift []float64
	index uint64
}

// NewHalton returns the sequence in the given number of dimensions, before its first point.
func NewHalton(dimensions int, seed uint64) *Halton {
	h := &Halton{base: primes(dimensions), shift: make([]float64, dimensions)}
	h.digit, h.power, h.zeros = make([][]uint64, dimensions), make([][]uint64, dimensions), make([][]uint64, dimensions)
	random := rand.New(rand.NewPCG(seed, 0x68616c746f6e)) // the stream is named "halton"
	for i, b := range h.base {
		h.digit[i] = make([]uint64, b)
		for j, p := range random.Perm(int(b)) {
			h.digit[i][j] = uint64(p)
		}
		h.shift[i] = random.Float64()
		power, zeros := []uint64{1}, []uint64{0}
		for k := 0; power[k] <= (1<<53)/b; k++ {
			power, zeros = append(power, power[k]*b), append(zeros, zeros[k]*b+h.digit[i][0])
		}
		h.power[i], h.zeros[i] = power, zeros
	}
	return h
}

// NextTo sets x, one element per dimension, to the next point of [0, 1)^d.
func (h *Halton) NextTo(x []float64) {
	h.index++
	for i, base := range h.base {
		// The reversed digits are collected in integers, so that there is only one
		// rounding and nothing for a compiler to fuse. The digits of the index come
		// first, then zeros.
		power, digit := h.power[i], h.digit[i]
		numerator, left := uint64(0), len(power)-1
		for n := h.index; n > 0 && left > 0; left-- {
			rest := n / base
			numerator = numerator*base + digit[n-rest*base]
			n = rest
		}
		numerator = numerator*power[left] + h.zeros[i][left]
		v := float64(numerator)/float64(power[len(power)-1]) + h.shift[i]
		if v >= 1 {
			v--
		}
		x[i] = v
	}
}

// primes returns the first n primes.
func primes(n int) []uint64 {
	found := make([]uint64, 0, n)
	for c := uint64(2); len(found) < n; c++ {
		prime := true
		for _, p := range found {
			if c%p == 0 {
				prime = false
				break
			}
		}
		if prime {
			found = append(found, c)
		}
	}
	return found
}
