package posterior

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

const (
	// patchSteps is the number of EM steps.
	patchSteps = 40
	// thinnestPatch bounds the standard deviations of patches from below, in units of the
	// posterior's.
	thinnestPatch = 0.02
	// Points of a cloud with less than lightPoint times the mean weight do not count.
	lightPoint = 1e-4
	// enoughPatches is the divergence, in nats, of a density from patches that are enough: as much as a surrogate that errs by wellPredicted may have.
	// A skewness g has a divergence of g^2/12 from a normal density, and then the quantiles of the 95 % interval are off by 0.47 g standard
	// deviations: by 1.5 % of its width.
	enoughPatches = 0.5 * wellPredicted * wellPredicted
	// bentPatch is how far a coefficient may be from a linear function of its normal number at one standard deviation of a patch, as a
	// share of how much it changes: weights of neurons follow it.
	bentPatch = 0.05
)

// patch is a Gaussian part of the posterior of the coefficients.
type patch struct {
	site   site
	weight float64
	centre []float64  // in standard normal numbers
	root   *mat.Dense // square root of the covariance
	values []float64  // mean of the coefficients
}

// patchesOf approximates a cloud of some weight by as few patches as are enough; one with all draws of its layer if it is heavy. A light cloud
// may be off by more, because the divergence of a mixture is at most the weighted mean of those of its parts.
func (e *coefficients) patchesOf(c *cloud, weight float64) []patch {
	most := max(fewestPatches, int(float64(mostPatches*weight)+0.5))
	count, list := 1, e.patches(c, 1)
	for count < most && !(c.divergence(list) < enoughPatches/weight && e.straight(list)) {
		if count = min(2*count, most); c.explored != nil {
			count = most
		}
		list = e.patches(c, count)
	}
	if draws := int(float64(evidenceDraws*weight) + 0.5); len(list) == 1 && draws > 1 { // a patch has one draw of the layer
		list[0].weight /= float64(draws)
		for len(list) < draws {
			list = append(list, list[0])
		}
	}
	return list
}

// divergence is that of Kullback and Leibler of the cloud from patches, where it is small: half the variance of the logarithm of the
// ratio of the densities.
func (c *cloud) divergence(list []patch) float64 {
	gaussians, units, logs := make([]cloud, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for k := range list {
		gaussians[k] = cloud{centre: list[k].centre, root: list[k].root}
		units[k] = mat.Log(list[k].weight) - gaussians[k].logUnit()
	}
	ratios, own := make([]float64, len(c.z)), make([]float64, len(c.centre))
	for i, z := range c.z {
		if !(c.weights[i] > 0) {
			continue
		}
		for k := range gaussians {
			gaussians[k].withinTo(own, z)
			logs[k] = units[k] - float64(0.5*squares(own))
		}
		ratios[i] = c.logs[i] - logSumExp(logs)
	}
	middle, sum := mat.Dot(c.weights, ratios), 0.0
	for i, v := range ratios {
		sum += float64(c.weights[i] * float64((v-middle)*(v-middle)))
	}
	return 0.5 * sum
}

// straight tells whether coefficients are nearly linear functions of their normal numbers over each patch.
func (e *coefficients) straight(list []patch) bool {
	for _, p := range list {
		for i, z := range p.centre {
			sd, of := mat.Nrm2(p.root.Row(i)), e.list[i].Value
			low, middle, high := of(z-sd), of(z), of(z+sd)
			if !(math.Abs(low+high-2*middle) <= bentPatch*math.Abs(high-low)) {
				return false
			}
		}
	}
	return true
}

// patches approximates a cloud by a mixture of Gaussians by expectation maximisation [Dempster,
// Laird & Rubin, JRSS B 39, 1977], with initial centres drawn by weight and distance [Arthur &
// Vassilvitskii, k-means++, 2007].
func (e *coefficients) patches(c *cloud, count int) []patch {
	d := len(c.centre)
	if c.explored != nil && count > 1 {
		return e.cells(c, count)
	}
	var x, values [][]float64
	var weights []float64
	for i, z := range c.z {
		if w := c.weights[i]; w > lightPoint/float64(len(c.z)) {
			x, values, weights = append(x, c.within(z)), append(values, e.values(z)), append(weights, w)
		}
	}
	centres := seeds(x, weights, count)
	shares, roots := slices.Repeat([]float64{1 / float64(count)}, count), make([]*mat.Dense, count)
	for k := range roots {
		roots[k] = mat.NewDense(d, d, nil)
		for i := range d {
			roots[k].Set(i, i, 1/math.Sqrt(float64(count)))
		}
	}
	belongs := mat.NewDense(count, len(x), nil)
	steps := patchSteps
	if count == 1 { // it does not depend on where it begins
		steps = 1
	}
	for range steps {
		assign(belongs, x, weights, shares, centres, roots)
		for k := range centres {
			if shares[k] = mat.Sum(belongs.Row(k)); !(shares[k] > 0) {
				shares[k] = 0
				continue
			}
			mean, covariance := weightedMoments(x, belongs.Row(k))
			for a := range d {
				covariance.Set(a, a, covariance.At(a, a)+thinnestPatch*thinnestPatch)
			}
			centres[k], roots[k] = mean, lowerRoot(covariance)
		}
	}
	var list []patch
	for k := range centres {
		if !(shares[k] > 0) {
			continue
		}
		p := patch{weight: shares[k], centre: c.place(centres[k]), values: make([]float64, d), root: mat.NewDense(d, d, nil)}
		for i := range x {
			mat.Axpy(belongs.At(k, i)/shares[k], values[i], p.values)
		}
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, c.root, roots[k], 0, p.root)
		list = append(list, p)
	}
	return list
}

// assign is the expectation step: it sets belongs to the weight of each point times the probability
// that the point belongs to each of the Gaussians.
func assign(belongs *mat.Dense, x [][]float64, weights, shares []float64, centres [][]float64, roots []*mat.Dense) {
	count := len(centres)
	gaussians := make([]cloud, count)
	units := make([]float64, count)
	for k := range gaussians {
		gaussians[k] = cloud{centre: centres[k], root: roots[k]}
		units[k] = mat.Log(shares[k])
		for i := range centres[k] {
			units[k] -= mat.Log(roots[k].At(i, i))
		}
	}
	own, top, total := make([]float64, len(centres[0])), make([]float64, len(x)), make([]float64, len(x))
	for k := range gaussians {
		row := belongs.Row(k)
		for i, p := range x {
			gaussians[k].withinTo(own, p)
			row[i] = units[k] - float64(0.5*squares(own))
			if k == 0 || row[i] > top[i] {
				top[i] = row[i]
			}
		}
	}
	for k := range gaussians {
		row := belongs.Row(k)
		mat.Axpy(-1, top, row)
		mat.ExpTo(row, row)
		mat.Axpy(1, row, total)
	}
	for k := range gaussians {
		row := belongs.Row(k)
		for i := range row {
			row[i] *= weights[i] / total[i]
		}
	}
}

// seeds draws count of the points, each by its weight times its squared distance from those drawn before.
func seeds(x [][]float64, weights []float64, count int) [][]float64 {
	random := rand.New(rand.NewPCG(1, 0x70617463686573))
	centres := make([][]float64, 0, count)
	nearest := slices.Repeat([]float64{1}, len(x))
	for len(centres) < count {
		total := 0.0
		for i, w := range weights {
			total += float64(w * nearest[i])
		}
		u, k := float64(random.Float64()*total), 0
		for ; k < len(x)-1; k++ {
			if u -= float64(weights[k] * nearest[k]); u <= 0 {
				break
			}
		}
		centres = append(centres, slices.Clone(x[k]))
		for i, p := range x {
			if v := squaredDistance(p, x[k]); v < nearest[i] || len(centres) == 1 {
				nearest[i] = v
			}
		}
	}
	return centres
}

// weightedMoments returns mean and covariance of weighted points; the weights need not sum to 1.
func weightedMoments(places [][]float64, weights []float64) (mean []float64, covariance *mat.Sym) {
	d, total := len(places[0]), mat.Sum(weights)
	mean, covariance = make([]float64, d), mat.NewSym(d, nil)
	for i, p := range places {
		mat.Axpy(weights[i]/total, p, mean)
	}
	apart := make([]float64, d)
	for i, p := range places {
		w := weights[i] / total
		for a := range d {
			apart[a] = p[a] - mean[a]
			row := covariance.Row(a)
			for b, v := range apart[:a+1] {
				row[b] += float64(w * float64(apart[a]*v))
			}
		}
	}
	return mean, covariance
}
