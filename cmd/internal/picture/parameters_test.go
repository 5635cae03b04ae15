package picture

import "testing"

// A prior does not push the label of an axis out of the panel: a long one has a line of its own.
func TestPriorIsBesideOrBelowTheLabel(t *testing.T) {
	for axis, want := range map[string]string{
		"q (K/h)":               "q (K/h) (prior: wide)",
		"transmissivity (m2/d)": "transmissivity (m2/d)\n(prior: wide)",
	} {
		if got := withPrior(axis, "wide"); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}
