package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Every reading is compared with the prediction from all others and the physics, under the mixture
// of layers.

// ReadingCheck compares one reading with the prediction from all others and the physics.
type ReadingCheck struct {
	Sensors, Reading int // numbers from 0, in the problem
	Value            float64
	Mean, SD         float64 // posterior of what is measured, this reading included
	Sigma            float64 // noise, stated or learned
	// Without this reading: mean, and standard deviation of a reading, noise included.
	LeftOutMean, LeftOutSD float64
	Standardised           float64 // (Value - LeftOutMean) / LeftOutSD
	Weight                 float64 // 1, or with Student's noise the reading's weight: small for an outlier

	row int // among the readings that are compared: of a large group, only some are
}

// innovations returns those of each component; nil for one that has none.
func (q *Posterior) innovations() ([][]innovation, error) {
	all := make([][]innovation, len(q.components))
	for k := range q.components {
		if e := q.components[k].residuals; e != nil {
			var err error
			if all[k], err = e.innovations(); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// leaveOneOut compares every reading with the prediction from all others. Layers are reweighed by
// how well they predict it.
func (q *Posterior) leaveOneOut(p *system.Problem, all [][]innovation) ([]ReadingCheck, error) {
	var list []ReadingCheck
	group := 0
	for i := range p.Sensors {
		s := &p.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		marginals, err := q.marginals(s.Measures, s.Points, true)
		if err != nil {
			return nil, err
		}
		noise := &q.summary.Noise[group]
		group++
		off2 := 0.0 // mean squared error of the group
		for k, m := range marginals {
			mean, _ := m.moments()
			d := s.Values[k] - mean
			off2 += float64(d*d) / float64(len(marginals))
		}
		for k, m := range marginals {
			c := ReadingCheck{Sensors: i, Reading: k, row: k, Value: s.Values[k], Sigma: noise.Sigma, Weight: 1}
			if len(s.Sigma) > 0 {
				c.Sigma = s.Sigma[min(k, len(s.Sigma)-1)]
			}
			if q.weights != nil && q.weights[i] != nil {
				c.Weight = q.weights[i][k]
			}
			c.Mean, c.SD = m.moments()
			used := c.Sigma / math.Sqrt(c.Weight) // noise in the fit
			row, unit := len(list), used
			if noise.Learned {
				unit = 1 / math.Sqrt(c.Weight)
			}
			left := q.withoutReading(row, c.Value, unit)
			if left == nil {
				left = takenOut(m, all, row, c.Value, unit, used, off2)
			}
			c.LeftOutMean, c.LeftOutSD = left.moments()
			c.Standardised = (c.Value - c.LeftOutMean) / c.LeftOutSD
			list = append(list, c)
		}
	}
	return list, nil
}

// takenOut returns the prediction of a reading by all others, noise included. m is its posterior,
// used its noise in the fit, unit the unit of its row, and off2 the mean squared error of the
// readings of its group.
func takenOut(m mixture, all [][]innovation, row int, value, unit, used, off2 float64) mixture {
	left, logs := make(mixture, 0, len(m)), make([]float64, 0, len(m))
	for at, g := range m {
		if all[at] == nil { // rows are compressed: there are many, and none decides alone
			variance, noise2 := float64(g.sd*g.sd), float64(used*used)
			share := variance / noise2
			total := noise2 / (1 - share)
			if share > 0.9 { // the stated noise is wrong
				noise2 = math.Max(noise2, off2)
				total = noise2 + variance
				share = variance / total
			}
			left = append(left, gaussian{0, value - (value-g.mean)/(1-share), math.Sqrt(total)})
			logs = append(logs, mat.Log(g.weight))
		}
		for n := range all[at] {
			in := &all[at][n]
			variance := 1 / in.v.At(row, row)
			left = append(left, gaussian{0, value - float64(unit*float64(in.alpha[row]*variance)), unit * math.Sqrt(variance)})
			logs = append(logs, mat.Log(g.weight*in.share))
		}
	}
	for n, g := range left { // remove the reading's own contribution to the weight of the layer
		d := (value - g.mean) / g.sd
		logs[n] += (float64(0.5*float64(d*d)) + mat.Log(g.sd)) / temper
	}
	return left.weighed(logs)
}

// weighed sets the weights of a mixture from their logarithms.
func (m mixture) weighed(logs []float64) mixture {
	total := logSumExp(logs)
	for k := range m {
		m[k].weight = mat.Exp(logs[k] - total)
	}
	return m
}

// withoutReading is takenOut over every layer that was tried, with weights as they would be without
// the reading: a gross error may have decided which layers seem good. Nil where these are not
// available.
func (q *Posterior) withoutReading(row int, value, unit float64) mixture {
	var m mixture
	var logs []float64
	for _, t := range q.tried {
		if row >= len(t.doubts.errors) {
			return nil
		}
		e, sd := t.doubts.errors[row], t.doubts.sds[row]
		m = append(m, gaussian{0, value - float64(unit*e), unit * sd})
		logs = append(logs, t.stated()+float64(0.5*float64(e/sd*(e/sd)))+mat.Log(sd))
	}
	if m == nil {
		return nil
	}
	return m.weighed(logs)
}

// compare averages over layers the comparison of a group of readings with all others; nil where none
// is available.
func (q *Posterior) compare(all [][]innovation, first, last int, scale []float64, pairs [][2]int) (*groupCheck, error) {
	var mean groupCheck
	total := 0.0
	for k := range all {
		for n := range all[k] {
			f, err := all[k][n].compare(first, last, scale, pairs)
			if err != nil {
				return nil, err
			}
			w := float64(q.components[k].weight * all[k][n].share)
			total += w
			mean.chi2 += float64(w * f.chi2)
			mean.misfit += float64(w * f.misfit)
			mean.offset += float64(w * f.offset)
			mean.pattern += float64(w * f.pattern)
		}
	}
	if total == 0 {
		return nil, nil
	}
	return &groupCheck{mean.chi2 / total, mean.misfit / total, mean.offset / total, mean.pattern / total}, nil
}
