package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Readings with Student's noise are Gaussian given a weight each,
//
//	y ~ N( h w, s^2 / l ),   l ~ Gamma(nu/2, nu/2),
//
// and the weights are found by variational Bayes: given the posterior of the solution
//
//	E[l] = (nu + 1) / (nu + E[(y - h w)^2] / s^2),
//
// given the weights the solution is as with Gaussian noise [Tipping & Lawrence,
// Variational inference for Student-t models, Neurocomputing 69, 2005]. The degrees of
// freedom nu are those of a short list under which the expected residuals are most probable.

// studentFreedoms are the degrees of freedom that are tried, with the logarithm of the
// density of Student's distribution at 0.
var studentFreedoms = []struct{ nu, logPeak float64 }{
	{1, -1.1447298858494},
	{2, -1.039720770839918},
	{3, -1.00088884962351},
	{4, -0.9808292530117257},
	{6, -0.9604182557515988},
	{10, -0.9438973521509513},
	{20, -0.9314333403793995},
	{50, -0.9239382000311482},
}

const (
	// weightRounds bounds the rounds in which weights and a single layer are settled,
	// weightsSettled is the change of the largest mover that ends them.
	weightRounds   = 12
	weightsSettled = 0.05
)

// robust tells whether some readings have Student's noise.
func (f *frame) robust() bool {
	return slices.ContainsFunc(f.problem.Sensors, func(s system.Sensors) bool { return s.Student })
}

// sensors returns the problem's, with the noise of those that have Student's learned as
// long as no reading has a weight: outliers would otherwise decide everything.
func (f *frame) sensors() []system.Sensors {
	if f.weights != nil || !f.robust() {
		return f.problem.Sensors
	}
	list := slices.Clone(f.problem.Sensors)
	for i := range list {
		if list[i].Student {
			list[i].Sigma = nil
		}
	}
	return list
}

// reweigh gives readings the weights that a posterior suggests, and returns by how much
// the one that changed most did.
func (f *frame) reweigh(q *Posterior) (change float64, err error) {
	weights := make([][]float64, len(f.problem.Sensors))
	group := 0
	for i := range f.problem.Sensors {
		s := &f.problem.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		noise := q.summary.Noise[group].Sigma
		group++
		weights[i] = slices.Repeat([]float64{1}, len(s.Values))
		if !s.Student {
			continue
		}
		mean, sd, err := q.Predict(s.Measures, s.Points)
		if err != nil {
			return 0, err
		}
		ratio := make([]float64, len(mean)) // E (y - h w)^2 / s^2
		for k, m := range mean {
			sigma := noise
			if len(s.Sigma) > 0 {
				sigma = s.Sigma[min(k, len(s.Sigma)-1)]
			}
			d := s.Values[k] - m
			ratio[k] = (float64(d*d) + float64(sd[k]*sd[k])) / float64(sigma*sigma)
		}
		before := slices.Repeat([]float64{1}, len(mean))
		if f.weights != nil {
			before = f.weights[i]
		}
		weights[i] = studentWeights(ratio, s.Freedom)
		for k, w := range weights[i] {
			change = math.Max(change, math.Abs(w-before[k])/math.Max(w, before[k]))
		}
	}
	f.weights = weights
	return change, nil
}

// studentWeights returns E[l] for mean squared standardised residuals; a freedom of 0 is to be
// learned.
func studentWeights(ratio []float64, freedom float64) []float64 {
	weigh := func(nu float64) []float64 {
		w := make([]float64, len(ratio))
		for k, r := range ratio {
			w[k] = (nu + 1) / (nu + r)
		}
		return w
	}
	if freedom > 0 {
		return weigh(freedom)
	}
	best, bound := studentFreedoms[0].nu, math.Inf(-1)
	for _, f := range studentFreedoms {
		b := float64(len(ratio)) * f.logPeak
		for _, r := range ratio {
			b -= float64(float64(0.5*(f.nu+1)) * mat.Log(1+r/f.nu))
		}
		if b > bound {
			best, bound = f.nu, b
		}
	}
	return weigh(best)
}

// settleWeights alternates between the weights of readings and the best layer of a
// search, and returns the posterior of that layer.
func (s *search) settleWeights(q *Posterior) (*Posterior, error) {
	if !s.robust() {
		return q, nil
	}
	for range weightRounds {
		change, err := s.reweigh(q)
		if err != nil {
			return nil, err
		}
		s.forget()
		if q, err = s.posterior(1); err != nil {
			return nil, err
		}
		if change < weightsSettled {
			break
		}
	}
	return q, nil
}
