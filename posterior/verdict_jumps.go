package posterior

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Two conditions may demand different values of a field where they meet, as where a cold wall ends the hot beginning, or
// the lid of a cavity slides along walls at rest. The solution jumps there. Neurons are smooth: whatever they do, they
// miss one of the conditions near the jump, and what leaks through there may be felt far away. Residuals do not show
// it, since few points are near.

const (
	// jumpShare is the smallest difference that matters, relative to how much the field varies.
	jumpShare = 0.1
	// jumpPoints is at how many points conditions are compared, at most.
	jumpPoints = 64
)

// jumps compares conditions on values of the same field where they meet.
func (v *Verdict) jumps(p *system.Problem, z *sizes) {
	worst, pairs := jump{limit: jumpShare}, 0
	for a := range p.Conditions {
		for b := range a {
			m := meetingOf(p, b, a)
			if m == nil {
				m = meetingOf(p, a, b)
			}
			if m == nil {
				continue
			}
			j := m.jump(p, z)
			if j.size > j.limit {
				pairs++
			}
			if float64(j.size*worst.limit) > float64(worst.size*j.limit) {
				worst = j
			}
		}
	}
	if pairs > 1 {
		worst.text += fmt.Sprintf("; there are %d such pairs", pairs)
	}
	v.add("condition", "jumps", worst.size, worst.limit, "conditions contradict each other where they meet: "+worst.text+
		". The solution jumps there, and neurons are smooth: the bands do not hold near it. If the change takes some distance or time in truth, state that")
}

// meeting is where two conditions on a field meet.
type meeting struct {
	conditions []int
	field      int
	points     *mat.Dense
}

// meetingOf returns points of a condition, moved to where one variable has the value that it has in another one; nil where these may not
// be points of both.
func meetingOf(p *system.Problem, along, across int) *meeting {
	a, b := &p.Conditions[along], &p.Conditions[across]
	field := fieldOf(a)
	if field < 0 || fieldOf(b) != field || !a.Spread || !b.Spread {
		return nil
	}
	d, value := fixedVariable(b.Points)
	if d < 0 {
		return nil
	}
	fixed, _ := fixedVariable(a.Points)
	if fixed == d {
		return nil
	}
	n, variables := a.Points.Dims()
	var data []float64
	for k := range min(n, jumpPoints) {
		x := slices.Clone(a.Points.Row(k * n / min(n, jumpPoints)))
		// Without a fixed variable it is the boundary: of the box, or of a shape, whose points cannot be moved.
		if fixed < 0 && (p.Domain != nil || !onSide(p, x)) {
			return nil
		}
		if x[d] = value; fixed < 0 && !onSide(p, x) || p.Domain != nil && !p.Domain.Contains(x) {
			continue
		}
		data = append(data, x...)
	}
	if len(data) == 0 {
		return nil
	}
	return &meeting{[]int{along, across}, field, mat.NewDense(len(data)/variables, variables, data)}
}

// fieldOf returns the field whose value a condition demands, -1 where it demands something else.
func fieldOf(e *system.Demand) int {
	r := &e.Residual
	if len(r.Terms) != 1 || len(r.Parameters) > 0 || r.Nonlinear != nil {
		return -1
	}
	t := &r.Terms[0]
	if _, constant := t.Coefficient.(system.Constant); t.Footprint != nil || !constant && t.Coefficient != nil {
		return -1
	}
	for _, order := range t.Derivative {
		if order > 0 {
			return -1
		}
	}
	return t.Field
}

// fixedVariable returns the only variable that has the same value at all points, and that; -1 where there is none, or several.
func fixedVariable(points *mat.Dense) (variable int, value float64) {
	n, d := points.Dims()
	variable = -1
	for j := range d {
		same := true
		for i := range n {
			same = same && points.At(i, j) == points.At(0, j)
		}
		if same && variable >= 0 {
			return -1, 0
		}
		if same {
			variable, value = j, points.At(0, j)
		}
	}
	return variable, value
}

// onSide tells whether a point lies on a side of the box.
func onSide(p *system.Problem, x []float64) bool {
	for j, v := range p.Variables {
		if x[j] == v.Min || x[j] == v.Max {
			return true
		}
	}
	return false
}

// jump is a difference between two conditions, relative to how much the field varies.
type jump struct {
	size, limit float64
	text        string
}

// jump returns the largest difference between what two conditions demand where they meet.
func (m *meeting) jump(p *system.Problem, z *sizes) jump {
	var values [2][]float64
	natural := z.field[m.field]
	j := jump{limit: jumpShare}
	var names [2]system.Label
	for k, i := range m.conditions {
		e := &p.Conditions[i]
		names[k] = system.Label{Kind: system.Conditions, Number: i, Name: e.Name}
		values[k] = make([]float64, m.points.Rows())
		coefficient := 1.0
		if c, ok := e.Residual.Terms[0].Coefficient.(system.Constant); ok {
			coefficient = float64(c)
		}
		if e.Residual.Known != nil {
			e.Residual.Known.EvalTo(values[k], m.points)
		}
		for i, known := range values[k] {
			values[k][i] = 0 - known/coefficient
		}
		if e.SD > 0 {
			j.limit = math.Max(j.limit, 3*e.SD/math.Abs(coefficient)/natural)
		}
	}
	at := 0
	for i := range values[0] {
		if d := math.Abs(values[0][i]-values[1][i]) / natural; d > j.size {
			j.size, at = d, i
		}
	}
	place := make([]string, len(p.Variables))
	for k, variable := range p.Variables {
		place[k] = fmt.Sprintf("%s = %.3g", variable.Name, m.points.At(at, k))
	}
	field := p.Fields[m.field]
	j.text = fmt.Sprintf("at %s %s demands %s = %.3g and %s %s = %.3g", strings.Join(place, ", "), names[0], field, values[0][at], names[1], field, values[1][at])
	return j
}
