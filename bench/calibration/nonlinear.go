package calibration

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
)

// Equations may also have a nonlinear term. Its value at the exact solution is added to the known source, so the solution
// stays the same.

// A nonlinearity is such a term, of the first field in the first equation: its strength times a product or a function.
type nonlinearity struct {
	name     string // of its strength, where that is unknown; "" else
	strength float64
	form     nonlinearForm
	unit     float64 // size of the field, in the arguments of functions
}

// A nonlinearForm writes the term for texts of the field, and of its first and second derivative along the first variable.
type nonlinearForm struct {
	name  string
	file  func(u, x, unit string) string // as a file has it
	value func(u, slope, bend, unit string) string
	at    func(u, slope, bend, unit float64) float64
}

var nonlinearForms = []nonlinearForm{
	{"square", func(u, x, _ string) string { return u + "^2" }, func(u, _, _, _ string) string { return u + "^2" }, func(u, _, _, _ float64) float64 { return u * u }},
	{"cube", func(u, x, _ string) string { return u + "^3" }, func(u, _, _, _ string) string { return u + "^3" }, func(u, _, _, _ float64) float64 { return u * u * u }},
	{"advection", func(u, x, _ string) string { return u + "*" + u + "_" + x }, func(u, slope, _, _ string) string { return u + "*" + slope }, func(u, slope, _, _ float64) float64 { return u * slope }},
	{"sine", func(u, x, unit string) string { return "sin(" + u + "/" + unit + ")" }, func(u, _, _, unit string) string { return "sin(" + u + "/" + unit + ")" }, func(u, _, _, unit float64) float64 { return mat.Sin(u / unit) }},
	{"exponential", func(u, x, unit string) string { return "exp(" + u + "/" + unit + ")" }, func(u, _, _, unit string) string { return "exp(" + u + "/" + unit + ")" }, func(u, _, _, unit float64) float64 { return mat.Exp(u / unit) }},
	{"steepness", func(u, x, _ string) string { return u + "_" + x + "^2" }, func(_, slope, _, _ string) string { return slope + "^2" }, func(_, slope, _, _ float64) float64 { return slope * slope }},
	{"flux", func(u, x, _ string) string { return "(" + u + "*" + u + "_" + x + ")_" + x }, func(u, slope, bend, _ string) string { return "(" + slope + "^2 + " + u + "*" + bend + ")" }, func(u, slope, bend, _ float64) float64 { return mat.FMA(u, bend, float64(slope*slope)) }},
}

// addNonlinearity adds a term to the first equation that is from a tenth to twice as large as the largest of the others. In more
// than half of the problems its strength is unknown.
func (p *draft) addNonlinearity() error {
	places := p.grid(1000)
	exact := p.exact[0]
	u := exact.values(places)
	slope := exact.slope(0).values(places)
	bend := exact.slope(0).slope(0).values(places)
	n := &nonlinearity{form: pick(p.dice, nonlinearForms...), unit: rounded(size(u), 2)}
	values := make([]float64, len(u))
	for i := range u {
		values[i] = n.form.at(u[i], slope[i], bend[i], n.unit)
	}
	largest := 0.0
	for _, t := range p.equations[0] {
		largest = math.Max(largest, size(operator{t}.apply(p.exact).values(places)))
	}
	own := size(values)
	if !(own > 0) || !(largest > 0) || !finite(values...) {
		return errUnsuited
	}
	n.strength = rounded(p.sign()*p.logBetween(0.1, 2)*largest/own, 3)
	if p.chance(0.6) {
		n.name = "r"
		prior := ""
		if !p.chance(0.4) {
			prior = p.priorOf(math.Abs(n.strength))
		}
		value := math.Abs(n.strength)
		if prior == "" {
			value = n.strength
		}
		p.unknowns = append(p.unknowns, unknown{n.name, value, prior})
	}
	p.curved = n
	return p.bounded()
}

// leftText is what the first equation has on its left side besides linear terms.
func (n *nonlinearity) leftText(p *draft) string {
	text := n.form.file(p.fields[0], p.variables[0].Name, number(n.unit))
	switch {
	case n.name == "":
		return " + " + "(" + number(n.strength) + ")*" + text
	case p.unknowns[len(p.unknowns)-1].value < 0 || n.strength > 0:
		return " + " + n.name + "*" + text
	}
	return " - " + n.name + "*" + text
}

// rightText is what that is of the exact solution.
func (n *nonlinearity) rightText(p *draft) string {
	names := p.names()
	text := func(e expression) string {
		if len(e) == 0 {
			return "0"
		}
		return "(" + e.text(names) + ")"
	}
	u := p.exact[0]
	return fmt.Sprintf("(%s)*%s", number(n.strength), n.form.value(text(u), text(u.slope(0)), text(u.slope(0).slope(0)), number(n.unit)))
}
