package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// remainder returns d, what the linearisation leaves out at z in each row, and its derivatives D along the directions,
// stacked; nil where it is not finite. Without derivatives D is nil.
func (y *nonlinearLayer) remainder(z []float64, derivatives bool) (d [][]float64, slopes []*mat.Dense) {
	for _, r := range y.rows {
		e := y.expand(r, z, derivatives)
		if !e.finite() {
			return nil, nil
		}
		near := slices.Clone(r.residual)
		mat.Gemv(mat.NoTrans, 1, r.slope, z, 1, near)
		for i, v := range e.value {
			if r.readings != nil {
				v -= r.readings[i]
			}
			near[i] = float64(v*r.weight[i]) - near[i]
		}
		d = append(d, near)
		if !derivatives {
			continue
		}
		s := r.slope.Clone()
		s.Scale(-1)
		for k, on := range e.onTerms {
			for i := range on {
				mat.Axpy(on[i]*r.weight[i], r.along[k].Row(i), s.Row(i))
			}
		}
		for k, on := range e.onOwn {
			for i := range on {
				mat.Axpy(on[i]*r.weight[i], y.own.Row(k), s.Row(i))
			}
		}
		slopes = append(slopes, s)
	}
	return d, slopes
}

// along returns J'd along the directions.
func (y *nonlinearLayer) along(d [][]float64) []float64 {
	g := make([]float64, y.directions.Cols())
	for i, r := range y.rows {
		mat.Gemv(mat.Trans, 1, r.slope, d[i], 1, g)
	}
	return g
}

// defect returns x - z - J'd(z), and its norm.
func (y *nonlinearLayer) defect(x, z []float64, d [][]float64) ([]float64, float64) {
	g := y.along(d)
	for i := range g {
		g[i] = x[i] - z[i] - g[i]
	}
	return g, mat.Nrm2(g)
}

// derivative returns 1 + J'D, that of z + J'd(z).
func (y *nonlinearLayer) derivative(slopes []*mat.Dense) *mat.Dense {
	p := y.directions.Cols()
	a := mat.NewDense(p, p, nil)
	for i := range p {
		a.Set(i, i, 1)
	}
	for i, r := range y.rows {
		mat.Gemm(mat.Trans, mat.NoTrans, 1, r.slope, slopes[i], 1, a)
	}
	return a
}

// draw solves z + J'd(z) = x. It returns v, which stands for the weights m + F v, and the logarithm of its importance
// weight. ok is false where there is no solution, or none was found.
func (y *nonlinearLayer) draw(x []float64) (v []float64, log float64, ok bool) {
	z := slices.Clone(x)
	d, _ := y.remainder(z, false)
	before := math.Inf(1)
	for range fixedPointSteps {
		if d == nil {
			break
		}
		g, norm := y.defect(x, z, d)
		if !(norm < 0.5*before) {
			break
		}
		before = norm
		mat.Axpy(1, g, z)
		if norm < drawFound {
			break
		}
		d, _ = y.remainder(z, false)
	}
	if !(before < drawFound) {
		if z, ok = y.newton(x, z); !ok {
			return nil, 0, false
		}
	}
	d, slopes := y.remainder(z, true)
	if d == nil {
		return nil, 0, false
	}
	var qr mat.QR
	qr.Factorize(y.derivative(slopes))
	for i, r := range y.rows {
		log -= mat.Dot(r.residual, d[i]) + float64(0.5*squares(d[i]))
	}
	g := y.everywhere(d)
	log += float64(0.5 * squares(g))
	for i := range qr.R().Rows() {
		log -= mat.Log(math.Abs(qr.R().At(i, i)))
	}
	// v = V z - (1 - V V') F'J'd
	mat.Gemv(mat.Trans, 1, y.directions, g, 1, z)
	mat.Gemv(mat.NoTrans, 1, y.directions, z, -1, g)
	return g, log, finite(log)
}

// everywhere returns F'J'd, along all columns of F.
func (y *nonlinearLayer) everywhere(d [][]float64) []float64 {
	g := make([]float64, y.directions.Rows())
	for i, r := range y.rows {
		mat.Gemv(mat.Trans, 1, r.whole, d[i], 1, g)
	}
	return g
}

// newton solves z + J'd(z) = x by Newton's method with halved steps, from z, or from the mean where it is not finite there.
func (y *nonlinearLayer) newton(x, z []float64) ([]float64, bool) {
	d, slopes := y.remainder(z, true)
	if d == nil {
		z = make([]float64, len(x))
		if d, slopes = y.remainder(z, true); d == nil {
			return nil, false
		}
	}
	g, norm := y.defect(x, z, d)
	for range newtonSteps {
		if norm < drawFound {
			return z, true
		}
		var qr mat.QR
		qr.Factorize(y.derivative(slopes))
		step := mat.NewDense(len(g), 1, slices.Clone(g))
		if qr.SolveTo(step, mat.NewDense(len(g), 1, g)) != nil {
			return nil, false
		}
		share, better := 1.0, false
		for range newtonHalvings {
			next := slices.Clone(z)
			for i := range next {
				next[i] += float64(share * step.At(i, 0))
			}
			share *= 0.5
			nd, ns := y.remainder(next, true)
			if nd == nil {
				continue
			}
			ng, nn := y.defect(x, next, nd)
			if nn < norm {
				z, d, slopes, g, norm, better = next, nd, ns, ng, nn, true
				break
			}
		}
		if !better {
			return nil, false
		}
	}
	return z, norm < drawFound
}

const (
	// Importance weights with a tail beyond paretoLimit are not to be trusted, nor are draws of which more than mostUnsolved
	// have no solution, or which are worth fewer than leastEach for each direction: covariances would come out too small.
	paretoLimit, mostUnsolved, leastEach = 0.7, 0.05, 2
	// A layer is left as it is if it misses the linearised equations by more than missedSlacks of the slack.
	missedSlacks = 2
	// What the linearisation leaves out of all equations' rows together is remainderSDs times the slack.
	remainderSDs = 3
)

// correct replaces a component by one with the moments of draws from the posterior as it is. It returns the logarithm of
// what the evidence is multiplied by, and whether the draws are to be trusted; if not, the component stays as it is.
//
// The slack was inferred for the linearised equations. What they leave out may take shapes for which the layer has no room
// at that slack. So the slack becomes comparable with what they leave out, which is of second order in the uncertainty.
func (n *newton) correct(l *linearisation, f *frame, q *Posterior, c *component) (log float64, ok bool, err error) {
	y, better, ok, err := n.drawable(l, f, q, c)
	if y == nil {
		return 0, ok, err
	}
	if log, ok = better.shiftTo(y, max(layerDraws, drawsEach*y.directions.Cols()), l.config.Seed); ok {
		*c = better
	}
	return log, ok, nil
}

// shiftTo gives a component the moments of so many draws, in pairs, unless these are not to be trusted.
func (c *component) shiftTo(y *nonlinearLayer, count int, seed uint64) (log float64, ok bool) {
	draws := y.draws(count/2, seed)
	var logs []float64
	var found [][]float64
	for _, d := range draws {
		if d.v != nil {
			logs, found = append(logs, d.log), append(found, d.v)
		}
	}
	if float64(len(draws)-len(found)) > mostUnsolved*float64(len(draws)) {
		return 0, false
	}
	weights, pareto := smoothed(logs)
	if !(pareto <= paretoLimit) || 1/squares(weights) < leastEach*float64(y.directions.Cols()) {
		return 0, false
	}
	c.shift(y.directions, weights, found)
	return logSumExp(logs) - mat.Log(float64(len(draws))), true
}

// drawable returns what is to be drawn from, and the component at the slack that it then has. It returns nil where nothing is
// drawn; ok then tells that nothing need be, because the component is as good as the posterior.
func (n *newton) drawable(l *linearisation, f *frame, q *Posterior, c *component) (y *nonlinearLayer, better component, ok bool, err error) {
	if c.blocks != nil { // the rows along all its columns would be too many numbers
		return nil, *c, false, nil
	}
	tightest, exact := n.tightest(l)
	if exact { // draws would have to satisfy it without any slack
		return nil, *c, false, nil
	}
	slack, curved, err := n.remainderOf(l, f, q, c)
	if errors.Is(err, errUndefined) {
		return nil, *c, false, nil
	}
	if err != nil || !curved {
		return nil, *c, err == nil, err
	}
	if tightest > 0 && slack > tightest { // it cannot be loosened for what the linearisation leaves out
		return nil, *c, false, nil
	}
	better = *c
	if slack > c.slack {
		at := *n
		at.at, at.sites, at.told, at.config.slack = l, []site{*c.site}, nil, slack
		loose, s, err := at.step(0, false, true)
		if err != nil { // the layer can do without
			return nil, *c, false, nil
		}
		s.release()
		f, q, better = s.frame, loose, loose.components[0]
		better.weight = c.weight
	}
	y, err = newNonlinearLayer(l.of, &better, n.nonlinearRows(l, f, q, math.Max(slack, better.slack)))
	if err != nil || y == nil || y.missed > missedSlacks || y.directions.Cols() == mostDirections {
		return nil, *c, err == nil && y == nil, err
	}
	return y, better, false, nil
}

// remainderOf is the slack for what the linearisation leaves out of equations in draws from a component, relative to their
// sizes. Draws where nonlinear terms have no value say nothing of it. curved is false where nonlinear terms hardly vary,
// relative to the equation or to the noise.
func (n *newton) remainderOf(l *linearisation, f *frame, q *Posterior, c *component) (slack float64, curved bool, err error) {
	y, err := newNonlinearLayer(l.of, c, n.nonlinearRows(l, f, q, 1))
	if err != nil || y == nil {
		return 0, false, err
	}
	var all []float64
	x := pairsOfDraws(max(roughDraws, y.directions.Cols()), y.directions.Cols(), l.config.Seed)
	for i := range min(2*roughDraws, x.Rows()) {
		d, _ := y.remainder(x.Row(i), false)
		if d == nil {
			continue
		}
		sum := 0.0
		for j := range d {
			if y.rows[j].readings == nil {
				sum += squares(d[j])
			}
		}
		all = append(all, math.Sqrt(sum)/remainderSDs)
	}
	if all == nil {
		return 0, false, errUndefined
	}
	return rootMeanSquare(all), true, nil
}

// drawn is one draw, nil where there is no solution, with the logarithm of its weight.
type drawn struct {
	v   []float64
	log float64
}

func (y *nonlinearLayer) draws(pairs int, seed uint64) []drawn {
	x := pairsOfDraws(pairs, y.directions.Cols(), seed)
	list := make([]drawn, x.Rows())
	mat.Parallel(len(list), func(i int) {
		if v, log, ok := y.draw(x.Row(i)); ok {
			list[i] = drawn{v, log}
		}
	})
	return list
}

// shift replaces the covariance root F of a component: along directions V the coordinates v of F v have the moments of
// weighted draws, across them they also vary by themselves.
func (c *component) shift(directions *mat.Dense, weights []float64, draws [][]float64) {
	n := directions.Rows()
	mean := make([]float64, n)
	for i, w := range weights {
		mat.Axpy(w, draws[i], mean)
	}
	stacked := mat.NewDense(n+len(draws), n, nil) // rows whose squares sum to the covariance of v
	across := stacked.Slice(0, n, 0, n)
	for i := range n {
		across.Set(i, i, 1)
	}
	mat.Gemm(mat.NoTrans, mat.Trans, -1, directions, directions, 1, across)
	for i, w := range weights {
		row := stacked.Row(n + i)
		copy(row, draws[i])
		mat.Axpy(-1, mean, row)
		scaleVector(math.Sqrt(w), row)
	}
	var qr mat.QR
	qr.Factorize(stacked)
	factor := c.root()
	c.mean = slices.Clone(c.mean)
	mat.Gemv(mat.NoTrans, 1, factor, mean, 1, c.mean)
	c.factor, c.late = mat.NewDense(factor.Rows(), n, nil), nil
	mat.Gemm(mat.NoTrans, mat.Trans, 1, factor, qr.R(), 0, c.factor)
}

// pairsOfDraws returns draws x and -x of p standard normal numbers whose covariance is exactly 1.
func pairsOfDraws(pairs, p int, seed uint64) *mat.Dense {
	random := rand.New(rand.NewPCG(drawSeed, seed))
	half := mat.NewDense(pairs, p, nil)
	for i := range pairs {
		fillNormal(random, half.Row(i))
	}
	var qr mat.QR
	qr.Factorize(half)
	// half R^-1 has orthonormal columns; the signs of R are those that leave the draws nearly as they were.
	r := qr.R().Tri(mat.Upper)
	mat.Trsm(mat.Right, mat.NoTrans, 1, r, half)
	for j := range p {
		scale := math.Copysign(math.Sqrt(float64(pairs)), r.At(j, j))
		for i := range pairs {
			half.Set(i, j, half.At(i, j)*scale)
		}
	}
	all := mat.NewDense(2*pairs, p, nil)
	for i := range pairs {
		copy(all.Row(2*i), half.Row(i))
		copy(all.Row(2*i+1), half.Row(i))
		scaleVector(-1, all.Row(2*i+1))
	}
	return all
}
