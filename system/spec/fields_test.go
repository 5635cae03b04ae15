package spec

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const unnamed = `[variables]
x = [0, 1]
t = [0, 1]

[constants]
k = 2

[parameters]
c_x = { unit = "K", label = "constant" }

[[equation]]
pde = "PDE"
points = 10

[[sensors]]
file = "a.csv"
measures = "MEASURES"
sigma = 0.1
`

func readUnnamed(pde, measures, more string) (*File, error) {
	text := more + strings.Replace(strings.Replace(unnamed, "PDE", pde, 1), "MEASURES", measures, 1)
	return ReadFS(fstest.MapFS{"p.toml": &fstest.MapFile{Data: []byte(text)}, "a.csv": &fstest.MapFile{Data: []byte("x,t,value\n0,0,1\n")}}, "p.toml", nil)
}

// The unknown is what the equations differentiate.
func TestTheUnknownIsWhatIsDifferentiated(t *testing.T) {
	for _, c := range []struct{ pde, measures, more, want string }{
		{"T_t = T_xx + c_x", "T", "", "T"},
		{"u_t = u_xx + c_x", "u", "", "u"},
		{"(k*head_x)_x = c_x*sin(x)", "head", "", "head"},
		{"u = c_x*x", "u", "", "u"},
		{"T_t = k_x*T_xx + c_x", "T", "", "error p.toml:12: equation.pde: unknown name k_x; did you mean c_x?"},
		{"T_t = T_xx + c_x", "u", "", `error p.toml:17: sensors.measures: unknown name u; known are T, c_x, k, t and x; the unknown is taken to be T: if u is another, state fields = ["T", "u"]`},
		{"T_t = S_xx + c_x", "T", "", `error p.toml: fields: the equations differentiate T and S: name those that are unknown, as fields = ["T"]; what is known belongs under [parameters], [constants] or [tables]`},
		{"T_t = S_xx + c_x", "T", "fields = [\"T\", \"S\"]\n", "T S"},
		{"T_t = c_xx + c_x", "T", "fields = [\"T\", \"c\"]\n", "error p.toml:10: parameters.c_x: c_x is already a derivative of the field c"},
		{"T_t = T_xx + c_x + q", "T", "[fields]\nT = { unit = \"K\", label = \"temperature\" }\nq = { over = [\"t\"], unit = \"W\" }\n", "T q"},
		{"T_t = T_xx + c_x", "T", "[fields]\nT = { units = \"K\" }\n", "error p.toml:2: fields.T.units: unknown key; did you mean unit?"},
		{"T_t = T_xx + c_x", "T", "[fields]\nT = { over = [\"y\"] }\n", `error p.toml:2: fields.T.over: "y" is no variable; the variables are x and t`},
	} {
		f, err := readUnnamed(c.pde, c.measures, c.more)
		got := ""
		if err != nil {
			got = "error " + err.Error()
		} else {
			got = strings.Join(f.Problem.Fields, " ")
		}
		if got != c.want {
			t.Errorf("%s:\n got  %s\n want %s", c.pde, got, c.want)
		}
	}
	f, err := readUnnamed("T_t = T_xx + c_x + q", "T", "[fields]\nT = { unit = \"K\", label = \"temperature\" }\nq = { over = [\"t\"], unit = \"W\" }\n")
	if err != nil {
		t.Fatal(err)
	}
	var axes []string
	for _, name := range []string{"T", "q", "c_x", "x"} {
		axes = append(axes, f.Axis(name))
	}
	if !slices.Equal(axes, []string{"temperature (K)", "q (W)", "constant (K)", "x"}) || f.Problem.DependsOn(1, 0) || !f.Problem.DependsOn(0, 0) {
		t.Errorf("%q, %v", axes, f.Problem.Over)
	}
}
