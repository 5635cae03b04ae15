package posterior

import (
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
// would bend, and be many times as thick as the ridge.
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
	var parts [][][]float64 // points and weights of each part
	var shares [][]float64
	for moved, step := true, 0; moved && step < patchSteps; step++ {
		moved = false
		parts, shares = make([][][]float64, count), make([][]float64, count)
		for i, p := range x {
			nearest := 0
			for k := range centres {
				if squaredDistance(centres[k], p) < squaredDistance(centres[nearest], p) {
					nearest = k
				}
			}
			moved, owner[i] = moved || owner[i] != nearest, nearest
			parts[nearest], shares[nearest] = append(parts[nearest], p), append(shares[nearest], weights[i])
		}
		for k := range centres {
			if len(parts[k]) > 0 {
				centres[k], _ = weightedMoments(parts[k], shares[k])
			}
		}
	}
	total := mat.Sum(weights)
	var list []patch
	for k := range centres {
		if len(parts[k]) == 0 {
			continue
		}
		for i, p := range parts[k] {
			parts[k][i] = p[:d]
		}
		mean, covariance := weightedMoments(parts[k], shares[k])
		p := patch{weight: mat.Sum(shares[k]) / total, centre: mean, root: lowerRoot(covariance), values: make([]float64, len(mean))}
		for i, z := range parts[k] {
			mat.Axpy(shares[k][i]/float64(p.weight*total), e.values(z), p.values)
		}
		list = append(list, p)
	}
	return list
}
