package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
)

// The evidence of the readings under the physics at one slack is
//
//	log p(y | a, R) = -1/2 [ r'(a^2 K + R)^-1 r + log |a^2 K + R| + n log 2 pi ],
//
// with r the readings less the prior mean, K their prior covariance at amplitude 1 and R their
// noise. It is integrated over the amplitude a and the noise of the groups that state none. Where
// all readings share one noise level, a tridiagonal form of K makes one evaluation cost O(n)
// (spectrum.go); otherwise the integral is Laplace's, about its maxima (laplace.go), or by
// quadrature for a few readings (fewreadings.go). Stated noise may be too small (louder.go). Every slack
// is integrated on its own; survey.go adds them up to what layers are compared by.
//
// Priors of parameters, and equations and conditions with an sd of their own, are rows like readings
// but not data: the evidence is that of the readings given these rows.

// observed holds the readings in the coordinates g of a decomposition.
type observed struct {
	pt       *mat.Dense // n x rows: rows of all groups in the coordinates g, transposed
	work     *mat.Dense // work space of the size of pt
	y        []float64
	group    []int // of each row
	groups   []group
	learned  []int // groups whose noise is to be learned
	data     int   // rows of readings; rows of priors follow
	readings int   // number of readings, compressed ones included
	logSigma float64
	residual float64 // of groups with known noise

	*evidenceSpace
	starts [][]float64 // maxima at the last slack, see laplace
}

// evidenceSpace is work space of the evidence, reused from one slack to the next.
type evidenceSpace struct {
	k           *mat.Sym
	tridiagonal mat.Tridiagonal
	bidiagonal  mat.Bidiagonal
	qr          mat.QR
	eigen       mat.SymEigen
	r           []float64
	s           spectrum
	places      []abscissa
	coarse      []abscissa
	covered     [][2]float64 // intervals that have been integrated
	nodes       []node
	factors     []abscissa // factors of the stated noise, see louder.go
	fan         fan
	average     gauss.Averager
	alternatives
}

// newObserved stacks the readings' rows, in scaled weights, and transforms them to the coordinates
// of a decomposition; with nil they stay as they are.
func newObserved(r *readings, columns int, dec *decomposition, store *storage) *observed {
	o := &observed{groups: shared(r.groups), evidenceSpace: store.evidence()}
	rows := 0
	for i := range r.groups {
		rows += len(r.groups[i].y)
	}
	h := store.unsetDense(rows, columns)
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
			o.logSigma += g.logSigma // nonzero for learned noise too, because of weights
			if !g.learned {
				o.residual += g.residual
			}
		}
	}
	if dec == nil {
		dec = &decomposition{}
	}
	o.pt, o.work = dec.turned(h, store), store.unsetDense(columns, rows)
	return o
}

// shared returns the groups with the statistics of those that share a noise level accumulated in the
// first of them.
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

// underPhysics is the readings under the physics at one slack, valid until the next one is
// requested.
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

// node is one value of the hyper-parameters that a slack leaves open.
type node struct {
	amplitude float64
	noise     []float64 // of each group, 1 where known, because rows are in units of sigma; nil: all known
	logWeight float64   // log of evidence times priors times the volume that the node represents
	louder    bool      // the stated noise is multiplied by a factor
}

// amplitudes is the log prior of the amplitude at one slack, the slack's own prior included, or a
// single value.
type amplitudes struct {
	density func(logA, a float64) (exponent, factor float64) // exp(exponent) times factor
	single  bool
	logA    float64
	louder  bool // stated noise may be too small
}

// logPrior is the log density of log a.
func (a *amplitudes) logPrior(logA float64) float64 {
	exponent, factor := a.density(logA, mat.Exp(logA))
	return exponent + mat.Log(factor)
}

// The range of log a, and its coarse grid.
const (
	lowestLogA, highestLogA = -5.0, 11.5
	coarseLogA              = 0.75
	// smallNoise extends the range where it is that of amplitude over noise.
	smallNoise = 8.0
	// A mode is integrated in steps of finePart of its standard deviation, until the log density has
	// fallen by negligibleNode.
	finePart, finest = 0.9, 0.01
	negligibleNode   = 8.0
)

// integrate returns the nodes of one slack, valid until the next integration, and the log of the
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
		return u.nodes, u.integrateNoise(a), nil
	}
	right := 0.0
	if a.louder {
		right = logStated
	}
	density := func(logA, amplitude float64) float64 {
		exponent, factor := a.density(logA, amplitude)
		return u.s.known(amplitude*amplitude) + exponent + mat.Log(factor) + right
	}
	total := 0.0
	if a.single {
		amplitude := mat.Exp(a.logA)
		total = density(a.logA, amplitude)
		u.nodes = append(u.nodes, node{amplitude: amplitude, logWeight: total})
	} else {
		total = u.quadrature(lowestLogA, highestLogA, density)
		for _, p := range u.places {
			u.nodes = append(u.nodes, node{amplitude: p.exp, logWeight: p.log + p.logStep})
		}
	}
	if a.louder {
		total = u.addLouder(a, total)
	}
	return u.nodes, total, nil
}

// alone tells whether all rows share the one learned noise level.
func (u *underPhysics) alone() bool {
	return !slices.ContainsFunc(u.group, func(g int) bool { return g != u.learned[0] })
}

// integrateNoise integrates over amplitude and the one learned noise level, leaves the nodes in u.nodes, and returns the log of
// the integral.
func (u *underPhysics) integrateNoise(a amplitudes) float64 {
	// The variable is log a/s with s relative to the readings, so that units do not matter.
	size := u.groups[u.learned[0]].size
	unit, f := mat.Log(size), &u.fan
	total := u.quadrature(lowestLogA, highestLogA+smallNoise, func(x, ratio float64) float64 { return u.overNoise(x-unit, ratio/size, a) })
	noise := make([]float64, noiseNodes*len(u.places))
	for _, p := range u.places {
		u.overNoise(p.x-unit, p.exp/size, a)
		for i := range f.count {
			own := noise[:1:1]
			noise, own[0] = noise[1:], f.level[i]
			u.nodes = append(u.nodes, node{amplitude: float64(p.exp / size * own[0]), noise: own, logWeight: f.log(i) + p.logStep})
		}
	}
	return total
}

// overNoise integrates over the one learned noise level at the ratio a/sigma = exp(logRatio). Given
// the ratio, log sigma is known to 1/sqrt(2n). The nodes are left in u.fan.
func (u *underPhysics) overNoise(logRatio, ratio float64, a amplitudes) float64 {
	n := float64(u.readings)
	quadratic, logDet := u.s.all.quadraticAndLogDet(ratio * ratio)
	size, f := u.groups[u.learned[0]].size, &u.fan
	if a.single {
		f.only(a.logA - logRatio)
	} else {
		f.about(math.Max(math.Sqrt(quadratic/n), smallestNoise*size), n)
	}
	unit := mat.Log(size)
	for i := range f.count {
		t, sigma := f.x[i], f.level[i]
		exponent, factor := a.density(t+logRatio, float64(ratio*sigma))
		f.exponent[i] = u.s.constant - float64(0.5*(quadratic/float64(sigma*sigma)+logDet)) - float64(n*t) + logNoiseDensity(t-unit, sigma/size) + f.logStep + exponent
		f.factor[i] = factor
	}
	return f.sum()
}

// smallestNoise bounds a learned noise level from below, relative to the size of its readings.
// Readings that the model can interpolate would otherwise drive it to zero.
const smallestNoise = 1e-6
