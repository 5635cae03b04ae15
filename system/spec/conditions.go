package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// theBoundary is the value of `on` for the whole boundary of the domain.
const theBoundary = "boundary"

// timeName is the name of the variable that is time. The boundary of the domain does not
// include the first and the last moment.
const timeName = "t"

// readConditions reads the [[condition]] blocks with their points.
func (d *document) readConditions(f *File) error {
	for i, s := range d.sections("condition") {
		read := s.condition
		if s.has("periodic") {
			read = s.periodic
		}
		// Conditions are numbered on from the equations, so that no two blocks have the same points.
		e, err := read(f.Problem, blockSeed(d.seed, len(f.Problem.Equations)+i))
		if err != nil {
			return err
		}
		f.Problem.Conditions = append(f.Problem.Conditions, e)
	}
	return nil
}

// condition reads a condition on a boundary or where one variable has a value.
func (s section) condition(p *system.Problem, seed uint64) (e system.Demand, err error) {
	if s.has("of") {
		return e, s.refuse(join(s.name, "of"), "it belongs to periodic = \"%s\"", p.Variables[0].Name)
	}
	if e.Points, s.scope.normal, err = s.place(p, seed); err != nil {
		return e, err
	}
	e.Residual, err = s.residual("equals")
	s.scope.normal = nil
	if err != nil {
		return e, err
	}
	if err := s.strictness(&e); err != nil {
		return e, err
	}
	e.Spread = !s.has("where")
	if e.Name = s.values["on"].(string); s.has("where") {
		e.Name += ", " + s.values["where"].(string)
	}
	return e, s.finite("equals", &e.Residual, p, e.Points)
}

// place returns the points of a condition and the normals there. The normals are nil
// where the boundary is not known, and where the points are not on it.
func (s section) place(p *system.Problem, seed uint64) (points *mat.Dense, outward *normals, err error) {
	on, err := s.text("on")
	if err != nil {
		return nil, nil, err
	}
	if on == "" {
		return nil, nil, s.missing(`on = "%s = ..." or on = "boundary" is missing`, p.Variables[0].Name)
	}
	n, err := s.conditionPoints(p)
	if err != nil {
		return nil, nil, err
	}
	if s.has("where") {
		return s.placeInPart(on, p, n, seed)
	}
	return s.placeOn(on, p, n, seed)
}

// placeOn draws n points on the boundary, on a part of it, or where a variable has a value.
func (s section) placeOn(on string, p *system.Problem, n int, seed uint64) (points *mat.Dense, outward *normals, err error) {
	switch {
	case on == theBoundary:
		points, outward, err = boundary(p, "", n, seed)
	case slices.Contains(s.parts, on):
		points, outward, err = boundary(p, on, n, seed)
	default:
		points, outward, err = s.across(p, on, n, seed)
	}
	if err != nil {
		return nil, nil, s.wrong("on", err)
	}
	return points, outward, nil
}

// placeInPart draws more and more points until n of them lie where the condition holds.
func (s section) placeInPart(on string, p *system.Problem, n int, seed uint64) (*mat.Dense, *normals, error) {
	part, err := s.inside("where")
	if err != nil {
		return nil, nil, err
	}
	for drawn := n; ; drawn *= 2 {
		points, outward, err := s.placeOn(on, p, drawn, seed)
		if err != nil {
			return nil, nil, err
		}
		kept := contained(points, part, n)
		// The ends of an interval are fewer than were asked for, and no more can be had.
		last := drawn >= sparsest*n || drawn > maxPoints/2 || points.Rows() < drawn
		switch {
		case kept.Rows() == 0 && last:
			return nil, nil, s.refuse(join(s.name, "where"), "none of %d points on %s lies there", points.Rows(), on)
		case kept.Rows() == n || last:
			return kept, outward, nil
		}
	}
}

// sparsest limits the points drawn to find some in a part, as a multiple of those wanted.
const sparsest = 64

// contained returns the first n of the points that lie in a part, or all of them if there are fewer.
func contained(points *mat.Dense, part system.Domain, n int) *mat.Dense {
	var data []float64
	for i := range points.Rows() {
		if x := points.Row(i); part.Contains(x) && len(data) < n*len(x) {
			data = append(data, x...)
		}
	}
	return mat.NewDense(len(data)/points.Cols(), points.Cols(), data)
}

// conditionPoints returns the number of points of a condition. With one variable a condition holds at one
// point.
func (s section) conditionPoints(p *system.Problem) (int, error) {
	n := 1
	for range len(p.Variables) - 1 {
		n = min(40*n, 200)
	}
	if d := s.document; d.cells != nil && n > 1 { // a patch has as many on its side as the box has otherwise, or half
		n = min(n*((slices.Max(d.cells)+1)/2), maxPoints)
	}
	if s.values["points"] != "auto" {
		var err error
		if n, err = s.count("points", n, 1, maxPoints); err != nil {
			return 0, err
		}
	}
	return n, s.take("points", n)
}

// across reads variable = constant, and returns n points there.
func (s section) across(p *system.Problem, on string, n int, seed uint64) (*mat.Dense, *normals, error) {
	expected := fmt.Errorf(`expected "boundary", or a variable = a constant, as "%s = 0"; found %q`, p.Variables[0].Name, shorten(on))
	if len(s.parts) > 0 {
		expected = fmt.Errorf(`expected "boundary", one of the shapes %s, or a variable = a constant, as "%s = 0"; found %q`, list(s.parts, "and"), p.Variables[0].Name, shorten(on))
	}
	if !strings.Contains(on, "=") {
		return nil, nil, expected
	}
	left, right, err := s.scope.equation(on)
	if err != nil {
		return nil, nil, err
	}
	if left.operation != variable || right.mentions(variable, field, parameter) != nil {
		return nil, nil, expected
	}
	if c := right.mentions(coefficient); c != nil {
		return nil, nil, fmt.Errorf("%s is unknown; where a condition holds must be known", c.name)
	}
	v := p.Variables[left.index]
	value := compile(right).at(nil)
	if v.Outside(value) {
		return nil, nil, fmt.Errorf("%s = %g is outside [%g, %g]", v.Name, value, v.Min, v.Max)
	}
	points, err := across(p.Variables, p.Domain, left.index, value, n, seed)
	return points, sideOfBox(p.Variables, left.index, value), err
}

// sideOfBox returns the normal at an end of a variable's range, and nil elsewhere.
func sideOfBox(variables []system.Variable, fixed int, value float64) *normals {
	everywhere := make([]float64, len(variables))
	switch value {
	case variables[fixed].Min:
		everywhere[fixed] = -1
	case variables[fixed].Max:
		everywhere[fixed] = 1
	default:
		return nil
	}
	return &normals{everywhere: everywhere, dimensions: len(variables)}
}

// across returns n points of the domain at which variable number fixed has the given
// value.
func across(variables []system.Variable, domain system.Domain, fixed int, value float64, n int, seed uint64) (*mat.Dense, error) {
	others := slices.Delete(slices.Clone(variables), fixed, fixed+1)
	if len(others) == 0 {
		return mat.NewDense(1, 1, []float64{value}), nil
	}
	whole := func(x []float64) []float64 { return append(append(slices.Clone(x[:fixed]), value), x[fixed:]...) }
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

// boundary returns n points on the domain's boundary, or on the part of it that belongs to the
// shape of the given name, and the normals there.
func boundary(p *system.Problem, part string, n int, seed uint64) (*mat.Dense, *normals, error) {
	switch domain := p.Domain.(type) {
	case nil:
		return boundaryOfBox(p.Variables, n, seed)
	case *system.Curve:
		points, outward := domain.Boundary(n)
		return throughOthers(p.Variables, points, outward, seed)
	case system.Shape:
		if len(p.Variables) == 1 { // all the points there are
			points, outward, err := endPoints(domain, part)
			if err != nil {
				return nil, nil, err
			}
			return points, newNormals(points, outward), nil
		}
		points, outward, err := system.BoundaryPoints(domain, part, n)
		if err != nil {
			return nil, nil, err
		}
		return throughOthers(p.Variables, points, outward, seed)
	}
	return nil, nil, errors.New("the boundary of a domain that changes with the time is not known")
}

// endPoints returns the ends of a shape in one variable, each once.
func endPoints(shape system.Shape, part string) (points, outward *mat.Dense, err error) {
	const many = 1024
	all, normals, err := system.BoundaryPoints(shape, part, many)
	if err != nil {
		return nil, nil, err
	}
	n := 1 // then they repeat
	for n < many && all.At(n, 0) != all.At(0, 0) {
		n++
	}
	return all.Slice(0, n, 0, 1), normals.Slice(0, n, 0, 1), nil
}

// throughOthers completes points in the first variables: the others, such as time, get
// values from a low-discrepancy sequence.
func throughOthers(variables []system.Variable, some, outward *mat.Dense, seed uint64) (*mat.Dense, *normals, error) {
	n, d := some.Dims()
	points := mat.NewDense(n, len(variables), nil)
	for i := range n {
		copy(points.Row(i), some.Row(i))
		for j, v := range variables[:d] {
			if x := some.At(i, j); v.Outside(x) {
				return nil, nil, fmt.Errorf("the boundary leaves the box: it reaches %s = %.6g, outside [%g, %g]", v.Name, x, v.Min, v.Max)
			}
		}
	}
	if len(variables) > d {
		free, err := spread(variables[d:], nil, n, seed)
		if err != nil {
			return nil, nil, err
		}
		for i := range n {
			copy(points.Row(i)[d:], free.Row(i))
		}
	}
	return points, newNormals(points, outward), nil
}

// boundaryOfBox distributes n points over the faces in proportion to their area, at
// least one on each.
func boundaryOfBox(variables []system.Variable, n int, seed uint64) (*mat.Dense, *normals, error) {
	d := len(variables)
	if d == 1 {
		points := mat.NewDense(2, 1, []float64{variables[0].Min, variables[0].Max})
		return points, newNormals(points, mat.NewDense(2, 1, []float64{-1, 1})), nil
	}
	var faces []int // two for each variable except time, whose ends are not boundary
	for i, v := range variables {
		if v.Name != timeName {
			faces = append(faces, 2*i, 2*i+1)
		}
	}
	if n < len(faces) {
		return nil, nil, fmt.Errorf("the box has %d sides; points = %d does not put one on each", len(faces), n)
	}
	// The area of a face is the volume over the side perpendicular to it.
	shortest := variables[0].Side()
	for _, v := range variables {
		shortest = min(shortest, v.Side())
	}
	share := make([]float64, len(faces))
	for i, face := range faces {
		v := variables[face/2]
		share[i] = shortest / v.Side()
	}
	data := make([]float64, 0, n*d)
	outward := mat.NewDense(n, d, nil)
	for i, count := range apportion(n, share) {
		face := faces[i]
		v := variables[face/2]
		end, sign := v.Min, -1.0
		if face%2 == 1 {
			end, sign = v.Max, 1
		}
		points, err := across(variables, nil, face/2, end, count, seed+uint64(face))
		if err != nil {
			return nil, nil, err
		}
		for i := range count {
			outward.Set(len(data)/d+i, face/2, sign)
		}
		data = append(data, points.Data()...)
	}
	all := mat.NewDense(n, d, data)
	return all, newNormals(all, outward), nil
}

// apportion divides n >= len(share) things in proportion to share, at least one to
// each, by the D'Hondt method: the next goes where share/count is largest.
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
