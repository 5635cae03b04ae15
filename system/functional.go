package system

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// MaxOrder is the highest total order of a derivative.
const MaxOrder = feature.MaxOrder

// Function is a known scalar function of the independent variables.
// EvalTo sets dst[i] to its value at row i of points (n x variables). It must be
// safe for concurrent use and must not retain its arguments.
type Function interface {
	EvalTo(dst []float64, points *mat.Dense)
}

// Constant is the function with one value everywhere.
type Constant float64

// EvalTo implements Function.
func (c Constant) EvalTo(dst []float64, points *mat.Dense) {
	for i := range dst {
		dst[i] = float64(c)
	}
}

// Negative returns -f. A nil f is 1, as in a Term.
func Negative(f Function) Function { return Scaled(f, -1) }

// Scaled returns factor times f. A nil f is 1, as in a Term.
func Scaled(f Function, factor float64) Function {
	switch c := f.(type) {
	case nil:
		return Constant(factor)
	case Constant:
		return Constant(float64(c) * factor)
	}
	return scaled{f, factor}
}

type scaled struct {
	of     Function
	factor float64
}

// EvalTo implements Function.
func (s scaled) EvalTo(dst []float64, points *mat.Dense) {
	s.of.EvalTo(dst, points)
	for i := range dst {
		dst[i] *= s.factor
	}
}

// Func makes a Function from a Go function of one point. If it uses only package
// mat's elementary functions, it gives the same bits on every CPU.
type Func func(x []float64) float64

// EvalTo implements Function.
func (f Func) EvalTo(dst []float64, points *mat.Dense) {
	for i := range dst {
		dst[i] = f(points.Row(i))
	}
}

// Term is Coefficient(x) times a partial derivative of one field.
// Derivative[d] is its order in variable d. Missing entries are 0, so nil means
// the field itself. A nil Coefficient is 1.
//
// A Footprint evaluates the field elsewhere than at x: at one place, or as a
// weighted sum over several. The coefficient is always taken at x itself. With
// footprints a condition compares the two ends of a period, and a sensor
// measures an average or a difference.
type Term struct {
	Field       int
	Derivative  []int
	Coefficient Function
	Footprint   *Footprint // nil: x itself
}

// ParameterTerm is Coefficient(x) times an unknown parameter: a phi_j lambda_j
// of the paper's eq_pde_inverse_f. A nil Coefficient is 1.
type ParameterTerm struct {
	Parameter   int
	Coefficient Function
}

// Functional is an expression in the unknowns: the sum of Terms, of Parameters and of the Known function (nil: 0), which
// together are affine, and of the Nonlinear part (nil: none). As the Residual of a Demand it must vanish. As what a
// sensor Measures it is the expected reading.
type Functional struct {
	Terms      []Term
	Parameters []ParameterTerm
	Known      Function
	Nonlinear  *Nonlinear
}

// isEmpty tells whether the functional has no unknown.
func (f *Functional) isEmpty() bool {
	return len(f.Terms) == 0 && len(f.Parameters) == 0 && f.Nonlinear == nil
}

// Field returns the functional that evaluates field number i.
func Field(i int) Functional {
	return Functional{Terms: []Term{{Field: i}}}
}

// Derivative returns the functional that evaluates a partial derivative of field
// number i. orders[d] is its order in variable d.
func Derivative(i int, orders ...int) Functional {
	return Functional{Terms: []Term{{Field: i, Derivative: orders}}}
}

// ParameterValue returns the functional whose value is parameter number i.
func ParameterValue(i int) Functional {
	return Functional{Parameters: []ParameterTerm{{Parameter: i}}}
}
