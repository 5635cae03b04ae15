package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// The wide prior that is told beforehand is that of the natural sizes, and the one told afterwards is the one that the
// verdict compares with: it was found from a first solution.
func TestWidePriors(t *testing.T) {
	p := loaded(2)
	p.Parameters = append(p.Parameters, system.Parameter{Name: "q"}, system.Parameter{Name: "r", Mean: 1, SD: 0.5})
	first := len(p.Parameters) - 2
	p.Equations[0].Residual.Parameters = append(p.Equations[0].Residual.Parameters,
		system.ParameterTerm{Parameter: first, Coefficient: system.Constant(1)},
		system.ParameterTerm{Parameter: first + 1, Coefficient: system.Constant(1)})
	before, err := WidePriors(p)
	if err != nil {
		t.Fatal(err)
	}
	if before[first+1] != 0.5 || before[first] != naturalSizes(p).parameter[first] {
		t.Errorf("told %g", before)
	}
	// A term a thousand times as strong needs a prior a thousand times as narrow.
	p.Equations[0].Residual.Parameters[len(p.Equations[0].Residual.Parameters)-2].Coefficient = system.Constant(1000)
	narrow, err := WidePriors(p)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(1000*narrow[first]/before[first]-1) > 1e-12 {
		t.Errorf("%g, and with a term a thousand times as strong %g", before[first], narrow[first])
	}
	q, err := Fit(p, Config{Neurons: 40, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	if used := q.WidePriors()[first]; !(used > 0.3*v.priors[first].SD && used < 3*v.priors[first].SD) {
		t.Errorf("used %g, and the verdict found %g", used, v.priors[first].SD)
	}
}

// Where nothing is known before there is a solution, no number is told.
func TestWidePriorOfANonlinearProblemIsNotKnownBefore(t *testing.T) {
	p := loaded(2)
	p.Parameters = append(p.Parameters, system.Parameter{Name: "q"})
	p.Equations[0].Residual.Nonlinear = &system.Nonlinear{Of: []system.Functional{system.Field(0)}, Value: system.Constant(0), Partials: []system.Function{nil}}
	widths, err := WidePriors(p)
	if err != nil || !math.IsNaN(widths[len(widths)-1]) {
		t.Errorf("%g, %v", widths, err)
	}
	p.Equations = nil
	if _, err := WidePriors(p); err == nil {
		t.Error("a problem without an equation has priors")
	}
}
