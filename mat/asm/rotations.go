package asm

import "math"

// Slab is the number of columns of a slab, the form in which a matrix is kept while
// many rotations act on its rows: whole rows of so many elements, one after the
// other. A slab of Panel columns holds the rest.
const Slab = 32

// RotateChain applies a chain of plane rotations to the rows of a slab of width
// Slab or Panel: rotation i to the rows first+i*step and first+(i+1)*step, x and y:
//
//	x = fma(c, x, s*y)
//	y = fma(-s, x, c*y)
func (k *Kernel) RotateChain(c, s, slab []float64, width, first, step int) {
	if len(c) == 0 {
		return
	}
	s = s[:len(c)]
	last := first + len(c)*step
	_, _ = slab[width*min(first, last)], slab[width*(max(first, last)+1)-1]
	for len(c) > stretch {
		k.rotateStretch(c[:stretch], s[:stretch], slab, width, first, step)
		c, s, first = c[stretch:], s[stretch:], first+stretch*step
	}
	k.rotateStretch(c, s, slab, width, first, step)
}

func (k *Kernel) rotateStretch(c, s, slab []float64, width, first, step int) {
	if k.rotateChain == nil {
		genericRotateChain(c, s, slab, width, first, step)
		return
	}
	k.rotateChain(c, s, slab[width*first:], width, step)
}

func genericRotateChain(c, s, slab []float64, width, first, step int) {
	x := slab[width*first:][:width]
	for i, c := range c {
		y, s := slab[width*(first+(i+1)*step):][:width], s[i]
		for j, u := range x {
			v := y[j]
			x[j] = math.FMA(c, u, float64(s*v))
			y[j] = math.FMA(-s, u, float64(c*v))
		}
		x = y
	}
}
