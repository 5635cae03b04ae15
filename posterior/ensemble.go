package posterior

import (
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A draw of the layer is one of many equally good ones before the readings come. So
// Fit chooses hyper-parameters with one draw, compiles some more with the same
// scales, and averages, each draw weighted by its tempered evidence (Bayesian model
// averaging; Hoeting, Madigan, Raftery & Volinsky, 1999): the posterior is
// the Gaussian with the mean and covariance of the mixture. What one draw happens
// to do between the sensors averages out, and what draws disagree about is counted
// as uncertainty.

const (
	// maxEnsemble bounds the number of draws.
	maxEnsemble = 100
	// negligibleWeight is below which a draw is left out.
	negligibleWeight = 1e-3
	// temper divides log evidences: part of what a finite draw gains over another is
	// luck with these readings. Over 60 seeds of the paper's advection, 3 lowers the
	// error by 4 % against 1, and coverage gains.
	temper = 3
)

// memberSeed is the seed of the k-th draw; the 0-th has the given one.
func memberSeed(seed uint64, k int) uint64 { return seed + uint64(k)*0x9e3779b97f4a7c15 }

// ensemble conditions the winner of the search and further draws like it, and
// averages them.
func (s *search) ensemble() (*Posterior, error) {
	draws := make([]*candidate, max(s.config.Ensemble, 1))
	draws[0] = s.best
	for k := 1; k < len(draws); k++ {
		draws[k] = &candidate{store: s.borrow()}
	}
	tolerance := s.best.choice.tolerance // which suits the others, too, but for a step
	mat.Parallel(len(draws), func(k int) {
		if k > 0 {
			config := s.config
			config.Seed = memberSeed(config.Seed, k)
			draws[k] = tryScale(s.problem, config, s.best.scale, tolerance, draws[k].store)
		}
		if d := draws[k]; d.err == nil {
			d.choice = d.physics.refine(d.choice, d.readings)
		}
	})
	further := slices.Clone(draws[1:])
	for _, d := range further {
		s.assemble += d.assemble / time.Duration(min(runtime.GOMAXPROCS(0), len(draws)))
	}
	draws = slices.DeleteFunc(draws, func(d *candidate) bool { return d.err != nil })
	members, weights := evidenceWeights(draws)
	posteriors, errs := make([]*Posterior, len(members)), make([]error, len(members))
	mat.Parallel(len(members), func(k int) {
		m := members[k]
		posteriors[k], errs[k] = m.physics.condition(m.choice, m.readings)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	q, err := average(posteriors, weights)
	if err != nil {
		return nil, err
	}
	members[0].physics.warn(q, q.summary.Amplitude)
	for _, d := range further {
		s.dismiss(d)
	}
	return q, nil
}

// evidenceWeights returns the draws that count and their weights, which sum to 1.
func evidenceWeights(draws []*candidate) (members []*candidate, weights []float64) {
	top := math.Inf(-1)
	for _, d := range draws {
		top = math.Max(top, d.choice.score)
	}
	sum := 0.0
	for _, d := range draws {
		if w := mat.Exp((d.choice.score - top) / temper); w >= negligibleWeight {
			members, weights = append(members, d), append(weights, w)
			sum += w
		}
	}
	for k := range weights {
		weights[k] /= sum
	}
	return members, weights
}

// rectangle is a part of a matrix: rows r0 to r1-1, columns c0 to c1-1.
type rectangle struct{ r0, r1, c0, c1 int }

// ensembleParts lists what of the covariance factor of an ensemble is not zero. Its
// rows are the weights of the joined layer, field by field and in each field member
// by member, and the parameters; its columns are those of each member, and one for
// each member's distance from the mean.
func ensembleParts(members, neurons, fields, parameters int) []rectangle {
	n := neurons*fields + parameters
	weights := members * neurons * fields
	var parts []rectangle
	for k := range members {
		for f := range fields {
			first := (f*members + k) * neurons
			parts = append(parts, rectangle{first, first + neurons, k * n, (k + 1) * n})
		}
	}
	parts = append(parts, rectangle{0, weights, members * n, members * (n + 1)})
	if parameters > 0 {
		parts = append(parts, rectangle{weights, weights + parameters, 0, members * (n + 1)})
	}
	return parts
}

// average returns the posterior with the mean and covariance of the mixture
//
//	mean  sum p_k m_k,   covariance  sum p_k (F_k F_k' + (m_k - mean)(m_k - mean)')
//
// of posteriors with weights p_k.
func average(members []*Posterior, weights []float64) (*Posterior, error) {
	first, count := members[0], len(members)
	if count == 1 {
		return first, nil
	}
	layers := make([]*feature.Layer, count)
	for k, m := range members {
		layers[k] = m.basis.Layer
	}
	joined, err := feature.Join(layers...)
	if err != nil {
		return nil, err
	}
	neurons, fields, parameters := first.basis.Layer.Neurons(), first.basis.Fields, first.basis.Parameters
	n := len(first.mean)
	q := &Posterior{
		basis:     system.Basis{Layer: joined, Fields: fields, Parameters: parameters},
		variables: first.variables, fields: first.fields, names: first.names,
		parts: ensembleParts(count, neurons, fields, parameters),
	}
	q.mean = make([]float64, q.basis.Columns())
	q.factor = mat.NewDense(len(q.mean), count*(n+1), nil)
	for k, m := range members {
		share, root := weights[k], math.Sqrt(weights[k])
		for j, v := range m.mean {
			row := q.memberRow(j, k, count, neurons)
			q.mean[row] += float64(share * v)
			q.factor.Set(row, count*n+k, root*v)
			to := q.factor.Row(row)[k*n : (k+1)*n]
			copy(to, m.factor.Row(j))
			scaleVector(root, to)
		}
	}
	for i, v := range q.mean { // the distances from the mean
		for k := range count {
			at := count*n + k
			q.factor.Set(i, at, q.factor.At(i, at)-float64(math.Sqrt(weights[k])*v))
		}
	}
	q.summary = averageSummary(members, weights)
	return q, nil
}

// memberRow is the row in the ensemble of weight j of member k.
func (q *Posterior) memberRow(j, k, members, neurons int) int {
	if field := j / neurons; field < q.basis.Fields {
		return (field*members+k)*neurons + j%neurons
	}
	return q.basis.ParameterColumn(j - neurons*q.basis.Fields)
}

// averageSummary is the first member's with the means of what members differ in:
// of the logarithms of noise, amplitude and tolerance.
func averageSummary(members []*Posterior, weights []float64) Summary {
	s := members[0].Summary()
	s.Ensemble, s.Warnings = len(members), nil
	mean := func(of func(*Summary) float64) float64 {
		total := 0.0
		for k, m := range members {
			total += float64(weights[k] * of(&m.summary))
		}
		return total
	}
	s.Evidence = mean(func(m *Summary) float64 { return m.Evidence })
	s.EffectiveParameters = mean(func(m *Summary) float64 { return m.EffectiveParameters })
	s.Amplitude = mat.Exp(mean(func(m *Summary) float64 { return mat.Log(m.Amplitude) }))
	s.Tolerance = mat.Exp(mean(func(m *Summary) float64 { return mat.Log(m.Tolerance) }))
	for i := range s.Noise {
		if s.Noise[i].Learned {
			s.Noise[i].Sigma = mat.Exp(mean(func(m *Summary) float64 { return mat.Log(m.Noise[i].Sigma) }))
		}
	}
	return s
}
