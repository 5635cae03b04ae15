package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// log2Pi is the logarithm of 2 pi.
const log2Pi = 1.8378770664093454835606594728112

// scored holds the readings in the coordinates g of a decomposition, so that
// the evidence can be asked for many tolerances.
type scored struct {
	pt       *mat.Dense // n x rows: the rows of all groups times D^1/2 V, transposed
	spread   *mat.Dense // of the size of pt, for evidence to work in
	k        *mat.Sym   // likewise, rows x rows; nil until it is needed
	eigen    mat.SymEigen
	y        []float64
	group    []int // of each row
	learned  []int // groups whose noise is to be learned
	groups   []group
	readings int     // rows and extras
	logSigma float64 // of the groups with known noise
	residual float64 // of the groups with known noise
}

func newScored(r *readings, scale []float64, right rightFactor, store *storage) *scored {
	s, h := collect(r, len(scale), store)
	scaleColumns(h, scale)
	right.MulRightV(h)
	s.pt, s.spread = h.Transpose(), store.dense(h.Cols(), h.Rows())
	return s
}

// collect puts the readings' rows, of n columns, together in h.
func collect(r *readings, n int, store *storage) (s *scored, h *mat.Dense) {
	s = &scored{groups: r.groups}
	rows := 0
	for i := range r.groups {
		rows += len(r.groups[i].y)
	}
	h = store.dense(rows, n)
	k := 0
	for i := range r.groups {
		g := &r.groups[i]
		h.Slice(k, k+len(g.y), 0, n).CopyFrom(g.h)
		s.y = append(s.y, g.y...)
		for range g.y {
			s.group = append(s.group, i)
		}
		k += len(g.y)
		s.readings += len(g.y) + g.extra
		if g.learned {
			s.learned = append(s.learned, i)
		} else {
			s.logSigma += g.logSigma
			s.residual += g.residual
		}
	}
	return s, h
}

// oneNoise tells whether all rows have one noise level.
func (s *scored) oneNoise() bool {
	return len(s.learned) == 0 || len(s.learned) == len(s.groups) && len(s.groups) == 1
}

// hyper are the hyper-parameters that the evidence of the readings decides,
// with their log evidence.
type hyper struct {
	logEvidence float64
	logPrior    float64 // of the amplitude
	amplitude   float64
	noise       []float64 // for each group; 1 where known, because rows are in units of sigma
}

// amplitudeWeight is for how many observations of the amplitude a the known
// source counts: log p(a) = -weight/2 (log(a^2/s^2) + s^2/a^2 - 1), s the
// amplitude that suits the source best. Readings that the source alone already
// explains say nothing against a = 0, and the posterior would then be certain
// of everything; the source itself does. More weight would let hundreds of
// collocation points overrule the readings.
const amplitudeWeight = 2

// logPrior is the prior of the squared amplitude; 0 where no source is known.
func (s source) logPrior(amplitude2 float64) float64 {
	if s.amplitude2 == 0 {
		return 0
	}
	ratio := s.amplitude2 / amplitude2
	return -0.5 * amplitudeWeight * (ratio - mat.Log(ratio) - 1)
}

// evidence maximises log p(y_s | physics) over the amplitude and the noise of
// the groups where it is not known:
//
//	-1/2 [ r'(a^2 K + R)^-1 r + log |a^2 K + R| + n log 2 pi ],
//
// r the readings less the prior mean, K their prior covariance at amplitude 1.
func (s *scored) evidence(p *prior) (hyper, error) {
	n, rows := s.pt.Dims()
	q := s.spread
	q.CopyFrom(s.pt)
	p.spread(q) // K = q'q
	r := append([]float64(nil), s.y...)
	mat.Gemv(mat.Trans, -1, s.pt, p.mean, 1, r)

	switch {
	case s.oneNoise():
		if rows <= n {
			return s.oneLevel(s.covariance(q), r, p.source)
		}
		return s.oneLevelReduced(q, r, p.source)
	default:
		return s.manyLevels(s.covariance(q), r, p.source)
	}
}

// covariance returns K = q'q.
func (s *scored) covariance(q *mat.Dense) *mat.Sym {
	if s.k == nil {
		s.k = mat.NewSym(q.Cols(), nil)
	}
	mat.Syrk(mat.Trans, 1, q, 0, s.k)
	return s.k
}

// spectrum is the diagonal form of the evidence when all rows have one noise
// level: eigenvalues of K, squared components of r along the eigenvectors, and
// what of r lies outside, of squared norm outside in extra dimensions.
type spectrum struct {
	k, r2   []float64
	outside float64
	extra   float64
}

func (s *scored) oneLevel(k *mat.Sym, r []float64, known source) (hyper, error) {
	f := spectrum{k: make([]float64, len(r)), r2: append([]float64(nil), r...)}
	if err := s.eigen.FactorizeFor(k, f.r2); err != nil {
		return hyper{}, err
	}
	for i, v := range s.eigen.Values() {
		f.k[i] = math.Max(v, 0)
		f.r2[i] *= f.r2[i]
	}
	f.extra = float64(s.readings - len(r))
	return s.maximise(f, known, nil)
}

// oneLevelReduced serves more rows than unknowns: the spectrum of K = q'q is
// that of qq', and what of r the rows of q cannot reach lies outside.
func (s *scored) oneLevelReduced(q *mat.Dense, r []float64, known source) (hyper, error) {
	var svd mat.SVD
	if err := svd.Factorize(q, true); err != nil {
		return hyper{}, err
	}
	f := spectrum{k: make([]float64, q.Rows()), r2: make([]float64, q.Rows())}
	mat.Gemv(mat.Trans, 1, svd.V(), r, 0, f.r2)
	rest := append([]float64(nil), r...)
	mat.Gemv(mat.NoTrans, -1, svd.V(), f.r2, 1, rest)
	for i, v := range svd.Values() {
		f.k[i] = v * v
		f.r2[i] *= f.r2[i]
	}
	f.outside = squares(rest)
	f.extra = float64(s.readings - q.Rows())
	return s.maximise(f, known, nil)
}

// maximise finds the amplitude, and the noise where it is learned. It may use the
// storage of noise.
func (s *scored) maximise(f spectrum, known source, noise []float64) (hyper, error) {
	learned := len(s.learned) > 0
	n := float64(s.readings)
	f.outside += s.residual
	for _, g := range s.learned {
		f.outside += s.groups[g].residual
	}
	// log evidence at a^2 = x (noise known), or at ratio a^2/sigma^2 = x with
	// the noise profiled out.
	level := func(x float64) (logEvidence, noise2 float64) {
		quadratic := f.outside
		var det logProduct
		for i, k := range f.k {
			d := 1 + float64(x*k)
			quadratic += f.r2[i] / d
			det.times(d)
		}
		logDet := det.log()
		noise2 = 1
		if learned {
			noise2 = math.Max(quadratic/n, smallestNoise*smallestNoise*math.Max(f.total()/n, math.SmallestNonzeroFloat64))
			quadratic /= noise2
			logDet += float64(n * mat.Log(noise2))
		}
		return float64(-0.5*(quadratic+logDet+float64(n*log2Pi))) - s.logSigma, noise2
	}
	top := 0.0
	for _, k := range f.k {
		top = math.Max(top, k)
	}
	if !(top > 0) {
		return hyper{}, dataError("sensors", "what they measure does not depend on anything that the physics leaves open")
	}
	// x = 1/top makes the best seen direction as uncertain as the noise; the
	// range of log x covers signals from far below the noise to 1e10 times above.
	low, high := -10.0, 48.0
	if !learned {
		// In units of sigma the amplitude may be anything that the data show.
		high = math.Max(high, float64(2*mat.Log(1+f.total()))+20)
	}
	centre := -mat.Log(top)
	score := func(t float64) float64 {
		x := mat.Exp(centre + t)
		e, noise2 := level(x)
		return e + known.logPrior(x*noise2)
	}
	x, _ := maximum(score, low, high, amplitudeGrid, amplitudeSections)
	best := mat.Exp(centre + x)
	e, noise2 := level(best)
	h := hyper{logEvidence: e, logPrior: known.logPrior(best * noise2), amplitude: math.Sqrt(best * noise2), noise: append(noise[:0], make([]float64, len(s.groups))...)}
	for i := range h.noise {
		h.noise[i] = math.Sqrt(noise2)
	}
	return h, nil
}

// logProduct is the logarithm of a product: of a few factors at a time, since
// logarithms are dear. The zero value is the empty product.
type logProduct struct {
	sum, product float64 // product: the factors not yet in sum, 0 for none
}

// times multiplies by a positive factor.
func (l *logProduct) times(factor float64) {
	const large, small = 0x1p400, 0x1p-400
	switch {
	case factor > large || factor < small:
		l.sum += mat.Log(factor)
	case l.product == 0:
		l.product = factor
	case l.product > large || l.product < small:
		l.sum += mat.Log(l.product)
		l.product = factor
	default:
		l.product *= factor
	}
}

func (l *logProduct) log() float64 {
	if l.product == 0 {
		return l.sum
	}
	return l.sum + mat.Log(l.product)
}

func (f *spectrum) total() float64 {
	t := f.outside
	for _, r := range f.r2 {
		t += r
	}
	return t
}

const (
	// smallestNoise bounds a learned noise level from below, relative to the
	// root mean square of the readings: readings that the model can interpolate
	// would otherwise drive it to zero.
	smallestNoise = 1e-6
	// amplitudeGrid is how many values of log(a^2) are tried before the best
	// is refined by golden sections: the evidence may have more than one maximum.
	amplitudeGrid     = 24
	amplitudeSections = 15
)

// maximum returns the place and value of the largest maximum of f in [a, b]:
// the best of n+1 equidistant places, refined by so many golden sections
// between its neighbours.
func maximum(f func(float64) float64, a, b float64, n, sections int) (x, fx float64) {
	step := (b - a) / float64(n)
	best := 0
	fx = math.Inf(-1)
	for i := range n + 1 {
		if v := f(a + float64(float64(i)*step)); v > fx {
			best, fx = i, v
		}
	}
	x = a + float64(float64(best)*step)
	y, fy := golden(f, math.Max(a, x-step), math.Min(b, x+step), sections)
	if fy > fx {
		return y, fy
	}
	return x, fx
}

// golden narrows a maximum in [a, b] down by golden sections.
func golden(f func(float64) float64, a, b float64, sections int) (x, fx float64) {
	const ratio = 0.6180339887498949
	c, d := b-float64(ratio*(b-a)), a+float64(ratio*(b-a))
	fc, fd := f(c), f(d)
	for range sections {
		if fc >= fd {
			b, d, fd = d, c, fc
			c = b - float64(ratio*(b-a))
			fc = f(c)
		} else {
			a, c, fc = c, d, fd
			d = a + float64(ratio*(b-a))
			fd = f(d)
		}
	}
	if fc >= fd {
		return c, fc
	}
	return d, fd
}

const (
	noiseSweeps    = 300
	noiseTolerance = 1e-7
)

// manyLevels learns several noise levels and the amplitude together, by the
// minorise-maximise updates of variance components: each variance is
// multiplied by the square root of (its share of the quadratic form) / (its
// share of the trace), which never lowers the evidence. [Zhou, Hu, Zhou &
// Lange, MM algorithms for variance components models, 2019]
func (s *scored) manyLevels(k *mat.Sym, r []float64, known source) (hyper, error) {
	rows := len(r)
	trace := 0.0
	for i := range rows {
		trace += k.At(i, i)
	}
	if !(trace > 0) {
		return hyper{}, dataError("sensors", "what they measure does not depend on anything that the physics leaves open")
	}
	v2 := make([]float64, len(s.groups)) // noise variance of each group
	for g := range v2 {
		v2[g] = 1
	}
	floor := make([]float64, len(s.groups))
	for _, g := range s.learned {
		m2 := (squares(s.groups[g].y) + s.groups[g].residual) / float64(len(s.groups[g].y)+s.groups[g].extra)
		v2[g] = math.Max(0.1*m2, math.SmallestNonzeroFloat64)
		floor[g] = smallestNoise * smallestNoise * m2
	}
	// Each group counts in its own unit, so that the units do not matter.
	explained, explaining := 0.0, 0.0
	for i, g := range s.group {
		explained += float64(r[i]*r[i]) / v2[g]
		explaining += k.At(i, i) / v2[g]
	}
	a2 := explained / explaining
	if !(a2 > 0) { // readings that are all zero have no unit
		a2 = 1
	}
	var (
		c     = mat.NewSym(rows, nil)
		inv   = mat.NewSym(rows, nil)
		chol  mat.Cholesky
		alpha = make([]float64, rows)
		last  = math.Inf(-1)
		e     float64
	)
	for range noiseSweeps {
		for i := range rows {
			for j := range i + 1 {
				c.Set(i, j, a2*k.At(i, j))
			}
			c.Set(i, i, c.At(i, i)+v2[s.group[i]])
		}
		if err := chol.Factorize(c); err != nil {
			return hyper{}, err
		}
		chol.SolveVecTo(alpha, r)
		chol.InverseTo(inv)
		quadratic := mat.Dot(alpha, r) + s.residual
		logDet := chol.LogDet()
		for _, g := range s.learned {
			quadratic += s.groups[g].residual / v2[g]
			logDet += float64(float64(s.groups[g].extra) * mat.Log(v2[g]))
		}
		e = float64(-0.5*(quadratic+logDet+float64(float64(s.readings)*log2Pi))) - s.logSigma
		total := e + known.logPrior(a2)
		if total-last <= float64(noiseTolerance*float64(s.readings)) {
			break
		}
		last = total
		share, freedom := make([]float64, len(v2)), make([]float64, len(v2))
		signal, signalTrace := mat.Dot(alpha, r), float64(rows)
		for i, g := range s.group {
			share[g] += float64(alpha[i] * alpha[i])
			freedom[g] += inv.At(i, i)
		}
		for g := range v2 {
			signal -= float64(v2[g] * share[g])
			signalTrace -= float64(v2[g] * freedom[g])
		}
		for _, g := range s.learned {
			num := float64(v2[g]*share[g]) + s.groups[g].residual/v2[g]
			den := float64(v2[g]*freedom[g]) + float64(s.groups[g].extra)
			v2[g] = math.Max(v2[g]*math.Sqrt(num/den), floor[g])
		}
		if known.amplitude2 > 0 {
			signal = math.Max(signal, 0) + float64(amplitudeWeight*(known.amplitude2/a2))
			signalTrace = math.Max(signalTrace, 0) + amplitudeWeight
		}
		if signal > 0 && signalTrace > 0 {
			a2 *= math.Sqrt(signal / signalTrace)
		}
	}
	h := hyper{logEvidence: e, logPrior: known.logPrior(a2), amplitude: math.Sqrt(a2), noise: make([]float64, len(v2))}
	for g := range v2 {
		h.noise[g] = math.Sqrt(v2[g])
	}
	return h, nil
}
