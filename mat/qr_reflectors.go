package mat

import "github.com/bpielm/bpielm/mat/asm"

// multiplyReflectors multiplies z from the right by the product I - V'S'V of the
// reflectors in the rows of w.v, which have scales tau; the first reflector is leftmost.
// If backwards, it multiplies by the transpose.
func (w *arena) multiplyReflectors(k *asm.Kernel, z *Dense, tau []float64, backwards bool) {
	n, count := z.rows, len(tau)
	w.w.reshape(2*n+2*count, count)
	g, s := w.w.sub(0, count, 0, count), w.w.sub(count, 2*count, 0, count)
	zv, zvs := w.w.sub(2*count, 2*count+n, 0, count), w.w.sub(2*count+n, 2*count+2*n, 0, count)
	Gemm(NoTrans, Trans, 1, &w.v, &w.v, 0, &g)
	s.Zero()
	for c, scale := range tau {
		row := s.Row(c)[:c]
		k.AxpyRows(g.Row(c)[:c], s.data, s.stride, row)
		scaleVector(-scale, row)
		s.Row(c)[c] = scale
	}
	Gemm(NoTrans, Trans, 1, z, &w.v, 0, &zv)
	Gemm(NoTrans, Transpose(!backwards), 1, &zv, &s, 0, &zvs)
	Gemm(NoTrans, NoTrans, -1, &zvs, &w.v, 1, z)
}
