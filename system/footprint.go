package system

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// Footprint says where a term evaluates its field for a functional at a point x: at one place, or at several, whose
// values it adds with weights, as for a sensor that measures an average. A nil Footprint is x itself. Terms may share
// a footprint. Do not change it once a functional has it.
type Footprint struct {
	// Offsets (places x variables) are added to x to give the places.
	Offsets *mat.Dense
	// Fixed marks the axes along which the offset is the coordinate itself, whatever x is. Nil marks none.
	Fixed []bool
	// Weights of the places. Those of an average add up to 1. Nil gives each place the weight 1.
	Weights []float64
}

// Shifted returns the footprint of one place at an offset, one number for each variable.
func Shifted(offset ...float64) *Footprint {
	return &Footprint{Offsets: mat.NewDense(1, len(offset), slices.Clone(offset))}
}

// Len returns the number of places.
func (f *Footprint) Len() int {
	if f == nil {
		return 1
	}
	return f.Offsets.Rows()
}

// Sum returns the sum of the weights: 1 for an average, or for a single place. Absolute is the sum of their absolute
// values.
func (f *Footprint) Sum() (sum, absolute float64) {
	for k := range f.Len() {
		w := f.Weight(k)
		sum, absolute = sum+w, absolute+math.Abs(w)
	}
	return sum, absolute
}

// Weight returns the weight of place k.
func (f *Footprint) Weight(k int) float64 {
	if f == nil || f.Weights == nil {
		return 1
	}
	return f.Weights[k]
}

// Places returns place k for each row of points (n x variables). For a nil footprint this is points itself.
func (f *Footprint) Places(k int, points *mat.Dense) *mat.Dense {
	if f == nil {
		return points
	}
	places := mat.NewDense(points.Rows(), points.Cols(), nil)
	f.PlacesTo(places, k, points)
	return places
}

// PlacesTo sets each row of dst (n x variables) to place k for that row of points.
func (f *Footprint) PlacesTo(dst *mat.Dense, k int, points *mat.Dense) {
	if f == nil {
		dst.CopyFrom(points)
		return
	}
	offset := f.Offsets.Row(k)
	for i := range dst.Rows() {
		place, x := dst.Row(i), points.Row(i)
		for d, v := range offset {
			if f.Fixed != nil && f.Fixed[d] {
				place[d] = v
			} else {
				place[d] = x[d] + v
			}
		}
	}
}

// Equal reports whether two footprints have the same places and weights.
func (f *Footprint) Equal(g *Footprint) bool {
	if f == nil || g == nil {
		return f == g
	}
	if f.Len() != g.Len() || !slices.Equal(f.Fixed, g.Fixed) || !slices.Equal(f.Weights, g.Weights) {
		return false
	}
	for k := range f.Len() {
		if !slices.Equal(f.Offsets.Row(k), g.Offsets.Row(k)) {
			return false
		}
	}
	return true
}

// Clone returns a copy that shares nothing with f.
func (f *Footprint) Clone() *Footprint {
	if f == nil {
		return nil
	}
	return &Footprint{f.Offsets.Clone(), slices.Clone(f.Fixed), slices.Clone(f.Weights)}
}

// validate reports a footprint that does not fit a problem with the given number of variables.
func (f *Footprint) validate(where string, variables int) error {
	switch {
	case f == nil:
	case f.Offsets == nil || f.Offsets.Rows() == 0 || f.Offsets.Cols() != variables:
		return wrong(where, "a footprint needs places with offsets in each of the %d variables", variables)
	case f.Fixed != nil && len(f.Fixed) != variables:
		return wrong(where, "a footprint marks %d axes as fixed; the problem has %d variables", len(f.Fixed), variables)
	case f.Weights != nil && len(f.Weights) != f.Len():
		return wrong(where, "a footprint has %d weights for %d places", len(f.Weights), f.Len())
	}
	return nil
}

// describe writes the places like the arguments of a field: (x + 1, t = 0).
func (f *Footprint) describe(variables []Variable) string {
	if n := f.Len(); n > 1 {
		return fmt.Sprintf("(mean of %d places)", n)
	}
	text := ""
	for d, v := range f.Offsets.Row(0) {
		name, separator := variables[d].Name, ", "
		if text == "" {
			separator = "("
		}
		switch {
		case f.Fixed != nil && f.Fixed[d]:
			text += fmt.Sprintf("%s%s = %.4g", separator, name, v)
		case v > 0:
			text += fmt.Sprintf("%s%s + %.4g", separator, name, v)
		case v < 0:
			text += fmt.Sprintf("%s%s - %.4g", separator, name, -v)
		}
	}
	if text == "" {
		return ""
	}
	return text + ")"
}

// Expanded returns the same functional with one term for each place of a footprint. The weight becomes part of the
// coefficient. The terms are in the order in which a RowMaker adds them, so both make the same rows, bit for bit.
func (f *Functional) Expanded() Functional {
	g := Functional{Parameters: f.Parameters, Known: f.Known}
	for first := 0; first < len(f.Terms); {
		terms := sharing(f.Terms[first:])
		first += len(terms)
		over := terms[0].Footprint
		if over.Len() == 1 && over.Weight(0) == 1 {
			g.Terms = append(g.Terms, terms...)
			continue
		}
		for k := range over.Len() {
			place := &Footprint{Offsets: over.Offsets.Slice(k, k+1, 0, over.Offsets.Cols()), Fixed: over.Fixed}
			for _, t := range terms {
				t.Coefficient, t.Footprint = Scaled(t.Coefficient, over.Weight(k)), place
				g.Terms = append(g.Terms, t)
			}
		}
	}
	return g
}

// sharing returns the leading terms that share the footprint of the first.
func sharing(terms []Term) []Term {
	n := slices.IndexFunc(terms, func(t Term) bool { return t.Footprint != terms[0].Footprint })
	if n < 0 {
		n = len(terms)
	}
	return terms[:n]
}
