package system

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// RowsTo sets row i of h (n x Columns) to the functional's action on every
// unknown at row i of points (n x variables), and known[i] to its known part.
// The functional's value there is then row i of h w + known, w being the
// unknowns. A nil known is left out. Rows do not depend on each other, so a large
// block may be made in chunks. It panics with mat.Error if shapes do not fit.
func (b Basis) RowsTo(h *mat.Dense, known []float64, f *Functional, points *mat.Dense) {
	b.Compile(f, points.Rows()).To(h, known, points)
}

// RowMaker makes rows of one functional, again and again. It keeps its memory: after the first
// call, a few rows at a time do not allocate, unless the functional's functions do. Only one
// goroutine may use it at a time.
type RowMaker struct {
	basis      Basis
	functional Functional
	most       int // rows at a time

	columns   []mat.Dense      // each field's part of the rows being made
	operators [][]feature.Term // for each field, its terms without a footprint
	varying   []varying        // the coefficients in operators that are not constant
	joint     []*mat.Dense     // columns of the fields on basis.Layer that have operators
	jointly   [][]feature.Term // operators of these
	spread    []spread         // terms with a footprint

	values []float64 // one function at the points
	places mat.Dense // points x variables: one place of a footprint for each point
	there  mat.Dense // points x neurons: one term at these places
}

// varying is a coefficient that depends on the point, and its place among the operators.
type varying struct {
	function    Function
	field, term int
	values      []float64
}

// spread are consecutive terms that share a footprint.
type spread struct {
	over  *Footprint
	terms []spreadTerm
}

type spreadTerm struct {
	field    int
	function Function       // coefficient
	values   []float64      // of the coefficient
	weighted []float64      // values times the weight of a place
	operator []feature.Term // one term, with weighted as its coefficient
}

// Compile returns a RowMaker for up to most rows of a functional at a time. The functional must not change
// afterwards. It panics with mat.Error if the functional is not linear.
func (b Basis) Compile(f *Functional, most int) *RowMaker {
	if f.Nonlinear != nil {
		panic(mat.Error("system: Compile: a functional that is not linear has no rows; see Problem.Linearise"))
	}
	m := &RowMaker{
		basis: b, functional: *f, most: most,
		columns: make([]mat.Dense, b.Fields()), operators: make([][]feature.Term, b.Fields()),
		values: make([]float64, most),
	}
	for first := 0; first < len(f.Terms); {
		terms := sharing(f.Terms[first:])
		first += len(terms)
		if over := terms[0].Footprint; over != nil {
			m.addSpread(over, terms)
			continue
		}
		for i := range terms {
			m.addTerm(&terms[i])
		}
	}
	for field, own := range b.layers {
		if own == b.Layer && m.operators[field] != nil {
			m.joint, m.jointly = append(m.joint, &m.columns[field]), append(m.jointly, m.operators[field])
		}
	}
	return m
}

func (m *RowMaker) addTerm(t *Term) {
	term := feature.Term{Derivative: t.Derivative}
	switch c := t.Coefficient.(type) {
	case nil:
	case Constant:
		term.Coefficient = []float64{float64(c)}
	default:
		m.varying = append(m.varying, varying{c, t.Field, len(m.operators[t.Field]), make([]float64, m.most)})
	}
	m.operators[t.Field] = append(m.operators[t.Field], term)
}

func (m *RowMaker) addSpread(over *Footprint, terms []Term) {
	s := spread{over: over}
	for i := range terms {
		t := &terms[i]
		own := spreadTerm{field: t.Field, function: t.Coefficient, operator: []feature.Term{{Derivative: t.Derivative}}}
		switch c := t.Coefficient.(type) {
		case nil:
			own.values = []float64{1}
		case Constant:
			own.values = []float64{float64(c)}
		default:
			own.values = make([]float64, m.most)
		}
		own.weighted = make([]float64, len(own.values))
		s.terms = append(s.terms, own)
	}
	m.spread = append(m.spread, s)
}

// To makes the rows of the functional at points, as Basis.RowsTo does. It panics with mat.Error if shapes do not fit
// or there are more points than it was compiled for.
func (m *RowMaker) To(h *mat.Dense, known []float64, points *mat.Dense) {
	n := points.Rows()
	if n > m.most || points.Cols() != m.basis.Layer.Dimensions() || h.Rows() != n || h.Cols() != m.basis.Columns() || known != nil && len(known) != n {
		panic(mat.Error("system: RowMaker: points must have the problem's variables, h must be points x columns, known must have one entry for each point, and there must be at most as many points as it was compiled for"))
	}
	for field := range m.columns {
		first, end := m.basis.FieldColumns(field)
		m.columns[field].View(h, 0, n, first, end)
	}
	m.fieldsTo(points)
	for i := range m.spread {
		m.addElsewhere(&m.spread[i], points)
	}
	m.parametersTo(h, points)
	if known != nil {
		clear(known)
		if m.functional.Known != nil {
			m.functional.Known.EvalTo(known, points)
		}
	}
}

// fieldsTo sets the rows to the terms without a footprint. Fields of all variables share a layer, and so its
// activations.
func (m *RowMaker) fieldsTo(points *mat.Dense) {
	for i := range m.varying {
		v := &m.varying[i]
		c := v.values[:points.Rows()]
		v.function.EvalTo(c, points)
		m.operators[v.field][v.term].Coefficient = c
	}
	for field, own := range m.basis.layers {
		switch {
		case m.operators[field] == nil:
			m.columns[field].Zero()
		case own != m.basis.Layer:
			own.RowsTo(&m.columns[field], points, m.operators[field])
		}
	}
	if m.joint != nil {
		m.basis.Layer.OperatorsTo(m.joint, points, m.jointly)
	}
}

// addElsewhere adds the rows of terms with a footprint, place after place.
func (m *RowMaker) addElsewhere(s *spread, points *mat.Dense) {
	for i := range s.terms {
		s.terms[i].evaluate(points)
	}
	reshape(&m.places, points.Rows(), points.Cols())
	for k := range s.over.Len() {
		s.over.PlacesTo(&m.places, k, points)
		for i := range s.terms {
			t := &s.terms[i]
			t.weigh(s.over.Weight(k), points.Rows())
			m.addThere(t)
		}
	}
}

// evaluate sets the coefficient's values at points. Those of a constant are already set.
func (t *spreadTerm) evaluate(points *mat.Dense) {
	switch t.function.(type) {
	case nil, Constant:
		return
	}
	t.function.EvalTo(t.values[:points.Rows()], points)
}

// weigh sets the operator's coefficient to the term's, times the weight of a place.
func (t *spreadTerm) weigh(weight float64, points int) {
	c := t.weighted[:min(points, len(t.weighted))]
	for i := range c {
		c[i] = weight * t.values[i]
	}
	t.operator[0].Coefficient = c
}

// addThere adds a term's rows at m.places.
func (m *RowMaker) addThere(t *spreadTerm) {
	layer, columns := m.basis.layers[t.field], &m.columns[t.field]
	reshape(&m.there, m.places.Rows(), layer.Neurons())
	layer.RowsTo(&m.there, &m.places, t.operator)
	for i := range columns.Rows() {
		mat.Axpy(1, m.there.Row(i), columns.Row(i))
	}
}

// parametersTo sets the columns of the parameters.
func (m *RowMaker) parametersTo(h, points *mat.Dense) {
	first := m.basis.ParameterColumn(0)
	for r := range h.Rows() {
		clear(h.Row(r)[first:])
	}
	c := m.values[:points.Rows()]
	for i := range m.functional.Parameters {
		t := &m.functional.Parameters[i]
		valuesTo(c, t.Coefficient, points)
		for r, v := range c {
			h.Row(r)[first+t.Parameter] += v
		}
	}
}

// valuesTo evaluates a coefficient; nil is 1.
func valuesTo(dst []float64, f Function, points *mat.Dense) {
	if f == nil {
		f = Constant(1)
	}
	f.EvalTo(dst, points)
}

// reshape gives m a shape. Its contents are then undefined.
func reshape(m *mat.Dense, rows, columns int) {
	if m.Rows() != rows || m.Cols() != columns {
		m.Reset(rows, columns)
	}
}
