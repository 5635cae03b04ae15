package posterior

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Layers with patches are there for what happens in a small part of the domain. Answers that are wrong there hardly show in
// an average over the domain, so they are compared cell by cell, and the cell where they move most counts.

// pointsOfCell is in how many points of a cell answers are compared, about.
const pointsOfCell = 6

// blockMovement is movement for layers with patches. It compares with half as many neurons again in each patch. Fewer say little
// here: they are as wrong where the others are, with wider bands.
func (s *search) blockMovement(p *system.Problem, q *Posterior) func() (movement, error) {
	best, f, c := s.ranked()[0].site, *s.frame, s.config
	f.sizes = f.sizes.clone()
	now := *q
	now.tried = nil
	layer := q.components[0].basis.Layer
	edges := layer.PatchEdges()
	return func() (movement, error) {
		neurons := c.Neurons + (c.Neurons+1)/2
		beside := c
		if c.MaxMemory > 0 {
			beside.MaxMemory = max(c.MaxMemory-now.blockBytes(), 1)
		}
		if beside.fits(p, neurons) != nil {
			neurons = max(c.Neurons/2, 1)
		}
		points, err := system.Collocation(p.Variables, p.Domain, pointsOfCell*layer.Patches(), frameSeed)
		if err != nil {
			return movement{}, err
		}
		f.domain = inCells(points, edges)
		f.problem = c.enough(p, neurons)
		next := newSearch(&f, c, neurons, nil)
		defer next.release()
		next.try(best.drawn(c.Ensemble))
		a, b, err := f.both(next, &now)
		if err != nil {
			return movement{}, err
		}
		moved, cell := a.movedMost(b, cellOf(f.domain, edges))
		return movement{moved: moved, where: placeOfCell(p, edges, cell), neurons: neurons, room: next.room(len(p.Parameters))}, nil
	}
}

// blockBytes is about what the factors and the covariances of the layers take.
func (q *Posterior) blockBytes() int64 {
	elements := 0
	for i := range q.components {
		if b := q.components[i].blocks; b != nil {
			l := b.parts[0].prior.chol.L()
			for k := range l.Blocks() {
				elements += (len(b.parts) + 1) * (k - l.First(k) + 1) * l.Size() * l.Size()
			}
		}
	}
	return 8 * int64(elements)
}

// movedMost is movedFrom in the group of points in which it is largest, with its number; of has the group of each point.
func (a *answers) movedMost(b *answers, of []int) (most float64, group int) {
	groups := 1 + slices.Max(of)
	for from := 0; from < len(a.mean); from += len(of) {
		sums, counts := make([]float64, groups), make([]float64, groups)
		for i, k := range of {
			z := a.z(b, from+i)
			sums[k], counts[k] = mat.FMA(z, z, sums[k]), counts[k]+1
		}
		for k, n := range counts {
			if moved := math.Sqrt(sums[k] / n); n > 0 && !(moved <= most) {
				most, group = moved, k
			}
		}
	}
	return most, group
}

// placeOfCell is between which edges a cell lies, such as "x = 0 to 0.1, t = 0.5 to 1".
func placeOfCell(p *system.Problem, edges [][]float64, cell int) string {
	place := make([]string, len(edges))
	for v, e := range slices.Backward(edges) {
		n := len(e) - 1
		place[v] = fmt.Sprintf("%s = %.3g to %.3g", p.Variables[v].Name, e[cell%n], e[cell%n+1])
		cell /= n
	}
	return strings.Join(place, ", ")
}

// cellOf returns the number of the cell of each point.
func cellOf(points *mat.Dense, edges [][]float64) []int {
	of := make([]int, points.Rows())
	for i := range of {
		for v, e := range edges {
			k, _ := slices.BinarySearch(e[1:len(e)-1], points.At(i, v))
			of[i] = of[i]*(len(e)-1) + k
		}
	}
	return of
}
