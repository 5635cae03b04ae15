package posterior

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Sample draws count joint samples of a functional at n points (count x n), each from one component
// of the mixture. The same seed gives the same samples on every machine. The functional may be
// nonlinear, and may depend on coefficients: each sample then has fields, parameters and coefficients that
// belong together. Derivatives of a nonlinear part are not needed. Sample fails as Covariance does.
func (q *Posterior) Sample(f system.Functional, points *mat.Dense, count int, seed uint64) (*mat.Dense, error) {
	if !q.uncertain() {
		return nil, errCertain
	}
	straight := f
	straight.Nonlinear = nil
	if err := q.check(&straight, points); err != nil {
		return nil, err
	}
	if !q.IsLinear(&f) {
		return q.sampleCurved(f, points, count, seed)
	}
	random := rand.New(rand.NewPCG(seed, 0x73616d706c65))
	if q.after != nil {
		return q.sampleAfter(random, f, points, count)
	}
	from := make([][]int, len(q.components)) // samples of each component
	for i := range count {
		k := q.pick(random)
		from[k] = append(from[k], i)
	}
	samples := mat.NewDense(count, points.Rows(), nil)
	for k, rows := range from {
		if len(rows) == 0 {
			continue
		}
		c := &q.components[k]
		normal := mat.NewDense(len(rows), c.root().Cols(), nil)
		for i := range rows {
			fillNormal(random, normal.Row(i))
		}
		err := c.each(f, points, true, func(first int, root *mat.Dense, centre []float64) {
			part := mat.NewDense(len(rows), len(centre), nil)
			for i := range rows {
				copy(part.Row(i), centre)
			}
			mat.Gemm(mat.NoTrans, mat.Trans, 1, normal, root, 1, part)
			for i, row := range rows {
				copy(samples.Row(row)[first:], part.Row(i))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// sampleAfter is Sample with further sensors, which are applied to the moments of the mixture: the
// samples come from a single Gaussian.
func (q *Posterior) sampleAfter(random *rand.Rand, f system.Functional, points *mat.Dense, count int) (*mat.Dense, error) {
	mean, root, err := q.roots(f, points)
	if err != nil {
		return nil, err
	}
	samples, normal := mat.NewDense(count, len(mean), nil), mat.NewDense(count, root.Cols(), nil)
	for i := range count {
		copy(samples.Row(i), mean)
		fillNormal(random, normal.Row(i))
	}
	mat.Gemm(mat.NoTrans, mat.Trans, 1, normal, root, 1, samples)
	return samples, nil
}

// IsLinear tells whether a functional is linear in the weights of each component.
func (q *Posterior) IsLinear(f *system.Functional) bool {
	return f.Nonlinear == nil && (len(q.coefficients) == 0 || !f.Depends(make([]float64, len(q.coefficients))))
}

// weightSamples are joint samples of the weights: of each, its component and the standard normal numbers that it is made of.
type weightSamples struct {
	from       [][]int      // numbers of the samples of each component
	normal     []*mat.Dense // of each component, a row for each of its samples
	parameters *mat.Dense   // count x parameters; coefficients are values
}

func (q *Posterior) draw(count int, seed uint64) *weightSamples {
	random := rand.New(rand.NewPCG(seed, 0x637572766564))
	n := len(q.components)
	d := &weightSamples{from: make([][]int, n), normal: make([]*mat.Dense, n), parameters: mat.NewDense(count, len(q.names), nil)}
	for i := range count {
		k := q.pick(random)
		d.from[k] = append(d.from[k], i)
	}
	for k, rows := range d.from {
		if len(rows) == 0 {
			continue
		}
		c := &q.components[k]
		root, first := c.root(), c.basis.ParameterColumn(0)
		d.normal[k] = mat.NewDense(len(rows), root.Cols(), nil)
		for i, row := range rows {
			fillNormal(random, d.normal[k].Row(i))
			values := d.parameters.Row(row)
			copy(values, c.mean[first:])
			mat.Gemv(mat.NoTrans, 1, root.Slice(first, first+len(values), 0, root.Cols()), d.normal[k].Row(i), 1, values)
			for j := range values {
				if c := q.coefficient(j); c != nil {
					values[j] = c.Value(values[j])
				}
			}
		}
	}
	return d
}

// curvedPoints is how many points are handled at a time, which bounds the memory.
const curvedPoints = 128

// sampleCurved is Sample for a functional that is not linear in the weights. It samples the derivatives of the fields
// that the functional has, together, and evaluates the functional for each sample.
func (q *Posterior) sampleCurved(f system.Functional, points *mat.Dense, count int, seed uint64) (*mat.Dense, error) {
	p := q.Problem()
	if err := p.ValidateFunctional("prediction", &f); err != nil {
		return nil, err
	}
	if q.after != nil {
		return nil, dataError("prediction", "with sensors that do not exist yet, only what is linear in the fields can be sampled")
	}
	d := q.draw(count, seed)
	e := &evaluation{linear: len(p.Parameters)}
	e.collect(&f)
	samples := mat.NewDense(count, points.Rows(), nil)
	for first := 0; first < points.Rows(); first += curvedPoints {
		last := min(first+curvedPoints, points.Rows())
		e.points = points.Slice(first, last, 0, points.Cols())
		if err := q.sampleTerms(e, d, count); err != nil {
			return nil, err
		}
		errs := make([]error, count)
		mat.Parallel(count, func(i int) {
			values := d.parameters.Row(i)
			g := f.With(values[e.linear:])
			to := samples.Row(i)[first:last]
			e.valueTo(to, &g, i, values)
			for k, v := range to {
				if !finite(v) {
					errs[i] = dataError("prediction", "point %d: what is asked for is %g in one of the samples", first+k+1, v)
					return
				}
			}
		})
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
	}
	return samples, nil
}

// evaluation evaluates a functional for samples of the derivatives that it has.
type evaluation struct {
	terms   []system.Term // without coefficients, each once
	linear  int           // parameters that are no coefficients
	points  *mat.Dense
	sampled []*mat.Dense // of each term, samples x points
}

// collect notes the derivatives in a functional.
func (e *evaluation) collect(f *system.Functional) {
	for _, t := range f.Terms {
		if t.Coefficient = nil; e.index(&t) < 0 {
			e.terms = append(e.terms, t)
		}
	}
	if n := f.Nonlinear; n != nil {
		for i := range n.Of {
			e.collect(&n.Of[i])
		}
	}
}

// index returns the number of the derivative in a term, -1 if it has not been noted.
func (e *evaluation) index(t *system.Term) int {
	order := func(t *system.Term, d int) int {
		if d < len(t.Derivative) {
			return t.Derivative[d]
		}
		return 0
	}
	return slices.IndexFunc(e.terms, func(u system.Term) bool {
		if u.Field != t.Field || !u.Footprint.Equal(t.Footprint) {
			return false
		}
		for d := range max(len(t.Derivative), len(u.Derivative)) {
			if order(&u, d) != order(t, d) {
				return false
			}
		}
		return true
	})
}

// sampleTerms samples all derivatives at the evaluation's points.
func (q *Posterior) sampleTerms(e *evaluation, d *weightSamples, count int) error {
	e.sampled = e.sampled[:0]
	for _, t := range e.terms {
		all := mat.NewDense(count, e.points.Rows(), nil)
		for k, rows := range d.from {
			if len(rows) == 0 {
				continue
			}
			err := q.components[k].each(system.Functional{Terms: []system.Term{t}}, e.points, true, func(first int, root *mat.Dense, centre []float64) {
				part := mat.NewDense(len(rows), len(centre), nil)
				for i := range rows {
					copy(part.Row(i), centre)
				}
				mat.Gemm(mat.NoTrans, mat.Trans, 1, d.normal[k], root, 1, part)
				for i, row := range rows {
					copy(all.Row(row)[first:], part.Row(i))
				}
			})
			if err != nil {
				return err
			}
		}
		e.sampled = append(e.sampled, all)
	}
	return nil
}

// valueTo sets dst to a functional, with the coefficients of sample i, at the evaluation's points.
func (e *evaluation) valueTo(dst []float64, f *system.Functional, i int, parameters []float64) {
	clear(dst)
	more := make([]float64, len(dst))
	add := func(coefficient system.Function, value func(k int) float64) {
		if coefficient == nil {
			coefficient = system.Constant(1)
		}
		coefficient.EvalTo(more, e.points)
		for k, c := range more {
			dst[k] += float64(c * value(k))
		}
	}
	for _, t := range f.Terms {
		values := e.sampled[e.index(&t)].Row(i)
		add(t.Coefficient, func(k int) float64 { return values[k] })
	}
	for _, t := range f.Parameters {
		add(t.Coefficient, func(int) float64 { return parameters[t.Parameter] })
	}
	if f.Known != nil {
		add(f.Known, func(int) float64 { return 1 })
	}
	n := f.Nonlinear
	if n == nil {
		return
	}
	rows, d := e.points.Dims()
	extended := mat.NewDense(rows, d+len(n.Of), nil)
	extended.Slice(0, rows, 0, d).CopyFrom(e.points)
	values := make([]float64, rows)
	for j := range n.Of {
		e.valueTo(values, &n.Of[j], i, parameters)
		for k, v := range values {
			extended.Set(k, d+j, v)
		}
	}
	n.Value.EvalTo(more, extended)
	for k, v := range more {
		dst[k] += v
	}
}

// fillNormal fills x with independent standard normal numbers, by the Box-Muller transform in mat's
// elementary functions, which give the same bits everywhere.
func fillNormal(random *rand.Rand, x []float64) {
	for i := 0; i < len(x); i += 2 {
		radius := math.Sqrt(-2 * mat.Log(1-float64(random.Float64())))
		s, c := mat.SinCos(2 * math.Pi * random.Float64())
		x[i] = radius * c
		if i+1 < len(x) {
			x[i+1] = radius * s
		}
	}
}
