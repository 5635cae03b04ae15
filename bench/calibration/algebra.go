package calibration

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/mat"
)

// The functions of a problem are sums of products of functions of one argument, which is
// linear in the variables: sines, exponentials, powers, Gaussians and powers of tanh. Sums,
// products and derivatives of such functions are such functions again. So the source of
// any solution can be derived without a computer algebra system and written as text.

// dims is the largest number of variables of a problem.
const dims = 3

// An argument is the sum of slope[d]*(x[d] - origin[d]) over the variables, plus
// phase.
type argument struct {
	slope, origin [dims]float64
	phase         float64
}

// value returns the argument at x.
func (a *argument) value(x []float64) float64 {
	z := 0.0
	for d, s := range a.slope {
		if s != 0 {
			z += float64(s * (x[d] - a.origin[d]))
		}
	}
	return z + a.phase
}

// curve is the function that a factor applies to its argument z.
type curve int

const (
	sine        curve = iota
	cosine            //
	exponential       //
	power             // z^n
	tanh              // tanh(z)^n
	gaussian          // exp(-z^2/2)
)

// A factor is a function of one argument. The exponent n is 1 for curves without one.
type factor struct {
	curve curve
	n     int
	at    argument
}

// A product is a number times factors.
type product struct {
	c       float64
	factors []factor
}

// An expression is a sum of products; nil is 0.
type expression []product

// constant returns the expression that is c everywhere.
func constant(c float64) expression {
	if c == 0 {
		return nil
	}
	return expression{{c: c}}
}

// of returns the expression that consists of one factor.
func of(c curve, n int, at argument) expression { return expression{{1, []factor{{c, n, at}}}} }

// plus returns the sum of expressions.
func plus(all ...expression) expression { return collect(slices.Concat(all...)) }

// scaled returns c times the expression.
func (e expression) scaled(c float64) expression {
	out := slices.Clone(e)
	for i := range out {
		out[i].c *= c
	}
	return collect(out)
}

// over returns the expression divided by c.
func (e expression) over(c float64) expression {
	out := slices.Clone(e)
	for i := range out {
		out[i].c /= c
	}
	return out
}

// times returns the product of two expressions.
func (e expression) times(f expression) expression {
	var out expression
	for _, p := range e {
		for _, q := range f {
			out = append(out, product{p.c * q.c, slices.Concat(p.factors, q.factors)})
		}
	}
	return collect(out)
}

// derivative returns the partial derivative of the given order in each variable.
func (e expression) derivative(order [dims]int) expression {
	for d, n := range order {
		for range n {
			e = e.slope(d)
		}
	}
	return e
}

// slope returns the first derivative in variable d.
func (e expression) slope(d int) expression {
	var out expression
	for _, p := range e {
		for i, f := range p.factors {
			if f.at.slope[d] == 0 {
				continue
			}
			rest := slices.Concat(p.factors[:i], p.factors[i+1:])
			for _, q := range f.derivative() {
				out = append(out, product{p.c * float64(f.at.slope[d]*q.c), slices.Concat(rest, q.factors)})
			}
		}
	}
	return collect(out)
}

// derivative returns the derivative in the factor's argument.
func (f factor) derivative() expression {
	n := float64(f.n)
	raised := func(by int) []factor { return []factor{{f.curve, f.n + by, f.at}} }
	switch f.curve {
	case sine:
		return of(cosine, 1, f.at)
	case cosine:
		return expression{{-1, []factor{{sine, 1, f.at}}}}
	case power:
		return expression{{n, raised(-1)}}
	case tanh:
		return expression{{n, raised(-1)}, {-n, raised(1)}}
	case gaussian:
		return expression{{-1, []factor{{power, 1, f.at}, f}}}
	}
	return expression{{1, []factor{f}}} // exponential
}

// cancelled is the size of a sum, relative to its addends, below which it is only
// rounding error.
const cancelled = 1e-12

// collect adds up products with the same factors and drops those that cancel.
func collect(e expression) expression {
	var out expression
	var size []float64
	for _, p := range e {
		p.factors = joined(p.factors)
		i := slices.IndexFunc(out, func(q product) bool { return slices.Equal(p.factors, q.factors) })
		if i < 0 {
			out, size = append(out, p), append(size, math.Abs(p.c))
			continue
		}
		out[i].c += p.c
		size[i] += math.Abs(p.c)
	}
	kept := out[:0]
	for i, p := range out {
		if math.Abs(p.c) > cancelled*size[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// joined sorts factors and joins powers of the same function.
func joined(factors []factor) []factor {
	var out []factor
	for _, f := range factors {
		i := slices.IndexFunc(out, func(g factor) bool {
			return (f.curve == power || f.curve == tanh) && f.curve == g.curve && f.at == g.at
		})
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].n += f.n
	}
	out = slices.DeleteFunc(out, func(f factor) bool { return f.n == 0 })
	slices.SortFunc(out, func(f, g factor) int {
		return cmp.Or(
			slices.Compare(f.at.slope[:], g.at.slope[:]), slices.Compare(f.at.origin[:], g.at.origin[:]), cmp.Compare(f.at.phase, g.at.phase),
			cmp.Compare(f.curve, g.curve), cmp.Compare(f.n, g.n))
	})
	return out
}

// value returns the expression at x.
func (e expression) value(x []float64) float64 {
	sum := 0.0
	for _, p := range e {
		v := p.c
		for i := range p.factors {
			v = float64(v * p.factors[i].value(x))
		}
		sum += v
	}
	return sum
}

// value returns the factor at x.
func (f *factor) value(x []float64) float64 {
	z := f.at.value(x)
	switch f.curve {
	case sine:
		return mat.Sin(z)
	case cosine:
		return mat.Cos(z)
	case exponential:
		return mat.Exp(z)
	case gaussian:
		return mat.Exp(-float64(z*z) / 2)
	case tanh:
		z = mat.Tanh(z)
	}
	v := z
	for range f.n - 1 {
		v = float64(v * z)
	}
	return v
}

// values returns the expression at the rows of points.
func (e expression) values(points *mat.Dense) []float64 {
	v := make([]float64, points.Rows())
	for i := range v {
		v[i] = e.value(points.Row(i))
	}
	return v
}

// where returns the expression with variable d fixed at x. It drops products that are zero
// up to rounding.
func (e expression) where(d int, x float64) expression {
	var out expression
	for _, p := range e {
		q := product{c: p.c}
		for _, f := range p.factors {
			f.at.phase += float64(f.at.slope[d] * (x - f.at.origin[d]))
			f.at.slope[d], f.at.origin[d] = 0, 0
			if f.at.slope == [dims]float64{} {
				q.c = float64(q.c * f.value(make([]float64, dims)))
				continue
			}
			q.factors = append(q.factors, f)
		}
		if math.Abs(q.c) > cancelled*math.Abs(p.c) {
			out = append(out, q)
		}
	}
	return collect(out)
}

// halfWaves returns how many half-waves the expression has along variable d over a length.
// For functions other than waves it counts up to the end of their spectrum.
func (e expression) halfWaves(d int, length float64) float64 {
	most := 0.0
	for _, p := range e {
		n := 0.0
		for _, f := range p.factors {
			if f.at.slope[d] == 0 {
				continue
			}
			of := math.Abs(f.at.slope[d]) * length / math.Pi
			switch f.curve {
			case power:
				of = float64(f.n) / 2
			case exponential: // a steep one is a boundary layer, which takes few modes near its end
				of = math.Sqrt(of)
			case tanh:
				of *= 1.3 // its transform decays as exp(-pi k/2)
			case gaussian:
				of *= 2 // its transform decays as exp(-k^2/2)
			}
			n += of
		}
		most = max(most, n)
	}
	return most
}

// text writes the expression with the names of the variables.
func (e expression) text(names []string) string {
	if len(e) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, p := range e {
		c := p.c
		switch {
		case i > 0 && c < 0:
			b.WriteString(" - ")
			c = -c
		case i > 0:
			b.WriteString(" + ")
		}
		b.WriteString(p.text(c, names))
	}
	return b.String()
}

// text writes the product with c in place of its own number.
func (p *product) text(c float64, names []string) string {
	var parts []string
	for i := range p.factors {
		parts = append(parts, p.factors[i].text(names))
	}
	body := strings.Join(parts, "*")
	switch {
	case body == "":
		return number(c)
	case c == 1:
		return body
	case c == -1:
		return "-" + body
	}
	return number(c) + "*" + body
}

// text writes the factor with the names of the variables.
func (f *factor) text(names []string) string {
	z := f.at.text(names)
	exponent := ""
	if f.n > 1 {
		exponent = "^" + strconv.Itoa(f.n)
	}
	switch f.curve {
	case sine:
		return "sin(" + z + ")"
	case cosine:
		return "cos(" + z + ")"
	case exponential:
		return "exp(" + z + ")"
	case tanh:
		return "tanh(" + z + ")" + exponent
	case gaussian:
		return "exp(-(" + z + ")^2/2)"
	}
	if slices.Contains(names, z) || strings.LastIndex(z, "(") == 0 && strings.HasSuffix(z, ")") {
		return z + exponent // a name, or (x - 1), which has its own parentheses
	}
	return "(" + z + ")" + exponent
}

// text writes the argument with the names of the variables.
func (a *argument) text(names []string) string {
	var b strings.Builder
	// add writes a number times a name, or the number alone if the name is empty.
	add := func(c float64, name string) {
		switch {
		case b.Len() > 0 && c < 0:
			b.WriteString(" - ")
			c = -c
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		switch {
		case name == "":
			b.WriteString(number(c))
		case c == 1:
			b.WriteString(name)
		case c == -1:
			b.WriteString("-" + name)
		default:
			b.WriteString(number(c) + "*" + name)
		}
	}
	for d, s := range a.slope {
		if s == 0 {
			continue
		}
		name := names[d]
		switch origin := a.origin[d]; {
		case origin < 0:
			name = "(" + name + " + " + number(-origin) + ")"
		case origin > 0:
			name = "(" + name + " - " + number(origin) + ")"
		}
		add(s, name)
	}
	if a.phase != 0 || b.Len() == 0 {
		add(a.phase, "")
	}
	return b.String()
}
