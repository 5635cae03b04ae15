package feature

import "github.com/bpielm/bpielm/mat"

// Term is one term of a linear differential operator: a coefficient times the
// partial derivative of order Derivative[i] in variable i (missing entries are
// 0; nil is the value). Coefficient holds one number for each point, or one
// for all, or none, which is 1.
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

// chunkElements bounds how many neurons times points are in work at a time: what
// belongs to them, the arguments and up to six factors, stays in a cache of
// 256 KiB.
const chunkElements = 4096

// chunksPerPart is the least number of chunks, of about five microseconds each,
// for which another processor is asked.
const chunksPerPart = 5

// part is what an operator has of one order k: P_k in
//
//	(operator) phi(a.z + b) = sum over k of P_k(x, a) phi^(k)(a.z + b)
//
// the sum of terms, which are added up in their order; once for all points, one
// number for each neuron, if no coefficient varies.
type part struct {
	order    int
	constant []float64 // nil if a coefficient varies
	terms    []product
}

// product is a term: its coefficient, as in Term, and for each neuron the product
// of slopes that the chain rule brings down.
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

// RowsTo sets row i of dst (n x neurons) to the operator, the sum of terms,
// applied to every neuron at row i of points (n x dimensions). Derivatives are
// with respect to the problem's own coordinates. Rows are independent of each
// other: the same bits come out in whatever chunks they are made, and many rows
// are made by all processors. It panics with mat.Error when shapes do not fit or a
// derivative's order is above MaxOrder. In steady state few rows do not allocate, unless an axis is
// logarithmic.
func (l *Layer) RowsTo(dst, points *mat.Dense, terms []Term) {
	w := borrow()
	defer w.giveBack()
	w.dst[0], w.operator[0] = dst, terms
	l.operatorsTo(w, w.dst[:], points, w.operator[:])
}

// OperatorsTo is RowsTo for several operators at the same points, which share the
// neurons' activations: dst[i] belongs to operators[i].
func (l *Layer) OperatorsTo(dst []*mat.Dense, points *mat.Dense, operators [][]Term) {
	w := borrow()
	defer w.giveBack()
	l.operatorsTo(w, dst, points, operators)
}

func (l *Layer) operatorsTo(w *workspace, dst []*mat.Dense, points *mat.Dense, operators [][]Term) {
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

// fill makes the rows from first to end-1 in chunks, for the operators of plan.
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

// checkOperators panics for what does not fit and returns the highest order.
func (l *Layer) checkOperators(dst []*mat.Dense, points *mat.Dense, operators [][]Term) (highest int) {
	n, d := points.Rows(), len(l.center)
	if len(dst) != len(operators) || points.Cols() != d {
		panic(mat.Error("feature: RowsTo: one result is needed for each operator, and points must have the layer's dimensions"))
	}
	for i, terms := range operators {
		if dst[i].Rows() != n || dst[i].Cols() != len(l.bias) {
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

// appendParts appends the parts of an operator to w.parts, in ascending order.
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

// slopeProductsTo sets p for each neuron to the product over the variables of
// (a / half)^order: what the chain rule brings down.
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

// arguments sets w.z to the neurons' arguments a.z + b at some points, point after
// point.
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

// combine sets row to the sum over the parts of P_k phi^(k) at a point, whose
// factors begin at offset.
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
