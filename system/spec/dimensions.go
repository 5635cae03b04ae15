package spec

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/system/spec/internal/unit"
)

// The terms of an equation must be in the same unit. That is checked where the file states enough units, and what is
// wrong is a remark and no error: units are text for people, and nothing is converted.
//
// Whatever has no unit, such as a table, a number other than 1 or a constant without one, stands for an unknown unit of its own. Two
// terms are compared only if the unknown units in them cancel, as that of T in T_t = D*T_xx.

// maxRemarks is how many remarks there are about one file.
const maxRemarks = 8

// measure is what is known of the unit of an expression.
type measure struct {
	unit     unit.Unit
	unknowns bool                // it has a field, a parameter or a constant with a unit; other terms may have a factor 1 of any unit, as sin(x)
	stated   map[string]position // parameters and constants with a unit
}

// position says how a parameter or a constant enters a term.
type position struct {
	power int  // of it as a factor
	inner bool // it is in a sum, whose terms have been compared
	other bool // it is in a power or a function
}

// dimensions looks for terms in different units.
type dimensions struct {
	*scope
	unnamed int    // unknown units so far
	found   string // what is wrong; the first finding counts

	compared int      // pairs of terms whose units are known
	missing  []string // what is not known of the others: names, texts of units, numbers
}

// UnitCheck says whether the units of an equation's or a condition's terms could be compared.
type UnitCheck struct {
	Where string // as in "equation 1"
	Agree bool   // all terms were compared, and nothing was remarked
	// Missing is what could not be compared depends on: names that have no unit, numbers that may have one, and, in
	// quotation marks, units that are not understood. It is nil where there are no two terms with unknowns to compare.
	Missing []string
}

// remark notes terms in different units.
func (s section) remark(key string, n *node) {
	if len(s.scope.units) == 0 || len(s.remarks) == maxRemarks || n.size() > maxExpanded {
		return
	}
	d := &dimensions{scope: s.scope}
	d.of(n)
	s.document.compared = append(s.document.compared, UnitCheck{numbered(s.name), d.found == "" && d.compared > 0 && d.missing == nil, d.missing})
	if d.found == "" || slices.ContainsFunc(s.remarks, func(e *Error) bool { return e.Why == d.found }) {
		return
	}
	s.document.remarks = append(s.document.remarks, s.refuse(join(s.name, key), "%s", d.found).(*Error))
}

// numbered writes the key of a block as people count: equation[0] is equation 1.
func numbered(key string) string {
	name, index, _ := strings.Cut(strings.TrimSuffix(key, "]"), "[")
	n, err := strconv.Atoi(index)
	if err != nil {
		return key
	}
	return fmt.Sprintf("%s %d", name, n+1)
}

// unknown is a unit that cancels with no other.
func (d *dimensions) unknown() unit.Unit {
	d.unnamed++
	return unit.Unknown(unnamedUnit + strconv.Itoa(d.unnamed))
}

// stated returns the unit of a variable, a field, a parameter or a constant.
func (d *dimensions) stated(name string) (u unit.Unit, stated bool) {
	text, stated := d.units[name]
	if !stated {
		return unit.Unknown(name), false
	}
	if u, ok := unit.Parse(text); ok {
		return u, true
	}
	return unit.Unknown(unreadUnit + text), true
}

// of returns the unit of an expression, and looks at all sums in it.
func (d *dimensions) of(n *node) measure {
	switch n.operation {
	case number:
		if math.Abs(n.value) == 1 {
			return measure{unit: unit.One}
		}
		return measure{unit: unit.Unknown(n.String())} // it may be a diffusivity of 2, say
	case constant:
		u, stated := d.stated(n.name)
		if !stated {
			return measure{unit: u}
		}
		return measure{unit: u, unknowns: true, stated: map[string]position{n.name: {power: 1}}}
	case variable:
		if n.normals != nil {
			return measure{unit: unit.One}
		}
		u, _ := d.stated(d.variables[n.index])
		return measure{unit: u}
	case field:
		u, _ := d.stated(d.fields[n.index])
		for i, order := range n.orders {
			by, _ := d.stated(d.variables[i])
			u = u.Per(by.Power(float64(order)))
		}
		return measure{unit: u, unknowns: true}
	case parameter, coefficient:
		u, stated := d.stated(n.name)
		m := measure{unit: u, unknowns: true}
		if stated {
			m.stated = map[string]position{n.name: {power: 1}}
		}
		return m
	case negation:
		return d.of(n.operands[0])
	case addition, subtraction:
		return d.sum(addends(n, false))
	case multiplication:
		return d.of(n.operands[0]).times(d.of(n.operands[1]), 1)
	case division:
		return d.of(n.operands[0]).times(d.of(n.operands[1]), -1)
	case exponentiation:
		return d.power(n.operands[0], n.operands[1])
	}
	return d.application(n)
}

// times is the measure of a product, or of a quotient if the power is -1.
func (m measure) times(o measure, power int) measure {
	product := measure{m.unit.Times(o.unit.Power(float64(power))), m.unknowns || o.unknowns, map[string]position{}}
	for name, p := range m.stated {
		product.stated[name] = p
	}
	for name, q := range o.stated {
		p := product.stated[name]
		product.stated[name] = position{p.power + power*q.power, p.inner || q.inner, p.other || q.other}
	}
	return product
}

// raised is the measure of a power.
func (m measure) raised(exponent float64) measure {
	r := measure{m.unit.Power(exponent), m.unknowns, map[string]position{}}
	for name := range m.stated {
		r.stated[name] = position{other: true}
	}
	return r
}

// largestPower is the largest exponent of an expression whose unit is followed.
const largestPower = 12

func (d *dimensions) power(base, exponent *node) measure {
	m := d.of(base)
	d.of(exponent)
	if e, known := constantOf(exponent); known && math.Abs(e) <= largestPower {
		return m.raised(e)
	}
	return measure{unit: d.unknown(), unknowns: m.unknowns}
}

// application is the measure of a call.
func (d *dimensions) application(n *node) measure {
	var arguments []measure
	for _, operand := range n.operands {
		arguments = append(arguments, d.of(operand))
	}
	if n.table != nil {
		return measure{unit: unit.Unknown(n.name)}
	}
	switch n.name {
	case "abs":
		return arguments[0].raised(1)
	case "sqrt":
		return arguments[0].raised(0.5)
	case "cbrt":
		return arguments[0].raised(1.0 / 3)
	case "pow":
		return d.power(n.operands[0], n.operands[1])
	case "max", "min", "hypot", "mod", "round", "floor", "ceil":
		return measure{unit: d.unknown()}
	}
	return measure{unit: unit.One}
}

// sum compares terms and returns what they have in common.
func (d *dimensions) sum(terms []*node) measure {
	measures := make([]measure, len(terms))
	for i, t := range terms {
		measures[i] = d.of(t)
	}
	var sum *measure
	for i := range measures {
		m := &measures[i]
		if !m.unknowns {
			continue
		}
		for j := range i {
			if measures[j].unknowns {
				d.compare(terms[j], terms[i], &measures[j], m)
			}
		}
		if sum == nil {
			sum = m
		}
	}
	if sum == nil { // 1 - x/L
		for i := range measures {
			if _, same, ok := measures[i].unit.Over(measures[0].unit); !ok || !same {
				return measure{unit: d.unknown()}
			}
		}
		return measure{unit: measures[0].unit}
	}
	for i, t := range terms { // in 1 - u the 1 is of the unit of u, and may hide more
		if _, same, ok := sum.unit.Over(unit.One); t.operation == number && !(ok && same) && measures[i].unit.String() == "1" {
			return measure{unit: d.unknown(), unknowns: true}
		}
	}
	whole := measure{sum.unit, true, map[string]position{}}
	for i := range measures {
		for name := range measures[i].stated {
			whole.stated[name] = position{inner: true}
		}
	}
	return whole
}

// nearlyOne is by how much a factor may differ from 1 by rounding.
const nearlyOne = 1e-6

// compare compares two terms of a sum.
func (d *dimensions) compare(a, b *node, left, right *measure) {
	factor, same, ok := left.unit.Over(right.unit)
	if ok {
		d.compared++
	} else {
		names, symbols := left.unit.Per(right.unit).Missing()
		for _, symbol := range symbols {
			names = append(names, unreadUnit+symbol)
		}
		d.miss(names...)
	}
	if d.found != "" || !ok || same && math.Abs(factor-1) < nearlyOne {
		return
	}
	blamed, possible := d.blame(left, right)
	switch {
	case len(blamed) == 1 && possible:
		p := blamed[0]
		factor, same, _ = p.has.Over(p.needed)
		d.found = fmt.Sprintf("%s is in %s, but the equation needs %s%s", p.name, d.units[p.name], p.needed.Known(), conversion(p.has, p.needed, factor, same))
		return
	case len(left.stated)+len(right.stated) == 0 && !same:
		d.miss("1")
		return // u_t = u, where 1 stands for a rate
	}
	l, r := left.unit.Known(), right.unit.Known()
	d.found = fmt.Sprintf("the terms %s and %s are in different units, %s and %s%s", unsigned(a), unsigned(b), l, r, conversion(l, r, factor, same))
	if len(blamed) == 2 && possible {
		d.found += fmt.Sprintf(". With %s in %s, or %s in %s, they are in the same", blamed[0].name, blamed[0].needed.Known(), blamed[1].name, blamed[1].needed.Known())
	}
}

// miss notes names whose units are not known.
func (d *dimensions) miss(names ...string) {
	for _, name := range names {
		if text, unit := strings.CutPrefix(name, unreadUnit); unit {
			name = strconv.Quote(text)
		} else if strings.HasPrefix(name, unnamedUnit) {
			name = "a function"
		}
		if !slices.Contains(d.missing, name) {
			d.missing = append(d.missing, name)
		}
	}
}

// unreadUnit and unnamedUnit begin the names of units that are not understood, and of those of functions.
const (
	unreadUnit  = "unit "
	unnamedUnit = "unnamed "
)

// unsigned writes a term without its sign.
func unsigned(n *node) string {
	if n.operation == negation {
		n = n.operands[0]
	}
	return shorten(n.String())
}

// conversion says how much one unit is of another, if they are of the same dimension.
func conversion(from, to unit.Unit, factor float64, same bool) string {
	if !same {
		return ""
	}
	amount := func(number string, u unit.Unit) string { // 24/d, 24 K/d
		text := u.String()
		if rest, inverse := strings.CutPrefix(text, "1/"); inverse {
			return number + "/" + rest
		}
		return number + " " + text
	}
	return ": " + amount("1", from) + " = " + amount(strconv.FormatFloat(factor, 'g', 6, 64), to)
}

// suspect is a parameter or a constant that may be in the wrong unit.
type suspect struct {
	name        string
	has, needed unit.Unit
}

// blame returns the parameters and constants that may be in the wrong unit, in the order of their names. possible is false if some
// enter in another way than as a factor.
func (d *dimensions) blame(left, right *measure) (suspects []suspect, possible bool) {
	possible = true
	for _, pair := range [][2]*measure{{left, right}, {right, left}} {
		term, other := pair[0], pair[1]
		for name, p := range term.stated {
			has, _ := d.stated(name)
			if p == other.stated[name] || p == (position{inner: true}) || has.String() == "1" {
				continue // on both sides, or not in question
			}
			needed := other.unit.Per(term.unit.Per(has))
			switch {
			case p.inner || p.other || p.power != 1 && p.power != -1 || other.stated[name] != (position{}):
				possible = false
			case p.power < 0:
				needed = term.unit.Times(has).Per(other.unit)
			}
			suspects = append(suspects, suspect{name, has, needed})
		}
	}
	sort.SliceStable(suspects, func(i, j int) bool { return suspects[i].name < suspects[j].name })
	return suspects, possible
}
