package spec

import "testing"

// Only points that are spread over the whole box may be moved with the cells of patches.
func TestPointsThatMayMove(t *testing.T) {
	for _, c := range []struct {
		equation, condition string
		moves, slides       bool
	}{
		{"", "", true, true},
		{"points = 50", "points = 7", true, true},
		{`where = "x < 0.5"`, `where = "t > 0.5"`, false, false},
		{"grid = [5, 5]", "", false, true},
	} {
		f := mustRead(t, `
[variables]
x = [0, 1]
t = [0, 3]

[[equation]]
pde = "u_xx + u_tt = 0"
`+c.equation+`

[[condition]]
on = "x = 0"
equals = "u = 0"
`+c.condition+`

[[sensors]]
file = "first.csv"
sigma = 0.1
`)
		if e := f.Problem.Equations[0]; e.Spread != c.moves {
			t.Errorf("%q: the equation's points may move: %v", c.equation, e.Spread)
		}
		if e := f.Problem.Conditions[0]; e.Spread != c.slides {
			t.Errorf("%q: the condition's points may move: %v", c.condition, e.Spread)
		}
	}
}
