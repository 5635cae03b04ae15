package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// bump is a Gaussian on the line.
type bump struct{ at, width float64 }

func (b bump) EvalTo(dst []float64, points *mat.Dense) {
	for i := range dst {
		z := (points.At(i, 0) - b.at) / b.width
		dst[i] = mat.Exp(-0.5 * z * z)
	}
}

// bent is u_xx = -q bump on [0, 1], of an unknown q whose truth bends u by 1 at the middle, and nine readings.
func bent(sigma float64, seed uint64) (p *system.Problem, q float64) {
	const width, points = 0.03, 200
	random := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(9, 1, nil), make([]float64, 9)
	for i := range y {
		x.Set(i, 0, (float64(i)+0.5)/9)
		y[i] = 2 + math.Max(x.At(i, 0)-0.5, 0) + sigma*random.NormFloat64()
	}
	at := mat.NewDense(points, 1, nil)
	for i := range points {
		at.Set(i, 0, (float64(i)+0.5)/points)
	}
	return &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}}, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "q"}},
		Equations: []system.Demand{{Points: at, Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{2}}}, Parameters: []system.ParameterTerm{{Coefficient: bump{0.5, width}}},
		}}},
		Sensors: []system.Sensors{{Measures: system.Field(0), Points: x, Values: y, Sigma: []float64{sigma}}},
	}, -1 / (width * math.Sqrt(2*math.Pi))
}

// TestLayersLeaveRoomForParameters: smooth neurons cannot follow the effect of a narrow source. On
// their own they would conclude that there is none, and the readings, which a straight line explains
// nearly as well, would not contradict them.
func TestLayersLeaveRoomForParameters(t *testing.T) {
	const (
		draws     = 4
		off       = 4    // standard deviations
		certainly = 0.05 // of the truth; a line through the readings leaves more open
	)
	for seed := range uint64(draws) {
		p, truth := bent(0.1, seed)
		for _, neurons := range []int{0, 20} {
			q := fit(t, p, Config{Neurons: neurons, Seed: seed})
			v, _, err := q.Examine(p)
			if err != nil {
				t.Fatal(err)
			}
			held := false
			for _, c := range v.Checks {
				held = held || c.Kind == "layers" && c.Name == "q" && c.Status == Failed
			}
			e := q.Parameters()[0]
			wrong := !(math.Abs(e.Mean-truth) < off*e.SD) || e.SD < certainly*math.Abs(truth)
			if neurons == 0 && (wrong || held) {
				t.Errorf("seed %d: q = %.3g ± %.2g, not %.3g, from %d neurons; held by the layers: %v", seed, e.Mean, e.SD, truth, q.Summary().Neurons, held)
			}
			if neurons > 0 && !(wrong && held) {
				t.Errorf("seed %d, %d neurons: q = %.3g ± %.2g, and held by the layers: %v; the test is meant for such as cannot follow", seed, neurons, e.Mean, e.SD, held)
			}
		}
	}
}

// TestRoomIsWhatThePriorLeaves compares room with the standard deviation of the parameter under the
// physics, and the penalty with the integral of the Gaussian that the layer makes of its prior.
func TestRoomIsWhatThePriorLeaves(t *testing.T) {
	p, _ := bent(0.1, 1)
	for _, test := range []struct{ scale, tau float64 }{{1, 1e-4}, {1, 1e-2}, {60, 1e-4}} {
		ph := levelled(t, p, 40, test.scale)
		dec, err := ph.at(1)
		if err != nil {
			t.Fatal(err)
		}
		prior := new(slackPrior)
		if err := prior.set(dec, test.tau); err != nil {
			t.Fatal(err)
		}
		row := dec.parameters.Clone()
		prior.mulTrans(row)
		sd := mat.Nrm2(row.Data())
		room := dec.room(test.tau)
		if relative(room[0], sd) > 1e-6 {
			t.Errorf("scale %g, slack %g: room is %g; the parameter's standard deviation is %g", test.scale, test.tau, room[0], sd)
		}
		if c := dec.contradiction(test.tau); math.Abs(c+math.Log(room[0])) > 1e-9 {
			t.Errorf("scale %g, slack %g: it costs %g, not %g", test.scale, test.tau, c, -math.Log(room[0]))
		}
	}
}
