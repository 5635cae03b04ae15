package posterior

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// precision of the brute-force computation, in bits.
const precision = 400

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func bigZero() *big.Float { return new(big.Float).SetPrec(precision) }

// bigSolve returns A^-1 B by Gauss-Jordan elimination with partial pivoting, and
// log |det A|.
func bigSolve(a, b [][]*big.Float) (x [][]*big.Float, logDet float64) {
	n, product := len(a), bigZero()
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if new(big.Float).Abs(a[r][c]).Cmp(new(big.Float).Abs(a[pivot][c])) > 0 {
				pivot = r
			}
		}
		a[c], a[pivot] = a[pivot], a[c]
		b[c], b[pivot] = b[pivot], b[c]
		mantissa := new(big.Float)
		exponent := a[c][c].MantExp(mantissa)
		m, _ := mantissa.Float64()
		logDet += math.Log(math.Abs(m)) + float64(exponent)*math.Ln2
		for r := range n {
			if r == c || a[r][c].Sign() == 0 {
				continue
			}
			f := bigZero().Quo(a[r][c], a[c][c])
			for k := c; k < n; k++ {
				a[r][k].Sub(a[r][k], product.Mul(f, a[c][k]))
			}
			for k := range b[r] {
				if b[c][k].Sign() != 0 {
					b[r][k].Sub(b[r][k], product.Mul(f, b[c][k]))
				}
			}
		}
	}
	for r := range n {
		for k := range b[r] {
			b[r][k].Quo(b[r][k], a[r][r])
		}
	}
	return b, logDet
}

// plain is some rows h w = y with noise variances v.
type plain struct {
	h    [][]float64
	y, v []float64
}

func (p *plain) add(h []float64, y, v float64) {
	p.h, p.y, p.v = append(p.h, h), append(p.y, y), append(p.v, v)
}

// with returns these rows and others.
func (p plain) with(others ...plain) plain {
	all := plain{slices.Clone(p.h), slices.Clone(p.y), slices.Clone(p.v)}
	for _, o := range others {
		for i := range o.h {
			all.add(o.h[i], o.y[i], o.v[i])
		}
	}
	return all
}

// matrix returns h.
func (p plain) matrix() *mat.Dense {
	m := mat.NewDense(len(p.h), len(p.h[0]), nil)
	for i, row := range p.h {
		copy(m.Row(i), row)
	}
	return m
}

// bruteForce is the posterior by the definition, in extended precision, with prior
// variances d:
//
//	Sigma = (diag(1/d) + sum h'h/v)^-1,  mu = Sigma sum h'y/v.
func bruteForce(d []float64, rows plain) (mu []float64, sigma *mat.Sym) {
	return newNormal(d, rows).moments()
}

// normal is exp(-(w'Aw - 2b'w + c)/2) without its constants.
type normal struct {
	a    [][]*big.Float
	b    []*big.Float
	c    *big.Float
	logs float64   // twice the logarithm of the constants, negative
	d    []float64 // the precisions of the prior
}

// newNormal multiplies the prior of variances d by the likelihood of rows.
func newNormal(d []float64, rows plain) *normal {
	n := len(d)
	q := &normal{make([][]*big.Float, n), make([]*big.Float, n), bigZero(), 0, make([]float64, n)}
	for i := range n {
		q.a[i], q.b[i] = make([]*big.Float, n), bigZero()
		for j := range n {
			q.a[i][j] = bigZero()
		}
		q.a[i][i].Quo(bigOf(1), bigOf(d[i]))
		q.d[i], _ = q.a[i][i].Float64()
	}
	hi, product := bigZero(), bigZero()
	for r, h := range rows.h {
		w, y := bigZero().Quo(bigOf(1), bigOf(rows.v[r])), bigOf(rows.y[r])
		of := make([]*big.Float, n)
		for i := range n {
			of[i] = bigOf(h[i])
		}
		for i := range n {
			hi.Mul(of[i], w)
			for j := range i + 1 {
				q.a[i][j].Add(q.a[i][j], product.Mul(hi, of[j]))
			}
			q.b[i].Add(q.b[i], product.Mul(hi, y))
		}
		q.c.Add(q.c, y.Mul(y, w.Mul(w, y)))
		q.logs += math.Log(2 * math.Pi * rows.v[r])
	}
	for i := range n {
		for j := range i {
			q.a[j][i].Set(q.a[i][j])
		}
	}
	return q
}

// solved returns A^-1, A^-1 b in one more column, and log |A|.
func (q *normal) solved() (x [][]*big.Float, logDet float64) {
	n := len(q.b)
	a, b := make([][]*big.Float, n), make([][]*big.Float, n)
	for i := range n {
		a[i], b[i] = make([]*big.Float, n), make([]*big.Float, n+1)
		for j := range n {
			a[i][j], b[i][j] = bigZero().Set(q.a[i][j]), bigZero()
		}
		b[i][i] = bigOf(1)
		b[i][n] = bigZero().Set(q.b[i])
	}
	return bigSolve(a, b)
}

// relative is log of the integral of q over that of p, whose prior is the same.
func (q *normal) relative(p *normal) float64 {
	x, logDet := q.solved()
	x0, logDet0 := p.solved()
	sum := bigZero().Sub(p.c, q.c)
	n := len(q.b)
	for i := range n {
		sum.Add(sum, bigZero().Mul(q.b[i], x[i][n]))
		sum.Sub(sum, bigZero().Mul(p.b[i], x0[i][n]))
	}
	s, _ := sum.Float64()
	return 0.5 * (s - logDet + logDet0 - q.logs + p.logs)
}

func (q *normal) moments() (mu []float64, sigma *mat.Sym) {
	n := len(q.b)
	x, _ := q.solved()
	mu, sigma = make([]float64, n), mat.NewSym(n, nil)
	for i := range n {
		mu[i], _ = x[i][n].Float64()
		for j := range i + 1 {
			s, _ := x[i][j].Float64()
			sigma.Set(i, j, s)
		}
	}
	return mu, sigma
}

// logDensity returns log N(y; 0, diag(v) + H diag(d) H') in extended precision.
func (p plain) logDensity(d []float64) float64 {
	n := len(p.y)
	a, b := make([][]*big.Float, n), make([][]*big.Float, n)
	for i := range n {
		a[i], b[i] = make([]*big.Float, n), []*big.Float{bigOf(p.y[i])}
		for j := range n {
			a[i][j] = bigZero()
			for k := range d {
				t := bigZero().Mul(bigOf(p.h[i][k]), bigOf(p.h[j][k]))
				a[i][j].Add(a[i][j], t.Mul(t, bigOf(d[k])))
			}
		}
		a[i][i].Add(a[i][i], bigOf(p.v[i]))
	}
	// Pivoting permutes b together with a, so y is not needed in order here.
	x, logDet := bigSolve(a, b)
	quadratic := bigZero()
	for i := range n {
		quadratic.Add(quadratic, bigZero().Mul(bigOf(p.y[i]), x[i][0]))
	}
	q, _ := quadratic.Float64()
	return -0.5 * (q + logDet + float64(n)*math.Log(2*math.Pi))
}

// exactShare is the slack of exact conditions where they are written as rows.
const exactShare = 1e-25

// plainModel is the model written down naively: prior variances a^2 D^2, rows of physics of variance
// (slack T)^2, rows that are not data (equations and conditions with an sd, and priors of
// parameters), and readings. Learned groups have noise, in their order.
type plainModel struct {
	d                         []float64
	physics, priors, readings plain
	neurons                   int     // weights; parameters follow
	tau, tight                float64 // the slack per amplitude, and the tightest at which parameters are solved for
}

// under is the weights given rows. Given the parameters, weights are distributed about the
// particular solutions. Of the parameters themselves it keeps what no weights can satisfy at the
// tightest slack: the excess of the residual over |w|^2 at the best weights w for each, all rows
// together counting as one.
func (m *plainModel) under(rows ...plain) *normal {
	q := newNormal(m.d, m.physics.with(rows...))
	n, count := m.neurons, len(m.d)-m.neurons
	if count == 0 {
		return q
	}
	p, tight := newNormal(m.d, m.physics), m.normalAt(m.tight)
	relative := m.tight / m.tau
	all, allVector, paid, paidVector := tight.withoutWeights(n)
	for j := range count {
		for k := range count {
			all[j][k].Sub(all[j][k], paid[j][k])
		}
		all[j][j].Sub(all[j][j], bigZero().Quo(bigOf(1), bigOf(m.d[n+j]/float64(relative*relative))))
		allVector[j].Add(allVector[j], paidVector[j])
	}
	kept, keptVector := plainExcess(all, paid, allVector)
	together := bigOf(float64(len(m.physics.h)))
	for j := range count {
		keptVector[j].Quo(keptVector[j], together)
		for k := range count {
			kept[j][k].Quo(kept[j][k], together)
		}
	}
	// Of (w - W N)' A (w - W N) - 2 b' (w - W N), those with N.
	w := m.particular()
	product := func(i, k int) *big.Float { // (AW)_ik
		sum := bigZero()
		for j := range n {
			sum.Add(sum, bigZero().Mul(p.a[i][j], w[j][k]))
		}
		return sum
	}
	for k := range count {
		for i := range n {
			v := product(i, k)
			v.Add(v, p.a[i][n+k]) // instead of this
			q.a[i][n+k].Sub(q.a[i][n+k], v)
			q.a[n+k][i].Sub(q.a[n+k][i], v)
		}
		for j := range count {
			v := bigZero().Sub(kept[k][j], p.a[n+k][n+j])
			for i := range n {
				v.Add(v, bigZero().Mul(w[i][j], product(i, k)))
			}
			q.a[n+k][n+j].Add(q.a[n+k][n+j], v)
		}
		q.a[n+k][n+k].Add(q.a[n+k][n+k], bigZero().Quo(bigOf(1), bigOf(m.d[n+k])))
		v := bigZero().Sub(keptVector[k], p.b[n+k])
		for i := range n {
			v.Sub(v, bigZero().Mul(w[i][k], p.b[i]))
		}
		q.b[n+k].Add(q.b[n+k], v)
	}
	return q
}

// normalAt is the weights under the physics at another slack per amplitude: a tighter slack is the
// same as a larger amplitude.
func (m *plainModel) normalAt(tau float64) *normal {
	large, relative := slices.Clone(m.d), tau/m.tau
	for i := range large {
		large[i] /= float64(relative * relative)
	}
	return newNormal(large, m.physics)
}

// particular returns weights for each parameter: the best at the loosest slack, in decades from the
// tightest, with hardly more residual.
func (m *plainModel) particular() [][]*big.Float {
	n := m.neurons
	count := len(m.d) - n
	if count == 0 {
		return nil
	}
	w := m.normalAt(m.tight).best(n)
	for j := range count {
		most := 4 * m.missed(w, j)
		for tau := m.tight; tau < 500*m.tight; {
			tau *= 10
			looser := m.normalAt(tau).best(n)
			if m.missed(looser, j) > most {
				break
			}
			for i := range n {
				w[i][j] = looser[i][j]
			}
		}
	}
	return w
}

// missed is the residual of the rows of physics that are not exact, with weights for a parameter.
func (m *plainModel) missed(w [][]*big.Float, parameter int) float64 {
	total := 0.0
	for r, h := range m.physics.h {
		if m.physics.v[r] < exactShare { // its square, in natural units
			continue
		}
		sum := bigOf(h[m.neurons+parameter])
		for i := range m.neurons {
			sum.Add(sum, bigZero().Mul(bigOf(h[i]), w[i][parameter]))
		}
		v, _ := sum.Float64()
		total += v * v / m.physics.v[r]
	}
	return total
}

// best returns the best weights, the first n, for each of the rest, and for what is known.
func (q *normal) best(n int) [][]*big.Float {
	count := len(q.b) - n
	a, b := make([][]*big.Float, n), make([][]*big.Float, n)
	for i := range n {
		a[i], b[i] = make([]*big.Float, n), make([]*big.Float, count+1)
		for j := range n {
			a[i][j] = bigZero().Set(q.a[i][j])
		}
		for j := range count {
			b[i][j] = bigZero().Neg(q.a[i][n+j])
		}
		b[i][count] = bigZero().Set(q.b[i])
	}
	x, _ := bigSolve(a, b)
	return x
}

// withoutWeights integrates over the first n coordinates, the weights. It returns precision and
// vector of the rest, and the share of the weights' prior in both at the best weights.
func (q *normal) withoutWeights(n int) (matrix [][]*big.Float, vector []*big.Float, prior [][]*big.Float, priorVector []*big.Float) {
	count := len(q.b) - n
	x := q.best(n)
	sum := func(of func(i int) *big.Float) *big.Float {
		total := bigZero()
		for i := range n {
			total.Add(total, of(i))
		}
		return total
	}
	square := func(j, k int) *big.Float {
		return sum(func(i int) *big.Float { return bigZero().Mul(bigZero().Mul(x[i][j], x[i][k]), bigOf(q.d[i])) })
	}
	for j := range count {
		matrix, prior = append(matrix, nil), append(prior, nil)
		for k := range count {
			over := sum(func(i int) *big.Float { return bigZero().Mul(q.a[n+j][i], x[i][k]) })
			matrix[j] = append(matrix[j], over.Add(over, q.a[n+j][n+k]))
			prior[j] = append(prior[j], square(j, k))
		}
		over := sum(func(i int) *big.Float { return bigZero().Mul(q.a[n+j][i], x[i][count]) })
		vector = append(vector, over.Sub(q.b[n+j], over))
		priorVector = append(priorVector, square(j, count))
	}
	return matrix, vector, prior, priorVector
}

// plainExcess returns what of the information missed, and its vector, exceeds paid, along the axes
// in which both are diagonal and add up to one.
func plainExcess(missed, paid [][]*big.Float, vector []*big.Float) ([][]*big.Float, []*big.Float) {
	m := len(vector)
	unit := make([]*big.Float, m)
	for i := range unit {
		unit[i] = bigZero().Add(missed[i][i], paid[i][i])
		if unit[i].Sqrt(unit[i]); unit[i].Sign() == 0 {
			unit[i] = bigOf(1)
		}
	}
	relative := func(a [][]*big.Float, i, j int) float64 {
		v, _ := bigZero().Quo(bigZero().Quo(a[i][j], unit[i]), unit[j]).Float64()
		return v
	}
	sum := mat.NewSym(m, nil)
	for i := range m {
		for j := range i + 1 {
			sum.Set(i, j, relative(missed, i, j)+relative(paid, i, j))
		}
	}
	var eigen mat.SymEigen
	check(eigen.Factorize(sum, true))
	// Columns of root' (missed - paid) root, root root' = sum^-1.
	root := make([][]float64, m)
	for i := range root {
		root[i] = make([]float64, m)
		for k, v := range eigen.Values() {
			if v > 0 {
				root[i][k] = eigen.Vectors().At(i, k) / math.Sqrt(v)
			}
		}
	}
	difference := mat.NewSym(m, nil)
	for k := range m {
		for l := range k + 1 {
			v := 0.0
			for i := range m {
				for j := range m {
					v += root[i][k] * (relative(missed, i, j) - relative(paid, i, j)) * root[j][l]
				}
			}
			difference.Set(k, l, v)
		}
	}
	var turned mat.SymEigen
	check(turned.Factorize(difference, true))
	keptMatrix, keptVector := make([][]*big.Float, m), make([]*big.Float, m)
	for i := range m {
		keptVector[i] = bigZero()
		for range m {
			keptMatrix[i] = append(keptMatrix[i], bigZero())
		}
	}
	for k, v := range turned.Values() {
		if v <= 0 {
			continue
		}
		// The axis as an unknown, and as what multiplies it: sum root.
		axis, dual := make([]float64, m), make([]float64, m)
		for i := range m {
			for l := range m {
				axis[i] += root[i][l] * turned.Vectors().At(l, k)
			}
		}
		for i := range m {
			for j := range m {
				dual[i] += sum.At(max(i, j), min(i, j)) * axis[j]
			}
		}
		along := bigZero()
		for i := range m {
			along.Add(along, bigZero().Mul(bigOf(axis[i]), bigZero().Quo(vector[i], unit[i])))
		}
		along.Mul(along, bigOf(2*v/(1+v)))
		for i := range m {
			x := bigZero().Mul(bigOf(dual[i]), unit[i])
			keptVector[i].Add(keptVector[i], bigZero().Mul(x, along))
			for j := range m {
				y := bigZero().Mul(bigOf(dual[j]), unit[j])
				keptMatrix[i][j].Add(keptMatrix[i][j], bigZero().Mul(bigZero().Mul(x, y), bigOf(v)))
			}
		}
	}
	return keptMatrix, keptVector
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func plainModelOf(p *system.Problem, layer *feature.Layer, ph *Physics, amplitude, slack float64, noise ...float64) plainModel {
	b := p.Basis(layer)
	n, neurons := b.Columns(), layer.Neurons()
	z, tau := ph.sizes, slack/amplitude
	if ph.demanded.fixed != nil {
		tau = 1 / amplitude
	}
	m := plainModel{d: make([]float64, n), neurons: neurons * len(p.Fields), tau: tau, tight: ph.referenceTau(slack)}
	for f := range p.Fields {
		for j, v := range plainScales(p, layer, z.field[f], z.level[f], z.leveled[f]) {
			m.d[f*neurons+j] = math.Pow(amplitude*v, 2)
		}
	}
	for j, w := range z.parameter {
		w *= naturalParameter
		if q := p.Parameters[j]; q.SD > 0 {
			w = flatParameter * math.Max(q.SD, math.Abs(q.Mean))
		}
		m.d[b.ParameterColumn(j)] = math.Pow(amplitude*w, 2)
	}
	for label, e := range p.Demands() {
		h, known := mat.NewDense(e.Points.Rows(), n, nil), make([]float64, e.Points.Rows())
		b.RowsTo(h, known, &e.Residual, e.Points)
		share := slack
		switch {
		case e.Exact:
			share = exactShare
		case e.Tolerance > 0:
			share = e.Tolerance
		}
		for r := range known {
			if e.SD > 0 {
				m.priors.add(h.Row(r), -known[r], e.SD*e.SD)
			} else {
				m.physics.add(h.Row(r), -known[r], math.Pow(share*z.residual[label.Index], 2))
			}
		}
	}
	for i, q := range p.Parameters {
		if q.SD == 0 {
			q.Mean, q.SD = 0, z.parameter[i]
		}
		row := make([]float64, n)
		row[b.ParameterColumn(i)] = 1
		m.priors.add(row, q.Mean, q.SD*q.SD)
	}
	for i := range p.Sensors {
		s := &p.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		h, known := mat.NewDense(len(s.Values), n, nil), make([]float64, len(s.Values))
		b.RowsTo(h, known, &s.Measures, s.Points)
		for r := range known {
			sigma := 0.0
			if len(s.Sigma) > 0 {
				sigma = s.Sigma[min(r, len(s.Sigma)-1)]
			} else {
				sigma = noise[0]
			}
			m.readings.add(h.Row(r), s.Values[r]-known[r], sigma*sigma)
		}
		if len(s.Sigma) == 0 {
			noise = noise[1:]
		}
	}
	return m
}

// plainScales returns the prior sd of the weights of a field at amplitude 1: those of varying
// neurons add up to its size, as a root mean square deviation from their means over the domain; a
// constant neuron has its level, which may be large where readings do not tell it.
func plainScales(p *system.Problem, layer *feature.Layer, size, level float64, told bool) []float64 {
	domain, err := system.Collocation(p.Variables, p.Domain, framePoints, frameSeed)
	if err != nil {
		panic(err)
	}
	phi := mat.NewDense(domain.Rows(), layer.Neurons(), nil)
	layer.RowsTo(phi, domain, []feature.Term{{}})
	variance, total := make([]float64, layer.Neurons()), 0.0
	for j := range variance {
		mean := 0.0
		for i := range phi.Rows() {
			mean += phi.At(i, j) / float64(phi.Rows())
		}
		for i := range phi.Rows() {
			variance[j] += math.Pow(phi.At(i, j)-mean, 2) / float64(phi.Rows())
		}
		total += variance[j]
	}
	scales := make([]float64, len(variance))
	for j, v := range variance {
		scales[j] = size / math.Sqrt(total)
		if v < 1e-25 { // constant, to rounding
			if scales[j] = wideParameter * size; told {
				scales[j] = levelWidth * math.Max(math.Abs(level), size)
			}
		}
	}
	return scales
}

// momentsOf returns mean and sd of a functional under a Gaussian of the weights.
func momentsOf(p *system.Problem, layer *feature.Layer, f system.Functional, points *mat.Dense, mu []float64, sigma *mat.Sym) (mean, sd []float64) {
	h := mat.NewDense(points.Rows(), len(mu), nil)
	mean, sd = make([]float64, points.Rows()), make([]float64, points.Rows())
	p.Basis(layer).RowsTo(h, mean, &f, points)
	for i := range mean {
		mean[i] += mat.Dot(h.Row(i), mu)
		v := 0.0
		for j := range mu {
			for k := range mu {
				v += h.At(i, j) * sigma.At(max(j, k), min(j, k)) * h.At(i, k)
			}
		}
		sd[i] = math.Sqrt(v)
	}
	return mean, sd
}

const (
	// bruteForceMean is how far a mean may be from the brute force, relative to
	// its standard deviation; bruteForceSD is the relative error of that.
	bruteForceMean = 1e-6
	bruteForceSD   = 1e-6
	// bruteForceSums is both where squares are summed up: a parameter's solution is taken at a slack that these
	// can just tell from none.
	bruteForceSums = 1e-4
	// bruteForceEvidence is how far the log evidence may be off, in nats.
	bruteForceEvidence = 1e-4
)

// bruteForceCase is a problem with its hyper-parameters held.
type bruteForceCase struct {
	problem          *system.Problem
	neurons          int
	amplitude, slack float64
	noise            []float64 // of the learned groups
	path             Path
	unspectral       bool // the readings' evidence has no diagonal form
}

func bruteForceCases() map[string]bruteForceCase {
	many := rod(false)
	many.Sensors[0].Points = mat.NewDense(60, 1, nil) // more readings than unknowns
	many.Sensors[0].Values = make([]float64, 60)
	for i := range 60 {
		many.Sensors[0].Points.Set(i, 0, float64(i)/30)
		many.Sensors[0].Values[i] = 0.3 * float64(i%7)
	}
	known := rod(false)
	known.Parameters[0].Mean, known.Parameters[0].SD = -1, 0.3
	mixed := rod(true)
	mixed.Conditions[0].Tolerance = 1e-3
	own := rod(true)
	own.Conditions[0].Tolerance, own.Equations[0].Tolerance = 1e-3, 1e-2
	exact := rod(true)
	exact.Conditions[0].Exact = true
	exactOwn := rod(true)
	exactOwn.Conditions[0].Exact, exactOwn.Equations[0].Tolerance = true, 1e-2
	exactMixed := rod(true)
	exactMixed.Conditions = append(exactMixed.Conditions, exactMixed.Conditions[0], system.Demand{
		Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}}}, Points: column(0.2, 2), Tolerance: 1e-2,
	})
	exactMixed.Conditions[0].Exact = true
	exactMixed.Conditions[1].Exact, exactMixed.Conditions[1].Points = true, column(2)
	exactOnly := rod(true)
	exactOnly.Conditions[0].Exact, exactOnly.Equations[0].SD, exactOnly.Parameters[0].SD = true, 0.1, 0.3
	sd := rod(true)
	sd.Conditions[0].SD = 0.02
	manySD := rod(true)
	manySD.Equations[0].SD = 0.2
	learned, learnedMany := rod(false), rod(false)
	for _, p := range []*system.Problem{learned, learnedMany} { // one level and no prior: the diagonal form
		p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
		p.Sensors = p.Sensors[:1]
	}
	learned.Sensors[0].Sigma = nil
	learnedMany.Sensors[0] = many.Sensors[0]
	learnedMany.Sensors[0].Sigma = nil
	levels, levelsMany, one := rod(true), rod(true), rod(true)
	levels.Sensors[0].Sigma, levels.Sensors[1].Sigma = nil, nil
	levelsMany.Sensors[0] = learnedMany.Sensors[0]
	levelsMany.Sensors[1].Sigma = nil
	one.Sensors[0].Sigma = nil
	offset, learnedOffset := twoFields(), twoFields() // of a gauge: a thousand times as wide as its noise
	offset.Parameters[1].SD, offset.Sensors[0].Sigma = 0, []float64{1e-3}
	learnedOffset.Parameters[1].SD, learnedOffset.Sensors[0].Sigma = 0, nil
	first := rod(true)
	first.Sensors[0].Points, first.Sensors[0].Values = column(0.7), []float64{0.9}
	first.Sensors = first.Sensors[:1]
	return map[string]bruteForceCase{
		"exact condition":       {exact, 12, 1.3, 1e-3, nil, SquareRoot, false},
		"exact condition, sums": {exact, 12, 1.3, 1e-2, nil, GramPath, false},
		"exact condition, equation with its own tolerance":      {exactOwn, 12, 0.6, 0, nil, SquareRoot, false},
		"exact conditions and one with its own tolerance":       {exactMixed, 12, 2, 1e-4, nil, Auto, false},
		"exact conditions and one with its own tolerance, sums": {exactMixed, 12, 2, 1e-2, nil, GramPath, false},
		"exact condition, equation with an sd":                  {exactOnly, 12, 1.5, 0, nil, SquareRoot, false},
		"exact condition, equation with an sd, sums":            {exactOnly, 12, 1.5, 0, nil, GramPath, false},
		"condition with an sd":                                  {sd, 12, 1.7, 1e-3, nil, SquareRoot, false},
		"condition with an sd, sums":                            {sd, 12, 1.7, 1e-2, nil, GramPath, false},
		"equation with an sd":                                   {manySD, 4, 0.8, 1e-3, nil, SquareRoot, false},
		"rows":                                                  {rod(false), 12, 1.2, 1e-4, nil, SquareRoot, false},
		"rows, tight":                                           {rod(false), 12, 1.2, 1e-6, nil, SquareRoot, false},
		"rows, small amplitude":                                 {rod(false), 12, 0.03, 1e-3, nil, SquareRoot, false},
		"rows, large amplitude":                                 {rod(false), 12, 300, 1e-3, nil, SquareRoot, false},
		"more points than neurons":                              {rod(false), 4, 1.2, 1e-3, nil, SquareRoot, false},
		"sums":                                                  {rod(false), 12, 1.2, 1e-2, nil, GramPath, false},
		"with a condition":                                      {rod(true), 12, 1.2, 1e-4, nil, SquareRoot, false},
		"condition with its own tolerance":                      {mixed, 12, 1.2, 1e-4, nil, SquareRoot, false},
		"condition with its own tolerance, sums":                {mixed, 12, 1.2, 1e-2, nil, GramPath, false},
		"all tolerances given":                                  {own, 12, 1.2, 0, nil, SquareRoot, false},
		"many readings":                                         {many, 12, 1.2, 1e-3, nil, SquareRoot, false},
		"one reading":                                           {first, 12, 1.2, 1e-3, nil, SquareRoot, false},
		"parameter with a prior":                                {known, 12, 1.2, 1e-3, nil, SquareRoot, false},
		"two fields, two parameters":                            {twoFields(), 8, 1.2, 1e-3, nil, SquareRoot, false},
		"gauge of unknown offset":                               {offset, 8, 1.2, 1e-3, nil, SquareRoot, false},
		"gauge of unknown offset and noise":                     {learnedOffset, 8, 1.2, 1e-3, []float64{2e-4}, SquareRoot, true},
		"learned noise":                                         {learned, 12, 1.2, 1e-3, []float64{0.13}, SquareRoot, false},
		"learned noise of many readings":                        {learnedMany, 12, 1.2, 1e-3, []float64{0.6}, SquareRoot, false},
		"learned noise beside known noise":                      {one, 12, 1.2, 1e-3, []float64{0.2}, SquareRoot, true},
		"two learned levels":                                    {levels, 12, 1.2, 1e-3, []float64{0.2, 0.04}, SquareRoot, true},
		"two learned levels, many readings":                     {levelsMany, 12, 1.2, 1e-3, []float64{0.5, 0.3}, SquareRoot, true},
	}
}

// TestPosteriorAgreesWithBruteForceInExtendedPrecision: mean, standard deviation and
// log p(readings | physics, rows of priors) at held amplitude, slack and noise.
func TestPosteriorAgreesWithBruteForceInExtendedPrecision(t *testing.T) {
	for name, test := range bruteForceCases() {
		t.Run(name, func(t *testing.T) {
			p := test.problem
			layer, err := feature.New(p.Box(), feature.Config{Neurons: test.neurons, Scale: []float64{3}, Seed: 7, Constant: true})
			if err != nil {
				t.Fatal(err)
			}
			ph, err := Compile(p, layer, CompileConfig{Path: test.path})
			if err != nil {
				t.Fatal(err)
			}
			r, err := ph.read(p.Sensors)
			if err != nil {
				t.Fatal(err)
			}
			h := hold(t, ph, p.Sensors, test.amplitude, test.slack, everyNoise(r, test.noise...))
			q := h.posterior(t)
			m := plainModelOf(p, layer, ph, test.amplitude, test.slack, test.noise...)
			all := m.under(m.priors, m.readings)
			mu, sigma := all.moments()

			// the solution and its derivative where nothing was measured
			points := column(0.05, 0.6, 1.21, 1.9)
			boundMean, boundSD := bruteForceMean, bruteForceSD
			if test.path == GramPath {
				boundMean, boundSD = bruteForceSums, bruteForceSums
			}
			for _, f := range []system.Functional{system.Field(0), system.Derivative(0, 1), system.ParameterValue(0)} {
				if len(f.Parameters) > len(p.Parameters) {
					continue
				}
				mean, sd, err := q.Predict(f, points)
				if err != nil {
					t.Fatal(err)
				}
				wantMean, wantSD := momentsOf(p, layer, f, points, mu, sigma)
				for i := range mean {
					if math.Abs(mean[i]-wantMean[i]) > boundMean*wantSD[i] {
						t.Errorf("mean %d is %.15g, brute force %.15g, sd %g", i, mean[i], wantMean[i], wantSD[i])
					}
					if relative(sd[i], wantSD[i]) > boundSD {
						t.Errorf("sd %d is %.15g, brute force %.15g", i, sd[i], wantSD[i])
					}
				}
			}

			want := all.relative(m.under(m.priors))
			if got := h.levelsEvidence(t); math.Abs(got-want) > bruteForceEvidence {
				t.Errorf("log evidence by Cholesky is %.12g, brute force %.12g", got, want)
			}
			if test.unspectral {
				return
			}
			if got := h.spectralEvidence(t); math.Abs(got-want) > bruteForceEvidence {
				t.Errorf("log evidence by eigenvalues is %.12g, brute force %.12g", got, want)
			}
		})
	}
}
