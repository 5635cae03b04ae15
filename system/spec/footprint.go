package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Nodes and weights of the four-point Gauss-Legendre rule on [-1/2, 1/2].
var (
	gaussNodes   = [4]float64{-0.43056815579702629, -0.16999052179242813, 0.16999052179242813, 0.43056815579702629}
	gaussWeights = [4]float64{0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693}
)

const (
	panelsOfSide = 8    // applications of the rule along a whole side of the box
	maxNodes     = 4096 // places of an average
)

// footprint turns what sensors measure at a point into its average over a box or a region, or into the difference from
// its value at a reference place.
//
// To add a kind of sensor, name its keys under sensors in keys.go and turn them into a functional here: terms with
// footprints, parameters and what is known. Package posterior knows sensors only as functionals. Refuse keys that do
// not go together, and what is nonlinear if the kind cannot read it. Let measured say it in words and, if the sensors
// need no place, placeless. TestAveragesAndReferences takes a line of TOML and the reading that it should give;
// refusals_test.go has the refusals, and the list of keys. Describe the keys in reference_keys.go. Kinds of noise
// are in sensors.go.
func (s section) footprint(f system.Functional, p *system.Problem) (system.Functional, error) {
	if f.Nonlinear != nil && (s.has("average") || s.has("reference")) {
		return f, s.refuse(join(s.name, "measures"), "what is not linear cannot be averaged, or compared with a reference: make it a field, with an equation of its own")
	}
	region, err := s.averageRegion()
	if err != nil {
		return f, err
	}
	if region != "" && s.has("reference") {
		return f, s.refuse(join(s.name, "reference"), "an average over the %s has no place to be compared with another", region)
	}
	if s.has("average") {
		over, err := s.average(region, p)
		if err != nil {
			return f, err
		}
		f = averaged(f, over)
	}
	if !s.has("reference") {
		return f, nil
	}
	reference, err := s.reference(p)
	if err != nil {
		return f, err
	}
	return lessReference(f, reference), nil
}

// average reads the footprint of an average over a region or, if region is "", over a box around the sensor.
func (s section) average(region string, p *system.Problem) (*system.Footprint, error) {
	if region != "" {
		return s.regionFootprint(region, p)
	}
	sides, err := s.places("average", p)
	if err != nil {
		return nil, err
	}
	return s.boxFootprint(sides, p)
}

// reference reads the place that sensors compare with. In variables that it does not name it is where the sensor is.
func (s section) reference(p *system.Problem) (*system.Footprint, error) {
	at, err := s.places("reference", p)
	if err != nil {
		return nil, err
	}
	place := &system.Footprint{Offsets: mat.NewDense(1, len(at), nil), Fixed: make([]bool, len(at))}
	for d, x := range at {
		if math.IsNaN(x) {
			continue
		}
		if v := &p.Variables[d]; v.Outside(x) {
			return nil, s.refuse(join(s.name, "reference."+v.Name), "%g is outside [%g, %g]", x, v.Min, v.Max)
		}
		place.Offsets.Set(0, d, x)
		place.Fixed[d] = true
	}
	return place, nil
}

// measured says in words what sensors with an average or a reference measure. For others
// it returns "".
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

// places reads a table of numbers for some of the variables. The others are NaN.
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

// boxFootprint averages over a box around the sensor by the Gauss-Legendre rule. A side that is NaN has no length.
func (s section) boxFootprint(sides []float64, p *system.Problem) (*system.Footprint, error) {
	nodes, weights := [][]float64{make([]float64, len(sides))}, []float64{1}
	for d, side := range sides {
		if math.IsNaN(side) {
			continue
		}
		v := &p.Variables[d]
		whole := v.Max - v.Min
		if !(side > 0 && side <= whole*(1+boxSlack)) {
			return nil, s.refuse(join(s.name, "average."+v.Name), "found %g; a length above 0 and at most the range's, %g, is expected", side, whole)
		}
		panels := int(math.Ceil(panelsOfSide * side / whole))
		if len(nodes)*4*panels > maxNodes {
			return nil, s.refuse(join(s.name, "average"), "the average needs more than %d points; make its sides shorter", maxNodes)
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
	return &system.Footprint{Offsets: mat.NewDense(len(nodes), len(sides), slices.Concat(nodes...)), Weights: weights}, nil
}

// theDomain is the value of average for the whole domain.
const theDomain = "domain"

// averageNodes is the number of low-discrepancy points that stand for a region that is
// not a box. Their mean is off by about half a percent of the range of what is averaged.
const averageNodes = 2048

// averageRegion returns the name of the region that sensors average over. It is "" if
// they average over a box around them, or not at all.
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

// orShapes lists the names of shapes as further choices in an error.
func orShapes(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", one of the shapes " + list(names, "and")
}

// regionFootprint averages over a region of space. In time, and in the variables after it, the places are where the
// sensor is.
func (s section) regionFootprint(region string, p *system.Problem) (*system.Footprint, error) {
	d := s.placeless(p)
	if d == 0 {
		return nil, s.refuse(join(s.name, "average"), "the time is the first variable: name those of space before it")
	}
	domain := p.Domain
	if region != theDomain {
		domain = s.shapes[region]
	}
	var over *system.Footprint
	var err error
	if domain == nil {
		over, err = s.wholeBox(p, d)
	} else {
		over, err = s.spreadOver(domain, region, p, d)
	}
	if err != nil {
		return nil, err
	}
	over.Fixed = make([]bool, len(p.Variables))
	for i := range d {
		over.Fixed[i] = true
	}
	return over, nil
}

// wholeBox averages over the ranges of the first d variables.
func (s section) wholeBox(p *system.Problem, d int) (*system.Footprint, error) {
	sides := slices.Repeat([]float64{math.NaN()}, len(p.Variables))
	for i, v := range p.Variables[:d] {
		sides[i] = v.Max - v.Min
	}
	over, err := s.boxFootprint(sides, p)
	if err != nil {
		return nil, err
	}
	for k := range over.Len() {
		for i, v := range p.Variables[:d] {
			over.Offsets.Row(k)[i] += float64(0.5 * (v.Min + v.Max))
		}
	}
	return over, nil
}

// spreadOver averages over a domain in the first d variables by points spread over it.
func (s section) spreadOver(domain system.Domain, region string, p *system.Problem, d int) (*system.Footprint, error) {
	if shape, ok := domain.(system.Shape); !ok || shape.Dimensions() > d {
		return nil, s.refuse(join(s.name, "average"), "the %s changes with the time", region)
	}
	points, err := system.Collocation(p.Variables[:d], domain, averageNodes, blockSeed(s.document.seed, -1))
	if err != nil {
		return nil, s.wrong("average", fmt.Errorf("%s the %s", reason(err), region))
	}
	places := mat.NewDense(averageNodes, len(p.Variables), nil)
	places.Slice(0, averageNodes, 0, d).CopyFrom(points)
	return &system.Footprint{Offsets: places, Weights: slices.Repeat([]float64{1. / averageNodes}, averageNodes)}, nil
}

// placeless returns the number of variables, from the first, for which sensors need no
// place. For an average over a region these are the ones of space.
func (s section) placeless(p *system.Problem) int {
	if _, ok := s.values["average"].(string); !ok {
		return 0
	}
	if d := slices.IndexFunc(p.Variables, func(v system.Variable) bool { return v.Name == timeName }); d >= 0 {
		return d
	}
	return len(p.Variables)
}

// averagesFit refuses readings so close to a side of the box that their average would leave it.
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

// averaged returns the average of a functional over a footprint.
func averaged(f system.Functional, over *system.Footprint) system.Functional {
	var g system.Functional
	if slices.ContainsFunc(f.Terms, func(t system.Term) bool { return !isConstant(t.Coefficient) }) {
		// A coefficient that varies belongs in the average, so each place needs terms of its own.
		for k := range over.Len() {
			place := &system.Footprint{Offsets: over.Offsets.Slice(k, k+1, 0, over.Offsets.Cols()), Fixed: over.Fixed}
			for _, t := range f.Terms {
				t.Coefficient, t.Footprint = movedCoefficient(t.Coefficient, over.Weight(k), place), place
				g.Terms = append(g.Terms, t)
			}
		}
	} else {
		for _, t := range f.Terms {
			t.Footprint = over
			g.Terms = append(g.Terms, t)
		}
	}
	for _, t := range f.Parameters {
		if !isConstant(t.Coefficient) {
			t.Coefficient = elsewhere{{t.Coefficient, 1, over}}
		}
		g.Parameters = append(g.Parameters, t)
	}
	if g.Known = f.Known; !isConstant(f.Known) {
		g.Known = elsewhere{{f.Known, 1, over}}
	}
	return g
}

// lessReference returns a functional minus the same at a reference place. What does not
// depend on the place drops out.
func lessReference(f system.Functional, reference *system.Footprint) system.Functional {
	g := system.Functional{Terms: slices.Clone(f.Terms)}
	var from, to *system.Footprint // the last one moved: terms that share it go on sharing
	for _, t := range f.Terms {
		if to == nil || t.Footprint != from {
			from, to = t.Footprint, movedTo(reference, t.Footprint)
		}
		t.Coefficient, t.Footprint = movedCoefficient(t.Coefficient, -1, reference), to
		g.Terms = append(g.Terms, t)
	}
	for _, t := range f.Parameters {
		if !isConstant(t.Coefficient) {
			t.Coefficient = elsewhere{{t.Coefficient, 1, nil}, {t.Coefficient, -1, reference}}
			g.Parameters = append(g.Parameters, t)
		}
	}
	if !isConstant(f.Known) {
		g.Known = elsewhere{{f.Known, 1, nil}, {f.Known, -1, reference}}
	}
	return g
}

// movedTo returns a footprint with the reference place as its point.
func movedTo(reference, over *system.Footprint) *system.Footprint {
	if over == nil {
		return reference
	}
	moved := over.Clone()
	moved.Fixed = reference.Fixed
	for k := range moved.Len() {
		for d, v := range reference.Offsets.Row(0) {
			moved.Offsets.Row(k)[d] += v
		}
	}
	return moved
}

// isConstant reports whether a function has one value everywhere; nil has.
func isConstant(f system.Function) bool {
	_, ok := f.(system.Constant)
	return f == nil || ok
}

// movedCoefficient returns factor times a coefficient at another place.
func movedCoefficient(f system.Function, factor float64, place *system.Footprint) system.Function {
	if isConstant(f) {
		return system.Scaled(f, factor)
	}
	return elsewhere{{f, factor, place}}
}

// elsewhere is a sum of functions, each averaged over a footprint and multiplied by a factor.
type elsewhere []struct {
	of     system.Function
	factor float64
	over   *system.Footprint
}

// With implements system.Dependent.
func (e elsewhere) With(coefficients []float64) system.Function {
	moved := slices.Clone(e)
	for i := range moved {
		if d, ok := moved[i].of.(system.Dependent); ok {
			moved[i].of = d.With(coefficients)
		}
	}
	return moved
}

// EvalTo implements system.Function.
func (e elsewhere) EvalTo(dst []float64, points *mat.Dense) {
	clear(dst)
	values := make([]float64, len(dst))
	for _, part := range e {
		for k := range part.over.Len() {
			part.of.EvalTo(values, part.over.Places(k, points))
			mat.Axpy(part.factor*part.over.Weight(k), values, dst)
		}
	}
}
