package posterior

import (
	"fmt"
	"math"
	"slices"
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
)

// parameterWidth is the prior standard deviation of an unknown parameter,
// measured by how many times the prior spread of L u its column could explain.
const parameterWidth = 10

// CompileConfig says how physics is compiled. Tolerance is the relative
// tolerance of equations and conditions that state none; 0 leaves it to the
// evidence.
type CompileConfig struct {
	Tolerance float64
	Path      Path
}

// Physics is the prior of the weights as equations and conditions have shaped
// it, for every amplitude and tolerance at once. With D the prior scales, r
// the root mean square norm of each equation's rows, and the bidiagonal form
// H_f D^1/2 / r = U B V', the weights are w = D^1/2 V g, and under physics at
// tolerance tau and amplitude a
//
//	g ~ N( (B'B + tau^2 I)^-1 B'c,  a^2 tau^2 (B'B + tau^2 I)^-1 ),   c = U' y_f / r.
//
// A triangle R with R'R = B'B + tau^2 I costs O(n) for each tau.
//
// It is immutable and safe for concurrent use.
type Physics struct {
	problem *system.Problem
	basis   system.Basis
	config  CompileConfig
	path    Path

	scale      []float64    // D^1/2
	demanded   rowStack     // what shapes the prior, in the coordinates that exact leaves free
	exact      *elimination // of the exact conditions; nil without
	sources    rowStack     // all blocks, exact ones like others; only with exact
	zeros      rowStack     // those whose source is zero, where some are not
	rows       int
	sourceRows int     // rows of blocks with a source that is not zero
	sourceLogR float64 // sum over those rows of log(r), and of log(tolerance) where it is their own
	sourceOpen int     // how many of those rows have the open tolerance
	assemble   time.Duration
	store      *storage

	shape *shape // the decomposition when no block has its own tolerance, or all have
}

// shape is the decomposition at a given state of the tolerances.
type shape struct {
	d, e     []float64 // B: its diagonal and the elements above
	c        []float64 // U' y_f / r, its first n elements
	rest     float64   // squared norm of the others
	right    rightFactor
	source   *shape // what the evidence of the source is asked of, where conditions are exact; nil: this
	zero     *shape // of the rows with zero source; nil when all or none are
	unitOpen bool   // B is to be divided by the open tolerance

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

// block is one equation or condition with its reduced rows.
type block struct {
	name      string
	tolerance float64
	exact     bool
	rows      int
	reduced   *reduction
	norm      float64   // r: root mean square norm of the neurons' part of a row
	spread    []float64 // root mean square of each parameter's column
	source    bool      // the known part is not zero everywhere
}

// Compile shapes the prior of the weights of layer by the problem's equations
// and conditions. The problem is kept: do not change it afterwards. It fails with a *system.ProblemError when the problem is
// inconsistent, with a *DataError when a row is not finite, and with
// *mat.NotConvergedError.
func Compile(p *system.Problem, layer *feature.Layer, c CompileConfig) (*Physics, error) {
	return compile(p, layer, c, nil)
}

// compile is Compile in memory that is lent.
func compile(p *system.Problem, layer *feature.Layer, c CompileConfig, store *storage) (*Physics, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0) {
		return nil, &ConfigError{"tolerance", fmt.Sprintf("%g is not a number of at least 0", c.Tolerance)}
	}
	ph := &Physics{problem: p, basis: p.Basis(layer), config: c, store: store}
	var err error
	if ph.path, err = ph.choosePath(c.Path); err != nil {
		return nil, err
	}
	begin := time.Now()
	blocks, err := ph.reduceBlocks()
	if err != nil {
		return nil, err
	}
	ph.assemble = time.Since(begin)
	if err := ph.choosePriorScales(blocks); err != nil {
		return nil, err
	}
	if err := ph.combine(blocks); err != nil {
		return nil, err
	}
	if ph.demanded.open == nil || ph.demanded.fixed == nil || c.Tolerance > 0 {
		if ph.shape, err = ph.decompose(c.Tolerance); err != nil {
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
	for _, list := range [][]system.Equation{p.Equations, p.Conditions} {
		for i := range list {
			rows += list[i].Points.Rows()
		}
	}
	return rows >= gramRows*basis.Columns()
}

// choosePath settles Auto: the squared norm of A is at most its trace, which
// is known before any row is made, because rows are normalised.
func (ph *Physics) choosePath(asked Path) (Path, error) {
	exact := slices.ContainsFunc(ph.problem.Conditions, func(e system.Equation) bool { return e.Exact })
	switch asked {
	case SquareRoot:
		return asked, nil
	case GramPath:
		if exact {
			return "", &ConfigError{"path", "sums of squares cannot keep conditions exactly; use sqrt or auto"}
		}
		return asked, nil
	case Auto, "":
	default:
		return "", &ConfigError{"path", fmt.Sprintf("unknown path %q; expected auto, sqrt or gram", string(asked))}
	}
	tightest, rows := math.Inf(1), 0
	for _, list := range [][]system.Equation{ph.problem.Equations, ph.problem.Conditions} {
		for i := range list {
			rows += list[i].Points.Rows()
			tolerance := list[i].Tolerance
			if tolerance == 0 {
				tolerance = ph.config.Tolerance
			}
			if tolerance == 0 {
				tolerance = tightestTolerance
			}
			tightest = math.Min(tightest, tolerance)
		}
	}
	trace := float64(rows) * (1 + float64(parameterWidth*parameterWidth*len(ph.problem.Parameters)))
	if !exact && manyRows(ph.problem, ph.basis) && epsilon*trace/float64(tightest*tightest) <= gramSound {
		return GramPath, nil
	}
	return SquareRoot, nil
}

// epsilon is the distance from 1 to the next float64.
const epsilon = 0x1p-52

func (ph *Physics) reduceBlocks() ([]*block, error) {
	var blocks []*block
	for k, list := range [][]system.Equation{ph.problem.Equations, ph.problem.Conditions} {
		for i := range list {
			if list[i].SD > 0 { // of the readings' kind
				continue
			}
			b, err := ph.reduceBlock(blockName(k, i, &list[i]), &list[i])
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, b)
		}
	}
	return blocks, nil
}

// blockName names an equation, kind 0, or condition, kind 1.
func blockName(kind, i int, e *system.Equation) string {
	name := fmt.Sprintf("%s %d", [...]string{"equation", "condition"}[kind], i+1)
	if e.Name != "" {
		name += " (" + e.Name + ")"
	}
	return name
}

func (ph *Physics) reduceBlock(name string, e *system.Equation) (*block, error) {
	first := ph.basis.ParameterColumn(0)
	b := &block{name: name, tolerance: e.Tolerance, exact: e.Exact, rows: e.Points.Rows(), spread: make([]float64, ph.basis.Parameters)}
	type segment struct {
		rows   *accumulator
		norms  float64   // sum of squares of the neurons' part
		spread []float64 // sum of squares of each parameter's column
		source bool
	}
	store := ph.store.upTo(b.rows)
	segments, err := inSegments(b.rows, func(from, to int) (*segment, error) {
		s := &segment{rows: newAccumulator(ph.basis.Columns(), ph.path, store), spread: make([]float64, ph.basis.Parameters)}
		return s, streamRows(store, name, ph.basis, &e.Residual, e.Points, from, to, func(_ int, h *mat.Dense, known []float64) {
			for i := range known {
				row := h.Row(i)
				s.norms += squares(row[:first])
				for j, v := range row[first:] {
					s.spread[j] += float64(v * v)
				}
				// residual = h w + known = 0, so the row's right-hand side is -known
				known[i] = -known[i]
				if known[i] != 0 {
					s.source = true
				}
			}
			s.rows.append(h, known)
		})
	})
	if err != nil {
		return nil, err
	}
	rows, norms := segments[0].rows, 0.0
	for i, s := range segments {
		if i > 0 {
			rows.merge(s.rows)
		}
		norms += s.norms
		for j, v := range s.spread {
			b.spread[j] += v
		}
		b.source = b.source || s.source
	}
	b.reduced = rows.reduced()
	b.norm = math.Sqrt(norms / float64(b.rows))
	for j := range b.spread {
		b.spread[j] = math.Sqrt(b.spread[j] / float64(b.rows))
	}
	if b.norm == 0 { // only parameters: they set the unit
		for _, v := range b.spread {
			b.norm = math.Max(b.norm, v)
		}
	}
	if !(b.norm > 0) || !finite(b.norm) {
		return nil, dataError(name, "its rows have norm %g: it says nothing about the unknowns, or overflows", b.norm)
	}
	return b, nil
}

// choosePriorScales sets D^1/2: 1 for neurons, and for a parameter the width
// with which its column could explain parameterWidth times the prior spread
// of what it stands beside, in equations or, failing that, in sensors.
func (ph *Physics) choosePriorScales(blocks []*block) error {
	ph.scale = make([]float64, ph.basis.Columns())
	for j := range ph.scale {
		ph.scale[j] = 1
	}
	for j := range ph.basis.Parameters {
		width := 0.0
		for _, b := range blocks {
			if b.spread[j] > 0 {
				width = math.Max(width, parameterWidth*(b.norm/b.spread[j]))
			}
		}
		if width == 0 {
			var err error
			if width, err = ph.widthFromSensors(j); err != nil {
				return err
			}
		}
		ph.scale[ph.basis.ParameterColumn(j)] = width
	}
	return nil
}

func (ph *Physics) widthFromSensors(parameter int) (float64, error) {
	column, first := ph.basis.ParameterColumn(parameter), ph.basis.ParameterColumn(0)
	width := 0.0
	for i, s := range slices.Concat(ph.problem.Sensors, demandsWithSD(ph.problem)) {
		where := s.Name
		if i < len(ph.problem.Sensors) {
			where = sensorsName(&s, i)
		}
		own, others := 0.0, 0.0
		err := streamRows(ph.store, where, ph.basis, &s.Measures, s.Points, 0, s.Points.Rows(), func(_ int, h *mat.Dense, known []float64) {
			for r := range known {
				row := h.Row(r)
				others += squares(row[:first])
				own += float64(row[column] * row[column])
			}
		})
		if err != nil {
			return 0, err
		}
		if own > 0 {
			width = math.Max(width, parameterWidth*math.Sqrt(others/own))
		}
	}
	if width == 0 {
		width = 1
	}
	return width, nil
}

// combine scales each block's reduced rows by 1/r, and by its own tolerance
// where it has one, and joins them.
func (ph *Physics) combine(blocks []*block) error {
	sources, open := false, false
	for _, b := range blocks {
		sources = sources || b.source
		open = open || b.tolerance == 0 && !b.exact
	}
	var demanded, all, zeros parts
	var exact []part
	var names []string
	for _, b := range blocks {
		ph.rows += b.rows
		weight, toAll := 1/b.norm, false
		switch {
		case b.tolerance > 0:
			weight /= b.tolerance
		case b.exact && !open: // no tolerance is chosen that it could share before the source
			weight /= tightestTolerance
		default:
			toAll = true
		}
		if b.exact {
			exact, names = append(exact, ph.part(b, 1/b.norm)), append(names, b.name)
		}
		p := ph.part(b, weight)
		if !b.exact {
			demanded.add(p, toAll)
		}
		all.add(p, toAll)
		if !b.source && sources {
			zeros.add(p, toAll)
		}
		if b.source {
			ph.sourceRows += b.rows
			ph.sourceLogR -= float64(float64(b.rows) * mat.Log(weight))
			if toAll {
				ph.sourceOpen += b.rows
			}
		}
	}
	if len(demanded.open)+len(demanded.fixed) == 0 { // all is exact or has an sd
		n := len(ph.scale)
		demanded.add(part{&reduction{r: mat.NewDense(n, n, nil), y: make([]float64, n)}, ph.scale, 1}, false)
	}
	ph.demanded, ph.zeros = demanded.joined(ph.store), zeros.joined(ph.store)
	if exact == nil {
		return nil
	}
	if ph.sourceRows > 0 {
		ph.sources = all.joined(ph.store)
	}
	var err error
	if ph.exact, err = eliminate(joined(exact, ph.store), names); err != nil {
		return err
	}
	ph.demanded = rowStack{ph.exact.leave(ph.demanded.open), ph.exact.leave(ph.demanded.fixed)}
	return nil
}

// part is a block with its weight and the prior scales.
func (ph *Physics) part(b *block, weight float64) part {
	d := make([]float64, len(ph.scale))
	for j := range d {
		d[j] = ph.scale[j] * weight
	}
	return part{b.reduced, d, weight}
}

// parts are blocks with the open tolerance and with one of their own.
type parts struct{ open, fixed []part }

func (p *parts) add(q part, open bool) {
	if open {
		p.open = append(p.open, q)
	} else {
		p.fixed = append(p.fixed, q)
	}
}

func (p *parts) joined(store *storage) rowStack {
	return rowStack{joined(p.open, store), joined(p.fixed, store)}
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
	sh, err := all.decompose(ph.store)
	if err != nil {
		return nil, err
	}
	sh.unitOpen = unit
	from := sh // what the source is asked of
	if ph.exact != nil {
		ph.exact.extend(sh)
		if ph.sourceRows == 0 {
			return sh, nil
		}
		all, _ := ph.sources.at(tolerance, ph.store)
		if sh.source, err = all.decompose(ph.store); err != nil {
			return nil, err
		}
		from = sh.source
	}
	if ph.zeros.open == nil && ph.zeros.fixed == nil {
		return sh, nil
	}
	zero, of := ph.zeros.at(tolerance, ph.store)
	if of && !unit { // the others have been divided by it
		zero = joined([]part{zero.times(1 / tolerance)}, ph.store)
	}
	if from.zero, err = zero.decompose(ph.store); err != nil {
		return nil, err
	}
	return sh, nil
}

// at returns the decomposition to use at an open tolerance, and the tolerance
// tau by which B is to be divided.
func (ph *Physics) at(tolerance float64) (*shape, float64, error) {
	sh := ph.shape
	if sh == nil {
		var err error
		if sh, err = ph.decompose(tolerance); err != nil {
			return nil, 0, err
		}
	}
	if sh.unitOpen {
		return sh, tolerance, nil
	}
	return sh, 1, nil
}

// prior is g under physics at amplitude 1: its covariance is tau^2 (R'R)^-1.
type prior struct {
	tau    float64
	mean   []float64
	ridge  mat.Ridge
	source source
}

func (sh *shape) prior(tau float64) *prior {
	p := &prior{tau: tau, mean: make([]float64, len(sh.d))}
	p.ridge.Factorize(sh.d, sh.e, tau, sh.c)
	p.ridge.SolveTo(p.mean)
	return p
}

// spread sets X = tau R^-T X for a matrix whose columns are rows of sensors in
// the coordinates g: its squared columns are prior variances.
func (p *prior) spread(x *mat.Dense) {
	p.ridge.SolveTrans(x)
	x.Scale(p.tau)
}

// logDet returns log |I + B'B / tau^2|.
func (p *prior) logDet() float64 {
	var det logProduct
	for _, d := range p.ridge.Diagonal() {
		det.times(d / p.tau)
	}
	return 2 * det.log()
}

// source is what the known right-hand sides of equations and conditions say.
type source struct {
	logEvidence float64
	amplitude2  float64 // squared amplitude that suits them best; 0 when all are zero
}

// sourceAt is the evidence of the known source, amplitude-free: with
// z = y_f/(tau r) and Q = A A' + I,
//
//	-n/2 log(z' Q^-1 z / n) - 1/2 log |Q| - n log(tau r).
//
// The amplitude of its own is profiled out, so that the trivial solution gains
// nothing. Rows whose source is zero condition it instead of being counted.
func (ph *Physics) sourceAt(sh *shape, p *prior, open float64) source {
	n := float64(ph.sourceRows)
	if n == 0 {
		return source{}
	}
	if sh.source != nil {
		sh = sh.source
		p = sh.prior(p.tau)
	}
	quadratic := (p.ridge.Rest() + sh.rest) / float64(p.tau*p.tau)
	logDet := p.logDet()
	if sh.zero != nil {
		logDet -= sh.zero.prior(p.tau).logDet()
	}
	e := float64(-0.5*float64(n*mat.Log(quadratic/n))) - float64(0.5*logDet) - ph.sourceLogR
	if ph.sourceOpen > 0 {
		e -= float64(float64(ph.sourceOpen) * mat.Log(open))
	}
	return source{logEvidence: e, amplitude2: quadratic / n}
}
