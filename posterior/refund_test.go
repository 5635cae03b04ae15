package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A layer too smooth for the homogeneous solutions has the more evidence for it. What the other one has paid for them comes back.
func TestRefundOfHomogeneousSolutions(t *testing.T) {
	const steep, most = 200, 1.5 // nats: half a one for each solution, and what the two fit of the noise
	c := float64(steep)
	p := balanced(forced(1, &c))
	f, err := newFrame(p)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(f, Config{compared: true}, 100, nil)
	sites := []site{alike(feature.Sine, 1, 0), alike(feature.Sine, 1, 4)} // scales of 2.5 and 40; sqrt(c) times half the side is 19
	s.try(sites...)
	smooth, rough := s.book[sites[0].key()], s.book[sites[1].key()]
	if smooth.err != nil || rough.err != nil {
		t.Fatal(smooth.err, rough.err)
	}
	gain, back := smooth.evidence-rough.evidence, rough.refund-smooth.refund
	t.Logf("the smooth layer has %.1f nats more evidence, and gets %.1f less back", gain, back)
	if gain < 4*most || math.Abs(gain-back) > most {
		t.Errorf("the smooth layer has %.1f nats more evidence, and gets %.1f less back", gain, back)
	}
	alone := newSearch(f, Config{}, 100, nil)
	alone.try(sites...)
	if r := alone.book[sites[1].key()].refund; r != 0 {
		t.Errorf("where nothing is compared it gets %g back", r)
	}
}

// What giving up the equations takes is not refunded: with readings that contradict a coefficient, no more is than at the right one.
func TestNoRefundForGivingUpEquations(t *testing.T) {
	const right, wrong, most = 8.0, 120.0, 3.0
	x := system.Variable{Name: "x", Min: 0, Max: 2.7}
	solution := func(x []float64) float64 { return mat.Sin(math.Sqrt(right) * x[0]) }
	refund := func(c float64) (refund, evidence float64) {
		p := forced(1, &c)
		p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
		p.Sensors = []system.Sensors{read(line(x, 60), 0.003, 1, solution)}
		f, err := newFrame(balanced(p))
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(f, Config{compared: true}, 100, nil)
		s.try(alike(feature.Sine, 1, 0), alike(feature.Sine, 1, 1))
		b := s.best()
		return b.refund, b.evidence
	}
	atRight, good := refund(right)
	atWrong, poor := refund(wrong)
	t.Logf("at the right coefficient %.1f nats come back of an evidence of %.1f, at the wrong one %.1f of %.1f", atRight, good, atWrong, poor)
	if poor > good-10 || atWrong > atRight+most {
		t.Errorf("at the right coefficient %.1f nats come back of an evidence of %.1f, at the wrong one %.1f of %.1f", atRight, good, atWrong, poor)
	}
}

// given is what it says, by the definition.
func TestDeterminantAndFreedomGivenOthers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fill := func(rows, cols int, size float64) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		for i := range rows {
			for j := range cols {
				a.Set(i, j, size*random.NormFloat64())
			}
		}
		return a
	}
	store := borrowStorage()
	defer store.giveBack()
	const squared = 1e6 // too large for sums of squares
	for _, of := range []struct {
		n, count, known int
		size            float64
	}{{9, 4, 0, 3}, {9, 4, 2, 3}, {5, 12, 3, 3}, {4, 4, 1, 3}, {3, 30, 0, 3}, {9, 4, 0, squared}} {
		n, count, known := of.n, of.count, of.known
		x, y := fill(n, count, of.size), fill(n, known, of.size)
		// K = X'X - X'Y (I + Y'Y)^-1 Y'X
		k := mat.NewSym(count, nil)
		mat.Syrk(mat.Trans, 1, x, 0, k)
		if known > 0 {
			yy := mat.NewSym(known, nil)
			mat.Syrk(mat.Trans, 1, y, 0, yy)
			var chol mat.Cholesky
			if err := chol.FactorizeShifted(yy, 1); err != nil {
				t.Fatal(err)
			}
			yx := mat.NewDense(known, count, nil)
			mat.Gemm(mat.Trans, mat.NoTrans, 1, y, x, 0, yx)
			mat.Trsm(mat.Left, mat.NoTrans, 1, chol.L(), yx)
			mat.Syrk(mat.Trans, -1, yx, 1, k)
		}
		var eigen mat.SymEigen
		if err := eigen.Factorize(k, false); err != nil {
			t.Fatal(err)
		}
		logDet, freedom := 0.0, 0.0
		for _, v := range eigen.Values() {
			logDet, freedom = logDet+math.Log1p(v), freedom+v/(1+v)
		}
		gotDet, gotFreedom := given(x, y, store)
		if math.Abs(gotDet-logDet) > 1e-10*math.Abs(logDet) || math.Abs(gotFreedom-freedom) > 1e-10*freedom {
			t.Errorf("%+v: %.12g and %.12g, want %.12g and %.12g", of, gotDet, gotFreedom, logDet, freedom)
		}
		store.reclaim()
	}
}

// What comes back does not depend on how much noise there is: readings that happen to suit a coefficient would otherwise get the more
// back the smaller the noise that they leave.
func TestRefundOfLearnedNoise(t *testing.T) {
	const c, most = 8.0, 0.5
	reference := []float64{0.01}
	x := system.Variable{Name: "x", Min: 0, Max: 2.7}
	solution := func(x []float64) float64 { return mat.Sin(math.Sqrt(c) * x[0]) }
	tried := func(noise float64, reference []float64) *tried {
		given := c
		p := forced(1, &given)
		p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
		p.Sensors = []system.Sensors{read(line(x, 60), noise, 1, solution)}
		p.Sensors[0].Sigma = nil
		f, err := newFrame(balanced(p))
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(f, Config{compared: true, reference: reference}, 100, nil)
		s.try(alike(feature.Sine, 1, 0))
		return s.best()
	}
	for _, noise := range []float64{0.001, 0.03} {
		own := tried(noise, nil)
		if len(own.noise) != 1 || math.Abs(math.Log(own.noise[0]/noise)) > 0.3 {
			t.Errorf("the typical noise is %g, want about %g", own.noise, noise)
		}
	}
	quiet, loud := tried(0.001, reference), tried(0.03, reference)
	t.Logf("%.2f nats come back with little noise, %.2f with much", quiet.refund, loud.refund)
	if math.Abs(quiet.refund-loud.refund) > most || quiet.refund < 2*most {
		t.Errorf("%.2f nats come back with little noise, %.2f with much", quiet.refund, loud.refund)
	}
	if at := tried(0.001, quiet.noise); at.refund < quiet.refund+2*most { // two directions, ten times as well known
		t.Errorf("%.2f nats come back at a tenth of the noise, %.2f at the whole", at.refund, quiet.refund)
	}
}
