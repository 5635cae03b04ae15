package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
)

// Problems with unknown coefficients: diffusivities, speeds, rates, squared frequencies.

// coefficientKinds are the kinds whose coefficients can be unknown: those with constant
// coefficients in other terms than the first.
var coefficientKinds = []string{
	"relaxation", "oscillator", "oscillator-damped", "helmholtz-1d", "fin", "drift-diffusion-1d", "beam-on-ground",
	"screened", "helmholtz-2d", "heat", "heat-source", "decay", "drift-diffusion", "ring", "cooling",
	"advection", "wave-string", "wave-free", "telegraph", "klein-gordon",
}

// CoefficientKinds returns the names of the kinds that DrawWith draws with unknown coefficients.
func CoefficientKinds() []string { return slices.Clone(coefficientKinds) }

// An unknown is a coefficient that the file does not state, with its prior as the file
// writes it.
type unknown struct {
	name  string
	value float64
	prior string
}

// forgetCoefficients makes one or two coefficients of the equations unknown. Terms whose
// coefficients are equal up to the sign share one.
func (p *draft) forgetCoefficients() error {
	var values []float64
	for _, o := range p.equations {
		for i, t := range o {
			if c, ok := t.number(); ok && i > 0 && !slices.Contains(values, math.Abs(c)) {
				values = append(values, math.Abs(c))
			}
		}
	}
	if len(values) == 0 {
		return errUnsuited
	}
	count := 1
	if len(values) > 1 && p.chance(0.4) {
		count = 2
	}
	for k, at := range p.Perm(len(values))[:count] {
		p.unknowns = append(p.unknowns, unknown{fmt.Sprintf("c%d", k+1), values[at], p.priorOf(values[at])})
	}
	return nil
}

// priorOf draws a prior such that the value is a draw from it: bounds one to two and a half
// orders of magnitude apart, or a median and a factor.
func (p *draft) priorOf(value float64) string {
	if p.chance(0.3) {
		spread := p.between(0.3, 1.2)
		return fmt.Sprintf(" median = %s, factor = %s ", number(rounded(value*mat.Exp(-spread*p.normal()), 6)), number(rounded(mat.Exp(spread), 6)))
	}
	width, at := p.between(1, 2.5)*math.Ln10, p.between(0, 1)
	return fmt.Sprintf(" min = %s, max = %s ", number(rounded(value*mat.Exp(-at*width), 6)), number(rounded(value*mat.Exp((1-at)*width), 6)))
}

// leftSide writes the left side of equation number i, with names for unknown coefficients.
func (p *draft) leftSide(i int) string {
	var b strings.Builder
	for k := range p.equations[i] {
		t := p.equations[i][k]
		c, isNumber := t.number()
		at := -1
		if isNumber && k > 0 {
			at = slices.IndexFunc(p.unknowns, func(u unknown) bool { return u.value == math.Abs(c) })
		}
		if at < 0 {
			text := operator{t}.text(p.fields, p.names())
			switch {
			case k > 0 && strings.HasPrefix(text, "-"):
				text = " - " + text[1:]
			case k > 0:
				text = " + " + text
			}
			b.WriteString(text)
			continue
		}
		sign := " + "
		if c < 0 {
			sign = " - "
		}
		t.coefficient = constant(1)
		b.WriteString(sign + p.unknowns[at].name + "*" + operator{t}.text(p.fields, p.names()))
	}
	if i == 0 && p.curved != nil {
		b.WriteString(p.curved.leftText(p))
	}
	return b.String()
}
