package posterior

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
	"github.com/bpielm/bpielm/system"
)

// The covariance of the weights of a layer with patches is not stored as a matrix: it has as many
// columns as there are weights. At one slack, with F the root of the prior at amplitude 1 and Q an
// orthonormal basis of F'P, P the rows of the readings,
//
//	g ~ N( mean, F (a^2 (1 - QQ') + Q C Q') F' ),
//
// because readings tell nothing beyond the span of Q. F is applied by solving with its factor. The
// root of a row h is F'h, of which Q'h is taken apart: no variance is the difference of two numbers.

// blockRoot is a root of the covariance of the weights.
type blockRoot struct {
	order *blockOrder
	scale []float64 // D
	parts []blockPart
	apart *mat.Dense // of each part, the distance of its mean of g from the mean; nil: there is one part

	once       sync.Once
	parameters *mat.Dense // the rows of the parameters, computed on demand

	covarianceOnce sync.Once
	known          *blockCovariance // see covariance
}

// blockPart is one slack.
type blockPart struct {
	share   float64 // square root of its weight
	prior   *blockPrior
	q       *mat.Dense // Q
	inside  *mat.Dense // a root of C
	outside float64    // root mean square of the amplitude
}

// columns returns the number of columns of the root.
func (b *blockRoot) columns() int {
	n := 0
	for i := range b.parts {
		n += b.parts[i].columns()
	}
	if b.apart != nil {
		n += len(b.parts)
	}
	return n
}

func (p *blockPart) columns() int { return p.q.Rows() + p.inside.Cols() }

// rowsTo sets root, rows x columns, to the product of rows of weights and the root.
func (b *blockRoot) rowsTo(root, h *mat.Dense) {
	scaled := h.Clone()
	scaleColumns(scaled, b.scale)
	b.rootTo(root, b.order.turned(scaled, nil))
}

// rootTo is rowsTo for rows in prior standard deviations of the weights, which are the columns of x in the coordinates g. It
// overwrites x.
func (b *blockRoot) rootTo(root, x *mat.Dense) {
	n, rows := x.Dims()
	last := b.columns() - len(b.parts)
	if b.apart != nil {
		mat.Gemm(mat.Trans, mat.Trans, 1, x, b.apart, 0, root.Slice(0, rows, last, last+len(b.parts)))
	}
	all, first := x, 0
	for i := range b.parts {
		p := &b.parts[i]
		x := all
		if i < len(b.parts)-1 {
			x = all.Clone()
		}
		p.prior.mulTrans(x)
		k := p.q.Cols()
		along := mat.NewDense(k, rows, nil)
		mat.Gemm(mat.Trans, mat.NoTrans, 1, p.q, x, 0, along)
		mat.Gemm(mat.NoTrans, mat.NoTrans, -1, p.q, along, 1, x)
		x.Scale(p.outside * p.share)
		root.Slice(0, rows, first, first+n).CopyFrom(x.Transpose())
		mat.Gemm(mat.Trans, mat.NoTrans, p.share, along, p.inside, 0, root.Slice(0, rows, first+n, first+p.columns()))
		first += p.columns()
	}
}

// blockRows is how many rows are predicted at a time.
const blockRows = 128

// eachBlock is component.each for a layer with patches. It calls consume for one row at a time, in any order, several at once.
func (c *component) eachBlock(f system.Functional, points *mat.Dense, deviation bool, consume func(first int, root *mat.Dense, centre []float64)) error {
	return c.eachPatch(f, points, func(g *patchRows) error {
		return g.each(func(rows []int, h *mat.Dense, centre []float64) {
			var root *mat.Dense
			if deviation {
				root = c.rootOf(g, h)
			}
			for i, r := range rows {
				var row *mat.Dense
				if deviation {
					row = root.Slice(i, i+1, 0, root.Cols())
				}
				consume(r, row, centre[i:i+1])
			}
		})
	})
}

// deviationsOfBlocks calls consume with the mean and the standard deviation of each row, in any order, for several at once.
func (c *component) deviationsOfBlocks(f system.Functional, points *mat.Dense, consume func(row int, mean, sd float64)) error {
	return c.eachPatch(f, points, func(g *patchRows) error {
		d := c.newDeviations(g)
		return g.each(func(rows []int, h *mat.Dense, centre []float64) {
			sd := make([]float64, len(rows))
			if others := d.to(sd, h); len(others) > 0 {
				some := mat.NewDense(len(others), h.Cols(), nil)
				for i, r := range others {
					copy(some.Row(i), h.Row(r))
				}
				root := c.rootOf(g, some)
				for i, r := range others {
					sd[r] = mat.Nrm2(root.Row(i))
				}
			}
			for i, r := range rows {
				consume(r, centre[i], sd[i])
			}
		})
	})
}

// patchRows makes the rows of a functional at the points of a group, over the columns of the group's patches only.
type patchRows struct {
	*patchGroup
	basis                system.Basis
	f                    *system.Functional
	at                   *mat.Dense
	own                  []float64 // mean of the weights
	columns, coordinates []int     // see blockOrder.of
}

// eachPatch calls use for the groups of points, several at once.
func (c *component) eachPatch(f system.Functional, points *mat.Dense, use func(g *patchRows) error) error {
	groups := patchGroups(c.basis.Layer, &f, points)
	errs := make([]error, len(groups))
	mat.Parallel(len(groups), func(i int) {
		g := &patchRows{patchGroup: groups[i], f: &f, at: points}
		g.basis = system.NewBasis(c.basis.Layer.Only(g.patches), c.basis.Fields(), nil, c.basis.Parameters)
		g.columns, g.coordinates = c.blocks.order.of(g.patches)
		g.own = make([]float64, len(g.columns))
		for i, k := range g.columns {
			g.own[i] = c.mean[k]
		}
		errs[i] = use(g)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// each makes some rows at a time, h, with their means.
func (g *patchRows) each(use func(rows []int, h *mat.Dense, centre []float64)) error {
	size := min(len(g.points), blockRows)
	maker := g.basis.Compile(g.f, size)
	for from := 0; from < len(g.points); from += size {
		rows := g.points[from:min(from+size, len(g.points))]
		at, h, centre := mat.NewDense(len(rows), g.at.Cols(), nil), mat.NewDense(len(rows), len(g.columns), nil), make([]float64, len(rows))
		for i, r := range rows {
			copy(at.Row(i), g.at.Row(r))
		}
		maker.To(h, centre, at)
		for i, r := range rows {
			if err := checkRow("prediction", r, h.Row(i), centre[i]); err != nil {
				return err
			}
		}
		mat.Gemv(mat.NoTrans, 1, h, g.own, 1, centre)
		use(rows, h, centre)
	}
	return nil
}

// rootOf returns the product of rows of a group and the root of the covariance.
func (c *component) rootOf(g *patchRows, h *mat.Dense) *mat.Dense {
	x := mat.NewDense(len(c.mean), h.Rows(), nil)
	for i := range h.Rows() {
		for k, v := range h.Row(i) {
			x.Set(g.coordinates[k], i, float64(v*c.blocks.scale[g.columns[k]]))
		}
	}
	root := mat.NewDense(h.Rows(), c.blocks.columns(), nil)
	c.blocks.rootTo(root, x)
	return root
}

const (
	// A component has the slacks of the most weight, so many that their factors together have at most blockElements
	// elements, but one at least. Those of less than lightBlock of the largest weight are left out beyond
	// fewElements.
	blockElements = 1 << 26
	fewElements   = 1 << 20
	lightBlock    = 0.02
)

// keptBlocks returns the states of which a component is made, with weights that add up to 1.
func (ph *Physics) keptBlocks(states []state) []state {
	first := envelope(ph.basis.Layer, ph.problem)
	elements := 0
	for i, f := range first {
		elements += (i - f + 1) * ph.blocks.size() * ph.blocks.size()
	}
	kept := slices.Clone(states)
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].logWeight > kept[j].logWeight })
	sum := 0.0
	for i := range kept {
		if total := (i + 1) * elements; i > 0 && (total > blockElements || total > fewElements && kept[i].logWeight < lightBlock*kept[0].logWeight) {
			kept = kept[:i]
			break
		}
		sum += kept[i].logWeight
	}
	for i := range kept {
		kept[i].logWeight /= sum
	}
	return kept
}

// conditionBlocks is condition for a layer with patches.
func (ph *Physics) conditionBlocks(c *layerPosterior, states []state) error {
	states = ph.keptBlocks(states)
	n := len(ph.scale)
	root := &blockRoot{order: ph.blocks, scale: ph.scale}
	means := mat.NewDense(len(states), n, nil)
	centre := make([]float64, n)
	heaviest, slack2 := 0.0, 0.0
	lent := ph.store.slackPrior()
	memory := lent.blockMemory // its factor is not needed any more, and may be large
	lent.blocks, lent.blockMemory = nil, nil
	for i := range states {
		s, p := &states[i], &slackPrior{blockMemory: memory} // a part keeps its factor
		memory = nil
		// States of a step before may be too tight for the sums of this one, see newton.hold.
		for tau := s.tau; ; tau *= 10 {
			err := p.set(s.decomposition, tau)
			if err == nil {
				break
			}
			if tau > looseTau {
				return err
			}
		}
		u := s.observed.under(p)
		if s.logWeight > heaviest {
			heaviest, c.residuals, c.room = s.logWeight, u.residuals(s.nodes), s.decomposition.room(s.tau)
		}
		part, mean := u.blockPart(p, s.nodes)
		part.share = math.Sqrt(s.logWeight)
		root.parts = append(root.parts, part)
		copy(means.Row(i), mean)
		mat.Axpy(s.logWeight, mean, centre)
		slack2 += float64(s.logWeight * s.meanSquareSlack())
	}
	if len(states) > 1 {
		root.apart = means
		for i := range root.parts {
			mat.Axpy(-1, centre, means.Row(i))
			scaleVector(root.parts[i].share, means.Row(i))
		}
	}
	c.mean = make([]float64, n)
	for k, column := range ph.blocks.column {
		c.mean[column] = float64(centre[k] * ph.scale[column])
	}
	c.blocks, c.slack, c.effective = root, math.Sqrt(slack2), math.NaN() // the trace would cost as much as the layer
	c.filled = make([]float64, len(c.room))
	of := c.parameterRoot(0, len(c.room))
	for i, room := range c.room {
		c.filled[i] = mat.Nrm2(of.Row(i)) / float64(room*ph.scale[ph.basis.ParameterColumn(i)])
	}
	return nil
}

// blockPart conditions one slack on the readings, averaged over the nodes, and returns the mean of g.
func (u *underPhysics) blockPart(p *slackPrior, nodes []node) (blockPart, []float64) {
	states := u.statesOf(nodes)
	n, rows := u.x.Dims()
	part := blockPart{prior: p.blocks, outside: math.Sqrt(gauss.MeanSquare(states))}
	var qr mat.QR
	qr.Factorize(u.x)
	k := min(n, rows)
	part.q = mat.NewDense(n, k, nil)
	for i := range k {
		part.q.Set(i, i, 1)
	}
	qr.MulQ(mat.NoTrans, part.q)
	// In the coordinates along Q the rows of the readings are the columns of R.
	part.inside = mat.NewDense(k, k, nil)
	along := u.average.Average(qr.R(), u.r, states, part.inside)
	v := mat.NewDense(n, 1, nil)
	mat.Gemv(mat.NoTrans, 1, part.q, along, 0, v.Data())
	p.mul(v)
	mean := slices.Clone(p.mean)
	mat.Axpy(1, v.Data(), mean)
	return part, mean
}

// uncertain tells whether the component has a covariance.
func (c *component) uncertain() bool { return c.blocks != nil || c.root() != nil }

// rootColumns returns the number of columns of the root of the covariance.
func (c *component) rootColumns() int {
	if c.blocks != nil {
		return c.blocks.columns()
	}
	return c.root().Cols()
}

// rootTo sets root to the product of rows of weights and the root of the covariance.
func (c *component) rootTo(root, h *mat.Dense) {
	if c.blocks != nil {
		c.blocks.rowsTo(root, h)
		return
	}
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, h, c.root(), 0, root)
}

// rowTo sets p to the product of the transposed root and a single row of weights.
func (c *component) rowTo(p []float64, h *mat.Dense) {
	if c.blocks != nil {
		c.blocks.rowsTo(mat.NewDense(1, len(p), p), h)
		return
	}
	mat.Gemv(mat.Trans, 1, c.root(), h.Row(0), 0, p)
}

// at returns the weights at which the root of the covariance has these coordinates.
func (c *component) at(noise []float64) []float64 {
	w := slices.Clone(c.mean)
	if c.blocks == nil {
		mat.Gemv(mat.NoTrans, 1, c.root(), noise, 1, w)
		return w
	}
	g := c.blocks.mul(noise)
	for k, column := range c.blocks.order.column {
		w[column] += float64(c.blocks.scale[column] * g[k])
	}
	return w
}

// mul returns the root times a vector, in the coordinates g.
func (b *blockRoot) mul(noise []float64) []float64 {
	n := len(b.scale)
	g := make([]float64, n)
	for i := range b.parts {
		p := &b.parts[i]
		own, inside := slices.Clone(noise[:n]), noise[n:p.columns()]
		noise = noise[p.columns():]
		along := make([]float64, p.q.Cols())
		mat.Gemv(mat.Trans, -p.outside, p.q, own, 0, along)
		mat.Gemv(mat.NoTrans, 1, p.inside, inside, 1, along)
		scaleVector(p.outside, own)
		mat.Gemv(mat.NoTrans, 1, p.q, along, 1, own)
		p.prior.mul(mat.NewDense(n, 1, own))
		mat.Axpy(p.share, own, g)
	}
	if b.apart != nil {
		mat.Gemv(mat.Trans, 1, b.apart, noise, 1, g)
	}
	return g
}

// parameterRoot returns the rows of the root for count parameters from one on, not a copy where the root is a matrix.
func (c *component) parameterRoot(from, count int) *mat.Dense {
	if c.blocks == nil {
		first := c.basis.ParameterColumn(from)
		return c.root().Slice(first, first+count, 0, c.root().Cols())
	}
	b := c.blocks
	b.once.Do(func() {
		m := b.order.parameters()
		h := mat.NewDense(m, len(c.mean), nil)
		b.parameters = mat.NewDense(m, b.columns(), nil)
		for i := range m {
			h.Set(i, b.order.weights+i, 1)
		}
		if m > 0 {
			b.rowsTo(b.parameters, h)
		}
	})
	return b.parameters.Slice(from, from+count, 0, b.columns())
}
