package describe

import (
	"strconv"
	"strings"
)

// linear builds the text of a sum of products. An empty sum is 0.
type linear struct {
	text strings.Builder
}

// add appends sign * coefficient * unknown. An empty unknown stands for 1: then the
// coefficient may be a sum, and each of its terms becomes one of this.
func (l *linear) add(sign int, coefficient, unknown string) {
	terms := termsOf(coefficient, sign < 0)
	if unknown == "" {
		for _, t := range terms {
			l.append(t.negative, t.text)
		}
		return
	}
	switch {
	case len(terms) > 1:
		negative, sum := joined(terms)
		l.append(negative, "("+sum+")*"+unknown)
	case terms[0].text == "1":
		l.append(terms[0].negative, unknown)
	default:
		l.append(terms[0].negative, terms[0].text+"*"+unknown)
	}
}

func (l *linear) append(negative bool, product string) {
	switch first := l.text.Len() == 0; {
	case first && negative:
		l.text.WriteString("-")
	case first:
	case negative:
		l.text.WriteString(" - ")
	default:
		l.text.WriteString(" + ")
	}
	l.text.WriteString(product)
}

func (l *linear) String() string {
	if l.text.Len() == 0 {
		return "0"
	}
	return l.text.String()
}

// term is a product in a sum.
type term struct {
	negative bool
	text     string // without a sign
}

// termsOf splits the text of an expression, or its negative, into the terms of a sum.
func termsOf(text string, negative bool) (terms []term) {
	if enclosed(text) {
		return termsOf(text[1:len(text)-1], negative)
	}
	// The texts of expressions have spaces around binary signs only, so that the sign of an
	// exponent, as in 1e-3, is none.
	parts, operators := cut(text, " + ", " - ")
	if len(parts) == 1 {
		if rest, minus := strings.CutPrefix(text, "-"); minus && enclosed(rest) {
			return termsOf(rest, !negative)
		}
		t := productOf(text)
		return []term{{t.negative != negative, t.text}}
	}
	for i, part := range parts {
		terms = append(terms, termsOf(part, negative != (i > 0 && operators[i-1] == " - "))...)
	}
	return terms
}

// joined writes a sum of several terms. One that would begin with a minus is that of the
// negatives.
func joined(terms []term) (negative bool, sum string) {
	var l linear
	for _, t := range terms {
		l.append(t.negative != terms[0].negative, t.text)
	}
	return terms[0].negative, l.String()
}

// productOf takes the signs of the factors of a product out of it, and begins it with a
// number if it has one: r*-20 is -(20*r).
func productOf(text string) (p term) {
	factors, operators := cut(text, "*", "/")
	operators = append([]string{"*"}, operators...)
	number := ""
	for i, f := range factors {
		for strings.HasPrefix(f, "-") {
			p.negative, f = !p.negative, f[1:]
		}
		if enclosed(f) {
			terms := termsOf(f, false)
			minus := terms[0].negative
			if f = terms[0].text; len(terms) > 1 {
				minus, f = joined(terms)
			}
			if len(terms) > 1 || operators[i] == "/" && strings.ContainsAny(f, "*/") {
				f = "(" + f + ")"
			}
			p.negative = p.negative != minus
			if rest, inverse := strings.CutPrefix(f, "1/"); inverse && i > 0 && operators[i] == "*" {
				operators[i], f = "/", rest
			}
		}
		if first, rest, _ := strings.Cut(f, "*"); number == "" && operators[i] == "*" && isNumber(first) {
			number, f = first, rest
		}
		factors[i] = f
	}
	p.text = number
	for i, f := range factors {
		switch {
		case f == "":
		case p.text == "", p.text == "1" && operators[i] == "*":
			p.text = f
		default:
			p.text += operators[i] + f
		}
	}
	return p
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && text[0] >= '0' && text[0] <= '9' // and not Inf
}

// cut splits a text at one of two operators outside parentheses, and returns the operators
// that were there.
func cut(text string, a, b string) (parts, operators []string) {
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		for _, operator := range []string{a, b} {
			if depth == 0 && i > from && strings.HasPrefix(text[i:], operator) {
				parts, operators = append(parts, text[from:i]), append(operators, operator)
				from = i + len(operator)
				i = from - 1
				break
			}
		}
	}
	return append(parts, text[from:]), operators
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
