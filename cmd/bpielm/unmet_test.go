package main

import (
	"strings"
	"testing"

	"github.com/bpielm/bpielm/cmd/bpielm/examples"
)

// Readings that contradict a condition or an equation are not followed in
// silence.
func TestContradictionsAreTold(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"condition": {"equals = \"a = b\"\nexact = true", "equals = \"a = b + 1000\"", "the condition a - b = 1000 on x = 0.2 is not met"},
		"equation":  {"kb*b_xx = 0", "b = 5000", "the equation b = 5000 is not met"},
	} {
		path := writeExample(t, "wall")
		edit(t, path, c.from, c.to)
		r := solveJSON(t, path)
		warnings, _ := r["warnings"].([]any)
		if len(warnings) == 0 || !strings.Contains(warnings[0].(string), c.want) {
			t.Errorf("%s: warnings %v, want %q", name, warnings, c.want)
		}
		if summary := succeed(t, "solve", path); !strings.Contains(summary, "Warnings\n  "+c.want) {
			t.Errorf("%s: the summary does not warn:\n%s", name, summary)
		}
	}
}

// What holds is not called unmet.
func TestExamplesGiveNoWarnings(t *testing.T) {
	names := []string{}
	for _, e := range examples.All {
		names = append(names, e.Name)
	}
	for _, s := range examples.Studies {
		names = append(names, s.Name)
	}
	for _, name := range names {
		if w := solveJSON(t, writeExample(t, name))["warnings"]; w != nil {
			t.Errorf("%s: %v", name, w)
		}
	}
}
