package posterior

import (
	"math"
	"slices"
	"sort"

	"github.com/bpielm/bpielm/mat"
)

// With several noise levels, or one beside rows of priors, the evidence has no diagonal form. Its
// logarithm is then maximised over the logarithms of the amplitude and of the learned noise levels
// by Fisher scoring. There may be two maxima: one where the solution explains the readings, and one
// where all of them are noise. About each the integral is Laplace's, corrected by the true density
// at the sigma points of the Gaussian: the maximum and 2m points at distance sqrt(m + 1), which have
// its mean and covariance. They are the nodes.

const (
	scoringSteps = 25
	// scoredGain is the gain of a step, in nats, below which the maximum is found.
	scoredGain = 1e-3
	// longestStep bounds a step in each logarithm.
	longestStep = 1.5
)

// levels evaluates log evidence and priors at theta: log a, then the log noise of the learned
// groups.
type levels struct {
	u    *underPhysics
	a    amplitudes
	k    *mat.Sym
	s    *mat.Sym
	v    *mat.Sym // S^-1
	chol mat.Cholesky
	root *mat.Dense // K = root'root; computed on demand
	// Of the last evaluation:
	rows     bool // S is factorised by rows, S = T'T, not by chol
	t        *mat.Tri
	alpha    []float64
	variance []float64 // of the noise of each row
}

// peak is a maximum, with the Cholesky factor of the information there.
type peak struct {
	theta []float64
	value float64
	chol  mat.Cholesky
}

// holds tells whether theta is less than within standard deviations away.
func (p *peak) holds(theta []float64, within float64) bool {
	d := slices.Clone(theta)
	mat.Axpy(-1, p.theta, d)
	// |L'd|^2, d'LL'd
	for i := range d {
		v := 0.0
		for k := i; k < len(d); k++ {
			v = mat.FMA(p.chol.L().At(k, i), d[k], v)
		}
		d[i] = v
	}
	return squares(d) < within*within
}

// A starting point within leadsThere standard deviations of a known maximum is skipped; a result
// within isThere of it is the same maximum.
const leadsThere, isThere = 1.0, 2.0

func (u *underPhysics) laplace(a amplitudes) ([]node, float64, error) {
	n := len(u.r)
	l := &levels{u: u, a: a, k: u.covariance(), s: mat.NewSym(n, nil), v: mat.NewSym(n, nil), alpha: make([]float64, n), variance: make([]float64, n)}
	var peaks []*peak
	var failure error
	starts := append(slices.Clone(u.starts), l.explaining())
	if len(u.starts) == 0 {
		starts = append(starts, l.guess(0.7))
	}
	for _, theta := range starts {
		theta = slices.Clone(theta)
		if a.single {
			theta[0] = a.logA
		}
		if slices.ContainsFunc(peaks, func(p *peak) bool { return p.holds(theta, leadsThere) }) {
			continue
		}
		p := &peak{theta: theta}
		var err error
		if p.value, err = l.maximise(theta); err == nil {
			_, information := l.derivatives(theta)
			err = p.chol.Factorize(information)
		}
		if err != nil {
			failure = err
			continue
		}
		if !slices.ContainsFunc(peaks, func(q *peak) bool { return q.holds(theta, isThere) }) {
			peaks = append(peaks, p)
		}
	}
	if len(peaks) == 0 {
		return nil, 0, failure
	}
	top := math.Inf(-1)
	for _, p := range peaks {
		top = math.Max(top, p.value)
	}
	var nodes []node
	u.observed.starts = u.observed.starts[:0]
	for _, p := range peaks {
		u.observed.starts = append(u.observed.starts, p.theta)
		if p.value > top-negligibleNode {
			nodes = append(nodes, l.nodes(p)...)
		}
	}
	sort.SliceStable(nodes, func(i, j int) bool { return nodes[i].amplitude < nodes[j].amplitude })
	logs := make([]float64, len(nodes))
	for i := range nodes {
		logs[i] = nodes[i].logWeight
	}
	return nodes, logSumExp(logs), nil
}

// explaining returns the best amplitude at a noise so small that the solution must explain the
// readings. A search from there finds that maximum if there is one.
func (l *levels) explaining() []float64 {
	theta := l.guess(smallShare)
	if l.a.single {
		return theta
	}
	value := func(logA float64) float64 {
		theta[0] = logA
		v, err := l.at(theta)
		if err != nil {
			return math.Inf(-1)
		}
		return v
	}
	best, top := theta[0], value(theta[0])
	for _, step := range []float64{4 * coarseLogA, 2 * coarseLogA, coarseLogA} {
		low, high := best-step, best+step
		if step == 4*coarseLogA {
			low, high = lowestLogA, highestLogA
		}
		for x := low; x <= high; x += step {
			if v := value(x); v > top {
				best, top = x, v
			}
		}
	}
	theta[0] = best
	return theta
}

// smallShare is a small noise, relative to the readings.
const smallShare = 0.05

// guess returns a starting point: the given share of the readings' size as noise, and an amplitude
// that explains the readings.
func (l *levels) guess(share float64) []float64 {
	u := l.u
	theta := make([]float64, 1+len(u.learned))
	for i, g := range u.learned {
		theta[1+i] = mat.Log(share * u.groups[g].size)
	}
	explained, explaining := 0.0, 0.0
	for i := range u.data {
		v := 1.0
		if g := &u.groups[u.group[i]]; g.learned {
			v = g.size * g.size
		}
		explained += float64(u.r[i]*u.r[i]) / v
		explaining += l.k.At(i, i) / v
	}
	if explained > 0 && explaining > 0 {
		theta[0] = math.Min(math.Max(float64(0.5*mat.Log(explained/explaining)), lowestLogA), highestLogA)
	}
	return theta
}

// maximise moves theta to the maximum and returns the value there.
func (l *levels) maximise(theta []float64) (float64, error) {
	value, err := l.at(theta)
	if err != nil {
		return value, err
	}
	damping := 0.0
	for range scoringSteps {
		gradient, information := l.derivatives(theta)
		for i := range theta {
			information.Set(i, i, information.At(i, i)*(1+damping))
		}
		var chol mat.Cholesky
		if err := chol.Factorize(information); err != nil {
			return value, err
		}
		step := make([]float64, len(theta))
		chol.SolveVecTo(step, gradient)
		next := append([]float64(nil), theta...)
		for i, d := range step {
			next[i] += math.Max(-longestStep, math.Min(d, longestStep))
		}
		next[0] = math.Max(lowestLogA, math.Min(next[0], highestLogA))
		for i, g := range l.u.learned {
			next[1+i] = math.Max(next[1+i], mat.Log(smallestNoise*l.u.groups[g].size))
		}
		v, err := l.at(next)
		if err != nil || !(v >= value-scoredGain) {
			damping = math.Max(4*damping, 1)
			if damping > 1e4 {
				break
			}
			if _, err := l.at(theta); err != nil {
				return value, err
			}
			continue
		}
		gain := v - value
		copy(theta, next)
		value, damping = v, damping/4
		if gain < scoredGain {
			break
		}
	}
	return l.at(theta)
}

// at returns log evidence plus log priors, and leaves S^-1 and alpha behind.
func (l *levels) at(theta []float64) (float64, error) {
	u := l.u
	n := len(u.r)
	a2 := mat.Exp(2 * theta[0])
	value := -float64(0.5*float64(float64(u.readings)*log2Pi)) - u.logSigma - float64(0.5*u.residual)
	noise2 := make([]float64, len(u.groups))
	for g := range noise2 {
		noise2[g] = 1
	}
	for i, g := range u.learned {
		of := &u.groups[g]
		noise2[g] = mat.Exp(2 * theta[1+i])
		value += logNoisePrior(mat.Exp(theta[1+i])/of.size) - float64(0.5*(of.residual/noise2[g])) - float64(float64(of.extra)*theta[1+i])
	}
	least, largest := math.Inf(1), 0.0
	for i := range n {
		l.variance[i] = noise2[u.group[i]]
		least, largest = math.Min(least, l.variance[i]), math.Max(largest, float64(a2*l.k.At(i, i)))
	}
	logDet, err := 0.0, error(nil)
	if l.rows = largest > float64(squaresKeep*least); l.rows {
		logDet = l.factoriseRows(math.Sqrt(a2))
	} else {
		logDet, err = l.factoriseSums(a2)
	}
	if err != nil {
		return math.Inf(-1), err
	}
	value -= float64(0.5 * (mat.Dot(l.alpha, u.r) + logDet))
	if m := n - u.data; m > 0 {
		q, det, err := l.priorRows(a2)
		if err != nil {
			return math.Inf(-1), err
		}
		value += float64(0.5 * (q + det))
	}
	return value + l.a.logPrior(theta[0]), nil
}

// factoriseSums sets chol and alpha, and returns log |S|.
func (l *levels) factoriseSums(a2 float64) (logDet float64, err error) {
	for i := range l.variance {
		from, to := l.k.Row(i)[:i+1], l.s.Row(i)[:i+1]
		for j, v := range from {
			to[j] = a2 * v
		}
		to[i] += l.variance[i]
	}
	if err := l.chol.Factorize(l.s); err != nil {
		return 0, err
	}
	l.chol.SolveVecTo(l.alpha, l.u.r)
	return l.chol.LogDet(), nil
}

// factoriseRows does the same from [a root; R^1/2] = Q T, which does not square the condition
// number.
func (l *levels) factoriseRows(a float64) (logDet float64) {
	if l.root == nil {
		l.root = l.u.root()
	}
	l.t = stackedRoot(l.root, a, l.variance)
	copy(l.alpha, l.u.r)
	mat.Trsv(mat.Trans, l.t, l.alpha)
	mat.Trsv(mat.NoTrans, l.t, l.alpha)
	for i := range l.variance {
		logDet += float64(2 * mat.Log(math.Abs(l.t.At(i, i))))
	}
	return logDet
}

// root returns a matrix with K = root'root.
func (u *underPhysics) root() *mat.Dense {
	var qr mat.QR
	qr.Factorize(u.x)
	return qr.R()
}

// stackedRoot returns T with T'T = a^2 root'root + diag(variance).
func stackedRoot(root *mat.Dense, a float64, variance []float64) *mat.Tri {
	k, n := root.Dims()
	stacked := mat.NewDense(k+n, n, nil)
	stacked.Slice(0, k, 0, n).CopyFrom(root)
	stacked.Slice(0, k, 0, n).Scale(a)
	for i, v := range variance {
		stacked.Set(k+i, i, math.Sqrt(v))
	}
	var qr mat.QR
	qr.Factorize(stacked)
	return qr.R().Tri(mat.Upper)
}

// invert sets v to S^-1.
func (l *levels) invert() {
	if !l.rows {
		l.chol.InverseTo(l.v)
		return
	}
	inverseOfSquare(l.t, l.v)
}

// inverseOfSquare sets v to (T'T)^-1.
func inverseOfSquare(t *mat.Tri, v *mat.Sym) {
	n := v.N()
	inverse := mat.NewDense(n, n, nil)
	for i := range n {
		inverse.Set(i, i, 1)
	}
	mat.Trsm(mat.Left, mat.NoTrans, 1, t, inverse)
	mat.Syrk(mat.NoTrans, 1, inverse, 0, v)
}

// priorRows returns the quadratic form and log determinant of the rows that are not data.
func (l *levels) priorRows(a2 float64) (quadratic, logDet float64, err error) {
	u := l.u
	m := len(u.r) - u.data
	s := mat.NewSym(m, nil)
	for i := range m {
		for j, v := range l.k.Row(u.data + i)[u.data : u.data+i+1] {
			s.Set(i, j, a2*v)
		}
		s.Set(i, i, s.At(i, i)+1)
	}
	var chol mat.Cholesky
	if err := chol.Factorize(s); err != nil {
		return 0, 0, err
	}
	alpha := make([]float64, m)
	chol.SolveVecTo(alpha, u.r[u.data:])
	return mat.Dot(alpha, u.r[u.data:]), chol.LogDet(), nil
}

// derivatives returns the gradient at the last evaluation and the expected information, the
// curvature of the priors included.
func (l *levels) derivatives(theta []float64) ([]float64, *mat.Sym) {
	u := l.u
	n, m := len(u.r), len(theta)
	l.invert()
	gradient, information := make([]float64, m), mat.NewSym(m, nil)
	quadratic, trace, cross := l.sumsByGroup(m)
	// With G = S^-1 a^2 K = I - S^-1 R, and dS/d(log a) = 2 a^2 K.
	noiseQuadratic, noiseTrace, noiseCross := mat.Sum(quadratic), mat.Sum(trace), 0.0
	for p := range m {
		for q := range p + 1 {
			t := cross.At(p, q)
			if p != q {
				t *= 2
			}
			noiseCross += t
		}
	}
	gradient[0] = mat.Dot(l.alpha, u.r) - noiseQuadratic - (float64(n) - noiseTrace)
	information.Set(0, 0, math.Max(float64(2*(float64(n)-float64(2*noiseTrace)+noiseCross)), 0))
	for i, g := range u.learned {
		p := 1 + i
		of := &u.groups[g]
		residual := of.residual / mat.Exp(2*theta[p])
		gradient[p] = quadratic[p] + residual - trace[p] - float64(of.extra)
		own := 0.0 // tr of V R_p V R
		for q := range m {
			own += cross.At(max(p, q), min(p, q))
		}
		information.Set(p, 0, float64(2*(trace[p]-own)))
		information.Set(p, p, float64(2*(cross.At(p, p)+float64(of.extra))))
		for q := 1; q < p; q++ {
			information.Set(p, q, float64(2*cross.At(p, q)))
		}
		s := mat.Exp(theta[p]) / of.size
		gradient[p] -= s
		if s < noiseFloor {
			gradient[p]++
		}
		information.Set(p, p, information.At(p, p)+s)
	}
	l.addAmplitudePrior(theta, gradient, information)
	return gradient, information
}

// sumsByGroup returns sums over the rows of each noise level: of the quadratic form, of the trace and,
// for each pair of levels, of (V_ij)^2 s_i s_j, the trace of a product. They have m elements, in the
// order of theta; element 0 is for the rows of known noise.
func (l *levels) sumsByGroup(m int) (quadratic, trace []float64, cross *mat.Sym) {
	u := l.u
	index := make([]int, len(u.groups))
	for i, g := range u.learned {
		index[g] = 1 + i
	}
	quadratic, trace, cross = make([]float64, m), make([]float64, m), mat.NewSym(m, nil)
	for i := range u.r {
		p := index[u.group[i]]
		quadratic[p] += float64(l.variance[i] * float64(l.alpha[i]*l.alpha[i]))
		trace[p] += float64(l.variance[i] * l.v.At(i, i))
		row := l.v.Row(i)
		for j := range i + 1 {
			q := index[u.group[j]]
			t := float64(float64(row[j]*row[j]) * float64(l.variance[i]*l.variance[j]))
			if j < i && p == q {
				t *= 2
			}
			a, b := max(p, q), min(p, q)
			cross.Set(a, b, cross.At(a, b)+t)
		}
	}
	return quadratic, trace, cross
}

// addAmplitudePrior adds the derivatives of the amplitude's prior, and of the evidence of the rows
// that are not data, by finite differences, which are cheap here. The information stays positive.
func (l *levels) addAmplitudePrior(theta, gradient []float64, information *mat.Sym) {
	if l.a.single {
		gradient[0] = 0
		for p := 1; p < len(theta); p++ {
			information.Set(p, 0, 0)
		}
		information.Set(0, 0, 1)
		return
	}
	const h = 0.05
	f := func(t float64) float64 {
		value := l.a.logPrior(t)
		if len(l.u.r) > l.u.data {
			if q, det, err := l.priorRows(mat.Exp(2 * t)); err == nil {
				value += float64(0.5 * (q + det))
			}
		}
		return value
	}
	up, here, down := f(theta[0]+h), f(theta[0]), f(theta[0]-h)
	gradient[0] += (up - down) / (2 * h)
	curvature := -(up - float64(2*here) + down) / (h * h)
	const least = 0.05 // information about log a, at least
	information.Set(0, 0, math.Max(information.At(0, 0)+curvature, float64(0.5*information.At(0, 0))+least))
}

// nodes returns the sigma points at a maximum.
func (l *levels) nodes(p *peak) []node {
	m, first := len(p.theta), 0
	if l.a.single {
		first = 1
	}
	dimensions := float64(m - first)
	volume := float64(0.5*float64(dimensions*log2Pi)) - float64(0.5*p.chol.LogDet())
	at := func(theta []float64, value, share float64) node {
		n := node{amplitude: mat.Exp(theta[0]), noise: make([]float64, len(l.u.groups)), logWeight: value + volume + mat.Log(share)}
		for g := range n.noise {
			n.noise[g] = 1
		}
		for i, g := range l.u.learned {
			n.noise[g] = mat.Exp(theta[1+i])
		}
		return n
	}
	list := []node{at(p.theta, p.value, 1/(dimensions+1))}
	reach := math.Sqrt(dimensions + 1)
	for k := first; k < m; k++ {
		// Column k of L^-T, with H = LL'.
		column := make([]float64, m)
		column[k] = 1
		mat.Trsv(mat.Trans, p.chol.L(), column)
		for _, sign := range []float64{-reach, reach} {
			point := slices.Clone(p.theta)
			mat.Axpy(sign, column, point)
			if v, err := l.at(point); err == nil && v > math.Inf(-1) {
				// The Gaussian is lower there by half of (m + 1).
				v += float64(0.5 * (dimensions + 1))
				list = append(list, at(point, v, 1/float64(2*(dimensions+1))))
			}
		}
	}
	return list
}
