package describe

import (
	"strings"
	"testing"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// The region that data leave open is one of dates.
func TestOpenRegionHasDates(t *testing.T) {
	variables := []system.Variable{{Name: "x", Max: 1}, {Name: "t", Max: 9, Unit: "d", Start: "2024-02-27"}}
	c := posterior.Check{Kind: "region", Message: "the data hardly determine u in 50 % of the domain, within x = 0 to 1, t = 1.5 to 9"}
	dateRegion(&c, variables)
	if want := "within x = 0 to 1, t = 1.5 to 9 (2024-02-28 12:00 to 2024-03-07)"; !strings.HasSuffix(c.Message, want) {
		t.Errorf("found %q", c.Message)
	}
	variables[1].Start = ""
	before := c
	if dateRegion(&c, variables); c != before {
		t.Errorf("found %q", c.Message)
	}
}
