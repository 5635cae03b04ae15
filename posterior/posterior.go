package posterior

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Method names a way to fit.
type Method string

const (
	// BPIELM is the default: physics first, then sensors.
	BPIELM Method = "bpielm"
	// Published is the paper's method: one noise level for all rows and
	// MacKay's fixed point.
	Published Method = "paper"
	// PseudoInverse is the paper's PIELM: minimum-norm least squares, without
	// uncertainty.
	PseudoInverse Method = "pielm"
)

// Posterior is a Gaussian over the weights: of the neurons for each field, and
// of the unknown parameters. It is immutable and safe for concurrent use.
type Posterior struct {
	basis     system.Basis
	variables []system.Variable
	fields    []string
	names     []string // of parameters
	mean      []float64
	factor    *mat.Dense        // n rows, with covariance factor factor'; nil for PseudoInverse, and where late makes it
	late      func() *mat.Dense // makes it when it is asked for first
	parts     []rectangle       // of factor that are not zero; nil for the whole
	summary   Summary
}

// Summary says how a posterior came about. What a method does not have is NaN.
type Summary struct {
	Method     Method
	Path       Path
	Kernel     string
	Threads    int
	Neurons    int // of each draw
	Activation feature.Activation
	Ensemble   int // draws of the layer that are averaged, those of negligible evidence left out
	Rows       int // of H, readings included
	Columns    int
	Readings   int
	// Scale is the range of the slopes in each variable, Amplitude the prior
	// standard deviation of a neuron's weight, Tolerance the relative tolerance
	// of the physics.
	Scale                []float64
	Amplitude, Tolerance float64
	// Evidence is log p(readings | physics); for Published, log p(all rows).
	Evidence            float64
	EffectiveParameters float64
	Noise               []NoiseEstimate
	// Assemble is the time to make the rows and reduce them, Fit the rest.
	Assemble, Fit time.Duration
	Warnings      []string
}

// NoiseEstimate is the noise of one group of sensors: the root mean square of
// the given standard deviations, or the learned one.
type NoiseEstimate struct {
	Name     string
	Sigma    float64
	Learned  bool
	readings int
}

// RootMeanSquareNoise returns the root mean square noise over all readings;
// NaN where the method has none.
func (s *Summary) RootMeanSquareNoise() float64 {
	total, n := 0.0, 0
	for _, e := range s.Noise {
		total += float64(float64(e.Sigma*e.Sigma) * float64(e.readings))
		n += e.readings
	}
	return math.Sqrt(total / float64(n))
}

// ParameterEstimate is the posterior of one unknown parameter; SD is NaN for
// PseudoInverse.
type ParameterEstimate struct {
	Name     string
	Mean, SD float64
}

func newPosterior(basis system.Basis, p *system.Problem) *Posterior {
	q := &Posterior{basis: basis, variables: append([]system.Variable(nil), p.Variables...), fields: append([]string(nil), p.Fields...), mean: make([]float64, basis.Columns())}
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

// Summary says how the posterior came about.
func (q *Posterior) Summary() Summary {
	s := q.summary
	s.Noise = append([]NoiseEstimate(nil), s.Noise...)
	s.Scale = append([]float64(nil), s.Scale...)
	s.Warnings = append([]string(nil), s.Warnings...)
	return s
}

// root returns the factor of the covariance, nil for PseudoInverse.
func (q *Posterior) root() *mat.Dense {
	if q.late != nil {
		return q.late()
	}
	return q.factor
}

// Parameters returns mean and standard deviation of each unknown parameter, in
// the problem's order.
func (q *Posterior) Parameters() []ParameterEstimate {
	e := make([]ParameterEstimate, q.basis.Parameters)
	for i := range e {
		j := q.basis.ParameterColumn(i)
		e[i] = ParameterEstimate{Name: q.names[i], Mean: q.mean[j], SD: math.NaN()}
		if f := q.root(); f != nil {
			e[i].SD = mat.Nrm2(f.Row(j))
		}
	}
	return e
}

// ParameterCorrelation returns the correlation matrix of the parameters; nil
// for PseudoInverse.
func (q *Posterior) ParameterCorrelation() *mat.Sym {
	f := q.root()
	if f == nil {
		return nil
	}
	m := q.basis.Parameters
	c := mat.NewSym(m, nil)
	for i := range m {
		a := f.Row(q.basis.ParameterColumn(i))
		for j := range i {
			b := f.Row(q.basis.ParameterColumn(j))
			c.Set(i, j, mat.Dot(a, b)/(mat.Nrm2(a)*mat.Nrm2(b)))
		}
		c.Set(i, i, 1)
	}
	return c
}

// Predict returns the posterior mean and the latent standard deviation of a
// functional, such as system.Field(0) or system.Derivative(0, 2), at points
// (n x variables). The latent standard deviation is the uncertainty of the
// functional itself; a reading of a sensor with noise sigma has the predictive
// standard deviation sqrt(sd^2 + sigma^2). For PseudoInverse sd is nil. It
// fails with a *system.ProblemError when the functional names a field or
// parameter that does not exist, and with a *DataError where a coefficient is
// not finite. Points outside the box are extrapolated.
func (q *Posterior) Predict(f system.Functional, points *mat.Dense) (mean, sd []float64, err error) {
	n := points.Rows()
	mean = make([]float64, n)
	if q.root() != nil {
		sd = make([]float64, n)
	}
	err = q.each(f, points, func(first int, root *mat.Dense, centre []float64) {
		copy(mean[first:], centre)
		if root != nil {
			for i := range centre {
				sd[first+i] = mat.Nrm2(root.Row(i))
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return mean, sd, nil
}

// each streams the rows of a functional: root is H factor (nil without one),
// so that its rows are square roots of covariances; centre the mean.
func (q *Posterior) each(f system.Functional, points *mat.Dense, consume func(first int, root *mat.Dense, centre []float64)) error {
	if err := q.check(&f, points); err != nil {
		return err
	}
	root, factor := mat.NewDense(0, 0, nil), q.root()
	return streamRows(nil, "prediction", q.basis, &f, points, 0, points.Rows(), func(first int, h *mat.Dense, known []float64) {
		mat.Gemv(mat.NoTrans, 1, h, q.mean, 1, known)
		if factor == nil {
			consume(first, nil, known)
			return
		}
		root.Reset(len(known), factor.Cols())
		q.rootTo(root, h)
		consume(first, root, known)
	})
}

// rootTo sets root = H factor.
func (q *Posterior) rootTo(root, h *mat.Dense) {
	if q.parts == nil {
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, h, q.root(), 0, root)
		return
	}
	root.Zero()
	rows := h.Rows()
	for _, p := range q.parts {
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, h.Slice(0, rows, p.r0, p.r1), q.root().Slice(p.r0, p.r1, p.c0, p.c1), 1, root.Slice(0, rows, p.c0, p.c1))
	}
}

// check refuses a functional that does not fit the posterior's problem.
func (q *Posterior) check(f *system.Functional, points *mat.Dense) error {
	if points.Cols() != len(q.variables) {
		return dataError("prediction", "points have %d coordinates; the model has %d variables", points.Cols(), len(q.variables))
	}
	p := system.Problem{Variables: q.variables, Fields: q.fields, Parameters: make([]system.Parameter, len(q.names))}
	return p.ValidateFunctional("prediction", f)
}

// Covariance returns the joint latent covariance (n x n) of a functional at n
// points. It fails as Predict does; for PseudoInverse with a *ConfigError.
func (q *Posterior) Covariance(f system.Functional, points *mat.Dense) (*mat.Sym, error) {
	_, root, err := q.roots(f, points)
	if err != nil {
		return nil, err
	}
	c := mat.NewSym(points.Rows(), nil)
	mat.Syrk(mat.NoTrans, 1, root, 0, c)
	return c, nil
}

// Sample draws count joint samples of a functional at n points (count x n).
// The same seed gives the same samples on every machine. It fails as
// Covariance does.
func (q *Posterior) Sample(f system.Functional, points *mat.Dense, count int, seed uint64) (*mat.Dense, error) {
	mean, root, err := q.roots(f, points)
	if err != nil {
		return nil, err
	}
	normal := mat.NewDense(count, root.Cols(), nil)
	random := rand.New(rand.NewPCG(seed, 0x73616d706c65))
	for i := range count {
		fillNormal(random, normal.Row(i))
	}
	samples := mat.NewDense(count, len(mean), nil)
	for i := range count {
		copy(samples.Row(i), mean)
	}
	mat.Gemm(mat.NoTrans, mat.Trans, 1, normal, root, 1, samples)
	return samples, nil
}

func (q *Posterior) roots(f system.Functional, points *mat.Dense) (mean []float64, root *mat.Dense, err error) {
	factor := q.root()
	if factor == nil {
		return nil, nil, &ConfigError{"method", "pielm has no uncertainty; fit with bpielm or paper"}
	}
	mean = make([]float64, points.Rows())
	root = mat.NewDense(points.Rows(), factor.Cols(), nil)
	err = q.each(f, points, func(first int, part *mat.Dense, centre []float64) {
		copy(mean[first:], centre)
		root.Slice(first, first+len(centre), 0, root.Cols()).CopyFrom(part)
	})
	return mean, root, err
}

// fillNormal fills x with independent standard normal numbers by the Box-Muller
// transform in mat's elementary functions, which are the same everywhere.
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
