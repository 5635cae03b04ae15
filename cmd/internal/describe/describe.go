package describe

import (
	"fmt"
	"math"
	"strconv"
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
	line := rounded(equation(p, &e.Residual)) + "\t" + pointsOf(e)
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

// rounded writes the numbers of an expression with at most six significant digits: products of constants have many.
func rounded(text string) string {
	const digits, inNumbers, inNames = "0123456789", "0123456789.", "0123456789.eE_abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ"
	var out strings.Builder
	for text != "" {
		i := strings.IndexAny(text, inNames)
		if i < 0 {
			break
		}
		out.WriteString(text[:i])
		text = text[i:]
		n := len(text) - len(strings.TrimLeft(text, inNumbers))
		if !strings.Contains(digits, text[:1]) { // a name, with the digits that are part of it
			n = len(text) - len(strings.TrimLeft(text, inNames))
		} else if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
			exponent := n + 1
			if exponent < len(text) && (text[exponent] == '-' || text[exponent] == '+') {
				exponent++
			}
			if more := len(text[exponent:]) - len(strings.TrimLeft(text[exponent:], digits)); more > 0 {
				n = exponent + more
			}
		}
		out.WriteString(shortNumber(text[:n]))
		text = text[n:]
	}
	return out.String() + text
}

// shortNumber rounds a number to six digits; other texts, and numbers with no more, stay as they were written.
func shortNumber(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	short := strconv.FormatFloat(v, 'g', 6, 64)
	if w, _ := strconv.ParseFloat(short, 64); err != nil || v == w || math.IsNaN(v) || math.IsInf(v, 0) {
		return text
	}
	return short
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
