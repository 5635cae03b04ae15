package posterior

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// The viscosity of a shock, and the strength of its nonlinear term, are found with patches, far from what is most probable beforehand.
func TestPatchesFindNumbersInNonlinearTerms(t *testing.T) {
	const nu = 0.05
	draws := uint64(8)
	if testing.Short() {
		draws = 2
	}
	for name, unknown := range map[string]func(p *system.Problem){
		"viscosity": func(p *system.Problem) {
			p.Coefficients = []system.Coefficient{{Name: "nu", Min: 0.03, Max: 3}}
			p.Equations[0].Residual.Terms[0].Coefficient = of(func(c []float64) float64 { return -c[0] })
		},
		"strength": func(p *system.Problem) { // without a prior
			p.Parameters = []system.Parameter{{Name: "a"}}
			strength := system.Functional{Parameters: []system.ParameterTerm{{}}}
			p.Equations[0].Residual.Nonlinear = threefold(strength, system.Field(0), system.Derivative(0, 1))
		},
	} {
		truth := map[string]float64{"viscosity": nu, "strength": 1}[name]
		within := 0
		for seed := range draws {
			p, _ := steadyShock(t, nu, 0.1, 100+seed)
			unknown(p)
			q, err := Fit(p, Config{Patches: []int{8}, Neurons: 20, Seed: seed})
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			e := q.Parameters()[0]
			z := (e.Mean - truth) / e.SD
			t.Logf("%s, seed %d: %.4f ± %.4f, z = %.2f", name, seed, e.Mean, e.SD, z)
			if math.Abs(z) <= 1.96 {
				within++
			}
			if !(math.Abs(z) < 4) || !(e.SD < 0.2*truth) {
				t.Errorf("%s, seed %d: %g ± %g; the truth is %g", name, seed, e.Mean, e.SD, truth)
			}
			if seed > 0 {
				continue
			}
			if v, _, err := q.Examine(p); err != nil || !v.Sound {
				t.Errorf("%s: the verdict is %+v, %v", name, v.Failures(), err)
			}
			var file bytes.Buffer
			if err := q.Save(&file); err != nil {
				t.Fatal(err)
			}
			if r, err := Load(&file); err != nil || !slices.Equal(r.Parameters(), q.Parameters()) {
				t.Errorf("%s: a stored model has other parameters, or %v", name, err)
			}
		}
		if within < int(draws)-2 {
			t.Errorf("%s: %d of %d intervals hold", name, within, draws)
		}
	}
}

// threefold is the product of three functionals.
func threefold(a, b, c system.Functional) *system.Nonlinear {
	n := &system.Nonlinear{Of: []system.Functional{a, b, c}}
	product := func(without int) system.Function {
		return system.Func(func(x []float64) float64 {
			of, v := x[len(x)-3:], 1.0
			for i, f := range of {
				if i != without {
					v *= f
				}
			}
			return v
		})
	}
	n.Value = product(-1)
	for i := range n.Of {
		n.Partials = append(n.Partials, product(i))
	}
	return n
}

// A coefficient of a linear equation is with patches about what it is without.
func TestPatchesWithCoefficientsOfLinearEquations(t *testing.T) {
	if testing.Short() {
		t.Skip("several seconds")
	}
	for seed := range uint64(4) {
		of := coefficientProblems(10 + seed)[1]
		for _, e := range of.problem.Demands() {
			e.Spread = true
		}
		one, err := Fit(of.problem, Config{Neurons: 100})
		if err != nil {
			t.Fatal(err)
		}
		several, err := Fit(of.problem, Config{Patches: []int{3}, Neurons: 30})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range one.Parameters() {
			b := several.Parameters()[i]
			t.Logf("seed %d: %s = %.4f ± %.4f without patches and %.4f ± %.4f with them, for %g", seed, a.Name, a.Mean, a.SD, b.Mean, b.SD, of.truth[i])
			if math.Abs(a.Mean-b.Mean) > 0.5*a.SD || math.Abs(math.Log(b.SD/a.SD)) > math.Log(1.4) {
				t.Errorf("seed %d: %s differs with patches", seed, a.Name)
			}
		}
	}
}
