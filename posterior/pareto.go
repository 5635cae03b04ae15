package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// smoothed returns importance weights, which sum to one, for their logarithms, and the shape of the generalised Pareto
// distribution that fits the largest of them. These are replaced by its quantiles, which bounds the influence of single
// draws. Means over the weights are to be trusted up to a shape of about 0.7 (Vehtari, Simpson, Gelman, Yao & Gabry, Pareto
// smoothed importance sampling, JMLR 25, 2024). With fewer than smallestTail in the tail the shape is -Inf.
func smoothed(logs []float64) (weights []float64, shape float64) {
	n := len(logs)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logs[a], logs[b]) })
	top := logs[order[n-1]]
	weights = make([]float64, n)
	for i, l := range logs {
		weights[i] = mat.Exp(l - top)
	}
	tail := int(math.Min(0.2*float64(n), 3*math.Sqrt(float64(n))))
	shape = math.Inf(-1)
	if tail >= smallestTail {
		from := weights[order[n-tail-1]]
		excess := make([]float64, tail)
		for i := range excess {
			excess[i] = weights[order[n-tail+i]] - from
		}
		if excess[tail-1] > sameWeight {
			var scale float64
			shape, scale = generalisedPareto(excess)
			for i := range excess {
				p := (float64(i) + 0.5) / float64(tail)
				v := from + float64(scale*(mat.Exp(float64(-shape*mat.Log(1-p)))-1)/shape)
				if v > 0 {
					weights[order[n-tail+i]] = math.Min(v, 1)
				}
			}
		}
	}
	sum := mat.Sum(weights)
	for i := range weights {
		weights[i] /= sum
	}
	return weights, shape
}

const (
	// smallestTail is how many values the shape of a tail is fitted to at least.
	smallestTail = 5
	// sameWeight is by how much weights of at most 1 may differ in rounding.
	sameWeight = 1e-10
)

// generalisedPareto fits the distribution to values in ascending order: the posterior mean over a grid (Zhang & Stephens,
// A new and efficient estimation method for the generalized Pareto distribution, Technometrics 51, 2009), with the weak
// prior at a shape of 1/2 that the former reference adds.
func generalisedPareto(x []float64) (shape, scale float64) {
	const priorNodes, priorShape, priorCount = 30, 0.5, 10.0
	n := float64(len(x))
	nodes := priorNodes + int(math.Sqrt(n))
	quartile, largest := x[(len(x)+2)/4-1], x[len(x)-1]
	shapeAt := func(theta float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += mat.Log(1 - float64(theta*v))
		}
		return sum / n
	}
	thetas, logs := make([]float64, nodes), make([]float64, nodes)
	for i := range thetas {
		theta := 1/largest + float64((1-math.Sqrt(float64(nodes)/(float64(i)+0.5)))/float64(3*quartile))
		k := shapeAt(theta)
		thetas[i], logs[i] = theta, float64(n*(mat.Log(-theta/k)-k-1))
	}
	total, theta := logSumExp(logs), 0.0
	for i, l := range logs {
		theta += float64(thetas[i] * mat.Exp(l-total))
	}
	k := shapeAt(theta)
	scale = -k / theta
	return (float64(n*k) + float64(priorCount*priorShape)) / (n + priorCount), scale
}
