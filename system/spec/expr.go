package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits of one expression. They are checked before it is parsed, because the parser
// recurses.
const (
	maxExpressionLength = 10_000 // bytes
	maxExpressionDepth  = 100    // parentheses, and signs and powers whose right operand is open
	maxExpressionTokens = 10_000 // and so at most as many nodes
)

// The grammar, one type for each rule. A power binds tighter than a sign and associates
// to the right: -x^2 is -(x^2), 2^-1 is 1/2, 2^3^2 is 2^9. The tags are the rules as participle
// reads them. Its parser is used in tests only, to compare trees: it needs regular expressions, and would make the program
// for browsers, which has to stay below 2.5 MB, 200 kB larger.
type (
	// statement is an expression, an equation, or a list of inequalities.
	statement struct {
		Parts []*comparison `parser:"@@ ('and' @@)*"`
	}
	comparison struct {
		First *sum        `parser:"@@"`
		Rest  []*relation `parser:"@@*"`
	}
	relation struct {
		Operator string `parser:"@Relation"`
		Side     *sum   `parser:"@@"`
	}
	sum struct {
		First *product  `parser:"@@"`
		Rest  []*addend `parser:"@@*"`
	}
	addend struct {
		Operator string   `parser:"@('+' | '-')"`
		Product  *product `parser:"@@"`
	}
	product struct {
		First *signed   `parser:"@@"`
		Rest  []*factor `parser:"@@*"`
	}
	factor struct {
		Operator string  `parser:"@('*' | '/')"`
		Signed   *signed `parser:"@@"`
	}
	signed struct {
		Sign  string  `parser:"( @('+' | '-')"`
		Of    *signed `parser:"  @@ )"`
		Power *power  `parser:"| @@"`
	}
	power struct {
		Base     *atom   `parser:"@@"`
		Exponent *signed `parser:"(('^' | '**') @@)?"`
	}
	atom struct {
		Number string     `parser:"  @Number"`
		Name   string     `parser:"| @Name"`
		Call   *arguments `parser:"  @@?"`
		Group  *sum       `parser:"| '(' @@ ')'"`
		Suffix string     `parser:"  @Suffix?"`
	}
	arguments struct {
		List []*sum `parser:"'(' (@@ (',' @@)*)? ')'"`
	}
)

// parse parses an expression. It does not look up names.
func parse(text string) (*statement, error) {
	if len(text) > maxExpressionLength {
		return nil, fmt.Errorf("the expression has %d characters; at most %d are allowed", len(text), maxExpressionLength)
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the expression is empty")
	}
	tokens, at := tokensOf(text)
	if at < len(text) {
		r := []rune(text[at:])[0]
		return nil, fmt.Errorf("unexpected character %q in %s%s", r, around(text, at), writtenAs[r])
	}
	if len(tokens) > maxExpressionTokens {
		return nil, fmt.Errorf("the expression has %d parts; at most %d are allowed", len(tokens), maxExpressionTokens)
	}
	if d := depth(tokens); d > maxExpressionDepth {
		return nil, fmt.Errorf("the expression is nested %d deep; at most %d levels are allowed", d, maxExpressionDepth)
	}
	p := parser{rest: tokens}
	s := p.statement()
	switch next := p.next(); {
	case !p.stopped && next.kind == endToken:
		return s, nil
	case next.kind == endToken:
		return nil, fmt.Errorf("%q ends where more is expected", shorten(text))
	default:
		return nil, fmt.Errorf("unexpected %q in %s%s", shorten(next.text), around(text, next.offset), remedy(text, next))
	}
}

// parser has a method for each rule. Where a token does not fit, it has stopped: the methods go on without taking
// another, and what they return has no meaning.
type parser struct {
	rest    []token
	stopped bool
}

// next is the token that comes next.
func (p *parser) next() token {
	if len(p.rest) == 0 {
		return token{kind: endToken}
	}
	return p.rest[0]
}

// is tells whether the next token is one of the texts.
func (p *parser) is(texts ...string) bool {
	return !p.stopped && len(p.rest) > 0 && slices.Contains(texts, p.rest[0].text)
}

// take returns the text of the next token, and goes on to the one after it.
func (p *parser) take() string {
	text := p.rest[0].text
	p.rest = p.rest[1:]
	return text
}

// need takes a token with this text, or stops.
func (p *parser) need(text string) {
	if p.is(text) {
		p.take()
		return
	}
	p.stopped = true
}

func (p *parser) statement() *statement {
	s := &statement{[]*comparison{p.comparison()}}
	for p.is("and") {
		p.take()
		s.Parts = append(s.Parts, p.comparison())
	}
	return s
}

func (p *parser) comparison() *comparison {
	c := &comparison{First: p.sum()}
	for p.is("=", "==", "<", "<=", ">", ">=") {
		c.Rest = append(c.Rest, &relation{p.take(), p.sum()})
	}
	return c
}

func (p *parser) sum() *sum {
	s := &sum{First: p.product()}
	for p.is("+", "-") {
		s.Rest = append(s.Rest, &addend{p.take(), p.product()})
	}
	return s
}

func (p *parser) product() *product {
	f := &product{First: p.signed()}
	for p.is("*", "/") {
		f.Rest = append(f.Rest, &factor{p.take(), p.signed()})
	}
	return f
}

func (p *parser) signed() *signed {
	if p.is("+", "-") {
		return &signed{Sign: p.take(), Of: p.signed()}
	}
	b := &power{Base: p.atom()}
	if p.is("^", "**") {
		p.take()
		b.Exponent = p.signed()
	}
	return &signed{Power: b}
}

func (p *parser) atom() *atom {
	switch next := p.next(); {
	case p.stopped:
	case next.kind == numberToken:
		return &atom{Number: p.take()}
	case next.kind == nameToken:
		a := &atom{Name: p.take()}
		if p.is("(") {
			a.Call = p.arguments()
		}
		return a
	case next.text == "(":
		p.take()
		a := &atom{Group: p.sum()}
		p.need(")")
		if !p.stopped && p.next().kind == suffixToken {
			a.Suffix = p.take()
		}
		return a
	}
	p.stopped = true
	return nil
}

func (p *parser) arguments() *arguments {
	p.need("(")
	a := &arguments{}
	if !p.is(")") {
		a.List = append(a.List, p.sum())
		for p.is(",") {
			p.take()
			a.List = append(a.List, p.sum())
		}
	}
	p.need(")")
	return a
}

// depth returns a bound on how deep the parser recurses: the open parentheses and, in
// each, the signs and powers whose right operand has not ended.
func depth(tokens []token) int {
	waiting, total, deepest := []int{0}, 0, 0
	operand := false // the last token ends an operand
	for _, t := range tokens {
		top := len(waiting) - 1
		switch t.text {
		case "(":
			waiting = append(waiting, 0)
			total++
			operand = false
		case ")":
			if top > 0 {
				total -= waiting[top] + 1
				waiting = waiting[:top]
			}
			operand = true
		case "^", "**":
			waiting[top]++
			total++
			operand = false
		case "+", "-", "*", "/", ",", "=", "==", "<", "<=", ">", ">=", "and":
			if operand || t.text != "+" && t.text != "-" {
				total -= waiting[top]
				waiting[top] = 0
			} else {
				waiting[top]++
				total++
			}
			operand = false
		default:
			operand = true
		}
		deepest = max(deepest, total)
	}
	return deepest
}

// writtenAs says how to write what people mean by characters that expressions do not have.
var writtenAs = map[rune]string{
	'∂': writtenDerivative, '\'': writtenDerivative, '’': writtenDerivative, '′': writtenDerivative,
	'∇': writtenOperator, 'Δ': writtenOperator, '∆': writtenOperator,
	'²': "; a power is written ^2", '³': "; a power is written ^3", '×': "; a product is written *", '·': "; a product is written *", '⋅': "; a product is written *",
}

const (
	writtenDerivative = "; a derivative is written u_x, u_xx or u_t"
	writtenOperator   = "; write derivatives, as u_xx + u_yy"
)

// remedy says how to write what was probably meant by a product without * or a decimal
// comma.
func remedy(text string, unexpected token) string {
	before := strings.TrimRight(text[:unexpected.offset], " \t\n")
	if before == "" {
		return ""
	}
	last, next := before[len(before)-1], unexpected.text[0]
	switch {
	case next == ',' && isDigit(last):
		return "; decimals are written with a point"
	case (isDigit(last) || isLetter(last) || last == ')') && (isDigit(next) || isLetter(next) || next == '(') && unexpected.text != "and":
		return "; a product is written with *, a function's argument in parentheses"
	}
	return ""
}

// around quotes the part of an expression near a byte offset.
func around(text string, offset int) string {
	from, to := max(0, offset-maxQuoted/2), min(len(text), offset+maxQuoted/2)
	return fmt.Sprintf("%q, character %d", strings.ToValidUTF8(strings.Join(strings.Fields(text[from:to]), " "), ""), len([]rune(text[:offset]))+1)
}
