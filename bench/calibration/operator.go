package calibration

import "strings"

// A term is a coefficient times a derivative of a field.
type term struct {
	coefficient expression
	field       int
	order       [dims]int
}

// partial returns the term c times the derivative of the given orders, one for each
// variable; missing ones are 0.
func partial(c float64, field int, orders ...int) term { return varying(constant(c), field, orders...) }

// varying returns a term whose coefficient is a function.
func varying(c expression, field int, orders ...int) term {
	t := term{coefficient: c, field: field}
	copy(t.order[:], orders)
	return t
}

// number returns a term's coefficient if that is constant.
func (t *term) number() (c float64, ok bool) {
	if len(t.coefficient) == 1 && len(t.coefficient[0].factors) == 0 {
		return t.coefficient[0].c, true
	}
	return 0, false
}

// An operator is a sum of terms: the left side of an equation or of a condition, or
// what sensors measure.
type operator []term

// apply returns the operator applied to the fields.
func (o operator) apply(fields []expression) expression {
	var all []expression
	for _, t := range o {
		all = append(all, t.coefficient.times(fields[t.field].derivative(t.order)))
	}
	return plus(all...)
}

// text writes the operator with the names of the fields and of the variables.
func (o operator) text(fields, variables []string) string {
	var b strings.Builder
	for i, t := range o {
		unknown := fields[t.field]
		letters := ""
		for d, n := range t.order {
			if n > 0 {
				letters += strings.Repeat(variables[d], n)
			}
		}
		if letters != "" {
			unknown += "_" + letters
		}
		c, isNumber := t.number()
		if i > 0 {
			if isNumber && c < 0 {
				b.WriteString(" - ")
				c = -c
			} else {
				b.WriteString(" + ")
			}
		}
		switch {
		case !isNumber:
			b.WriteString("(" + t.coefficient.text(variables) + ")*" + unknown)
		case c == 1:
			b.WriteString(unknown)
		case c == -1:
			b.WriteString("-" + unknown)
		default:
			b.WriteString(number(c) + "*" + unknown)
		}
	}
	return b.String()
}
