package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Is the posterior of a parameter in a nonlinear term what the Gaussian about the joint mode says? The evidence, times the
// prior, is compared at the mean with what it is to either side, where by the Gaussian it has fallen by half the square of
// strengthReach. The parabola through the three says where mean and standard deviation are rather.

const (
	// strengthReach is how far to either side, in standard deviations.
	strengthReach = 2.5
	// The parabola's maximum may be outerShift standard deviations from the mean, and its curvature outerCurvature times that
	// of the Gaussian, at least. The layers that suit different values differ by luck, of about a nat, which is 0.3 standard
	// deviations of the first.
	outerShift, outerCurvature = 0.5, 0.5
)

// strength compares the density of a parameter, by the evidence, strengthReach standard deviations below and above its mean
// with that at it.
type strength struct {
	parameter    int     // of the linearised problem
	below, above float64 // log density less that at the mean; -Inf where there is no solution
}

// gain is by how many nats the density is larger than at the mean on the side where it is, and the side in standard
// deviations.
func (s *strength) gain() (nats, side float64) {
	if s.above > s.below {
		return s.above, strengthReach
	}
	return s.below, -strengthReach
}

// gaussian tells whether the density is about what the Gaussian says. How small it is where it is much smaller does not matter.
func (s *strength) gaussian() bool {
	below, above := math.Max(s.below, -strengthReach*strengthReach), math.Max(s.above, -strengthReach*strengthReach)
	slope := (above - below) / (2 * strengthReach)
	curvature := -(above + below) / (strengthReach * strengthReach)
	return curvature > outerCurvature && !(math.Abs(slope) > outerShift*curvature)
}

// strengthsOf compares the parameters that stand in nonlinear terms. Those without a solution at their mean are left out.
func strengthsOf(l *linearisation) (list []strength) {
	parameters, places := bentParameters(l.of), []float64{0, -strengthReach, strengthReach}
	densities := make([]float64, len(parameters)*len(places))
	mat.Parallel(len(densities), func(i int) {
		o := outerOf(l, []int{parameters[i/len(places)]})
		densities[i] = o.density([]float64{places[i%len(places)]})
	})
	for i, j := range parameters {
		if at := densities[i*len(places):][:len(places)]; !math.IsInf(at[0], -1) {
			list = append(list, strength{j, at[1] - at[0], at[2] - at[0]})
		}
	}
	return list
}

// bentParameters lists the parameters of the linearised problem that stand in nonlinear terms: those of the functionals in
// them, and the numbers of all coefficients.
func bentParameters(p *system.Problem) (list []int) {
	in := make([]bool, len(p.Parameters))
	mark := func(f *system.Functional) {
		if f.Nonlinear == nil {
			return
		}
		for _, of := range f.Nonlinear.Of {
			for _, t := range of.Parameters {
				in[t.Parameter] = true
			}
		}
	}
	for _, e := range p.Demands() {
		mark(&e.Residual)
	}
	for i := range p.Sensors {
		mark(&p.Sensors[i].Measures)
	}
	for i, bent := range in {
		if bent {
			list = append(list, i)
		}
	}
	for k := range p.Coefficients {
		list = append(list, len(p.Parameters)+k)
	}
	return list
}
