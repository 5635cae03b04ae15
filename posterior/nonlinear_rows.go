package posterior

import (
	"math"
	"math/rand/v2"
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
	// layerDraws are made of each layer, in pairs x and -x, but at least drawsEach for each direction.
	layerDraws, drawsEach = 256, 4
	// A direction counts if somewhere a nonlinear term varies by variesLeast of the slack. With mostDirections or more
	// importance weights say nothing, and nothing is drawn.
	variesLeast, mostDirections = 0.05, 64
	// roughDraws show how much derivatives vary.
	roughDraws = 8
	// At first steps are taken with the covariance alone, then with the derivative at the draw. A draw is found where its
	// defect is less than drawFound standard deviations.
	fixedPointSteps, newtonSteps, newtonHalvings = 10, 60, 12
	drawFound                                    = 1e-4
	drawSeed                                     = 0x64726177696e67
)

// nonlinearRows are the rows of one equation, condition or group of sensors that is not linear.
type nonlinearRows struct {
	of, near *system.Functional // near is of to first order
	points   *mat.Dense
	readings []float64 // nil: 0
	weight   []float64 // one over slack or noise

	derivatives derivatives // that stand in of
	bent        []bool      // which of them stand in its nonlinear part, or have an unknown coefficient

	mean     [][]float64  // of each derivative
	along    []*mat.Dense // each derivative along the directions
	residual []float64    // f(m)
	slope    *mat.Dense   // J, along the directions
	whole    *mat.Dense   // J, along all columns of F
}

// nonlinearLayer is the nonlinear rows of one layer as functions of z.
type nonlinearLayer struct {
	problem    *system.Problem
	rows       []*nonlinearRows
	directions *mat.Dense // V
	mean       []float64  // of the parameters, then of the numbers of the coefficients
	own        *mat.Dense // these along the directions
	missed     float64    // by how many times their slack the linearised equations are missed
}

// statedTolerance is the tolerance of an equation, stated for it or for all; 0: it is inferred.
func (l *linearisation) statedTolerance(e *system.Demand) float64 {
	if e.Tolerance > 0 {
		return e.Tolerance
	}
	return l.config.Tolerance
}

// tightest returns the smallest tolerance that is stated for an equation that is not linear, 0 where none is; exact tells whether
// one of these is to hold exactly.
func (n *newton) tightest(l *linearisation) (tolerance float64, exact bool) {
	for _, e := range l.of.Demands() {
		if e.SD > 0 || !n.bends(&e.Residual) {
			continue
		}
		exact = exact || e.Exact
		if t := l.statedTolerance(e); t > 0 && (tolerance == 0 || t < tolerance) {
			tolerance = t
		}
	}
	return tolerance, exact
}

// bends tells whether a functional is not linear.
func (n *newton) bends(f *system.Functional) bool { return f.Nonlinear != nil || n.dependent(f) }

// nonlinearRows lists the rows that are not linear. Equations have the larger one of their tolerance and a slack.
func (n *newton) nonlinearRows(l *linearisation, f *frame, q *Posterior, slack float64) (rows []*nonlinearRows) {
	of, near := l.config.enough(l.of, q.summary.Neurons), l.config.enough(l.problem, q.summary.Neurons)
	var linear []*system.Demand
	for _, e := range near.Demands() {
		linear = append(linear, e)
	}
	for label, e := range of.Demands() {
		if !n.bends(&e.Residual) || e.Exact {
			continue
		}
		to := linear[label.Index]
		unit := slices.Repeat([]float64{e.SD}, e.Points.Rows())
		if e.SD == 0 {
			unit = slices.Repeat([]float64{f.sizes.residual[label.Index] * math.Max(l.statedTolerance(e), slack)}, e.Points.Rows())
			if b := balanceOf(near, to); b.applies() {
				for i, v := range b.sizes(e.Points) {
					unit[i] *= v
				}
			}
		}
		rows = append(rows, &nonlinearRows{of: &e.Residual, near: &to.Residual, points: e.Points, weight: inverses(unit)})
	}
	group := 0
	for i := range of.Sensors {
		s := &of.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		learned := q.summary.Noise[group].Sigma
		group++
		if !n.bends(&s.Measures) {
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
		rows = append(rows, &nonlinearRows{of: &s.Measures, near: &near.Sensors[i].Measures, points: s.Points, readings: s.Values, weight: inverses(unit)})
	}
	return rows
}

func inverses(x []float64) []float64 {
	for i, v := range x {
		x[i] = 1 / v
	}
	return x
}

// collect lists the derivatives. numbers are as many as there are coefficients.
func (r *nonlinearRows) collect(numbers []float64) {
	r.derivatives.collect(r.of)
	r.bent = make([]bool, len(r.derivatives))
	for _, t := range r.of.Terms {
		if (&system.Functional{Terms: []system.Term{t}}).Depends(numbers) {
			r.bent[r.derivatives.index(&t)] = true
		}
	}
	if r.of.Nonlinear != nil {
		for i := range r.of.Nonlinear.Of {
			for _, t := range r.of.Nonlinear.Of[i].Terms {
				r.bent[r.derivatives.index(&t)] = true
			}
		}
	}
}

// newNonlinearLayer finds the directions that matter, and the rows along them. It returns nil where none does.
func newNonlinearLayer(p *system.Problem, c *component, rows []*nonlinearRows) (*nonlinearLayer, error) {
	first, factor := c.basis.ParameterColumn(0), c.root()
	y := &nonlinearLayer{problem: p, rows: rows, mean: c.mean[first:], own: factor.Slice(first, len(c.mean), 0, factor.Cols())}
	for _, r := range rows {
		r.collect(make([]float64, len(p.Coefficients)))
		for _, t := range r.derivatives {
			mean, along, err := rowsAlong(c, &system.Functional{Terms: []system.Term{t}}, r.points)
			if err != nil {
				return nil, err
			}
			r.mean, r.along = append(r.mean, mean), append(r.along, along)
		}
		var err error
		if r.residual, r.slope, err = rowsAlong(c, r.near, r.points); err != nil {
			return nil, err
		}
		if r.readings != nil {
			mat.Axpy(-1, r.readings, r.residual)
		}
		for i, w := range r.weight {
			r.residual[i] *= w
			scaleVector(w, r.slope.Row(i))
		}
		if r.readings == nil {
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

// missed is by how many times its slack a layer misses linearised equations, in the mean or in its standard deviation
// somewhere. It is more than one if the layer cannot follow a parameter.
func (r *nonlinearRows) missed() float64 {
	most := rootMeanSquare(r.residual)
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
func (y *nonlinearLayer) findDirections() error {
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
	least := math.Max(variesLeast*variesLeast, values[n-1]*float64(n)*epsilon) // below that is rounding error
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
func (y *nonlinearLayer) roughly(r *nonlinearRows) (onTerms, onOwn [][]float64) {
	random := rand.New(rand.NewPCG(drawSeed, 1))
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
		e := y.expand(r, z, true)
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
func (y *nonlinearLayer) expand(r *nonlinearRows, z []float64, derivatives bool) *expansion {
	at := &evaluation{of: r.derivatives, points: r.points, parameters: slices.Clone(y.mean)}
	for k, mean := range r.mean {
		at.values = append(at.values, slices.Clone(mean))
		mat.Gemv(mat.NoTrans, 1, r.along[k], z, 1, at.values[k])
	}
	mat.Gemv(mat.NoTrans, 1, y.own, z, 1, at.parameters)
	first := len(at.parameters) - len(y.problem.Coefficients)
	numbers := at.parameters[first:]
	with := func(numbers []float64) *system.Functional {
		if len(numbers) == 0 {
			return r.of
		}
		f := r.of.With(valuesAt(y.problem, numbers))
		return &f
	}
	f := with(numbers)
	e := &expansion{value: make([]float64, r.points.Rows())}
	at.valueTo(e.value, f)
	if !derivatives {
		return e
	}
	e.onTerms, e.onOwn = at.slopes(f)
	if len(numbers) == 0 || !r.of.Depends(make([]float64, len(numbers))) {
		return e
	}
	less := make([]float64, len(e.value))
	for k := range numbers {
		up, down := slices.Clone(numbers), slices.Clone(numbers)
		up[k] += numberStep
		down[k] -= numberStep
		slope := make([]float64, len(e.value))
		at.valueTo(slope, with(up))
		at.valueTo(less, with(down))
		mat.Axpy(-1, less, slope)
		scaleVector(1/(2*numberStep), slope)
		e.onOwn[first+k] = slope
	}
	return e
}

// numberStep is the difference by which functionals are differentiated with respect to the numbers of coefficients: the
// third root of double precision.
const numberStep = 0x1p-17
