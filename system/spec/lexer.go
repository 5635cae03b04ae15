package spec

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// expressionLexer divides expressions into tokens. One that is made of regular expressions would do as well, but makes the
// program for browsers 35 kB larger, which is then beyond its 2.5 MB.
var expressionLexer lexer.Definition = tokenizer{}

// The kinds of tokens.
const (
	numberToken = lexer.EOF - 1 - iota
	nameToken
	suffixToken
	relationToken
	operatorToken
)

type tokenizer struct{}

// Symbols implements lexer.Definition.
func (tokenizer) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Number": numberToken, "Name": nameToken, "Suffix": suffixToken, "Relation": relationToken, "Operator": operatorToken,
	}
}

// Lex implements lexer.Definition.
func (t tokenizer) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	var text strings.Builder
	if _, err := io.Copy(&text, r); err != nil {
		return nil, err
	}
	return t.LexString(name, text.String())
}

// LexString implements lexer.StringDefinition.
func (tokenizer) LexString(name, text string) (lexer.Lexer, error) {
	return &tokens{text, lexer.Position{Filename: name, Line: 1, Column: 1}}, nil
}

// tokens is the rest of an expression.
type tokens struct {
	rest string
	at   lexer.Position
}

// Next implements lexer.Lexer.
func (t *tokens) Next() (lexer.Token, error) {
	t.skip(spanOf(t.rest, isSpace))
	if t.rest == "" {
		return lexer.EOFToken(t.at), nil
	}
	kind, n := nextToken(t.rest)
	if n == 0 {
		r, _ := utf8.DecodeRuneInString(t.rest)
		return lexer.Token{}, &lexer.Error{Msg: fmt.Sprintf("invalid input text %q", r), Pos: t.at}
	}
	token := lexer.Token{Type: kind, Value: t.rest[:n], Pos: t.at}
	t.skip(n)
	return token, nil
}

func (t *tokens) skip(n int) {
	t.at.Advance(t.rest[:n])
	t.rest = t.rest[n:]
}

// nextToken returns the kind and the length of the token that a text begins with; the length is 0 if it begins with none.
func nextToken(text string) (kind lexer.TokenType, n int) {
	switch c := text[0]; {
	case isDigit(c), c == '.' && len(text) > 1 && isDigit(text[1]):
		return numberToken, numberLength(text)
	case isLetter(c):
		return nameToken, nameLength(text)
	case c == '_':
		if n := spanOf(text[1:], isAlphanumeric); n > 0 {
			return suffixToken, 1 + n
		}
		return suffixToken, 0
	}
	for _, relation := range []string{"<=", ">=", "==", "<", ">", "="} {
		if strings.HasPrefix(text, relation) {
			return relationToken, len(relation)
		}
	}
	switch {
	case strings.HasPrefix(text, "**"):
		return operatorToken, 2
	case strings.IndexByte("-+*/^(),", text[0]) >= 0:
		return operatorToken, 1
	}
	return operatorToken, 0
}

// numberLength is that of the number that a text begins with: 1, 1., 1.5, .5, each with an exponent or not.
func numberLength(text string) int {
	n := spanOf(text, isDigit)
	if n < len(text) && text[n] == '.' {
		n++
		n += spanOf(text[n:], isDigit)
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		exponent := n + 1
		if exponent < len(text) && (text[exponent] == '-' || text[exponent] == '+') {
			exponent++
		}
		if digits := spanOf(text[exponent:], isDigit); digits > 0 {
			return exponent + digits
		}
	}
	return n
}

// nameLength is that of the name that a text begins with: a letter, then letters, digits and underscores.
func nameLength(text string) int {
	return spanOf(text, func(c byte) bool { return isAlphanumeric(c) || c == '_' })
}

// spanOf returns how many bytes at the beginning of a text are of a kind.
func spanOf(text string, is func(c byte) bool) int {
	for i := range len(text) {
		if !is(text[i]) {
			return i
		}
	}
	return len(text)
}

func isDigit(c byte) bool        { return c >= '0' && c <= '9' }
func isLetter(c byte) bool       { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }
func isSpace(c byte) bool        { return strings.IndexByte(" \t\n\f\r", c) >= 0 }
