package main

import (
	"strings"
	"testing"
)

// TestPagesFitTheTerminal: the last cell of a line goes on below itself, word by word, and nothing is lost.
func TestPagesFitTheTerminal(t *testing.T) {
	p := &page{}
	long := strings.TrimSpace(strings.Repeat("words of a line ", 12))
	lines := []string{"name\t1.5\t" + long, "- " + long, "short\t2", strings.Repeat("x", 100), "a\t" + strings.Repeat("y", 70) + " " + strings.Repeat("z", 70)}
	for _, l := range lines {
		p.section("", l)
	}
	for l := range strings.Lines(p.text.String()) {
		if n := len(l) - 1; n > 80 && strings.Contains(strings.TrimSpace(l), " ") {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	got, want := strings.Fields(p.text.String()), strings.Fields(strings.Join(lines, " "))
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the page is\n%s", p.text.String())
	}
	if !strings.Contains(p.text.String(), "\n               words") || !strings.Contains(p.text.String(), "\n    words") && !strings.Contains(p.text.String(), "\n    of") {
		t.Errorf("lines do not go on below their last cell:\n%s", p.text.String())
	}
}

func TestTheListOfExamplesFitsTheTerminal(t *testing.T) {
	for l := range strings.Lines(succeed(t, "example")) {
		if n := len([]rune(l)) - 1; n > 80 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
}
