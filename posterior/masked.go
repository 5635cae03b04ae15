package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A gross error moves the prediction of its neighbours, and they do not seem to fit either. So the
// worst reading is left out for good, the others are compared again, and so on. Leaving rows g out
// changes the inverse V of the readings' covariance, and alpha = V r (see residuals), to
//
//	V - V_.g V_gg^-1 V_g.    alpha - V_.g V_gg^-1 alpha_g
//
// on the rows that are left: one step of elimination for each reading.

// remaining compares readings with the prediction by all others but those that were left out.
type remaining struct {
	readings []ReadingCheck
	parts    []*partRemaining
}

// partRemaining is what one component of the mixture, at one node, says.
type partRemaining struct {
	log        float64 // of its weight
	v, alpha   []float64
	first      []float64                        // v before any was left out
	unit       func(row int) float64            // of a row
	column     func(row int) ([]float64, error) // of V before any was left out
	eliminated [][]float64                      // V is V before less the squares of these
}

// remaining prepares for leaving readings out. all are the innovations; where there are none, rows
// are compressed, and V is I - C in units of the noise, with the posterior covariance C.
func (q *Posterior) remaining(p *system.Problem, readings []ReadingCheck, all [][]innovation) (*remaining, error) {
	r := &remaining{readings: readings}
	used := func(row int) float64 { return readings[row].Sigma / math.Sqrt(readings[row].Weight) }
	var learned []bool // of each row
	group := 0
	for i := range p.Sensors {
		if len(p.Sensors[i].Values) == 0 {
			continue
		}
		for range p.Sensors[i].Values {
			learned = append(learned, q.summary.Noise[group].Learned)
		}
		group++
	}
	for k := range q.components {
		c := &q.components[k]
		if all[k] == nil {
			part, err := c.remaining(p, readings, used)
			if err != nil {
				return nil, err
			}
			r.parts = append(r.parts, part)
			continue
		}
		for n := range all[k] {
			in := &all[k][n]
			part := &partRemaining{log: mat.Log(c.weight * in.share), alpha: append([]float64(nil), in.alpha[:len(readings)]...)}
			for i := range readings {
				part.v = append(part.v, in.v.At(i, i))
			}
			part.unit = func(row int) float64 {
				if learned[row] {
					return 1 / math.Sqrt(readings[row].Weight)
				}
				return used(row)
			}
			part.column = func(row int) ([]float64, error) {
				column := make([]float64, len(readings))
				for i := range column {
					column[i] = in.v.At(max(i, row), min(i, row))
				}
				return column, nil
			}
			r.parts = append(r.parts, part)
		}
	}
	for _, part := range r.parts {
		part.first = append([]float64(nil), part.v...)
	}
	return r, nil
}

// mostShare bounds the share of a reading in its own prediction where rows are compressed: more
// says that the stated noise is wrong.
const mostShare = 0.9

// remaining is that of a component whose rows are compressed.
func (c *component) remaining(p *system.Problem, readings []ReadingCheck, used func(row int) float64) (*partRemaining, error) {
	part := &partRemaining{log: mat.Log(c.weight), unit: used}
	err := c.eachReading(p, func(row int, root, mean []float64) {
		noise := used(row)
		part.v = append(part.v, 1-math.Min(mat.Dot(root, root)/float64(noise*noise), mostShare))
		part.alpha = append(part.alpha, (readings[row].Value-mean[0])/noise)
	})
	part.column = func(row int) ([]float64, error) {
		s := &p.Sensors[readings[row].Sensors]
		var own []float64
		err := c.each(s.Measures, s.Points.Slice(readings[row].row, readings[row].row+1, 0, s.Points.Cols()), true, func(_ int, root *mat.Dense, _ []float64) {
			own = append(own, root.Row(0)...)
		})
		if err != nil {
			return nil, err
		}
		column := make([]float64, 0, len(readings))
		err = c.eachReading(p, func(i int, root, _ []float64) {
			if i == row {
				column = append(column, part.first[row])
				return
			}
			column = append(column, -mat.Dot(root, own)/float64(used(i)*used(row)))
		})
		return column, err
	}
	return part, err
}

// eachReading streams the readings: root is the square root of the variance of what is measured, mean
// its mean.
func (c *component) eachReading(p *system.Problem, consume func(row int, root, mean []float64)) error {
	row := 0
	for i := range p.Sensors {
		s := &p.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		err := c.each(s.Measures, s.Points, true, func(_ int, root *mat.Dense, mean []float64) {
			for k := range mean {
				consume(row, root.Row(k), mean[k:k+1])
				row++
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// hardlyPredicted is the share of its first V below which a reading has nothing left that predicts it.
const hardlyPredicted = 1e-6

// leave leaves a reading out.
func (r *remaining) leave(row int) error {
	for _, part := range r.parts {
		pivot := part.v[row]
		if !(pivot > float64(hardlyPredicted*part.first[row])) {
			continue
		}
		column, err := part.column(row)
		if err != nil {
			return err
		}
		for _, u := range part.eliminated {
			mat.Axpy(-u[row], u, column)
		}
		part.log += part.gain(row)
		root := math.Sqrt(pivot)
		for i := range column {
			column[i] /= root
		}
		mat.Axpy(-part.alpha[row]/root, column, part.alpha)
		for i, u := range column {
			part.v[i] -= float64(u * u)
		}
		part.v[row] = 0
		part.eliminated = append(part.eliminated, column)
	}
	return nil
}

// gain is what the log weight of a component gains without a reading.
func (part *partRemaining) gain(row int) float64 {
	v, alpha := part.v[row], part.alpha[row]
	return (float64(0.5*alpha)*alpha/v - float64(0.5*mat.Log(v))) / temper
}

// check compares a reading with the prediction by the others that are left. Where there is nothing
// that predicts it, it fits.
func (r *remaining) check(row int) ReadingCheck {
	c := r.readings[row]
	var m mixture
	var logs []float64
	for _, part := range r.parts {
		v := part.v[row]
		if !(v > float64(hardlyPredicted*part.first[row])) {
			c.Standardised = 0
			return c
		}
		unit := part.unit(row)
		m = append(m, gaussian{0, c.Value - float64(unit*part.alpha[row])/v, unit / math.Sqrt(v)})
		logs = append(logs, part.log+part.gain(row))
	}
	c.LeftOutMean, c.LeftOutSD = m.weighed(logs).moments()
	c.Standardised = (c.Value - c.LeftOutMean) / c.LeftOutSD
	return c
}
