package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// surrogate interpolates a log density between known points: a quadratic with a vague prior plus a
// Gaussian process for the deviation from it [Rasmussen & Williams, Gaussian Processes for Machine
// Learning, 2006, section 2.7]. Its length, size and roughness maximise the marginal likelihood over
// a small grid.
type surrogate struct {
	places       [][]float64
	weights      []float64
	length, size float64
	top          float64      // the largest log density; others are relative to it
	roughness    float64      // sd of the difference between neighbouring points
	evidence     float64      // log marginal likelihood, but for a constant
	choice       [3]int       // of length, size and roughness
	chol         mat.Cholesky // of the covariance of the known values
}

const (
	// quadraticSD is the prior sd of the quadratic's coefficients, in nats.
	quadraticSD = 100
	// A value is known to the roughness, and to depthKnown times the square of its distance from the
	// top, in nats: far below the top it hardly matters.
	depthKnown = 0.003
	// mostAbove is by how many nats the log density may exceed all known values.
	mostAbove = 0.5
	// surrogateRounding keeps covariances numerically positive definite.
	surrogateRounding = 1e-11
)

var (
	surrogateLengths = []float64{0.7, 1.2, 2, 3.5}
	surrogateSizes   = []float64{0.1, 0.5, 2, 8, 30}
	// A smooth density has a roughness of 0.01 nats; one that depends on the luck of random layers is
	// rough.
	surrogateRoughness = []float64{0.01, 0.1, 0.5, 2, 8}
)

// newSurrogate fits the log densities at points. If there was one for fewer points, only neighbours
// of its length, size and roughness are tried. It fails with mat's errors.
func newSurrogate(places [][]float64, logs []float64, before *surrogate) (*surrogate, error) {
	n := len(places)
	s := &surrogate{places: places, top: math.Inf(-1)}
	for _, v := range logs {
		s.top = math.Max(s.top, v)
	}
	y, depth := make([]float64, n), make([]float64, n)
	for i, v := range logs {
		y[i] = v - s.top
		depth[i] = depthKnown * float64(y[i]*y[i])
	}
	best, failure := math.Inf(-1), error(nil)
	quadratic, near, k := mat.NewSym(n, nil), mat.NewSym(n, nil), mat.NewSym(n, nil)
	alpha := make([]float64, n)
	var chol mat.Cholesky
	fillPairs(quadratic, places, quadraticPart)
	far := func(at, i int) bool {
		return before != nil && (i < before.choice[at]-1 || i > before.choice[at]+1)
	}
	for il, length := range surrogateLengths {
		if far(0, il) {
			continue
		}
		fillPairs(near, places, func(a, b []float64) float64 { return nearPart(a, b, length) })
		for is, size := range surrogateSizes {
			for ir, roughness := range surrogateRoughness {
				if far(1, is) || far(2, ir) {
					continue
				}
				for i := range n {
					for j := range i + 1 {
						k.Set(i, j, quadratic.At(i, j)+float64(float64(size*size)*near.At(i, j)))
					}
					sd := math.Max(roughness, depth[i])
					k.Set(i, i, float64(k.At(i, i)*(1+surrogateRounding))+float64(sd*sd))
				}
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
					best, s.evidence, s.length, s.size, s.roughness, s.weights = evidence, evidence, length, size, roughness, append([]float64(nil), alpha...)
					s.choice = [3]int{il, is, ir}
					s.chol, chol = chol, mat.Cholesky{}
				}
			}
		}
	}
	if s.weights == nil {
		return nil, cmp.Or(failure, dataError("coefficients", "their evidence could not be interpolated"))
	}
	return s, nil
}

// fillPairs sets k to the covariances of all pairs of points.
func fillPairs(k *mat.Sym, points [][]float64, covariance func(a, b []float64) float64) {
	for i, a := range points {
		for j, b := range points[:i+1] {
			k.Set(i, j, covariance(a, b))
		}
	}
}

// quadraticPart and nearPart are the covariances of a quadratic, and of a deviation of size 1 from
// it.
func quadraticPart(a, b []float64) float64 {
	v := 1 + mat.Dot(a, b)
	return float64(float64(quadraticSD*quadraticSD) * float64(v*v))
}

func nearPart(a, b []float64, length float64) float64 {
	return mat.Exp(-squaredDistance(a, b) / float64(2*length*length))
}

func (s *surrogate) kernel(a, b []float64) float64 {
	return quadraticPart(a, b) + float64(float64(s.size*s.size)*nearPart(a, b, s.length))
}

// at returns the log density at a point, limited to slightly above the known values: the quadratic
// of a rough density may have no maximum.
func (s *surrogate) at(x []float64) float64 {
	edge, beyond := atMost(x, farthestSentinel)
	return math.Min(s.plain(edge), s.top+mostAbove) - beyond
}

// atMost returns a point, or the one in its direction at the given distance from the origin, and by how much a normal density falls
// from there. A density whose tails are longer than those of a quadratic bends up near the last points, and a surrogate would
// rise beyond them.
func atMost(x []float64, distance float64) (edge []float64, beyond float64) {
	far := squares(x)
	if far <= distance*distance {
		return x, 0
	}
	edge = slices.Clone(x)
	scaleVector(distance/math.Sqrt(far), edge)
	return edge, float64(0.5 * (far - float64(distance*distance)))
}

// plain is at without the limit.
func (s *surrogate) plain(x []float64) float64 {
	v := s.top
	for i, w := range s.weights {
		v += float64(w * s.kernel(s.places[i], x))
	}
	return v
}

// deviation returns the standard deviation of the prediction at a point.
func (s *surrogate) deviation(x []float64) float64 {
	k := make([]float64, len(s.places))
	for i, p := range s.places {
		k[i] = s.kernel(p, x)
	}
	mat.Trsv(mat.NoTrans, s.chol.L(), k)
	return math.Sqrt(math.Max(s.kernel(x, x)-squares(k), 0))
}

// nearlyQuadratic tells whether the log density deviates from a quadratic by about half a nat at
// most.
func (s *surrogate) nearlyQuadratic() bool { return s.size <= 0.5 }
