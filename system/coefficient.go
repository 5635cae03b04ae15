package system

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
)

// Coefficient is an unknown number on which the functions of a problem may depend in any way: a
// diffusivity, a wave speed, a rate in an exponential. Its prior is one of three:
//   - Min and Max: uniform between them, in the logarithm if Min is positive;
//   - Mean and SD: normal;
//   - Median and Factor: log-normal, with two thirds of the probability between
//     Median/Factor and Median*Factor.
//
// A coefficient without a prior is open; posterior.Ranged finds a range for it.
type Coefficient struct {
	Name           string
	Min, Max       float64
	Mean, SD       float64
	Median, Factor float64
	// Fine, if positive, changes the prior between Min and Max: asinh(value/Fine) is uniform. That is
	// uniform in the logarithm of the magnitude above Fine, on either side of 0.
	Fine float64 `json:",omitempty"`
}

// Open reports whether the coefficient has no prior.
func (c *Coefficient) Open() bool { return *c == Coefficient{Name: c.Name} }

// ends returns asinh(Min/Fine) and asinh(Max/Fine).
func (c *Coefficient) ends() (low, high float64) { return asinh(c.Min / c.Fine), asinh(c.Max / c.Fine) }

// asinh and sinh give the same bits on every processor, unlike those of package math.
func asinh(x float64) float64 {
	return math.Copysign(mat.Log(math.Abs(x)+math.Sqrt(1+float64(x*x))), x)
}

func sinh(x float64) float64 { return 0.5 * (mat.Exp(x) - mat.Exp(-x)) }

// Value maps a standard normal number to the coefficient of the same cumulative probability: if z is standard
// normal, Value(z) has the coefficient's prior. An open coefficient is 1.
func (c *Coefficient) Value(z float64) float64 {
	switch {
	case c.Open():
		return 1
	case c.SD > 0:
		return c.Mean + float64(c.SD*z)
	case c.Median > 0:
		return c.Median * mat.Exp(float64(mat.Log(c.Factor)*z))
	}
	below := 0.5 * mat.Erfc(-z/math.Sqrt2)
	if c.Fine > 0 {
		low, high := c.ends()
		return math.Min(c.Max, math.Max(c.Min, float64(c.Fine*sinh(low+float64((high-low)*below)))))
	}
	if c.Min > 0 {
		low, high := mat.Log(c.Min), mat.Log(c.Max)
		return math.Min(c.Max, math.Max(c.Min, mat.Exp(low+float64((high-low)*below))))
	}
	return math.Min(c.Max, c.Min+float64((c.Max-c.Min)*below))
}

// Density returns the density of the prior at a value.
func (c *Coefficient) Density(value float64) float64 {
	normal := func(z float64) float64 { return mat.Exp(float64(-0.5*float64(z*z))) / math.Sqrt(2*math.Pi) }
	switch {
	case c.SD > 0:
		return normal((value-c.Mean)/c.SD) / c.SD
	case c.Median > 0:
		if !(value > 0) {
			return 0
		}
		sd := mat.Log(c.Factor)
		return normal(mat.Log(value/c.Median)/sd) / (sd * value)
	case value < c.Min || value > c.Max:
		return 0
	case c.Fine > 0:
		low, high := c.ends()
		return 1 / ((high - low) * math.Sqrt(float64(c.Fine*c.Fine)+float64(value*value)))
	case c.Min > 0:
		return 1 / (value * mat.Log(c.Max/c.Min))
	}
	return 1 / (c.Max - c.Min)
}

// Number is the inverse of Value: the standard normal number for a value. Beyond the bounds it is about -40 or
// 40, where the normal tail has long vanished.
func (c *Coefficient) Number(value float64) float64 {
	switch {
	case c.SD > 0:
		return (value - c.Mean) / c.SD
	case c.Median > 0:
		if !(value > 0) {
			return -outermost
		}
		return mat.Log(value/c.Median) / mat.Log(c.Factor)
	}
	low, high := -outermost, outermost
	for range 64 { // bisect: Value never decreases
		if middle := low + float64(0.5*(high-low)); c.Value(middle) < value {
			low = middle
		} else {
			high = middle
		}
	}
	return low + float64(0.5*(high-low))
}

// outermost is beyond all standard normal numbers that double precision can tell from certainty.
const outermost = 40.0

// Validate reports an impossible prior as a *ProblemError.
func (c *Coefficient) Validate() error {
	where, kinds := fmt.Sprintf("coefficient %q", c.Name), 0
	for _, v := range []float64{c.Min, c.Max, c.Mean, c.SD, c.Median, c.Factor, c.Fine, c.Max - c.Min} {
		if !finite(v) {
			return wrong(where, "its prior is not finite")
		}
	}
	for _, stated := range []bool{c.Min != 0 || c.Max != 0, c.Mean != 0 || c.SD != 0, c.Median != 0 || c.Factor != 0} {
		if stated {
			kinds++
		}
	}
	switch {
	case c.Open():
		return nil
	case kinds != 1:
		return wrong(where, "its prior is one of min and max, mean and sd, median and factor; found %d of them", kinds)
	case c.Mean != 0 || c.SD != 0:
		if !(c.SD > 0) {
			return wrong(where, "its prior sd %g is not positive", c.SD)
		}
	case c.Median != 0 || c.Factor != 0:
		if !(c.Median > 0) || !(c.Factor > 1) {
			return wrong(where, "its prior median %g must be positive and the factor %g above 1", c.Median, c.Factor)
		}
	case !(c.Min < c.Max):
		return wrong(where, "its bounds %g and %g are no range", c.Min, c.Max)
	}
	if c.Fine < 0 || c.Fine > 0 && (!(c.Min < 0 && c.Max > 0) || !finite(c.Min/c.Fine) || !finite(c.Max/c.Fine)) {
		return wrong(where, "the magnitude %g, from which on all orders are alike, makes no sense between the bounds %g and %g", c.Fine, c.Min, c.Max)
	}
	return nil
}

// Dependent is a Function that also depends on the coefficients of a problem. With returns the
// function for given values of all of them, in the problem's order, which depends on none any more. It must not retain the slice.
type Dependent interface {
	Function
	With(coefficients []float64) Function
}

// DependentFunc makes a Dependent from a Go function of one point and the coefficients. Until With gives these
// values, it is NaN.
type DependentFunc func(x, coefficients []float64) float64

// EvalTo implements Function.
func (f DependentFunc) EvalTo(dst []float64, points *mat.Dense) {
	for i := range dst {
		dst[i] = math.NaN()
	}
}

// With implements Dependent.
func (f DependentFunc) With(coefficients []float64) Function {
	values := append([]float64(nil), coefficients...)
	return Func(func(x []float64) float64 { return f(x, values) })
}

// with returns a function at values of the coefficients.
func with(f Function, coefficients []float64) Function {
	if d, ok := f.(Dependent); ok {
		return d.With(coefficients)
	}
	return f
}

// With implements Dependent.
func (s scaled) With(coefficients []float64) Function {
	return Scaled(with(s.of, coefficients), s.factor)
}

// With returns the functional at values of the problem's coefficients.
func (f *Functional) With(coefficients []float64) Functional {
	g := Functional{Known: with(f.Known, coefficients), Nonlinear: f.Nonlinear.with(coefficients)}
	for _, t := range f.Terms {
		t.Coefficient = with(t.Coefficient, coefficients)
		g.Terms = append(g.Terms, t)
	}
	for _, t := range f.Parameters {
		t.Coefficient = with(t.Coefficient, coefficients)
		g.Parameters = append(g.Parameters, t)
	}
	return g
}

// With returns the problem at values of its coefficients. Only fields and parameters are unknown in it. It panics
// with mat.Error if there is not one value for each coefficient.
func (p *Problem) With(coefficients []float64) *Problem {
	if n := len(p.Coefficients); n != len(coefficients) {
		panic(mat.Error(fmt.Sprintf("system: %d values of %d coefficients", len(coefficients), n)))
	}
	q := *p
	q.Coefficients = nil
	q.Equations, q.Conditions = append([]Demand(nil), p.Equations...), append([]Demand(nil), p.Conditions...)
	q.Sensors = append([]Sensors(nil), p.Sensors...)
	for _, e := range q.Demands() {
		e.Residual = e.Residual.With(coefficients)
	}
	for i := range q.Sensors {
		q.Sensors[i].Measures = q.Sensors[i].Measures.With(coefficients)
	}
	return &q
}
