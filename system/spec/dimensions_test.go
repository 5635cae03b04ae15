package spec

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// remarksOn reads a problem about T(x, t) with an equation, and returns what is remarked.
func remarksOn(t *testing.T, variables, rest, equation string) string {
	t.Helper()
	text := fmt.Sprintf("[variables]\n%s\n%s\n[[equation]]\npde = %q\n[[sensors]]\nfile = \"r.csv\"\nsigma = 0.1\n", variables, rest, equation)
	f, err := ReadFS(fstest.MapFS{"problem.toml": {Data: []byte(text)}, "r.csv": {Data: []byte("x,t,value\n0.5,1,2\n0.6,2,3\n")}}, "problem.toml", nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var why []string
	for _, r := range f.Remarks {
		if r.File != "problem.toml" || r.Line == 0 || !strings.HasPrefix(r.Key, "equation") {
			t.Errorf("a remark has the place %s:%d: %s", r.File, r.Line, r.Key)
		}
		why = append(why, r.Why)
	}
	return strings.Join(why, "; ")
}

const hoursAndMetres = `x = { range = [0, 1], unit = "m" }
t = { range = [0, 10], unit = "h" }`

// A diffusivity in any unit, in an equation in metres and hours.
func TestUnitOfACoefficientIsCompared(t *testing.T) {
	for _, test := range []struct{ unit, want string }{
		{"m2/h", ""}, {"m^2/h", ""}, {"m²/h", ""}, {"m² h⁻¹", ""}, {"m2/hr", ""}, {"m^2 h^-1", ""}, {"m*m/h", ""},
		{"m2/s", "D is in m2/s, but the equation needs m2/h: 1 m2/s = 3600 m2/h"},
		{"m^2/s", "D is in m^2/s, but the equation needs m2/h: 1 m2/s = 3600 m2/h"},
		{"m²/s", "D is in m²/s, but the equation needs m2/h: 1 m2/s = 3600 m2/h"},
		{"mm2/s", "D is in mm2/s, but the equation needs m2/h: 1 mm2/s = 0.0036 m2/h"},
		{"cm²/d", "D is in cm²/d, but the equation needs m2/h: 1 cm2/d = 4.16667e-06 m2/h"},
		{"m/h", "D is in m/h, but the equation needs m2/h"},
		{"1/d", "D is in 1/d, but the equation needs m2/h"},
		{"W/(m K)", "D is in W/(m K), but the equation needs m2/h"},
		{"psu", ""}, {"darcy", ""}, {"m2/h K/J/", ""}, {"whatever it is", ""},
	} {
		for _, field := range []string{"", "[fields]\nT = { unit = \"degC\" }\n", "[fields]\nT = { unit = \"whatever\" }\n"} {
			rest := field + fmt.Sprintf("[parameters]\nD = { min = 0.1, max = 10, unit = %q }\n", test.unit)
			for _, equation := range []string{"T_t = D*T_xx", "T_t - D*T_xx = 0", "T_t = (D*T_x)_x", "T_t/D = T_xx", "0 = -D*T_xx + T_t", "T_t = D*(T_xx + T_x/x)"} {
				if got := remarksOn(t, hoursAndMetres, rest, equation); got != test.want {
					t.Errorf("%q, %s: found %q, expected %q", test.unit, equation, got, test.want)
				}
			}
		}
	}
}

func TestUnitsOfTermsAreCompared(t *testing.T) {
	heat := `[fields]
T = { unit = "°C" }
[parameters]
rho = { min = 1000, max = 3000, unit = "kg/m3" }
c = { min = 500, max = 2000, unit = "%s" }
k = { min = 0.1, max = 10, unit = "W/(m K)" }
`
	for _, test := range []struct{ variables, rest, equation, want string }{
		// quiet
		{hoursAndMetres, fmt.Sprintf(strings.ReplaceAll(heat, "W/(m K)", "J/(m h K)"), "J/(kg K)"), "rho*c*T_t = k*T_xx", ""},
		{hoursAndMetres, "[constants]\nD = { value = 0.3, unit = \"m2/h\" }\n", "T_t = D*T_xx", ""},
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[constants]\nL = { value = 1, unit = \"m\" }\nq = { value = 3, unit = \"K/h\" }\n", "T_t = q*(1 - x/L)", ""},
		{hoursAndMetres, "[constants]\nD = 0.3\n", "T_t = D*T_xx", ""},                                                                                      // a constant has no unit
		{hoursAndMetres, "[parameters]\nD = { min = 0.1, max = 1, unit = \"m2/s\" }\n", "T_t = 3600*D*T_xx", ""},                                            // converted
		{hoursAndMetres, "[parameters]\nq = { unit = \"K/s\" }\n", "T_t = 0.1*T_xx + q", ""},                                                                // T has no unit
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[parameters]\nq = { unit = \"K\" }\n", "T_t = q*sin(x)", "q is in K, but the equation needs K/h"}, // 1 may stand for a rate ...
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n", "T_t + T = 0", ""},                                                                             // ... here, too
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[parameters]\nr = { min = 0.1, max = 1, unit = \"1/h\" }\n", "T_t = r*T*(1 - T)", ""},             // the 1 hides the capacity
		{"x = { range = [0, 1], unit = \"m\" }\nt = [0, 10]", "[parameters]\nD = { min = 0.1, max = 1, unit = \"m2/s\" }\n", "T_t = D*T_xx", ""},
		{hoursAndMetres, "[fields]\nT = { unit = \"degC\" }\n[parameters]\nk = { min = 0.1, max = 1, unit = \"1/h\" }\nTa = { mean = 20, sd = 5, unit = \"K\" }\n", "T_t = k*(Ta - T)", ""},
		{hoursAndMetres, "[fields]\nT = { unit = \"mm/a\" }\n[parameters]\na = { min = 0.1, max = 1, unit = \"m^0.5/h\" }\n", "T_t = a*sqrt(x)*T_x", ""},
		// wrong
		{hoursAndMetres, "[constants]\nD = { value = 0.3, unit = \"m2/s\" }\n", "T_t = D*T_xx", "D is in m2/s, but the equation needs m2/h: 1 m2/s = 3600 m2/h"},
		{hoursAndMetres, "[constants]\nD = { value = \"3/10\", unit = \"m2/s\" }\n[parameters]\nF = { min = 1, max = 2, unit = \"1\" }\n", "F*T_t = D*T_xx", "D is in m2/s, but the equation needs m2/h: 1 m2/s = 3600 m2/h"},
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[constants]\nq = { value = 3, unit = \"K/s\" }\n", "T_t = q", "q is in K/s, but the equation needs K/h: 1 K/s = 3600 K/h"},
		{hoursAndMetres, fmt.Sprintf(heat, "J/(kg K)"), "rho*c*T_t = k*T_xx", "the terms rho*c*T_t and k*T_xx are in different units, J/(h m3) and W/m3: 1 J/(h m3) = 0.000277778 W/m3"},
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[parameters]\nq = { unit = \"K/s\" }\n", "T_t = q", "q is in K/s, but the equation needs K/h: 1 K/s = 3600 K/h"},
		{hoursAndMetres, "[fields]\nT = { unit = \"degC\" }\n[parameters]\nq = { unit = \"degC/d\" }\n", "T_t = q*exp(-x/0.2)", "q is in degC/d, but the equation needs K/h: 1 K/d = 0.0416667 K/h"},
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[parameters]\nk = { min = 0.1, max = 1, unit = \"1/d\" }\nTa = { unit = \"K\" }\n", "T_t = k*(Ta - T)", "k is in 1/d, but the equation needs 1/h: 1/d = 0.0416667/h"},
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[parameters]\nk = { min = 0.1, max = 1, unit = \"1/h\" }\nTa = { unit = \"m\" }\n", "T_t = k*(Ta - T)", "Ta is in m, but the equation needs K"},
		{hoursAndMetres, "[fields]\nT = { unit = \"m\" }\n[parameters]\nTr = { min = 0.1, max = 1, unit = \"m2/d\" }\nS = { min = 0.1, max = 1, unit = \"-\" }\n", "S*T_t = Tr*T_xx", "Tr is in m2/d, but the equation needs m2/h: 1 m2/d = 0.0416667 m2/h"},
		{hoursAndMetres, "[fields]\nT = { unit = \"K\" }\n[parameters]\nC = { min = 1, max = 10, unit = \"J/(m3 K)\" }\nk = { min = 0.1, max = 1, unit = \"W/(m K)\" }\n", "C*T_t = k*T_xx", "the terms C*T_t and k*T_xx are in different units, J/(h m3) and W/m3: 1 J/(h m3) = 0.000277778 W/m3. With C in W h/(m3 K), or k in J/(h m K), they are in the same"},
		{"x = { range = [0, 1], unit = \"m\" }\nt = { range = [0, 10], unit = \"mm\" }", "", "T_xx + T_tt = 0", "the terms T_xx and T_tt are in different units, 1/m2 and 1/mm2: 1/m2 = 1e-06/mm2"},
	} {
		if got := remarksOn(t, test.variables, test.rest, test.equation); got != test.want {
			t.Errorf("%s with\n%s%s\nfound    %q,\nexpected %q", test.equation, test.variables, test.rest, got, test.want)
		}
	}
}

// Silence may mean that units agree or that they are not known: File.Units tells which.
func TestWhetherUnitsWereCompared(t *testing.T) {
	kelvins := "[fields]\nT = { unit = \"K\" }\n"
	for _, test := range []struct {
		rest, equation string
		agree          bool
		missing        string
	}{
		{kelvins + "[parameters]\nD = { min = 0.1, max = 1, unit = \"m2/h\" }\n", "T_t = D*T_xx", true, ""},
		{kelvins + "[parameters]\nD = { min = 0.1, max = 1, unit = \"m2/s\" }\n", "T_t = D*T_xx", false, ""}, // there is a remark
		{kelvins + "[parameters]\nD = { min = 0.1, max = 1 }\nq = {}\n", "T_t = D*T_xx + q", false, "D, q"},
		{kelvins + "[parameters]\nD = { min = 0.1, max = 1, unit = \"furlong2/h\" }\n", "T_t = D*T_xx", false, `"furlong"`},
		{kelvins, "T_t = 3600*T_xx", false, "3600"},
		{kelvins, "T_t = -T", false, "1"},
		{kelvins, "T_t = hypot(x, 1)*T_xx", false, "a function"},
		{kelvins, "T_t = sin(x)", false, ""}, // one term has an unknown
	} {
		text := fmt.Sprintf("[variables]\n%s\n%s\n[[equation]]\npde = %q\n[[sensors]]\nfile = \"r.csv\"\nsigma = 0.1\n", hoursAndMetres, test.rest, test.equation)
		f, err := ReadFS(fstest.MapFS{"problem.toml": {Data: []byte(text)}, "r.csv": {Data: []byte("x,t,value\n0.5,1,2\n0.6,2,3\n")}}, "problem.toml", nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Units) != 1 || f.Units[0].Where != "equation 1" || f.Units[0].Agree != test.agree || strings.Join(f.Units[0].Missing, ", ") != test.missing {
			t.Errorf("%s with %s\nfound %+v", test.equation, test.rest, f.Units)
		}
	}
}

// A wrong unit is said once, however often it occurs.
func TestRemarksAreNotRepeated(t *testing.T) {
	rest := "[parameters]\nD = { min = 0.1, max = 10, unit = \"m2/s\" }\n" + strings.Repeat("[[equation]]\npde = \"T_t = D*T_xx\"\n", 20)
	if got := remarksOn(t, hoursAndMetres, rest, "T_t = D*T_xx"); strings.Count(got, "but the equation needs") != 1 {
		t.Errorf("found %q", got)
	}
}

// Deep and long expressions end.
func TestUnitsOfLongExpressions(t *testing.T) {
	rest := "[parameters]\nD = { min = 0.1, max = 10, unit = \"m2/h\" }\n"
	for _, equation := range []string{
		"T_t = D*T_xx" + strings.Repeat(" + D*T_xx", 300),
		"T_t = " + strings.Repeat("(", 60) + "D*T_xx" + strings.Repeat(")", 60),
		"T_t = D*T_xx + T^9*T_t*" + strings.Repeat("D*", 50) + "T",
	} {
		if got := remarksOn(t, hoursAndMetres, rest, equation); strings.Contains(got, "D is in") {
			t.Errorf("found %q", got)
		}
	}
}
