package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// grownExactly returns means and standard deviations of r, K and u at a time in the problem grown, by quadrature over r, K and u(0).
func grownExactly(p *system.Problem, at float64) (mean, sd [3]float64) {
	const n = 80
	g, total := &p.Sensors[0], 0.0
	for i := range n {
		r := 0.9 + 0.9*(float64(i)+0.5)/n
		for j := range n {
			most := 1.8 + 0.4*(float64(j)+0.5)/n
			for k := range n {
				first := 0.02 + 0.5*(float64(k)+0.5)/n
				u := func(t float64) float64 { return most / (1 + (most/first-1)*math.Exp(-r*t)) }
				z := p.Coefficients[0].Number(most)
				sum := (r-1)*(r-1) + z*z
				for row, value := range g.Values {
					d := (value - u(g.Points.At(row, 0))) / g.Sigma[0]
					sum += d * d
				}
				w := math.Exp(-sum/2) / most // of K's density, in its logarithm
				total += w
				for q, v := range [3]float64{r, most, u(at)} {
					mean[q], sd[q] = mean[q]+w*v, sd[q]+w*v*v
				}
			}
		}
	}
	for q := range mean {
		mean[q] /= total
		sd[q] = math.Sqrt(sd[q]/total - mean[q]*mean[q])
	}
	return mean, sd
}

// Solved apart from the field, the parameters of a nonlinear term and the field have the posterior of quadrature, whether the steps
// have come to rest on the way or all is to be found from the prior.
func TestParametersApartFromTheField(t *testing.T) {
	const (
		atTime       = 2
		ofMean, ofSD = 0.33, 0.15 // in standard deviations, and of their logarithm
	)
	p := grown()
	want, wantSD := grownExactly(p, atTime)
	c := Config{Neurons: 60, Seed: 1}
	if err := c.complete(); err != nil {
		t.Fatal(err)
	}
	c.linearised = true
	n := &newton{problem: p, config: c, sigma: guessNoise(p)}
	n.prepare()
	n.told = newProgress(nil)
	modes, _, failures := n.modes()
	if failures != nil {
		t.Fatal(failures)
	}
	for name, stranded := range map[string][]*newton{"from the way": modes, "from the prior": nil} {
		q, err := n.apart(stranded)
		if err != nil || q == nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, most := q.Parameters()[0], q.Parameters()[1]
		if r.Name != "r" || most.Name != "K" {
			t.Errorf("%s: parameters %q and %q", name, r.Name, most.Name)
		}
		u, width, err := q.Predict(system.Field(0), mat.NewDense(1, 1, []float64{atTime}))
		if err != nil {
			t.Fatal(err)
		}
		mean, sd := [3]float64{r.Mean, most.Mean, u[0]}, [3]float64{r.SD, most.SD, width[0]}
		for i, what := range []string{"r", "K", "u(2)"} {
			t.Logf("%s: %s is %.4f ± %.4f, exactly %.4f ± %.4f", name, what, mean[i], sd[i], want[i], wantSD[i])
			if !(math.Abs(mean[i]-want[i]) <= ofMean*wantSD[i] && math.Abs(math.Log(sd[i]/wantSD[i])) <= ofSD) {
				t.Errorf("%s: %s is %.4f ± %.4f, exactly %.4f ± %.4f", name, what, mean[i], sd[i], want[i], wantSD[i])
			}
		}
		v, _, err := q.Examine(p)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Sound {
			t.Errorf("%s: %v", name, v.Failures())
		}
		for _, name := range []string{"r", "K"} {
			found := 0
			for _, c := range v.Checks {
				if c.Kind == "parameter" && c.Name == name {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%d checks of %s", found, name)
			}
		}
	}
}

// Where a state oscillates about the solution, the share of a step that Aitken's rule takes leads there at once.
func TestOvershotSteps(t *testing.T) {
	for _, c := range []struct{ multiplier, share float64 }{{-0.5, 1 / 1.5}, {-1, 0.5}, {-3, 0.25}, {-99, leastRelaxed}, {0, 1}, {0.5, 1}, {2, 1}} {
		first := &overshot{[]float64{1, -2}, 1}
		if got := first.relaxed([]float64{c.multiplier, -2 * c.multiplier}); math.Abs(got-c.share) > 1e-12 {
			t.Errorf("steps of %g times the last: a share of %g, not %g", c.multiplier, got, c.share)
		}
	}
	if got := (*overshot)(nil).relaxed([]float64{1}); got != 1 {
		t.Errorf("a first step is taken to %g", got)
	}
	if got := (&overshot{[]float64{1}, 0.5}).relaxed([]float64{0}); got != 0.5 {
		t.Errorf("at rest a share of %g", got)
	}
}

// What was found counts if it is about where it was looked for, and not much narrower.
func TestNearToWhatWasFound(t *testing.T) {
	o := &outer{list: []system.Coefficient{{Mean: 1, SD: 0.2}, {Mean: -3, SD: 1}}}
	for name, c := range map[string]struct {
		found guess
		near  bool
	}{
		"there":  {guess{[]float64{1.1, -4}, []float64{0.2, 2}}, true},
		"far":    {guess{[]float64{1.5, -4}, []float64{0.2, 2}}, false},
		"narrow": {guess{[]float64{1, -3}, []float64{0.2, 0.2}}, false},
	} {
		if got := o.nearTo(&c.found); got != c.near {
			t.Errorf("%s: near %v", name, got)
		}
	}
}
