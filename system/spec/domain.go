package spec

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bpielm/bpielm/system"
)

// curveCorners is the number of corners of the polygon that stands for a curve.
const curveCorners = 4096

// readDomain reads the sections [shapes] and [domain]. Without them the domain is
// the box.
func (d *document) readDomain(f *File) (err error) {
	shapes, err := d.readShapes(f.Problem.Variables)
	if err != nil {
		return err
	}
	s := d.section("domain")
	key, err := s.domainKey(len(shapes) > 0)
	if err != nil || key == "" {
		return err
	}
	switch key {
	case "inside":
		shape, err := s.implicit("inside", f.Problem.Variables)
		if shape == nil && err == nil {
			f.Problem.Domain, err = s.inside("inside")
			return err
		}
		f.Problem.Domain = shape
		return err
	case "shape":
		return s.combination(f, shapes)
	}
	whole, err := s.shape(key, f.Problem.Variables)
	if err != nil {
		return err
	}
	f.Problem.Domain = whole
	return nil
}

// domainKey returns the key that states the domain, or "" without the section.
func (s section) domainKey(shapes bool) (string, error) {
	kinds := append([]string{"shape"}, shapeKeys...)
	slices.Sort(kinds)
	var given []string
	for _, key := range []string{"curve", "polygon", "inside", "disk", "ball", "box", "shape"} {
		if s.has(key) {
			given = append(given, key)
		}
	}
	switch {
	case len(given) == 1:
		return given[0], nil
	case len(given) > 1:
		return "", s.refuse(join("domain", given[1]), "a domain is one of %s; found %s", list(kinds, "and"), list(given, "and"))
	case s.root["domain"] != nil:
		return "", s.missing("one of %s is needed; without the section the domain is the whole box", list(kinds, "and"))
	case shapes:
		return "", s.refuse("shapes", "nothing uses them: [domain] with shape = \"...\" is missing")
	}
	return "", nil
}

// combination reads an expression of shapes as the domain.
func (s section) combination(f *File, shapes map[string]system.Shape) error {
	text, err := s.text("shape")
	if err != nil {
		return err
	}
	whole, err := s.scope.combine(text, shapes)
	if err == nil {
		err = checkShape(whole, f.Problem.Variables)
	}
	if err != nil {
		return s.wrong("shape", err)
	}
	f.Problem.Domain, f.Shape = whole, text
	s.parts, s.shapes = slices.Sorted(maps.Keys(shapes)), shapes
	return nil
}

// inside reads the inequalities under a key as a region. Its boundary is not known.
func (s section) inside(key string) (system.Domain, error) {
	all, err := s.region(key)
	if err != nil {
		return nil, err
	}
	return system.Region(all.contain), nil
}

// implicit reads the inequalities under a key as a shape in the variables before time. It
// returns nil if they contain time or a later variable.
func (s section) implicit(key string, variables []system.Variable) (system.Shape, error) {
	all, err := s.region(key)
	if err != nil {
		return nil, err
	}
	space := slices.IndexFunc(variables, func(v system.Variable) bool { return v.Name == timeName })
	if space < 0 {
		space = len(variables)
	}
	var levels []func(x []float64) float64
	for _, side := range all {
		if side.last >= space {
			return nil, nil
		}
		levels = append(levels, func(x []float64) float64 { return side.lesser.at(x) - side.greater.at(x) })
	}
	shape, err := system.NewImplicit(variables[:space], all.contain, levels...)
	if err != nil {
		return nil, s.wrong(key, err)
	}
	return shape, nil
}

// compiledInequalities must all hold.
type compiledInequalities []struct {
	lesser, greater *program
	orEqual         bool
	last            int // index of the last variable in it, or -1
}

func (all compiledInequalities) contain(x []float64) bool {
	for i := range all {
		a, b := all[i].lesser.at(x), all[i].greater.at(x)
		// A node of a grid may be off by a rounding error.
		if !(a < b || all[i].orEqual && a-b <= equalSlack*math.Max(math.Abs(a), math.Abs(b))) {
			return false
		}
	}
	return true
}

// region reads the inequalities under a key.
func (s section) region(key string) (compiledInequalities, error) {
	text, err := s.text(key)
	if err != nil {
		return nil, err
	}
	all, err := s.scope.inequalities(text)
	if err != nil {
		return nil, s.wrong(key, err)
	}
	compiled := make(compiledInequalities, len(all))
	varies := false
	for k, i := range all {
		c := &compiled[k]
		c.orEqual, c.last = i.orEqual, -1
		for _, side := range []*node{i.lesser, i.greater} {
			if err := onlyKnown(side); err != nil {
				return nil, s.wrong(key, err)
			}
			c.last = max(c.last, side.lastVariable())
		}
		c.lesser, c.greater = compile(i.lesser), compile(i.greater)
		varies = varies || c.last >= 0
	}
	if !varies {
		return nil, s.wrong(key, fmt.Errorf("%q does not depend on a variable", shorten(text)))
	}
	return compiled, nil
}

// equalSlack is the relative difference up to which the two sides of <= or >= count as equal.
const equalSlack = 1e-12

// curve reads a closed curve: the range of a parameter, under any name, and the first
// two variables as functions of it.
func (s section) curve(variables []system.Variable) (*system.Curve, error) {
	in := s.inner("curve")
	keys := s.inOrder(in.name, in.values)
	names := []string{variables[0].Name, variables[1].Name}
	var parameter string
	for _, key := range keys {
		if !slices.Contains(names, key) {
			parameter = key
		}
	}
	if len(keys) != 3 || !in.has(names[0]) || !in.has(names[1]) {
		return nil, s.refuse(in.name, "expected three keys, { t = [from, to], %s = \"...\", %s = \"...\" }, found %s", names[0], names[1], orNone(keys))
	}
	inner := newScope()
	for name, v := range s.scope.constants {
		inner.constants[name], inner.declared[name] = v, s.scope.declared[name]
	}
	if err := inner.declare(parameter, "variable"); err != nil {
		return nil, in.wrong(parameter, err)
	}
	inner.variables = []string{parameter}
	ends, err := in.numbers(parameter, 2)
	if err != nil {
		return nil, err
	}
	if !(ends[0] < ends[1]) {
		return nil, in.wrong(parameter, fmt.Errorf("[%g, %g] is not a range; the first end must be below the second", ends[0], ends[1]))
	}
	var coordinates [2]func(float64) float64
	for i, name := range names {
		text, err := in.formula(name)
		if err != nil {
			return nil, err
		}
		n, err := inner.known(text)
		if err != nil {
			return nil, in.wrong(name, err)
		}
		coordinates[i] = alongCurve(compile(n))
	}
	return s.closed("curve", coordinates[0], coordinates[1], ends[0], ends[1])
}

func alongCurve(p *program) func(float64) float64 {
	return func(t float64) float64 { return p.at([]float64{t}) }
}

// closed samples a parametric curve.
func (s section) closed(key string, x, y func(float64) float64, from, to float64) (*system.Curve, error) {
	c, err := system.ParametricCurve(x, y, from, to, curveCorners)
	if err != nil {
		return nil, s.wrong(key, err)
	}
	return c, nil
}

func orNone(keys []string) string {
	if len(keys) == 0 {
		return "none"
	}
	return list(keys, "and")
}

// disk reads a centre and a radius.
func (s section) disk() (*system.Curve, error) {
	in := s.inner("disk")
	for _, key := range []string{"center", "radius"} {
		if !in.has(key) {
			return nil, s.refuse(in.name, "%s is missing: a disk is { center = [0, 0], radius = 1 }", key)
		}
	}
	center, err := in.numbers("center", 2)
	if err != nil {
		return nil, err
	}
	radius, err := in.positive("radius", false)
	if err != nil {
		return nil, err
	}
	around := func(center float64, f string) func(float64) float64 {
		return func(t float64) float64 { return center + float64(radius*functions[f].one(t)) }
	}
	return s.closed("disk", around(center[0], "cos"), around(center[1], "sin"), 0, 2*mathematical["pi"])
}

// polygon reads corners from a CSV file with columns for the first two variables.
func (s section) polygon(variables []system.Variable) (*system.Curve, error) {
	name, err := s.text("polygon")
	if err != nil {
		return nil, err
	}
	corners, err := s.readPoints(s.file(name), variables, false)
	if err != nil {
		return nil, s.fromFile("polygon", name, err)
	}
	n := corners.Rows()
	if n > 1 && slices.Equal(corners.Row(0), corners.Row(n-1)) {
		n-- // the file repeats the first corner to close the polygon
	}
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = corners.At(i, 0), corners.At(i, 1)
	}
	c, err := system.NewCurve(x, y)
	if err != nil {
		return nil, s.wrong("polygon", fmt.Errorf("%s: %s", shorten(name), reason(err)))
	}
	return c, nil
}
