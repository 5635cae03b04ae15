package spec

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

var tokenRules = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Number", Pattern: `(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`},
	{Name: "Name", Pattern: `[A-Za-z][A-Za-z0-9_]*`},
	{Name: "Suffix", Pattern: `_[A-Za-z0-9]+`},
	{Name: "Relation", Pattern: `<=|>=|<|>|==?`},
	{Name: "Operator", Pattern: `\*\*|[-+*/^(),]`},
	{Name: "space", Pattern: `\s+`},
})

// TestExpressionsAreThoseOfTheGrammar compares the trees of random texts with those of a parser that is made of the grammar.
func TestExpressionsAreThoseOfTheGrammar(t *testing.T) {
	grammar := participle.MustBuild[statement](participle.Lexer(tokenRules), participle.Elide("space"))
	words := []string{"1", "20", ".", "e", "E", "+", "-", "*", "**", "/", "^", "(", ")", ",", "<", "=", ">", "x", "u_xx", "_", "t0", " ", "\t", "\n", "\u00a0", "é", "$", "and"}
	ends := []string{"x", "2.5", "u_xx", "(x)", "(x)_x", "sin(x)", "atan2(x, 1)", "f()", "(-x)^2"}
	joins := []string{"+", "-", "*", "/", "^", "**", " and ", "<=", "=", "-(", "+(", "*(", ")*", ")", ", ", " "}
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for k := range 40_000 {
		var text strings.Builder
		for range random.IntN(12) {
			if k%2 == 0 {
				text.WriteString(words[random.IntN(len(words))])
				continue
			}
			text.WriteString(ends[random.IntN(len(ends))])
			text.WriteString(joins[random.IntN(len(joins))])
		}
		if k%2 == 1 {
			text.WriteString("x")
		}
		s := text.String()
		if strings.TrimSpace(s) == "" {
			continue
		}
		got, gotErr := parse(s)
		want, wantErr := grammar.ParseString("", s)
		if (gotErr == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, want %v", s, gotErr, wantErr)
		}
		if gotErr == nil {
			accepted++
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%q is another tree than by the grammar", s)
			}
		}
	}
	if accepted < 4000 {
		t.Errorf("only %d texts are expressions", accepted)
	}
}

// TestTokensAreThoseOfTheRules compares the tokens of random texts with those that regular expressions find.
func TestTokensAreThoseOfTheRules(t *testing.T) {
	names := map[lexer.TokenType]string{}
	for name, kind := range tokenRules.Symbols() {
		names[kind] = name
	}
	ours := []string{numberToken: "Number", nameToken: "Name", suffixToken: "Suffix", relationToken: "Relation", operatorToken: "Operator"}
	parts := []string{"1", "20", ".", "e", "E", "+", "-", "*", "**", "/", "^", "(", ")", ",", "<", "=", ">", "x", "u_xx", "_", "t0", " ", "\t", "\n", "\u00a0", "é", "$", "and"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		s := text.String()
		rules, err := tokenRules.Lex("", strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		got, end := tokensOf(s)
		for {
			w, err := rules.Next()
			var stopped *lexer.Error
			switch {
			case errors.As(err, &stopped):
				if len(got) > 0 || end != stopped.Pos.Offset {
					t.Fatalf("%q: stops at %d with %d tokens left, want %d", s, end, len(got), stopped.Pos.Offset)
				}
			case w.EOF():
				if len(got) > 0 || end != len(s) {
					t.Fatalf("%q: stops at %d with %d tokens left, want the end", s, end, len(got))
				}
			case names[w.Type] == "space":
				continue
			case len(got) == 0 || ours[got[0].kind] != names[w.Type] || got[0].text != w.Value || got[0].offset != w.Pos.Offset:
				t.Fatalf("%q: %v, want %s %q at %d", s, got, names[w.Type], w.Value, w.Pos.Offset)
			default:
				got = got[1:]
				continue
			}
			break
		}
	}
}
