package feature

import "math/rand/v2"

// Halton is a scrambled Halton sequence: points that fill the unit cube more
// evenly than independent draws, in any dimension. Coordinate i is the radical
// inverse of the index in the i-th prime base; the digits are permuted at
// random (zero included) and the whole is shifted at random modulo one, which
// removes the correlations that the plain sequence shows between large bases.
// The same seed gives the same points on every machine.
type Halton struct {
	base  []uint64
	digit [][]uint64 // digit[i] is the permutation of the digits in base[i]
	shift []float64
	index uint64
}

// NewHalton returns the sequence in the given number of dimensions.
func NewHalton(dimensions int, seed uint64) *Halton {
	h := &Halton{base: primes(dimensions), digit: make([][]uint64, dimensions), shift: make([]float64, dimensions)}
	random := rand.New(rand.NewPCG(seed, 0x68616c746f6e)) // the stream is named "halton"
	for i, b := range h.base {
		h.digit[i] = make([]uint64, b)
		for j, p := range random.Perm(int(b)) {
			h.digit[i][j] = uint64(p)
		}
		h.shift[i] = random.Float64()
	}
	return h
}

// NextTo sets x, one number for each dimension, to the next point of [0, 1)^d.
func (h *Halton) NextTo(x []float64) {
	h.index++
	for i, base := range h.base {
		// The reversed digits are gathered in integers, so that there is one
		// rounding and no question of fused operations.
		limit := (uint64(1) << 53) / base
		numerator, denominator := uint64(0), uint64(1)
		for n := h.index; denominator <= limit; n /= base {
			numerator = numerator*base + h.digit[i][n%base]
			denominator *= base
		}
		v := float64(numerator)/float64(denominator) + h.shift[i]
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
