package posterior

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A coefficient with nothing stated matters between two bounds. Below the lower one its effect is
// negligible beside the other terms of an equation; above the upper one these are negligible beside
// its effect. The readings can determine it only in between.

const (
	// A term may be wideParameter times larger or smaller than another, as that of a parameter may,
	// and ten times more because of the half waves of a field, of which there may be three times as
	// many or a third: a second derivative is then ten times larger or smaller.
	negligible = 1.0 / (10 * wideParameter)
	// Magnitudes are tried over mostDecades to either side of 1, magnitudesADecade in each.
	mostDecades, magnitudesADecade = 20, 4
)

// Ranged finds a range for each coefficient that is open, and returns the problem with these ranges;
// p itself where none is open. The range is where the coefficient matters: where its terms are
// neither negligible beside the others of an equation, a condition or a sensor, nor so large that
// the others are. The sizes of terms follow from readings, known sources and conditions. The range
// has both signs where negative values are finite and make a difference. Ranged fails with a
// *DataError that names the coefficient where the sizes do not determine a range, or where the
// ranges together are too wide to search.
func Ranged(p *system.Problem) (*system.Problem, error) {
	if p == nil {
		return nil, p.Validate()
	}
	open, names := make([]bool, len(p.Coefficients)), []string(nil)
	for i := range open {
		c := &p.Coefficients[i]
		if open[i] = c.Open(); open[i] {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return p, nil
	}
	refuse := func(why string) error {
		return dataError(fmt.Sprintf("parameter %q", names[0]), "%s: state what is known, as %s = { min = 0.01, max = 10 }", why, names[0])
	}
	q := *p
	q.Coefficients = slices.Clone(p.Coefficients)
	for slices.Contains(open, true) {
		found := false
		for i := range open {
			if !open[i] {
				continue
			}
			if c, ok := rangeOf(&q, i, open); ok {
				q.Coefficients[i], open[i], found = c, false, true
			}
		}
		switch {
		case found:
		case len(names) > 1:
			return nil, refuse(fmt.Sprintf("no range can be found for it, since nothing is known of %s either", strings.Join(names[1:], " and ")))
		default:
			return nil, refuse("no range can be found for it, since no term beside it has a known size")
		}
	}
	if wantedPlaces(q.Coefficients) > mostScanned {
		return nil, refuse(fmt.Sprintf("the ranges found for %s are too wide to search together", strings.Join(names, " and ")))
	}
	return &q, nil
}

// rangeOf returns a coefficient with the widest range in which it matters, beside what no other open
// coefficient changes.
func rangeOf(p *system.Problem, i int, open []bool) (system.Coefficient, bool) {
	values := make([]float64, len(p.Coefficients))
	for k := range values {
		values[k] = typical(&p.Coefficients[k])
	}
	moves := func(j int, by float64) [][]bool { return differing(p, values, j, by) }
	unclear := moves(i, 1) // none
	for j := range open {
		if j == i || !open[j] {
			continue
		}
		for f, parts := range moves(j, 2) {
			for k, moved := range parts {
				unclear[f][k] = unclear[f][k] || moved
			}
		}
	}
	var above, below [][][]float64 // parts at magnitudes, of positive and of negative values
	for k := range 2*mostDecades*magnitudesADecade + 1 {
		values[i] = magnitude(k)
		above = append(above, partsOf(p, values))
		values[i] *= -1
		below = append(below, partsOf(p, values))
	}
	low, high, negative := math.Inf(1), 0.0, false
	for f := range above[0] {
		least, most := mattering(above, f, unclear[f])
		if !(least < most) {
			continue
		}
		low, high = math.Min(low, least), math.Max(high, most)
		least, most = mattering(below, f, unclear[f])
		values[i] = math.Sqrt(least * most)
		negative = negative || least < most && slices.Contains(moves(i, -1)[f], true)
	}
	c := system.Coefficient{Name: p.Coefficients[i].Name, Min: low, Max: high}
	values[i] = 0
	if negative && !slices.ContainsFunc(partsOf(p, values), func(parts []float64) bool { return parts == nil }) {
		c.Min, c.Fine = -high, low
	}
	return c, low < high
}

// magnitude is the k-th magnitude that is tried.
func magnitude(k int) float64 {
	return mat.Exp(float64(k-mostDecades*magnitudesADecade) * ln10 / magnitudesADecade)
}

// typical is a value that matters: the median, or that of either sign.
func typical(c *system.Coefficient) float64 {
	if c.Fine > 0 {
		return math.Sqrt(c.Fine * c.Max)
	}
	return c.Value(0)
}

// mattering returns the magnitudes between which a coefficient matters to a functional: neither what
// it changes nor what it does not change is negligible; unclear terms are ignored. It returns 0 and
// 0 where it matters nowhere, or without bound.
func mattering(parts [][][]float64, functional int, unclear []bool) (low, high float64) {
	const unmoved = 1e-6
	for k := range len(parts) - 1 {
		a, b := parts[k][functional], parts[k+1][functional]
		if a == nil || b == nil {
			continue
		}
		all, moved, fixed := 0.0, 0.0, 0.0
		for j := range a {
			if unclear[j] {
				continue
			}
			size := math.Max(a[j], b[j])
			by := math.Abs(b[j]-a[j]) * magnitudesADecade / ln10
			all, moved = math.Max(all, size), math.Max(moved, by)
			if by <= unmoved*size {
				fixed = math.Max(fixed, size)
			}
		}
		if !(moved > negligible*all) || !(fixed > negligible*all) {
			continue
		}
		if k == 0 || k == len(parts)-2 {
			return 0, 0
		}
		if low == 0 {
			low = magnitude(k)
		}
		high = magnitude(k + 1)
	}
	return low, high
}

// functionals returns what equations, conditions and sensors state, with their points and, for
// sensors, readings.
func functionals(p *system.Problem) (list []system.Demand, readings [][]float64) {
	for _, e := range p.Demands() {
		list, readings = append(list, *e), append(readings, nil)
	}
	for i := range p.Sensors {
		g := &p.Sensors[i]
		list, readings = append(list, system.Demand{Residual: g.Measures, Points: g.Points}), append(readings, g.Values)
	}
	return list, readings
}

// partsOf returns the sizes of the constituents of each functional at values of the coefficients:
// source, readings and terms. Nil where one is not finite.
func partsOf(p *system.Problem, values []float64) [][]float64 {
	p = p.With(values).ForNeurons(firstNeurons)
	sizes := naturalSizes(p)
	list, readings := functionals(p)
	all := make([][]float64, len(list))
	for f := range list {
		e := &list[f]
		known := 0.0
		if e.Residual.Known != nil {
			known = rootMeanSquare(evaluated(e.Residual.Known, e.Points))
		}
		parts := []float64{known, rootMeanSquare(readings[f])}
		for j := range e.Residual.Terms {
			t := &e.Residual.Terms[j]
			size := sizes.field[t.Field]
			if order(t) == 0 {
				size = math.Max(size, math.Abs(sizes.level[t.Field]))
			}
			parts = append(parts, termSize(p, t, e.Points, halfWaves)*size)
		}
		if finite(mat.Sum(parts)) {
			all[f] = parts
		}
	}
	return all
}

// differing tells which constituents of each functional change when a coefficient is multiplied by a
// number.
func differing(p *system.Problem, values []float64, coefficient int, by float64) [][]bool {
	other := slices.Clone(values)
	other[coefficient] *= by
	now, _ := functionals(p.With(values).ForNeurons(firstNeurons))
	then, _ := functionals(p.With(other).ForNeurons(firstNeurons))
	all := make([][]bool, len(now))
	for f := range now {
		differ := func(a, b system.Function) bool {
			return !slices.Equal(evaluated(a, now[f].Points), evaluated(b, now[f].Points))
		}
		a, b := &now[f].Residual, &then[f].Residual
		all[f] = []bool{a.Known != nil && differ(a.Known, b.Known), false}
		for j := range a.Terms {
			all[f] = append(all[f], differ(a.Terms[j].Coefficient, b.Terms[j].Coefficient))
		}
	}
	return all
}
