package posterior

import (
	"math"
	"slices"
	"sort"

	"github.com/bpielm/bpielm/mat"
)

// With few readings whose noise is learned, beside priors of parameters or equations with an sd of
// their own, the density of the noise is far from normal, and the points of Laplace's method do not
// reach its tail. There both integrals are done by quadrature: that over the noise for every
// amplitude.
//
// With readings x_d and the other rows x_p, K = x'x and x_p = U S W', the readings given the other
// rows have, at amplitude a, the prior covariance and the residuals
//
//	K_a = a^2 (x_d - U P)'(x_d - U P) + P' D P,  r_a = r_d - P' D S W'r_p,  P = U'x_d,  D = a^2 / (1 + a^2 S^2),
//
// without cancellation of large terms. Its tridiagonal form serves every noise level.

// fewReadings is the largest number of readings for this. The cost grows with its third power, and
// from nine readings on Laplace's integral is calibrated as well (TestCalibrationOfIntegrals).
const fewReadings = 10

// widestNoise is the largest noise, relative to the size of the readings.
const widestNoise = 20

// few tells whether the noise is to be integrated by quadrature.
func (u *underPhysics) few() bool {
	return len(u.learned) == 1 && u.data <= fewReadings && u.data == u.readings &&
		!slices.ContainsFunc(u.group[:u.data], func(g int) bool { return g != u.learned[0] })
}

// givenOthers is the readings given the other rows.
type givenOthers struct {
	u       *underPhysics
	beside  *mat.Sym   // (x_d - U P)'(x_d - U P)
	p       *mat.Dense // P
	s2, swr []float64  // S^2, and S W'r_p
	inner   evidenceSpace
	k       *mat.Sym
	r       []float64 // r_d less its mean given the others
	of      resolvent
	failure error
}

// given returns the readings given the other rows.
func (u *underPhysics) given() (*givenOthers, error) {
	root := u.root()
	rows, columns := root.Dims()
	d := u.data
	others, x := root.Slice(0, rows, d, columns).Clone(), root.Slice(0, rows, 0, d).Clone()
	var svd mat.SVD
	if err := svd.Factorize(others, true); err != nil {
		return nil, err
	}
	s := svd.Values()
	m := len(s)
	axes := mat.NewDense(rows, m, nil) // U
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, others, svd.V(), 0, axes)
	for i, v := range s {
		if !(v > float64(epsilon*s[0])) { // such a row says nothing
			v = math.Inf(1)
			s[i] = 0
		}
		for k := range rows {
			axes.Set(k, i, axes.At(k, i)/v)
		}
	}
	c := &givenOthers{u: u, beside: mat.NewSym(d, nil), k: mat.NewSym(d, nil), p: mat.NewDense(m, d, nil), s2: make([]float64, m), swr: make([]float64, m)}
	mat.Gemm(mat.Trans, mat.NoTrans, 1, axes, x, 0, c.p)
	mat.Gemm(mat.NoTrans, mat.NoTrans, -1, axes, c.p, 1, x)
	mat.Syrk(mat.Trans, 1, x, 0, c.beside)
	mat.Gemv(mat.Trans, 1, svd.V(), u.r[d:], 0, c.swr)
	for i, v := range s {
		c.s2[i] = v * v
		c.swr[i] *= v
	}
	return c, nil
}

// at sets c.of at a squared amplitude.
func (c *givenOthers) at(a2 float64) {
	d := c.k.N()
	r := append(c.r[:0], c.u.r[:d]...)
	c.r = r
	share := func(i int) float64 { return a2 / (1 + float64(a2*c.s2[i])) }
	for i := range d {
		for j := range i + 1 {
			v := a2 * c.beside.At(i, j)
			for l := range c.s2 {
				v += float64(float64(share(l)*c.p.At(l, i)) * c.p.At(l, j))
			}
			c.k.Set(i, j, v)
		}
		for l := range c.s2 {
			r[i] -= float64(float64(share(l)*c.p.At(l, i)) * c.swr[l])
		}
	}
	if err := c.of.set(&c.inner.tridiagonal, c.k, r); err != nil {
		c.failure = err
	}
}

// log returns the log evidence at the noise sigma = exp(t), with its prior.
func (c *givenOthers) log(t, sigma float64) float64 {
	variance := float64(sigma * sigma)
	quadratic, logDet := c.of.quadraticAndLogDet(1 / variance)
	quadratic, logDet = quadratic/variance, logDet+float64(float64(2*len(c.r))*t)
	g := &c.u.groups[c.u.learned[0]]
	return -float64(0.5*(quadratic+logDet+float64(float64(c.u.readings)*log2Pi))) - c.u.logSigma + logNoiseDensity(t-mat.Log(g.size), sigma/g.size)
}

// integrateFew is integrate for few readings.
func (u *underPhysics) integrateFew(a amplitudes) ([]node, float64, error) {
	c, err := u.given()
	if err != nil {
		return nil, 0, err
	}
	size := u.groups[u.learned[0]].size
	inner := &underPhysics{observed: &observed{evidenceSpace: &c.inner}}
	over := func(logA, amplitude float64) float64 {
		if c.at(amplitude * amplitude); c.failure != nil {
			return math.Inf(-1)
		}
		return a.logPrior(logA) + inner.quadrature(mat.Log(smallestNoise*size), mat.Log(widestNoise*size), c.log)
	}
	total, places := 0.0, []abscissa{{x: a.logA, exp: mat.Exp(a.logA)}}
	if a.single {
		total = over(a.logA, places[0].exp)
	} else {
		total = u.quadrature(lowestLogA, highestLogA, over)
		places = u.places
	}
	if c.failure != nil {
		return nil, 0, c.failure
	}
	u.nodes = u.nodes[:0]
	for _, p := range places {
		over(p.x, p.exp)
		for _, q := range inner.places {
			noise := make([]float64, len(u.groups))
			for i := range noise {
				noise[i] = 1
			}
			noise[u.learned[0]] = q.exp
			u.nodes = append(u.nodes, node{amplitude: p.exp, noise: noise, logWeight: q.log + q.logStep + a.logPrior(p.x) + p.logStep})
		}
	}
	sort.SliceStable(u.nodes, func(i, j int) bool { // the order that strata needs
		a, b := &u.nodes[i], &u.nodes[j]
		return a.amplitude/a.noise[u.learned[0]] < b.amplitude/b.noise[u.learned[0]]
	})
	return u.nodes, total, nil
}
