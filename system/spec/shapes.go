package spec

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bpielm/bpielm/system"
)

// readShapes reads the named shapes in [shapes]. They appear in shape = "plate - hole" in
// [domain] and in on = "hole".
func (d *document) readShapes(variables []system.Variable) (map[string]system.Shape, error) {
	s := d.section("shapes")
	all := map[string]system.Shape{}
	for _, name := range s.inOrder(s.name, s.values) {
		if name == theBoundary {
			return nil, s.refuse(join(s.name, name), "boundary is what a condition calls the whole boundary; name it otherwise")
		}
		if err := d.scope.declare(name, "shape"); err != nil {
			return nil, s.wrong(name, err)
		}
		in := s.inner(name)
		keys := in.inOrder(in.name, in.values)
		if len(keys) != 1 {
			return nil, s.refuse(in.name, "expected one of %s, found %s", list(shapeKeys, "and"), orNone(keys))
		}
		one, err := in.shape(keys[0], variables)
		if err != nil {
			return nil, err
		}
		all[name] = system.Named{Name: name, Shape: one}
	}
	return all, nil
}

// shapeKeys lists the kinds of shapes.
var shapeKeys = []string{"ball", "box", "curve", "disk", "inside", "polygon"}

// shape reads a shape of one of the shapeKeys.
func (s section) shape(key string, variables []system.Variable) (system.Shape, error) {
	switch key {
	case "ball":
		return s.ball(variables)
	case "box":
		return s.box(variables)
	case "inside":
		shape, err := s.implicit(key, variables)
		if shape == nil && err == nil {
			err = s.refuse(join(s.name, key), "a shape does not change with the time: %q speaks of it", shorten(s.values[key].(string)))
		}
		return shape, err
	}
	if len(variables) < 2 {
		return nil, s.refuse(join(s.name, key), "a plane domain needs two variables; there is only %s", variables[0].Name)
	}
	switch key {
	case "polygon":
		return orNil(s.polygon(variables[:2]))
	case "disk":
		return orNil(s.disk())
	}
	return orNil(s.curve(variables[:2]))
}

// orNil returns a nil Shape, not a Shape that holds a nil curve, with an error.
func orNil(c *system.Curve, err error) (system.Shape, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// ball reads a center in the first variables and a radius.
func (s section) ball(variables []system.Variable) (system.Shape, error) {
	in := s.inner("ball")
	for _, key := range []string{"center", "radius"} {
		if !in.has(key) {
			return nil, s.refuse(in.name, "%s is missing: a ball is { center = [0, 0, 0], radius = 1 }", key)
		}
	}
	count := len(variables)
	if given, ok := in.values["center"].([]any); ok && len(given) > 0 {
		count = min(count, len(given))
	}
	center, err := in.numbers("center", count)
	if err != nil {
		return nil, err
	}
	radius, err := in.positive("radius", false)
	if err != nil {
		return nil, err
	}
	b, err := system.NewBall(center, radius)
	if err != nil {
		return nil, s.wrong("ball", err)
	}
	return b, nil
}

// box reads the ranges of the first variables.
func (s section) box(variables []system.Variable) (system.Shape, error) {
	in := s.inner("box")
	keys := in.inOrder(in.name, in.values)
	var low, high []float64
	for i, v := range variables {
		if !in.has(v.Name) {
			break
		}
		ends, err := in.numbers(variables[i].Name, 2)
		if err != nil {
			return nil, err
		}
		low, high = append(low, ends[0]), append(high, ends[1])
	}
	if len(keys) == 0 || len(keys) != len(low) {
		return nil, s.refuse(in.name, "a box has the ranges of the first variables, { %s = [0, 1], ... }; found %s", variables[0].Name, orNone(keys))
	}
	b, err := system.NewBlock(low, high)
	if err != nil {
		return nil, s.wrong("box", err)
	}
	return b, nil
}

// combine reads an expression of shapes: + is the union, - the difference, * the
// intersection.
func (s *scope) combine(text string, shapes map[string]system.Shape) (system.Shape, error) {
	parts, err := parse(text)
	if err != nil {
		return nil, err
	}
	if len(parts.Parts) != 1 || len(parts.Parts[0].Rest) != 0 {
		return nil, fmt.Errorf("%q is not an expression of shapes", shorten(text))
	}
	c := combiner{shapes}
	return c.sum(parts.Parts[0].First)
}

type combiner struct{ shapes map[string]system.Shape }

func (c combiner) sum(e *sum) (system.Shape, error) {
	a, err := c.product(e.First)
	for i := 0; err == nil && i < len(e.Rest); i++ {
		var b system.Shape
		if b, err = c.product(e.Rest[i].Product); err != nil {
			break
		}
		if e.Rest[i].Operator == "-" {
			a, err = system.Difference(a, b)
		} else {
			a, err = system.Union(a, b)
		}
	}
	return a, err
}

func (c combiner) product(e *product) (system.Shape, error) {
	a, err := c.factor(e.First)
	for i := 0; err == nil && i < len(e.Rest); i++ {
		if e.Rest[i].Operator != "*" {
			return nil, fmt.Errorf("shapes are combined by +, - and *, found %s", e.Rest[i].Operator)
		}
		var b system.Shape
		if b, err = c.factor(e.Rest[i].Signed); err != nil {
			break
		}
		a, err = system.Intersection(a, b)
	}
	return a, err
}

func (c combiner) factor(e *signed) (system.Shape, error) {
	if e.Power == nil || e.Power.Exponent != nil {
		return nil, fmt.Errorf("shapes are combined by +, - and * alone")
	}
	switch base := e.Power.Base; {
	case base.Group != nil:
		return c.sum(base.Group)
	case base.Number != "" || base.Call != nil:
		return nil, fmt.Errorf("a shape's name is expected, found a number or a function")
	default:
		shape, ok := c.shapes[base.Name]
		if !ok {
			names := slices.Sorted(maps.Keys(c.shapes))
			return nil, fmt.Errorf("unknown shape %s%s", shorten(base.Name), didYouMean(base.Name, names, are("shape", names)))
		}
		return shape, nil
	}
}

// checkShape refuses a shape that is empty, or lies outside the box.
func checkShape(shape system.Shape, variables []system.Variable) error {
	points, _, err := system.BoundaryPoints(shape, "", 64)
	if err != nil {
		return err
	}
	for i, v := range variables[:shape.Dimensions()] {
		low, high := math.Inf(1), math.Inf(-1)
		for r := range points.Rows() {
			low, high = math.Min(low, points.At(r, i)), math.Max(high, points.At(r, i))
		}
		if high <= v.Min || low >= v.Max {
			return fmt.Errorf("it lies outside the range of %s, [%g, %g]: it reaches from %.6g to %.6g", v.Name, v.Min, v.Max, low, high)
		}
	}
	return nil
}
