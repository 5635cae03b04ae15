package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/system"
)

// WidePriors returns the standard deviation that the wide prior of each parameter begins with, in the
// parameter's own unit: under it the parameter's term may be a hundred times the largest other term, as
// far as readings, sources and conditions tell its size. A first solution then tells the sizes of terms
// better; Posterior.WidePriors has the result. It is that of a parameter's stated prior where there is
// one, and NaN where nothing is known before there is a solution: in a problem that is not linear, or
// has sizes that are not finite. With coefficients it is that at their prior medians; they must have their ranges, see Ranged. WidePriors fails where
// Validate does.
func WidePriors(p *system.Problem) ([]float64, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	widths := slices.Repeat([]float64{math.NaN()}, len(p.Parameters))
	switch {
	case len(p.Parameters) == 0 || !p.IsLinear():
	case len(p.Coefficients) > 0:
		copy(widths, widthsOf(p.With(medians(p))))
	default:
		copy(widths, widthsOf(p))
	}
	for i, q := range p.Parameters {
		switch {
		case q.SD > 0:
			widths[i] = q.SD
		case !finite(widths[i]):
			widths[i] = math.NaN()
		}
	}
	return widths, nil
}

// widthsOf returns the prior sd of each parameter that states none, for small layers.
func widthsOf(p *system.Problem) []float64 {
	return naturalSizes(balanced(p.ForNeurons(firstNeurons))).parameter
}

// WidePriors returns the standard deviation of the wide prior that each parameter which states none has
// been fitted with, about 0, in the order of Parameters without coefficients. It is nil for a model that
// was read from a file, and for the paper's methods.
func (q *Posterior) WidePriors() []float64 {
	if len(q.wide) == 0 {
		return nil
	}
	return slices.Clone(q.wide[:len(q.names)-len(q.coefficients)])
}
