package unit

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Parse reads a unit as people write it: m2/s, m^2/s, m²/s, W/(m K), W·m⁻²·K⁻¹, 1/d, 1000/mm², degC. It reports false for
// what it cannot read, and for what can be read in two ways, such as W/m K.
func Parse(text string) (Unit, bool) {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return Unit{}, false
	case "-", "–", "1", "dimensionless":
		return One, true
	}
	p := parser{rest: []rune(respelled.Replace(text))}
	u, ok := p.product()
	return u, ok && len(p.rest) == 0 && u.number > 0
}

// respelled makes temperatures one symbol, signs of products one sign, and superscripts powers.
var respelled = strings.NewReplacer(
	"deg C", "degC", "° C", "degC", "°C", "degC", "℃", "degC", "deg F", "degF", "° F", "degF", "°F", "degF",
	"·", "*", "⋅", "*", "×", "*", "**", "^", "−", "-",
	"⁻¹", "^-1", "⁻²", "^-2", "⁻³", "^-3", "⁻⁴", "^-4", "¹", "^1", "²", "^2", "³", "^3", "⁴", "^4",
)

type parser struct{ rest []rune }

func (p *parser) space() (some bool) {
	for len(p.rest) > 0 && unicode.IsSpace(p.rest[0]) {
		p.rest, some = p.rest[1:], true
	}
	return some
}

// take takes a character if it comes next.
func (p *parser) take(c rune) bool {
	if len(p.rest) > 0 && p.rest[0] == c {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

// product reads factors. After a division no product may follow: whether it belongs to the denominator is not certain.
func (p *parser) product() (Unit, bool) {
	p.space()
	u, divided := One, false
	if len(p.rest) > 0 && p.rest[0] != '/' {
		var ok bool
		if u, ok = p.factor(); !ok {
			return u, false
		}
	}
	for {
		apart := p.space()
		if len(p.rest) == 0 || p.rest[0] == ')' {
			return u, true
		}
		division := p.take('/')
		if !division && !p.take('*') && !p.take('.') && !apart || !division && divided {
			return u, false
		}
		p.space()
		v, ok := p.factor()
		if !ok {
			return u, false
		}
		if divided = division; division {
			u = u.Per(v)
		} else {
			u = u.Times(v)
		}
	}
}

// factor reads a symbol, a number or what stands in parentheses, and its power.
func (p *parser) factor() (u Unit, ok bool) {
	switch {
	case p.take('('):
		if u, ok = p.product(); !ok || !p.take(')') {
			return u, false
		}
	case len(p.rest) > 0 && unicode.IsDigit(p.rest[0]):
		n := p.span(func(c rune) bool { return unicode.IsDigit(c) || c == '.' })
		number := string(p.rest[:n])
		p.rest = p.rest[n:]
		if len(p.rest) > 1 && (p.rest[0] == 'e' || p.rest[0] == 'E') && (unicode.IsDigit(p.rest[1]) || p.rest[1] == '-' || p.rest[1] == '+') {
			n := 2 + (&parser{p.rest[2:]}).span(unicode.IsDigit)
			number += string(p.rest[:n])
			p.rest = p.rest[n:]
		}
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || !(v > 0) {
			return u, false
		}
		if u = (Unit{number: v}); len(p.rest) == 0 || p.rest[0] != '^' {
			return u, true
		}
	default:
		n := p.span(func(c rune) bool { return unicode.IsLetter(c) || c == '%' || c == '‰' || c == '°' })
		if n == 0 {
			return u, false
		}
		u = Of(string(p.rest[:n]))
		if p.rest = p.rest[n:]; u.powers[0].symbol == "degC" {
			u = Of("K") // differences are the same
		}
	}
	exponent, ok := p.exponent()
	if !ok {
		return u, false
	}
	u = u.Power(exponent)
	return u, !slices.ContainsFunc(u.powers, func(p power) bool { return math.Abs(p.exponent) > largestExponent })
}

// span counts the characters that come next and are of a kind.
func (p *parser) span(kind func(rune) bool) (n int) {
	for n < len(p.rest) && kind(p.rest[n]) {
		n++
	}
	return n
}

// largestExponent bounds exponents: no unit has a larger one.
const largestExponent = 12

// exponent reads 2, -2, ^2, ^-2, ^(1/2) and ^0.5; 1 if there is none.
func (p *parser) exponent() (float64, bool) {
	marked := p.take('^')
	if marked && p.take('(') {
		n := p.span(func(c rune) bool { return c != ')' })
		up, down, quotient := strings.Cut(string(p.rest[:n]), "/")
		p.rest = p.rest[n:]
		v, err := strconv.ParseFloat(strings.TrimSpace(up), 64)
		if w := 1.0; quotient && err == nil {
			if w, err = strconv.ParseFloat(strings.TrimSpace(down), 64); err == nil {
				v /= w
			}
		}
		return v, err == nil && p.take(')') && v >= -largestExponent && v <= largestExponent
	}
	n := 0
	if len(p.rest) > 1 && (p.rest[0] == '-' || marked && p.rest[0] == '+') && unicode.IsDigit(p.rest[1]) {
		n = 1
	}
	n += (&parser{p.rest[n:]}).span(func(c rune) bool { return unicode.IsDigit(c) || marked && c == '.' })
	if n == 0 {
		return 1, !marked
	}
	v, err := strconv.ParseFloat(string(p.rest[:n]), 64)
	p.rest = p.rest[n:]
	return v, err == nil && v >= -largestExponent && v <= largestExponent
}
