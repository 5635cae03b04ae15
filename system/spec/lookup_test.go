package spec

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

const tabulated = "[variables]\nx = [0, 2]\n[tables]\nk = \"k.csv\"\n[[equation]]\npde = \"k(x)*u_x = 1\"\npoints = 3\n[[sensors]]\nfile = \"s.csv\"\nsigma = 1\n"

func readTabulated(problem, table string) (*File, error) {
	return ReadFS(fstest.MapFS{
		"p.toml": &fstest.MapFile{Data: []byte(problem)},
		"k.csv":  &fstest.MapFile{Data: []byte(table)},
		"s.csv":  &fstest.MapFile{Data: []byte("x,value\n1,1\n")},
	}, "p.toml", nil)
}

func TestTablesAreInterpolated(t *testing.T) {
	// x y + 3 y - z at the nodes of an uneven grid, in a mixed order: linear in each.
	table := "b,a,c,value\n0,5,0,0\n4,5,0,32\n0,-1,0,0\n4,-1,0,8\n1,5,0,8\n1,-1,0,2\n4,5,2,30\n0,5,2,-2\n4,-1,2,6\n0,-1,2,-2\n1,-1,2,0\n1,5,2,6\n"
	for call, want := range map[string]float64{
		"k(1, 5, 0)":                      8,
		"k(4, -1, 2)":                     6,
		"k(2.5, 1.5, 0.5)":                2.5*1.5 + 3*2.5 - 0.5,
		"k(0.5, 4, 2) + 2*k(0,0,0)":       0.5*4 + 1.5 - 2,
		"-k(3, 0.5, 1)^2":                 -(1.5 + 9 - 1) * (1.5 + 9 - 1),
		"sqrt(k(1 + 3, 2, 0))":            math.Sqrt(20),
		"k(x, x + 1, x/2)":                1.5*2.5 + 4.5 - 0.75,
		"max(k(x, x, x), 1, -k(0, 0, 2))": 1.5*1.5 + 4.5 - 1.5,
	} {
		problem := strings.Replace(tabulated, "k(x)*u_x = 1", "u_x = "+call, 1)
		file, err := readTabulated(problem, table)
		if err != nil {
			t.Errorf("%s: %v", call, err)
			continue
		}
		if got := -valueAt(file.Problem.Equations[0].Residual.Known, []float64{1.5}, 0); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", call, got, want)
		}
	}
}

func TestBadTablesAreRefused(t *testing.T) {
	const good = "x,value\n0,1\n2,3\n"
	for _, c := range []struct{ problem, table, want string }{
		{"", "x,y\n0,1\n", "k.csv:1: value: there is no column value; found x and y"},
		{"", "value,x\n0,1\n", "k.csv:1: value: it must be the last column; those before it are the table's arguments"},
		{"", "value\n0\n", "k.csv:1: a table has 1 to 4 arguments; found 0 columns before value"},
		{"", "a,b,c,d,e,value\n", "k.csv:1: a table has 1 to 4 arguments; found 5 columns before value"},
		{"", "x,value\n", "p.toml:4: tables.k: k.csv: the file has no rows after the first line"},
		{"", "x,value\n0,1\n0,2\n", "k.csv: x: found 1 different values; at least 2 are needed to interpolate"},
		{"", "x,value\n0,1\n1,2\n0,3\n", "p.toml:4: tables.k: k.csv: there are two rows with x = 0"},
		{"", "x,y,value\n0,0,1\n0,1,1\n1,1,1\n", "p.toml:4: tables.k: k.csv: the rows are no grid: there is none with x = 1, y = 0"},
		{"", "x,value\n0,one\n", `k.csv:2: value: found "one"; a number is expected`},
		{"", "", "p.toml:4: tables.k: k.csv: the file is empty; a first line with the columns' names is expected"},
		{"", "x,value\n0,1\n1,2\n", "p.toml:6: equation.pde: the coefficient of u_x is NaN, as outside of a table, at x = "},
		{`"k.csv"`, `"l.csv"`, "p.toml:4: tables.k: l.csv: file does not exist"},
		{`"k.csv"`, `3`, "p.toml:4: tables.k: expected text in quotes, found 3"},
		{`k = "k.csv"`, `x = "k.csv"`, "p.toml:4: tables.x: x is already a variable"},
		{"k(x)", "k(x, 1)", "p.toml:6: equation.pde: the table k takes 1 argument, found 2"},
		{"k(x)", "k", "p.toml:6: equation.pde: k is a table: its arguments must follow in parentheses"},
		{"k(x)", "k(u)", `p.toml:6: equation.pde: "k(u)*u_x" is not linear in u, and the table k has no derivative: it is piecewise linear`},
	} {
		problem, table := tabulated, c.table
		if c.problem != "" {
			problem, table = strings.Replace(tabulated, c.problem, c.table, 1), good
		}
		if _, err := readTabulated(problem, table); err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.HasSuffix(c.want, " ") && err.Error() != c.want {
			t.Errorf("%q: error %v, want %s", c.table, err, c.want)
		}
	}
	if _, err := readTabulated(tabulated, good); err != nil {
		t.Error(err)
	}
}
