package mat

import "github.com/bpielm/bpielm/mat/asm"

// rotations applies plane rotations to the rows of a matrix. It collects chains of
// rotations and applies all of them to one slab of columns (asm.Slab) after another, so
// that the slab stays in cache. A rotation is three shears, and two chains are applied in
// one pass over the rows.
type rotations struct {
	rows, cols int
	data       []float64 // slabs, one after another
	tan, sin   []float64 // tangent of half the angle, and sine of the angle
	chains     []chain
}

// chain is a sequence of rotations: see asm.Kernel.RotateChain.
type chain struct{ begin, first, step int }

// loadIdentity sets the matrix to the identity of n rows.
func (r *rotations) loadIdentity(n int) {
	r.rows, r.cols = n, n
	r.data = resize(r.data, n*roundUp(n, asm.Panel))
	r.tan, r.sin, r.chains = r.tan[:0], r.sin[:0], r.chains[:0]
	clear(r.data)
	r.eachSlab(func(slab []float64, width, col int) {
		for i := range min(width, n-col) {
			slab[(col+i)*width+i] = 1
		}
	})
}

// eachSlab calls f with every slab, its width and its first column.
func (r *rotations) eachSlab(f func(slab []float64, width, col int)) {
	for col := 0; col < r.cols; {
		width := asm.Slab
		if r.cols-col <= asm.Slab-asm.Panel {
			width = asm.Panel
		}
		f(r.data[r.rows*col:][:r.rows*width], width, col)
		col += width
	}
}

// begin starts a chain at row first; it continues at row first+step, and so on.
func (r *rotations) begin(k *asm.Kernel, first, step int) {
	if len(r.tan) > chainsPerRow*r.rows {
		r.apply(k)
	}
	r.chains = append(r.chains, chain{len(r.tan), first, step})
}

// add appends a rotation to the chain. Its cosine must not be negative.
func (r *rotations) add(c, s float64) {
	r.tan, r.sin = append(r.tan, s/(1+c)), append(r.sin, s)
}

// apply applies the collected chains, two at a time where they begin at the same row.
func (r *rotations) apply(k *asm.Kernel) {
	r.chains = append(r.chains, chain{begin: len(r.tan)}) // marks the end of the last chain
	r.eachSlab(func(slab []float64, width, _ int) { r.applyTo(k, slab, width) })
	r.tan, r.sin, r.chains = r.tan[:0], r.sin[:0], r.chains[:0]
}

// applyTo applies the chains to a slab.
func (r *rotations) applyTo(k *asm.Kernel, slab []float64, width int) {
	for i := 0; i+1 < len(r.chains); i++ {
		c, next := r.chains[i], r.chains[i+1]
		t, s := r.tan[c.begin:next.begin], r.sin[c.begin:next.begin]
		if i+2 < len(r.chains) && c.first == next.first && c.step == next.step {
			end := r.chains[i+2].begin
			k.RotateChains(t, s, r.tan[next.begin:end], r.sin[next.begin:end], slab, width, c.first, c.step)
			i++
		} else {
			k.RotateChain(t, s, slab, width, c.first, c.step)
		}
	}
}

// copyTo sets row j of dst to row order[j].
func (r *rotations) copyTo(dst *Dense, order []int) {
	r.eachSlab(func(slab []float64, width, col int) {
		for j, row := range order {
			copy(dst.Row(j)[col:], slab[row*width:][:width])
		}
	})
}
