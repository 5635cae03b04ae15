package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// swing is u_tt + c u_t + k u = 0 for the u of k = 9 and c = 0; with c = 0 or k = 0 that term is not there.
func swing(seed uint64, k, c float64) *system.Problem {
	const readings, sigma = 24, 0.05
	random := rand.New(rand.NewPCG(seed, 7))
	p, _ := wave(random, readings, sigma)
	p.Variables[0].Name, p.Parameters = "t", nil
	r := system.Functional{Terms: []system.Term{{Derivative: []int{2}}}}
	if k != 0 {
		r.Terms = append(r.Terms, system.Term{Coefficient: system.Constant(k)})
	}
	if c != 0 {
		r.Terms = append(r.Terms, system.Term{Derivative: []int{1}, Coefficient: system.Constant(c)})
	}
	p.Equations[0].Residual = r
	s := &p.Sensors[0]
	fillNormal(random, s.Values)
	for i := range readings {
		s.Values[i] = mat.Sin(float64(3*s.Points.At(i, 0))+0.4*float64(seed)) + float64(sigma*s.Values[i])
	}
	return p
}

// nearest returns the check of similar equations.
func nearest(v *Verdict) *Check {
	for i, c := range v.Checks {
		if c.Kind == "equation" && strings.Contains(c.Name, ", ") {
			return &v.Checks[i]
		}
	}
	return nil
}

// TestWrongEquationIsCorrected: the verdict says what would explain the readings, and by how much,
// and nothing of a correct equation.
func TestWrongEquationIsCorrected(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 2
	}
	for _, test := range []struct {
		k, c   float64
		format string // of what is said; "" for nothing
		want   float64
	}{
		{9, 0, "", 0},
		{5, 0, "equation 1 has its term in u times %g:", 1.8},
		{20, 0, "equation 1 has its term in u times %g:", 0.45},
		{9, 1.5, "equation 1 has no term in u_t:", 0},
		{0, 0, "equation 1 also has the term %g*u on its left:", 9},
	} {
		for seed := range seeds {
			name := fmt.Sprintf("k %g, c %g, seed %d", test.k, test.c, seed)
			p := swing(seed, test.k, test.c)
			if seed%2 == 1 {
				p.Sensors[0].Sigma = nil
			}
			_, v, _ := examine(t, p, Config{Neurons: 60, Seed: seed, Ensemble: 2})
			c := nearest(v)
			if c == nil {
				t.Fatalf("%s: nothing was looked at", name)
			}
			if test.format == "" {
				if c.Status != Passed {
					t.Errorf("%s: %s", name, c.Message)
				}
				continue
			}
			const near = 0.15 // of the coefficient
			before, _, _ := strings.Cut(test.format, "%g")
			at := strings.Index(c.Message, before)
			if c.Status != Failed || v.Sound || at < 0 {
				t.Errorf("%s: %+v", name, c)
				continue
			}
			if strings.Contains(test.format, "%g") {
				var found float64
				if _, err := fmt.Sscanf(c.Message[at:], test.format, &found); err != nil || relative(found, test.want) > near {
					t.Errorf("%s: %s; it is %g (%v)", name, c.Message, test.want, err)
				}
			}
		}
	}
}

// TestPriceOfNotKnowingTheSize is the cost of averaging over all sizes, by quadrature.
func TestPriceOfNotKnowingTheSize(t *testing.T) {
	const close, share = 0.5, 0.03 // in nats, and of the gain
	for _, k := range []float64{5, 9} {
		p := swing(1, k, 0)
		q := fit(t, p, Config{Neurons: 60, Seed: 1, Ensemble: 2})
		for _, a := range []alteration{{term: 1}, {term: -1, further: system.Term{Derivative: []int{1}}, unit: 3}} {
			without := q.nearby.evidence(nil, 0)
			size, gain, price := q.nearby.find(&a, without)
			bound := widestFactor
			if a.term < 0 {
				bound = widestAdded
			}
			const steps = 200
			logs, top, at := make([]float64, steps), math.Inf(-1), 0.0
			for i := range logs {
				x := float64(bound) * (2*(float64(i)+0.5)/steps - 1)
				logs[i] = q.nearby.evidence(&a, x) - without
				if logs[i] > top {
					top, at = logs[i], x
				}
			}
			mean := logSumExp(logs) - mat.Log(steps)
			if top < worthwhile { // none that would be sought
				if gain-price > worthwhile {
					t.Errorf("k %g, term %d: %.2f less %.2f nats at %.3f, by quadrature there are none", k, a.term, gain, price, size)
				}
				continue
			}
			if math.Abs(gain-price-mean) > close+share*mean || math.Abs(size-at) > 0.02*float64(bound) || price < 0 {
				t.Errorf("k %g, term %d: %.2f less %.2f nats at %.3f, by quadrature %.2f, and at most %.2f at %.3f", k, a.term, gain, price, size, mean, top, at)
			}
		}
	}
}

// TestWhatIsAskedOfEquations: every term except the first of a homogeneous equation, and derivatives
// that it lacks.
func TestWhatIsAskedOfEquations(t *testing.T) {
	p := twoFields()
	list := alterations(p, naturalSizes(p))
	var said []string
	for _, a := range list {
		kind := fmt.Sprint("times ", a.term)
		switch {
		case a.without:
			kind = "without"
		case a.term < 0:
			kind = "with"
		}
		said = append(said, fmt.Sprintf("%d %s %s", a.equation+1, kind, a.name(p)))
	}
	want := "1 times 1 v, 1 without u_x, 1 without v, 1 with u, 2 with v, 1 with v_x, 1 with u_xx, 1 with v_xx, 2 with v_xx"
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("asked is\n%s, not\n%s", got, want)
	}
	for _, a := range list {
		if a.term < 0 && !(a.unit > 0 && finite(a.unit)) {
			t.Errorf("unit of %s is %g", a.name(p), a.unit)
		}
		before := len(p.Equations[a.equation].Residual.Terms)
		altered := a.at(p, 0.5)
		after := len(altered.Equations[a.equation].Residual.Terms)
		if len(p.Equations[a.equation].Residual.Terms) != before || after-before != map[bool]int{true: -1, false: 0}[a.without]+map[bool]int{true: 1, false: 0}[a.term < 0] {
			t.Errorf("%s: %d terms become %d", a.name(p), before, after)
		}
	}
}

// TestWidthOfPeaks of a normal density, and of densities that fall or stay level from an end.
func TestWidthOfPeaks(t *testing.T) {
	places := func(f func(x float64) float64, x ...float64) (list []abscissa) {
		for _, x := range x {
			list = append(list, abscissa{x: x, log: f(x)})
		}
		return list
	}
	normal := places(func(x float64) float64 { return 5 - 0.5*9*x*x }, -0.2, 0, 0.1, 0.4)
	falling := func(slope float64) []abscissa {
		return places(func(x float64) float64 { return slope * x }, -1, 1, 1.8)
	}
	for name, test := range map[string]struct {
		seen []abscissa
		want float64
	}{
		"normal, sd 1/3": {normal, math.Log(math.Sqrt(2*math.Pi) / 3)},
		"rising":         {falling(4), -math.Log(4)},
		"falling":        {falling(-0.5), -math.Log(0.5)},
		"level":          {falling(0), math.Inf(1)},
	} {
		if got := logWidth(test.seen, highest(test.seen)); got != test.want && relative(got, test.want) > 1e-12 {
			t.Errorf("%s: log width %g, want %g", name, got, test.want)
		}
	}
}

// TestVertexOfParabolas through three points, whatever their distances.
func TestVertexOfParabolas(t *testing.T) {
	for _, x := range [][3]float64{{-1, 0, 1}, {-0.4, 0.1, 3}, {2, 2.5, 2.75}} {
		f := func(x float64) abscissa { return abscissa{x: x, log: 3 - 0.5*7*(x-0.3)*(x-0.3)} }
		top, curvature := vertex([]abscissa{f(x[0]), f(x[1]), f(x[2])})
		if relative(top.x, 0.3) > 1e-12 || relative(top.log, 3) > 1e-12 || relative(curvature, 7) > 1e-12 {
			t.Errorf("places %v: top %+v, curvature %g", x, top, curvature)
		}
	}
	if _, curvature := vertex([]abscissa{{x: -1, log: 1}, {}, {x: 1, log: 1}}); curvature != 0 {
		t.Errorf("a valley has a top of curvature %g", curvature)
	}
}

// The unit of a further term makes it as large as the largest existing term, in whatever units its
// field is.
func TestUnitsOfFurtherTermsFollowTheirField(t *testing.T) {
	p := swing(1, 9, 0)
	z := naturalSizes(p)
	z.residual[0] = 0
	want := alterations(p, z)
	for i := range z.field {
		z.field[i] *= 1000
	}
	further := 0
	for i, a := range alterations(p, z) {
		if a.term < 0 {
			further++
			if math.Abs(a.unit-want[i].unit) > 1e-12*want[i].unit {
				t.Errorf("the unit of %s is %g, and %g where the field is a thousand times as large", a.name(p), want[i].unit, a.unit)
			}
		}
	}
	if further == 0 {
		t.Error("no further term is asked about")
	}
}
