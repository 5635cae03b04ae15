package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// fineNode is a value of the hyper-parameters with its log density times volume.
type fineNode struct {
	amplitude, slack float64
	noise            []float64
	log              float64
}

// fineSteps are those of the logarithms of amplitude, slack and noise.
type fineSteps struct{ logA, logSlack, logNoise float64 }

const (
	// fineSlack is where the grid of slacks ends below, fineNoise that of the noise
	// relative to the readings.
	fineSlack = 1e-10
	fineNoise = 1e-5
	// fineWeight is the share of a node that is left out of the moments.
	fineWeight = 3e-6
)

// fineGrid lists log p(readings | physics) with all priors on a fine grid over slack, amplitude and
// the noise, where one group's is learned.
func fineGrid(t *testing.T, ph *Physics, p *system.Problem, s fineSteps) []fineNode {
	t.Helper()
	slacks, logVolume := []float64{1}, math.Log(s.logA) // of no meaning where none is open
	if ph.demanded.open != nil {
		slacks, logVolume = nil, logVolume+math.Log(s.logSlack)
		for x := math.Log(fineSlack); x < 0; x += s.logSlack {
			slacks = append(slacks, math.Exp(x))
		}
	}
	var all []fineNode
	for _, slack := range slacks {
		for logA := lowestLogA; logA < highestLogA; logA += s.logA {
			n := fineNode{amplitude: math.Exp(logA), slack: slack, log: logVolume + logAmplitudePrior(logA)}
			if ph.demanded.open != nil {
				n.log += logSlackPrior(slack)
			}
			h := hold(t, ph, p.Sensors, n.amplitude, slack, nil)
			learned := h.state.observed.learned
			if len(learned) == 0 {
				n.log += h.spectralEvidence(t)
				all = append(all, n)
				continue
			}
			l, unit := h.levels(flatAmplitude(n.amplitude)), h.readings.groups[learned[0]].size
			for x := math.Log(fineNoise * unit); x < math.Log(10*unit); x += s.logNoise {
				value, err := l.at([]float64{logA, x}) // with the prior of the noise
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, fineNode{n.amplitude, slack, everyNoise(h.readings, math.Exp(x)), n.log + value + math.Log(s.logNoise)})
			}
		}
	}
	return all
}

// momentsOfGrid returns the log evidence of a grid, and the mean and standard deviation of the mixture
// of its posteriors.
func momentsOfGrid(t *testing.T, ph *Physics, p *system.Problem, grid []fineNode, f system.Functional, points *mat.Dense) (logEvidence float64, mean, sd []float64) {
	t.Helper()
	logs := make([]float64, len(grid))
	for i := range grid {
		logs[i] = grid[i].log
	}
	logEvidence = logSumExp(logs)
	mean, sd = make([]float64, points.Rows()), make([]float64, points.Rows())
	total := 0.0
	for _, n := range grid {
		w := math.Exp(n.log - logEvidence)
		if w < fineWeight {
			continue
		}
		total += w
		m, s, err := hold(t, ph, p.Sensors, n.amplitude, n.slack, n.noise).posterior(t).Predict(f, points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m {
			mean[i] += w * m[i]
			sd[i] += w * (m[i]*m[i] + s[i]*s[i])
		}
	}
	for i := range mean {
		mean[i] /= total
		sd[i] = math.Sqrt(sd[i]/total - mean[i]*mean[i])
	}
	return logEvidence, mean, sd
}

// withoutParameters leaves unknown parameters out of rod's problem.
func withoutParameters(p *system.Problem) *system.Problem {
	p.Parameters = nil
	for _, e := range p.Demands() {
		e.Residual.Parameters = nil
	}
	return p
}

// TestIntegralsAgreeWithAFineGrid: log evidence, mean and standard deviation with amplitude, slack and
// noise integrated out.
func TestIntegralsAgreeWithAFineGrid(t *testing.T) {
	coarse, fine := fineSteps{0.25, ln10 / 2, 0.2}, fineSteps{0.15, ln10 / 4, 0}
	wide := func(readings int) *system.Problem {
		p, _ := wave(rand.New(rand.NewPCG(1, 2)), readings, 0.05)
		return p
	}
	learned := func(p *system.Problem) *system.Problem { p.Sensors[0].Sigma = nil; return p }
	own := rod(true)
	own.Conditions[0].Tolerance, own.Equations[0].Tolerance = 1e-3, 1e-2
	mixed := rod(true)
	mixed.Conditions[0].Tolerance = 1e-3
	exact := rod(true)
	exact.Conditions[0].Exact = true
	five := withoutParameters(rod(true))
	five.Sensors = five.Sensors[:1]
	five.Sensors[0].Points, five.Sensors[0].Values = column(0, 0.4, 0.7, 1.2, 2), []float64{0.2, 0.6, 0.9, 0.5, -0.4}
	one := withoutParameters(rod(true))
	one.Sensors = one.Sensors[:1]
	one.Sensors[0].Points, one.Sensors[0].Values = column(0.7), []float64{0.9}
	for name, test := range map[string]struct {
		problem *system.Problem
		neurons int
		scale   float64
		path    Path
		steps   fineSteps
		// What the integrals may be off: the log evidence in nats, means in standard deviations, and
		// these relatively.
		evidence, mean, sd float64
	}{
		// What a parameter is without readings hangs on the slack, which is looked at by decades.
		"known noise":                         {rod(true), 16, 3, SquareRoot, fine, 0.15, 0.08, 0.18},
		"known noise, sums":                   {rod(true), 16, 3, GramPath, fine, 0.15, 0.08, 0.18},
		"known noise, no parameter":           {withoutParameters(rod(true)), 16, 3, SquareRoot, fine, 0.02, 0.01, 0.02},
		"an exact condition":                  {exact, 16, 3, SquareRoot, fine, 0.15, 0.08, 0.18},
		"all tolerances given":                {own, 16, 3, SquareRoot, fine, 0.01, 0.01, 0.02},
		"a tolerance given, another open":     {mixed, 16, 3, SquareRoot, fine, 0.15, 0.08, 0.18},
		"one reading":                         {one, 16, 3, SquareRoot, fine, 0.02, 0.02, 0.15},
		"learned noise of five readings":      {learned(five), 16, 3, SquareRoot, coarse, 0.05, 0.05, 0.04},
		"learned noise, and two explanations": {learned(wide(14)), 16, 3, SquareRoot, coarse, 0.25, 0.15, 0.18},
		// A slack that the equation really needs is known to less than a decade, which is the step.
		"many readings":                    {wide(30), 30, 6, SquareRoot, fine, 0.3, 0.03, 0.03},
		"a layer that hardly will do":      {wide(14), 16, 3, SquareRoot, fine, 0.3, 0.08, 0.18},
		"learned noise beside a parameter": {learned(wide(20)), 30, 6, SquareRoot, coarse, 0.4, 0.12, 0.03},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && test.steps == coarse {
				t.Skip("a grid in three dimensions")
			}
			p := test.problem
			layer, err := feature.New(p.Box(), feature.Config{Neurons: test.neurons, Scale: []float64{test.scale}, Seed: 7, Constant: true})
			if err != nil {
				t.Fatal(err)
			}
			ph, err := Compile(p, layer, CompileConfig{Path: test.path})
			if err != nil {
				t.Fatal(err)
			}
			q, err := ph.Assimilate(p.Sensors)
			if err != nil {
				t.Fatal(err)
			}
			points := system.Grid(p.Variables, nil, []int{6})
			rows, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
			if err != nil {
				t.Fatal(err)
			}
			logEvidence, mean, sd := momentsOfGrid(t, rows, p, fineGrid(t, rows, p, test.steps), system.Field(0), points)
			gotMean, gotSD, err := q.Predict(system.Field(0), points)
			if err != nil {
				t.Fatal(err)
			}
			worst, worstSD := 0.0, 0.0
			for i := range mean {
				worst = math.Max(worst, math.Abs(gotMean[i]-mean[i])/sd[i])
				worstSD = math.Max(worstSD, relative(gotSD[i], sd[i]))
			}
			off := q.Summary().Evidence - logEvidence
			if !(math.Abs(off) <= test.evidence && worst <= test.mean && worstSD <= test.sd) {
				t.Errorf("log evidence %.3f, on the grid %.3f; means are off by %.3f sd, sd by %.3f", q.Summary().Evidence, logEvidence, worst, worstSD)
			}
		})
	}
}

// TestStagesGoOnWhereReadingsAreNotExplained: layers are doubled while all fields together have few
// enough weights, and once or twice more only where the stage before did not explain the readings.
func TestStagesGoOnWhereReadingsAreNotExplained(t *testing.T) {
	for _, test := range []struct {
		fields        int
		usual, astray []int
	}{
		{1, []int{200, 400, 800}, nil},
		{2, []int{200, 400}, []int{800}},
		{3, []int{100, 200}, []int{400}},
		{5, []int{100}, []int{200}},
		{9, []int{100}, nil},
	} {
		c := Config{}
		var usual, astray []int
		list := c.stages(&system.Problem{Fields: make([]string, test.fields)})
		for _, g := range list {
			if g.astray {
				astray = append(astray, g.neurons)
			} else {
				usual = append(usual, g.neurons)
			}
		}
		if !slices.Equal(usual, test.usual) || !slices.Equal(astray, test.astray) {
			t.Errorf("%d fields: %v neurons and, astray, %v, want %v and %v", test.fields, usual, astray, test.usual, test.astray)
		}
		for _, g := range list[min(1, len(usual)-1):] { // what may be the last looks all over, or takes what did
			if g.wide != (g.neurons <= manyNeurons && !g.astray) {
				t.Errorf("%d fields: the stage of %d neurons looks all over: %t", test.fields, g.neurons, g.wide)
			}
		}
	}
}
