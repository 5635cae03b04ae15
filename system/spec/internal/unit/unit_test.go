package unit

import (
	"math"
	"testing"
	"unicode/utf8"
)

// All ways to write a unit mean the same.
func TestSpellings(t *testing.T) {
	for _, group := range [][]string{
		{"m2/s", "m^2/s", "m²/s", "m**2/s", "m2 s-1", "m² s⁻¹", "m²·s⁻¹", "m^2*s^-1", "m2/sec", "m^(2)/s"},
		{"1/d", "d-1", "d^-1", "d⁻¹", "/d", "1/day", "1/days"},
		{"W/(m K)", "W/(m*K)", "W/(m·K)", "W m-1 K-1", "W·m⁻¹·K⁻¹", "W/m/K", "W/(m degC)", "W/(m °C)", "J/(s m K)"},
		{"K", "degC", "°C", "deg C", "° C", "Celsius", "kelvin"},
		{"W/m2", "W/m²", "kg/s3", "J/(m2 s)"},
		{"mm/a", "mm/yr", "mm/year"},
		{"um", "µm", "μm", "micron"},
		{"l/s", "L/s", "dm3/s", "1e-3 m3/s", "0.001 m3/s"},
		{"1000/mm²", "1000 mm-2", "1e9/m2"},
		{"hPa", "mbar"},
		{"-", "1", "dimensionless", "m/m", "m3/m3", "rad"},
		{"h", "hr", "hour", "60 min", "3600 s"},
		{"kN/m", "N/mm"},
		{"m^0.5", "m^(1/2)"},
	} {
		first, ok := Parse(group[0])
		if !ok {
			t.Errorf("%q is not read", group[0])
		}
		for _, text := range group[1:] {
			u, ok := Parse(text)
			factor, same, comparable := u.Over(first)
			if !ok || !same || !comparable || math.Abs(factor-1) > 1e-12 {
				t.Errorf("%q is not %q, but %v (%g)", text, group[0], u, factor)
			}
		}
	}
}

func TestConversions(t *testing.T) {
	for _, c := range []struct {
		from, to string
		factor   float64
	}{
		{"m2/s", "m2/h", 3600}, {"m2/s", "mm2/s", 1e6}, {"mm/a", "m/s", 1e-3 / (365.25 * 86400)}, {"1/d", "1/h", 1.0 / 24}, {"bar", "kPa", 100}, {"ft", "m", 0.3048},
		{"psi", "kPa", 6.894757293168361}, {"kWh", "MJ", 3.6}, {"ha", "m2", 1e4}, {"cP", "mPa s", 1}, {"degF", "K", 5.0 / 9}, {"Ma", "a", 1e6}, {"%", "1", 0.01}, {"kg", "g", 1000}, {"cSt", "mm2/s", 1},
		{"week", "d", 7}, {"kcal", "J", 4184}, {"GPa", "N/mm2", 1000},
	} {
		from, _ := Parse(c.from)
		to, _ := Parse(c.to)
		if factor, same, ok := from.Over(to); !ok || !same || math.Abs(factor/c.factor-1) > 1e-12 {
			t.Errorf("1 %s = %g %s, and not %g", c.from, factor, c.to, c.factor)
		}
	}
}

// What is ambiguous or unknown is not guessed.
func TestWhatIsNotKnown(t *testing.T) {
	for _, text := range []string{"", " ", "W/m K", "W/m2K", "m/s*2/3 K", "m^", "m^x", "(m", "m)", "m//s", "N-m", "0 m", "m^99", "m^(1/0)", "m^(1/2", "1e", "m2 /s K", "**", "^2", "1e999 m", "((m^9)^9)^9"} {
		if u, ok := Parse(text); ok {
			t.Errorf("%q is read as %v", text, u)
		}
	}
	for _, text := range []string{"psu", "C", "F", "M", "kt", "NTU", "mD", "gal"} { // units of their own
		u, ok := Parse(text)
		if !ok {
			t.Errorf("%q cannot be read", text)
		}
		for _, other := range []string{"K", "m", "1", "kg", "s", "mol", "A"} {
			v, _ := Parse(other)
			if _, _, ok := u.Over(v); ok {
				t.Errorf("%s is compared with %s", text, other)
			}
		}
		if _, same, ok := u.Per(Of("d")).Over(u.Per(Of("h"))); !same || !ok {
			t.Errorf("%s/d is not compared with %s/h", text, text)
		}
	}
	metre, second := Of("m"), Of("s")
	if _, same, ok := metre.Over(second); same || !ok {
		t.Error("a metre is a second, or cannot be compared with it")
	}
}

func TestUnitsAreWritten(t *testing.T) {
	for from, want := range map[string]string{"m^2 h^-1": "m2/h", "W·m⁻²·K⁻¹": "W/(m2 K)", "1/d": "1/d", "m/m": "1", "1000/mm²": "1000/mm2", "m^0.5": "m^0.5", "K": "K"} {
		u, _ := Parse(from)
		if u.String() != want {
			t.Errorf("%s is written %s, not %s", from, u, want)
		}
	}
	if text := Of("K").Times(Unknown("T")).Known().String(); text != "K" {
		t.Errorf("found %s", text)
	}
}

// No text panics, and what is written is read again.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"m2/s", "W/(m K)", "1e-3 m^(1/2)", "°C", "((((", "1000/mm²", "m-", "e5", "1.2.3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, ok := Parse(text)
		if !ok || !utf8.ValidString(text) {
			return
		}
		v, ok := Parse(u.String())
		if !ok && len(u.powers) > 0 {
			return // a product of many powers may have larger ones than are read
		}
		if factor, same, comparable := u.Over(v); !ok || comparable && (!same || math.Abs(factor-1) > 1e-4) {
			t.Errorf("%q is written %v and read %v (%g)", text, u, v, factor)
		}
	})
}
