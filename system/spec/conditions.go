package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// theBoundary is what `on` says for the whole boundary of the domain.
const theBoundary = "boundary"

// readConditions reads the [[condition]] blocks with their points.
func (d *document) readConditions(f *File) error {
	for i, s := range d.sections("condition") {
		if s.has("periodic") {
			e, err := s.periodic(f.Problem, blockSeed(d.seed, len(f.Problem.Equations)+i))
			if err != nil {
				return err
			}
			f.Problem.Conditions = append(f.Problem.Conditions, e)
			continue
		}
		if s.has("of") {
			return s.refuse(join(s.name, "of"), "it belongs to periodic = \"%s\"", f.Problem.Variables[0].Name)
		}
		e := system.Equation{}
		var err error
		if e.Residual, err = s.residual("equals"); err != nil {
			return err
		}
		if e.Tolerance, err = s.positive("tolerance", true); err != nil {
			return err
		}
		// Numbered after all equations, so that no block has another's points.
		seed := blockSeed(d.seed, len(f.Problem.Equations)+i)
		if e.Points, err = s.place(f.Problem, seed); err != nil {
			return err
		}
		e.Name = s.values["on"].(string)
		if err := s.finite("equals", &e.Residual, f.Problem, e.Points); err != nil {
			return err
		}
		f.Problem.Conditions = append(f.Problem.Conditions, e)
	}
	return nil
}

// place returns the points of a condition.
func (s section) place(p *system.Problem, seed uint64) (*mat.Dense, error) {
	on, err := s.text("on")
	if err != nil {
		return nil, err
	}
	if on == "" {
		return nil, s.missing(`on = "%s = ..." or on = "boundary" is missing`, p.Variables[0].Name)
	}
	if len(p.Variables) > 1 && !s.has("points") { // in one variable, where it holds is a point
		return nil, s.missing("points is missing: the number of points at which the condition is demanded")
	}
	n, err := s.count("points", 1, 1, maxPoints)
	if err != nil {
		return nil, err
	}
	var points *mat.Dense
	if on == theBoundary {
		points, err = boundary(p, n, seed)
	} else {
		points, err = s.where(p, on, n, seed)
	}
	if err != nil {
		return nil, s.wrong("on", err)
	}
	return points, nil
}

// where returns n points at which one variable has a value.
func (s section) where(p *system.Problem, on string, n int, seed uint64) (*mat.Dense, error) {
	expected := fmt.Errorf(`expected "boundary", or a variable = a constant, as "%s = 0"; found %q`, p.Variables[0].Name, shorten(on))
	if !strings.Contains(on, "=") {
		return nil, expected
	}
	left, right, err := s.scope.equation(on)
	if err != nil {
		return nil, err
	}
	if left.operation != variable || right.mentions(variable, field, parameter) != nil {
		return nil, expected
	}
	v := p.Variables[left.index]
	value := compile(right).at(nil)
	if outside(&v, value) {
		return nil, fmt.Errorf("%s = %g is outside [%g, %g]", v.Name, value, v.Min, v.Max)
	}
	return across(p.Variables, p.Domain, left.index, value, n, seed)
}

// across returns n points of the domain at which variable number fixed has a
// value and the others range freely.
func across(variables []system.Variable, domain system.Domain, fixed int, value float64, n int, seed uint64) (*mat.Dense, error) {
	others := slices.Delete(slices.Clone(variables), fixed, fixed+1)
	if len(others) == 0 {
		return mat.NewDense(1, 1, []float64{value}), nil
	}
	whole := func(x []float64) []float64 { return slices.Insert(slices.Clone(x), fixed, value) }
	var slice system.Domain
	if domain != nil {
		slice = system.Region(func(x []float64) bool { return domain.Contains(whole(x)) })
	}
	free, err := spread(others, slice, n, seed)
	if err != nil {
		return nil, err
	}
	points := mat.NewDense(n, len(variables), nil)
	for i := range n {
		copy(points.Row(i), whole(free.Row(i)))
	}
	return points, nil
}

// boundary returns n points on the domain's boundary.
func boundary(p *system.Problem, n int, seed uint64) (*mat.Dense, error) {
	switch domain := p.Domain.(type) {
	case nil:
		return boundaryOfBox(p.Variables, n, seed)
	case *system.Curve:
		return boundaryOfCurve(p.Variables, domain, n, seed)
	}
	return nil, errors.New("the boundary of a domain that inequalities state is not known; state it as a curve, polygon or disk")
}

// boundaryOfCurve spreads the points evenly over the outline and, for each, draws
// the other variables, as time, from a low-discrepancy sequence.
func boundaryOfCurve(variables []system.Variable, outline *system.Curve, n int, seed uint64) (*mat.Dense, error) {
	plane := outline.BoundaryPoints(n)
	points := mat.NewDense(n, len(variables), nil)
	for i := range n {
		copy(points.Row(i), plane.Row(i))
		for j, v := range variables[:2] {
			if x := plane.At(i, j); outside(&v, x) {
				return nil, fmt.Errorf("the boundary leaves the box: it reaches %s = %.6g, outside [%g, %g]", v.Name, x, v.Min, v.Max)
			}
		}
	}
	if len(variables) == 2 {
		return points, nil
	}
	free, err := spread(variables[2:], nil, n, seed)
	if err != nil {
		return nil, err
	}
	for i := range n {
		copy(points.Row(i)[2:], free.Row(i))
	}
	return points, nil
}

// boundaryOfBox distributes the points over the faces in proportion to their
// area, at least one on each.
func boundaryOfBox(variables []system.Variable, n int, seed uint64) (*mat.Dense, error) {
	d := len(variables)
	if d == 1 {
		return mat.NewDense(2, 1, []float64{variables[0].Min, variables[0].Max}), nil
	}
	if n < 2*d {
		return nil, fmt.Errorf("the box has %d sides; points = %d does not put one on each", 2*d, n)
	}
	// A face's area is the volume over the side that it is perpendicular to.
	shortest := variables[0].Max - variables[0].Min
	for _, v := range variables {
		shortest = min(shortest, v.Max-v.Min)
	}
	share := make([]float64, 2*d)
	for i, v := range variables {
		share[2*i] = shortest / (v.Max - v.Min)
		share[2*i+1] = share[2*i]
	}
	data := make([]float64, 0, n*d)
	for face, count := range apportion(n, share) {
		v := variables[face/2]
		end := v.Min
		if face%2 == 1 {
			end = v.Max
		}
		points, err := across(variables, nil, face/2, end, count, seed+uint64(face))
		if err != nil {
			return nil, err
		}
		data = append(data, points.Data()...)
	}
	return mat.NewDense(n, d, data), nil
}

// apportion divides n >= len(share) things in proportion to share, at least one
// each: one after the other goes where it is missed most (D'Hondt).
func apportion(n int, share []float64) []int {
	counts := make([]int, len(share))
	for i := range counts {
		counts[i] = 1
	}
	for range n - len(share) {
		best := 0
		for i := range share {
			if share[i]/float64(counts[i]) > share[best]/float64(counts[best]) {
				best = i
			}
		}
		counts[best]++
	}
	return counts
}
