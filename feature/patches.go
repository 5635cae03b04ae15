package feature

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// A layer with patches has neurons with local support, for solutions that vary over much less than
// the box. The box is cut into a grid of cells. Each cell has a window, a smooth function that is 1
// inside the cell and 0 outside its patch, which overlaps with its neighbours; the windows add up to
// 1 everywhere. A patch is drawn neurons like a layer of its own, in the coordinates that map the
// patch to [-1, 1] in every variable, and they are multiplied by its window (a partition of unity
// [Babuska & Melenk, The partition of unity method, Int. J. Numer. Methods Eng. 40, 1997]). The field
// and all its derivatives up to MaxOrder are continuous.

// overlap is how far a patch reaches into the neighbouring cells, as a share of their side. At most half of a
// cell is possible: windows of patches that are not neighbours do not overlap.
const overlap = 0.3

// maxPatches bounds the number of patches of a layer.
const maxPatches = 1 << 16

// grid is the cells of a layer with patches.
type grid struct {
	counts []int       // of cells along each variable
	slow   []int       // variables, from that with the most cells on: the last one's cell changes first
	edges  [][]float64 // where cells begin along each variable, and where the last one ends
	blends [][]float64 // how far the patches to both sides of an edge reach across it
}

// patch is a cell with its neurons.
type patch struct {
	cell  []int // its place along each variable
	local *Layer
}

// newGrid returns a grid of cells between edges along each variable; nil edges are those of equal cells.
func newGrid(box Box, counts []int, edges [][]float64) (*grid, error) {
	d := len(box.Min)
	if len(counts) != d {
		return nil, Error(fmt.Sprintf("%d numbers of patches for %d variables", len(counts), d))
	}
	if slices.Contains(box.Log, true) {
		return nil, Error("patches cannot have logarithmic axes")
	}
	if edges != nil && len(edges) != d {
		return nil, Error(fmt.Sprintf("edges of patches along %d variables for %d", len(edges), d))
	}
	g := &grid{counts: slices.Clone(counts)}
	all := 1
	for i, n := range counts {
		if n < 1 || n > maxPatches || all*n > maxPatches {
			return nil, Error(fmt.Sprintf("%v patches; at least one along each variable and at most %d in all are possible", counts, maxPatches))
		}
		all *= n
		own := make([]float64, n+1)
		if edges != nil && edges[i] != nil {
			own = slices.Clone(edges[i])
		} else {
			side := (box.Max[i] - box.Min[i]) / float64(n)
			for k := range own {
				own[k] = box.Min[i] + float64(float64(k)*side)
			}
			own[n] = max(own[n], box.Max[i])
		}
		if len(own) != n+1 {
			return nil, Error(fmt.Sprintf("%d edges of %d patches along variable %d", len(own), n, i+1))
		}
		blends := make([]float64, n+1)
		for k := range n {
			side := own[k+1] - own[k]
			if !(side > 0) || math.IsInf(side, 0) {
				return nil, Error(fmt.Sprintf("edges of patches along variable %d, %g and %g, do not ascend", i+1, own[k], own[k+1]))
			}
			if blends[k+1] = overlap * side; k > 0 {
				blends[k] = min(blends[k], blends[k+1])
			}
		}
		g.edges, g.blends, g.slow = append(g.edges, own), append(g.blends, blends), append(g.slow, i)
	}
	slices.SortStableFunc(g.slow, func(a, b int) int { return counts[b] - counts[a] })
	return g, nil
}

// patches returns how many there are.
func (g *grid) patches() int {
	n := 1
	for _, c := range g.counts {
		n *= c
	}
	return n
}

// index returns the number of a patch. Numbers of neighbours differ least along the variables with
// the fewest cells, so that what couples neighbours is a narrow band.
func (g *grid) index(cell []int) int {
	n := 0
	for _, v := range g.slow {
		n = n*g.counts[v] + cell[v]
	}
	return n
}

// cell is the inverse of index.
func (g *grid) cell(index int) []int {
	cell := make([]int, len(g.counts))
	for _, v := range slices.Backward(g.slow) {
		cell[v] = index % g.counts[v]
		index /= g.counts[v]
	}
	return cell
}

// box returns the box of a patch.
func (g *grid) box(cell []int) Box {
	b := Box{Min: make([]float64, len(cell)), Max: make([]float64, len(cell))}
	for v, c := range cell {
		b.Min[v], b.Max[v] = g.edges[v][c], g.edges[v][c+1]
		if c > 0 {
			b.Min[v] -= g.blends[v][c]
		}
		if c < g.counts[v]-1 {
			b.Max[v] += g.blends[v][c+1]
		}
	}
	return b
}

// span returns the first and the last cell along a variable whose windows are not 0 at x. Beyond the
// box the outermost cell goes on.
func (g *grid) span(v int, x float64) (first, last int) {
	edges, blends, n := g.edges[v], g.blends[v], g.counts[v]
	k, _ := slices.BinarySearch(edges[1:n], math.Nextafter(x, math.Inf(1))) // the last cell that begins at x or before
	first, last = k, k
	if k > 0 && x < edges[k]+blends[k] {
		first--
	}
	if k < n-1 && x > edges[k+1]-blends[k+1] {
		last++
	}
	return first, last
}

// step returns the derivative of order k of the window of cell c along a variable at x.
func (g *grid) step(v, c, k int, x float64) float64 {
	up, down := 0.0, 0.0
	if c > 0 {
		up = g.stepAt(v, c, k, x)
	} else if k == 0 {
		up = 1
	}
	if c < g.counts[v]-1 {
		down = g.stepAt(v, c+1, k, x)
	}
	return up - down
}

// stepAt returns the derivative of order k of the step from 0 to 1 across an edge.
func (g *grid) stepAt(v, edge, k int, x float64) float64 {
	blend := g.blends[v][edge]
	w := smoothStep(k, (x-g.edges[v][edge])/blend)
	for range k {
		w /= blend
	}
	return w
}

// The step from 0 at -1 to 1 at 1 has the derivative c (1 - t^2)^q, with q so large that all derivatives up to MaxOrder
// are continuous. Derivative k+1 is c (1 - t^2)^(q-k) times a polynomial, stepFactors[k].
const stepOrder = MaxOrder

var (
	stepSeries  [stepOrder + 1]float64 // of the integral: coefficients of t, t^3, ...
	stepScale   float64                // c
	stepFactors [MaxOrder][]float64    // coefficients in ascending order
)

func init() {
	c, sum := 1.0, 0.0
	for k := range stepSeries { // (1 - t^2)^q = sum of (-1)^k C(q, k) t^2k
		stepSeries[k] = c / float64(2*k+1)
		sum += stepSeries[k]
		c *= -float64(stepOrder-k) / float64(k+1)
	}
	stepScale = 1 / (2 * sum)
	stepFactors[0] = []float64{1}
	for k := 1; k < MaxOrder; k++ { // (1 - t^2) p' - 2 (q - k + 1) t p
		p := stepFactors[k-1]
		next := make([]float64, len(p)+1)
		for i, a := range p {
			if i > 0 {
				next[i-1] += float64(float64(i) * a)
			}
			next[i+1] -= float64(float64(i+2*(stepOrder-k+1)) * a)
		}
		stepFactors[k] = next
	}
}

// smoothStep returns the derivative of order k of the step at t.
func smoothStep(k int, t float64) float64 {
	switch {
	case t <= -1:
		return 0
	case t >= 1:
		if k == 0 {
			return 1
		}
		return 0
	}
	s := float64(t * t)
	if k == 0 {
		sum := 0.0
		for _, c := range slices.Backward(stepSeries[:]) {
			sum = mat.FMA(sum, s, c)
		}
		return min(max(mat.FMA(float64(sum*t), stepScale, 0.5), 0), 1)
	}
	p := 0.0
	for _, c := range slices.Backward(stepFactors[k-1]) {
		p = mat.FMA(p, t, c)
	}
	p *= stepScale
	for range stepOrder - k + 1 {
		p *= 1 - s
	}
	return p
}

// newPatched draws a layer with patches.
func newPatched(box Box, c Config) (*Layer, error) {
	if c.Draw == Published {
		return nil, Error("published draws cannot have patches")
	}
	whole := c
	whole.Patches, whole.Edges, whole.Neurons, whole.Constant = nil, nil, 1, false
	l, err := New(box, whole) // for the coordinates of the box
	if err != nil {
		return nil, err
	}
	g, err := newGrid(l.box(box.Log), c.Patches, c.Edges)
	if err != nil {
		return nil, err
	}
	l.grid, l.slopes, l.bias, l.across, l.steep = g, nil, nil, nil, nil
	for i := range g.patches() {
		cell, own := g.cell(i), c
		own.Patches, own.Edges, own.Seed = nil, nil, c.Seed+uint64(i)*patchStream
		local, err := New(g.box(cell), own)
		if err != nil {
			return nil, err
		}
		l.patches = append(l.patches, patch{cell, local})
	}
	return l, nil
}

// box returns the layer's box, as its center and half say.
func (l *Layer) box(log []bool) Box {
	b := Box{Min: make([]float64, len(l.center)), Max: make([]float64, len(l.center)), Log: log}
	for i, c := range l.center {
		b.Min[i], b.Max[i] = c-l.half[i], c+l.half[i]
	}
	return b
}

// patchStream separates the seeds of patches.
const patchStream = 0xd1342543de82ef95

// Patches returns the number of patches of the layer; 0 if it has none.
func (l *Layer) Patches() int { return len(l.patches) }

// Patch returns the neurons of patch i without their window, as a layer on the patch's box. Column j of the patch is
// column i times its number of neurons plus j of the layer. Patches that overlap have numbers that are close.
func (l *Layer) Patch(i int) *Layer { return l.patches[i].local }

// PatchCounts returns the number of cells along each variable; nil if the layer has no patches.
func (l *Layer) PatchCounts() []int {
	if l.grid == nil {
		return nil
	}
	return slices.Clone(l.grid.counts)
}

// PatchEdges returns the edges of the cells along each variable, see Config.Edges; nil if the layer has no patches.
func (l *Layer) PatchEdges() [][]float64 {
	if l.grid == nil {
		return nil
	}
	edges := make([][]float64, len(l.grid.edges))
	for v, e := range l.grid.edges {
		edges[v] = slices.Clone(e)
	}
	return edges
}

// AppendActive appends to list the numbers of the patches whose windows are not 0 at the point x, in ascending order.
// It is for layers with all their patches.
func (l *Layer) AppendActive(list []int, x []float64) []int {
	begin, d := len(list), len(l.grid.counts)
	first, last, cell := make([]int, d), make([]int, d), make([]int, d)
	for v := range d {
		first[v], last[v] = l.grid.span(v, x[v])
	}
	copy(cell, first)
	for {
		list = append(list, l.grid.index(cell))
		v := 0
		for v < d && cell[v] == last[v] {
			cell[v] = first[v]
			v++
		}
		if v == d {
			break
		}
		cell[v]++
	}
	slices.SortStableFunc(list[begin:], cmp.Compare)
	return list
}

// Only returns a layer of some of the patches, in the given order. Each neuron, with its window, is that of l. It panics with
// mat.Error if there is no such patch, or none is given.
func (l *Layer) Only(patches []int) *Layer {
	some := *l
	some.patches = make([]patch, len(patches))
	for i, k := range patches {
		if k < 0 || k >= len(l.patches) {
			panic(mat.Error("feature: Only: there is no such patch"))
		}
		some.patches[i] = l.patches[k]
	}
	if len(patches) == 0 {
		panic(mat.Error("feature: Only: at least one patch is needed"))
	}
	return &some
}

// patchedTo is operatorsTo for a layer with patches. Each patch is computed at the points where its window is not 0.
func (l *Layer) patchedTo(dst []*mat.Dense, points *mat.Dense, operators [][]Term) {
	l.checkOperators(dst, points, operators)
	for _, m := range dst {
		m.Zero()
	}
	n := l.patches[0].local.Neurons()
	mat.Parallel(len(l.patches), func(i int) {
		p := &l.patches[i]
		inside, across := l.grid.where(p.cell, points)
		if len(inside) > 0 {
			p.rowsTo(dst, i*n, inside, selected(points, inside), atRows(operators, inside))
		}
		if len(across) > 0 {
			some := selected(points, across)
			p.rowsTo(dst, i*n, across, some, l.grid.windowed(p.cell, some, atRows(operators, across)))
		}
	})
}

// where returns the points at which the window of a cell is 1, and those at which it is neither 1 nor 0.
func (g *grid) where(cell []int, points *mat.Dense) (inside, across []int) {
	for r := range points.Rows() {
		whole, outside := true, false
		for v, x := range points.Row(r) {
			first, last := g.span(v, x)
			outside = outside || cell[v] < first || cell[v] > last
			whole = whole && first == last
		}
		switch {
		case outside:
		case whole:
			inside = append(inside, r)
		default:
			across = append(across, r)
		}
	}
	return inside, across
}

// selected returns some of the points.
func selected(points *mat.Dense, rows []int) *mat.Dense {
	some := mat.NewDense(len(rows), points.Cols(), nil)
	for i, r := range rows {
		copy(some.Row(i), points.Row(r))
	}
	return some
}

// atRows returns operators for some of their points.
func atRows(operators [][]Term, rows []int) [][]Term {
	some := make([][]Term, len(operators))
	for i, terms := range operators {
		some[i] = slices.Clone(terms)
		for k := range some[i] {
			if t := &some[i][k]; len(t.Coefficient) > 1 {
				values := make([]float64, len(rows))
				for j, r := range rows {
					values[j] = t.Coefficient[r]
				}
				t.Coefficient = values
			}
		}
	}
	return some
}

// rowsTo sets rows of dst, from a column on, to operators of the neurons without their window at points, one for each row.
func (p *patch) rowsTo(dst []*mat.Dense, column int, rows []int, points *mat.Dense, operators [][]Term) {
	parts := make([]*mat.Dense, len(dst))
	for i := range parts {
		parts[i] = mat.NewDense(len(rows), p.local.Neurons(), nil)
	}
	p.local.OperatorsTo(parts, points, operators)
	for i, part := range parts {
		for k, r := range rows {
			copy(dst[i].Row(r)[column:], part.Row(k))
		}
	}
}

// windowed returns operators which, applied to a function, have the value of the given ones applied to the window of a cell
// times that function: by the product rule.
func (g *grid) windowed(cell []int, points *mat.Dense, operators [][]Term) [][]Term {
	n, d := points.Dims()
	highest := make([]int, d)
	for _, terms := range operators {
		for _, t := range terms {
			for v, order := range t.Derivative {
				highest[v] = max(highest[v], order)
			}
		}
	}
	steps := make([][][]float64, d) // of each variable and order, the window's derivative at the points
	for v := range d {
		steps[v] = make([][]float64, highest[v]+1)
		for k := range steps[v] {
			steps[v][k] = make([]float64, n)
			for r := range n {
				steps[v][k][r] = g.step(v, cell[v], k, points.At(r, v))
			}
		}
	}
	all := make([][]Term, len(operators))
	for i, terms := range operators {
		for _, t := range terms {
			all[i] = addProducts(all[i], t, steps)
		}
	}
	return all
}

// addProducts adds to sum the terms of the product rule for a term. Those with the same derivative become one.
func addProducts(sum []Term, t Term, steps [][][]float64) []Term {
	d, n := len(steps), len(steps[0][0])
	of := make([]int, d) // the derivative of the function; the rest is that of the window
	for {
		c := make([]float64, n)
		for r := range c {
			c[r] = 1
			if k := len(t.Coefficient); k > 0 {
				c[r] = t.Coefficient[min(r, k-1)]
			}
		}
		for v := range d {
			order := 0
			if v < len(t.Derivative) {
				order = t.Derivative[v]
			}
			ways := binomial(order, of[v])
			for r, w := range steps[v][order-of[v]] {
				c[r] *= ways * w
			}
		}
		if i := slices.IndexFunc(sum, func(s Term) bool { return slices.Equal(s.Derivative, of) }); i >= 0 {
			mat.Axpy(1, c, sum[i].Coefficient)
		} else {
			sum = append(sum, Term{slices.Clone(of), c})
		}
		v := 0
		for ; v < len(t.Derivative) && of[v] == t.Derivative[v]; v++ {
			of[v] = 0
		}
		if v >= len(t.Derivative) {
			return sum
		}
		of[v]++
	}
}

// binomial returns the number of ways to choose k of n.
func binomial(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

func (l *Layer) storePatches() Stored {
	if len(l.patches) != l.grid.patches() {
		panic(mat.Error("feature: Store: the layer has only some of its patches"))
	}
	s := Stored{
		Activation: l.activation, Patches: slices.Clone(l.grid.counts), Edges: l.PatchEdges(),
		Scale: slices.Clone(l.scale), Center: slices.Clone(l.center), Half: slices.Clone(l.half),
	}
	for i := range l.patches {
		local := l.patches[i].local
		s.Slopes = append(s.Slopes, local.slopes.Data()...)
		s.Bias = append(s.Bias, local.bias...)
	}
	return s
}

// restorePatches is Restore of a layer with patches.
func restorePatches(s Stored) (*Layer, error) {
	d := len(s.Center)
	if d == 0 || len(s.Half) != d || len(s.Scale) != d {
		return nil, Error("the parts of a stored layer do not fit together")
	}
	whole := s
	whole.Patches, whole.Edges, whole.Slopes, whole.Bias = nil, nil, make([]float64, d), make([]float64, 1)
	l, err := Restore(whole) // checks the box and the activation
	if err != nil {
		return nil, err
	}
	if l.grid, err = newGrid(l.box(s.Log), s.Patches, s.Edges); err != nil {
		return nil, err
	}
	count := l.grid.patches()
	n := len(s.Bias) / count
	if n == 0 || len(s.Bias) != n*count || len(s.Slopes) != n*count*d {
		return nil, Error("the parts of a stored layer do not fit together")
	}
	l.slopes, l.bias, l.across, l.steep = nil, nil, nil, nil
	for i := range count {
		cell := l.grid.cell(i)
		own := s
		own.Patches, own.Edges, own.Slopes, own.Bias = nil, nil, s.Slopes[i*n*d:(i+1)*n*d], s.Bias[i*n:(i+1)*n]
		own.Center, own.Half = make([]float64, d), make([]float64, d)
		box := l.grid.box(cell)
		for v, low := range box.Min { // as setBox
			own.Half[v] = (box.Max[v] - low) / 2
			own.Center[v] = low + own.Half[v]
		}
		local, err := Restore(own)
		if err != nil {
			return nil, err
		}
		l.patches = append(l.patches, patch{cell, local})
	}
	return l, nil
}
