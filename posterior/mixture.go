package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// gaussian is one component of a mixture on the real line.
type gaussian struct{ weight, mean, sd float64 }

// mixture is the distribution of one number.
type mixture []gaussian

// moments returns mean and standard deviation; the latter is NaN if the components have none.
func (m mixture) moments() (mean, sd float64) {
	if len(m) == 1 {
		return m[0].mean, m[0].sd
	}
	for _, g := range m {
		mean += float64(g.weight * g.mean)
	}
	variance := 0.0
	for _, g := range m {
		d := g.mean - mean
		variance += float64(g.weight * (float64(g.sd*g.sd) + float64(d*d)))
	}
	return mean, math.Sqrt(variance)
}

// below returns the probability of a value below x.
func (m mixture) below(x float64) float64 {
	p := 0.0
	for _, g := range m {
		p += float64(g.weight * normalBelow((x-g.mean)/g.sd))
	}
	return math.Min(p, 1) // weights may add up to more by rounding
}

// density returns the density at x.
func (m mixture) density(x float64) float64 {
	sum := 0.0
	for _, g := range m {
		z := (x - g.mean) / g.sd
		sum += float64(g.weight * mat.Exp(float64(-0.5*float64(z*z))) / (g.sd * math.Sqrt(2*math.Pi)))
	}
	return sum
}

// momentsOf returns the mean and standard deviation of a function, by the trapezoidal rule over
// momentNodes values of each component, momentReach standard deviations to either side. For a smooth
// function the rule is exact to rounding.
func (m mixture) momentsOf(f func(x float64) float64) (mean, sd float64) {
	const momentNodes, momentReach = 61, 7.5
	var values, weights []float64
	total := 0.0
	for _, g := range m {
		for i := range momentNodes {
			z := momentReach * (2*float64(i)/(momentNodes-1) - 1)
			w := float64(g.weight * mat.Exp(float64(-0.5*float64(z*z))))
			values, weights = append(values, f(g.mean+float64(z*g.sd))), append(weights, w)
			total += w
		}
	}
	for i, v := range values {
		mean += float64(weights[i] / total * v)
	}
	variance := 0.0
	for i, v := range values {
		variance += float64(weights[i] / total * float64((v-mean)*(v-mean)))
	}
	return mean, math.Sqrt(variance)
}

// normalBelow is the standard normal distribution function.
func normalBelow(z float64) float64 {
	if math.IsNaN(z) { // at the mean of a component with sd 0
		return 0.5
	}
	return 0.5 * mat.Erfc(-z/math.Sqrt2)
}

// quantileSteps halve the interval around a quantile down to rounding.
const quantileSteps = 60

// atNormal returns the value below which the probability is that of a standard normal number below z, to
// within thinnest of the narrowest component: none is below or above in all components.
func (m mixture) atNormal(z float64) float64 {
	const thinnest = 1e-3
	low, high, narrowest, p := math.Inf(1), math.Inf(-1), math.Inf(1), normalBelow(z)
	for _, g := range m {
		x := g.mean + float64(z*g.sd)
		low, high, narrowest = math.Min(low, x), math.Max(high, x), math.Min(narrowest, g.sd)
	}
	for range quantileSteps {
		middle := low + float64(0.5*(high-low))
		if !(high-low > thinnest*narrowest) {
			return middle
		}
		if m.below(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return low + float64(0.5*(high-low))
}

// quantile returns the value below which the probability is p, by bisection.
func (m mixture) quantile(p float64) float64 {
	const reach = 40 // no probability that a float64 holds is farther from all means, in sd
	low, high := math.Inf(1), math.Inf(-1)
	for _, g := range m {
		low, high = math.Min(low, g.mean-float64(reach*g.sd)), math.Max(high, g.mean+float64(reach*g.sd))
	}
	for range quantileSteps {
		middle := low + float64(0.5*(high-low))
		if m.below(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return low + float64(0.5*(high-low))
}
