package posterior

import (
	"math"
	"math/rand/v2"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// ParameterEstimate is the posterior of one unknown parameter: mean, standard deviation, median and
// central 95 % interval. All but the mean are NaN for PseudoInverse.
type ParameterEstimate struct {
	Name                     string
	Mean, SD                 float64
	Median, Lower95, Upper95 float64
}

// Parameters returns the posterior of each unknown parameter, in the problem's order.
func (q *Posterior) Parameters() []ParameterEstimate {
	e := make([]ParameterEstimate, len(q.names))
	for i := range e {
		e[i] = q.estimate(i, q.parameter(i))
	}
	return e
}

// estimate describes parameter i, of which m is the marginal; that of a coefficient is of its standard normal number.
func (q *Posterior) estimate(i int, m mixture) ParameterEstimate {
	e := ParameterEstimate{Name: q.names[i], Median: math.NaN(), Lower95: math.NaN(), Upper95: math.NaN()}
	e.Mean, e.SD = m.moments()
	if q.uncertain() {
		e.Lower95, e.Median, e.Upper95 = m.quantile(0.025), m.quantile(0.5), m.quantile(0.975)
	}
	if c := q.coefficient(i); c != nil {
		e.Mean, e.SD = m.momentsOf(c.Value)
		e.Lower95, e.Median, e.Upper95 = c.Value(e.Lower95), c.Value(e.Median), c.Value(e.Upper95)
	}
	return e
}

// coefficient returns the coefficient that parameter i is; nil where it is none.
func (q *Posterior) coefficient(i int) *system.Coefficient {
	if i -= len(q.names) - len(q.coefficients); i >= 0 {
		return &q.coefficients[i]
	}
	return nil
}

// ParameterBelow returns the probability that unknown parameter i, in the order of Parameters, is
// below x; NaN for PseudoInverse.
func (q *Posterior) ParameterBelow(i int, x float64) float64 {
	if !q.uncertain() {
		return math.NaN()
	}
	if c := q.coefficient(i); c != nil {
		x = c.Number(x)
	}
	return q.parameter(i).below(x)
}

// ParameterDensity returns the density of unknown parameter i, in the order of Parameters, at x; NaN
// for PseudoInverse.
func (q *Posterior) ParameterDensity(i int, x float64) float64 {
	if !q.uncertain() {
		return math.NaN()
	}
	c := q.coefficient(i)
	if c == nil {
		return q.parameter(i).density(x)
	}
	z := c.Number(x)
	if prior := (mixture{{1, 0, 1}}).density(z); prior > 0 {
		return q.parameter(i).density(z) * (c.Density(x) / prior)
	}
	return 0
}

// SampleParameters draws count joint samples of all unknown parameters, count x len(Parameters()).
// The same seed gives the same samples on every machine. It returns nil for PseudoInverse.
func (q *Posterior) SampleParameters(count int, seed uint64) *mat.Dense {
	if !q.uncertain() {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, 0x706172616d))
	samples := mat.NewDense(count, len(q.names), nil)
	mean, root := []float64(nil), (*mat.Dense)(nil)
	if q.after != nil {
		mean, root = q.parameterRoots()
	}
	var normal []float64
	for i := range count {
		if q.after == nil {
			c := &q.components[q.pick(random)]
			first, n := c.basis.ParameterColumn(0), len(q.names)
			mean, root = c.mean[first:], c.parameterRoot(0, n)
		}
		normal = resized(normal, root.Cols())
		fillNormal(random, normal)
		copy(samples.Row(i), mean[:len(q.names)])
		mat.Gemv(mat.NoTrans, 1, root, normal, 1, samples.Row(i))
		for k := range q.names {
			if c := q.coefficient(k); c != nil {
				samples.Set(i, k, c.Value(samples.At(i, k)))
			}
		}
	}
	return samples
}

// parameter returns the marginal of an unknown parameter.
func (q *Posterior) parameter(i int) mixture {
	if q.after != nil {
		mean, root := q.parameterRoots()
		return mixture{{1, mean[i], mat.Nrm2(root.Row(i))}}
	}
	m := make(mixture, len(q.components))
	for k := range q.components {
		c := &q.components[k]
		j := c.basis.ParameterColumn(i)
		m[k] = gaussian{c.weight, c.mean[j], math.NaN()}
		if c.uncertain() {
			m[k].sd = mat.Nrm2(c.parameterRoot(i, 1).Row(0))
		}
	}
	return m
}

// parameterRoots is roots for the parameters.
func (q *Posterior) parameterRoots() (mean []float64, root *mat.Dense) {
	m, count, first := len(q.names), len(q.components), 0
	mean, root = make([]float64, m), mat.NewDense(m, q.columns(), nil)
	for k := range q.components {
		c := &q.components[k]
		share, f := math.Sqrt(c.weight), c.parameterRoot(0, m)
		for i := range m {
			j := c.basis.ParameterColumn(i)
			mean[i] += float64(c.weight * c.mean[j])
			mat.Axpy(share, f.Row(i), root.Row(i)[first:first+f.Cols()])
		}
		first += f.Cols()
	}
	for k := range q.components {
		c := &q.components[k]
		for i := 0; i < m && count > 1; i++ {
			root.Set(i, first+k, math.Sqrt(c.weight)*(c.mean[c.basis.ParameterColumn(i)]-mean[i]))
		}
	}
	for _, u := range q.after {
		u.Condition(root)
	}
	return mean, root
}

// ParameterCorrelation returns the correlation matrix of the parameters; nil for PseudoInverse. A
// coefficient enters as the standard normal number that it is a function of, see
// system.Coefficient.Value.
func (q *Posterior) ParameterCorrelation() *mat.Sym {
	if !q.uncertain() {
		return nil
	}
	m := len(q.names)
	c := mat.NewSym(m, nil)
	_, root := q.parameterRoots()
	mat.Syrk(mat.NoTrans, 1, root, 0, c)
	for i := range m {
		for j := range i {
			c.Set(i, j, c.At(i, j)/math.Sqrt(float64(c.At(i, i)*c.At(j, j))))
		}
	}
	for i := range m {
		c.Set(i, i, 1)
	}
	return c
}
