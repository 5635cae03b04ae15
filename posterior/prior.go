package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
	"github.com/bpielm/bpielm/system"
)

// Sensor is a kind of sensor: what it measures and the standard deviation of its noise.
type Sensor struct {
	Name     string
	Measures system.Functional
	Sigma    float64
}

// Prior is Physics with its hyper-parameters averaged: the Gaussian over the weights that equations
// and conditions imply before any reading. It is all that a device needs to assimilate readings (see
// Stream). It can be stored (see Save and LoadPrior), is immutable and safe for concurrent use.
type Prior struct {
	q       *Posterior // without readings; its factor is lower triangular
	sensors []Sensor
	layouts []system.Layout // of the tables that the readings of each came in
	domain  *mat.Dense      // points that fill the domain evenly
}

// domainPoints is how many points represent the domain.
const domainPoints = 512

// FitPrior finds the best layer of a problem as Fit does, and returns its Prior, with amplitude and
// slack averaged as the problem's readings weigh them. The readings themselves are not included:
// streaming them gives the posterior of that layer, one of those that Fit mixes. It fails as Fit
// does.
func FitPrior(p *system.Problem, c Config) (*Prior, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if c.Method != BPIELM && c.Method != "" {
		return nil, &ConfigError{"method", "only bpielm separates physics from readings"}
	}
	if c.Source != nil {
		return nil, &ConfigError{"source", "FitPrior needs all readings in the problem"}
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	c.prior = true
	if err := c.refusesPatches(p); err != nil {
		return nil, err
	}
	p, err := refined(p, c)
	if err != nil {
		return nil, err
	}
	_, s, err := integrate(p, c)
	if err != nil {
		return nil, err
	}
	defer s.release()
	ph, r, err := s.compile(&s.ranked()[0].site, SquareRoot, nil, nil, false)
	if err != nil {
		return nil, err
	}
	return ph.hold(r, p.Sensors)
}

// Prior averages the hyper-parameters as the given readings weigh them. It fails as Assimilate does.
func (ph *Physics) Prior(sensors []system.Sensors) (*Prior, error) {
	r, err := ph.read(sensors)
	if err != nil {
		return nil, err
	}
	return ph.hold(r, sensors)
}

// hold returns the prior under the physics, averaged over the hyper-parameters that the readings
// leave possible. Parameters, equations and conditions that have an sd of their own are included;
// readings are not.
func (ph *Physics) hold(rd *readings, sensors []system.Sensors) (*Prior, error) {
	if ph.blocks != nil {
		return nil, errNoDevice
	}
	points, err := system.Collocation(ph.problem.Variables, ph.problem.Domain, domainPoints, 1)
	if err != nil {
		return nil, err
	}
	states, logEvidence, err := ph.survey(rd)
	if err != nil {
		return nil, err
	}
	states = weighty(states)
	mean, factor, err := ph.mix(states, func(s *state, p *slackPrior, root *mat.Dense) []float64 {
		square := 0.0
		for _, n := range strata(s.nodes, len(s.nodes)) {
			square += float64(n.logWeight * float64(n.amplitude*n.amplitude))
		}
		root.Zero()
		for i := range p.mean {
			root.Set(i, i, math.Sqrt(square))
		}
		p.mul(root)
		return append([]float64(nil), p.mean...)
	})
	if err != nil {
		return nil, err
	}
	includePriors(mean, factor, rd)
	c := component{weight: 1, basis: ph.basis, mean: mean, factor: triangular(factor)}
	q := newPosterior(ph.problem, []component{c}, ph.summary(states, rd, logEvidence))
	q.summary.Rows, q.summary.Readings, q.summary.EffectiveParameters = ph.rows, 0, math.NaN()
	p := &Prior{q: q, domain: points}
	for i := range sensors {
		if s := &sensors[i]; len(s.Values) > 0 {
			sigma := q.summary.Noise[len(p.sensors)].Sigma
			p.sensors = append(p.sensors, Sensor{Name: s.Name, Measures: s.Measures, Sigma: sigma})
			p.layouts = append(p.layouts, s.Layout)
		}
	}
	return p, nil
}

// includePriors conditions the mean and the covariance factor on the rows of parameters, equations
// and conditions that have an sd: observations of unit noise.
func includePriors(mean []float64, factor *mat.Dense, rd *readings) {
	n, rows := len(mean), 0
	for i := range rd.groups {
		if g := &rd.groups[i]; g.prior {
			rows += len(g.y)
		}
	}
	if rows == 0 {
		return
	}
	h, r := mat.NewDense(rows, n, nil), make([]float64, 0, rows)
	for i := range rd.groups {
		if g := &rd.groups[i]; g.prior {
			h.Slice(len(r), len(r)+len(g.y), 0, n).CopyFrom(g.h)
			r = append(r, g.y...)
		}
	}
	mat.Gemv(mat.NoTrans, -1, h, mean, 1, r)
	bt := mat.NewDense(n, rows, nil)
	mat.Gemm(mat.Trans, mat.Trans, 1, factor, h, 0, bt)
	u := gauss.NewUpdate(bt, r)
	mat.Gemv(mat.NoTrans, 1, factor, u.Mean(), 1, mean)
	u.Condition(factor)
}

// triangular returns the lower triangle L with LL' = FF', which halves storage and work.
func triangular(factor *mat.Dense) *mat.Dense {
	var qr mat.QR
	qr.Factorize(factor.Transpose())
	return qr.R().Transpose()
}

// Variables returns the independent variables with their ranges.
func (p *Prior) Variables() []system.Variable { return p.q.Variables() }

// Fields returns the names of the fields.
func (p *Prior) Fields() []string { return p.q.Fields() }

// Sensors returns the kinds of sensors whose readings weighed the hyper-parameters, in the problem's
// order. Sigma is stated or learned; the root mean square where readings had their own.
func (p *Prior) Sensors() []Sensor { return append([]Sensor(nil), p.sensors...) }

// Layouts says how the tables of readings of each kind of Sensors were laid out.
func (p *Prior) Layouts() []system.Layout { return append([]system.Layout(nil), p.layouts...) }

// Domain returns points (n x variables) that fill the problem's domain evenly, not a copy.
func (p *Prior) Domain() *mat.Dense { return p.domain }

// weights returns the single Gaussian of the prior.
func (p *Prior) weights() *component { return &p.q.components[0] }

// WithNote returns the same prior with a text, see Posterior.WithNote.
func (p *Prior) WithNote(text string) *Prior {
	noted := *p
	noted.q = p.q.WithNote(text)
	return &noted
}

// Posterior returns what is known before any reading.
func (p *Prior) Posterior() *Posterior { return p.q }
