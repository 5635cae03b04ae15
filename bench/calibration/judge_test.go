package calibration

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// Errors as large as their sd give the expected scores.
func TestCompare(t *testing.T) {
	d := newDice(1, 1, 1)
	n := 40000
	mean, sd, exact := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range mean {
		exact[i] = 5 + 3*d.normal()
		sd[i] = d.logBetween(0.5, 2)
		mean[i] = exact[i] + sd[i]*d.normal()
	}
	o := compare(mean, sd, exact)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"coverage", o.Coverage, 0.95}, {"rms z", o.RMSZ, 1}, {"rms error over sd", o.RMSError / o.RMSSD, 1},
		{"scale", o.Scale, 3}, {"MAE over sd", o.MAE / o.RMSSD, 0.737}, {"CRPS over MAE", o.CRPS / o.MAE, math.Sqrt2 / 2},
	} {
		if math.Abs(c.got/c.want-1) > 0.02 {
			t.Errorf("%s is %.4f, expected %.4f", c.what, c.got, c.want)
		}
	}
	if o.Points != n {
		t.Errorf("%d points", o.Points)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		exact []float64
		want  float64
	}{{[]float64{299, 301}, 1}, {[]float64{-8, -8}, 8}, {[]float64{0, 0}, 1}} {
		if got := scaleOf(c.exact); got != c.want {
			t.Errorf("errors of %v are relative to %g, expected %g", c.exact, got, c.want)
		}
	}
}

func TestStandardised(t *testing.T) {
	for _, c := range [][3]float64{{3, 2, 1.5}, {0, 0, 0}, {-1, 0, -beyond}, {1, 1e-300, beyond}} {
		if got := standardised(c[0], c[1]); got != c[2] {
			t.Errorf("%g with sd %g is %g sd, expected %g", c[0], c[1], got, c[2])
		}
	}
}

// Judge compares a fit with the truth field by field.
func TestJudge(t *testing.T) {
	for _, kind := range []string{"poisson-1d", "wall"} {
		p := draw(t, 4, Options{Kind: kind})
		f := read(t, p)
		q, err := Fit(f)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Judge(p, f, q, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Others) != len(f.Problem.Fields)-1 || o.Field.Name != f.Problem.Fields[f.Problem.Sensors[0].Measures.Terms[0].Field] || !o.Field.Measured {
			t.Errorf("%s: judged by %q, and %d others", kind, o.Field.Name, len(o.Others))
		}
		points := 0
		for i := range f.Problem.Fields {
			for _, x := range system.Grid(f.Problem.Variables, f.Problem.Domain, f.Output.Grid).Data() {
				if f.Output.Holds(i, []float64{x}) {
					points++
				}
			}
		}
		sum, coverage := o.Field.Points, o.Field.Coverage
		for _, other := range o.Others {
			sum, coverage = sum+other.Points, coverage+other.Coverage
		}
		if sum != points || math.Abs(coverage/float64(len(f.Problem.Fields))-o.Coverage) > 1e-12 {
			t.Errorf("%s: judged at %d points of %d, coverage %g", kind, sum, points, o.Coverage)
		}
		for i, e := range q.Parameters() {
			got := o.Parameters[i]
			if truth := p.Truth[e.Name]; got.Truth != truth || got.Z != (e.Mean-truth)/e.SD || math.Abs(got.PIT-math.Erfc(got.Z/math.Sqrt2)/2) > 1e-15 {
				t.Errorf("%s: %s is judged as %+v", kind, e.Name, got)
			}
		}
		if len(o.Parameters) != len(p.Truth) || len(o.Noises) != len(f.Problem.Sensors) || o.Evidence != q.Summary().Evidence {
			t.Errorf("%s: %+v", kind, o)
		}
		if o.Noises[0].Learned != (f.Problem.Sensors[0].Sigma == nil) || !o.Noises[0].Learned && math.Abs(o.Noises[0].Ratio-1) > 1e-12 {
			t.Errorf("%s: noises %+v", kind, o.Noises)
		}
	}
}

// A posterior without uncertainty cannot be judged.
func TestJudgeRefuses(t *testing.T) {
	p := draw(t, 4, Options{Kind: "poisson-1d"})
	f := read(t, p)
	q, err := posterior.Fit(f.Problem, posterior.Config{Neurons: 20, Method: posterior.PseudoInverse})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(p, f, q, 1); err == nil {
		t.Error("it is judged")
	}
}
