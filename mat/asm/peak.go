package asm

// PeakLoop runs independent fused multiply-adds in registers, iterations times as many as a
// register tile has accumulators, and returns the number of floating-point operations. A
// tile can at most reach their rate.
func (k *Kernel) PeakLoop(iterations int) (flops int) {
	for ; iterations > 0; iterations -= stretch {
		flops += k.peak(min(iterations, stretch))
	}
	return flops
}

// genericPeak is Kernel.PeakLoop with eight accumulators.
func genericPeak(iterations int) (flops int) {
	var c0, c1, c2, c3, c4, c5, c6, c7 float64
	x, y := 0.25, 0.5
	for range iterations {
		c0 = FMA(x, y, c0)
		c1 = FMA(x, y, c1)
		c2 = FMA(x, y, c2)
		c3 = FMA(x, y, c3)
		c4 = FMA(x, y, c4)
		c5 = FMA(x, y, c5)
		c6 = FMA(x, y, c6)
		c7 = FMA(x, y, c7)
	}
	if c0+c1+c2+c3+c4+c5+c6+c7 < 0 { // never true, but keeps the loop from being optimised away
		return 0
	}
	return iterations * 8 * 2
}
