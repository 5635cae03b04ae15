package main

import (
	"math"
	"strings"
	"testing"
)

// A strong correlation is explained, a weak one is not.
func TestStrongCorrelationIsExplained(t *testing.T) {
	for r, want := range map[float64]string{
		-0.964: "tell a and c apart poorly: if a is higher than its mean, c is lower",
		0.95:   "tell a and c apart poorly: if a is higher than its mean, c is higher",
		0.5:    "", -0.5: "", math.NaN(): "",
	} {
		at := func(i, j int) float64 {
			if i == 2 && j == 0 {
				return r
			}
			return 0.1
		}
		got := strings.Join(correlationMeaning([]string{"a", "b", "c"}, at), " ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("correlation %g: %q", r, got)
		}
	}
}
