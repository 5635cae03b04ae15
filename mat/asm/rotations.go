package asm

// Slab is the number of columns of a slab, the layout of a matrix while many rotations act on
// its rows: whole rows of that many elements, one after another. The remaining columns are
// in slabs of Panel columns.
const Slab = 32

// RotateChain applies a chain of plane rotations to the rows of a slab of width Slab or Panel:
// rotation i to rows first+i*step and first+(i+1)*step, called x and y. A rotation is given
// by its sine s and the tangent t of half its angle, and applied as three shears. These take
// three quarters of the operations of a rotation and are as accurate for angles up to 90
// degrees:
//
//	x = fma(t, y, x)
//	y = fma(-s, x, y)
//	x = fma(t, y, x)
func (k *Kernel) RotateChain(t, s, slab []float64, width, first, step int) {
	if len(t) == 0 {
		return
	}
	s = s[:len(t)]
	last := first + len(t)*step
	_, _ = slab[width*min(first, last)], slab[width*(max(first, last)+1)-1]
	for len(t) > stretch {
		k.rotateChain(t[:stretch], s[:stretch], slab, width, first, step)
		t, s, first = t[stretch:], s[stretch:], first+stretch*step
	}
	k.rotateChain(t, s, slab, width, first, step)
}

// rotateChainByAxpy is RotateChain by shears.
func (k *Kernel) rotateChainByAxpy(t, s, slab []float64, width, first, step int) {
	x := slab[width*first:][:width]
	for i, t := range t {
		y := slab[width*(first+(i+1)*step):][:width]
		k.axpy(t, y, x)
		k.axpy(-s[i], x, y)
		k.axpy(t, y, x)
		x = y
	}
}

// RotateChains applies two chains that start at the same row, one after the other as
// RotateChain would, but in one pass over the rows.
func (k *Kernel) RotateChains(t1, s1, t2, s2, slab []float64, width, first, step int) {
	both := min(len(t1)-1, len(t2)) // rotation i of the second chain follows rotation i+1 of the first
	if both < 1 || both >= stretch {
		k.RotateChain(t1, s1, slab, width, first, step)
		k.RotateChain(t2, s2, slab, width, first, step)
		return
	}
	last := first + (both+1)*step
	_, _ = slab[width*min(first, last)], slab[width*(max(first, last)+1)-1]
	k.rotateChains(t1[:both+1], s1[:both+1], t2[:both], s2[:both], slab, width, first, step)
	k.RotateChain(t1[both+1:], s1[both+1:], slab, width, last, step)
	k.RotateChain(t2[both:], s2[both:], slab, width, last-step, step)
}

// rotateChainsInTurn is RotateChains in two passes.
func (k *Kernel) rotateChainsInTurn(t1, s1, t2, s2, slab []float64, width, first, step int) {
	k.rotateChain(t1, s1, slab, width, first, step)
	k.rotateChain(t2, s2, slab, width, first, step)
}
