package posterior

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Where the equations are not linear, the posterior is not the Gaussian of the linearised problem. It is that Gaussian
// times exp(-(|f + d|^2 - |f|^2) / 2), where f is what the linearised rows leave over, in units of slack or noise, and d is
// what the linearisation leaves out. It is drawn from by optimisation: with J the linearised rows, m and C the mean and the
// covariance of the Gaussian, and x ~ N(m, C), the solution of
//
//	w + C J'd(w) = x
//
// satisfies the equations as they are, as well as x satisfies the linearised ones. Its density is known, so each draw has an
// importance weight,
//
//	log c = -f(m)'d - (|d|^2 - d'JCJ'd) / 2 - log |det(1 + C J'D)|,   D = dd/dw
//
// (Bardsley, Solonen, Haario & Laine, Randomize-then-optimize: a method for sampling from posterior distributions in
// nonlinear inverse problems, SIAM J. Sci. Comput. 36, 2014). Where all is linear, d = 0 and all weights are 1.
//
// Only in some directions does a nonlinear term vary by more than a small part of its slack. The draws are made in these,
// w = m + F V z with orthonormal columns V; in all others the posterior stays what it is.

const (
	// curvedDraws are made of each layer, in pairs x and -x, but at least drawsEach for each direction.
	curvedDraws, drawsEach = 256, 4
	// A direction counts if somewhere a nonlinear term varies by curvedFloor of the slack. With mostDirections or more
	// importance weights say nothing, and nothing is drawn.
	curvedFloor, mostDirections = 0.05, 64
	// roughDraws show how much derivatives vary.
	roughDraws = 8
	// At first steps are taken with the covariance alone, then with the derivative at the draw. A draw is found where a
	// step moves it by less than drawFound standard deviations.
	fixedPointSteps, newtonSteps, newtonHalvings = 10, 60, 12
	drawFound                                    = 1e-4
	curvedSeed                                   = 0x637572766564
)

// curvedRows are the rows of one equation, condition or group of sensors that is not linear.
type curvedRows struct {
	of, near *system.Functional // near is of to first order
	points   *mat.Dense
	less     []float64 // readings; nil: 0
	weight   []float64 // one over slack or noise

	terms  []system.Term // those that stand in of, without their coefficients
	linear []int         // which they are of the linear part,
	parts  [][]int       // and of what the nonlinear part is a function of
	bent   []bool        // they are in the nonlinear part, or their coefficient is unknown

	centre [][]float64  // of each term, at the mean
	along  []*mat.Dense // of each term, along the directions
	rest   []float64    // f(m): what near leaves over at the mean
	slope  *mat.Dense   // J, along the directions
	whole  *mat.Dense   // J, along all columns of F
}

// curvedLayer is the nonlinear rows as functions of z in one layer.
type curvedLayer struct {
	problem    *system.Problem
	rows       []*curvedRows
	directions *mat.Dense // V
	mean       []float64  // of the parameters, then of the numbers of the coefficients
	own        *mat.Dense // these along the directions
	missed     float64    // by how many times their slack the linearised equations are missed
}

// curvedRows lists the rows that are not linear. Equations without a tolerance have a slack.
func (n *newton) curvedRows(l *linearisation, f *frame, q *Posterior, slack float64) (rows []*curvedRows) {
	of, near := l.of.ForNeurons(q.summary.Neurons), l.problem.ForNeurons(q.summary.Neurons)
	curved := func(f *system.Functional) bool { return f.Nonlinear != nil || n.dependent(f) }
	var linear []*system.Demand
	for _, e := range near.Demands() {
		linear = append(linear, e)
	}
	for label, e := range of.Demands() {
		if !curved(&e.Residual) || e.Exact {
			continue
		}
		to := linear[label.Index]
		unit := slices.Repeat([]float64{e.SD}, e.Points.Rows())
		if e.SD == 0 {
			unit = slices.Repeat([]float64{f.sizes.residual[label.Index] * math.Max(e.Tolerance, slack)}, e.Points.Rows())
			if b := balanceOf(near, to); b.applies(to) {
				for i, v := range b.sizes(e.Points) {
					unit[i] *= v
				}
			}
		}
		rows = append(rows, &curvedRows{of: &e.Residual, near: &to.Residual, points: e.Points, weight: inverses(unit)})
	}
	group := 0
	for i := range of.Sensors {
		s := &of.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		learned := q.summary.Noise[group].Sigma
		group++
		if !curved(&s.Measures) {
			continue
		}
		unit := slices.Repeat([]float64{learned}, len(s.Values))
		for k := range unit {
			if len(s.Sigma) > 0 {
				unit[k] = s.Sigma[min(k, len(s.Sigma)-1)]
			}
			if f.weights != nil && f.weights[i] != nil {
				unit[k] /= math.Sqrt(f.weights[i][k])
			}
		}
		rows = append(rows, &curvedRows{of: &s.Measures, near: &near.Sensors[i].Measures, points: s.Points, less: s.Values, weight: inverses(unit)})
	}
	return rows
}

func inverses(x []float64) []float64 {
	for i, v := range x {
		x[i] = 1 / v
	}
	return x
}

// index lists the terms of a functional.
func (r *curvedRows) index(values []float64) {
	place := func(list []system.Term, part bool) (at []int) {
		for _, t := range list {
			bent := part || (&system.Functional{Terms: []system.Term{t}}).Depends(values)
			t.Coefficient = nil
			k := slices.IndexFunc(r.terms, func(o system.Term) bool {
				return o.Field == t.Field && slices.Equal(o.Derivative, t.Derivative) && reflect.DeepEqual(o.Footprint, t.Footprint)
			})
			if k < 0 {
				k = len(r.terms)
				r.terms, r.bent = append(r.terms, t), append(r.bent, false)
			}
			r.bent[k] = r.bent[k] || bent
			at = append(at, k)
		}
		return at
	}
	r.linear = place(r.of.Terms, false)
	if r.of.Nonlinear != nil {
		for i := range r.of.Nonlinear.Of {
			r.parts = append(r.parts, place(r.of.Nonlinear.Of[i].Terms, true))
		}
	}
}

// newCurvedLayer finds the directions that matter, and the rows along them. It returns nil where none does.
func newCurvedLayer(p *system.Problem, c *component, rows []*curvedRows) (*curvedLayer, error) {
	first, factor := c.basis.ParameterColumn(0), c.root()
	y := &curvedLayer{problem: p, rows: rows, mean: c.mean[first:], own: factor.Slice(first, len(c.mean), 0, factor.Cols())}
	for _, r := range rows {
		r.index(make([]float64, len(p.Coefficients)))
		r.centre, r.along = nil, nil
		for _, t := range r.terms {
			centre, along, err := rowsAlong(c, &system.Functional{Terms: []system.Term{t}}, r.points)
			if err != nil {
				return nil, err
			}
			r.centre, r.along = append(r.centre, centre), append(r.along, along)
		}
		var err error
		if r.rest, r.slope, err = rowsAlong(c, r.near, r.points); err != nil {
			return nil, err
		}
		if r.less != nil {
			mat.Axpy(-1, r.less, r.rest)
		}
		r.weigh(r.weight)
		if r.less == nil {
			y.missed = math.Max(y.missed, r.missed())
		}
	}
	if err := y.findDirections(); err != nil || y.directions == nil {
		return nil, err
	}
	project := func(m *mat.Dense) *mat.Dense {
		to := mat.NewDense(m.Rows(), y.directions.Cols(), nil)
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, m, y.directions, 0, to)
		return to
	}
	y.own = project(y.own)
	for _, r := range rows {
		r.whole, r.slope = r.slope, project(r.slope)
		for k := range r.along {
			r.along[k] = project(r.along[k])
		}
	}
	return y, nil
}

// weigh multiplies the linearised rows by weights.
func (r *curvedRows) weigh(weights []float64) {
	for i, w := range weights {
		r.rest[i] *= w
		scaleVector(w, r.slope.Row(i))
	}
}

// missed is by how many times its slack a layer misses linearised equations, in the mean or in its standard deviation
// somewhere. It is more than one if the layer cannot follow a parameter.
func (r *curvedRows) missed() float64 {
	most := rootMeanSquare(r.rest)
	for i := range r.weight {
		most = math.Max(most, mat.Nrm2(r.slope.Row(i)))
	}
	return most
}

// rowsAlong returns a functional at the mean of a component, and how it varies with the columns of its covariance root.
func rowsAlong(c *component, f *system.Functional, points *mat.Dense) ([]float64, *mat.Dense, error) {
	centre, along := make([]float64, points.Rows()), mat.NewDense(points.Rows(), c.root().Cols(), nil)
	err := c.each(*f, points, true, func(first int, root *mat.Dense, mean []float64) {
		copy(centre[first:], mean)
		along.Slice(first, first+len(mean), 0, along.Cols()).CopyFrom(root)
	})
	return centre, along, err
}

// findDirections sets the directions: the principal ones of how much what stands in nonlinear terms varies, times the
// derivative with respect to it.
func (y *curvedLayer) findDirections() error {
	var stacked []*mat.Dense
	for _, r := range y.rows {
		onTerms, onOwn := y.roughly(r)
		if onTerms == nil {
			return errUndefined
		}
		for k, bent := range r.bent {
			if bent && onTerms[k] != nil {
				stacked = append(stacked, weighted(r.along[k], onTerms[k], r.weight))
			}
		}
		for i := range y.mean {
			if onOwn[i] != nil {
				repeated := mat.NewDense(len(r.weight), y.own.Cols(), nil)
				for k := range r.weight {
					copy(repeated.Row(k), y.own.Row(i))
				}
				stacked = append(stacked, weighted(repeated, onOwn[i], r.weight))
			}
		}
	}
	squares := mat.NewSym(y.own.Cols(), nil)
	for _, m := range stacked {
		mat.Syrk(mat.Trans, 1, m, 1, squares)
	}
	var eigen mat.SymEigen
	if err := eigen.Factorize(squares, true); err != nil {
		return err
	}
	values := eigen.Values() // in ascending order
	n := len(values)
	if n == 0 {
		return nil
	}
	least := math.Max(curvedFloor*curvedFloor, values[n-1]*float64(n)*epsilon) // below that is rounding error
	p := 0
	for p < min(n, mostDirections) && values[n-1-p] > least {
		p++
	}
	if p > 0 {
		y.directions = eigen.Vectors().Slice(0, n, n-p, n).Clone()
	}
	return nil
}

var errUndefined = dataError("nonlinear terms", "they have no finite value about the solution")

// weighted returns a matrix with its rows times two factors each.
func weighted(m *mat.Dense, a, b []float64) *mat.Dense {
	w := m.Clone()
	for i := range a {
		scaleVector(a[i]*b[i], w.Row(i))
	}
	return w
}

// roughly returns the root mean square, over the mean and some draws, of the derivatives with respect to bent terms and to
// parameters that are in nonlinear terms; nil where they have no finite value.
func (y *curvedLayer) roughly(r *curvedRows) (onTerms, onOwn [][]float64) {
	random := rand.New(rand.NewPCG(curvedSeed, 1))
	z := make([]float64, y.own.Cols())
	defined := 0.0
	add := func(to [][]float64, from [][]float64) [][]float64 {
		if to == nil {
			to = make([][]float64, len(from))
		}
		for k, v := range from {
			for i, x := range v {
				if to[k] == nil {
					to[k] = make([]float64, len(v))
				}
				to[k][i] = mat.FMA(x, x, to[k][i])
			}
		}
		return to
	}
	for k := range roughDraws + 1 {
		if k > 0 {
			fillNormal(random, z)
		}
		e := y.expand(r, z)
		if !e.finite() {
			continue
		}
		defined++
		onTerms, onOwn = add(onTerms, e.onTerms), add(onOwn, e.onOwn)
	}
	for _, list := range [][][]float64{onTerms, onOwn} {
		for _, v := range list {
			for i := range v {
				v[i] = math.Sqrt(v[i] / defined)
			}
		}
	}
	return onTerms, onOwn
}

// expansion is a functional at some z: its value, without what it is less, and its derivatives with respect to terms and
// parameters. Those that are 0 everywhere are nil.
type expansion struct {
	value          []float64
	onTerms, onOwn [][]float64
}

func (e *expansion) finite() bool {
	ok := finite(squares(e.value))
	for _, list := range [][][]float64{e.onTerms, e.onOwn} {
		for _, v := range list {
			ok = ok && finite(squares(v))
		}
	}
	return ok
}

// expand evaluates rows at z, with their derivatives.
func (y *curvedLayer) expand(r *curvedRows, z []float64) *expansion {
	terms := make([][]float64, len(r.terms))
	for k := range terms {
		terms[k] = slices.Clone(r.centre[k])
		mat.Gemv(mat.NoTrans, 1, r.along[k], z, 1, terms[k])
	}
	own := slices.Clone(y.mean)
	mat.Gemv(mat.NoTrans, 1, y.own, z, 1, own)
	e := &expansion{onTerms: make([][]float64, len(terms)), onOwn: make([][]float64, len(own))}
	numbers := own[len(own)-len(y.problem.Coefficients):]
	e.value = r.value(y.problem, terms, own, numbers, e)
	zero := make([]float64, len(numbers))
	if len(numbers) == 0 || !r.of.Depends(zero) {
		return e
	}
	for k := range numbers {
		up, down := slices.Clone(numbers), slices.Clone(numbers)
		up[k] += numberStep
		down[k] -= numberStep
		slope := r.value(y.problem, terms, own, up, nil)
		mat.Axpy(-1, r.value(y.problem, terms, own, down, nil), slope)
		scaleVector(1/(2*numberStep), slope)
		e.onOwn[len(own)-len(numbers)+k] = slope
	}
	return e
}

// numberStep is the difference by which functionals are differentiated with respect to the numbers of coefficients: the
// third root of double precision.
const numberStep = 0x1p-17

// value evaluates rows for values of their terms and parameters. Where e is not nil, it adds the derivatives.
func (r *curvedRows) value(p *system.Problem, terms [][]float64, own, numbers []float64, e *expansion) []float64 {
	f := *r.of
	if len(numbers) > 0 {
		f = f.With(valuesAt(p, numbers))
	}
	n, d := r.points.Dims()
	value := make([]float64, n)
	r.addAffine(value, &f, r.linear, terms, own)
	if e != nil {
		e.addSlopes(r, &f, r.linear, nil)
	}
	if f.Nonlinear == nil {
		return value
	}
	extended := mat.NewDense(n, d+len(r.parts), nil)
	extended.Slice(0, n, 0, d).CopyFrom(r.points)
	part := make([]float64, n)
	for j, at := range r.parts {
		clear(part)
		r.addAffine(part, &f.Nonlinear.Of[j], at, terms, own)
		for i, v := range part {
			extended.Set(i, d+j, v)
		}
	}
	f.Nonlinear.Value.EvalTo(part, extended)
	mat.Axpy(1, part, value)
	if e == nil {
		return value
	}
	for j, at := range r.parts {
		if f.Nonlinear.Partials[j] != nil {
			f.Nonlinear.Partials[j].EvalTo(part, extended)
			e.addSlopes(r, &f.Nonlinear.Of[j], at, part)
		}
	}
	return value
}

// addAffine adds to dst a functional without its nonlinear part, whose terms are the given ones of the rows.
func (r *curvedRows) addAffine(dst []float64, f *system.Functional, at []int, terms [][]float64, own []float64) {
	for i := range f.Terms {
		for k, c := range evaluated(f.Terms[i].Coefficient, r.points) {
			dst[k] += float64(c * terms[at[i]][k])
		}
	}
	for i := range f.Parameters {
		t := &f.Parameters[i]
		mat.Axpy(own[t.Parameter], evaluated(t.Coefficient, r.points), dst)
	}
	if f.Known != nil {
		mat.Axpy(1, evaluated(f.Known, r.points), dst)
	}
}

// addSlopes adds the derivatives of a functional without its nonlinear part, times a factor at each point; nil is 1.
func (e *expansion) addSlopes(r *curvedRows, f *system.Functional, at []int, factor []float64) {
	add := func(to *[]float64, c system.Function) {
		slope := evaluated(c, r.points)
		for i := range factor {
			slope[i] *= factor[i]
		}
		if *to == nil {
			*to = slope
			return
		}
		mat.Axpy(1, slope, *to)
	}
	for i := range f.Terms {
		add(&e.onTerms[at[i]], f.Terms[i].Coefficient)
	}
	for i := range f.Parameters {
		add(&e.onOwn[f.Parameters[i].Parameter], f.Parameters[i].Coefficient)
	}
}
