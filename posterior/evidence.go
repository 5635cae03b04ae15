package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// The evidence of the readings under physics at one slack,
//
//	log p(y | a, R) = -1/2 [ r'(a^2 K + R)^-1 r + log |a^2 K + R| + n log 2 pi ],
//
// r the readings less the prior mean, K their prior covariance at amplitude 1 and R
// their noise, integrated over the amplitude a and the noise of the groups that
// state none. Where all readings have one noise level the eigenvalues of K make a
// value cost O(n); otherwise the integral is Laplace's, about its maximum.
//
// Priors of parameters, and demands with an sd of their own, are rows like readings,
// but no data: the evidence is that of the readings given them.

// observed holds the readings in the coordinates g of a decomposition.
type observed struct {
	pt       *mat.Dense // n x rows: rows of all groups in the coordinates g, transposed
	work     *mat.Dense // of the size of pt, to work in
	y        []float64
	group    []int // of each row
	groups   []group
	learned  []int // groups whose noise is to be learned
	data     int   // rows of readings; those of priors follow
	readings int   // rows of readings and extras
	logSigma float64
	residual float64 // of the groups with known noise

	*evidenceSpace
	starts [][]float64 // where the maxima were at the last slack, see laplace
}

// evidenceSpace is what the evidence works in, from one slack to the next.
type evidenceSpace struct {
	k       *mat.Sym
	eigen   mat.SymEigen
	r       []float64
	s       spectrum
	places  []abscissa
	coarse  []abscissa
	covered [][2]float64 // where places have been looked at
	nodes   []node
	factors []abscissa // of stated noise that is too small, see addLouder
	alternatives
}

// newObserved puts the readings' rows, in scaled weights, together and turns them to the
// coordinates of a decomposition; nil leaves them as they are.
func newObserved(r *readings, columns int, dec *decomposition, store *storage) *observed {
	o := &observed{groups: shared(r.groups), evidenceSpace: store.evidence()}
	rows := 0
	for i := range r.groups {
		rows += len(r.groups[i].y)
	}
	h := store.dense(rows, columns)
	k := 0
	for _, prior := range []bool{false, true} {
		for i := range r.groups {
			g := &r.groups[i]
			if g.prior != prior {
				continue
			}
			h.Slice(k, k+len(g.y), 0, columns).CopyFrom(g.h)
			k += len(g.y)
			o.y = append(o.y, g.y...)
			for range g.y {
				o.group = append(o.group, g.shares)
			}
			if g.learned && g.shares == i {
				o.learned = append(o.learned, i)
			}
			if prior {
				continue
			}
			o.data, o.readings = k, o.readings+len(g.y)+g.extra
			o.logSigma += g.logSigma // of weights, where noise is learned
			if !g.learned {
				o.residual += g.residual
			}
		}
	}
	if dec == nil {
		dec = &decomposition{}
	}
	o.pt, o.work = dec.turned(h, store), store.dense(columns, rows)
	return o
}

// shared returns groups with what those that share a noise level have in common added
// up in the first of them.
func shared(groups []group) []group {
	groups = slices.Clone(groups)
	for i := range groups {
		if first := groups[i].shares; first != i {
			g, to := &groups[i], &groups[first]
			to.residual += g.residual
			to.extra += g.extra
			to.size = math.Max(to.size, g.size)
			g.residual, g.extra = 0, 0
		}
	}
	return groups
}

// underPhysics is the readings under physics at one slack, until the next one is asked for.
type underPhysics struct {
	*observed
	r     []float64  // readings less their prior mean
	x     *mat.Dense // n x rows: K = x'x
	known bool       // K has been computed
}

func (o *observed) under(p *slackPrior) *underPhysics {
	o.evidenceSpace.r = append(o.evidenceSpace.r[:0], o.y...)
	u := &underPhysics{observed: o, r: o.evidenceSpace.r, x: o.work}
	u.x.CopyFrom(o.pt)
	p.mulTrans(u.x)
	mat.Gemv(mat.Trans, -1, o.pt, p.mean, 1, u.r)
	return u
}

// covariance returns K.
func (u *underPhysics) covariance() *mat.Sym {
	n := u.x.Cols()
	if u.k == nil || u.k.N() != n {
		u.k = mat.NewSym(n, nil)
	}
	if !u.known {
		mat.Syrk(mat.Trans, 1, u.x, 0, u.k)
		u.known = true
	}
	return u.k
}

// node is a state of the hyper-parameters that one slack leaves open.
type node struct {
	amplitude float64
	noise     []float64 // of each group; 1 where known, because rows are in units of sigma; nil: all known
	logWeight float64   // log of evidence times priors times the volume that the node stands for
	louder    bool      // stated noise is multiplied by a factor
}

// amplitudes is what one slack has to say of the amplitude: its log prior, which
// includes the slack's, or one value alone.
type amplitudes struct {
	logPrior func(logA float64) float64
	single   bool
	logA     float64
	louder   bool // stated noise may be too small
}

// The range of log a that is looked at.
const (
	lowestLogA, highestLogA = -5.0, 11.5
	coarseLogA              = 0.75
	// smallNoise extends it where it is that of the amplitude over the noise.
	smallNoise = 8.0
	// A mode is integrated in steps of so many of its standard deviations, until the
	// density has fallen by negligibleNode in its logarithm.
	finePart, finest = 0.9, 0.01
	negligibleNode   = 8.0
)

// integrate returns the nodes of one slack, valid until the next is integrated, and the log of the
// integral.
func (u *underPhysics) integrate(a amplitudes) ([]node, float64, error) {
	oneLevel := len(u.learned) == 0 || len(u.learned) == 1 && u.alone()
	if !oneLevel {
		u.alternatives = alternatives{math.NaN(), math.NaN(), math.NaN()}
		if u.few() {
			return u.integrateFew(a)
		}
		return u.laplace(a)
	}
	if err := u.diagonalise(); err != nil {
		return nil, 0, err
	}
	u.nodes = u.nodes[:0]
	u.alternatives = alternatives{math.NaN(), math.NaN(), math.NaN()}
	if len(u.learned) > 0 {
		// In log a/s, s relative to the readings, so that units do not matter.
		unit := mat.Log(u.groups[u.learned[0]].size)
		total := u.quadrature(lowestLogA, highestLogA+smallNoise, func(x float64) float64 { return u.overNoise(x-unit, a, nil) })
		nodes := u.nodes
		for _, p := range u.places {
			u.overNoise(p.x-unit, a, func(n node) {
				n.logWeight += p.logStep
				nodes = append(nodes, n)
			})
		}
		u.nodes = nodes
		return u.nodes, total, nil
	}
	right := 0.0
	if a.louder {
		right = mat.Log(1 - misstated)
	}
	density := func(logA float64) float64 { return u.s.known(mat.Exp(2*logA)) + a.logPrior(logA) + right }
	total := 0.0
	if a.single {
		total = density(a.logA)
		u.nodes = append(u.nodes, node{amplitude: mat.Exp(a.logA), logWeight: total})
	} else {
		total = u.quadrature(lowestLogA, highestLogA, density)
		for _, p := range u.places {
			u.nodes = append(u.nodes, node{amplitude: mat.Exp(p.x), logWeight: p.log + p.logStep})
		}
	}
	if a.louder {
		total = u.addLouder(a, total)
	}
	return u.nodes, total, nil
}

// alone tells whether all rows share the one noise level that is learned.
func (u *underPhysics) alone() bool {
	return !slices.ContainsFunc(u.group, func(g int) bool { return g != u.learned[0] })
}

// abscissa is where a density in one dimension has been looked at.
type abscissa struct{ x, log, logStep float64 }

// quadrature integrates exp(f) over [low, high] by the trapezoidal rule, around every mode
// that a coarse look finds. The places are left in u.places, by ascending x.
func (u *underPhysics) quadrature(low, high float64, f func(x float64) float64) float64 {
	u.places, u.coarse, u.covered = u.places[:0], u.coarse[:0], u.covered[:0]
	for x := low; x <= high; x += coarseLogA {
		u.coarse = append(u.coarse, abscissa{x: x, log: f(x)})
	}
	best := math.Inf(-1)
	for {
		top := abscissa{log: best - negligibleNode}
		for _, c := range u.coarse {
			if c.log > top.log && !u.isCovered(c.x) {
				top = c
			}
		}
		if !(top.log > best-negligibleNode) || !finite(top.log) {
			break
		}
		best = math.Max(best, u.around(top, low, high, f))
		u.covered = append(u.covered, [2]float64{top.x, top.x}) // also where climbing led elsewhere
	}
	slices.SortFunc(u.places, func(a, b abscissa) int { return cmp.Compare(a.x, b.x) })
	sum := 0.0
	for _, p := range u.places {
		sum += mat.Exp(p.log + p.logStep - best)
	}
	return best + mat.Log(sum)
}

func (u *underPhysics) isCovered(x float64) bool {
	return slices.ContainsFunc(u.covered, func(c [2]float64) bool { return x >= c[0] && x <= c[1] })
}

// around adds the places around the mode near a start to those in u.places, and returns the
// value at the best; nothing where that mode has been integrated already.
func (u *underPhysics) around(start abscissa, low, high float64, f func(x float64) float64) (best float64) {
	x, top := start.x, start.log
	// Climb, then three points about the top give its width.
	up, down := f(x+coarseLogA), f(x-coarseLogA)
	for up > top && x+coarseLogA <= high {
		x, down, top = x+coarseLogA, top, up
		up = f(x + coarseLogA)
	}
	for down > top && x-coarseLogA >= low {
		x, up, top = x-coarseLogA, top, down
		down = f(x - coarseLogA)
	}
	curvature := (float64(2*top) - up - down) / (coarseLogA * coarseLogA)
	step := coarseLogA
	if curvature > 0 {
		x += math.Max(-coarseLogA, math.Min(float64(0.5*((up-down)/(coarseLogA*curvature))), coarseLogA))
		step = math.Max(math.Min(step, finePart/math.Sqrt(curvature)), finest)
		// The parabola through distant points is not the curvature at the top.
		top, up, down = f(x), f(x+step), f(x-step)
		if c := (float64(2*top) - up - down) / float64(step*step); c > 0 {
			step = math.Max(math.Min(step, finePart/math.Sqrt(c)), finest)
		}
	}
	if u.isCovered(x) {
		return math.Inf(-1)
	}
	logStep := mat.Log(step)
	u.places = append(u.places, abscissa{x, f(x), logStep})
	best = u.places[len(u.places)-1].log
	reach := [2]float64{x, x}
	for side, direction := range []float64{-1, 1} {
		for k := 1.0; ; k++ {
			t := x + float64(float64(direction*k)*step)
			if t < low || t > high || u.isCovered(t) {
				break
			}
			v := f(t)
			best = math.Max(best, v)
			reach[side] = t
			if !(v > best-negligibleNode) {
				break
			}
			u.places = append(u.places, abscissa{t, v, logStep})
		}
	}
	u.covered = append(u.covered, reach)
	return best
}

// spectrum is the diagonal form of the evidence where all rows have one noise level:
// eigenvalues of K, squared components of r along the eigenvectors, and what of r
// lies outside, of squared norm outside in extra dimensions; of all rows, less that of the
// rows that are no data.
type spectrum struct {
	all, prior eigenvalues
	constant   float64
}

// eigenvalues is the spectrum of some rows.
type eigenvalues struct {
	k, r2   []float64
	outside float64
}

// diagonalise sets u.s.
func (u *underPhysics) diagonalise() error {
	s := &u.s
	s.constant = -float64(0.5*float64(float64(u.readings)*log2Pi)) - u.logSigma
	k := u.covariance()
	if err := u.decompose(&s.all, k, u.x, u.r); err != nil {
		return err
	}
	s.all.outside += u.residual
	for _, g := range u.learned {
		s.all.outside += u.groups[g].residual
	}
	s.prior.k = s.prior.k[:0]
	if m := len(u.r) - u.data; m > 0 {
		of := mat.NewSym(m, nil)
		for i := range m {
			copy(of.Row(i)[:i+1], k.Row(u.data + i)[u.data:u.data+i+1])
		}
		return u.decompose(&s.prior, of, u.x.Slice(0, u.x.Rows(), u.data, len(u.r)), u.r[u.data:])
	}
	return nil
}

// squaresKeep is the largest ratio of prior variance to noise variance for which sums of
// squares keep what the noise is.
const squaresKeep = 1e11

// eigenvaluesKeep is the largest prior variance at amplitude 1, in units of that of the noise,
// of which eigenvalues of sums of squares are enough at amplitudes of some hundreds, too. Where
// there are parameters it is larger, see flatParameter.
const eigenvaluesKeep = 1e7

// decompose sets p to the spectrum of k = x'x.
func (u *underPhysics) decompose(p *eigenvalues, k *mat.Sym, x *mat.Dense, r []float64) error {
	p.k, p.r2 = resized(p.k, len(r)), append(p.r2[:0], r...)
	p.outside = 0
	if err := u.eigen.FactorizeFor(k, p.r2); err != nil {
		return err
	}
	for i, v := range u.eigen.Values() {
		p.k[i] = math.Max(v, 0)
		p.r2[i] *= p.r2[i]
	}
	if slices.Max(p.k) <= eigenvaluesKeep {
		return nil
	}
	var svd mat.SVD
	if err := svd.Factorize(x, true); err != nil {
		return err
	}
	p.k, p.r2 = p.k[:len(svd.Values())], p.r2[:len(svd.Values())]
	clear(p.r2)
	mat.Gemv(mat.Trans, 1, svd.V(), r, 0, p.r2)
	p.outside = squares(r)
	for i, v := range svd.Values() {
		p.k[i] = float64(v * v)
		p.r2[i] *= p.r2[i]
		p.outside -= p.r2[i]
	}
	if p.outside = math.Max(p.outside, 0); len(p.k) == len(r) {
		p.outside = 0
	}
	return nil
}

// quadraticAndLogDet returns r'(xK + 1)^-1 r and log |xK + 1|.
func (p *eigenvalues) quadraticAndLogDet(x float64) (quadratic, logDet float64) {
	quadratic = p.outside
	var det logProduct
	for i, k := range p.k {
		d := 1 + float64(x*k)
		quadratic += p.r2[i] / d
		det.times(d)
	}
	return quadratic, det.log()
}

// known is the log evidence at a^2 = x, rows being in units of their noise.
func (s *spectrum) known(x float64) float64 {
	q, det := s.all.quadraticAndLogDet(x)
	e := s.constant - float64(0.5*(q+det))
	if len(s.prior.k) > 0 {
		q, det = s.prior.quadraticAndLogDet(x)
		e += float64(0.5 * (q + det))
	}
	return e
}

// Noise that is stated is too small with the probability misstated: places are off, models leave
// something out, and an instrument's sheet is optimistic. The logarithm of the factor is then
// half-normal with the standard deviation factorSD, up to three times in 95 %. A layer that cannot follow
// the readings would otherwise be as sure as one that can.
const (
	misstated = 0.1
	factorSD  = 0.56
	// factorStep is that of the logarithm of the factor where the amplitude is held.
	factorStep = 0.2
)

// alternatives are the logarithms of the integrals of one slack over the states in which stated noise is
// right and in which it is too small, without what is probable beforehand, and the mean logarithm
// of the factor in the latter. Where they do not apply they are NaN.
type alternatives struct{ logRight, logLouder, logFactor float64 }

// addLouder adds the nodes in which stated noise is too small to those in which it is right, of weight
// right in all, and returns the log of all their weight.
func (u *underPhysics) addLouder(a amplitudes, right float64) float64 {
	u.factors = u.factors[:0]
	first := len(u.nodes)
	add := func(logA, logFactor, log float64) {
		u.factors = append(u.factors, abscissa{x: logFactor, log: log})
		u.nodes = append(u.nodes, node{amplitude: mat.Exp(logA), logWeight: log + mat.Log(misstated), louder: true})
	}
	if a.single {
		for t := 0.5 * factorStep; t < 3*factorSD; t += factorStep {
			add(a.logA, t, u.louder(a.logA-t, t)+a.logPrior(a.logA)+mat.Log(factorStep))
		}
	} else {
		u.quadrature(lowestLogA, highestLogA, func(logRatio float64) float64 { return u.overFactor(logRatio, a, nil) })
		for _, p := range u.places {
			u.overFactor(p.x, a, func(t, log float64) { add(t+p.x, t, log+p.logStep) })
		}
	}
	u.alternatives = alternatives{right - mat.Log(1-misstated), math.Inf(-1), 0}
	for _, f := range u.factors {
		u.logLouder = math.Max(u.logLouder, f.log)
	}
	sum := 0.0
	for _, f := range u.factors {
		w := mat.Exp(f.log - u.logLouder)
		sum += w
		u.logFactor += float64(w * f.x)
	}
	if !(sum > 0) {
		u.nodes, u.logLouder = u.nodes[:first], math.Inf(-1)
		return right
	}
	u.logLouder += mat.Log(sum)
	u.logFactor /= sum
	louder := u.logLouder + mat.Log(misstated)
	if !(louder > right-negligibleNode) {
		u.nodes = u.nodes[:first]
		return right
	}
	noise := make([]float64, len(u.factors)*len(u.groups))
	for i, f := range u.factors {
		own := noise[i*len(u.groups) : (i+1)*len(u.groups)]
		for g := range own {
			own[g] = mat.Exp(f.x)
		}
		u.nodes[first+i].noise = own
	}
	return logSumExp([]float64{right, louder})
}

// louder is the log evidence at the ratio of amplitude and noise exp(logRatio), the noise being
// exp(t) times as large as stated, with the prior of t.
func (u *underPhysics) louder(logRatio, t float64) float64 {
	quadratic, logDet := u.s.dataOnly(mat.Exp(2 * logRatio))
	z := t / factorSD
	return u.s.constant - float64(0.5*(float64(quadratic*mat.Exp(-2*t))+logDet)) - float64(float64(u.readings)*t) - float64(0.5*(float64(z*z)+log2Pi)) + ln2 - mat.Log(factorSD)
}

// overFactor integrates louder over t > 0 at one ratio of amplitude and noise. Each value goes to each, where
// that is not nil.
func (u *underPhysics) overFactor(logRatio float64, a amplitudes, each func(t, log float64)) float64 {
	n := float64(u.readings)
	quadratic, _ := u.s.dataOnly(mat.Exp(2 * logRatio))
	// The mode of -q exp(-2t)/2 - n t - t^2 / (2 sd^2) lies near that of the likelihood.
	centre := math.Max(float64(0.5*mat.Log(math.Max(quadratic/n, math.SmallestNonzeroFloat64))), 0)
	step := 2 * noiseReach / (noiseNodes - 1) / math.Sqrt(2*n)
	logStep := mat.Log(step)
	var logs [noiseNodes]float64
	for i := range logs {
		t := centre + float64(float64(i-noiseNodes/2)*step)
		if t <= 0 {
			logs[i] = math.Inf(-1)
			continue
		}
		logs[i] = u.louder(logRatio, t) + a.logPrior(t+logRatio) + logStep
		if each != nil {
			each(t, logs[i])
		}
	}
	return logSumExp(logs[:])
}

// dataOnly is quadraticAndLogDet of the readings given the rows that are no data.
func (s *spectrum) dataOnly(x float64) (quadratic, logDet float64) {
	quadratic, logDet = s.all.quadraticAndLogDet(x)
	if len(s.prior.k) > 0 {
		q, det := s.prior.quadraticAndLogDet(x)
		quadratic, logDet = math.Max(quadratic-q, 0), logDet-det
	}
	return quadratic, logDet
}

// noiseNodes is how many values of a learned noise there are for one ratio of
// amplitude and noise, noiseReach standard deviations of log sigma to either side.
const (
	noiseNodes = 7
	noiseReach = 2.5
)

// overNoise integrates over the one noise level that is learned, at the ratio a/sigma
// = exp(logRatio): the noise given that ratio is known to 1/sqrt(2n) in its logarithm.
// Every node goes to each, where that is not nil.
func (u *underPhysics) overNoise(logRatio float64, a amplitudes, each func(node)) float64 {
	n := float64(u.readings)
	quadratic, logDet := u.s.all.quadraticAndLogDet(mat.Exp(2 * logRatio))
	unit := u.groups[u.learned[0]].size
	centre := math.Max(float64(0.5*mat.Log(math.Max(quadratic/n, math.SmallestNonzeroFloat64))), mat.Log(smallestNoise*unit))
	step, count := 2*noiseReach/(noiseNodes-1)/math.Sqrt(2*n), noiseNodes
	logStep := mat.Log(step)
	if a.single {
		centre, count, logStep = a.logA-logRatio, 1, 0
	}
	var logs [noiseNodes]float64
	for i := range count {
		t := centre + float64(float64(i-count/2)*step)
		sigma := mat.Exp(t)
		logs[i] = u.s.constant - float64(0.5*(quadratic/float64(sigma*sigma)+logDet)) - float64(n*t) + logNoisePrior(sigma/unit) + a.logPrior(t+logRatio) + logStep
		if each != nil {
			each(node{amplitude: mat.Exp(t + logRatio), noise: []float64{sigma}, logWeight: logs[i]})
		}
	}
	return logSumExp(logs[:count])
}

// smallestNoise bounds a learned noise level from below, relative to the size of its
// readings: readings that the model can interpolate would otherwise drive it to zero.
const smallestNoise = 1e-6

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

// logSumExp returns log sum exp(x).
func logSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range x {
		sum += mat.Exp(v - top)
	}
	return top + mat.Log(sum)
}
