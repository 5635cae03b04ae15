package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// While layers are searched, each also evaluates how well alternatives explain the readings: no
// equations, louder noise than stated, or one reading left out. An alternative that explains them
// better is a reason for doubt (see verdict.go). Only the louder noise enters the answer, see
// louder.go.

// doubts are the alternatives as one layer sees them. What is not available is NaN.
type doubts struct {
	brief     bool    // only the louder noise is evaluated: no verdict follows
	free      float64 // log evidence without any equation or condition
	right     float64 // log evidence with the stated noise
	louder    float64 // log evidence with the stated noise times a factor that is integrated over
	logFactor float64 // mean logarithm of that factor
	// For every reading, at the most probable node: its deviation from the prediction by all others,
	// and the sd of that.
	errors, sds []float64
	at          float64 // log weight of that node
}

func newDoubts(brief bool) doubts {
	return doubts{brief: brief, free: math.NaN(), right: math.Inf(-1), louder: math.Inf(-1), at: math.Inf(-1)}
}

// ask updates what is said of single readings with one slack, whose nodes have just been integrated.
func (d *doubts) ask(u *underPhysics, nodes []node) error {
	var best *node
	for i := range nodes {
		if !nodes[i].louder && (best == nil || nodes[i].logWeight > best.logWeight) {
			best = &nodes[i]
		}
	}
	if best != nil && best.logWeight > d.at && !u.compressed() && !d.brief {
		e := u.residualsOf(u.covariance(), u.r, []node{*best})
		in, err := e.innovations()
		if err != nil {
			return err
		}
		d.at = best.logWeight
		d.errors, d.sds = resized(d.errors, u.data), resized(d.sds, u.data)
		for i := range u.data {
			variance := 1 / in[0].v.At(i, i)
			d.errors[i], d.sds[i] = float64(in[0].alpha[i]*variance), math.Sqrt(variance)
		}
	}
	return nil
}

// sum adds up the alternatives of all slacks.
func (d *doubts) sum(states []state) {
	if d == nil {
		return
	}
	d.right, d.louder, d.logFactor = math.Inf(-1), math.Inf(-1), 0
	for i := range states {
		s := &states[i].alternatives
		d.right = logSumExp([]float64{d.right, s.logRight})
		total := logSumExp([]float64{d.louder, s.logLouder})
		if s.logLouder > math.Inf(-1) {
			d.logFactor += float64((s.logFactor - d.logFactor) * mat.Exp(s.logLouder-total))
		}
		d.louder = total
	}
}

// compressed tells whether rows no longer correspond to single readings.
func (o *observed) compressed() bool {
	for i := range o.groups {
		if o.groups[i].compressed {
			return true
		}
	}
	return false
}

// free returns the log evidence without equations and conditions.
func (o *observed) free() float64 {
	o.evidenceSpace.r = append(o.evidenceSpace.r[:0], o.y...)
	u := &underPhysics{observed: o, r: o.evidenceSpace.r, x: o.work}
	u.x.CopyFrom(o.pt)
	starts := o.starts
	o.starts = nil
	_, total, err := u.integrate(amplitudes{density: amplitudeDensity})
	o.starts = starts
	if err != nil {
		return math.NaN()
	}
	return total
}
