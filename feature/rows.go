package feature

import "github.com/bpielm/bpielm/mat"

// Term is one term of a linear differential operator: a coefficient times the partial
// derivative of order Derivative[i] in variable i. Missing entries of Derivative are 0, so
// nil is the value itself. Coefficient has one element for each point, or one for all
// points, or none, which stands for 1.
type Term struct {
	Derivative  []int
	Coefficient []float64
}

// order returns the total order of the derivative.
func (t *Term) order() int {
	k := 0
	for _, o := range t.Derivative {
		k += o
	}
	return k
}

// chunkElements bounds neurons times points in a chunk: their arguments and up to six
// factors stay in a cache of 256 KiB.
const chunkElements = 4096

// chunksPerPart is the least number of chunks, of about five microseconds each, that are
// worth handing to another processor.
const chunksPerPart = 5

// part collects the terms of an operator of the same order k: P_k in
//
//	(operator) phi(a.z + b) = sum over k of P_k(x, a) phi^(k)(a.z + b)
//
// P_k is the sum of the terms, added in order. If no coefficient varies, it is computed
// once for all points.
type part struct {
	order    int
	constant []float64 // P_k for each neuron, or nil if a coefficient varies
	terms    []product
}

// product is a term: its coefficient, as in Term, and for each neuron the product of
// slopes that the chain rule gives.
type product struct {
	coefficient []float64
	slopes      []float64
}

// at returns the coefficient at a point.
func (p *product) at(point int) float64 {
	switch len(p.coefficient) {
	case 0:
		return 1
	case 1:
		return p.coefficient[0]
	}
	return p.coefficient[point]
}

// RowsTo applies an operator, the sum of terms, to every neuron: row i of dst, n x
// Neurons, is its value at row i of points, n x Dimensions. Derivatives are with respect to
// the problem's own coordinates. The bits of a row do not depend on the other rows or on
// chunks; all processors share a large number of rows. RowsTo panics with mat.Error if
// shapes do not match or a derivative's order is above MaxOrder. Once warm, it does not
// allocate for a few rows, unless an axis is logarithmic.
func (l *Layer) RowsTo(dst, points *mat.Dense, terms []Term) {
	w := borrow()
	defer w.giveBack()
	w.dst[0], w.operator[0] = dst, terms
	l.operatorsTo(w, w.dst[:], points, w.operator[:])
}

// OperatorsTo is RowsTo for several operators at the same points, which share the neurons'
// activations: dst[i] receives operators[i].
func (l *Layer) OperatorsTo(dst []*mat.Dense, points *mat.Dense, operators [][]Term) {
	w := borrow()
	defer w.giveBack()
	l.operatorsTo(w, dst, points, operators)
}

// operatorsTo is OperatorsTo with a workspace, which holds the parts of all operators.
func (l *Layer) operatorsTo(w *workspace, dst []*mat.Dense, points *mat.Dense, operators [][]Term) {
	if l.grid != nil {
		l.patchedTo(dst, points, operators)
		return
	}
	n, neurons := points.Rows(), len(l.bias)
	w.highest = l.checkOperators(dst, points, operators)
	if l.log != nil {
		points, operators = l.logarithmic(points, operators)
	}
	terms := 0
	for _, o := range operators {
		terms += len(o)
	}
	if terms == 0 {
		for _, d := range dst {
			d.Zero()
		}
		return
	}
	w.reserve(terms, neurons)
	for _, o := range operators {
		l.appendParts(w, o)
		w.ends = append(w.ends, len(w.parts))
	}
	chunk := max(1, chunkElements/neurons)
	chunks := (n + chunk - 1) / chunk
	parts := max(1, chunks/chunksPerPart)
	if parts == 1 {
		l.fill(w, w, dst, points, 0, n)
		return
	}
	mat.Parallel(parts, func(part int) {
		own := borrow()
		defer own.giveBack()
		own.p = grow(own.p, neurons)
		l.fill(own, w, dst, points, part*chunks/parts*chunk, min(n, (part+1)*chunks/parts*chunk))
	})
}

// fill computes rows first to end-1 in chunks. plan holds the parts of the operators, w is
// scratch.
func (l *Layer) fill(w, plan *workspace, dst []*mat.Dense, points *mat.Dense, first, end int) {
	neurons := len(l.bias)
	chunk := max(1, chunkElements/neurons)
	for ; first < end; first += chunk {
		rows := min(chunk, end-first)
		l.arguments(w, points, first, rows)
		w.factors.resize(rows * neurons)
		activations[l.activation].evaluate(&w.factors, w.z, plan.highest)
		begin := 0
		for i, d := range dst {
			for r := range rows {
				l.combine(d.Row(first+r), w, plan.parts[begin:plan.ends[i]], first+r, r*neurons)
			}
			begin = plan.ends[i]
		}
	}
}

// checkOperators panics if shapes do not match, and returns the highest order.
func (l *Layer) checkOperators(dst []*mat.Dense, points *mat.Dense, operators [][]Term) (highest int) {
	n, d := points.Rows(), len(l.center)
	if len(dst) != len(operators) || points.Cols() != d {
		panic(mat.Error("feature: RowsTo: one result is needed for each operator, and points must have the layer's dimensions"))
	}
	for i, terms := range operators {
		if dst[i].Rows() != n || dst[i].Cols() != l.Neurons() {
			panic(mat.Error("feature: RowsTo: dst must be points x neurons"))
		}
		for j := range terms {
			t := &terms[j]
			if k := len(t.Coefficient); len(t.Derivative) > d || (k > 1 && k != n) {
				panic(mat.Error("feature: RowsTo: a term has too many derivatives or the wrong number of coefficients"))
			}
			highest = max(highest, t.order())
		}
	}
	if highest > MaxOrder {
		panic(mat.Error("feature: RowsTo: the order of a derivative is above MaxOrder"))
	}
	return highest
}

// appendParts appends the parts of an operator to w.parts, in ascending order of k.
func (l *Layer) appendParts(w *workspace, terms []Term) {
	for k := range MaxOrder + 1 {
		first, varies := len(w.products), false
		for i := range terms {
			if t := &terms[i]; t.order() == k {
				slopes := w.vector(len(l.bias))
				l.slopeProductsTo(slopes, t.Derivative)
				w.products = append(w.products, product{t.Coefficient, slopes})
				varies = varies || len(t.Coefficient) > 1
			}
		}
		if len(w.products) == first {
			continue
		}
		p := part{order: k, terms: w.products[first:]}
		if !varies {
			p.constant = w.vector(len(l.bias))
			p.sumTo(p.constant, 0)
		}
		w.parts = append(w.parts, p)
	}
}

// sumTo sets dst to P_k at a point.
func (p *part) sumTo(dst []float64, point int) {
	clear(dst)
	for i := range p.terms {
		mat.Axpy(p.terms[i].at(point), p.terms[i].slopes, dst)
	}
}

// slopeProductsTo sets p, for each neuron, to the product over the variables of
// (a / half)^order, which the chain rule gives.
func (l *Layer) slopeProductsTo(p []float64, derivative []int) {
	for j := range p {
		p[j] = 1
	}
	for v, order := range derivative {
		for range order {
			steep := l.steep.Row(v)
			mat.MulPolynomialTo(p, p, steep, steep, nil, false)
		}
	}
}

// arguments sets w.z to the neurons' arguments a.z + b at rows points from first on, point
// by point.
func (l *Layer) arguments(w *workspace, points *mat.Dense, first, rows int) {
	d, neurons := len(l.center), len(l.bias)
	w.x, w.z = grow(w.x, rows*d), grow(w.z, rows*neurons)
	for r := range rows {
		x, p := w.x[r*d:][:d], points.Row(first+r)
		for i := range x {
			x[i] = (p[i] - l.center[i]) / l.half[i]
		}
		z := w.z[r*neurons:][:neurons]
		copy(z, l.bias)
		mat.Gemv(mat.Trans, 1, l.across, x, 1, z)
	}
}

// combine sets row to the sum over the parts of P_k phi^(k) at a point. The point's factors
// begin at offset.
func (l *Layer) combine(row []float64, w *workspace, parts []part, point, offset int) {
	if len(parts) == 0 {
		clear(row)
		return
	}
	for i := range parts {
		p := &parts[i]
		slopes := p.constant
		if slopes == nil {
			slopes = w.p
			p.sumTo(slopes, point)
		}
		d := &activations[l.activation].derivatives[p.order]
		factor, argument := w.factors[d.factor][offset:][:len(row)], w.factors[d.argument][offset:][:len(row)]
		mat.MulPolynomialTo(row, slopes, factor, argument, d.coefficients, i > 0)
	}
}
