package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Nodes and weights of Gauss and Legendre's rule with four points on [-1/2, 1/2].
var (
	gaussNodes   = [4]float64{-0.43056815579702629, -0.16999052179242813, 0.16999052179242813, 0.43056815579702629}
	gaussWeights = [4]float64{0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693}
)

const (
	panelsOfSide = 8    // panels of the rule along a whole side of the box
	maxNodes     = 4096 // of an average
)

// footprint changes what sensors measure at a point into its average over a box
// around it, or its difference from the same at a reference place.
func (s section) footprint(f system.Functional, p *system.Problem) (system.Functional, error) {
	switch region, err := s.averageRegion(); {
	case err != nil:
		return f, err
	case region != "" && s.has("reference"):
		return f, s.refuse(join(s.name, "reference"), "an average over the %s has no place to be compared with another", region)
	case region != "":
		nodes, fixed, weights, err := s.averagePlaces(region, p)
		if err != nil {
			return f, err
		}
		f = averaged(f, nodes, fixed, weights)
	case s.has("average"):
		nodes, weights, err := s.average(p)
		if err != nil {
			return f, err
		}
		f = averaged(f, nodes, nil, weights)
	}
	if !s.has("reference") {
		return f, nil
	}
	at, err := s.places("reference", p)
	if err != nil {
		return f, err
	}
	shift, fixed := make([]float64, len(p.Variables)), make([]bool, len(p.Variables))
	for d, x := range at {
		if math.IsNaN(x) {
			continue
		}
		if v := &p.Variables[d]; v.Outside(x) {
			return f, s.refuse(join(s.name, "reference."+v.Name), "%g is outside [%g, %g]", x, v.Min, v.Max)
		}
		shift[d], fixed[d] = x, true
	}
	return lessReference(f, shift, fixed), nil
}

// measured says in words what sensors with an average or a reference measure,
// "" without.
func (s section) measured(fields []string) string {
	if !s.has("average") && !s.has("reference") {
		return ""
	}
	text := fields[0]
	if s.has("measures") {
		text = strings.Join(strings.Fields(s.values["measures"].(string)), " ")
	}
	if region, _ := s.averageRegion(); region != "" {
		text += " averaged over the " + region
	} else if in := s.inner("average"); s.has("average") {
		var sides []string
		for _, name := range s.inOrder(in.name, in.values) {
			sides = append(sides, fmt.Sprintf("%v in %s", in.values[name], name))
		}
		text += " averaged over " + list(sides, "and")
	}
	if in := s.inner("reference"); s.has("reference") {
		var places []string
		for _, name := range s.inOrder(in.name, in.values) {
			places = append(places, fmt.Sprintf("%s = %v", name, in.values[name]))
		}
		text += " minus the same at " + list(places, "and")
	}
	return text
}

// places reads a table of numbers for some of the variables; NaN for the others.
func (s section) places(key string, p *system.Problem) ([]float64, error) {
	in := s.inner(key)
	at := make([]float64, len(p.Variables))
	var names []string
	for i, v := range p.Variables {
		at[i] = math.NaN()
		names = append(names, v.Name)
	}
	if len(in.values) == 0 {
		return nil, s.refuse(join(s.name, key), "expected a table with some of the variables, as { %s = 0.5 }, found %s", names[0], describe(s.values[key]))
	}
	for _, name := range s.inOrder(in.name, in.values) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, in.wrong(name, fmt.Errorf("no such variable%s", didYouMean(name, names, are("variable", names))))
		}
		var err error
		if at[i], err = in.number(name, 0); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// average returns the shifts and weights of the average over a box whose sides
// in some variables are given, with the sensor in its middle.
func (s section) average(p *system.Problem) (nodes [][]float64, weights []float64, err error) {
	sides, err := s.places("average", p)
	if err != nil {
		return nil, nil, err
	}
	return s.boxNodes(sides, p)
}

// boxNodes returns shifts from the middle of a box, by Gauss and Legendre's rule, and
// their weights; NaN is no side.
func (s section) boxNodes(sides []float64, p *system.Problem) (nodes [][]float64, weights []float64, err error) {
	nodes, weights = [][]float64{make([]float64, len(sides))}, []float64{1}
	for d, side := range sides {
		if math.IsNaN(side) {
			continue
		}
		v := &p.Variables[d]
		whole := v.Max - v.Min
		if !(side > 0 && side <= whole*(1+boxSlack)) {
			return nil, nil, s.refuse(join(s.name, "average."+v.Name), "found %g; a length above 0 and at most the range's, %g, is expected", side, whole)
		}
		panels := int(math.Ceil(panelsOfSide * side / whole))
		if len(nodes)*4*panels > maxNodes {
			return nil, nil, s.refuse(join(s.name, "average"), "the average needs more than %d points; make its sides shorter", maxNodes)
		}
		var more [][]float64
		var heavier []float64
		width := side / float64(panels)
		for i, node := range nodes {
			for panel := range panels {
				for k, at := range gaussNodes {
					moved := slices.Clone(node)
					moved[d] = float64(width*(float64(panel)+0.5+at)) - float64(0.5*side)
					more = append(more, moved)
					heavier = append(heavier, float64(weights[i]*gaussWeights[k])/float64(panels))
				}
			}
		}
		nodes, weights = more, heavier
	}
	return nodes, weights, nil
}

// theDomain is what average says for the whole domain.
const theDomain = "domain"

// averageNodes is how many places stand for a region that is no box: their mean is
// that of low-discrepancy points, within half a per cent of what the averaged thing varies by.
const averageNodes = 2048

// averageRegion returns the name of the region that sensors average over, "" where
// they average over a box around their place, or not.
func (s section) averageRegion() (string, error) {
	name, ok := s.values["average"].(string)
	if !ok {
		return "", nil
	}
	if name != theDomain && !slices.Contains(s.parts, name) {
		return "", s.refuse(join(s.name, "average"), `expected "domain"%s, or the sides of a box around the sensor, { %s = 0.1 }; found %q`, orShapes(s.parts), s.scope.variables[0], shorten(name))
	}
	return name, nil
}

// orShapes lists the names of shapes as further choices.
func orShapes(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", one of the shapes " + list(names, "and")
}

// averagePlaces returns places in a region of space and their weights. In the time,
// and in what else comes after it, they are where the sensor is.
func (s section) averagePlaces(region string, p *system.Problem) (places [][]float64, fixed []bool, weights []float64, err error) {
	d := s.placeless(p)
	if d == 0 {
		return nil, nil, nil, s.refuse(join(s.name, "average"), "the time is the first variable: name those of space before it")
	}
	fixed = make([]bool, len(p.Variables))
	for i := range d {
		fixed[i] = true
	}
	domain := p.Domain
	if region != theDomain {
		domain = s.shapes[region]
	}
	if domain == nil {
		sides := slices.Repeat([]float64{math.NaN()}, len(p.Variables))
		for i, v := range p.Variables[:d] {
			sides[i] = v.Max - v.Min
		}
		if places, weights, err = s.boxNodes(sides, p); err != nil {
			return nil, nil, nil, err
		}
		for _, at := range places {
			for i, v := range p.Variables[:d] {
				at[i] += float64(0.5 * (v.Min + v.Max))
			}
		}
		return places, fixed, weights, nil
	}
	if shape, ok := domain.(system.Shape); !ok || shape.Dimensions() > d {
		return nil, nil, nil, s.refuse(join(s.name, "average"), "the %s changes with the time", region)
	}
	points, err := system.Collocation(p.Variables[:d], domain, averageNodes, blockSeed(s.document.seed, -1))
	if err != nil {
		return nil, nil, nil, s.wrong("average", fmt.Errorf("%s the %s", reason(err), region))
	}
	for i := range averageNodes {
		places = append(places, append(slices.Clone(points.Row(i)), make([]float64, len(p.Variables)-d)...))
	}
	return places, fixed, slices.Repeat([]float64{1. / averageNodes}, averageNodes), nil
}

// placeless returns of how many variables, the first ones, sensors need no place:
// where they average over a region, of those of space.
func (s section) placeless(p *system.Problem) int {
	if _, ok := s.values["average"].(string); !ok {
		return 0
	}
	if d := slices.IndexFunc(p.Variables, func(v system.Variable) bool { return v.Name == timeName }); d >= 0 {
		return d
	}
	return len(p.Variables)
}

// averagesFit refuses readings so near the box's sides that their average leaves it.
func (s section) averagesFit(p *system.Problem, points *mat.Dense) error {
	if region, _ := s.averageRegion(); region != "" || !s.has("average") {
		return nil
	}
	sides, err := s.places("average", p)
	if err != nil {
		return err
	}
	for i := range points.Rows() {
		for d, side := range sides {
			v, x := &p.Variables[d], points.At(i, d)
			if !math.IsNaN(side) && (v.Outside(x-float64(0.5*side)) || v.Outside(x+float64(0.5*side))) {
				return s.refuse(join(s.name, "average."+v.Name), "around %s = %g, where reading %d stands, it leaves [%g, %g]", v.Name, x, i+1, v.Min, v.Max)
			}
		}
	}
	return nil
}

// averaged is the weighted sum of a functional at shifted places, which are fixed in
// some variables.
func averaged(f system.Functional, nodes [][]float64, fixed []bool, weights []float64) system.Functional {
	var g system.Functional
	var known elsewhere
	coefficients := make([]elsewhere, len(f.Parameters))
	for k, shift := range nodes {
		for _, t := range f.Terms {
			t.Coefficient, t.Shift, t.Fixed = movedCoefficient(t.Coefficient, weights[k], &system.Term{Shift: shift, Fixed: fixed}), shift, fixed
			g.Terms = append(g.Terms, t)
		}
		for i, t := range f.Parameters {
			coefficients[i].add(t.Coefficient, weights[k], &system.Term{Shift: shift, Fixed: fixed})
		}
		known.add(f.Known, weights[k], &system.Term{Shift: shift, Fixed: fixed})
	}
	for i, t := range f.Parameters {
		if !isConstant(t.Coefficient) {
			t.Coefficient = coefficients[i]
		}
		g.Parameters = append(g.Parameters, t)
	}
	if g.Known = f.Known; !isConstant(f.Known) {
		g.Known = known
	}
	return g
}

// lessReference is a functional minus the same where some coordinates are fixed.
// What does not depend on the place drops out.
func lessReference(f system.Functional, shift []float64, fixed []bool) system.Functional {
	g := system.Functional{Terms: slices.Clone(f.Terms)}
	for _, t := range f.Terms {
		place := &system.Term{Shift: slices.Clone(shift), Fixed: fixed}
		for d, more := range t.Shift { // of an average, whose middle is moved
			place.Shift[d] += more
		}
		t.Coefficient, t.Shift, t.Fixed = movedCoefficient(t.Coefficient, -1, &system.Term{Shift: shift, Fixed: fixed}), place.Shift, fixed
		g.Terms = append(g.Terms, t)
	}
	for _, t := range f.Parameters {
		if !isConstant(t.Coefficient) {
			t.Coefficient = elsewhere{{t.Coefficient, 1, &system.Term{}}, {t.Coefficient, -1, &system.Term{Shift: shift, Fixed: fixed}}}
			g.Parameters = append(g.Parameters, t)
		}
	}
	if !isConstant(f.Known) {
		g.Known = elsewhere{{f.Known, 1, &system.Term{}}, {f.Known, -1, &system.Term{Shift: shift, Fixed: fixed}}}
	}
	return g
}

// isConstant reports whether a function has one value everywhere; nil has.
func isConstant(f system.Function) bool {
	_, ok := f.(system.Constant)
	return f == nil || ok
}

// movedCoefficient is factor times a term's coefficient at another place.
func movedCoefficient(f system.Function, factor float64, place *system.Term) system.Function {
	switch c := f.(type) {
	case nil:
		return system.Constant(factor)
	case system.Constant:
		return system.Constant(factor * float64(c))
	}
	return elsewhere{{f, factor, place}}
}

// elsewhere is a weighted sum of functions at other places.
type elsewhere []struct {
	of     system.Function
	factor float64
	place  *system.Term
}

func (e *elsewhere) add(f system.Function, factor float64, place *system.Term) {
	*e = append(*e, struct {
		of     system.Function
		factor float64
		place  *system.Term
	}{f, factor, place})
}

// With implements system.Dependent.
func (e elsewhere) With(coefficients []float64) system.Function {
	moved := make(elsewhere, len(e))
	for i, m := range e {
		if d, ok := m.of.(system.Dependent); ok {
			m.of = d.With(coefficients)
		}
		moved[i] = m
	}
	return moved
}

// EvalTo implements system.Function.
func (e elsewhere) EvalTo(dst []float64, points *mat.Dense) {
	clear(dst)
	values := make([]float64, len(dst))
	for _, part := range e {
		part.of.EvalTo(values, part.place.Places(points))
		mat.Axpy(part.factor, values, dst)
	}
}
