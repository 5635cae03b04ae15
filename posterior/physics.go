package posterior

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Path names the linear algebra that reduces the rows.
type Path string

const (
	// Auto takes GramPath where there are many rows and a bound on the condition
	// number shows that it is sound, and SquareRoot elsewhere.
	Auto Path = "auto"
	// SquareRoot streams the rows through Householder QR and takes the
	// singular values of R: accurate to the data.
	SquareRoot Path = "sqrt"
	// GramPath accumulates H'H and takes its eigenvalues: faster for many rows,
	// but it squares the condition number.
	GramPath Path = "gram"
	// autoSums is GramPath where it was not asked for.
	autoSums Path = "auto, gram"
)

// CompileConfig says how physics is compiled. Tolerance is the slack of equations
// and conditions that state none: the standard deviation by which they may be missed,
// relative to their largest term; 0 integrates over it.
type CompileConfig struct {
	Tolerance float64
	Path      Path
}

// Physics is the prior of the weights as equations and conditions have shaped it, for
// every amplitude and slack at once. With D the prior scales, which make a field's
// prior sd its natural size, T the size of each equation, and the bidiagonal form
// T^-1 H_f D = U B V', the weights are w = D V g, and under physics at slack e and
// amplitude a, tau = e/a,
//
//	g ~ N( (B'B + tau^2 I)^-1 B'c,  a^2 tau^2 (B'B + tau^2 I)^-1 ),   c = U' T^-1 y_f.
//
// A triangle R with R'R = B'B + tau^2 I costs O(n) for each tau. What this prior says of
// parameters is replaced in parameters.go.
//
// It is immutable and safe for concurrent use.
type Physics struct {
	problem *system.Problem
	basis   system.Basis
	config  CompileConfig
	path    Path
	sizes   *sizes

	scale    []float64    // D
	demanded rowStack     // what shapes the prior, in the coordinates that exact leaves free
	exact    *elimination // of the exact conditions; nil without
	steepest float64      // largest norm of a neuron's column in demanded.open, or fixed
	rows     int
	loosest  float64 // the largest tolerance of a block's own
	assemble time.Duration
	store    *storage
	doubts   *doubts // what is asked in passing; nil: nothing
	louder   bool    // stated noise may be too small, see addLouder
	maximum  bool    // the most probable hyper-parameters are taken, as Config says

	shape *shape // the decomposition when no block has its own tolerance, or all have
}

// shape is the decomposition at a given state of the tolerances: bidiagonal or, on
// the way there, sums of squares as they are.
type shape struct {
	d, e     []float64   // B: its diagonal and the elements above
	c        []float64   // U' y_f / T, its first n elements
	rest     float64     // squared norm of the others
	right    rightFactor // nil: V = I
	unitOpen bool        // B is to be divided by the open tolerance

	sums  *reduction // instead of B
	front int        // with sums: how many columns, those of parameters, come before all others
	known []float64  // with sums: coordinates that exact conditions have settled, the last ones

	parameters *mat.Dense // columns, one for each parameter, that pick it out of all coordinates; nil: none
	particular *particular

	vectors   sync.Once
	transpose *mat.Dense // V', made where it is asked for
}

// vt returns V', not a copy.
func (sh *shape) vt() *mat.Dense {
	sh.vectors.Do(func() { sh.transpose = sh.right.VTrans() })
	return sh.transpose
}

// rightFactor is V, n x n with orthonormal columns.
type rightFactor interface {
	MulRightV(h *mat.Dense) // H = H V
	MulV(x []float64)       // x = V x
	VTrans() *mat.Dense     // V'
}

// Compile shapes the prior of the weights of layer by the problem's equations
// and conditions. What is natural in size is taken from the problem, its readings
// included where it has some; see Assimilate for others. The problem is kept: do not
// change it afterwards. It fails with a *system.ProblemError when the problem is
// inconsistent, with a *DataError when a row is not finite, and with
// *mat.NotConvergedError.
func Compile(p *system.Problem, layer *feature.Layer, c CompileConfig) (*Physics, error) {
	p = balanced(p.ForNeurons(layer.Neurons()))
	frame, err := newFrame(p)
	if err != nil {
		return nil, err
	}
	return compile(frame, layer, c, frame.sizes, nil)
}

// frame is what all layers of a problem have in common.
type frame struct {
	problem *system.Problem
	sizes   *sizes
	domain  *mat.Dense  // points all over the domain
	weights [][]float64 // of each reading, see outliers.go; nil: all are 1
	fits    float64     // log density of those of Student's noise, each given all others, when weights were last found
}

// framePoints is how many points stand for the domain when a field's prior is scaled.
const framePoints = 128

func newFrame(p *system.Problem) (*frame, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if len(p.Coefficients) > 0 {
		return nil, &system.ProblemError{Where: fmt.Sprintf("coefficient %q", p.Coefficients[0].Name), Why: "it is unknown, and only Fit infers coefficients: state its value"}
	}
	points, err := system.Collocation(p.Variables, p.Domain, framePoints, frameSeed)
	if err != nil {
		return nil, err
	}
	return &frame{problem: p, sizes: naturalSizes(p), domain: points}, nil
}

const frameSeed = 0x6672616d65

// compile is Compile in memory that is lent, at given sizes.
func compile(f *frame, layer *feature.Layer, c CompileConfig, s *sizes, store *storage) (*Physics, error) {
	if !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0) {
		return nil, &ConfigError{"tolerance", fmt.Sprintf("%g is not a number of at least 0", c.Tolerance)}
	}
	p := f.problem
	ph := &Physics{problem: p, basis: p.Basis(layer), config: c, sizes: s, store: store}
	var err error
	if ph.path, err = ph.choosePath(c.Path); err != nil {
		return nil, err
	}
	ph.scale = ph.priorScales(f.domain)
	begin := time.Now()
	if err := ph.reduceBlocks(); err != nil {
		return nil, err
	}
	ph.assemble = time.Since(begin)
	if ph.demanded.open == nil || ph.demanded.fixed == nil {
		if ph.shape, err = ph.decompose(1); err != nil {
			return nil, err
		}
	}
	return ph, nil
}

// gramSound bounds the relative error that squaring the condition number may
// bring into the variances: eps |A|^2 for A = H_f D^1/2 / (tau r).
const gramSound = 1e-6

// gramRows is how many rows a column there must be for sums to be worth the
// eigenvalues that they need.
const gramRows = 16

// manyRows tells whether equations and conditions have that many.
func manyRows(p *system.Problem, basis system.Basis) bool {
	rows := 0
	for _, e := range p.Demands() {
		rows += e.Points.Rows()
	}
	return rows >= gramRows*basis.Columns()
}

// choosePath settles Auto: the squared norm of A is at most its trace, which
// is known before any row is made, because rows are normalised.
func (ph *Physics) choosePath(asked Path) (Path, error) {
	switch asked {
	case SquareRoot, GramPath:
		return asked, nil
	case autoSums:
		return GramPath, nil
	case Auto, "":
	default:
		return "", &ConfigError{"path", fmt.Sprintf("unknown path %q; expected auto, sqrt or gram", string(asked))}
	}
	if manyRows(ph.problem, ph.basis) && ph.config.Tolerance > 0 {
		tightest, rows := ph.config.Tolerance, 0
		for _, e := range ph.problem.Demands() {
			rows += e.Points.Rows()
			if e.Tolerance > 0 {
				tightest = math.Min(tightest, e.Tolerance)
			}
		}
		if epsilon*float64(rows)/float64(tightest*tightest) <= gramSound {
			return GramPath, nil
		}
	}
	return SquareRoot, nil
}

// epsilon is the distance from 1 to the next float64.
const epsilon = 0x1p-52

// reduceBlocks divides the rows of each equation and condition by its size, and by its own tolerance where it
// has one, and joins them: one reduced block exists at a time.
func (ph *Physics) reduceBlocks() error {
	open, fixed, exact := joiner{store: ph.store}, joiner{store: ph.store}, joiner{store: ph.store}
	var names []string
	sums, n := ph.path == GramPath, len(ph.scale)
	for label, e := range ph.problem.Demands() {
		if e.SD > 0 { // of the readings' kind
			continue
		}
		tolerance := e.Tolerance
		if tolerance == 0 {
			tolerance = ph.config.Tolerance
		}
		name, to, weight := label.String(), &open, 1/ph.sizes.residual[label.Index]
		switch {
		case e.Exact:
			to, names = &exact, append(names, name)
		case tolerance > 0:
			to, weight = &fixed, weight/tolerance
		}
		to.prepare(n, sums && !e.Exact)
		mark := ph.store.mark()
		reduced, err := ph.reduceBlock(name, e)
		if err != nil {
			return err
		}
		to.add(ph.part(reduced, weight))
		ph.store.rewind(mark)
		ph.rows += e.Points.Rows()
		ph.loosest = math.Max(ph.loosest, e.Tolerance)
	}
	ph.demanded = rowStack{open.joined(), fixed.joined()}
	if ph.demanded.open == nil && ph.demanded.fixed == nil { // all is exact or has an sd
		none := &reduction{r: mat.NewDense(n, n, nil), y: make([]float64, n)}
		if sums {
			none = &reduction{hh: mat.NewSym(n, nil), y: make([]float64, n)}
		}
		ph.demanded.fixed = joined([]part{{none, ph.scale, 1}}, ph.store)
	}
	for _, r := range []*reduction{ph.demanded.open, ph.demanded.fixed} {
		ph.steepest = math.Max(ph.steepest, r.largestColumn(ph.basis.ParameterColumn(0)))
	}
	if names == nil {
		return nil
	}
	var err error
	if ph.exact, err = eliminate(exact.joined(), names); err != nil {
		return err
	}
	ph.demanded = rowStack{ph.exact.leave(ph.demanded.open), ph.exact.leave(ph.demanded.fixed)}
	return nil
}

// reduceBlock reduces the rows of one equation or condition.
func (ph *Physics) reduceBlock(name string, e *system.Demand) (*reduction, error) {
	path, n := ph.path, e.Points.Rows()
	if e.Exact { // what is eliminated is eliminated by rows
		path = SquareRoot
	}
	type segment struct {
		rows  *accumulator
		norms float64 // sum of squares
	}
	store := ph.store.upTo(n)
	var rows *accumulator
	norms := 0.0
	err := inSegments(n, func(from, to int) (*segment, error) {
		s := &segment{rows: newAccumulator(ph.basis.Columns(), path, store)}
		return s, streamRows(store, name, ph.basis, &e.Residual, e.Points, from, to, func(_ int, h *mat.Dense, known []float64) {
			for i := range known {
				s.norms += squares(h.Row(i))
				// residual = h w + known = 0, so the row's right-hand side is -known
				known[i] = -known[i]
			}
			s.rows.append(h, known)
		})
	}, func(s *segment) {
		if rows == nil {
			rows = s.rows
		} else {
			rows.merge(s.rows)
		}
		norms += s.norms
	})
	if err != nil {
		return nil, err
	}
	reduced := rows.reduced()
	if !(norms > 0) || !finite(norms) {
		return nil, dataError(name, "its rows have squared norm %g: it says nothing about the unknowns, or overflows", norms)
	}
	return reduced, nil
}

// levelWidth is how many times larger than the level of its readings, or its natural
// size, a field's level may be.
const levelWidth = 2

// The prior of a parameter does not depend on the amplitude: rows like readings say what it is, and what
// the weights' prior says of it, at amplitude 1, is so many times wider. That need not be as wide where
// only the order of the parameter is guessed, and less is lost in rounding.
const (
	flatParameter    = 1e3
	naturalParameter = 1e2
)

// priorScales returns D: with amplitude 1 the neurons of a field together have its
// natural size as their standard deviation over the domain, about their mean there,
// and a neuron that is constant has the field's level.
func (ph *Physics) priorScales(domain *mat.Dense) []float64 {
	scale := make([]float64, ph.basis.Columns())
	var layer *feature.Layer
	var variance []float64
	for f, size := range ph.sizes.field {
		if own := ph.basis.FieldLayer(f); own != layer { // most fields share theirs
			layer, variance = own, ph.variances(own, domain)
		}
		spread := math.Sqrt(mat.Sum(variance) / float64(domain.Rows()))
		first, _ := ph.basis.FieldColumns(f)
		for j, v := range variance {
			if v > 0 {
				scale[first+j] = size / spread
			} else {
				scale[first+j] = levelWidth * math.Max(math.Abs(ph.sizes.level[f]), size)
			}
		}
	}
	for j, v := range ph.sizes.parameter {
		v *= naturalParameter
		if q := &ph.problem.Parameters[j]; q.SD > 0 {
			v = flatParameter * math.Max(q.SD, math.Abs(q.Mean))
		}
		scale[ph.basis.ParameterColumn(j)] = v
	}
	return scale
}

// variances returns by how much each neuron varies over the domain: the sum of squared distances from its mean.
func (ph *Physics) variances(layer *feature.Layer, domain *mat.Dense) []float64 {
	neurons, n := layer.Neurons(), domain.Rows()
	phi := ph.store.dense(n, neurons)
	layer.RowsTo(phi, domain, []feature.Term{{}})
	mean, variance := make([]float64, neurons), make([]float64, neurons)
	for i := range n {
		mat.Axpy(1/float64(n), phi.Row(i), mean)
	}
	for i := range n {
		for j, v := range phi.Row(i) {
			d := v - mean[j]
			variance[j] = mat.FMA(d, d, variance[j])
		}
	}
	return variance
}

// part is a block with its weight and the prior scales.
func (ph *Physics) part(b *reduction, weight float64) part {
	d := make([]float64, len(ph.scale))
	for j := range d {
		d[j] = ph.scale[j] * weight
	}
	return part{b, d, weight}
}

// rowStack is what is left of blocks: open of those with the open tolerance, fixed of
// those with their own, divided by it. Either may be nil.
type rowStack struct{ open, fixed *reduction }

// at returns all rows at an open tolerance, nil without any; unit tells that they
// are still to be divided by it, which is so where all have the open one.
func (s rowStack) at(tolerance float64, store *storage) (all *reduction, unit bool) {
	switch {
	case s.fixed == nil:
		return s.open, true
	case s.open == nil:
		return s.fixed, false
	}
	return joined([]part{s.open.times(1 / tolerance), s.fixed.times(1)}, store), false
}

// decompose reduces all rows at the given open tolerance.
// Where no block has its own tolerance the decomposition serves every
// tolerance, and the given one is not used.
func (ph *Physics) decompose(tolerance float64) (*shape, error) {
	all, unit := ph.demanded.at(tolerance, ph.store)
	sh := &shape{sums: all}
	if all.hh != nil && ph.exact == nil {
		// Parameters are eliminated before neurons: what a wide prior leaves of them would be
		// lost in the rounding of a difference.
		sh.front = ph.basis.Parameters
		sh.sums = all.rotated(sh.front, ph.store)
	}
	if all.hh == nil {
		var err error
		if sh, err = all.decompose(ph.store); err != nil {
			return nil, err
		}
	}
	sh.unitOpen = unit
	if ph.exact != nil {
		ph.exact.extend(sh)
	}
	if m := ph.basis.Parameters; m > 0 {
		h := ph.store.dense(m, len(ph.scale))
		for i := range m {
			h.Set(i, ph.basis.ParameterColumn(i), 1)
		}
		sh.parameters = sh.turned(h, ph.store)
		// Parameters that cannot be told apart leave sums of squares nothing at the tightest slacks.
		tau, p := ph.referenceTau(tolerance), ph.store.prior()
		err := sh.findParticular(p, tau, ph.rows)
		for ; err != nil && tau < looseTau; err = sh.findParticular(p, tau, ph.rows) {
			tau *= 10
		}
		if err == nil {
			err = sh.loosenParticular(p, tau)
		}
		if err != nil {
			return nil, err
		}
	}
	return sh, nil
}

// referenceSlack is tight for an equation, and far above what sums of squares lose.
const referenceSlack = 1e-5

// referenceTau is the slack per amplitude at which the solution for a parameter is taken, in the units of
// the rows: those with a tolerance are divided by it.
func (ph *Physics) referenceTau(tolerance float64) float64 {
	if ph.demanded.fixed == nil {
		return math.Max(referenceSlack, ph.lowestTau())
	}
	loosest := 0.0
	if ph.demanded.open != nil {
		loosest = tolerance
	}
	if loosest = max(loosest, ph.loosest, ph.config.Tolerance); loosest == 0 {
		loosest = 1
	}
	return math.Max(referenceSlack/loosest, ph.lowestTau())
}

// turned returns rows, of weights in prior standard deviations, as columns in the coordinates g.
func (sh *shape) turned(h *mat.Dense, store *storage) *mat.Dense {
	rows, columns := h.Dims()
	if sh.right != nil {
		sh.right.MulRightV(h)
	}
	pt := store.dense(columns, rows)
	for i := range rows {
		for j, v := range h.Row(i) {
			pt.Set((j+sh.front)%columns, i, v)
		}
	}
	return pt
}

// missingTau is the slack per amplitude at which missing looks.
const missingTau = 1e-4

// missing is the share of the equations that the neurons cannot meet whatever their
// weights, because of known sources. A layer without the means to answer to a source would
// otherwise do without it, at a loose slack. It is computed from sums of squares alone, and 0
// without them.
func (ph *Physics) missing() float64 {
	all := ph.demanded.open
	if all == nil {
		all = ph.demanded.fixed
	}
	if all.hh == nil || ph.exact != nil {
		return 0
	}
	if all.yy == 0 {
		return 0
	}
	n := ph.basis.ParameterColumn(0)
	shifted := mat.NewSym(n, ph.store.vector(n*n))
	tau := math.Max(missingTau, ph.lowestTau())
	for i := range n {
		copy(shifted.Row(i)[:i+1], all.hh.Row(i)[:i+1])
		shifted.Set(i, i, shifted.At(i, i)+float64(tau*tau))
	}
	chol := &ph.store.prior().chol // which nothing uses yet
	if err := chol.Factorize(shifted); err != nil {
		return 0
	}
	// |y - Hw|^2 at the minimum of |y - Hw|^2 + tau^2 |w|^2.
	w := make([]float64, n)
	chol.SolveVecTo(w, all.y[:n])
	rest := math.Max(all.yy-mat.Dot(w, all.y[:n])-float64(float64(tau*tau)*squares(w)), 0)
	size := float64(ph.rows) // rows are relative to the largest term,
	if ph.demanded.open == nil {
		size = all.yy // or to their tolerance
	}
	return math.Sqrt(rest / size)
}

// at returns the decomposition to use at an open tolerance.
func (ph *Physics) at(tolerance float64) (*shape, error) {
	if ph.shape != nil {
		return ph.shape, nil
	}
	return ph.decompose(tolerance)
}

// prior is g under physics at amplitude 1: its covariance is tau^2 (R'R)^-1. The zero
// value is ready for set.
type prior struct {
	tau   float64
	mean  []float64
	ridge mat.Ridge
	sums  bool // the rest, instead of the ridge; for the first coordinates
	chol  mat.Cholesky
	shift *mat.Sym
	apart apart
}

// set makes p the prior at tau, in the storage that it has.
func (p *prior) set(sh *shape, tau float64) error {
	p.apart.count = 0
	if err := p.underRows(sh, tau); err != nil {
		return err
	}
	return p.setApart(sh)
}

// underRows is set before parameters are set apart.
func (p *prior) underRows(sh *shape, tau float64) error {
	p.tau, p.sums = tau, sh.sums != nil
	if !p.sums {
		p.mean = resized(p.mean, len(sh.d))
		p.ridge.Factorize(sh.d, sh.e, tau, sh.c)
		p.ridge.SolveTo(p.mean)
		return nil
	}
	n := len(sh.sums.y)
	p.mean = resized(p.mean, n+len(sh.known))
	copy(p.mean[n:], sh.known)
	if p.shift == nil || p.shift.N() != n {
		p.shift = mat.NewSym(n, nil)
	}
	p.shift.CopyFrom(sh.sums.hh)
	for i := range n {
		p.shift.Set(i, i, p.shift.At(i, i)+float64(tau*tau))
	}
	if err := p.chol.Factorize(p.shift); err != nil {
		return err
	}
	p.chol.SolveVecTo(p.mean[:n], sh.sums.y)
	return nil
}

// resized returns a slice of n elements, x itself where it is large enough.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// trace returns that of the covariance at amplitude 1.
func (p *prior) trace() float64 {
	more := 0.0
	if p.apart.count > 0 {
		more = p.apart.more
	}
	if !p.sums {
		return float64(float64(p.tau*p.tau)*p.ridge.InverseSquare()) + more
	}
	return float64(float64(p.tau*p.tau)*p.chol.InverseTrace()) + more
}

// spread sets X = tau R^-T X for a matrix whose columns are rows of sensors in
// the coordinates g: its squared columns are prior variances.
func (p *prior) spread(x *mat.Dense) {
	parameters := p.apart.before(x)
	if !p.sums {
		p.ridge.SolveTrans(x)
		x.Scale(p.tau)
	} else {
		p.solveSums(mat.NoTrans, x)
	}
	p.apart.spread(x, parameters)
}

// solveSums sets X = tau L^-1 X, or tau L^-T X. Coordinates that exact conditions have settled do not vary.
func (p *prior) solveSums(t mat.Transpose, x *mat.Dense) {
	n := p.chol.N()
	mat.Trsm(mat.Left, t, p.tau, p.chol.L(), x.Slice(0, n, 0, x.Cols()))
	for i := n; i < x.Rows(); i++ {
		clear(x.Row(i))
	}
}
