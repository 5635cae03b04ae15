package spec

import (
	"slices"
	"strings"
	"testing"
)

// wallProblem has a field of the time alone, and a condition in a part of where it is.
const wallProblem = `
[fields]
u = ["x", "t"]
q = ["t"]

[variables]
x = [0, 1]
t = [0, 3]

[[equation]]
pde = "u_t = u_xx"
points = 30

[[condition]]
on = "x = 0"
equals = "q = -u_x"
points = 20

[[condition]]
on = "t = 0"
where = "x < 0.25"
equals = "u = 1"
points = 10

[[condition]]
on = "x = 1"
equals = "u_n + q_t = 0"
points = 5

[[sensors]]
file = "table.csv"
`

func TestFieldsOfSomeVariables(t *testing.T) {
	p := mustRead(t, wallProblem).Problem
	if !slices.Equal(p.Fields, []string{"u", "q"}) || len(p.Over) != 2 || p.Over[0] != nil || !slices.Equal(p.Over[1], []bool{false, true}) {
		t.Fatalf("fields %v over %v", p.Fields, p.Over)
	}
	if n := p.Columns(101); n != 101+51 {
		t.Errorf("with 101 neurons there are %d columns", n)
	}
	if terms := p.Conditions[2].Residual.Terms; len(terms) != 2 || terms[1].Field != 1 || !slices.Equal(terms[1].Derivative, []int{0, 1}) {
		t.Errorf("u_n + q_t is %v", terms)
	}
	all := mustRead(t, strings.Replace(wallProblem, `q = ["t"]`, `q = ["t", "x"]`, 1)).Problem
	if all.Over != nil {
		t.Errorf("fields of all variables are over %v", all.Over)
	}
}

func TestConditionsInAPartOfWhereTheyAre(t *testing.T) {
	c := mustRead(t, wallProblem).Problem.Conditions[1]
	if c.Name != "t = 0, x < 0.25" || c.Points.Rows() != 10 {
		t.Errorf("%d points on %s", c.Points.Rows(), c.Name)
	}
	for i := range c.Points.Rows() {
		if x := c.Points.Row(i); x[0] >= 0.25 || x[1] != 0 {
			t.Errorf("point %v", x)
		}
	}
}

func TestFieldsOfSomeVariablesAreRefused(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{`q = ["t"]`, `q = []`, `problem.toml:4: fields.q: expected a list of variables, as ["x"], found a list of 0; an unknown number stands under [parameters]`},
		{`q = ["t"]`, `q = "t"`, `problem.toml:4: fields.q: expected a list of variables, as ["x"], found "t"; an unknown number stands under [parameters]`},
		{`q = ["t"]`, `q = ["y"]`, `problem.toml:4: fields.q: "y" is no variable; the variables are x and t`},
		{`q = ["t"]`, `q = [1]`, `problem.toml:4: fields.q: 1 is no variable; the variables are x and t`},
		{`q = ["t"]`, `q_1 = ["t"]`, `the name of a field has only letters and digits`},
		{"u = [\"x\", \"t\"]\nq = [\"t\"]\n", "", `found 0 fields; 1 to 64 are expected, as u = ["x"]`},
		{`q = -u_x`, `q_x = -u_x`, `problem.toml:16: condition[0].equals: q_x is 0: q is a function of t alone`},
		{`u_n + q_t`, `q_n + u`, `q_n is 0: q is a function of t alone`},
		{`x < 0.25`, `x > 2`, `condition[1].where: none of`},
		{`x < 0.25`, `y < 2`, `unknown name y`},
	} {
		_, err := read(t, replaced(t, wallProblem, test.old, test.new))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.new, err, test.want)
		}
	}
}
