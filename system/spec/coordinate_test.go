package spec

import (
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// A place on a command line may state its unit, which is converted; what cannot be is refused with both units.
func TestCoordinatesHaveUnits(t *testing.T) {
	length := system.Variable{Name: "x", Unit: "mm"}
	time := system.Variable{Name: "t", Unit: "h", Start: "2024-05-01"}
	for _, c := range []struct {
		text string
		of   system.Variable
		want float64
		bare bool
		err  string
	}{
		{"3", length, 3, true, ""},
		{"3", system.Variable{Name: "x"}, 3, false, ""},
		{"3mm", length, 3, false, ""},
		{"3 m", length, 3000, false, ""},
		{"-2.5e-1 m", length, -250, false, ""},
		{"1 in", length, 25.4, false, ""},
		{".5m", length, 500, false, ""},
		{"90 min", time, 1.5, false, ""},
		{"2024-05-02 06:00", time, 30, false, ""},
		{"12", time, 12, true, ""},
		{"3 s", length, 0, false, "cannot be converted to that of x, mm"},
		{"3 parsecs", length, 0, false, "cannot be converted to that of x, mm"},
		{"3 m", system.Variable{Name: "x"}, 0, false, "states no unit of x"},
		{"20 degC", system.Variable{Name: "T", Unit: "K"}, 0, false, "different zeros"},
		{"20 K", system.Variable{Name: "T", Unit: "K"}, 20, false, ""},
		{"3 m", system.Variable{Name: "x", Unit: "psu"}, 0, false, "psu"},
		{"far", length, 0, false, "a number is expected"},
		{"1e999 m", length, 0, false, "too large"},
		{"1e308 m", length, 0, false, "too large"},
	} {
		x, bare, err := ParseCoordinate(c.text, c.of)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want one with %q", c.text, err, c.err)
			}
		case err != nil || math.Abs(x-c.want) > 1e-12*math.Abs(c.want) || bare != c.bare:
			t.Errorf("%s: %.17g, %v, %v; want %g, %v", c.text, x, bare, err, c.want, c.bare)
		}
	}
}
