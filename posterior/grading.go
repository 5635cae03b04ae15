package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// The cells of a layer with patches are small where the solution bends. Along a variable x, with u'' the second derivative
// of a field along it and U the spread of the field, a cell should have the length over which the solution bends by its spread:
//
//	density(x) = mean over the other variables of sqrt(|u''| / U)
//
// and edges are placed so that every cell has the same integral of the density plus its mean (equidistribution: de Boor, Good
// approximation by splines with variable knots II, Lecture Notes in Math. 363, 1974). The mean sends half of the cells to where the
// density is large and leaves half for the rest (Beckett & Mackenzie, Convergence analysis of finite difference approximations
// on equidistributed grids to a singularly perturbed boundary value problem, Appl. Numer. Math. 35, 2000). Points of equations and
// conditions follow the cells, so that each has as many.

const (
	// Densities are taken at gradePlaces of the other variables, and gradeSamples in each cell.
	gradePlaces, gradeSamples = 32, 12
	// A cell is at most steepestGrade times as long as its neighbour: windows overlap by a share of the shorter one, and the
	// longer one's neurons are to bend there, too. It is the usual bound of graded meshes.
	steepestGrade = 2
	// Edges that would move by less than hardlyGraded of a cell stay: the layers would change, and the solution not.
	hardlyGraded = 0.25
	// Linear problems are graded so many times at most.
	mostGradings = 4
	gradeSeed    = 0x6772616465
)

// gradable tells whether the cells of a problem may be of different lengths: points could otherwise leave its domain, or the part of it
// where an equation holds.
func (c *Config) gradable(p *system.Problem) bool {
	return c.Patches != nil && p.Domain == nil && !slices.ContainsFunc(p.Equations, func(e system.Demand) bool { return e.Refine > 0 || !e.Spread })
}

// cells returns the edges of the present cells along each variable.
func (c *Config) cells(p *system.Problem) [][]float64 {
	if c.edges != nil {
		return c.edges
	}
	layer, err := c.patchLayout(p)
	if err != nil {
		return nil
	}
	return layer.PatchEdges()
}

// grade returns the edges of cells for a state, and whether they differ from the present ones.
func (c *Config) grade(p *system.Problem, state system.State) (edges [][]float64, changed bool) {
	if !c.gradable(p) {
		return nil, false
	}
	now := c.cells(p)
	edges = slices.Clone(now)
	for v, n := range c.Patches {
		if n == 1 {
			continue
		}
		density := densityAlong(p, state, v, now[v])
		if density == nil {
			return nil, false
		}
		next := equidistributed(now[v], density)
		for k := range n {
			length := math.Min(now[v][k+1]-now[v][k], next[k+1]-next[k])
			if math.Abs(next[k]-now[v][k]) > hardlyGraded*length || math.Abs(next[k+1]-now[v][k+1]) > hardlyGraded*length {
				edges[v], changed = next, true
			}
		}
	}
	return edges, changed
}

// densityAlong returns the density at the samples of each cell along a variable; nil where it is not finite.
func densityAlong(p *system.Problem, state system.State, v int, edges []float64) []float64 {
	d, samples := len(p.Variables), (len(edges)-1)*gradeSamples
	unit, place := feature.NewHalton(d, gradeSeed), make([]float64, d)
	points := mat.NewDense(gradePlaces*samples, d, nil)
	for i := range gradePlaces {
		unit.NextTo(place)
		for s := range samples {
			row := points.Row(i*samples + s)
			for k, x := range p.Variables {
				row[k] = x.Min + float64(place[k]*(x.Max-x.Min))
			}
			row[v] = sampleOf(edges, s)
		}
	}
	density, values := make([]float64, samples), make([]float64, points.Rows())
	for f := range p.Fields {
		field := system.Field(f)
		state.ValueTo(values, &field, points)
		spread := slices.Max(values) - slices.Min(values)
		orders := make([]int, d)
		orders[v] = 2
		second := system.Derivative(f, orders...)
		state.ValueTo(values, &second, points)
		if spread == 0 {
			continue
		}
		if !finite(spread) || !finite(squares(values)) {
			return nil
		}
		for s := range density {
			sum := 0.0
			for i := range gradePlaces {
				sum += math.Sqrt(math.Abs(values[i*samples+s]) / spread)
			}
			density[s] = math.Max(density[s], sum/gradePlaces)
		}
	}
	return density
}

// sampleOf is where sample s lies.
func sampleOf(edges []float64, s int) float64 {
	k := s / gradeSamples
	return edges[k] + float64((float64(s%gradeSamples)+0.5)/gradeSamples*(edges[k+1]-edges[k]))
}

// equidistributed returns edges of as many cells, each with the same integral of the density plus its mean.
func equidistributed(edges, density []float64) []float64 {
	n := len(edges) - 1
	length := func(s int) float64 { return (edges[s/gradeSamples+1] - edges[s/gradeSamples]) / gradeSamples }
	total := 0.0
	for s, d := range density {
		total += float64(d * length(s))
	}
	mean := total / (edges[n] - edges[0])
	if mean == 0 {
		return edges
	}
	next := []float64{edges[0]}
	sum, each := 0.0, 2*total/float64(n)
	x := edges[0]
	for s, d := range density {
		part := float64((d + mean) * length(s))
		for len(next) < n && sum+part >= float64(each*float64(len(next))) {
			share := (float64(each*float64(len(next))) - sum) / part
			next = append(next, x+float64(share*length(s)))
		}
		sum += part
		x += length(s)
	}
	for len(next) < n {
		next = append(next, edges[n])
	}
	next = append(next, edges[n])
	return gentle(next)
}

// gentle returns edges with no cell much longer than its neighbours, between the same ends.
func gentle(edges []float64) []float64 {
	n := len(edges) - 1
	lengths := make([]float64, n)
	for k := range lengths {
		lengths[k] = edges[k+1] - edges[k]
	}
	for k := 1; k < n; k++ {
		lengths[k] = math.Min(lengths[k], steepestGrade*lengths[k-1])
	}
	for k := n - 2; k >= 0; k-- {
		lengths[k] = math.Min(lengths[k], steepestGrade*lengths[k+1])
	}
	sum := 0.0
	for _, l := range lengths {
		sum += l
	}
	next := slices.Clone(edges)
	for k := 1; k < n; k++ {
		next[k] = next[k-1] + float64(lengths[k-1]/sum*(edges[n]-edges[0]))
	}
	return next
}

// followCells returns a problem whose points are moved as the cells were: from equal ones to those between edges.
// Those that are not spread over the box stay.
func (c *Config) followCells(p *system.Problem) *system.Problem {
	if c.edges == nil {
		return p
	}
	q := *p
	q.Equations, q.Conditions = slices.Clone(p.Equations), slices.Clone(p.Conditions)
	for _, e := range q.Demands() {
		if e.Spread {
			e.Points = inCells(e.Points, c.edges)
		}
	}
	return &q
}

// inCells moves points as cells of equal lengths were to be those between edges. A coordinate that all points share stays: they
// are on a side of the box.
func inCells(points *mat.Dense, edges [][]float64) *mat.Dense {
	points = points.Clone()
	for v, e := range edges {
		if sameCoordinate(points, v) {
			continue
		}
		for i := range points.Rows() {
			points.Set(i, v, withCells(e, points.At(i, v)))
		}
	}
	return points
}

// sameCoordinate tells whether all points have the same coordinate.
func sameCoordinate(points *mat.Dense, v int) bool {
	for i := range points.Rows() {
		if points.At(i, v) != points.At(0, v) {
			return false
		}
	}
	return true
}

// withCells is where a coordinate goes when equal cells get these edges.
func withCells(edges []float64, x float64) float64 {
	n := len(edges) - 1
	t := float64(n) * (x - edges[0]) / (edges[n] - edges[0])
	k := min(max(int(t), 0), n-1)
	return math.Min(math.Max(edges[k]+float64((t-float64(k))*(edges[k+1]-edges[k])), edges[0]), edges[n])
}
