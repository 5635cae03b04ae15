package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// The prior of weights w and parameters N under the physics is exp(-|w|^2/2) times the density of
// the rows c N = H w. It favours parameters of small effect: what N produces costs weights, |w_N|^2
// N^2 with w_N the solution for N = 1. The readings of a solution with a strong source would then
// yield too weak a source; and at a loose slack the weights, which are cheap to keep small, would
// hardly respond to N at all. Nobody holds that prior belief. So the solution is split: given N, the
// weights are distributed about W_0 N, a solution at a tight slack, as they are about 0 without N.
//
// A layer cannot respond to every source. At the tightest slack the solution then has enormous
// weights, for a negligible reduction of the residual, and is arbitrary where the readings are. So
// each column of W_0 is taken at the loosest slack whose residual is hardly larger than at the
// tightest, tau_0.
//
// What remains is what the equations say against a parameter whatever the weights. Neurons that can
// respond to N pay in weights and, as far as these are expensive, in residual: |c N - H w_N N|^2. At
// a tight slack the residual is the smaller part for what they can respond to, and nearly everything
// for what they cannot. Only the excess of the residual over the cost in weights counts against N.
//
// Let S be the covariance of the parameters under the physics, and W the covariance of all
// coordinates with the parameters times S^-1, so that W N is the expectation given N. With
// coordinates of unit prior variance and rows R, S^-1 = W'R'RW / tau^2 + W'W. It is replaced by the
// precision
//
//	M = (W'R'RW - tau_0^2 (W'W - 1))+ / (n tau^2) + 1
//
// with the W of tau_0, where ()+ drops the directions in which its argument is negative. The n rows
// count as one row with their root mean square residual: a layer that misses a source at one point
// misses it at the next, and more points are no further evidence that the source is weak.

// particular is what a decomposition says of the parameters at tight slacks: the particular solution
// for each, and tau^2 times the information matrix and vector of what the rows say against them.
type particular struct {
	w      *mat.Dense // W_0, n x m
	matrix *mat.Sym
	vector []float64
}

// against returns the precision of the parameters under one layer before any reading, at a slack per
// amplitude, in units in which their own priors have precision 1. ok is false without parameters.
func (dec *decomposition) against(tau float64) (chol mat.Cholesky, ok bool) {
	if dec.particular == nil {
		return chol, false
	}
	m := dec.particular.matrix.Clone()
	for i := range m.N() {
		row := m.Row(i)
		for j := range row {
			row[j] /= float64(tau * tau)
		}
		row[i]++
	}
	return chol, chol.Factorize(m) == nil
}

// contradiction is a penalty in nats for the width that a layer removes from the prior of the
// parameters before any reading. A layer that cannot respond to a parameter's term would otherwise
// conclude with certainty that the term is absent, while one that responds pays for finding its
// size. What the equations themselves contradict costs all layers alike.
func (dec *decomposition) contradiction(tau float64) float64 {
	chol, ok := dec.against(tau)
	if !ok {
		return 0
	}
	return 0.5 * chol.LogDet()
}

// room returns the standard deviations of the parameters before any reading, relative to those of
// their priors.
func (dec *decomposition) room(tau float64) []float64 {
	chol, ok := dec.against(tau)
	if !ok {
		return nil
	}
	sd := make([]float64, chol.N())
	chol.InverseDiagonalTo(sd)
	for i, v := range sd {
		sd[i] = math.Sqrt(v)
	}
	return sd
}

// apart is the change to a prior that splits off the parameters: F becomes F (1 - QQ') + V Q'.
type apart struct {
	count int
	q, v  *mat.Dense // n x m; VV' is the covariance of what the parameters produce
	more  float64    // change of the trace of FF'
}

// response is how all coordinates respond to the parameters, before they are split off.
type response struct {
	q  *mat.Dense // n x m: F'e = QR
	r  *mat.Tri
	fq *mat.Dense // FQ
	w  *mat.Dense // W = FQR^-T
	of []float64  // prior mean of the parameters
}

// response returns the response under rows alone.
func (p *slackPrior) response(dec *decomposition) *response {
	n, m := dec.parameters.Dims()
	g := dec.parameters.Clone()
	p.mulTrans(g) // F'e
	var qr mat.QR
	qr.Factorize(g)
	a := &response{q: mat.NewDense(n, m, nil), r: qr.R().Tri(mat.Upper), of: make([]float64, m)} // S = R'R
	for i := range m {
		a.q.Set(i, i, 1)
	}
	qr.MulQ(mat.NoTrans, a.q)
	a.fq = a.q.Clone()
	p.mul(a.fq)
	a.w = a.fq.Clone() // F Q R^-T = F F'e S^-1
	mat.Trsm(mat.Right, mat.Trans, 1, a.r, a.w)
	mat.Gemv(mat.Trans, 1, dec.parameters, p.mean, 0, a.of)
	return a
}

// findParticular sets the particular solutions, and what the given number of rows says of the
// parameters, at a tight slack. It fails with a *mat.NotPositiveDefiniteError where sums of squares
// are too inaccurate at that slack.
func (dec *decomposition) findParticular(p *slackPrior, tau float64, rows int) error {
	p.apart.count = 0
	if err := p.underRows(dec, tau); err != nil {
		return err
	}
	a := p.response(dec)
	m, tau2 := len(a.of), float64(tau*tau)
	missed, paid := dec.square(a.w), mat.NewSym(m, nil)
	mat.Syrk(mat.Trans, tau2, a.w, 0, paid)
	vector := make([]float64, m)
	mat.Gemv(mat.Trans, tau2, a.w, p.mean, 0, vector)
	for i := range m {
		for j := range m {
			vector[i] += float64(missed.At(max(i, j), min(i, j)) * a.of[j])
		}
		paid.Set(i, i, math.Max(paid.At(i, i)-tau2, 0)) // the parameter itself costs nothing here
	}
	tight, err := inExcess(missed, paid, vector)
	if err != nil {
		return err
	}
	tight.share(rows)
	tight.w = a.w
	dec.particular = tight
	return nil
}

// share makes so many rows count as one.
func (c *particular) share(rows int) {
	for i := range c.vector {
		c.vector[i] /= float64(rows)
		for j := range i + 1 {
			c.matrix.Set(i, j, c.matrix.At(i, j)/float64(rows))
		}
	}
}

// moments returns the factorised precision M of the parameters at a slack per amplitude, and their mean.
func (c *particular) moments(tau float64) (chol mat.Cholesky, mean []float64, err error) {
	m, tau2 := len(c.vector), float64(tau*tau)
	precision := mat.NewSym(m, nil)
	mean = make([]float64, m)
	for i := range m {
		for j := range i + 1 {
			precision.Set(i, j, c.matrix.At(i, j)/tau2)
		}
		precision.Set(i, i, precision.At(i, i)+1)
		mean[i] = c.vector[i] / tau2
	}
	if err = chol.Factorize(precision); err == nil {
		chol.SolveVecTo(mean, mean)
	}
	return chol, mean, err
}

const (
	// A particular solution may have missedMore times the root mean square residual that it has at
	// the tightest slack. Slacks up to looserDecades looser are tried.
	missedMore    = 2
	looserDecades = 3
)

// loosenParticular replaces the particular solution for each parameter by that at the loosest slack
// with hardly more residual than at the given, tightest one.
func (dec *decomposition) loosenParticular(p *slackPrior, tau float64) error {
	return dec.loosen(tau, func(looser float64) (*mat.Dense, error) {
		if err := p.underRows(dec, looser); err != nil {
			return nil, err
		}
		return p.response(dec).w, nil
	})
}

// loosen is loosenParticular with the responses that respond returns at a slack per amplitude.
func (dec *decomposition) loosen(tau float64, respond func(tau float64) (*mat.Dense, error)) error {
	w := dec.particular.w
	tightest, settled := dec.square(w), make([]bool, w.Cols())
	for range looserDecades {
		tau *= 10
		looser, err := respond(tau)
		if err != nil {
			return err
		}
		missed := dec.square(looser)
		for i := range settled {
			if settled[i] = settled[i] || missed.At(i, i) > float64(missedMore*missedMore)*tightest.At(i, i); settled[i] {
				continue
			}
			for k := range w.Rows() {
				w.Set(k, i, looser.At(k, i))
			}
		}
		if !slices.Contains(settled, false) {
			break
		}
	}
	return nil
}

// collinear is the first amount added to the diagonal of a correlation matrix that is numerically
// singular.
const collinear = 1e-12

// inExcess returns the information given by missed and vector, less that of paid, in the directions
// where anything is left. The maximum stays where it is.
func inExcess(missed, paid *mat.Sym, vector []float64) (*particular, error) {
	m := len(vector)
	unit := make([]float64, m)
	for i := range unit {
		if unit[i] = math.Sqrt(missed.At(i, i) + paid.At(i, i)); unit[i] == 0 {
			unit[i] = 1
		}
	}
	root, eigen, err := sharedAxes(missed, paid, unit)
	if err != nil {
		return nil, err
	}
	axes := mat.NewDense(m, m, nil)
	for i := range m {
		for k := range m {
			for j := range i + 1 {
				axes.Set(i, k, axes.At(i, k)+float64(root.At(i, j)*eigen.Vectors().At(j, k)))
			}
		}
	}
	along := make([]float64, m)
	for i, u := range unit {
		vector[i] /= u
	}
	mat.Trsv(mat.NoTrans, root, vector)
	mat.Gemv(mat.Trans, 1, eigen.Vectors(), vector, 0, along)
	c := &particular{matrix: mat.NewSym(m, nil), vector: make([]float64, m)}
	for k, v := range eigen.Values() {
		if v <= 0 {
			continue
		}
		for i := range m {
			x := axes.At(i, k) * unit[i]
			c.vector[i] += float64(x * float64(along[k]*(2*v/(1+v))))
			for j := range i + 1 {
				c.matrix.Set(i, j, c.matrix.At(i, j)+float64(float64(x*v)*float64(axes.At(j, k)*unit[j])))
			}
		}
	}
	return c, nil
}

// sharedAxes returns axes in which missed and paid, in the given units, are both diagonal: the root L
// of their sum, and the eigenvectors of L^-1 (missed - paid) L^-T. An eigenvalue lambda lies in
// [-1, 1]; along its axis missed is (1 + lambda) / 2.
func sharedAxes(missed, paid *mat.Sym, unit []float64) (root *mat.Tri, eigen *mat.SymEigen, err error) {
	m := len(unit)
	sum, difference := mat.NewSym(m, nil), mat.NewDense(m, m, nil)
	for i := range m {
		for j := range i + 1 {
			a, b := missed.At(i, j)/float64(unit[i]*unit[j]), paid.At(i, j)/float64(unit[i]*unit[j])
			sum.Set(i, j, a+b)
			difference.Set(i, j, a-b)
			difference.Set(j, i, a-b)
		}
	}
	if root, err = rootOfCorrelations(sum); err != nil {
		return nil, nil, err
	}
	mat.Trsm(mat.Left, mat.NoTrans, 1, root, difference)
	mat.Trsm(mat.Right, mat.Trans, 1, root, difference)
	whitened := mat.NewSym(m, nil)
	for i := range m {
		copy(whitened.Row(i)[:i+1], difference.Row(i)[:i+1])
	}
	eigen = new(mat.SymEigen)
	return root, eigen, eigen.Factorize(whitened, true)
}

// rootOfCorrelations returns the Cholesky factor of a correlation matrix, to whose diagonal it adds as
// much as is needed.
func rootOfCorrelations(a *mat.Sym) (*mat.Tri, error) {
	var chol mat.Cholesky
	for raise := collinear; ; raise *= 1 / math.Sqrt(collinear) {
		for i := range a.N() {
			a.Set(i, i, a.At(i, i)+raise)
		}
		err := chol.Factorize(a)
		if err == nil {
			return chol.L(), nil
		}
		if raise >= 1 {
			return nil, err
		}
	}
}

// setApart splits the parameters off a prior whose rows have been set.
func (p *slackPrior) setApart(dec *decomposition) error {
	p.apart.count = 0
	if dec.parameters == nil {
		return nil
	}
	a, tight := p.response(dec), dec.particular
	m := len(a.of)
	chol, mean, err := tight.moments(p.tau)
	if err != nil {
		return err
	}
	mat.Gemv(mat.NoTrans, -1, a.w, a.of, 1, p.mean)
	mat.Gemv(mat.NoTrans, 1, tight.w, mean, 1, p.mean)
	v := tight.w.Clone() // W_0 L^-T
	mat.Trsm(mat.Right, mat.Trans, 1, chol.L(), v)
	p.apart = apart{count: m, q: a.q, v: v, more: squaresOf(v) - squaresOf(a.fq)}
	return nil
}

// sumsRounding bounds the relative rounding error of sums of squares.
const sumsRounding = 0x1p-50

// square returns W'R'RW for the rows R that were decomposed.
func (dec *decomposition) square(w *mat.Dense) *mat.Sym {
	n, m := w.Dims()
	of := mat.NewSym(m, nil)
	if dec.sums == nil { // R = U B V'
		b := mat.NewDense(n, m, nil)
		for i := range n {
			to, from := b.Row(i), w.Row(i)
			for j := range m {
				to[j] = float64(dec.d[i] * from[j])
				if i < len(dec.e) {
					to[j] += float64(dec.e[i] * w.At(i+1, j))
				}
			}
		}
		mat.Syrk(mat.Trans, 1, b, 0, of)
		return of
	}
	rows := w.Transpose()
	size := dec.squaresOfRows(of, rows)
	// Subtract what may be rounding error of a sum of large terms.
	kept := make([]float64, m)
	for a := range m {
		sum := 0.0
		for i, x := range rows.Row(a)[:len(size)] {
			sum += float64(math.Abs(x) * math.Sqrt(size[i]))
		}
		v := of.At(a, a)
		if least := float64(sumsRounding * float64(sum*sum)); v > least {
			kept[a] = math.Sqrt((v - least) / v)
		}
	}
	for a := range m {
		for c := range a + 1 {
			of.Set(a, c, float64(of.At(a, c)*kept[a])*kept[c])
		}
	}
	return of
}

// squaresOfRows sets of to W'H'HW for sums H'H, and returns the diagonal of these. rows is W'.
func (dec *decomposition) squaresOfRows(of *mat.Sym, rows *mat.Dense) (diagonal []float64) {
	m := of.N()
	if b := dec.sums.blocks; b != nil {
		product := mat.NewDense(rows.Cols(), m, nil)
		b.mulTo(product, rows.Transpose())
		product = product.Transpose()
		for a := range m {
			for c := range a + 1 {
				of.Set(a, c, mat.Dot(product.Row(a), rows.Row(c)))
			}
		}
		diagonal = make([]float64, rows.Cols())
		for i := range diagonal {
			diagonal[i] = b.diagonal(i)
		}
		return diagonal
	}
	hh := dec.sums.hh
	product := make([]float64, hh.N())
	for a := range m {
		x := rows.Row(a)[:hh.N()]
		clear(product)
		for i := range product {
			from := hh.Row(i)
			product[i] += mat.Dot(from, x[:i+1])
			mat.Axpy(x[i], from[:i], product[:i])
		}
		for c := range a + 1 {
			of.Set(a, c, mat.Dot(product, rows.Row(c)[:hh.N()]))
		}
	}
	diagonal = make([]float64, hh.N())
	for i := range diagonal {
		diagonal[i] = hh.At(i, i)
	}
	return diagonal
}

// before returns the parameters' share of X, to be passed to mulTrans.
func (f *apart) before(x *mat.Dense) *mat.Dense {
	if f.count == 0 {
		return nil
	}
	c := mat.NewDense(f.count, x.Cols(), nil)
	mat.Gemm(mat.Trans, mat.NoTrans, 1, f.v, x, 0, c)
	return c
}

// mulTrans corrects F'X for the parameters.
func (f *apart) mulTrans(x, before *mat.Dense) {
	if f.count == 0 {
		return
	}
	mat.Gemm(mat.Trans, mat.NoTrans, -1, f.q, x, 1, before)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, f.q, before, 1, x)
}

// without subtracts the parameters' share from X and returns it. FX then lacks V times that share.
func (f *apart) without(x *mat.Dense) *mat.Dense {
	if f.count == 0 {
		return nil
	}
	c := mat.NewDense(f.count, x.Cols(), nil)
	mat.Gemm(mat.Trans, mat.NoTrans, 1, f.q, x, 0, c)
	mat.Gemm(mat.NoTrans, mat.NoTrans, -1, f.q, c, 1, x)
	return c
}

// mul adds what FX lacks.
func (f *apart) mul(x, without *mat.Dense) {
	if f.count > 0 {
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, f.v, without, 1, x)
	}
}
