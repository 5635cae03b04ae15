package spec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Limits of one expression. They are checked before it is parsed, because the parser
// recurses.
const (
	maxExpressionLength = 10_000 // bytes
	maxExpressionDepth  = 100    // parentheses, and signs and powers whose right operand is open
	maxExpressionTokens = 10_000 // and so at most as many nodes
)

// The grammar, one type for each rule. A power binds tighter than a sign and associates
// to the right: -x^2 is -(x^2), 2^-1 is 1/2, 2^3^2 is 2^9. The parser of expr-lang/expr
// would not do, since it reads -x^2 as (-x)^2.
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

var expressionParser = participle.MustBuild[statement](participle.Lexer(expressionLexer))

// parse parses an expression. It does not look up names.
func parse(text string) (*statement, error) {
	if len(text) > maxExpressionLength {
		return nil, fmt.Errorf("the expression has %d characters; at most %d are allowed", len(text), maxExpressionLength)
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the expression is empty")
	}
	tokens, err := expressionParser.Lex("", strings.NewReader(text))
	if err != nil {
		return nil, syntaxError(text, err)
	}
	if len(tokens) > maxExpressionTokens {
		return nil, fmt.Errorf("the expression has %d parts; at most %d are allowed", len(tokens), maxExpressionTokens)
	}
	if d := depth(tokens); d > maxExpressionDepth {
		return nil, fmt.Errorf("the expression is nested %d deep; at most %d levels are allowed", d, maxExpressionDepth)
	}
	s, err := expressionParser.ParseString("", text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	return s, nil
}

// depth returns a bound on how deep the parser recurses: the open parentheses and, in
// each, the signs and powers whose right operand has not ended.
func depth(tokens []lexer.Token) int {
	waiting, total, deepest := []int{0}, 0, 0
	operand := false // the last token ends an operand
	for _, t := range tokens {
		top := len(waiting) - 1
		switch t.Value {
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
			if operand || t.Value != "+" && t.Value != "-" {
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

// syntaxError says in words where parsing stopped.
func syntaxError(text string, err error) error {
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) {
		if unexpected.Unexpected.EOF() {
			return fmt.Errorf("%q ends where more is expected", shorten(text))
		}
		return fmt.Errorf("unexpected %q in %s%s", shorten(unexpected.Unexpected.Value), around(text, unexpected.Unexpected.Pos.Offset), remedy(text, unexpected.Unexpected))
	}
	var located participle.Error
	if errors.As(err, &located) {
		if at := located.Position().Offset; at >= 0 && at < len(text) {
			r := []rune(text[at:])[0]
			return fmt.Errorf("unexpected character %q in %s", r, around(text, at))
		}
	}
	return fmt.Errorf("%q is not an expression", shorten(text))
}

// remedy says how to write what was probably meant by a product without * or a decimal
// comma.
func remedy(text string, unexpected lexer.Token) string {
	before := strings.TrimRight(text[:unexpected.Pos.Offset], " \t\n")
	if before == "" {
		return ""
	}
	last, next := before[len(before)-1], unexpected.Value[0]
	switch {
	case next == ',' && isDigit(last):
		return "; decimals are written with a point"
	case (isDigit(last) || isLetter(last) || last == ')') && (isDigit(next) || isLetter(next) || next == '(') && unexpected.Value != "and":
		return "; a product is written with *, a function's argument in parentheses"
	}
	return ""
}

// around quotes the part of an expression near a byte offset.
func around(text string, offset int) string {
	from, to := max(0, offset-maxQuoted/2), min(len(text), offset+maxQuoted/2)
	return fmt.Sprintf("%q, character %d", strings.ToValidUTF8(strings.Join(strings.Fields(text[from:to]), " "), ""), len([]rune(text[:offset]))+1)
}
