package posterior

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// With patches (see feature.Config) the row of an equation at a point has the neurons of the few
// patches around it, and sums of squares of rows are a matrix of blocks: one for each pair of patches
// that overlap. Parameters are a border of a few columns. Everything that a Physics does is done with
// sums of squares then, by block: reduction here, the prior in blockprior.go, the covariance in
// blockroot.go, the search in blocksearch.go.

// blockOrder maps the coordinates g of a layer with patches to the columns of its basis. In g the
// weights of a patch are together, field by field, and the parameters are last.
type blockOrder struct {
	patches, fields, neurons int // neurons of a patch
	weights                  int // of all patches
	column                   []int
}

func newBlockOrder(basis system.Basis) *blockOrder {
	o := &blockOrder{patches: basis.Layer.Patches(), fields: basis.Fields()}
	o.neurons = basis.Layer.Neurons() / o.patches
	o.weights = basis.ParameterColumn(0)
	for k := range o.patches {
		for f := range o.fields {
			for j := range o.neurons {
				o.column = append(o.column, (f*o.patches+k)*o.neurons+j)
			}
		}
	}
	for i := range basis.Parameters {
		o.column = append(o.column, o.weights+i)
	}
	return o
}

// size is the number of weights of a patch.
func (o *blockOrder) size() int { return o.fields * o.neurons }

// parameters is their number.
func (o *blockOrder) parameters() int { return len(o.column) - o.weights }

// of returns, for the columns of a basis of some of the patches only, the column of the whole basis and the coordinate.
func (o *blockOrder) of(patches []int) (columns, coordinates []int) {
	for f := range o.fields {
		for _, k := range patches {
			for j := range o.neurons {
				columns = append(columns, (f*o.patches+k)*o.neurons+j)
				coordinates = append(coordinates, (k*o.fields+f)*o.neurons+j)
			}
		}
	}
	for i := range o.parameters() {
		columns, coordinates = append(columns, o.weights+i), append(coordinates, o.weights+i)
	}
	return columns, coordinates
}

// turned returns rows over the columns of the basis as columns in the coordinates g.
func (o *blockOrder) turned(h *mat.Dense, store *storage) *mat.Dense {
	x := store.dense(h.Cols(), h.Rows())
	for i := range h.Rows() {
		row := h.Row(i)
		for k, c := range o.column {
			x.Set(k, i, row[c])
		}
	}
	return x
}

// blockSums is H'H of rows in the coordinates g.
type blockSums struct {
	weights *mat.Skyline
	border  *mat.Dense // weights x parameters
	corner  *mat.Sym   // parameters x parameters
}

// newBlockReduction returns the reduction of no rows.
func newBlockReduction(o *blockOrder, first []int) *reduction {
	m := o.parameters()
	return &reduction{
		blocks: &blockSums{mat.NewSkyline(o.size(), first), mat.NewDense(o.weights, m, nil), mat.NewSym(m, nil)},
		y:      make([]float64, len(o.column)), about: make([]float64, len(o.column)), left: make([]float64, len(o.column)),
	}
}

// plus returns the sums of two reductions, the first multiplied by weight squared.
func (r *reduction) plus(weight float64, other *reduction) *reduction {
	w2 := float64(weight * weight)
	a, b := r.blocks, other.blocks
	first := make([]int, a.weights.Blocks())
	for i := range first {
		first[i] = a.weights.First(i)
	}
	sum := &reduction{
		blocks: &blockSums{mat.NewSkyline(a.weights.Size(), first), b.border.Clone(), b.corner.Clone()},
		y:      slices.Clone(other.y), yy: other.yy + float64(w2*r.yy),
		about: other.about, left: slices.Clone(other.left),
	}
	for i := range first {
		for j := first[i]; j <= i; j++ {
			to, from := sum.blocks.weights.Block(i, j), a.weights.Block(i, j)
			to.CopyFrom(b.weights.Block(i, j))
			for k := range to.Rows() {
				mat.Axpy(w2, from.Row(k), to.Row(k))
			}
		}
	}
	for k := range a.border.Rows() {
		mat.Axpy(w2, a.border.Row(k), sum.blocks.border.Row(k))
	}
	for k := range a.corner.N() {
		mat.Axpy(w2, a.corner.Row(k), sum.blocks.corner.Row(k))
	}
	mat.Axpy(w2, r.y, sum.y)
	mat.Axpy(w2, r.left, sum.left)
	return sum
}

// mulTo sets dst = H'H x.
func (b *blockSums) mulTo(dst, x *mat.Dense) {
	n, m, k := b.border.Rows(), b.border.Cols(), x.Cols()
	weights, parameters := x.Slice(0, n, 0, k), x.Slice(n, n+m, 0, k)
	b.weights.MulTo(dst.Slice(0, n, 0, k), weights)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, b.border, parameters, 1, dst.Slice(0, n, 0, k))
	below := dst.Slice(n, n+m, 0, k)
	mat.Gemm(mat.Trans, mat.NoTrans, 1, b.border, weights, 0, below)
	for i := range m {
		for j := range m {
			mat.Axpy(b.corner.At(i, j), parameters.Row(j), below.Row(i))
		}
	}
}

// diagonal returns element (i, i) of H'H.
func (b *blockSums) diagonal(i int) float64 {
	if n := b.weights.N(); i >= n {
		return b.corner.At(i-n, i-n)
	}
	return b.weights.Diagonal(i)
}

// patchGroup is the points of a demand whose rows have neurons of the same patches.
type patchGroup struct {
	patches []int // ascending
	points  []int
}

// patchGroups returns the groups of a functional's points, in an order that only the patches determine.
func patchGroups(layer *feature.Layer, f *system.Functional, points *mat.Dense) []*patchGroup {
	var places []*mat.Dense
	for i := range f.Terms {
		if over := f.Terms[i].Footprint; over != nil {
			for k := range over.Len() {
				places = append(places, over.Places(k, points))
			}
		}
	}
	known := map[string]*patchGroup{}
	var list []*patchGroup
	var key []byte
	for r := range points.Rows() {
		active := layer.AppendActive(nil, points.Row(r))
		for _, at := range places {
			active = layer.AppendActive(active, at.Row(r))
		}
		slices.SortStableFunc(active, cmp.Compare)
		active, key = slices.Compact(active), key[:0]
		for _, k := range active {
			key = binary.AppendUvarint(key, uint64(k))
		}
		g := known[string(key)]
		if g == nil {
			g = &patchGroup{patches: active}
			known[string(key)] = g
			list = append(list, g)
		}
		g.points = append(g.points, r)
	}
	slices.SortStableFunc(list, func(a, b *patchGroup) int { return slices.Compare(a.patches, b.patches) })
	return list
}

// envelope returns, for each patch, the first patch that it shares a row of equations or conditions with.
func envelope(layer *feature.Layer, p *system.Problem) []int {
	first := make([]int, layer.Patches())
	for i := range first {
		first[i] = i
	}
	for _, e := range p.Demands() {
		if e.SD > 0 {
			continue
		}
		for _, g := range patchGroups(layer, &e.Residual, e.Points) {
			for _, k := range g.patches {
				first[k] = min(first[k], g.patches[0])
			}
		}
	}
	return first
}

// reducePatches is reduceBlocks for a layer with patches.
func (ph *Physics) reducePatches() error {
	o := newBlockOrder(ph.basis)
	ph.blocks = o
	first := envelope(ph.basis.Layer, ph.problem)
	err := ph.eachPatched(func(to **reduction, name string, e *system.Demand, weight float64) error {
		if *to == nil {
			*to = newBlockReduction(o, first)
		}
		ph.rows += e.Points.Rows()
		ph.loosest = math.Max(ph.loosest, e.Tolerance)
		return ph.addPatches(*to, name, e, weight)
	})
	if err != nil {
		return err
	}
	if ph.demanded.open == nil && ph.demanded.fixed == nil { // all have an sd
		ph.demanded.fixed = newBlockReduction(o, first)
	}
	for _, r := range []*reduction{ph.demanded.open, ph.demanded.fixed} {
		ph.steepest = math.Max(ph.steepest, r.largestColumn(o.weights, nil))
	}
	return ph.refer()
}

// eachPatched calls f for every equation and condition, with the reduction that its rows belong to and their weight.
func (ph *Physics) eachPatched(f func(to **reduction, name string, e *system.Demand, weight float64) error) error {
	for label, e := range ph.problem.Demands() {
		if e.SD > 0 { // of the readings' kind
			continue
		}
		tolerance := e.Tolerance
		if tolerance == 0 {
			tolerance = ph.config.Tolerance
		}
		to, weight := &ph.demanded.open, 1/ph.sizes.residual[label.Index]
		if tolerance > 0 {
			to, weight = &ph.demanded.fixed, weight/tolerance
		}
		if err := f(to, label.String(), e, weight); err != nil {
			return err
		}
	}
	return nil
}

// refer solves the rows once, and computes from the rows themselves what that leaves. Solutions from sums of squares have
// errors of the order of eps cond(H'H), relative to what is solved for; after this that is only the difference from a
// solution (Bjorck, Stability analysis of the method of seminormal equations for linear least squares problems, Linear
// Algebra Appl. 88/89, 1987).
func (ph *Physics) refer() error {
	for _, r := range []*reduction{ph.demanded.open, ph.demanded.fixed} {
		if r != nil {
			copy(r.left, r.y)
		}
	}
	all, _ := ph.demanded.at(openSlack, ph.store)
	if all.yy == 0 {
		return nil
	}
	tau, p := ph.referenceTau(openSlack), ph.store.slackPrior().lendBlocks()
	for ; p.chol.Factorize(all.blocks.weights, float64(tau*tau)) != nil; tau *= 10 {
		if tau > looseTau {
			return nil
		}
	}
	about := make([]float64, len(all.y))
	p.solveVec(about[:ph.blocks.weights], all.y[:ph.blocks.weights])
	for _, r := range []*reduction{ph.demanded.open, ph.demanded.fixed} {
		if r != nil {
			r.about = about
			clear(r.left)
		}
	}
	return ph.eachPatched(func(to **reduction, name string, e *system.Demand, weight float64) error {
		return ph.addLeft(*to, name, e, weight)
	})
}

// addPatches adds the rows of one equation or condition, times weight. A few groups of points exist
// at a time, and are added in their order.
func (ph *Physics) addPatches(to *reduction, name string, e *system.Demand, weight float64) error {
	groups := patchGroups(ph.basis.Layer, &e.Residual, e.Points)
	together := 2 * runtime.GOMAXPROCS(0)
	sums, errs := make([]localSums, min(together, len(groups))), make([]error, together)
	norms := 0.0
	for from := 0; from < len(groups); from += together {
		batch := groups[from:min(from+together, len(groups))]
		mat.Parallel(len(batch), func(i int) { errs[i] = ph.sumPatches(&sums[i], name, e, batch[i]) })
		for i := range batch {
			if errs[i] != nil {
				return errs[i]
			}
			norms += sums[i].norms
			sums[i].addTo(to, ph.blocks, ph.scale, weight)
		}
	}
	return saysSomething(name, norms)
}

// addLeft adds what the weights about which a reduction is solved leave of an equation's or condition's rows, times H'.
func (ph *Physics) addLeft(to *reduction, name string, e *system.Demand, weight float64) error {
	groups := patchGroups(ph.basis.Layer, &e.Residual, e.Points)
	left, coordinates, errs := make([][]float64, len(groups)), make([][]int, len(groups)), make([]error, len(groups))
	mat.Parallel(len(groups), func(i int) {
		columns, at := ph.blocks.of(groups[i].patches)
		own, sum := make([]float64, len(columns)), make([]float64, len(columns))
		for k, c := range at {
			own[k] = float64(to.about[c] * ph.scale[columns[k]])
		}
		errs[i] = ph.eachChunk(name, e, groups[i], func(_ system.Basis, rows *mat.Dense, y []float64) {
			mat.Gemv(mat.NoTrans, -1, rows, own, 1, y)
			mat.Gemv(mat.Trans, float64(weight*weight), rows, y, 1, sum)
		})
		for k := range sum {
			sum[k] *= ph.scale[columns[k]]
		}
		left[i], coordinates[i] = sum, at
	})
	for i, sum := range left {
		if errs[i] != nil {
			return errs[i]
		}
		for k, c := range coordinates[i] {
			to.left[c] += sum[k]
		}
	}
	return nil
}

// localSums is the sums of squares of the rows of a group, over the columns of its patches.
type localSums struct {
	patches []int
	basis   system.Basis
	gram    mat.Gram
	hh      mat.Sym
	y       []float64
	yy      float64
	norms   float64
}

// sumPatches makes the rows of a group and sums their squares in s, whose memory it reuses.
func (ph *Physics) sumPatches(s *localSums, name string, e *system.Demand, g *patchGroup) error {
	s.patches, s.norms = g.patches, 0
	begun := false
	err := ph.eachChunk(name, e, g, func(basis system.Basis, rows *mat.Dense, y []float64) {
		if !begun {
			n := basis.Columns()
			s.basis, s.y, begun = basis, resized(s.y, n), true
			s.gram.Reset(n)
			s.hh.Reset(n)
		}
		for i := range y {
			s.norms += squares(rows.Row(i))
		}
		s.gram.Append(rows, y)
	})
	if err != nil {
		return err
	}
	s.yy = s.gram.SumsTo(&s.hh, s.y)
	return nil
}

// eachChunk makes the rows of a group chunk by chunk, over the columns of its patches, with their right-hand sides.
func (ph *Physics) eachChunk(name string, e *system.Demand, g *patchGroup, consume func(basis system.Basis, rows *mat.Dense, y []float64)) error {
	basis := system.NewBasis(ph.basis.Layer.Only(g.patches), ph.basis.Fields(), nil, ph.basis.Parameters)
	n, d := basis.Columns(), e.Points.Cols()
	size := min(len(g.points), chunkRows)
	maker := basis.Compile(&e.Residual, size)
	h, known, points := mat.NewDense(size, n, nil), make([]float64, size), mat.NewDense(size, d, nil)
	for from := 0; from < len(g.points); from += size {
		chunk := g.points[from:min(from+size, len(g.points))]
		for i, r := range chunk {
			copy(points.Row(i), e.Points.Row(r))
		}
		rows, own := h.Slice(0, len(chunk), 0, n), known[:len(chunk)]
		maker.To(rows, own, points.Slice(0, len(chunk), 0, d))
		for i, r := range chunk {
			if err := checkRow(name, r, rows.Row(i), own[i]); err != nil {
				return err
			}
			own[i] = -own[i] // residual = h w + known = 0
		}
		consume(basis, rows, own)
	}
	return nil
}

// addTo adds the sums, with their columns times scale and weight.
func (s *localSums) addTo(to *reduction, o *blockOrder, scale []float64, weight float64) {
	n, m, count := o.neurons, o.parameters(), len(s.patches)
	// Columns of the weights of each patch, and their factors.
	columns, factors := make([][]int, count), make([][]float64, count)
	for i, k := range s.patches {
		for f := range o.fields {
			for j := range n {
				columns[i] = append(columns[i], (f*count+i)*n+j)
				factors[i] = append(factors[i], float64(scale[(f*o.patches+k)*n+j]*weight))
			}
		}
	}
	first := s.basis.ParameterColumn(0)
	for a, k := range s.patches {
		for b, l := range s.patches[:a+1] {
			block := to.blocks.weights.Block(k, l)
			for r, row := range columns[a] {
				into, d, from := block.Row(r), factors[a][r], s.hh.Row(row)
				if a == b {
					into = into[:r+1]
				}
				for c := range into {
					column := columns[b][c]
					v := 0.0
					if column < len(from) {
						v = from[column]
					} else { // another field's
						v = s.hh.At(row, column)
					}
					into[c] += float64(float64(v*d) * factors[b][c])
				}
			}
		}
		for r, row := range columns[a] {
			d, at := factors[a][r], k*o.size()+r
			to.y[at] += float64(float64(s.y[row]*d) * weight)
			border := to.blocks.border.Row(at)
			for p := range border {
				border[p] += float64(float64(s.hh.At(first+p, row)*d) * float64(scale[o.weights+p]*weight))
			}
		}
	}
	for p := range m {
		d := float64(scale[o.weights+p] * weight)
		to.y[o.weights+p] += float64(float64(s.y[first+p]*d) * weight)
		corner := to.blocks.corner.Row(p)
		for q := range corner {
			corner[q] += float64(float64(s.hh.At(first+p, first+q)*d) * float64(scale[o.weights+q]*weight))
		}
	}
	to.yy += float64(float64(s.yy*weight) * weight)
}

// patchSeed is that of the points that represent a patch.
const patchSeed = 0x7061746368

// patchScales is priorScales for a layer with patches: in each patch its neurons together have a field's natural
// size, whatever the window.
func (ph *Physics) patchScales() []float64 {
	scale := make([]float64, ph.basis.Columns())
	layer := ph.basis.Layer
	n := layer.Neurons() / layer.Patches()
	unit := feature.NewHalton(layer.Dimensions(), patchSeed)
	places := mat.NewDense(framePoints, layer.Dimensions(), nil)
	for i := range framePoints {
		unit.NextTo(places.Row(i))
	}
	mat.Parallel(layer.Patches(), func(k int) {
		local := layer.Patch(k)
		box, points := local.Store(), places.Clone()
		for i := range framePoints {
			for v, u := range points.Row(i) {
				points.Set(i, v, box.Center[v]+float64(box.Half[v]*(float64(2*u)-1)))
			}
		}
		variance := variances(nil, local, points)
		for f := range ph.sizes.field {
			ph.neuronScalesTo(scale[(f*layer.Patches()+k)*n:][:n], f, variance, framePoints)
		}
	})
	ph.parameterScalesTo(scale)
	return scale
}

// refusesPatches fails where a problem or configuration asks for what layers with patches do not have.
func (c *Config) refusesPatches(p *system.Problem) error {
	if c.Patches == nil {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return &ConfigError{"features.patches", fmt.Sprintf(format, args...)}
	}
	switch {
	case c.Method != BPIELM && c.Method != "":
		return refuse("only the method bpielm supports them")
	case c.Draw == feature.Published:
		return refuse("published draws do not support them")
	case c.prior:
		return errNoDevice
	case c.Source != nil:
		return refuse("readings in a source of their own are not supported with them")
	case c.Path == SquareRoot:
		return refuse("they have no square-root path")
	}
	for i, over := range p.Over {
		if over != nil {
			return refuse("field %s depends on some of the variables only, which they do not support", p.Fields[i])
		}
	}
	for label, e := range p.Demands() {
		if e.Exact {
			return refuse("%s is exact, which they do not support; state an sd or a tolerance", label.String())
		}
	}
	if n := p.Readings(); n > mostPatchReadings {
		return refuse("%d readings; at most %d are supported with them", n, mostPatchReadings)
	}
	// The layer refuses what is wrong with their number.
	_, err := feature.New(p.Box(), feature.Config{Neurons: 1, Scale: []float64{1}, Patches: c.Patches})
	if err != nil {
		return refuse("%v", err)
	}
	return nil
}

var errNoDevice = &ConfigError{"features.patches", "physics with them cannot be compiled for a device or for an Assimilator; it can be solved"}

// mostPatchReadings bounds the readings, whose covariance is a dense matrix.
const mostPatchReadings = 4000
