package posterior

import (
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// With patches a solution is found by continuation: the problem is solved without the nonlinear terms of its equations, and
// these are strengthened bit by bit. Fronts become steep where they are then. Down a path of slacks, an equation that may be missed
// somewhere is missed at the front, and stays so.
//
// On the way the unknown numbers in nonlinear terms have the values that are most probable beforehand: without its term nothing tells of a
// number. They are released at the end.

const (
	// firstShare is the first step of the strength, which is 1 at the end. A step that does not converge is halved, down to leastShare;
	// one that does so at once is doubled.
	firstShare, leastShare = 0.1, 1.0 / 512
	// A step has converged when the state moves by a tenth of what it moved first; atOnce is in so many steps.
	contraction, atOnce, mostContracting = 0.1, 3, 6
	// releasedGradings is how often cells are graded for a solution whose numbers have been released.
	releasedGradings = 2
)

// strengthen leads to a solution at the slack openSlack. Hyper-parameters are surveyed at the beginning and at the end.
func (n *newton) strengthen() error {
	problem, numbers := n.problem, n.numbersOfPath()
	whole := numbers.givenIn(problem)
	if err := n.raise(whole); err != nil {
		return err
	}
	n.problem, n.at = problem, numbers.released(problem, n.at.state)
	for k := 0; ; k++ {
		n.hold = false
		if _, err := n.advance(); err != nil {
			return err
		}
		n.hold = true
		if _, err := n.contract(); err != nil || numbers.none() || k == releasedGradings {
			return err
		}
		edges, changed := n.config.grade(n.problem, n.at.state)
		if !changed {
			return nil
		}
		n.config.edges = edges
	}
}

// raise strengthens the nonlinear terms of a problem, from nothing to what they are.
func (n *newton) raise(whole *system.Problem) error {
	n.turn(whole.Weakened(0))
	if _, err := n.advance(); err != nil {
		return err
	}
	n.hold = true
	share, by := 0.0, firstShare
	if whole.IsLinear() {
		share = 1
	}
	for share < 1 {
		next := min(share+by, 1)
		before := *n
		n.told.span(n.share[0]+float64(share*(n.share[1]-n.share[0])), n.share[0]+float64(next*(n.share[1]-n.share[0])), mostContracting)
		n.turn(whole.Weakened(next))
		steps, err := n.contract()
		switch {
		case err == nil && steps <= mostContracting:
			share = next
			if edges, changed := n.config.grade(n.problem, n.at.state); changed {
				n.config.edges = edges
			}
			if steps <= atOnce {
				by *= 2
			}
		case by <= leastShare && err != nil:
			return err
		case by <= leastShare:
			return &ConvergenceError{"the solution cannot be followed while the nonlinear terms of the equations are strengthened: more neurons in each patch, or other patches, may help", n.moved[max(0, len(n.moved)-mostTold):]}
		default:
			*n = before
			by /= 2
		}
	}
	return nil
}

// pathNumbers are the values of the unknown numbers in nonlinear terms on the way to a solution.
type pathNumbers struct {
	parameters []int
	values     []float64 // of the parameters
	z          []float64 // of the coefficients
}

// numbersOfPath are those of the present state.
func (n *newton) numbersOfPath() *pathNumbers {
	p, s := n.problem, &pathNumbers{z: n.at.z}
	anywhere := mat.NewDense(1, len(p.Variables), nil)
	for _, j := range bentParameters(p) {
		if j < len(p.Parameters) {
			of, value := system.ParameterValue(j), make([]float64, 1)
			n.at.state.ValueTo(value, &of, anywhere)
			s.parameters, s.values = append(s.parameters, j), append(s.values, value[0])
		}
	}
	return s
}

func (s *pathNumbers) none() bool { return len(s.parameters) == 0 && len(s.z) == 0 }

// givenIn is a problem with the numbers given.
func (s *pathNumbers) givenIn(p *system.Problem) *system.Problem {
	if s.none() {
		return p
	}
	return p.With(valuesAt(p, s.z)).Given(s.parameters, s.values)
}

// released is a problem near a state of the one with the numbers given.
func (s *pathNumbers) released(p *system.Problem, state system.State) *linearisation {
	if s.none() {
		return linearised(p, state, s.z)
	}
	c := state.(meanState).q.components[0] // steps with patches lead to the mean of one layer
	first := c.basis.ParameterColumn(0)
	own := c.mean[first:]
	c.mean = slices.Clone(c.mean[:first])
	for j := range p.Parameters {
		if i := slices.Index(s.parameters, j); i >= 0 {
			c.mean = append(c.mean, s.values[i])
		} else {
			c.mean, own = append(c.mean, own[0]), own[1:]
		}
	}
	c.mean = append(c.mean, s.z...)
	c.basis = system.NewBasis(c.basis.Layer, c.basis.Fields(), nil, len(c.mean)-first)
	c.blocks = &blockRoot{order: newBlockOrder(c.basis)} // nothing is known of a covariance
	named := *p
	for _, of := range p.Coefficients {
		named.Parameters = append(slices.Clip(named.Parameters), system.Parameter{Name: of.Name})
	}
	return linearised(p, meanState{newPosterior(&named, []component{c}, Summary{})}, s.z)
}

// advance takes a step, and returns how far the state moves.
func (n *newton) advance() (moved float64, err error) {
	q, s, err := n.step(openSlack, false, false)
	if err != nil {
		return 0, err
	}
	defer s.release()
	return n.move(q, s.frame, openSlack)
}

// turn makes another problem the one to be solved, from the present state.
func (n *newton) turn(p *system.Problem) {
	n.problem = p
	n.at = linearised(p, n.at.state, make([]float64, len(p.Coefficients)))
}

// contract takes steps until they are much shorter than the first, and tells how many. More than mostContracting means that they are not.
func (n *newton) contract() (steps int, err error) {
	first := 0.0
	for steps = 1; steps <= mostContracting; steps++ {
		moved, err := n.advance()
		if err != nil {
			return steps, err
		}
		if steps == 1 {
			first = moved
		}
		if moved <= stands || moved <= contraction*first {
			return steps, nil
		}
	}
	return steps, nil
}
