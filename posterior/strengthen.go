package posterior

import "github.com/bpielm/bpielm/system"

// With patches a solution is found by continuation: the problem is solved without the nonlinear terms of its equations, and
// these are strengthened bit by bit. Fronts become steep where they are then. Down a path of slacks, an equation that may be missed
// somewhere is missed at the front, and stays so.

const (
	// firstShare is the first step of the strength, which is 1 at the end. A step that does not converge is halved, down to leastShare;
	// one that does so at once is doubled.
	firstShare, leastShare = 0.1, 1.0 / 512
	// A step has converged when the state moves by a tenth of what it moved first; atOnce is in so many steps.
	contraction, atOnce, mostContracting = 0.1, 3, 6
)

// strengthen leads to a solution at the slack openSlack. Hyper-parameters are surveyed at the beginning and at the end.
func (n *newton) strengthen() error {
	whole := n.problem
	n.turn(whole.Weakened(0))
	if _, err := n.advance(); err != nil {
		return err
	}
	n.hold = true
	share, by := 0.0, firstShare
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
	n.turn(whole)
	n.hold = false
	if _, err := n.advance(); err != nil {
		return err
	}
	n.hold = true
	_, err := n.contract()
	return err
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
	n.at = linearised(p, n.at.state, n.at.z)
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
