package asm

// Scale multiplies each element of x by alpha.
func (k *Kernel) Scale(alpha float64, x []float64) {
	for ; len(x) > stretch; x = x[stretch:] {
		k.scale(alpha, x[:stretch])
	}
	k.scale(alpha, x)
}

// genericScale is Kernel.Scale.
func genericScale(alpha float64, x []float64) {
	for i := range x {
		x[i] *= alpha
	}
}
