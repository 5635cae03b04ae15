package posterior

import (
	"cmp"
	"math"

	"github.com/bpielm/bpielm/mat"
)

// surrogate interpolates a log density between places where it is known: a quadratic of which nothing is known
// beforehand, and a Gaussian process for what it is off that [Rasmussen & Williams, Gaussian Processes for Machine
// Learning, 2006, section 2.7]. Its length and size are those of largest marginal likelihood among a few.
type surrogate struct {
	places       [][]float64
	weights      []float64
	length, size float64
	top          float64 // the largest log density, from which others are counted
	chol         mat.Cholesky
}

const (
	// quadraticSD is the prior sd of the quadratic's coefficients, in nats.
	quadraticSD = 100
	// A log density is taken to be known to surelyKnown, and to depthKnown times the square of how far it is below the
	// top, in nats: there it hardly matters.
	surelyKnown, depthKnown = 0.01, 0.01
	// surrogateRounding lifts the diagonal of covariances, for these to be positive to rounding.
	surrogateRounding = 1e-11
)

var (
	surrogateLengths = []float64{0.7, 1.2, 2, 3.5}
	surrogateSizes   = []float64{0.1, 0.5, 2, 8, 30}
)

// newSurrogate fits the log densities at places. It fails with mat's errors.
func newSurrogate(places [][]float64, logs []float64) (*surrogate, error) {
	n := len(places)
	s := &surrogate{places: places, top: math.Inf(-1)}
	for _, v := range logs {
		s.top = math.Max(s.top, v)
	}
	y, noise := make([]float64, n), make([]float64, n)
	for i, v := range logs {
		y[i] = v - s.top
		sd := math.Max(surelyKnown, depthKnown*float64(y[i]*y[i]))
		noise[i] = sd * sd
	}
	best, failure := math.Inf(-1), error(nil)
	k, chol, alpha := mat.NewSym(n, nil), mat.Cholesky{}, make([]float64, n)
	for _, length := range surrogateLengths {
		for _, size := range surrogateSizes {
			t := &surrogate{places: places, length: length, size: size}
			t.covarianceTo(k, noise)
			if err := chol.Factorize(k); err != nil {
				failure = err
				continue
			}
			chol.SolveVecTo(alpha, y)
			evidence := -0.5 * mat.Dot(alpha, y)
			for i := range n {
				evidence -= mat.Log(chol.L().At(i, i))
			}
			if evidence > best {
				best, s.length, s.size, s.weights = evidence, length, size, append([]float64(nil), alpha...)
			}
		}
	}
	if s.weights != nil {
		s.covarianceTo(k, noise)
		failure = s.chol.Factorize(k)
	}
	if s.weights == nil || failure != nil {
		return nil, cmp.Or(failure, dataError("coefficients", "their evidence cannot be followed"))
	}
	return s, nil
}

// covarianceTo sets k to the prior covariance of what is known.
func (s *surrogate) covarianceTo(k *mat.Sym, noise []float64) {
	for i, a := range s.places {
		for j, b := range s.places[:i+1] {
			k.Set(i, j, s.kernel(a, b))
		}
		k.Set(i, i, float64(k.At(i, i)*(1+surrogateRounding))+noise[i])
	}
}

func (s *surrogate) kernel(a, b []float64) float64 {
	quadratic := 1 + mat.Dot(a, b)
	return float64(quadraticSD*quadraticSD)*float64(quadratic*quadratic) + float64(float64(s.size*s.size)*mat.Exp(-squaredDistance(a, b)/float64(2*s.length*s.length)))
}

// at returns the log density at a place.
func (s *surrogate) at(x []float64) float64 {
	v := s.top
	for i, w := range s.weights {
		v += float64(w * s.kernel(s.places[i], x))
	}
	return v
}

// deviation returns the standard deviation of what is said of a place.
func (s *surrogate) deviation(x []float64) float64 {
	k := make([]float64, len(s.places))
	for i, p := range s.places {
		k[i] = s.kernel(p, x)
	}
	mat.Trsv(mat.NoTrans, s.chol.L(), k)
	return math.Sqrt(math.Max(s.kernel(x, x)-squares(k), 0))
}
