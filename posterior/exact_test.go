package posterior

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// warmPlate is Laplace's equation on the unit square with u = x^2 - y^2 + 1 on
// three sides, the last unknown, and readings of noise 0.05.
func warmPlate(points int) (*system.Problem, system.Func) {
	exact := system.Func(func(x []float64) float64 { return float64(x[0]*x[0]) - float64(x[1]*x[1]) + 1 })
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "y", Min: 0, Max: 1}},
		Fields:    []string{"u"},
		Equations: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}, {Derivative: []int{0, 2}}}}}},
		Sensors:   []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(6, 2, []float64{0.2, 0.3, 0.5, 0.6, 0.8, 0.2, 0.3, 0.9, 0.6, 0.8, 0.9, 0.7}), Sigma: []float64{0.05}}},
	}
	p.Equations[0].Points, _ = system.Collocation(p.Variables, nil, 150, 3)
	for side := range 3 {
		at := mat.NewDense(points, 2, nil)
		for i := range points {
			free := float64(i) / float64(points-1)
			switch side {
			case 0:
				at.Set(i, 1, free)
			case 1:
				at.Set(i, 0, 1)
				at.Set(i, 1, free)
			default:
				at.Set(i, 0, free)
			}
		}
		known := system.Func(func(x []float64) float64 { return -exact(x) })
		p.Conditions = append(p.Conditions, system.Demand{Residual: system.Functional{Terms: []system.Term{{}}, Known: known}, Points: at, Exact: true})
	}
	for i := range 6 {
		noise := 0.05 * float64(1-2*(i%2))
		p.Sensors[0].Values = append(p.Sensors[0].Values, exact(p.Sensors[0].Points.Row(i))+noise)
	}
	return p, exact
}

// exactlyHeld bounds mean and standard deviation of the residual of exact conditions, where the
// field is about 1.
const exactlyHeld = 1e-7

func TestExactConditionsHold(t *testing.T) {
	p, exact := warmPlate(15)
	q := fit(t, p, Config{Neurons: 120, Seed: 4})
	for i := range p.Conditions {
		c := &p.Conditions[i]
		mean, sd, err := q.Predict(c.Residual, c.Points)
		if err != nil {
			t.Fatal(err)
		}
		for k := range mean {
			if math.Abs(mean[k]) > exactlyHeld || sd[k] > exactlyHeld {
				t.Errorf("condition %d, point %d: %g ± %g", i, k, mean[k], sd[k])
			}
		}
	}
	inside := system.Grid(p.Variables, nil, []int{11, 11})
	mean, sd, err := q.Predict(system.Field(0), inside)
	if err != nil {
		t.Fatal(err)
	}
	free := 0.0
	for i := range mean {
		if off := math.Abs(mean[i] - exact(inside.Row(i))); off > 0.03+4*sd[i] {
			t.Errorf("at %v: off by %g with sd %g", inside.Row(i), off, sd[i])
		}
		free = math.Max(free, sd[i])
	}
	if free < 1e-4 {
		t.Errorf("on the free side the sd is %g: nothing is left to learn", free)
	}
}

func TestExactConditionsThatCannotHoldAreRefused(t *testing.T) {
	contradictory, _ := warmPlate(8)
	contradictory.Conditions[1] = contradictory.Conditions[0]
	contradictory.Conditions[1].Residual.Known = system.Constant(-3)
	greedy, _ := warmPlate(8)
	for name, test := range map[string]struct {
		problem *system.Problem
		neurons int
		says    string
	}{
		"contradictory":    {contradictory, 60, "contradict each other"},
		"more than layer":  {greedy, 20, "all 21 unknown weights"},
		"rough right side": {roughPlate(), 40, "too rough"},
	} {
		_, err := Fit(test.problem, Config{Neurons: test.neurons})
		var data *DataError
		if !errors.As(err, &data) || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(data.Where, "condition 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// exactSums bounds the error of sums of squares in a mean, in standard deviations, in a standard
// deviation, and in the evidence, in nats, at a slack of 1e-3.
const exactSums = 1e-5

// TestExactConditionsBySums: sums of squares and rows agree on the free coordinates, and the
// conditions hold on both paths.
func TestExactConditionsBySums(t *testing.T) {
	p, _ := warmPlate(9)
	mixed := *p
	mixed.Conditions = append([]system.Demand(nil), p.Conditions...)
	mixed.Conditions[1].Exact = false
	mixed.Conditions[2].Exact, mixed.Conditions[2].Tolerance = false, 1e-2
	for name, p := range map[string]*system.Problem{"all exact": p, "one exact": &mixed} {
		layer, err := feature.New(p.Box(), feature.Config{Neurons: 80, Scale: []float64{2}, Seed: 7, Constant: true})
		if err != nil {
			t.Fatal(err)
		}
		var both [2]*Posterior
		var evidence [2]float64
		for i, path := range []Path{SquareRoot, GramPath} {
			ph, err := Compile(p, layer, CompileConfig{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			h := hold(t, ph, p.Sensors, 1.5, 1e-3, nil)
			both[i], evidence[i] = h.posterior(t), h.spectralEvidence(t)
			for k := range p.Conditions {
				c := &p.Conditions[k]
				if !c.Exact {
					continue
				}
				mean, sd, err := both[i].Predict(c.Residual, c.Points)
				if err != nil {
					t.Fatal(err)
				}
				for j := range mean {
					if math.Abs(mean[j]) > exactlyHeld || sd[j] > exactlyHeld {
						t.Errorf("%s, %s, condition %d, point %d: %g ± %g", name, path, k, j, mean[j], sd[j])
					}
				}
			}
		}
		inside := column2(0.3, 0.4, 0.5, 0.8, 0.9, 0.2, 0.55, 0.6)
		for _, f := range []system.Functional{system.Field(0), system.Derivative(0, 0, 1)} {
			m1, s1, err1 := both[0].Predict(f, inside)
			m2, s2, err2 := both[1].Predict(f, inside)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for i := range m1 {
				if math.Abs(m1[i]-m2[i]) > exactSums*s1[i] || relative(s2[i], s1[i]) > exactSums {
					t.Errorf("%s, point %d: %g ± %g, by sums %g ± %g", name, i, m1[i], s1[i], m2[i], s2[i])
				}
			}
		}
		if math.Abs(evidence[0]-evidence[1]) > exactSums {
			t.Errorf("%s: log evidence %g, by sums %g", name, evidence[0], evidence[1])
		}
	}
	if _, err := Fit(p, Config{Neurons: 60, Path: GramPath}); err != nil {
		t.Errorf("by sums: %v", err)
	}
}

// column2 returns points of two variables.
func column2(x ...float64) *mat.Dense { return mat.NewDense(len(x)/2, 2, x) }

// roughPlate alternates at points closer together than neurons can follow.
func roughPlate() *system.Problem {
	p, _ := warmPlate(15)
	at := mat.NewDense(60, 2, nil)
	for i := range 60 {
		at.Set(i, 1, float64(i)*1e-3)
	}
	p.Conditions = p.Conditions[:1]
	p.Conditions[0].Points = at
	p.Conditions[0].Residual.Known = system.Func(func(x []float64) float64 { return math.Mod(math.Round(1e3*x[1]), 2) })
	return p
}
