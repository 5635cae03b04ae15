package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// readings are the sensor rows in weight space, by groups.
type readings struct {
	groups []group
	count  int // of real readings, without priors
}

// group is one noise level. Where sigma is known, rows are divided by it, so that their noise is 1;
// a learned group is in its own units. A large group is replaced by the triangle of its QR
// factorisation, which loses nothing: extra is how many readings the rest, of squared norm residual,
// represents.
type group struct {
	name    string
	learned bool
	h       *mat.Dense
	y       []float64

	compressed bool // rows no longer correspond to single readings
	extra      int
	residual   float64
	logSigma   float64 // sum of log(sigma) over the readings, where known
	rms        float64 // root mean square of sigma over the readings, where known
	size       float64 // natural size of the readings, about their standard deviation
	shares     int     // index of the first group with the same learned noise, perhaps itself
	prior      bool    // not data: the prior of a parameter, or an equation or condition with an sd
}

func sensorsName(s *system.Sensors, i int) string {
	if s.Name != "" {
		return fmt.Sprintf("sensors %q", s.Name)
	}
	return fmt.Sprintf("sensors %d", i+1)
}

// demandsWithSD returns the equations and conditions that state an sd in their own units, as sensors
// that read 0. Like readings, and unlike other equations, they do not scale with the amplitude.
func demandsWithSD(p *system.Problem) []system.Sensors {
	var list []system.Sensors
	for label, e := range p.Demands() {
		if e.SD > 0 {
			list = append(list, system.Sensors{
				Name: label.String(), Measures: e.Residual, Points: e.Points,
				Values: make([]float64, e.Points.Rows()), Sigma: []float64{e.SD},
			})
		}
	}
	return list
}

// newReadings makes the rows of all groups of sensors and, as further rows, of equations and
// conditions that have an sd, and of the priors of parameters. Where weights are not nil, they hold
// one weight for each reading: the variance of its noise is that stated or learned, divided by the
// weight.
func newReadings(store *storage, basis system.Basis, sensors []system.Sensors, p *system.Problem, z *sizes, weights [][]float64) (*readings, error) {
	r := &readings{}
	named := map[string]int{}
	for i := range sensors {
		s := &sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		var own []float64
		if weights != nil {
			own = weights[i]
		}
		g, err := newGroup(store, basis, s, sensorsName(s, i), own)
		if err != nil {
			return nil, err
		}
		g.shares = len(r.groups)
		if first, known := named[s.Group]; g.learned && s.Group != "" && known {
			g.shares = first
		} else if s.Group != "" {
			named[s.Group] = g.shares
		}
		r.count += len(s.Values)
		r.groups = append(r.groups, g)
	}
	if r.count == 0 {
		return nil, dataError("sensors", "there are no readings; at least one is needed")
	}
	for _, s := range demandsWithSD(p) {
		g, err := newGroup(store, basis, &s, s.Name, nil)
		if err != nil {
			return nil, err
		}
		g.prior, g.shares = true, len(r.groups)
		r.groups = append(r.groups, g)
	}
	for i, q := range p.Parameters {
		if q.SD == 0 {
			q.Mean, q.SD = 0, z.parameter[i]
		}
		h := store.dense(1, basis.Columns())
		h.Set(0, basis.ParameterColumn(i), 1/q.SD)
		r.groups = append(r.groups, group{name: q.Name, h: h, y: []float64{q.Mean / q.SD}, logSigma: mat.Log(q.SD), rms: q.SD, size: q.SD, shares: len(r.groups), prior: true})
	}
	return r, nil
}

func newGroup(store *storage, basis system.Basis, s *system.Sensors, where string, weights []float64) (group, error) {
	n, columns := len(s.Values), basis.Columns()
	g := group{name: s.Name, learned: len(s.Sigma) == 0}
	sigma := make([]float64, n)
	for k := range sigma {
		switch len(s.Sigma) {
		case 0:
			sigma[k] = 1
		case 1:
			sigma[k] = s.Sigma[0]
		default:
			sigma[k] = s.Sigma[k]
		}
		if weights != nil {
			sigma[k] /= math.Sqrt(weights[k])
		}
		g.logSigma += mat.Log(sigma[k])
	}
	if g.rms = rootMeanSquare(s.Sigma); len(s.Sigma) == 1 {
		g.rms = s.Sigma[0] // as stated, to the last digit
	}
	raw := make([]float64, n)
	compress := n > columns
	var tsqr *mat.TSQR
	if compress {
		tsqr = store.tsqr(columns)
	} else {
		g.h, g.y = store.dense(n, columns), store.vector(n)
	}
	err := streamRows(store, where, basis, &s.Measures, s.Points, 0, n, func(first int, h *mat.Dense, known []float64) {
		for k := range known {
			w := 1 / sigma[first+k]
			scaleVector(w, h.Row(k))
			raw[first+k] = s.Values[first+k] - known[k]
			known[k] = w * raw[first+k]
		}
		if compress {
			tsqr.Append(h, known)
			return
		}
		g.h.Slice(first, first+len(known), 0, columns).CopyFrom(h)
		copy(g.y[first:], known)
	})
	if err != nil {
		return g, err
	}
	g.size = sizeOf(raw)
	if compress {
		g.compressed = true
		g.h, g.y, g.extra = tsqr.R(), append([]float64(nil), tsqr.QTy()...), n-columns
		g.residual = tsqr.Residual() * tsqr.Residual()
	}
	return g, nil
}

// sizeOf is the natural size of readings: their standard deviation or, where they do not vary, their
// magnitude.
func sizeOf(y []float64) float64 {
	mean, sd := meanAndSD(y)
	if len(y) < 3 || sd == 0 {
		sd = math.Max(sd, math.Abs(mean))
	}
	if sd == 0 {
		return 1
	}
	return sd
}
