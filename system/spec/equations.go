package spec

import (
	"errors"
	"fmt"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// readEquations reads the [[equation]] blocks with their collocation points.
func (d *document) readEquations(f *File) error {
	blocks := d.sections("equation")
	if len(blocks) == 0 {
		return d.refuse("equation", `at least one [[equation]] is needed, with pde = "..."`)
	}
	for i, s := range blocks {
		e := system.Demand{}
		var err error
		if e.Residual, err = s.residual("pde"); err != nil {
			return err
		}
		if err := s.strictness(&e); err != nil {
			return err
		}
		if e.Points, e.Spare, err = s.collocation(f.Problem, i); err != nil {
			return err
		}
		e.Spread = !s.has("where") && !s.has("grid") && !s.has("file")
		if e.Refine, err = s.count("refine", 0, 1, maxRefine); err != nil {
			return err
		}
		if e.Refine > 0 {
			if e.Candidates, err = s.candidates(f.Problem, e.Refine, i); err != nil {
				return err
			}
		}
		if e.Name, err = s.text("where"); err != nil {
			return err
		}
		if err := s.finite("pde", &e.Residual, f.Problem, e.Points); err != nil {
			return err
		}
		f.Problem.Equations = append(f.Problem.Equations, e)
	}
	return nil
}

// strictness reads how far a demand may be missed: at most one of tolerance, sd and
// exact.
func (s section) strictness(e *system.Demand) (err error) {
	var given []string
	for _, key := range []string{"tolerance", "sd", "exact"} {
		if s.has(key) {
			given = append(given, key)
		}
	}
	if len(given) > 1 {
		return s.refuse(join(s.name, given[1]), "%s is given, too; one of tolerance (relative), sd (in the units of the equation) and exact says how far it may be missed", given[0])
	}
	if e.Tolerance, err = s.positive("tolerance", true); err != nil {
		return err
	}
	if e.SD, err = s.deviation("sd"); err != nil {
		return err
	}
	if v, ok := s.values["exact"]; ok {
		if e.Exact, ok = v.(bool); !ok {
			return s.refuse(join(s.name, "exact"), "expected true or false, found %s", describe(v))
		}
	}
	return nil
}

// residual reads an equation, which must be linear in the unknowns and have at least one.
func (s section) residual(key string) (system.Functional, error) {
	text, err := s.text(key)
	if err != nil {
		return system.Functional{}, err
	}
	if text == "" {
		return system.Functional{}, s.missing(`%s = "left = right" is missing`, key)
	}
	left, right, err := s.scope.equation(text)
	if err != nil {
		return system.Functional{}, s.wrong(key, err)
	}
	whole := operate(subtraction, left, right)
	f, err := s.linear(key, text, whole)
	if err == nil {
		s.remark(key, whole)
	}
	return f, err
}

// linear splits an expression into coefficients times unknowns. It must have at least one unknown.
func (s section) linear(key, text string, n *node) (system.Functional, error) {
	a, err := split(n)
	var not *notLinear
	if errors.As(err, &not) {
		if s.document.curved {
			f, err := s.scope.nonlinear(n)
			if err != nil {
				return f, s.wrong(key, err)
			}
			return f, nil
		}
		if not.held == "" {
			return system.Functional{}, curved{}
		}
	}
	if err == nil && a.size() > maxExpanded {
		err = fmt.Errorf("%q has more than %d parts when its products are expanded", shorten(text), maxExpanded)
	}
	if not != nil {
		return system.Functional{}, &holding{not.held, s.wrong(key, err)}
	}
	if err != nil {
		return system.Functional{}, s.wrong(key, err)
	}
	f := a.functional()
	if len(f.Terms) == 0 && len(f.Parameters) == 0 {
		unknowns := s.scope.fields
		return f, s.wrong(key, fmt.Errorf("%q contains no unknown; %s %s", shorten(text), are("field", unknowns), list(unknowns, "and")))
	}
	return f, nil
}

// sparePoints is the number of points of an equation that does not state it: as many as
// the largest layers need.
const sparePoints = 2000

// patchPoints is the number of points that layers with patches need; 0 without patches.
func (d *document) patchPoints(p *system.Problem) int {
	if d.cells == nil {
		return 0
	}
	neurons := d.each
	if neurons == 0 {
		neurons = system.NeuronsOfPatch(len(p.Variables))
	}
	for _, n := range d.cells {
		neurons = min(neurons*n, maxPoints)
	}
	return min(p.PointsFor(neurons), maxPoints)
}

// collocation returns the points of an equation: a stated number of them, a grid, or those
// of a file. If nothing is stated, it returns more than are needed, and spare is true.
func (s section) collocation(p *system.Problem, block int) (points *mat.Dense, spare bool, err error) {
	var given []string
	for _, key := range []string{"points", "grid", "file"} {
		if s.has(key) && s.values[key] != "auto" {
			given = append(given, key)
		}
	}
	if p, err = s.part(p); err != nil {
		return nil, false, err
	}
	if len(given) > 1 {
		return nil, false, s.missing("an equation has one of points = 400, grid = [..] and file = \"...\" to say where it is demanded; found %s", orNone(given))
	}
	n := max(sparePoints, s.document.patchPoints(p))
	switch {
	case len(given) == 0:
		spare = true
	case given[0] == "grid":
		points, err = s.gridPoints(p)
		return points, false, err
	case given[0] == "file":
		points, err = s.filePoints(p)
		return points, false, err
	default:
		if n, err = s.count("points", 0, 1, maxPoints); err != nil {
			return nil, false, err
		}
	}
	if err := s.take("points", n); err != nil {
		return nil, false, err
	}
	if points, err = spread(p.Variables, p.Domain, n, blockSeed(s.document.seed, block)); err != nil && s.has("where") {
		return nil, false, s.wrong("where", fmt.Errorf("%w where the equation holds; file = \"...\" can give its points", err))
	} else if err != nil {
		return nil, false, s.wrong("points", err)
	}
	return points, spare, nil
}

// part returns the problem with only that part of the domain where the equation holds.
func (s section) part(p *system.Problem) (*system.Problem, error) {
	if !s.has("where") {
		return p, nil
	}
	part, err := s.inside("where")
	if err != nil {
		return nil, err
	}
	whole := p.Domain
	return &system.Problem{Variables: p.Variables, Domain: system.Region(func(x []float64) bool {
		return part.Contains(x) && (whole == nil || whole.Contains(x))
	})}, nil
}

const (
	maxRefine = 10_000 // extra points
	// candidatesPerPoint is the number of candidates for each extra point.
	candidatesPerPoint = 20
)

// candidates returns the places among which n extra points are chosen. They come from
// another sequence than the equation's own points.
func (s section) candidates(p *system.Problem, n, block int) (*mat.Dense, error) {
	p, err := s.part(p)
	if err != nil {
		return nil, err
	}
	if err := s.take("refine", candidatesPerPoint, n); err != nil {
		return nil, err
	}
	points, err := spread(p.Variables, p.Domain, candidatesPerPoint*n, blockSeed(s.document.seed, block)+1)
	if err != nil {
		return nil, s.wrong("refine", err)
	}
	return points, nil
}

// spread returns n points of a domain.
func spread(variables []system.Variable, domain system.Domain, n int, seed uint64) (*mat.Dense, error) {
	points, err := system.Collocation(variables, domain, n, seed)
	if err != nil {
		return nil, fmt.Errorf("%s the domain", reason(err)) // "only 0 of 4000 points drawn in the box lie inside"
	}
	return points, nil
}

func (s section) gridPoints(p *system.Problem) (*mat.Dense, error) {
	counts, err := s.counts("grid", len(p.Variables), maxPoints)
	if err != nil {
		return nil, err
	}
	if err := s.take("grid", counts...); err != nil {
		return nil, err
	}
	points := system.Grid(p.Variables, p.Domain, counts)
	if points.Rows() == 0 {
		return nil, s.wrong("grid", fmt.Errorf("no point of the grid lies in the domain"))
	}
	return points, nil
}

func (s section) filePoints(p *system.Problem) (*mat.Dense, error) {
	name, err := s.text("file")
	if err != nil {
		return nil, err
	}
	points, err := s.readPoints(s.file(name), p.Variables, true)
	if err != nil {
		return nil, s.fromFile("file", name, err)
	}
	if n := points.Rows() - len(p.Inside(points)); n > 0 && s.has("where") {
		return nil, s.refuse(join(s.name, "where"), "%d of the %d points in %s do not lie there", n, points.Rows(), shorten(name))
	}
	return points, nil
}

// blockSeed returns a seed for the points of a block. No two blocks share a sequence, and
// none has that of the neurons.
func blockSeed(seed uint64, block int) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return seed + golden*uint64(block+1)
}
