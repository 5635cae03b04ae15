package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// held is Physics with its readings at fixed hyper-parameters.
type held struct {
	physics  *Physics
	readings *readings
	state    state
	prior    *slackPrior
}

// hold fixes amplitude, slack (where it is open) and the noise of every group; nil where all noise
// is known.
func hold(t testing.TB, ph *Physics, sensors []system.Sensors, amplitude, slack float64, noise []float64) *held {
	t.Helper()
	r, err := ph.read(sensors)
	if err != nil {
		t.Fatal(err)
	}
	tau := slack / amplitude
	if ph.demanded.fixed != nil {
		tau = 1 / amplitude
	}
	dec, err := ph.at(slack)
	if err != nil {
		t.Fatal(err)
	}
	h := &held{physics: ph, readings: r, prior: new(slackPrior)}
	if err := h.prior.set(dec, tau); err != nil {
		t.Fatal(err)
	}
	o := newObserved(ph.scaled(r), len(ph.scale), dec, nil)
	h.state = state{decomposition: dec, observed: o, tau: tau, slack: slack, nodes: []node{{amplitude, noise, 0, false}}, logWeight: 1}
	return h
}

// posterior is that of the one node.
func (h *held) posterior(t testing.TB) *Posterior {
	t.Helper()
	return conditioned(t, h.physics, []state{h.state})
}

// conditioned averages states whose weights are shares.
func conditioned(t testing.TB, ph *Physics, states []state) *Posterior {
	t.Helper()
	c := &layerPosterior{}
	c.basis, c.weight = ph.basis, 1
	if err := ph.condition(c, states); err != nil {
		t.Fatal(err)
	}
	return newPosterior(ph.problem, []component{c.component}, Summary{})
}

// flatAmplitude is a flat prior for a fixed amplitude.
func flatAmplitude(amplitude float64) amplitudes {
	return amplitudes{single: true, logA: mat.Log(amplitude), density: func(float64, float64) (exponent, factor float64) { return 0, 1 }}
}

// spectralEvidence is log p(readings | physics and rows of priors) from eigenvalues, with
// at most one learned level of noise.
func (h *held) spectralEvidence(t testing.TB) float64 {
	t.Helper()
	u := h.state.observed.under(h.prior)
	if err := u.diagonalise(); err != nil {
		t.Fatal(err)
	}
	n := h.state.nodes[0]
	if len(u.learned) == 0 {
		return u.s.known(n.amplitude * n.amplitude)
	}
	sigma := n.noise[u.learned[0]]
	value := u.overNoise(mat.Log(n.amplitude/sigma), n.amplitude/sigma, flatAmplitude(n.amplitude))
	return value - logNoisePrior(sigma/u.groups[u.learned[0]].size)
}

// levels prepares the evidence of several noise levels.
func (h *held) levels(a amplitudes) *levels {
	u := h.state.observed.under(h.prior)
	n := len(u.r)
	return &levels{u: u, a: a, k: u.covariance(), s: mat.NewSym(n, nil), v: mat.NewSym(n, nil), alpha: make([]float64, n), variance: make([]float64, n)}
}

// theta is the node as levels have it.
func (h *held) theta() []float64 {
	n := h.state.nodes[0]
	theta := []float64{mat.Log(n.amplitude)}
	for _, g := range h.state.observed.learned {
		theta = append(theta, mat.Log(n.noise[g]))
	}
	return theta
}

// levelsEvidence is spectralEvidence by Cholesky factorisation, for any number of levels.
func (h *held) levelsEvidence(t testing.TB) float64 {
	t.Helper()
	theta := h.theta()
	value, err := h.levels(flatAmplitude(h.state.nodes[0].amplitude)).at(theta)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range h.state.observed.learned {
		value -= logNoisePrior(mat.Exp(theta[1+i]) / h.state.observed.groups[g].size)
	}
	return value
}

// conditionAt is the posterior at held hyper-parameters, all noise being known.
func conditionAt(t testing.TB, p *system.Problem, layer *feature.Layer, amplitude, tolerance float64) *Posterior {
	t.Helper()
	ph, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
	if err != nil {
		t.Fatal(err)
	}
	return hold(t, ph, p.Sensors, amplitude, tolerance, nil).posterior(t)
}

// everyNoise returns the noise of every group of readings at a node: the given one for learned
// groups, in their order, and 1 for others.
func everyNoise(r *readings, learned ...float64) []float64 {
	noise := make([]float64, len(r.groups))
	for g := range noise {
		noise[g] = 1
		if r.groups[g].learned {
			noise[g], learned = learned[0], learned[1:]
		}
	}
	return noise
}

func sane(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
