package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Preview says what a posterior would be if single readings were left out, moved, changed or added, with the
// hyper-parameters held. It is for pictures that follow a sensor while it is dragged: a moved reading costs one product
// with the targets' square roots, and allocates nothing.
//
// Given its hyper-parameters, a component of the mixture is a Gaussian to which a reading adds information. With edits
// e_1 to e_m, each a functional with the root p_i of its variance (see Posterior.roots), the signed variance s_i of its
// noise, +sigma^2 where it is added and -sigma^2 where it is taken away, and the residual r_i,
//
//	K = PP' + diag(s),   mean_t += k_t' K^-1 r,   var_t -= k_t' K^-1 k_t,   k_t = P root_t.
//
// The weights of components follow the predictive density of what is added and taken away, tempered as the evidence is
// (see leaveOneOut). For a posterior of one Gaussian this is exact. A component is the average over its amplitudes and
// noise levels, and these are held: a preview differs from a fit as far as they would change.
//
// A Preview keeps all its memory. It serves one goroutine at a time.
type Preview struct {
	q       *Posterior
	parts   []previewPart
	ends    []int // the row after the last of each target
	rows    int   // of all targets, and of the parameters after them
	changed []*PreviewReading
	one     mixture
}

// previewPart is what is known of one component.
type previewPart struct {
	c      *component  // nil: the whole mixture as one Gaussian, where sensors have been added in advance
	weight float64     // of the posterior
	mean   []float64   // of all rows
	square []float64   // variances of all rows
	root   *mat.Dense  // rows x columns
	scaled float64     // weight with the edits
	moved  []float64   // means with the edits
	left   []float64   // variances with the edits
	l      []float64   // rows of L one after the other, K = LDL'
	d      []float64   // diagonal of D
	z      []float64   // L^-1 r
	x      []float64   // work space
	solved [][]float64 // rows of L^-1 k'
}

// PreviewReading is a reading to be added, or taken away. Value and Sigma, its standard deviation, may be changed at any
// time before Apply; Move changes where it is.
type PreviewReading struct {
	Value, Sigma float64
	// Taken says that the posterior holds this reading, and that it is taken away.
	Taken bool

	p        *Preview
	measures system.Functional
	at       *mat.Dense // 1 x variables
	placed   bool
	parts    []previewRow
}

// previewRow is a reading under one component.
type previewRow struct {
	maker *system.RowMaker // nil: see previewPart.c
	h     *mat.Dense       // 1 x weights
	known [1]float64
	p     []float64 // root of its variance
	mean  float64
	cross []float64 // covariances with all rows
}

// MostPreviewed is the largest number of readings that Apply takes.
const MostPreviewed = 64

// leastDefined is how far below 1 the variance of what a reading measures must stay, relative to that of its noise, for
// the reading to be taken away: a component is an average over amplitudes, and too little may be left of it. leastWeight
// is the weight that the components together must have in which it stays below.
const leastDefined, leastWeight = 0.02, 0.5

// Preview prepares previews of the targets: functionals at points, such as system.Field(0) on a grid, or
// system.ParameterValue. Its memory is 8 bytes for each point and weight of all layers. It fails as Covariance does.
func (q *Posterior) Preview(targets ...Query) (*Preview, error) {
	if !q.uncertain() {
		return nil, errCertain
	}
	p := &Preview{q: q}
	for i := range targets {
		if err := q.check(&targets[i].Functional, targets[i].Points); err != nil {
			return nil, err
		}
		p.rows += targets[i].Points.Rows()
		p.ends = append(p.ends, p.rows)
	}
	p.rows += len(q.names)
	if q.after != nil {
		return p, p.together(targets)
	}
	p.parts = make([]previewPart, len(q.components))
	errs := make([]error, len(p.parts))
	mat.Parallel(len(p.parts), func(k int) { errs[k] = p.parts[k].prepare(p, &q.components[k], targets) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return p, p.finite()
}

// together prepares the mixture as one Gaussian.
func (p *Preview) together(targets []Query) error {
	part := newPreviewPart(nil, 1, p.rows, p.q.columns())
	p.parts = []previewPart{part}
	first := 0
	for i := range targets {
		mean, root, err := p.q.roots(targets[i].Functional, targets[i].Points)
		if err != nil {
			return err
		}
		copy(part.mean[first:], mean)
		part.root.Slice(first, p.ends[i], 0, root.Cols()).CopyFrom(root)
		first = p.ends[i]
	}
	if len(p.q.names) > 0 {
		mean, root := p.q.parameterRoots()
		copy(part.mean[first:], mean)
		part.root.Slice(first, p.rows, 0, root.Cols()).CopyFrom(root)
	}
	part.squareUp()
	return p.finite()
}

func newPreviewPart(c *component, weight float64, rows, columns int) previewPart {
	vectors := make([]float64, 4*rows)
	return previewPart{
		c: c, weight: weight, root: mat.NewDense(rows, columns, nil),
		mean: vectors[:rows], square: vectors[rows : 2*rows], moved: vectors[2*rows : 3*rows], left: vectors[3*rows:],
	}
}

// prepare computes the rows of one component.
func (t *previewPart) prepare(p *Preview, c *component, targets []Query) error {
	*t = newPreviewPart(c, c.weight, p.rows, c.rootColumns())
	first := 0
	for i := range targets {
		err := c.each(targets[i].Functional, targets[i].Points, true, func(row int, part *mat.Dense, centre []float64) {
			t.root.Slice(first+row, first+row+len(centre), 0, part.Cols()).CopyFrom(part)
			copy(t.mean[first+row:], centre)
		})
		if err != nil {
			return err
		}
		first = p.ends[i]
	}
	factor := c.parameterRoot(0, len(p.q.names))
	for i := range p.q.names {
		copy(t.root.Row(first+i), factor.Row(i))
		t.mean[first+i] = c.mean[c.basis.ParameterColumn(i)]
	}
	t.squareUp()
	return nil
}

// squareUp sets the variances.
func (t *previewPart) squareUp() {
	for i := range t.square {
		t.square[i] = squares(t.root.Row(i))
	}
	copy(t.moved, t.mean)
	copy(t.left, t.square)
	t.scaled = t.weight
}

// finite refuses targets too far outside.
func (p *Preview) finite() error {
	for k := range p.parts {
		for i, v := range p.parts[k].square {
			if !finite(v) || !finite(p.parts[k].mean[i]) {
				return dataError("preview", "point %d: the numbers overflow there (mean %g, variance %g)", i+1, p.parts[k].mean[i], v)
			}
		}
	}
	return nil
}

// Reading returns a reading of a sensor, which must be moved to its place. It fails with a *ConfigError for sensors that
// measure no linear functional of the fields, and with a *system.ProblemError as Predict does.
func (p *Preview) Reading(measures system.Functional) (*PreviewReading, error) {
	if measures.Nonlinear != nil {
		return nil, &ConfigError{"preview", "what the sensor measures is not linear in the fields; its effect is known only after a solve"}
	}
	r := &PreviewReading{p: p, measures: measures, at: mat.NewDense(1, len(p.q.variables), nil), parts: make([]previewRow, len(p.parts))}
	none := mat.NewDense(0, len(p.q.variables), nil)
	if err := p.q.check(&r.measures, none); err != nil {
		return nil, err
	}
	for k := range p.parts {
		part, row := &p.parts[k], &r.parts[k]
		row.p, row.cross = make([]float64, part.root.Cols()), make([]float64, p.rows)
		if part.c == nil {
			continue
		}
		f := r.measures
		if part.c.coefficients != nil {
			f = f.With(part.c.coefficients)
		}
		row.maker, row.h = part.c.basis.Compile(&f, 1), mat.NewDense(1, part.c.basis.Columns(), nil)
	}
	return r, nil
}

// Move puts a reading at a place: one number for each variable. It fails with a *DataError where the numbers are not
// finite, as for a place far outside.
func (r *PreviewReading) Move(at []float64) error {
	r.placed = false
	if len(at) != r.at.Cols() {
		return dataError("preview", "a place has %d coordinates; the model has %d variables", len(at), r.at.Cols())
	}
	copy(r.at.Row(0), at)
	if err := r.p.q.check(&r.measures, r.at); err != nil {
		return err
	}
	for k := range r.parts {
		part, row := &r.p.parts[k], &r.parts[k]
		if part.c == nil {
			mean, root, err := r.p.q.roots(r.measures, r.at)
			if err != nil {
				return err
			}
			row.mean = mean[0]
			copy(row.p, root.Row(0))
		} else {
			row.maker.To(row.h, row.known[:], r.at)
			h := row.h.Row(0)
			row.mean = mat.Dot(h, part.c.mean) + row.known[0]
			part.c.rowTo(row.p, row.h)
		}
		if !finite(row.mean) || !finite(squares(row.p)) {
			return dataError("preview", "at %v the numbers overflow", at)
		}
		mat.Gemv(mat.NoTrans, 1, part.root, row.p, 0, row.cross)
	}
	r.placed = true
	return nil
}

// Predicted returns mean and standard deviation of what the sensor measures at its place, without noise, before any
// reading is added or taken away.
func (r *PreviewReading) Predicted() (mean, sd float64) {
	m := r.p.mixed()
	for k := range r.parts {
		m[k] = gaussian{r.p.parts[k].weight, r.parts[k].mean, mat.Nrm2(r.parts[k].p)}
	}
	return m.moments()
}

// Then returns mean and standard deviation of what the sensor measures at its place, without noise, with the readings of
// the last Apply. The reading need not be one of these.
func (r *PreviewReading) Then() (mean, sd float64) {
	m := r.p.mixed()
	for k := range r.parts {
		t, row := &r.p.parts[k], &r.parts[k]
		if !(t.scaled > 0) {
			m[k] = gaussian{}
			continue
		}
		centre, variance := row.mean, squares(row.p)
		for i, e := range r.p.changed {
			v := mat.Dot(row.p, e.parts[k].p)
			for j, l := range t.lower(i) {
				v = mat.FMA(-l, t.x[j], v)
			}
			t.x[i] = v
			variance = mat.FMA(-v, v/t.d[i], variance)
			centre = mat.FMA(v, t.z[i]/t.d[i], centre)
		}
		m[k] = gaussian{t.scaled, centre, math.Sqrt(math.Max(variance, 0))}
	}
	return m.moments()
}

// mixed lends a mixture of as many components as there are.
func (p *Preview) mixed() mixture {
	if p.one == nil {
		p.one = make(mixture, len(p.parts))
	}
	return p.one
}

// Apply says which readings are added and taken away; those of an earlier call no longer are. It fails with a
// *ConfigError for more than MostPreviewed readings, and with a *DataError for a value that is not finite, a sigma that
// is not positive, a reading without a place, and one that cannot be taken away, because the posterior is as uncertain
// there as the reading itself. After an error no reading is added or taken away.
func (p *Preview) Apply(readings ...*PreviewReading) error {
	p.changed = p.changed[:0]
	err := p.choose(readings)
	if err == nil {
		err = p.solve()
	}
	if err != nil {
		p.changed = p.changed[:0]
		for k := range p.parts {
			t := &p.parts[k]
			t.scaled = t.weight
			copy(t.moved, t.mean)
			copy(t.left, t.square)
		}
	}
	return err
}

// choose checks readings and takes first those that are added: they lower the variances that must be below those of what
// is taken away.
func (p *Preview) choose(readings []*PreviewReading) error {
	if len(readings) > MostPreviewed {
		return &ConfigError{"preview", fmt.Sprintf("%d readings have changed; at most %d are possible without a solve", len(readings), MostPreviewed)}
	}
	for i, r := range readings {
		switch {
		case r.p != p:
			return &ConfigError{"preview", fmt.Sprintf("reading %d is of another preview", i+1)}
		case !r.placed:
			return dataError("preview", "reading %d has no place", i+1)
		case !finite(r.Value) || !(r.Sigma > 0) || !finite(r.Sigma*r.Sigma) || r.Sigma*r.Sigma == 0:
			return dataError("preview", "reading %d: the value is %g and sigma %g", i+1, r.Value, r.Sigma)
		}
	}
	for _, taken := range []bool{false, true} {
		for _, r := range readings {
			if r.Taken == taken {
				p.changed = append(p.changed, r)
			}
		}
	}
	return nil
}

// solve conditions all components on the readings that have changed.
func (p *Preview) solve() error {
	top, defined := math.Inf(-1), 0.0
	for k := range p.parts {
		t := &p.parts[k]
		log, ok := t.factorise(p.changed, k)
		if !ok {
			t.scaled = math.Inf(-1)
			continue
		}
		defined += t.weight
		t.scaled = mat.Log(t.weight) + log/temper
		top = math.Max(top, t.scaled)
	}
	if !(defined >= leastWeight) || !finite(top) {
		return dataError("preview", "a reading cannot be taken away without a solve: what it measures is as uncertain as the reading itself")
	}
	total := 0.0
	for k := range p.parts {
		t := &p.parts[k]
		t.scaled = mat.Exp(t.scaled - top)
		total += t.scaled
	}
	for k := range p.parts {
		t := &p.parts[k]
		if t.scaled /= total; t.scaled > 0 {
			t.condition(p.changed, k)
		}
	}
	return nil
}

// factorise sets K = LDL' and z = L^-1 r, and returns the log of the predictive density of what is added over that of
// what is taken away. It returns false where that is not defined.
func (t *previewPart) factorise(readings []*PreviewReading, part int) (log float64, ok bool) {
	m := len(readings)
	for len(t.d) < m {
		t.l = append(t.l, make([]float64, len(t.d))...)
		t.d, t.x, t.z = append(t.d, 0), append(t.x, 0), append(t.z, 0)
		t.solved = append(t.solved, make([]float64, len(t.mean)))
	}
	for i, r := range readings {
		l, own := t.lower(i), &r.parts[part]
		noise := float64(r.Sigma * r.Sigma)
		d, z := squares(own.p)+noise, r.Value-own.mean
		if r.Taken {
			d = squares(own.p) - noise
		}
		for j := range l {
			v := mat.Dot(own.p, readings[j].parts[part].p)
			for n, u := range l[:j] {
				v = mat.FMA(-u, t.lower(j)[n], v)
			}
			l[j] = v // times d_j until the row is complete
		}
		for j, u := range l {
			l[j] = u / t.d[j]
			d = mat.FMA(-u, l[j], d)
			z = mat.FMA(-l[j], t.z[j], z)
		}
		if r.Taken && !(d < -leastDefined*noise) || !r.Taken && !(d > 0) || !finite(d) || !finite(z) {
			return 0, false
		}
		t.d[i], t.z[i] = d, z
		log -= float64(0.5 * (mat.Log(math.Abs(d)/noise) + float64(z*z)/d))
	}
	return log, finite(log)
}

// lower returns row i of L, without its diagonal.
func (t *previewPart) lower(i int) []float64 {
	first := i * (i - 1) / 2
	return t.l[first : first+i]
}

// condition sets means and variances of all rows.
func (t *previewPart) condition(readings []*PreviewReading, part int) {
	copy(t.moved, t.mean)
	copy(t.left, t.square)
	for i, r := range readings {
		y := t.solved[i]
		copy(y, r.parts[part].cross)
		for j, l := range t.lower(i) {
			mat.Axpy(-l, t.solved[j], y)
		}
		mat.Axpy(t.z[i]/t.d[i], y, t.moved)
		share := -1 / t.d[i]
		for n, v := range y {
			t.left[n] = mat.FMA(float64(v*share), v, t.left[n])
		}
	}
}

// EstimateTo sets mean[i] and sd[i] to those of point i of a target, in the order of Posterior.Preview, with the readings
// of the last Apply. It panics with mat.Error where the lengths are not the number of its points.
func (p *Preview) EstimateTo(mean, sd []float64, target int) {
	first := 0
	if target > 0 {
		first = p.ends[target-1]
	}
	if n := p.ends[target] - first; len(mean) != n || len(sd) != n {
		panic(mat.Error("posterior: EstimateTo: mean and sd must have one element for each point of the target"))
	}
	if len(p.parts) == 1 {
		t := &p.parts[0]
		copy(mean, t.moved[first:])
		for i := range sd {
			sd[i] = math.Sqrt(math.Max(t.left[first+i], 0))
		}
		return
	}
	clear(mean)
	clear(sd)
	for k := range p.parts {
		if t := &p.parts[k]; t.scaled > 0 {
			mat.Axpy(t.scaled, t.moved[first:first+len(mean)], mean)
		}
	}
	for k := range p.parts {
		t := &p.parts[k]
		for i := range sd {
			if t.scaled > 0 {
				d := t.moved[first+i] - mean[i]
				sd[i] = mat.FMA(t.scaled, mat.FMA(d, d, math.Max(t.left[first+i], 0)), sd[i])
			}
		}
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(v)
	}
}

// Parameters returns the unknown parameters, as Posterior.Parameters does, with the readings of the last Apply.
func (p *Preview) Parameters() []ParameterEstimate {
	estimates := make([]ParameterEstimate, len(p.q.names))
	for i := range estimates {
		m := make(mixture, 0, len(p.parts))
		row := p.rows - len(estimates) + i
		for k := range p.parts {
			if t := &p.parts[k]; t.scaled > 0 {
				m = append(m, gaussian{t.scaled, t.moved[row], math.Sqrt(math.Max(t.left[row], 0))})
			}
		}
		estimates[i] = p.q.estimate(i, m)
	}
	return estimates
}

// ReadingSigmas returns the standard deviation of the noise of every reading of the problem, by groups, as the posterior
// took it: stated or learned, and for Student's noise over the root of its weight. The posterior must be that of the
// problem, as for Examine; one that was loaded has no weights. It fails with a *DataError otherwise.
func (q *Posterior) ReadingSigmas(p *system.Problem) ([][]float64, error) {
	if len(q.summary.Noise) < len(p.Sensors) {
		known := 0
		for i := range p.Sensors {
			known += min(len(p.Sensors[i].Values), 1)
		}
		if known != len(q.summary.Noise) {
			return nil, dataError("sensors", "the posterior is of %d groups of readings, the problem has %d", len(q.summary.Noise), known)
		}
	}
	all, group := make([][]float64, len(p.Sensors)), 0
	for i := range p.Sensors {
		s := &p.Sensors[i]
		if all[i] = make([]float64, len(s.Values)); len(s.Values) == 0 {
			continue
		}
		for k := range all[i] {
			sigma := q.summary.Noise[group].Sigma
			if len(s.Sigma) > 0 {
				sigma = s.Sigma[min(k, len(s.Sigma)-1)]
			}
			if q.weights != nil && q.weights[i] != nil {
				sigma /= math.Sqrt(q.weights[i][k])
			}
			all[i][k] = sigma
		}
		group++
	}
	return all, nil
}
