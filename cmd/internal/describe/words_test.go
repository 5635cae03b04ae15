package describe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
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

// A reading that does not fit is named by its line, and its value may be stated as missing if no other reading is near it.
func TestReadingIsLeftOutByItsValue(t *testing.T) {
	f := &spec.File{
		Problem:     &system.Problem{Sensors: []system.Sensors{{Values: []float64{18, 85, 17.5, 85, 18.5}}}},
		SensorFiles: []spec.SensorFile{{Name: "log.csv", Lines: []int{4, 5, 6, 7, 8}}},
	}
	for k, want := range map[int]string{
		2: "log.csv, line 5 is 85. Is it mistyped, or its position? Leave it out, as missing = [85] does, or use",
		1: "log.csv, line 4 is 85. Is it mistyped, or its position? Leave it out, or use",
	} {
		name := fmt.Sprintf("sensors \"log.csv\", reading %d", k)
		v := &posterior.Verdict{Checks: []posterior.Check{{Kind: "reading", Name: name, Message: name + " is 85. Is it mistyped, or its position? Leave it out, or use"}}}
		if NameReadings(v, f); v.Checks[0].Message != want {
			t.Errorf("%q, want %q", v.Checks[0].Message, want)
		}
	}
}
