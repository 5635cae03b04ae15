package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Readings often determine a combination of coefficients far better than any one of them: of a wave with number k that decays, the
// rate c1 + c2 k^2. Then the density is a narrow ridge. It is straight in the coefficients, but may be bent in the standard normal
// numbers that stand for them, and a surrogate cannot follow what bends by many times its width. Where a surrogate has more
// evidence in the coefficients themselves, a maximum is explored in these, scaled so that they differ little from the normal numbers at its
// top.

const (
	// straighterBy is how many nats more evidence a surrogate must have in the coefficients themselves.
	straighterBy = 3
	// fewestCells is into how many parts a ridge is cut at least.
	fewestCells = 6
	// Parts overlap by a softmax of the squared distances from their centres, over twice cellOverlap times the mean square of these in
	// the nearest part.
	// Equal parts of length w along a line have a mean square of w^2/12. With logistic ends of variance pi^2/3 (cellOverlap w/12)^2
	// their standard deviation is 0.48 w, and the sum of their Gaussians has waves of 2 exp(-2 pi^2 0.48^2), which is 2 %.
	cellOverlap = 2.5
)

// ridgeMap maps the standard normal numbers z of coefficients c to z0 + (c - c0) / (dc/dz at z0).
type ridgeMap struct {
	list             []system.Coefficient
	z, middle, slope []float64 // z0, c0 and dc/dz
}

func newRidgeMap(list []system.Coefficient, z []float64) *ridgeMap {
	s := &ridgeMap{list: list, z: z}
	for i, v := range z {
		c := list[i].Value(v)
		s.middle, s.slope = append(s.middle, c), append(s.slope, normalDensity(v)/list[i].Density(c))
	}
	return s
}

func normalDensity(z float64) float64 { return mat.Exp(-0.5 * float64(float64(z*z)+log2Pi)) }

// coefficient returns the i-th coefficient at a place.
func (s *ridgeMap) coefficient(i int, y float64) float64 {
	return s.middle[i] + float64(s.slope[i]*(y-s.z[i]))
}

// has tells whether the prior allows a place.
func (s *ridgeMap) has(y []float64) bool {
	for i, v := range y {
		if !(s.list[i].Density(s.coefficient(i, v)) > 0) {
			return false
		}
	}
	return true
}

// to overwrites normal numbers with their place.
func (s *ridgeMap) to(z []float64) {
	for i, v := range z {
		z[i] = s.z[i] + (s.list[i].Value(v)-s.middle[i])/s.slope[i]
	}
}

// from overwrites a place with its normal numbers.
func (s *ridgeMap) from(y []float64) {
	for i, v := range y {
		y[i] = s.list[i].Number(s.coefficient(i, v))
	}
}

// along is the derivative of the i-th normal number by its place.
func (s *ridgeMap) along(i int, z float64) float64 {
	return s.slope[i] * s.list[i].Density(s.list[i].Value(z)) / normalDensity(z)
}

// log is the logarithm of the volume of normal numbers over that of places.
func (s *ridgeMap) log(z []float64) float64 {
	sum := 0.0
	for i, v := range z {
		sum += mat.Log(s.along(i, v))
	}
	return sum
}

// straighten makes coefficients the cloud's coordinates if these places are interpolated better that way. As yet the centre is given in normal
// numbers.
func (c *cloud) straighten(list []system.Coefficient, places []*spot) {
	other := &cloud{centre: c.centre, root: c.root, straight: newRidgeMap(list, c.centre)}
	var common []*spot
	for _, p := range places {
		if mat.Nrm2(c.within(p.z)) < farthestPlace && mat.Nrm2(other.within(p.z)) < farthestPlace {
			common = append(common, p)
		}
	}
	if len(common) < quadraticTerms(len(c.centre)) {
		return
	}
	now, err := c.fit(common, nil)
	if err != nil {
		return
	}
	if then, err := other.fit(other.own(common), nil); err == nil && then.evidence > now.evidence+straighterBy {
		c.straight = other.straight
	}
}

// cells cuts the cloud of a ridge across, by Lloyd's algorithm, and approximates each part by a Gaussian: in normal numbers long parts
// would bend, and be many times as thick as the ridge. Neighbouring parts share the points between them. Gaussians of parts with
// sharp ends would leave gaps, and the density would have a wave for each.
func (e *coefficients) cells(c *cloud, count int) []patch {
	count = max(count, fewestCells)
	d := len(c.mean)
	var x [][]float64 // normal numbers and places: parts are to be short in both
	var weights []float64
	for i, z := range c.z {
		if w := c.weights[i]; w > lightPoint/float64(len(c.z)) {
			p := append(slices.Clone(z), z...)
			c.explored.straight.to(p[d:])
			x, weights = append(x, p), append(weights, w)
		}
	}
	centres, owner := seeds(x, weights, count), make([]int, len(x))
	belongs := mat.NewDense(count, len(x), nil)
	for moved, step := true, 0; moved && step < patchSteps; step++ {
		moved = false
		belongs.Zero()
		for i, p := range x {
			nearest := 0
			for k := range centres {
				if squaredDistance(centres[k], p) < squaredDistance(centres[nearest], p) {
					nearest = k
				}
			}
			moved, owner[i] = moved || owner[i] != nearest, nearest
			belongs.Set(nearest, i, weights[i])
		}
		for k := range centres {
			if mat.Sum(belongs.Row(k)) > 0 {
				centres[k], _ = weightedMoments(x, belongs.Row(k))
			}
		}
	}
	total, sizes := mat.Sum(weights), make([]float64, count)
	for i, p := range x {
		k := owner[i]
		sizes[k] += float64(belongs.At(k, i) * squaredDistance(centres[k], p))
	}
	for k := range sizes {
		sizes[k] /= math.Max(mat.Sum(belongs.Row(k)), 1e-300)
	}
	logs := make([]float64, count)
	for i, p := range x {
		for k := range centres {
			logs[k] = -squaredDistance(centres[k], p) / (2 * cellOverlap * math.Max(sizes[owner[i]], 1e-300))
		}
		all := logSumExp(logs)
		for k := range centres {
			belongs.Set(k, i, float64(weights[i]*mat.Exp(logs[k]-all)))
		}
	}
	values := make([][]float64, len(x))
	for i := range x {
		x[i] = x[i][:d]
		values[i] = e.values(x[i])
	}
	var list []patch
	for k := range centres {
		share := belongs.Row(k)
		sum := mat.Sum(share)
		if !(sum > 0) {
			continue
		}
		mean, covariance := weightedMoments(x, share)
		p := patch{weight: sum / total, centre: mean, root: lowerRoot(covariance), values: make([]float64, d)}
		for i, v := range values {
			mat.Axpy(share[i]/sum, v, p.values)
		}
		list = append(list, p)
	}
	return list
}
