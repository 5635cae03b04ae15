package pinn

import "github.com/bpielm/bpielm/mat"

// jet holds a segment of points on its way through the layers: for each layer the stacked
// components before and after the activation.
type jet struct {
	components *components
	rows       int
	input      *mat.Dense   // components x rows, variables
	z, a       []*mat.Dense // of each layer; the last layer has no activation
	t, u       []*mat.Dense // of each hidden layer: tanh z and its derivative sech^2 z
	back       []*mat.Dense // of each layer: the gradient in a, then in z
}

// newJet allocates a jet for points, in layers of the given widths, and sets its input.
func newJet(c *components, points *mat.Dense, widths []int) *jet {
	rows := points.Rows()
	j := &jet{components: c, rows: rows, input: mat.NewDense(c.count()*rows, points.Cols(), nil)}
	for i := range rows {
		copy(j.input.Row(i), points.Row(i))
		for k, variable := range c.first {
			j.input.Set((1+k)*rows+i, variable, 1)
		}
	}
	for l, width := range widths {
		stack := func() *mat.Dense { return mat.NewDense(c.count()*rows, width, nil) }
		j.z, j.back = append(j.z, stack()), append(j.back, stack())
		if l < len(widths)-1 {
			j.a = append(j.a, stack())
			j.t, j.u = append(j.t, j.a[l].Slice(0, rows, 0, width)), append(j.u, mat.NewDense(rows, width, nil))
		}
	}
	return j
}

// forward propagates the segment through the network and returns its outputs, components
// stacked.
func (j *jet) forward(n *weights) *mat.Dense {
	in := j.input
	for l := range n.w {
		z := j.z[l]
		mat.Gemm(mat.NoTrans, mat.Trans, 1, in, n.w[l], 0, z)
		for i := range j.rows {
			mat.Axpy(1, n.b[l], z.Row(i))
		}
		if l < len(n.w)-1 {
			j.activate(l)
			in = j.a[l]
		}
	}
	return j.z[len(n.w)-1]
}

// activate applies tanh. With t = tanh z and u = t', first derivatives become u z_k, and
// second ones u z_kk + u' z_k^2 with u' = -2 t u.
func (j *jet) activate(l int) {
	c := j.components
	for i := range j.rows {
		t, u := j.t[l].Row(i), j.u[l].Row(i)
		mat.TanhSech2To(t, u, j.z[l].Row(i))
		for k := range c.first {
			times(j.a[l].Row((1+k)*j.rows+i), u, j.z[l].Row((1+k)*j.rows+i))
		}
		for k, first := range c.second {
			secondDerivatives(j.a[l].Row((1+len(c.first)+k)*j.rows+i), t, u, j.z[l].Row((1+first)*j.rows+i), j.z[l].Row((1+len(c.first)+k)*j.rows+i))
		}
	}
}

// times sets dst to the elementwise product of x and y.
func times(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// secondDerivatives sets dst to u second - 2 t u first^2.
func secondDerivatives(dst, t, u, first, second []float64) {
	t, u, first, second = t[:len(dst)], u[:len(dst)], first[:len(dst)], second[:len(dst)]
	for i := range dst {
		g := first[i]
		dst[i] = u[i] * (second[i] - 2*t[i]*(g*g))
	}
}

// backward propagates the gradient in the outputs, which is in the last element of back, to
// the gradient in the weights, which it adds to g.
func (j *jet) backward(n, g *weights) {
	for l := len(n.w) - 1; l >= 0; l-- {
		in := j.input
		if l > 0 {
			in = j.a[l-1]
		}
		mat.Gemm(mat.Trans, mat.NoTrans, 1, j.back[l], in, 1, g.w[l])
		for i := range j.rows {
			mat.Axpy(1, j.back[l].Row(i), g.b[l])
		}
		if l > 0 {
			mat.Gemm(mat.NoTrans, mat.NoTrans, 1, j.back[l], n.w[l], 0, j.back[l-1])
			j.backwardActivation(l - 1)
		}
	}
}

// backwardActivation turns the gradient in a layer's activations into the gradient in their
// arguments. For each variable, with u' = -2 t u and the second derivative u (4 - 6 u),
//
//	of z_kk:  u A_kk
//	of z_k:   u A_k + 2 u' z_k A_kk
//	of z:     u A + sum u' (z_k A_k + z_kk A_kk) + u (4 - 6 u) z_k^2 A_kk.
func (j *jet) backwardActivation(l int) {
	c := j.components
	back, z := j.back[l], j.z[l]
	for i := range j.rows {
		t, u, value := j.t[l].Row(i), j.u[l].Row(i), back.Row(i)
		times(value, value, u)
		for k := range c.first {
			first := (1+k)*j.rows + i
			pullFirst(value, back.Row(first), t, u, z.Row(first))
		}
		for k, of := range c.second {
			first, second := (1+of)*j.rows+i, (1+len(c.first)+k)*j.rows+i
			pullSecond(value, back.Row(first), back.Row(second), t, u, z.Row(first), z.Row(second))
		}
	}
}

// pullFirst adds to value what a first derivative contributes to the gradient, and multiplies
// its own gradient, first, by u.
func pullFirst(value, first, t, u, z []float64) {
	first, t, u, z = first[:len(value)], t[:len(value)], u[:len(value)], z[:len(value)]
	for i, a := range first {
		value[i] -= 2 * t[i] * u[i] * z[i] * a
		first[i] = u[i] * a
	}
}

// pullSecond adds to value and first what a second derivative contributes to the gradient, and
// multiplies its own gradient, second, by u.
func pullSecond(value, first, second, t, u, z, zz []float64) {
	n := len(value)
	first, second, t, u, z, zz = first[:n], second[:n], t[:n], u[:n], z[:n], zz[:n]
	for i, a := range second {
		slope, g := -2*t[i]*u[i], z[i]
		value[i] += a * (slope*zz[i] + u[i]*(4-6*u[i])*(g*g))
		first[i] += 2 * slope * g * a
		second[i] = u[i] * a
	}
}
