package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
	"github.com/bpielm/bpielm/system"
)

// Method is a way to fit.
type Method string

const (
	// BPIELM is the default: physics first, then sensors.
	BPIELM Method = "bpielm"
	// Published is the paper's method: one noise level for all rows, and MacKay's fixed point.
	Published Method = "paper"
	// PseudoInverse is the paper's PIELM: minimum-norm least squares, without uncertainty.
	PseudoInverse Method = "pielm"
)

// Posterior is a mixture of Gaussians over weights. Each component has its own layer; its weights
// are those of the neurons for each field, and the unknown parameters. A Posterior is immutable and
// safe for concurrent use.
type Posterior struct {
	variables []system.Variable
	fields    []string
	over      [][]bool // which variables each field depends on, see system.Problem
	names     []string // of parameters, then of coefficients
	// coefficients are the last parameters of the components. Each is stored as the standard normal
	// number that it is a function of, which keeps it within its bounds.
	coefficients []system.Coefficient
	components   []component
	after        []*gauss.Update // further sensors, see WithSensors
	summary      Summary
	weights      [][]float64              // of readings with Student's noise, see outliers.go; nil: none
	tried        []*tried                 // every layer of the last search, with its doubts
	octaves      []float64                // mean log2 of scale over its median, of each variable; nil: given
	larger       func() (movement, error) // compares with more neurons
	nearby       *nearby                  // compares similar problems, see nearby.go
	only         *Posterior               // about the most probable of several solutions; nil: there is one
	large        *large                   // groups of readings, of which the search saw only some; nil: none
	nonlinear    *linearisation           // where the problem was linearised; nil: it is linear
	at           *conditional             // where coefficients are most probable; nil: none are unknown
	note         string                   // see Note
	halt         *halt                    // see ExamineContext; nil: nothing stops a verdict
	wide         []float64                // see WidePriors; nil: not known
}

// component is one Gaussian of the mixture.
type component struct {
	weight float64
	basis  system.Basis
	mean   []float64
	factor *mat.Dense        // F, one row for each weight, of the covariance FF'; nil for PseudoInverse and where late is set
	late   func() *mat.Dense // computes the factor on demand

	blocks *blockRoot // of a layer with patches, instead of factor and late; nil: it has none

	residuals *residuals // of the readings; nil: not known
	room      []float64  // of each parameter, see decomposition.room; nil: not known
	filled    []float64  // posterior sd of each parameter over its room
	beyond    []float64  // which share of its terms the layer cannot produce, see limits.go; nil: not known

	coefficients []float64      // values of the coefficients; nil: none are unknown
	site         *site          // of its layer; nil: not from a search
	layer        feature.Config // of a site
	slack        float64        // root mean square of that of equations without a tolerance, relative
}

// root returns the covariance factor, nil for PseudoInverse.
func (c *component) root() *mat.Dense {
	if c.late != nil {
		return c.late()
	}
	return c.factor
}

func newPosterior(p *system.Problem, components []component, s Summary) *Posterior {
	q := &Posterior{variables: append([]system.Variable(nil), p.Variables...), fields: append([]string(nil), p.Fields...), over: p.Over, components: components, summary: s}
	for _, v := range p.Parameters {
		q.names = append(q.names, v.Name)
	}
	return q
}

// Variables returns the independent variables with their ranges.
func (q *Posterior) Variables() []system.Variable {
	return append([]system.Variable(nil), q.variables...)
}

// Fields returns the names of the fields.
func (q *Posterior) Fields() []string { return append([]string(nil), q.fields...) }

// Problem returns what the posterior knows of its problem: variables, fields, and the names of parameters and
// coefficients, without equations, sensors, domain and priors of parameters. Functionals of it can be predicted.
func (q *Posterior) Problem() *system.Problem {
	p := &system.Problem{Variables: q.Variables(), Fields: q.Fields(), Over: q.over, Coefficients: slices.Clone(q.coefficients)}
	for _, name := range q.names[:len(q.names)-len(q.coefficients)] {
		p.Parameters = append(p.Parameters, system.Parameter{Name: name})
	}
	return p
}

// Note returns the text that WithNote has added, "" if none.
func (q *Posterior) Note() string { return q.note }

// WithNote returns the same posterior with a text, which Save stores in the model file. This package does not interpret
// it; the program keeps there what a problem file defines. A file holds at most 1 MiB of it, less the names of the model.
func (q *Posterior) WithNote(text string) *Posterior {
	p := *q
	p.note = text
	return &p
}

// uncertain tells whether there is a covariance.
func (q *Posterior) uncertain() bool { return q.components[0].uncertain() }

// columns is how many columns the covariance root of the mixture has: those of each component and,
// for more than one, a column each for its distance from the mean.
func (q *Posterior) columns() int {
	n := 0
	for k := range q.components {
		n += q.components[k].rootColumns()
	}
	if len(q.components) > 1 {
		n += len(q.components)
	}
	return n
}

// pick draws a component by weight.
func (q *Posterior) pick(random *rand.Rand) int {
	u, k := 0.0, 0
	if len(q.components) > 1 {
		u = random.Float64()
	}
	for k < len(q.components)-1 && u >= q.components[k].weight {
		u -= q.components[k].weight
		k++
	}
	return k
}

// Predict returns the posterior mean and the latent standard deviation of a functional, such as
// system.Field(0) or system.Derivative(0, 2), at points (n x variables). The latent standard
// deviation is the uncertainty of the functional itself; a reading of a sensor with noise sigma has
// the predictive standard deviation sqrt(sd^2 + sigma^2). For PseudoInverse sd is nil. Points
// outside the box are extrapolated. Predict fails with a *system.ProblemError when the functional
// names a field or parameter that does not exist, and with a *DataError where a coefficient or a
// prediction is not finite.
func (q *Posterior) Predict(f system.Functional, points *mat.Dense) (mean, sd []float64, err error) {
	return q.moments(f, points, q.uncertain())
}

// moments is Predict; the standard deviations are optional.
func (q *Posterior) moments(f system.Functional, points *mat.Dense, deviation bool) (mean, sd []float64, err error) {
	all, err := q.marginals(f, points, deviation)
	if err != nil {
		return nil, nil, err
	}
	mean = make([]float64, points.Rows())
	if deviation {
		sd = make([]float64, points.Rows())
	}
	for i, m := range all {
		var s float64
		mean[i], s = m.moments()
		if deviation {
			sd[i] = s
		}
		if !finite(mean[i]) || deviation && !finite(s) {
			return nil, nil, dataError("prediction", "point %d: the numbers overflow there (mean %g, standard deviation %g)", i+1, mean[i], s)
		}
	}
	return mean, sd, nil
}

// Quantiles returns quantiles of a functional at n points, n x len(probabilities): those of the
// functional itself, without the noise of a reading. Probabilities must lie between 0 and 1, ends
// excluded. It fails as Covariance does.
func (q *Posterior) Quantiles(f system.Functional, points *mat.Dense, probabilities ...float64) (*mat.Dense, error) {
	if !q.uncertain() {
		return nil, errCertain
	}
	for _, p := range probabilities {
		if !(p > 0 && p < 1) {
			return nil, &ConfigError{"probability", fmt.Sprintf("%g is not between 0 and 1", p)}
		}
	}
	all, err := q.marginals(f, points, true)
	if err != nil {
		return nil, err
	}
	values := mat.NewDense(points.Rows(), len(probabilities), nil)
	for i, m := range all {
		for j, p := range probabilities {
			values.Set(i, j, m.quantile(p))
		}
	}
	return values, nil
}

var errCertain = &ConfigError{"method", "pielm has no uncertainty; fit with bpielm or paper"}

// marginals returns the mixture at each point; the standard deviations are optional.
func (q *Posterior) marginals(f system.Functional, points *mat.Dense, deviation bool) ([]mixture, error) {
	if err := q.check(&f, points); err != nil {
		return nil, err
	}
	all := make([]mixture, points.Rows())
	if q.after != nil && deviation {
		mean, root, err := q.roots(f, points)
		if err != nil {
			return nil, err
		}
		for i := range all {
			all[i] = mixture{{1, mean[i], mat.Nrm2(root.Row(i))}}
		}
		return all, nil
	}
	values := make([]gaussian, len(all)*len(q.components))
	for i := range all {
		all[i] = values[i*len(q.components) : (i+1)*len(q.components)]
	}
	errs := make([]error, len(q.components))
	mat.Parallel(len(q.components), func(k int) {
		c := &q.components[k]
		if c.blocks != nil && deviation {
			errs[k] = c.deviationsOfBlocks(f.With(c.coefficients), points, func(row int, mean, sd float64) {
				all[row][k] = gaussian{c.weight, mean, sd}
			})
			return
		}
		errs[k] = c.each(f, points, deviation, func(first int, root *mat.Dense, centre []float64) {
			for i, m := range centre {
				g := gaussian{c.weight, m, math.NaN()}
				if root != nil {
					g.sd = mat.Nrm2(root.Row(i))
				}
				all[first+i][k] = g
			}
		})
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// each streams the rows of a functional: root is H factor (nil without one, or where it is not
// wanted), so that its rows are square roots of covariances; centre the mean.
func (c *component) each(f system.Functional, points *mat.Dense, deviation bool, consume func(first int, root *mat.Dense, centre []float64)) error {
	root, uncertain := mat.NewDense(0, 0, nil), deviation && c.uncertain()
	if c.coefficients != nil {
		f = f.With(c.coefficients)
	}
	if c.blocks != nil {
		return c.eachBlock(f, points, deviation, consume)
	}
	return streamRows(nil, "prediction", c.basis, &f, points, 0, points.Rows(), func(first int, h *mat.Dense, known []float64) {
		mat.Gemv(mat.NoTrans, 1, h, c.mean, 1, known)
		if !uncertain {
			consume(first, nil, known)
			return
		}
		if root.Rows() != len(known) {
			root.Reset(len(known), c.rootColumns())
		}
		c.rootTo(root, h)
		consume(first, root, known)
	})
}

// check refuses a functional or points that do not match the posterior's problem.
func (q *Posterior) check(f *system.Functional, points *mat.Dense) error {
	if points.Cols() != len(q.variables) {
		return dataError("prediction", "points have %d coordinates; the model has %d variables", points.Cols(), len(q.variables))
	}
	for d, v := range q.variables {
		for i := 0; v.Log && i < points.Rows(); i++ {
			if x := points.At(i, d); !(x > 0) {
				return dataError("prediction", "point %d: %s = %g has no logarithm, and the model's axis is logarithmic", i+1, v.Name, x)
			}
		}
	}
	if f.Nonlinear != nil {
		return dataError("prediction", "what is asked for is not linear in the fields; ask for what it is a function of")
	}
	p := system.Problem{Variables: q.variables, Fields: q.fields, Over: q.over, Parameters: make([]system.Parameter, len(q.names)-len(q.coefficients))}
	return p.ValidateFunctional("prediction", f)
}

// Covariance returns the joint latent covariance (n x n) of a functional at n points. It fails as
// Predict does; for PseudoInverse with a *ConfigError.
func (q *Posterior) Covariance(f system.Functional, points *mat.Dense) (*mat.Sym, error) {
	_, root, err := q.roots(f, points)
	if err != nil {
		return nil, err
	}
	c := mat.NewSym(points.Rows(), nil)
	mat.Syrk(mat.NoTrans, 1, root, 0, c)
	return c, nil
}

// roots returns the mean of a functional at n points and a square root of its covariance, n x
// columns. For a mixture these are the roots of all components side by side, times the root of their
// weights, followed by the distance of each component's mean from the overall mean.
func (q *Posterior) roots(f system.Functional, points *mat.Dense) (mean []float64, root *mat.Dense, err error) {
	if !q.uncertain() {
		return nil, nil, errCertain
	}
	if err := q.check(&f, points); err != nil {
		return nil, nil, err
	}
	n := points.Rows()
	mean, root = make([]float64, n), mat.NewDense(n, q.columns(), nil)
	count, first := len(q.components), 0
	means := mat.NewDense(count, n, nil)
	for k := range q.components {
		c := &q.components[k]
		share, columns := math.Sqrt(c.weight), c.rootColumns()
		err = c.each(f, points, true, func(row int, part *mat.Dense, centre []float64) {
			to := root.Slice(row, row+len(centre), first, first+columns)
			to.CopyFrom(part)
			to.Scale(share)
			copy(means.Row(k)[row:], centre)
		})
		if err != nil {
			return nil, nil, err
		}
		mat.Axpy(c.weight, means.Row(k), mean)
		first += columns
	}
	if count > 1 {
		for k := range q.components {
			share := math.Sqrt(q.components[k].weight)
			for i, m := range mean {
				root.Set(i, first+k, share*(means.At(k, i)-m))
			}
		}
	}
	for _, u := range q.after {
		u.Condition(root)
	}
	return mean, root, nil
}
