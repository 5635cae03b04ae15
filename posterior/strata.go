package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// negligibleState is the weight below which a state is dropped. nodesKept is how many nodes of a
// state are kept, with the same moments as all of them; nodesOfMany where there are many rows, whose
// nodes lie close together.
const (
	negligibleState = 0.05
	nodesKept       = 7
	manyRowsOfNodes = 80
	nodesOfMany     = 3
)

// mostProbable returns the best node of the best state.
func mostProbable(states []state) []state {
	best, at := &states[0], 0
	for i := range states {
		for j := range states[i].nodes {
			if states[i].nodes[j].logWeight > best.nodes[at].logWeight {
				best, at = &states[i], j
			}
		}
	}
	one := *best
	one.nodes = []node{best.nodes[at]}
	one.logWeight = one.nodes[0].logWeight
	return []state{one}
}

// weighty returns the states that carry weight. Their logWeight becomes the weight itself, and the
// weights of their nodes become shares of it.
func weighty(states []state) []state {
	top := math.Inf(-1)
	for i := range states {
		top = math.Max(top, states[i].logWeight)
	}
	var kept []state
	sum := 0.0
	for _, s := range states {
		if w := mat.Exp(s.logWeight - top); w >= negligibleState {
			kept = append(kept, s)
			sum += w
		}
	}
	for i := range kept {
		s := &kept[i]
		nodes := slices.Clone(s.nodes)
		for j := range nodes {
			nodes[j].logWeight -= s.logWeight
		}
		s.nodes = nodes
		s.logWeight = mat.Exp(s.logWeight-top) / sum
	}
	return withoutTighter(kept)
}

// isTight tells whether, at this state, a tighter slack would make no difference.
func isTight(s *state) bool { return s.slack == 0 && s.tau*typicalAmplitude(s.nodes) < resolvedSlack }

// typicalAmplitude is that of the first of a single stratum.
func typicalAmplitude(nodes []node) float64 {
	square, weight, stated := 0.0, 0.0, false
	for i := range nodes {
		a := &nodes[i]
		if !(a.logWeight > -2*negligibleNode) { // as in strata
			continue
		}
		if a.louder && stated {
			break
		}
		w := mat.Exp(a.logWeight)
		square += float64(w * float64(a.amplitude*a.amplitude))
		weight, stated = weight+w, !a.louder
	}
	return math.Sqrt(square / weight)
}

// withoutTighter merges all states whose slack is so tight that it makes no difference into the
// heaviest of them.
func withoutTighter(states []state) []state {
	heaviest, total := -1, 0.0
	for i := range states {
		if s := &states[i]; isTight(s) {
			total += s.logWeight
			if heaviest < 0 || s.logWeight > states[heaviest].logWeight {
				heaviest = i
			}
		}
	}
	var kept []state
	for i := range states {
		s := states[i]
		if i == heaviest {
			s.logWeight = total
		} else if isTight(&s) {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// strata merges nodes, which are ordered by amplitude or by amplitude over noise, into n strata of
// equal weight. Each has the mean squares of its nodes, since variances are what counts. logWeight
// becomes a plain share.
func strata(nodes []node, n int) []node {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(a node) bool { return !(a.logWeight > -2*negligibleNode) })
	total := 0.0
	for i := range nodes {
		nodes[i].logWeight = mat.Exp(nodes[i].logWeight)
		total += nodes[i].logWeight
	}
	for i := range nodes {
		nodes[i].logWeight /= total
	}
	if len(nodes) <= n {
		return nodes
	}
	// Nodes with stated noise and with louder noise are not averaged with each other.
	if i := slices.IndexFunc(nodes, func(a node) bool { return a.louder }); i > 0 {
		return append(layered(nodes[:i], n), layered(nodes[i:], n)...)
	}
	return layered(nodes, n)
}

// layered is strata for nodes whose shares may sum to less than one.
func layered(nodes []node, n int) []node {
	var list []node
	var square, weight, before, total float64
	for i := range nodes {
		total += nodes[i].logWeight
	}
	noise2 := make([]float64, len(nodes[0].noise))
	flush := func() {
		if weight == 0 {
			return
		}
		s := node{amplitude: math.Sqrt(square / weight), logWeight: weight, louder: nodes[0].louder}
		if len(noise2) > 0 {
			s.noise = make([]float64, len(noise2))
		}
		for g, v := range noise2 {
			s.noise[g] = math.Sqrt(v / weight)
		}
		list = append(list, s)
		before += weight
		square, weight = 0, 0
		clear(noise2)
	}
	for i := range nodes {
		a := &nodes[i]
		if before+weight+float64(0.5*a.logWeight) > float64(total*float64(len(list)+1)/float64(n)) {
			flush()
		}
		square += float64(a.logWeight * float64(a.amplitude*a.amplitude))
		for g, v := range a.noise {
			noise2[g] += float64(a.logWeight * float64(v*v))
		}
		weight += a.logWeight
	}
	flush()
	return list
}
