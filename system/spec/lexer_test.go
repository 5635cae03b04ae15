package spec

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// TestTokensAreThoseOfTheRules compares the tokens of random texts with those that regular expressions find.
func TestTokensAreThoseOfTheRules(t *testing.T) {
	rules := lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Number", Pattern: `(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`},
		{Name: "Name", Pattern: `[A-Za-z][A-Za-z0-9_]*`},
		{Name: "Suffix", Pattern: `_[A-Za-z0-9]+`},
		{Name: "Relation", Pattern: `<=|>=|<|>|==?`},
		{Name: "Operator", Pattern: `\*\*|[-+*/^(),]`},
		{Name: "space", Pattern: `\s+`},
	})
	names, ours := map[lexer.TokenType]string{}, map[lexer.TokenType]string{}
	for name, kind := range rules.Symbols() {
		names[kind] = name
	}
	for name, kind := range expressionLexer.Symbols() {
		ours[kind] = name
	}
	parts := []string{"1", "20", ".", "e", "E", "+", "-", "*", "**", "/", "^", "(", ")", ",", "<", "=", ">", "x", "u_xx", "_", "t0", " ", "\t", "\n", "\u00a0", "é", "$", "and"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		want, err1 := rules.Lex("", strings.NewReader(text.String()))
		got, err2 := expressionLexer.Lex("", strings.NewReader(text.String()))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for {
			w, err1 := want.Next()
			for err1 == nil && names[w.Type] == "space" {
				w, err1 = want.Next()
			}
			g, err2 := got.Next()
			if (err1 == nil) != (err2 == nil) || err1 != nil && (err1.(*lexer.Error).Pos != err2.(*lexer.Error).Pos) {
				t.Fatalf("%q: %v, want %v", text.String(), err2, err1)
			}
			if err1 != nil {
				break
			}
			if names[w.Type] != ours[g.Type] || w.Value != g.Value || w.Pos != g.Pos {
				t.Fatalf("%q: %s %q at %v, want %s %q at %v", text.String(), ours[g.Type], g.Value, g.Pos, names[w.Type], w.Value, w.Pos)
			}
			if w.EOF() {
				break
			}
		}
	}
}

func TestDatesAreToldFromExpressions(t *testing.T) {
	starts, day := regexp.MustCompile(`^[0-9]{4}-[0-9]|^[0-9]+/[0-9]+/`), regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)
	for _, text := range []string{"", "2024-05-01", "2024-5-1", "2024 - 5", "2*365", "1/2", "1/2/2024", "12345-6", "2024-05-0x", "2024-05-01 12:00", "05/06/2024", "2024/05", "/1/", "1//2", "2024-", "999-1-1"} {
		if got, want := startsAsDate(text), starts.MatchString(text); got != want {
			t.Errorf("%q starts as a date: %v", text, got)
		}
		if got, want := isDay(text), day.MatchString(text); got != want {
			t.Errorf("%q is a day: %v", text, got)
		}
	}
}
