package posterior

import (
	"math"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// An equation of first order carries the solution along its characteristics. Neurons that vary across these and hardly
// along them satisfy the equation by themselves, however steep they are: they follow a kink that is carried along, which
// neurons of all directions cannot. So with two variables the search tries them, too.

const (
	// sameDirection is how far characteristics may turn within the domain, in radians, to be taken for straight.
	sameDirection = 0.05
	// flatOctave is how flat the neurons are along the characteristics, and kinkOctave how steep those are that
	// have kinks.
	flatOctave, kinkOctave = lowestOctave, highestOctave
)

// characteristics tells in which direction the equations of a problem in two variables carry all fields, as an angle in normalised
// coordinates. ok is false where they do not, or not in one direction.
func characteristics(p *system.Problem, domain *mat.Dense) (angle float64, ok bool) {
	for i := range p.Equations {
		along := [2][]float64{make([]float64, domain.Rows()), make([]float64, domain.Rows())}
		field := -1
		for k := range p.Equations[i].Residual.Terms {
			t := &p.Equations[i].Residual.Terms[k]
			switch order(t) {
			case 0:
				continue
			case 1:
			default:
				return 0, false
			}
			if field >= 0 && t.Field != field || t.Footprint != nil {
				return 0, false
			}
			field = t.Field
			d := 0
			for t.Derivative[d] == 0 {
				d++
			}
			mat.Axpy(1, evaluated(t.Coefficient, domain), along[d])
		}
		if field < 0 {
			return 0, false
		}
		for r := range domain.Rows() {
			var v [2]float64 // in normalised coordinates
			for d := range v {
				side := p.Variables[d].Side()
				if p.Variables[d].Log {
					side *= domain.At(r, d)
				}
				v[d] = along[d][r] / side
			}
			here := math.Atan2(v[1], v[0])
			if !ok {
				angle, ok = here, true
			}
			if apart := math.Abs(math.Remainder(here-angle, math.Pi)); !(apart <= sameDirection) {
				return 0, false
			}
		}
	}
	return angle, ok
}

// across are sites whose neurons vary across the characteristics: as smooth as elsewhere, or with kinks.
func (s *search) across() (sites []site) {
	angle, ok := characteristics(s.problem, s.domain)
	if !ok {
		return nil
	}
	by := int(math.Round((angle - math.Pi/2) / turnUnit)) // the first axis is normal to the characteristics
	add := func(a feature.Activation, steep float64) {
		t := alike(a, 2, steep)
		t.octaves[1] = flatOctave
		t = t.turnedFar(by)
		t.across = true
		sites = append(sites, t)
	}
	for _, a := range s.config.activations() {
		add(a, 1)
	}
	if s.config.openActivations() {
		add(feature.Softplus, kinkOctave)
	}
	return sites
}
