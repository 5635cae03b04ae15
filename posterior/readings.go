package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/rowtree"
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
// weight. Where whole has the summary of a group, that stands for its readings.
func newReadings(store *storage, basis system.Basis, sensors []system.Sensors, p *system.Problem, z *sizes, weights [][]float64, whole []*rowtree.Node) (*readings, error) {
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
		g, err := group{name: s.Name, learned: len(s.Sigma) == 0}, error(nil)
		n := len(s.Values)
		if whole != nil && whole[i] != nil {
			n = whole[i].Rows
			g.summarise(whole[i])
			g.stated(s)
		} else if g, err = newGroup(store, basis, s, sensorsName(s, i), own); err != nil {
			return nil, err
		}
		g.shares = len(r.groups)
		if first, known := named[s.Group]; g.learned && s.Group != "" && known {
			g.shares = first
		} else if s.Group != "" {
			named[s.Group] = g.shares
		}
		r.count += n
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
	if n > columns {
		if err := g.compress(store, basis, s, where, weights); err != nil {
			return g, err
		}
	} else {
		g.h, g.y = store.unsetDense(n, columns), store.unset(n)
		r := newRawRows(s, weights, 0, n)
		err := r.stream(store, basis, s, where, func(first int, h *mat.Dense, y []float64) {
			g.h.Slice(first, first+len(y), 0, columns).CopyFrom(h)
			copy(g.y[first:], y)
		})
		if err != nil {
			return g, err
		}
		for _, sigma := range r.sigma {
			g.logSigma += mat.Log(sigma)
		}
		g.size, g.rms = sizeOf(r.values), rootMeanSquare(s.Sigma)
	}
	g.stated(s)
	return g, nil
}

// stated takes a noise level as the sensors state it, to the last digit.
func (g *group) stated(s *system.Sensors) {
	if len(s.Sigma) == 1 {
		g.rms = s.Sigma[0]
	}
}

// compress replaces the rows by the triangle of their QR factorisation.
func (g *group) compress(store *storage, basis system.Basis, s *system.Sensors, where string, weights []float64) error {
	whole, err := reduceReadings(store, basis, s, where, weights)
	if err == nil {
		g.summarise(whole)
	}
	return err
}

// reduceReadings returns the summary of readings. Leaves of rows are reduced in parallel, and merged in a fixed tree.
func reduceReadings(store *storage, basis system.Basis, s *system.Sensors, where string, weights []float64) (*rowtree.Node, error) {
	n, columns := len(s.Values), basis.Columns()
	large := columns > manyNeurons // one leaf after the other, in the same memory
	of := store.upTo(n)
	if large {
		of = store
	}
	var tree rowtree.Tree
	err := inSegments(n, large, func(first, last int) (*rowtree.Node, error) {
		mark := of.mark()
		tsqr := of.tsqr(columns)
		r := newRawRows(s, weights, first, last)
		err := r.stream(of, basis, s, where, func(_ int, h *mat.Dense, y []float64) { tsqr.Append(h, y) })
		if err != nil {
			return nil, err
		}
		leaf := rowtree.Leaf(first/segmentRows, tsqr, r.values, r.sigma, r.stated)
		of.rewind(mark)
		return leaf, nil
	}, tree.Add)
	return tree.Whole(), err
}

// summarise takes the summary of all readings for them.
func (g *group) summarise(whole *rowtree.Node) {
	n, columns := whole.Rows, whole.Columns()
	g.compressed, g.extra = true, n-columns
	g.h, g.y = whole.Triangle.Slice(0, columns, 0, columns).Clone(), make([]float64, columns)
	for i := range g.y {
		g.y[i] = whole.Triangle.At(i, columns)
	}
	rest := whole.Triangle.At(columns, columns)
	g.residual = rest * rest
	g.logSigma, g.rms = whole.LogNoise, whole.Noise/math.Sqrt(float64(n))
	g.size = naturalSize(n, whole.Mean, whole.Deviation/math.Sqrt(float64(n)))
}

// rawRows are some of a group's readings: what was read, less what is known of it, with its noise.
type rawRows struct {
	first, last int
	values      []float64
	sigma       []float64 // by which rows are divided
	stated      []float64 // of each reading; nil where it is not
}

func newRawRows(s *system.Sensors, weights []float64, first, last int) *rawRows {
	r := &rawRows{first: first, last: last, values: make([]float64, last-first), sigma: make([]float64, last-first)}
	if len(s.Sigma) > 1 || len(s.Sigma) == len(s.Values) {
		r.stated = s.Sigma[first:last]
	}
	for k := range r.sigma {
		switch {
		case r.stated != nil:
			r.sigma[k] = r.stated[k]
		case len(s.Sigma) == 1:
			r.sigma[k] = s.Sigma[0]
		default:
			r.sigma[k] = 1
		}
		if weights != nil {
			r.sigma[k] /= math.Sqrt(weights[first+k])
		}
	}
	return r
}

// stream makes the rows, divided by their noise, and hands them to consume in chunks, with the number of the first.
func (r *rawRows) stream(store *storage, basis system.Basis, s *system.Sensors, where string, consume func(first int, h *mat.Dense, y []float64)) error {
	return streamRows(store, where, basis, &s.Measures, s.Points, r.first, r.last, func(first int, h *mat.Dense, known []float64) {
		for k := range known {
			at := first - r.first + k
			w := 1 / r.sigma[at]
			scaleVector(w, h.Row(k))
			r.values[at] = s.Values[first+k] - known[k]
			known[k] = w * r.values[at]
		}
		consume(first, h, known)
	})
}

// sizeOf is the natural size of readings.
func sizeOf(y []float64) float64 {
	mean, sd := meanAndSD(y)
	return naturalSize(len(y), mean, sd)
}

// naturalSize is the natural size of n readings: their standard deviation or, where they do not vary, their
// magnitude.
func naturalSize(n int, mean, sd float64) float64 {
	if n < 3 || sd == 0 {
		sd = math.Max(sd, math.Abs(mean))
	}
	if sd == 0 {
		return 1
	}
	return sd
}
