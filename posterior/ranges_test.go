package posterior

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// opened returns a problem without what is known of its coefficients.
func opened(p *system.Problem) *system.Problem {
	q := *p
	q.Coefficients = nil
	for _, c := range p.Coefficients {
		q.Coefficients = append(q.Coefficients, system.Coefficient{Name: c.Name})
	}
	return &q
}

// Ranges hold the truth, decades from either end, and what is inferred is what stated priors give.
func TestRangesAreFound(t *testing.T) {
	const (
		room    = 10  // times the truth to either end
		apart   = 0.5 // sd between the means
		another = 1.3 // times the sd
	)
	for _, p := range coefficientProblems(1) {
		ranged, err := Ranged(opened(p.problem))
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		for i, c := range ranged.Coefficients {
			low := c.Min
			if c.Fine > 0 {
				low = c.Fine
			}
			t.Logf("%s: %s from %.3g to %.3g, fine %.3g, true %.3g", p.name, c.Name, c.Min, c.Max, c.Fine, p.truth[i])
			if truth := math.Abs(p.truth[i]); !(room*low < truth && room*truth < c.Max) {
				t.Errorf("%s: the range of %s, %.3g to %.3g, hardly holds %.3g", p.name, c.Name, low, c.Max, truth)
			}
		}
		if testing.Short() || p.name != "cooling" && p.name != "oscillator" {
			continue
		}
		stated, err := Fit(p.problem, Config{Neurons: 100})
		if err != nil {
			t.Fatal(err)
		}
		found, err := Fit(opened(p.problem), Config{Neurons: 100})
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		for i, want := range stated.Parameters() {
			got := found.Parameters()[i]
			if ratio := got.SD / want.SD; math.Abs(got.Mean-want.Mean) > apart*want.SD || ratio > another || ratio*another < 1 {
				t.Errorf("%s: %s is %.4g ± %.2g, with its prior stated %.4g ± %.2g", p.name, want.Name, got.Mean, got.SD, want.Mean, want.SD)
			}
		}
	}
}

// growing is u_t = r u from u(0) = 1, with readings of exp(r t).
func growing(r float64) *system.Problem {
	v := system.Variable{Name: "t", Min: 0, Max: 2}
	return &system.Problem{
		Variables: []system.Variable{v}, Fields: []string{"u"}, Coefficients: []system.Coefficient{{Name: "r"}},
		Equations: []system.Demand{{Points: line(v, 60), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{1}}, {Coefficient: of(func(c []float64) float64 { return -c[0] })}},
		}}},
		Conditions: []system.Demand{{Points: mat.NewDense(1, 1, []float64{0}), Residual: system.Functional{
			Terms: []system.Term{{}}, Known: system.Constant(-1),
		}}},
		Sensors: []system.Sensors{read(line(v, 12), 0.02, 3, func(x []float64) float64 { return mat.Exp(r * x[0]) })},
	}
}

// A rate may be negative: the range has both signs, and the posterior the right one.
func TestRangeOfEitherSign(t *testing.T) {
	for _, r := range []float64{-0.8, 0.6} {
		q, err := Fit(growing(r), Config{Neurons: 100})
		if err != nil {
			t.Fatal(err)
		}
		c := q.coefficients[0]
		if !(c.Fine > 0) || c.Min != -c.Max {
			t.Errorf("the range is from %g to %g, fine %g; rates of either sign are possible", c.Min, c.Max, c.Fine)
		}
		if e := q.Parameters()[0]; e.Lower95 > r || e.Upper95 < r {
			t.Errorf("r is %.3f ± %.3f, true %g", e.Mean, e.SD, r)
		}
	}
}

// Where the sign changes nothing, or a negative value means nothing, the range is positive.
func TestRangeOfOneSign(t *testing.T) {
	for name, f := range map[string]func(c []float64) float64{
		"square":      func(c []float64) float64 { return c[0] * c[0] },
		"square root": func(c []float64) float64 { return math.Sqrt(c[0]) },
		"inverse":     func(c []float64) float64 { return 1 / c[0] },
	} {
		p := growing(-0.8)
		p.Equations[0].Residual.Terms[1].Coefficient = of(f)
		q, err := Ranged(p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c := q.Coefficients[0]; !(c.Min > 0) || c.Fine != 0 || !(c.Min < 1 && c.Max > 1) {
			t.Errorf("%s: from %g to %g, fine %g", name, c.Min, c.Max, c.Fine)
		}
	}
}

// What stands beside nothing has no range, and the error names the coefficient.
func TestRangeThatCannotBeFound(t *testing.T) {
	ratio := growing(-0.8) // a u_t = b u: of a and b the ratio alone means something
	ratio.Coefficients = []system.Coefficient{{Name: "a"}, {Name: "b"}}
	ratio.Equations[0].Residual.Terms = []system.Term{
		{Derivative: []int{1}, Coefficient: of(func(c []float64) float64 { return c[0] })},
		{Coefficient: of(func(c []float64) float64 { return -c[1] })},
	}
	alone := growing(-0.8) // r u_t = 0
	alone.Equations[0].Residual.Terms = []system.Term{{Derivative: []int{1}, Coefficient: of(func(c []float64) float64 { return c[0] })}}
	wide := growing(-0.8) // u_t = a u + b: two of either sign
	wide.Coefficients = ratio.Coefficients
	wide.Equations[0].Residual.Terms = append(wide.Equations[0].Residual.Terms, system.Term{Coefficient: of(func(c []float64) float64 { return -c[1] })})
	for want, p := range map[string]*system.Problem{"nothing is known of b either": ratio, "no term beside it has a known size": alone, "too wide to search together": wide} {
		_, err := Fit(p, Config{})
		var data *DataError
		if !errors.As(err, &data) || !strings.Contains(data.Where, p.Coefficients[0].Name) || !strings.Contains(data.Why, want) {
			t.Errorf("%v; want a *DataError at %s that says %q", err, p.Coefficients[0].Name, want)
		}
	}
}

// A range of one coefficient may say what another is compared with.
func TestRangesFollowEachOther(t *testing.T) {
	square := func(k int, sign float64) system.Function {
		return of(func(c []float64) float64 { return sign * c[k] * c[k] })
	}
	p := growing(-0.8) // a^2 u_t = -b^2 u, and b^2 u is 1 in the beginning
	p.Coefficients = []system.Coefficient{{Name: "a"}, {Name: "b"}}
	p.Equations[0].Residual.Terms = []system.Term{{Derivative: []int{1}, Coefficient: square(0, 1)}, {Coefficient: square(1, 1)}}
	p.Conditions[0].Residual.Terms = []system.Term{{Coefficient: square(1, 1)}}
	q, err := Ranged(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range q.Coefficients {
		if !(c.Min > 0 && c.Min < 1 && c.Max > 1) {
			t.Errorf("%s from %g to %g", c.Name, c.Min, c.Max)
		}
	}
	if !p.Coefficients[0].Open() {
		t.Error("the problem that was given has changed")
	}
}
