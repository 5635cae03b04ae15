package system

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// RowsTo sets row i of h (n x Columns) to the functional's action on every
// unknown at row i of points (n x variables), and known[i] to its known part,
// so that the functional's value there is h w + known. A nil known is not
// wanted. Rows are independent of each other: a large block may be made in
// chunks. It panics with mat.Error when shapes do not fit.
func (b Basis) RowsTo(h *mat.Dense, known []float64, f *Functional, points *mat.Dense) {
	b.Compile(f, points.Rows()).To(h, known, points)
}

// RowMaker makes rows of one functional in memory that it keeps: few rows at a time do not
// allocate, if the functional's functions do not. It serves one goroutine at a time.
type RowMaker struct {
	basis      Basis
	functional Functional
	most       int // rows at a time

	columns   []mat.Dense      // of the rows being made, those of each field
	operators [][]feature.Term // on each field, of the terms without a footprint
	varying   []varying        // coefficients in operators
	joint     []*mat.Dense     // columns of the fields on basis.Layer, and
	jointly   [][]feature.Term // the operators on them
	spread    []spread         // the terms with a footprint

	values []float64 // of one function at the points
	places mat.Dense // points x variables, for one place of a footprint
	there  mat.Dense // the rows of one term at these
}

// varying is a coefficient that depends on the point, of one of a field's operators.
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
	function Function       // the coefficient
	values   []float64      // of the coefficient
	weighted []float64      // times the weight of a place
	operator []feature.Term // one
}

// Compile prepares to make up to so many rows of a functional at a time, which must not change from then on.
func (b Basis) Compile(f *Functional, most int) *RowMaker {
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
		if own == b.Layer {
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

// To sets row i of h (n x Columns) to the functional's action on every unknown at row i of points (n x variables), n being
// at most what was compiled for, and known[i] to its known part; a nil known is not wanted. It panics with mat.Error when
// shapes do not fit.
func (m *RowMaker) To(h *mat.Dense, known []float64, points *mat.Dense) {
	n := points.Rows()
	if n > m.most || h.Rows() != n || h.Cols() != m.basis.Columns() || known != nil && len(known) != n {
		panic(mat.Error("system: RowMaker: h must be points x columns, known must have one entry for each point, and there must not be more points than was said"))
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

// fieldsTo makes the rows of the terms without a footprint. Fields of all variables share a layer and its activations.
func (m *RowMaker) fieldsTo(points *mat.Dense) {
	for i := range m.varying {
		v := &m.varying[i]
		c := v.values[:points.Rows()]
		v.function.EvalTo(c, points)
		m.operators[v.field][v.term].Coefficient = c
	}
	for field, own := range m.basis.layers {
		if own != m.basis.Layer {
			own.RowsTo(&m.columns[field], points, m.operators[field])
		}
	}
	m.basis.Layer.OperatorsTo(m.joint, points, m.jointly)
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

// evaluate sets the coefficient's values at points; those of a constant are set already.
func (t *spreadTerm) evaluate(points *mat.Dense) {
	switch t.function.(type) {
	case nil, Constant:
		return
	}
	t.function.EvalTo(t.values[:points.Rows()], points)
}

// weigh gives the operator the coefficient times the weight of a place.
func (t *spreadTerm) weigh(weight float64, points int) {
	c := t.weighted[:min(points, len(t.weighted))]
	for i := range c {
		c[i] = weight * t.values[i]
	}
	t.operator[0].Coefficient = c
}

// addThere adds a term's rows at the places.
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

// reshape gives m a shape; its contents are undefined.
func reshape(m *mat.Dense, rows, columns int) {
	if m.Rows() != rows || m.Cols() != columns {
		m.Reset(rows, columns)
	}
}
