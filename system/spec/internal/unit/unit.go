package unit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/mat"
)

// A Unit is a number times a product of powers of symbols. The zero value is not a unit; One is that of what has none.
type Unit struct {
	number float64
	powers []power // ordered by symbol; no exponent is 0
}

type power struct {
	symbol   string
	exponent float64
}

// One is the unit of numbers.
var One = Unit{number: 1}

// Of returns the unit that consists of one symbol.
func Of(symbol string) Unit { return Unit{1, []power{{symbol, 1}}} }

// Unknown returns a unit that is not known, but the same wherever it has this name.
func Unknown(name string) Unit { return Of("?" + name) }

// Times returns the product of two units.
func (u Unit) Times(v Unit) Unit { return u.with(v, 1) }

// Per returns the quotient of two units.
func (u Unit) Per(v Unit) Unit { return u.with(v, -1) }

// Power returns a power of a unit.
func (u Unit) Power(exponent float64) Unit {
	return Unit{1, nil}.with(u, exponent)
}

// negligible is the difference from a whole number that rounding of exponents makes.
const negligible = 1e-9

// with returns u times a power of v.
func (u Unit) with(v Unit, exponent float64) Unit {
	w := Unit{u.number * raised(v.number, exponent), slices.Clone(u.powers)}
	for _, p := range v.powers {
		e := float64(exponent * p.exponent)
		i, found := slices.BinarySearchFunc(w.powers, p.symbol, func(p power, symbol string) int { return cmp.Compare(p.symbol, symbol) })
		if !found {
			w.powers = append(w.powers, power{})
			copy(w.powers[i+1:], w.powers[i:])
			w.powers[i] = power{p.symbol, 0}
		}
		if w.powers[i].exponent += e; math.Abs(w.powers[i].exponent) < negligible {
			w.powers = slices.Delete(w.powers, i, i+1)
		}
	}
	return w
}

// raised is x to a power. Unlike math.Pow it has the same bits on every processor.
func raised(x, exponent float64) float64 {
	whole := math.Trunc(exponent)
	if whole != exponent || math.Abs(whole) > largestExponent {
		return mat.Exp(float64(exponent * mat.Log(x)))
	}
	product := 1.0
	for range int(math.Abs(whole)) {
		product *= x
	}
	if whole < 0 {
		return 1 / product
	}
	return product
}

// SI returns the unit as a number times powers of the base units of the SI, and of symbols that are not known.
func (u Unit) SI() Unit {
	si := Unit{u.number, nil}
	for _, p := range u.powers {
		s, known := lookUp(p.symbol)
		if !known {
			si = si.with(Of(p.symbol), p.exponent)
			continue
		}
		si.number *= raised(s.factor, p.exponent)
		for i, e := range s.dimension {
			if e != 0 {
				si = si.with(Of(base[i]), float64(e)*p.exponent)
			}
		}
	}
	return si
}

// Over compares two units: 1 u = factor v if they are of the same dimension. ok is false if symbols that are not known
// remain in their quotient: nothing can be said then.
func (u Unit) Over(v Unit) (factor float64, same, ok bool) {
	quotient := u.Per(v).SI()
	for _, p := range quotient.powers {
		if !slices.Contains(base[:], p.symbol) {
			return 0, false, false
		}
	}
	return quotient.number, len(quotient.powers) == 0, true
}

// Missing returns what is not known of the unit, in its order: names of Unknown, and symbols that are of no dimension.
// Both are nil if it is known.
func (u Unit) Missing() (names, symbols []string) {
	for _, p := range u.SI().powers {
		if name, unknown := strings.CutPrefix(p.symbol, "?"); unknown {
			names = append(names, name)
		} else if !slices.Contains(base[:], p.symbol) {
			symbols = append(symbols, p.symbol)
		}
	}
	return names, symbols
}

// Known returns the unit without symbols that Unknown made.
func (u Unit) Known() Unit {
	u.powers = slices.DeleteFunc(slices.Clone(u.powers), func(p power) bool { return strings.HasPrefix(p.symbol, "?") })
	return u
}

// String writes the unit: m2/h, W/(m2 K), 1/d; 1 for One.
func (u Unit) String() string {
	var up, down []string
	powers := slices.Clone(u.powers)
	sort.SliceStable(powers, func(i, j int) bool { return order(powers[i].symbol) < order(powers[j].symbol) }) // W/(m K)
	for _, p := range powers {
		symbol, exponent := p.symbol, math.Abs(p.exponent)
		switch {
		case exponent == 1:
		case exponent == math.Trunc(exponent):
			symbol += strconv.Itoa(int(exponent))
		default:
			symbol += "^" + fraction(exponent)
		}
		if p.exponent > 0 {
			up = append(up, symbol)
		} else {
			down = append(down, symbol)
		}
	}
	if u.number != 1 {
		up = append([]string{strconv.FormatFloat(u.number, 'g', 6, 64)}, up...)
	}
	text := strings.Join(up, " ")
	if text == "" {
		text = "1"
	}
	switch len(down) {
	case 0:
		return text
	case 1:
		return text + "/" + down[0]
	}
	return text + "/(" + strings.Join(down, " ") + ")"
}

// fraction writes an exponent that is not whole: 0.5, or (1/3).
func fraction(x float64) string {
	short := strconv.FormatFloat(x, 'g', 4, 64)
	if v, _ := strconv.ParseFloat(short, 64); math.Abs(v-x) < negligible {
		return short
	}
	for below := 3; below <= 12; below++ {
		if over := math.Round(x * float64(below)); over > 0 && math.Abs(over/float64(below)-x) < negligible {
			return fmt.Sprintf("(%d/%d)", int(over), below)
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// order puts temperatures last.
func order(name string) int {
	if s, known := lookUp(name); known && s.dimension == symbols()["K"].dimension {
		return 1
	}
	return 0
}
