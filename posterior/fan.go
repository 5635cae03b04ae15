package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

// At every ratio of amplitude to noise, the integral over the noise, or over the factor of a stated one, is a sum over a few
// values about the best. It is evaluated very often, so it takes few elementary functions: the values are a constant fan of
// factors about the best one, and densities are kept as exp(exponent) times a factor.

// noiseNodes is how many values of a learned noise there are for each ratio of amplitude to noise,
// reaching noiseReach standard deviations of log sigma to either side.
const (
	noiseNodes = 7
	noiseReach = 2.5
	// fanSize has room for a kernel's whole vectors.
	fanSize = 8
)

// fan is the values at one ratio, and the density at each.
type fan struct {
	count            int
	x, level         [fanSize]float64 // level is exp(x)
	exponent, factor [fanSize]float64
	logStep          float64

	n, step, logStepOfN float64             // for n readings
	spread              [noiseNodes]float64 // exp of the offsets from the best value
	terms               [fanSize]float64
}

// about places the values about the best one; from n readings, its logarithm is known to 1/sqrt(2n).
func (f *fan) about(best, n float64) {
	if f.n != n {
		f.n, f.step = n, 2*noiseReach/(noiseNodes-1)/math.Sqrt(2*n)
		f.logStepOfN = mat.Log(f.step)
		for i := range f.spread {
			f.spread[i] = mat.Exp(float64(float64(i-noiseNodes/2) * f.step))
		}
	}
	f.count, f.logStep = noiseNodes, f.logStepOfN
	centre := mat.Log(best)
	for i, s := range &f.spread {
		f.x[i], f.level[i] = centre+float64(float64(i-noiseNodes/2)*f.step), best*s
	}
}

// only places a single value, whose density counts as it is.
func (f *fan) only(x float64) {
	f.count, f.logStep, f.x[0], f.level[0] = 1, 0, x, mat.Exp(x)
}

// log returns the log density at the i-th value.
func (f *fan) log(i int) float64 { return f.exponent[i] + mat.Log(f.factor[i]) }

// sum returns the log of the sum of the densities.
func (f *fan) sum() float64 {
	top := math.Inf(-1)
	for _, e := range f.exponent[:f.count] {
		top = max(top, e)
	}
	if math.IsInf(top, -1) {
		return top
	}
	for i := range f.terms {
		f.terms[i] = math.Inf(-1)
		if i < f.count {
			f.terms[i] = f.exponent[i] - top
		}
	}
	mat.ExpTo(f.terms[:], f.terms[:])
	sum := 0.0
	for i, factor := range f.factor[:f.count] {
		sum += float64(f.terms[i] * factor)
	}
	return top + mat.Log(sum)
}
