package posterior

import (
	"fmt"
	"math"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Path names the linear algebra that reduces the rows.
type Path string

const (
	// Auto takes GramPath where there are many rows and a bound on the condition number shows that it
	// is accurate, else SquareRoot.
	Auto Path = "auto"
	// SquareRoot streams the rows through Householder QR and works with the singular values of R. It
	// does not square the condition number.
	SquareRoot Path = "sqrt"
	// GramPath accumulates H'H and works with its eigenvalues. It is faster for many rows, but
	// squares the condition number.
	GramPath Path = "gram"
	// autoSums is GramPath where the caller left the choice open.
	autoSums Path = "auto, gram"
)

// CompileConfig says how physics is compiled. Tolerance is the slack of equations and conditions
// that state none: the standard deviation of their residual, relative to their largest term; 0
// integrates over it.
type CompileConfig struct {
	Tolerance float64
	Path      Path

	keepEquations bool // what they say without the conditions, see lacking
	keepLimits    bool // what is beyond the layer, see limits.go
}

// Physics is one layer with the equations and conditions of a problem applied: the prior of the
// weights that they imply, for every amplitude and slack at once. With D the prior scales, which
// make the prior sd of a field its natural size, T the size of each equation, and the bidiagonal
// form T^-1 H_f D = U B V', the weights are w = D V g. At slack e and amplitude a, with tau = e/a,
//
//	g ~ N( (B'B + tau^2 I)^-1 B'c,  a^2 tau^2 (B'B + tau^2 I)^-1 ),   c = U' T^-1 y_f.
//
// A triangle R with R'R = B'B + tau^2 I costs O(n) for each tau. What this prior says of parameters
// is replaced, see parameters.go.
//
// Physics is immutable and safe for concurrent use.
type Physics struct {
	problem *system.Problem
	basis   system.Basis
	config  CompileConfig
	path    Path
	sizes   *sizes

	scale         []float64    // D
	demanded      rowStack     // rows of equations and conditions, in the coordinates that exact leaves free
	limits        *limits      // of the terms of parameters; nil: none, or not asked for
	equations     *mat.Sym     // sums of squares of the equations' rows alone; nil: not kept
	openEquations bool         // these have the open tolerance
	exact         *elimination // of exact conditions; nil: none
	levels        []int        // columns of the levels that no reading tells
	steepest      float64      // largest norm of a neuron's column in demanded.open, or fixed, apart from levels
	rows          int
	loosest       float64 // the largest tolerance that an equation states
	assemble      time.Duration
	store         *storage
	doubts        *doubts // alternatives that are evaluated in passing; nil: none
	slack         float64 // see Config.slack
	louder        bool    // stated noise may be too small, see louder.go
	halt          *halt   // see FitContext
	meanAlone     bool    // conditioning finds the mean of the weights alone
	maximum       bool    // only the most probable hyper-parameters, see Config.Maximum

	blocks        *blockOrder    // of a layer with patches; nil: it has none
	decomposition *decomposition // serves every tolerance; nil: each needs its own
}

// Compile applies the problem's equations and conditions to a layer. Natural sizes are taken from
// the problem, its readings included where it has some; Assimilate then accepts others. The problem
// is kept: do not change it afterwards. Compile fails with a *system.ProblemError when the problem
// is inconsistent, with a *DataError when a row is not finite, and with *mat.NotConvergedError.
func Compile(p *system.Problem, layer *feature.Layer, c CompileConfig) (*Physics, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
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
	domain  *mat.Dense  // points that fill the domain
	weights [][]float64 // of each reading, see outliers.go; nil: all are 1
	fits    float64     // log density of readings with Student's noise, given all others
}

// framePoints is how many points represent the domain for the scale of a field's prior.
const framePoints = 128

func newFrame(p *system.Problem) (*frame, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !p.IsLinear() {
		return nil, &system.ProblemError{Where: "equations", Why: "they are not linear in the fields: the problem can be solved, not compiled"}
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

// compile is Compile at given sizes, in borrowed memory.
func compile(f *frame, layer *feature.Layer, c CompileConfig, s *sizes, store *storage) (*Physics, error) {
	if !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0) {
		return nil, &ConfigError{"tolerance", fmt.Sprintf("%g is not a number of at least 0", c.Tolerance)}
	}
	p := f.problem
	ph := &Physics{problem: p, basis: p.Basis(layer), config: c, sizes: s, store: store}
	var err error
	if layer.Patches() > 0 {
		ph.path = GramPath
	} else if ph.path, err = ph.choosePath(c.Path); err != nil {
		return nil, err
	}
	ph.scale = ph.priorScales(f.domain)
	begin := time.Now()
	if layer.Patches() > 0 {
		err = ph.reducePatches()
	} else {
		err = ph.reduceBlocks()
	}
	if err != nil {
		return nil, err
	}
	ph.assemble = time.Since(begin)
	if ph.demanded.open == nil || ph.demanded.fixed == nil {
		if ph.decomposition, err = ph.decompose(1); err != nil {
			return nil, err
		}
	}
	return ph, nil
}

// gramSound bounds the relative error that squaring the condition number may cause in the variances:
// eps |A|^2 for A = H_f D^1/2 / (tau r).
const gramSound = 1e-6

// gramRows is how many rows per column make sums of squares worth the eigenvalues that they need.
const gramRows = 16

// manyRows tells whether equations and conditions have that many rows.
func manyRows(p *system.Problem, basis system.Basis) bool {
	rows := 0
	for _, e := range p.Demands() {
		rows += e.Points.Rows()
	}
	return rows >= gramRows*basis.Columns()
}

// choosePath resolves Auto. The squared norm of A is at most its trace, which is known before any
// row is made, because rows are normalised.
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

// reduceBlocks divides the rows of each equation and condition by its size, and by its own tolerance
// where it has one, and joins them. Only one reduced block exists at a time.
func (ph *Physics) reduceBlocks() error {
	open, fixed, exact := joiner{store: ph.store}, joiner{store: ph.store}, joiner{store: ph.store}
	var names []string
	sums, n, conditions := ph.path == GramPath, len(ph.scale), false
	for label, e := range ph.problem.Demands() {
		if e.SD > 0 { // of the readings' kind
			continue
		}
		tolerance := e.Tolerance
		if tolerance == 0 {
			tolerance = ph.config.Tolerance
		}
		name, to, weight, unit := label.String(), &open, 1/ph.sizes.residual[label.Index], 1.0
		switch {
		case e.Exact:
			to, names = &exact, append(names, name)
		case tolerance > 0:
			to, weight, unit = &fixed, weight/tolerance, tolerance
		}
		if label.Kind == system.Conditions && !conditions {
			ph.keepEquations(&open, &fixed)
			conditions = true
		}
		to.prepare(n, sums && !e.Exact)
		mark := ph.store.mark()
		reduced, err := ph.reduceBlock(name, e)
		if err != nil {
			return err
		}
		if ph.config.keepLimits {
			ph.addLimits(e, reduced, weight, unit)
		}
		to.add(ph.inPriorScales(reduced, weight))
		ph.store.rewind(mark)
		ph.rows += e.Points.Rows()
		ph.loosest = math.Max(ph.loosest, e.Tolerance)
	}
	if !conditions {
		ph.keepEquations(&open, &fixed)
	}
	ph.demanded = rowStack{open.joined(), fixed.joined()}
	if ph.demanded.open == nil && ph.demanded.fixed == nil { // all is exact or has an sd
		none := &reduction{r: mat.NewDense(n, n, nil), y: make([]float64, n)}
		if sums {
			none = &reduction{hh: mat.NewSym(n, nil), y: make([]float64, n)}
		}
		ph.demanded.fixed = joined([]scaledReduction{{none, ph.scale, 1}}, ph.store)
	}
	for _, r := range []*reduction{ph.demanded.open, ph.demanded.fixed} {
		ph.steepest = math.Max(ph.steepest, r.largestColumn(ph.basis.ParameterColumn(0), ph.levels))
	}
	if names == nil {
		return nil
	}
	var err error
	if ph.exact, err = eliminate(exact.joined(), names); err != nil {
		return err
	}
	ph.demanded = rowStack{ph.exact.restrict(ph.demanded.open), ph.exact.restrict(ph.demanded.fixed)}
	return nil
}

// reduceBlock reduces the rows of one equation or condition.
func (ph *Physics) reduceBlock(name string, e *system.Demand) (*reduction, error) {
	path, n := ph.path, e.Points.Rows()
	if e.Exact { // elimination needs rows
		path = SquareRoot
	}
	large := ph.basis.Columns() > manyNeurons
	store := ph.store.upTo(n)
	if large { // one segment after the other
		store = ph.store
	}
	var (
		rows *accumulator
		mark mark
	)
	err := inSegments(n, large, func(from, to int) (*accumulator, error) {
		if large {
			mark = store.mark()
		}
		a := newAccumulator(ph.basis.Columns(), path, store)
		return a, streamRows(store, name, ph.basis, &e.Residual, e.Points, from, to, func(_ int, h *mat.Dense, known []float64) {
			for i := range known {
				// residual = h w + known = 0, so the row's right-hand side is -known
				known[i] = -known[i]
			}
			a.append(h, known)
		})
	}, func(a *accumulator) {
		if rows == nil {
			rows = a
		} else {
			rows.merge(a)
			if large {
				store.rewind(mark)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	reduced := rows.reduced()
	return reduced, saysSomething(name, reduced.squaredNorm())
}

// saysSomething fails where the rows of an equation or condition have no positive squared norm.
func saysSomething(name string, norms float64) error {
	if !(norms > 0) || !finite(norms) {
		return dataError(name, "its rows have squared norm %g: it says nothing about the unknowns, or overflows", norms)
	}
	return nil
}

// inPriorScales returns a block with its weight and the prior scales.
func (ph *Physics) inPriorScales(b *reduction, weight float64) scaledReduction {
	d := make([]float64, len(ph.scale))
	for j := range d {
		d[j] = ph.scale[j] * weight
	}
	return scaledReduction{b, d, weight}
}

// rowStack is the reduced rows of all blocks: open of those with the open tolerance, fixed of those
// with their own, divided by it. Either may be nil.
type rowStack struct{ open, fixed *reduction }

// at returns all rows at an open tolerance; nil without any. unit tells that they still have to be
// divided by it, which is so where all have the open one.
func (s rowStack) at(tolerance float64, store *storage) (all *reduction, unit bool) {
	switch {
	case s.fixed == nil:
		return s.open, true
	case s.open == nil:
		return s.fixed, false
	}
	if s.open.blocks != nil {
		return s.open.plus(1/tolerance, s.fixed), false
	}
	return joined([]scaledReduction{s.open.times(1 / tolerance), s.fixed.times(1)}, store), false
}

// missingTau is the slack per amplitude that missing uses.
const missingTau = 1e-4

// missing is the share of the known sources that the neurons cannot produce, whatever their weights.
// A layer that cannot produce a source would otherwise ignore it, at a loose slack. It needs sums of
// squares, and returns 0 without them.
func (ph *Physics) missing() float64 {
	all := ph.demanded.open
	if all == nil {
		all = ph.demanded.fixed
	}
	if all.blocks != nil {
		return ph.missingBlocks(all)
	}
	if all.hh == nil || ph.exact != nil {
		return 0
	}
	if all.yy == 0 {
		return 0
	}
	n := ph.basis.ParameterColumn(0)
	neurons := all.hh
	if n < len(all.y) { // there are parameters
		neurons = mat.NewSym(n, ph.store.vector(n*n))
		for i := range n {
			copy(neurons.Row(i)[:i+1], all.hh.Row(i)[:i+1])
		}
	}
	tau := math.Max(missingTau, ph.lowestTau())
	chol := &ph.store.slackPrior().chol // not used yet
	if err := chol.FactorizeShifted(neurons, tau*tau); err != nil {
		return 0
	}
	// |y - Hw|^2 at the minimum of |y - Hw|^2 + tau^2 |w|^2.
	w := make([]float64, n)
	chol.SolveVecTo(w, all.y[:n])
	return ph.missedShare(all, tau, w)
}

// missedShare is missing with the weights w that come closest.
func (ph *Physics) missedShare(all *reduction, tau float64, w []float64) float64 {
	rest := math.Max(all.yy-mat.Dot(w, all.y[:len(w)])-float64(float64(tau*tau)*squares(w)), 0)
	size := float64(ph.rows) // rows are relative to the largest term,
	if ph.demanded.open == nil {
		size = all.yy // or to their tolerance
	}
	return math.Sqrt(rest / size)
}

// at returns the decomposition at an open tolerance.
func (ph *Physics) at(tolerance float64) (*decomposition, error) {
	if ph.decomposition != nil {
		return ph.decomposition, nil
	}
	return ph.decompose(tolerance)
}

// resized returns a slice of n elements, x itself where it is large enough.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
