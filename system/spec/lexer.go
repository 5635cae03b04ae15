package spec

import "strings"

// The kinds of tokens.
const (
	numberToken = iota
	nameToken
	suffixToken
	relationToken
	operatorToken
	endToken // behind the last one
)

// token is a part of an expression that is not divided further.
type token struct {
	kind   int
	text   string
	offset int // in the expression, in bytes
}

// tokensOf divides an expression into tokens, up to a character that begins none. end is where that is, or the length of the
// text.
func tokensOf(text string) (tokens []token, end int) {
	for {
		end += spanOf(text[end:], isSpace)
		if end == len(text) {
			return tokens, end
		}
		kind, n := nextToken(text[end:])
		if n == 0 {
			return tokens, end
		}
		tokens = append(tokens, token{kind, text[end : end+n], end})
		end += n
	}
}

// nextToken returns the kind and the length of the token that a text begins with; the length is 0 if it begins with none.
func nextToken(text string) (kind, n int) {
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
