package describe

import (
	"fmt"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/system"
)

// Equations writes each equation and condition as a linear expression, with its
// number of points and its tolerance in a second cell, after a tab.
func Equations(p *system.Problem) []string {
	var lines []string
	for _, e := range p.Demands() {
		lines = append(lines, equationLine(p, e))
	}
	return lines
}

// pointsOf says how many points an equation has, or that their number follows the
// size of the layer.
func pointsOf(e *system.Demand) string {
	if e.Spare {
		return "as many points as needed"
	}
	return format.Count(e.Points.Rows(), "point")
}

func equationLine(p *system.Problem, e *system.Demand) string {
	line := equation(p, &e.Residual) + "\t" + pointsOf(e)
	if e.Name != "" {
		line += " on " + e.Name
	}
	switch {
	case e.Exact:
		line += ", exact"
	case e.SD > 0:
		line += fmt.Sprintf(", sd %s", format.Short(e.SD))
	case e.Tolerance > 0:
		line += fmt.Sprintf(", tolerance %s", format.Short(e.Tolerance))
	}
	return line
}

// equation writes `residual = 0` with the known part on the right.
func equation(p *system.Problem, residual *system.Functional) string {
	known := linear{}
	if residual.Known != nil {
		known.add(-1, function(p, residual.Known), "")
	}
	unknown := *residual
	unknown.Known = nil
	return Functional(p, &unknown) + " = " + known.String()
}

// Functional writes a functional as a sum of terms, as in a problem file.
func Functional(p *system.Problem, f *system.Functional) string {
	sum := linear{}
	for i := range f.Terms {
		t := &f.Terms[i]
		sum.add(1, function(p, t.Coefficient), p.DerivativeName(t))
	}
	for i := range f.Parameters {
		t := &f.Parameters[i]
		sum.add(1, function(p, t.Coefficient), p.Parameters[t.Parameter].Name)
	}
	if f.Nonlinear != nil {
		sum.add(1, function(p, f.Nonlinear.Value), "")
	}
	if f.Known != nil {
		sum.add(1, function(p, f.Known), "")
	}
	return sum.String()
}

// function writes a known function: its own text if it has one, f(x, t) otherwise.
// Nil stands for 1.
func function(p *system.Problem, f system.Function) string {
	switch c := f.(type) {
	case nil:
		return "1"
	case system.Constant:
		return fmt.Sprintf("%g", float64(c))
	case fmt.Stringer:
		return c.String()
	}
	var names []string
	for _, v := range p.Variables {
		names = append(names, v.Name)
	}
	return "f(" + strings.Join(names, ", ") + ")"
}

// linear builds the text of a sum of products. An empty sum is 0.
type linear struct {
	text strings.Builder
}

// add appends sign * coefficient * unknown. An empty unknown stands for 1.
func (l *linear) add(sign int, coefficient, unknown string) {
	negative, coefficient := splitSign(coefficient)
	if sign < 0 {
		negative = !negative
	}
	switch {
	case l.text.Len() == 0 && negative:
		l.text.WriteString("-")
	case l.text.Len() > 0 && negative:
		l.text.WriteString(" - ")
	case l.text.Len() > 0 && unknown == "" && strings.HasPrefix(coefficient, "-"): // a sum that begins with a minus
		l.text.WriteString(" - ")
		coefficient = coefficient[1:]
	case l.text.Len() > 0:
		l.text.WriteString(" + ")
	}
	switch {
	case unknown == "":
		if negative && isSum(coefficient) {
			coefficient = "(" + coefficient + ")"
		}
		l.text.WriteString(coefficient)
	case coefficient == "1":
		l.text.WriteString(unknown)
	case isSum(coefficient):
		l.text.WriteString("(" + coefficient + ")*" + unknown)
	default:
		l.text.WriteString(coefficient + "*" + unknown)
	}
}

func (l *linear) String() string {
	if l.text.Len() == 0 {
		return "0"
	}
	return l.text.String()
}

// splitSign strips an expression of its leading minus signs and of parentheses
// around all of it, and returns the sign that they amount to.
func splitSign(text string) (negative bool, rest string) {
	for {
		switch {
		case strings.HasPrefix(text, "-") && !isSum(text[1:]):
			negative, text = !negative, text[1:]
		case enclosed(text):
			text = text[1 : len(text)-1]
		default:
			return negative, text
		}
	}
}

// isSum reports whether an expression has a binary plus or minus outside
// parentheses. The sign of an exponent, as in 1e-3, is not one.
func isSum(text string) bool {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case '+', '-':
			// The texts of expressions have spaces around binary signs only.
			if depth == 0 && i > 0 && text[i-1] == ' ' {
				return true
			}
		}
	}
	return false
}

// enclosed reports whether one pair of parentheses encloses the whole expression.
func enclosed(text string) bool {
	if !strings.HasPrefix(text, "(") {
		return false
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i == len(text)-1
		}
	}
	return false
}
