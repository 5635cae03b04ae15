package main

import (
	"fmt"
	"strings"
	"testing"
)

// If readings contradict a condition or an equation, the summary, the JSON and, with
// --strict, the exit status say so.
func TestContradictionsAreTold(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"condition": {"equals = \"a = b\"\nexact = true", "equals = \"a = b + 1000\"", "condition 1 (x = 0.2) does not hold"},
		"equation":  {"kb*b_xx = 0", "b = 5000", "the readings fit only where the equations are missed"},
	} {
		path := writeExample(t, "wall")
		edit(t, path, c.from, c.to)
		r := solveJSON(t, path)
		verdict := r["verdict"].(map[string]any)
		if verdict["sound"] != false {
			t.Errorf("%s: the verdict is %v", name, verdict)
		}
		warnings, _ := r["warnings"].([]any)
		if !strings.Contains(fmt.Sprint(warnings), c.want) {
			t.Errorf("%s: warnings %v, want %q", name, warnings, c.want)
		}
		if summary := succeed(t, "solve", path); !strings.Contains(summary, "not to be trusted as it stands:") || !strings.Contains(summary, "\n  - "+c.want) {
			t.Errorf("%s: the summary does not warn:\n%s", name, summary)
		}
		if status, _, stderr := execute("solve", path, "--strict"); status != 3 {
			t.Errorf("%s: with --strict the status is %d\n%s", name, status, stderr)
		}
	}
}
