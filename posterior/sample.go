package posterior

import (
	"math"
	"math/rand/v2"

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
		return q.sampleNonlinear(f, points, count, seed)
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
		normal := mat.NewDense(len(rows), c.rootColumns(), nil)
		for i := range rows {
			fillNormal(random, normal.Row(i))
		}
		if err := c.sampleTo(samples, rows, normal, f, points); err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// sampleTo sets rows of dst to samples of a functional at points, made of standard normal numbers: a row for each sample.
func (c *component) sampleTo(dst *mat.Dense, rows []int, normal *mat.Dense, f system.Functional, points *mat.Dense) error {
	return c.each(f, points, true, func(first int, root *mat.Dense, centre []float64) {
		part := mat.NewDense(len(rows), len(centre), nil)
		for i := range rows {
			copy(part.Row(i), centre)
		}
		mat.Gemm(mat.NoTrans, mat.Trans, 1, normal, root, 1, part)
		for i, row := range rows {
			copy(dst.Row(row)[first:], part.Row(i))
		}
	})
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
		root, first := c.parameterRoot(0, len(q.names)), c.basis.ParameterColumn(0)
		d.normal[k] = mat.NewDense(len(rows), root.Cols(), nil)
		for i, row := range rows {
			fillNormal(random, d.normal[k].Row(i))
			values := d.parameters.Row(row)
			copy(values, c.mean[first:])
			mat.Gemv(mat.NoTrans, 1, root, d.normal[k].Row(i), 1, values)
			for j := range values {
				if c := q.coefficient(j); c != nil {
					values[j] = c.Value(values[j])
				}
			}
		}
	}
	return d
}

// nonlinearPoints is how many points are handled at a time, which bounds the memory.
const nonlinearPoints = 128

// sampleNonlinear is Sample for a functional that is not linear in the weights. It samples the derivatives of the fields
// that the functional has, together, and evaluates the functional for each sample.
func (q *Posterior) sampleNonlinear(f system.Functional, points *mat.Dense, count int, seed uint64) (*mat.Dense, error) {
	p := q.Problem()
	if err := p.ValidateFunctional("prediction", &f); err != nil {
		return nil, err
	}
	if q.after != nil {
		return nil, dataError("prediction", "with sensors that do not exist yet, only what is linear in the fields can be sampled")
	}
	d := q.draw(count, seed)
	var of derivatives
	of.collect(&f)
	samples := mat.NewDense(count, points.Rows(), nil)
	for first := 0; first < points.Rows(); first += nonlinearPoints {
		last := min(first+nonlinearPoints, points.Rows())
		part := points.Slice(first, last, 0, points.Cols())
		sampled, err := q.sampleDerivatives(of, part, d, count)
		if err != nil {
			return nil, err
		}
		errs := make([]error, count)
		mat.Parallel(count, func(i int) {
			e := &evaluation{of: of, points: part, parameters: d.parameters.Row(i)}
			for _, s := range sampled {
				e.values = append(e.values, s.Row(i))
			}
			g := f.With(e.parameters[len(p.Parameters):])
			to := samples.Row(i)[first:last]
			e.valueTo(to, &g)
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

// sampleDerivatives samples derivatives at points: of each, a row for each sample.
func (q *Posterior) sampleDerivatives(of derivatives, points *mat.Dense, d *weightSamples, count int) ([]*mat.Dense, error) {
	var sampled []*mat.Dense
	for _, t := range of {
		all := mat.NewDense(count, points.Rows(), nil)
		for k, rows := range d.from {
			if len(rows) == 0 {
				continue
			}
			if err := q.components[k].sampleTo(all, rows, d.normal[k], system.Functional{Terms: []system.Term{t}}, points); err != nil {
				return nil, err
			}
		}
		sampled = append(sampled, all)
	}
	return sampled, nil
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
