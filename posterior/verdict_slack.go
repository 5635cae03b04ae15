package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Equations and conditions may be missed by the slack that they share. Where a parameter is known from a condition, as a load
// from the shear force at the end of a beam, the slack may be most of its uncertainty, and nothing else would say so: the
// condition holds, the readings fit. What the uncertainty would be if equations and conditions held more tightly follows
// in closed form, as for further sensors that read the residuals.

const (
	// mostSlack is the ratio of the standard deviation of a parameter without slack to that with it, below which a note says so.
	mostSlack = 0.5
	// heldTighter is how many times as tightly residuals are then held.
	heldTighter = 10
	// namedShare is the share of the standard deviation that one equation or condition must take away to be named.
	namedShare = 0.1
)

// slack notes the parameters that are uncertain mostly because equations and conditions may be missed.
func (v *Verdict) slack(q *Posterior, p *system.Problem) error {
	if q.summary.Method != BPIELM || len(p.Parameters) == 0 {
		return nil
	}
	all, before := q, q.Parameters()
	best, names := make([]float64, len(before)), make([]string, len(before))
	for i := range best {
		best[i] = 1
	}
	for label, e := range p.Demands() {
		if e.Exact || e.SD > 0 || e.Tolerance > 0 { // what is stated is meant
			continue
		}
		points := someOf(e.Points, freshPoints)
		one, err := q.held(e, points)
		if err != nil {
			return err
		}
		if all, err = all.held(e, points); err != nil {
			return err
		}
		for i, after := range one.Parameters() {
			if ratio := after.SD / before[i].SD; ratio < best[i] {
				best[i], names[i] = ratio, label.String()
			}
		}
	}
	for i, after := range all.Parameters() {
		ratio, name := after.SD/before[i].SD, before[i].Name
		c := Check{Kind: "slack", Name: name, Status: Passed, Value: 1 - ratio, Limit: 1 - mostSlack}
		if ratio < mostSlack {
			c.Status, c.Message = Note, fmt.Sprintf("%s is uncertain mostly because equations and conditions may be missed a little: if all of them were missed ten times less, its standard deviation would be %.2g of what it is", name, ratio)
			if best[i] < 1-namedShare {
				c.Message += fmt.Sprintf(", with %s alone %.2g", names[i], best[i])
			}
			c.Message += ". State exact = true or an sd for conditions that hold, and a tolerance for equations that do"
		}
		v.Checks = append(v.Checks, c)
	}
	return nil
}

// held returns the posterior with a residual that is held more tightly.
func (q *Posterior) held(e *system.Demand, points *mat.Dense) (*Posterior, error) {
	_, sd, err := q.Predict(e.Residual, points)
	if err != nil {
		return nil, err
	}
	sigma := math.Sqrt(meanSquare(sd)) / heldTighter
	if !(sigma > 0) {
		return q, nil
	}
	return q.WithSensors(Sensor{Name: e.Name, Measures: e.Residual, Sigma: sigma}, points)
}

// someOf returns at most so many of the points, evenly spread over their order.
func someOf(points *mat.Dense, most int) *mat.Dense {
	n, d := points.Dims()
	if n <= most {
		return points
	}
	some := mat.NewDense(most, d, nil)
	for k := range most {
		copy(some.Row(k), points.Row(k*n/most))
	}
	return some
}
