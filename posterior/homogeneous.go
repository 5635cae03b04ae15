package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Equations of order m leave at least m constants open, whatever their coefficients: as much of each of m solutions of the
// homogeneous equations is in a field as the readings, or conditions, say. Each that a layer contains costs about log(a / sigma)
// nats of evidence, because there may be any amount of it, up to the amplitude a, and the readings show how much there is to
// within their noise sigma. A layer that is too smooth for these solutions contains none, though every equation has them.
// Where coefficients are compared, those with steep homogeneous solutions would be more probable for that reason alone: between
// c = 5 and c = 200 of u'' + c u = f, with readings of a smooth response to f, lie eleven nats.
//
// So a layer is charged for what it lacks. Let K be the covariance that the readings have under the equations alone, without
// conditions and at amplitude a, in units of their noise, with eigenvalues k_1 > k_2 > ... A layer that has all it needs pays
//
//	1/2 sum_i log(1 + k_i),  i = 1 ... m,
//
// for the m largest, and others are made to pay as much as one with k_i = t/m, t being the sum of the readings' variances without
// any equation, at amplitude 1. Layers may then still differ in how many more than m solutions they contain.

// homogeneousSolutions is m, the sum of the orders of a problem's equations.
func homogeneousSolutions(p *system.Problem) int {
	sum := 0
	for i := range p.Equations {
		highest, terms := 0, p.Equations[i].Residual.Terms
		for k := range terms {
			highest = max(highest, order(&terms[k]))
		}
		sum += highest
	}
	return sum
}

// lacking is the charge in nats at the mean of the logarithms of slack, amplitude and noise. It needs sums of squares, and is 0
// without them and with patches.
func (ph *Physics) lacking(states []state) float64 {
	if ph.equations == nil || ph.exact != nil {
		return 0
	}
	n, o := ph.equations.N(), states[0].observed
	tau, at := typicalNode(states, func(s *state, a *node) float64 {
		if v := s.slackOf(a); ph.openEquations && v > 0 {
			return v / a.amplitude
		}
		return s.tau
	})
	chol := &ph.store.slackPrior().chol // of a survey that has ended
	if err := chol.FactorizeShifted(ph.equations, tau*tau); err != nil {
		return 0
	}
	first := states[0].decomposition.front
	x := ph.store.clone(o.pt.Slice(first, first+n, 0, o.data))
	for i := range n {
		for j, row := 0, x.Row(i); j < len(row); j++ {
			row[j] /= at.noise[o.group[j]]
		}
	}
	t := squaresOf(x)
	mat.Trsm(mat.Left, mat.NoTrans, float64(tau*at.amplitude), chol.L(), x)
	m := min(homogeneousSolutions(ph.problem), o.data)
	values, err := largestEigenvalues(x, m, ph.store)
	if err != nil {
		return 0
	}
	charge := 0.0
	for _, v := range values {
		charge += math.Max(0, float64(0.5*mat.Log((1+t/float64(m))/(1+math.Max(v, 0)))))
	}
	return charge
}

// typicalNode is the mean of the logarithms of slack per amplitude, of amplitude, and of the noise of each group. Means change
// smoothly with the coefficients.
func typicalNode(states []state, slack func(s *state, a *node) float64) (tau float64, of node) {
	top := math.Inf(-1)
	for i := range states {
		for _, a := range states[i].nodes {
			top = math.Max(top, a.logWeight)
		}
	}
	total := 0.0
	of.noise = make([]float64, len(states[0].observed.groups))
	for i := range states {
		s := &states[i]
		for k := range s.nodes {
			a := &s.nodes[k]
			if !(a.logWeight > top-2*negligibleNode) {
				continue
			}
			w := mat.Exp(a.logWeight - top)
			total += w
			tau += float64(w * mat.Log(slack(s, a)))
			of.amplitude += float64(w * mat.Log(a.amplitude))
			for g, v := range a.noise {
				of.noise[g] += float64(w * mat.Log(v))
			}
		}
	}
	for g, v := range of.noise {
		of.noise[g] = mat.Exp(v / total)
	}
	of.amplitude = mat.Exp(of.amplitude / total)
	return mat.Exp(tau / total), of
}

// keepEquations keeps the sums of squares of the equations' rows, without columns of parameters. No condition has been added.
func (ph *Physics) keepEquations(open, fixed *joiner) {
	if !ph.config.keepEquations {
		return
	}
	sums := open.sums
	if sums == nil {
		sums = fixed.sums
	}
	if sums == nil || open.sums != nil && fixed.sums != nil {
		return
	}
	n := ph.basis.ParameterColumn(0)
	ph.openEquations = open.sums != nil
	ph.equations = mat.NewSym(n, ph.store.unset(n*n))
	for i := range n {
		copy(ph.equations.Row(i)[:i+1], sums.hh.Row(i)[:i+1])
	}
}
