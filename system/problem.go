package system

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
)

// Variable is an independent variable and its range. The ranges of all
// variables form the bounding box of the problem. Neurons are drawn in
// coordinates that map this box to [-1, 1] in every variable.
type Variable struct {
	Name     string
	Min, Max float64
	// Log makes the axis logarithmic: neurons and points are spread evenly over the
	// logarithm of the variable. Min must be positive. Points, coefficients and derivatives
	// are still in the variable itself.
	Log bool `json:",omitempty"`

	// Unit and Label are for people: pictures and tables show them.
	Unit  string `json:",omitempty"`
	Label string `json:",omitempty"`
	// Start is the moment at which a time is 0, such as 2024-05-01 or 2024-05-01T00:00+02:00,
	// for readings with dates. It needs a Unit: see package readings.
	Start string `json:",omitempty"`
}

// Axis returns how pictures and tables name the variable: its label, or else its name, with
// the unit in parentheses.
func (v Variable) Axis() string {
	text := v.Label
	if text == "" {
		text = v.Name
	}
	if v.Unit != "" {
		text += " (" + v.Unit + ")"
	}
	return text
}

// At returns the value at a fraction of the way from Min to Max. On a logarithmic axis the
// fraction is one of the logarithm's range.
func (v Variable) At(share float64) float64 {
	if v.Log {
		return v.Min * mat.Exp(share*v.Side())
	}
	return v.Min + float64((v.Max-v.Min)*share)
}

// Share is the inverse of At.
func (v Variable) Share(x float64) float64 {
	if v.Log {
		return mat.Log(x/v.Min) / v.Side()
	}
	return (x - v.Min) / v.Side()
}

// Apart returns the distance between two values as a fraction of the range, with the sign of a - b.
func (v Variable) Apart(a, b float64) float64 {
	if v.Log {
		return mat.Log(a/b) / v.Side()
	}
	return (a - b) / v.Side()
}

// Side returns the length of the range in the coordinate in which neurons are drawn. On a logarithmic
// axis this is the range of the logarithm.
func (v Variable) Side() float64 {
	if v.Log {
		return mat.Log(v.Max / v.Min)
	}
	return v.Max - v.Min
}

// Outside reports whether a value is out of range, with some slack for the rounding of written decimals.
func (v Variable) Outside(x float64) bool {
	if v.Log && !(x > 0) {
		return true
	}
	share := v.Share(x)
	return !(share >= -boxSlack && share <= 1+boxSlack)
}

// Parameter is an unknown number that enters the problem linearly, as the
// paper's lambda (eq_pde_inverse_f): the strength of a source, the offset of a
// gauge. SD > 0 states a Gaussian prior with the given Mean. SD = 0 gives it a
// wide prior about 0, under which its term may be a hundred times the largest other term.
type Parameter struct {
	Name     string
	Mean, SD float64
}

// Sensors is a group of readings of one kind with one noise level: Values[i] is
// Measures at row i of Points (n x variables) plus Gaussian noise. Sigma is the
// standard deviation of the noise: one number for the group, one per reading, or
// nil if it is learned from the readings.
type Sensors struct {
	Name     string
	Measures Functional
	Points   *mat.Dense
	Values   []float64
	Sigma    []float64

	// Group, if not "", says that all Sensors of the same Group share one noise level,
	// which is learned.
	Group string
	// Student gives the noise the heavier tails of Student's t distribution, for readings
	// of which some may be grossly wrong. Sigma is then its scale, and Freedom its degrees
	// of freedom, or 0 if these are learned.
	Student bool
	Freedom float64

	// Layout says how the table of the readings was laid out, for those who read more of them.
	Layout Layout
}

// Problem is a linear PDE problem with sensors. It is plain data: build it and
// Validate it. Do not change it while it is being solved.
type Problem struct {
	Variables []Variable
	Domain    Domain // nil: the whole box
	Fields    []string
	// Over says which variables each field depends on: field i depends on variable d if Over[i][d],
	// and then has neurons of its own. If Over or Over[i] is nil, it depends on all of them. The heat
	// flux through a wall depends on time alone, a steady source on position alone.
	Over [][]bool
	// Sizes say by how much each field varies over the domain, in its own units. For 0, or a nil
	// slice, this is inferred from readings, known sources and conditions.
	Sizes []float64
	// Where says where each field exists, if only in a layer of the domain; nil, or an element that is
	// nil: everywhere. It changes no answer: a verdict does not judge a field where it does not exist.
	Where      []Domain
	Parameters []Parameter
	// Coefficients are unknown numbers on which functions may depend in any way; see Dependent.
	Coefficients []Coefficient
	Equations    []Demand
	Conditions   []Demand // known boundary and initial conditions
	Sensors      []Sensors
}

// An equation with spare points uses rowsPerColumn of them for each column of the layer, and at least
// fewestPoints.
const (
	rowsPerColumn = 2
	fewestPoints  = 100
)

// PointsFor returns how many points its equations need together with a layer of the given number of neurons.
func (p *Problem) PointsFor(neurons int) int { return rowsPerColumn * p.Columns(neurons) }

// ForNeurons returns the problem with as many of its spare points as a layer of the given number of
// neurons needs: twice as many rows as columns.
func (p *Problem) ForNeurons(neurons int) *Problem {
	spare := false
	for i := range p.Equations {
		spare = spare || p.Equations[i].Spare
	}
	if !spare {
		return p
	}
	q := *p
	q.Equations = append([]Demand(nil), p.Equations...)
	n := max(fewestPoints, p.PointsFor(neurons)/len(p.Equations))
	for i := range q.Equations {
		if e := &q.Equations[i]; e.Spare {
			rows, columns := e.Points.Dims()
			e.Points = e.Points.Slice(0, min(n, rows), 0, columns)
			e.Spare = false
		}
	}
	return &q
}

// DerivativeName writes the derivative in a term as a problem file does: u, u_x, u_xt. A term with a
// footprint also says where: u(x + 1).
func (p *Problem) DerivativeName(t *Term) string {
	name, mark := p.Fields[t.Field], "_"
	for i, order := range t.Derivative {
		if order > 0 {
			name += mark + strings.Repeat(p.Variables[i].Name, order)
			mark = ""
		}
	}
	if t.Footprint != nil {
		name += t.Footprint.describe(p.Variables)
	}
	return name
}

// ProblemError says which part of a Problem is unusable and why.
type ProblemError struct {
	Where string // e.g. `sensors "boundary.csv", reading 3`
	Why   string
}

func (e *ProblemError) Error() string { return e.Where + ": " + e.Why }

func wrong(where, format string, args ...any) error {
	return &ProblemError{Where: where, Why: fmt.Sprintf(format, args...)}
}

// Readings returns the number of sensor readings over all groups.
func (p *Problem) Readings() int {
	n := 0
	for i := range p.Sensors {
		n += len(p.Sensors[i].Values)
	}
	return n
}

// Validate reports the first inconsistency as a *ProblemError: shapes that do
// not fit, indices out of range, values that are not finite, points outside
// the box, no readings at all.
func (p *Problem) Validate() error {
	if p == nil {
		return &ProblemError{Where: "problem", Why: "it is nil"}
	}
	if err := p.validateVariables(); err != nil {
		return err
	}
	if err := p.validateUnknowns(); err != nil {
		return err
	}
	if len(p.Equations) == 0 {
		return wrong("equations", "a problem needs at least one equation")
	}
	for label, e := range p.Demands() {
		if err := p.validateDemand(label.String(), e); err != nil {
			return err
		}
		if label.Kind == Equations && e.Exact {
			return wrong(label.String(), "only conditions can be exact")
		}
	}
	if p.Readings() == 0 {
		return wrong("sensors", "there are no readings; at least one is needed")
	}
	for i := range p.Sensors {
		if err := p.validateSensors(i); err != nil {
			return err
		}
	}
	return nil
}

func (p *Problem) validateVariables() error {
	if len(p.Variables) == 0 {
		return wrong("variables", "a problem needs at least one independent variable")
	}
	for _, v := range p.Variables {
		if !finite(v.Min) || !finite(v.Max) || !(v.Min < v.Max) || !finite(v.Max-v.Min) {
			return wrong(fmt.Sprintf("variable %q", v.Name), "the range [%g, %g] is not an interval", v.Min, v.Max)
		}
		if v.Log && !(v.Min > 0 && finite(v.Max/v.Min)) {
			return wrong(fmt.Sprintf("variable %q", v.Name), "the range [%g, %g] cannot be logarithmic; its lower end must be positive, and not too close to 0", v.Min, v.Max)
		}
	}
	return nil
}

// validateUnknowns checks fields, parameters and coefficients.
func (p *Problem) validateUnknowns() error {
	if len(p.Fields) == 0 {
		return wrong("fields", "a problem needs at least one unknown field")
	}
	if err := p.ValidateOver(); err != nil {
		return err
	}
	if n := len(p.Sizes); n > 0 && n != len(p.Fields) {
		return wrong("sizes", "there are %d for %d fields", n, len(p.Fields))
	}
	for i, v := range p.Sizes {
		if !finite(v) || v < 0 {
			return wrong(fmt.Sprintf("size of %q", p.Fields[i]), "%g is not a number of at least 0", v)
		}
	}
	if n := len(p.Where); n > 0 && n != len(p.Fields) {
		return wrong("fields", "it is stated where %d exist, of %d", n, len(p.Fields))
	}
	for _, q := range p.Parameters {
		if !finite(q.Mean) || !finite(q.SD) || q.SD < 0 {
			return wrong(fmt.Sprintf("parameter %q", q.Name), "prior mean %g and sd %g must be finite and sd at least 0", q.Mean, q.SD)
		}
	}
	for i := range p.Coefficients {
		if err := p.Coefficients[i].Validate(); err != nil {
			return err
		}
	}
	return nil
}

// ValidateOver reports a field for which Over has the wrong number of variables, or names none, as a *ProblemError.
func (p *Problem) ValidateOver() error {
	if n := len(p.Over); n > 0 && n != len(p.Fields) {
		return wrong("fields", "the variables of %d are stated, of %d fields", n, len(p.Fields))
	}
	for i, over := range p.Over {
		if over != nil && (len(over) != len(p.Variables) || !slices.Contains(over, true)) {
			return wrong(fmt.Sprintf("field %q", p.Fields[i]), "it must be a function of at least one of the %d variables", len(p.Variables))
		}
	}
	return nil
}

// DependsOn reports whether field i is a function of variable d.
func (p *Problem) DependsOn(i, d int) bool {
	return i >= len(p.Over) || p.Over[i] == nil || p.Over[i][d]
}

func (p *Problem) validateDemand(where string, e *Demand) error {
	if e.Residual.isEmpty() {
		return wrong(where, "it contains no unknown field and no parameter")
	}
	if err := p.ValidateFunctional(where, &e.Residual); err != nil {
		return err
	}
	if e.Points == nil || e.Points.Rows() == 0 {
		return wrong(where, "it has no points")
	}
	if !finite(e.Tolerance) || e.Tolerance < 0 {
		return wrong(where, "tolerance %g is not a number of at least 0", e.Tolerance)
	}
	if !finite(e.SD) || e.SD < 0 {
		return wrong(where, "sd %g is not a number of at least 0", e.SD)
	}
	if e.Tolerance > 0 && e.SD > 0 || e.Exact && (e.Tolerance > 0 || e.SD > 0) {
		return wrong(where, "it has more than one of tolerance, sd and exact")
	}
	switch {
	case e.Refine < 0 || e.Refine > 0 && (e.Candidates == nil || e.Candidates.Rows() < e.Refine):
		return wrong(where, "%d further points need at least as many candidates", e.Refine)
	case e.Refine > 0:
		if err := p.validatePlaces(where+", candidates", e, e.Candidates); err != nil {
			return err
		}
	}
	return p.validatePlaces(where, e, e.Points)
}

// validatePlaces checks points of a demand.
func (p *Problem) validatePlaces(where string, e *Demand, points *mat.Dense) error {
	if err := p.validatePoints(where, points); err != nil {
		return err
	}
	return p.validateFootprints(where, &e.Residual, points)
}

// validateFootprints reports a footprint that leaves the box.
func (p *Problem) validateFootprints(where string, f *Functional, points *mat.Dense) error {
	for i := range f.Terms {
		over := f.Terms[i].Footprint
		if over == nil || i > 0 && over == f.Terms[i-1].Footprint {
			continue
		}
		for k := range over.Len() {
			if err := p.validatePoints(where+", shifted", over.Places(k, points)); err != nil {
				return err
			}
		}
	}
	if f.Nonlinear != nil {
		for i := range f.Nonlinear.Of {
			if err := p.validateFootprints(where, &f.Nonlinear.Of[i], points); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Problem) validateSensors(i int) error {
	s := &p.Sensors[i]
	where := fmt.Sprintf("sensors %d", i+1)
	if s.Name != "" {
		where = fmt.Sprintf("sensors %q", s.Name)
	}
	if s.Measures.isEmpty() {
		return wrong(where, "what they measure contains no unknown field and no parameter")
	}
	if err := p.ValidateFunctional(where, &s.Measures); err != nil {
		return err
	}
	if s.Points == nil || s.Points.Rows() != len(s.Values) {
		return wrong(where, "there must be one point for each of the %d values", len(s.Values))
	}
	if n := len(s.Sigma); n > 1 && n != len(s.Values) {
		return wrong(where, "there are %d sigmas for %d values", n, len(s.Values))
	}
	if !finite(s.Freedom) || s.Freedom < 0 || s.Freedom > 0 && !s.Student {
		return wrong(where, "%g degrees of freedom; a number of at least 0 is expected, and student noise", s.Freedom)
	}
	if s.Group != "" && len(s.Sigma) > 0 {
		return wrong(where, "its noise is stated; only noise that is learned has a group")
	}
	for j, v := range s.Values {
		if !finite(v) {
			return wrong(fmt.Sprintf("%s, reading %d", where, j+1), "the value is %g", v)
		}
	}
	for j, v := range s.Sigma {
		if !finite(v) || v <= 0 {
			return wrong(fmt.Sprintf("%s, reading %d", where, j+1), "sigma is %g; it must be positive", v)
		}
	}
	if err := p.validatePoints(where, s.Points); err != nil {
		return err
	}
	return p.validateFootprints(where, &s.Measures, s.Points)
}

// ValidateFunctional reports a field, parameter or derivative of f that the
// problem does not have, as a *ProblemError about where.
func (p *Problem) ValidateFunctional(where string, f *Functional) error {
	for i := range f.Terms {
		if err := p.validateTerm(where, &f.Terms[i]); err != nil {
			return err
		}
	}
	for _, t := range f.Parameters {
		if t.Parameter < 0 || t.Parameter >= len(p.Parameters) {
			return wrong(where, "parameter number %d of %d", t.Parameter, len(p.Parameters))
		}
	}
	if n := f.Nonlinear; n != nil {
		if n.Value == nil || len(n.Partials) != len(n.Of) || len(n.Of) == 0 {
			return wrong(where, "its nonlinear part must have a value, and a derivative for each of the functionals that it is a function of")
		}
		for i := range n.Of {
			if n.Of[i].Nonlinear != nil {
				return wrong(where, "a nonlinear part is a function of one with another")
			}
			if err := p.ValidateFunctional(where, &n.Of[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Problem) validateTerm(where string, t *Term) error {
	if t.Field < 0 || t.Field >= len(p.Fields) {
		return wrong(where, "field number %d of %d", t.Field, len(p.Fields))
	}
	if len(t.Derivative) > len(p.Variables) {
		return wrong(where, "a derivative in %d variables; the problem has %d", len(t.Derivative), len(p.Variables))
	}
	order := 0
	for d, k := range t.Derivative {
		if k < 0 {
			return wrong(where, "a derivative of negative order")
		}
		if k > 0 && !p.DependsOn(t.Field, d) {
			return wrong(where, "a derivative with respect to %s of %s, which does not depend on it", p.Variables[d].Name, p.Fields[t.Field])
		}
		order += k
	}
	if order > MaxOrder {
		return wrong(where, "a derivative of order %d; the highest order is %d", order, MaxOrder)
	}
	return t.Footprint.validate(where, len(p.Variables))
}

// boxSlack is how far outside the box a point may lie, as a fraction of the side. It makes room for
// the rounding of written decimals.
const boxSlack = 1e-9

func (p *Problem) validatePoints(where string, points *mat.Dense) error {
	if points.Cols() != len(p.Variables) {
		return wrong(where, "points have %d coordinates; the problem has %d variables", points.Cols(), len(p.Variables))
	}
	for i := range points.Rows() {
		for d, x := range points.Row(i) {
			v := p.Variables[d]
			if v.Outside(x) {
				return wrong(fmt.Sprintf("%s, point %d", where, i+1), "%s = %g is outside [%g, %g]", v.Name, x, v.Min, v.Max)
			}
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
