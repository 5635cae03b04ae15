package export

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/system"
)

// A Grid holds arrays over the same axes.
type Grid struct {
	Field  string // the only one, if it depends on some of the variables only; else ""
	Axes   []Axis
	Arrays []Array
}

// An Axis is a variable and its coordinates on the grid.
type Axis struct {
	Name   string
	Values []float64
	Log    bool
}

// An Array has a value at each point of a grid. The last axis changes fastest. NaN
// stands for points where it has no value.
type Array struct {
	Name   string
	Values []float64
}

// Grids returns the fields of a solution of the given variables, with their standard
// deviations, the ends of the 95 % bands and, where they are known, exact values. counts
// holds the number of points in each variable.
func Grids(s *solution.Solution, variables []system.Variable, counts []int) []Grid {
	whole := newGrid("", variables, counts)
	grids := []Grid{}
	for i := range s.Fields {
		f := &s.Fields[i]
		if len(f.Variables) == len(variables) {
			whole.add(f)
			continue
		}
		var own []int
		for _, v := range f.Variables {
			d := slices.IndexFunc(variables, func(w system.Variable) bool { return w.Name == v.Name })
			own = append(own, counts[d])
		}
		g := newGrid(f.Name, f.Variables, own)
		g.add(f)
		grids = append(grids, *g)
	}
	if len(whole.Arrays) > 0 {
		grids = append([]Grid{*whole}, grids...)
	}
	return grids
}

func newGrid(field string, variables []system.Variable, counts []int) *Grid {
	g := &Grid{Field: field}
	for d, v := range variables {
		a := Axis{Name: v.Name, Values: make([]float64, counts[d]), Log: v.Log}
		for i := range a.Values {
			a.Values[i] = system.GridValue(v, counts[d], i)
		}
		g.Axes = append(g.Axes, a)
	}
	return g
}

// size is the number of points.
func (g *Grid) size() int {
	n := 1
	for _, a := range g.Axes {
		n *= len(a.Values)
	}
	return n
}

// add appends the arrays of a field, whose points are those of the grid that lie in the
// domain, in the grid's order.
func (g *Grid) add(f *solution.Field) {
	lower, upper := solution.Interval95(f.Mean, f.SD)
	columns := []Array{{f.Name + "_mean", f.Mean}, {f.Name + "_sd", f.SD}, {f.Name + "_lower95", lower}, {f.Name + "_upper95", upper}, {f.Name + "_exact", f.Exact}}
	at := g.places(f)
	for _, c := range columns {
		if c.Values == nil {
			continue
		}
		all := make([]float64, g.size())
		for k := range all {
			all[k] = math.NaN()
		}
		for i, k := range at {
			all[k] = c.Values[i]
		}
		g.Arrays = append(g.Arrays, Array{c.Name, all})
	}
}

// places returns the number of each of a field's points in the grid.
func (g *Grid) places(f *solution.Field) []int {
	at := make([]int, 0, f.Points.Rows())
	x := make([]float64, len(g.Axes))
	for k := 0; k < g.size() && len(at) < f.Points.Rows(); k++ {
		rest := k
		for d := len(x) - 1; d >= 0; d-- {
			n := len(g.Axes[d].Values)
			x[d] = g.Axes[d].Values[rest%n]
			rest /= n
		}
		if slices.Equal(x, f.Points.Row(len(at))) {
			at = append(at, k)
		}
	}
	return at
}

// name is that of a file of the grid.
func (g *Grid) name(extension string) string {
	if g.Field != "" {
		return "solution-" + g.Field + extension
	}
	return "solution" + extension
}
