package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
)

// EstimateTo sets mean and sd, one element for each point of the queries in their order, to the
// posterior mean and latent standard deviation. A standard deviation below 1e-7 of its value without
// readings is lost in rounding. EstimateTo panics with mat.Error when the lengths are wrong.
func (s *Stream) EstimateTo(mean, sd []float64) {
	s.estimateTo(len(s.prior.q.names), len(s.centre), mean, sd)
}

// ParametersTo does the same for the unknown parameters.
func (s *Stream) ParametersTo(mean, sd []float64) {
	s.estimateTo(0, len(s.prior.q.names), mean, sd)
}

// Parameters is ParametersTo with the parameters' names.
func (s *Stream) Parameters() []ParameterEstimate {
	names := s.prior.q.names
	mean, sd, e := make([]float64, len(names)), make([]float64, len(names)), make([]ParameterEstimate, len(names))
	s.ParametersTo(mean, sd)
	for i, name := range names {
		e[i] = ParameterEstimate{Name: name, Mean: mean[i], SD: sd[i]}
	}
	return e
}

func (s *Stream) estimateTo(first, last int, mean, sd []float64) {
	if len(mean) != last-first || len(sd) != last-first {
		panic(mat.Error(fmt.Sprintf("posterior: a stream's estimates need mean and sd of length %d", last-first)))
	}
	s.kept.EstimateTo(mean, sd, first)
	for i, m := range s.centre[first:last] {
		mean[i] += m
	}
}

// Posterior returns the posterior given the readings that are kept, conditioned from scratch: for
// predictions elsewhere, samples, or a file.
func (s *Stream) Posterior() *Posterior {
	q := *s.prior.q
	k := s.Len()
	q.summary.Rows += k
	q.summary.Readings = k
	q.summary.Evidence = math.NaN()
	if k == 0 {
		return &q
	}
	c := *s.prior.weights()
	n := len(c.mean)
	bt, r := mat.NewDense(n, k, nil), make([]float64, k)
	for i := range k {
		o := s.kept.At(i)
		weight := 1 / math.Sqrt(o.Variance)
		for j, v := range o.Row {
			bt.Set(j, i, weight*v)
		}
		r[i] = weight * o.Residual
	}
	u := gauss.NewUpdate(bt, r)
	c.mean = append([]float64(nil), c.mean...)
	mat.Gemv(mat.NoTrans, 1, c.factor, u.Mean(), 1, c.mean)
	c.factor = c.factor.Clone()
	u.Condition(c.factor)
	q.components = []component{c}
	return &q
}
