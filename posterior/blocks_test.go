package posterior

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// sineSource is cos(3x) at every point.
type sineSource struct{ scale float64 }

func (s sineSource) EvalTo(dst []float64, points *mat.Dense) {
	for i := range dst {
		dst[i] = s.scale * math.Cos(3*points.At(i, 0))
	}
}

// patchedProblem is u_xx + u_y + v = q cos(3x) and v_x - u = 0 on a rectangle, with a boundary condition with an own tolerance where
// fixed, readings of u and v and a condition with an sd.
func patchedProblem(t *testing.T, parameters int, fixed bool) *system.Problem {
	t.Helper()
	variables := []system.Variable{{Name: "x", Min: 0, Max: 3}, {Name: "y", Min: -1, Max: 1}}
	points, err := system.Collocation(variables, nil, 220, 1)
	if err != nil {
		t.Fatal(err)
	}
	places, err := system.Collocation(variables, nil, 23, 5)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	y := make([]float64, 23)
	for i := range y {
		y[i] = math.Sin(2*places.At(i, 0)) + places.At(i, 1) + 0.05*random.NormFloat64()
	}
	p := &system.Problem{
		Variables: variables, Fields: []string{"u", "v"},
		Equations: []system.Demand{
			{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}, {Derivative: []int{0, 1}}, {Field: 1}}, Known: sineSource{0.5}}, Points: points},
			{Residual: system.Functional{Terms: []system.Term{{Field: 1, Derivative: []int{1}}, {Coefficient: system.Constant(-1)}}}, Points: points.Slice(0, 150, 0, 2)},
		},
		Conditions: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{}}}, Points: mat.NewDense(3, 2, []float64{0, -1, 0, 0, 0, 1})}},
		Sensors: []system.Sensors{
			{Measures: system.Field(0), Points: places.Slice(0, 15, 0, 2), Values: y[:15], Sigma: []float64{0.05}},
			{Measures: system.Field(1), Points: places.Slice(15, 23, 0, 2), Values: y[15:], Sigma: []float64{0.05}},
		},
	}
	if fixed {
		p.Conditions[0].Tolerance = 0.01
	}
	p.Conditions = append(p.Conditions, system.Demand{Residual: system.Functional{Terms: []system.Term{{Field: 1}}}, SD: 0.3, Points: mat.NewDense(2, 2, []float64{3, -1, 3, 1})})
	for k := range parameters {
		p.Parameters = append(p.Parameters, system.Parameter{Name: string(rune('q' + k))})
		p.Equations[k].Residual.Parameters = []system.ParameterTerm{{Parameter: k, Coefficient: sineSource{-1}}}
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p
}

// denseFrom compiles a layer with patches as if it had none.
func denseFrom(t *testing.T, p *system.Problem, layer *feature.Layer) *Physics {
	t.Helper()
	s := naturalSizes(p)
	ph := &Physics{problem: p, basis: p.Basis(layer), config: CompileConfig{Path: GramPath}, sizes: s, path: GramPath}
	ph.scale = ph.priorScales(nil)
	if err := ph.reduceBlocks(); err != nil {
		t.Fatal(err)
	}
	if ph.demanded.open == nil || ph.demanded.fixed == nil {
		var err error
		if ph.decomposition, err = ph.decompose(1); err != nil {
			t.Fatal(err)
		}
	}
	return ph
}

// Blocks say what dense sums of squares say: evidence, mean and standard deviation of fields, their derivatives and parameters, and their
// covariance.
func TestBlocksSayWhatDenseSumsSay(t *testing.T) {
	for _, c := range []struct {
		parameters int
		fixed      bool
	}{{0, false}, {1, false}, {2, false}, {0, true}, {1, true}} {
		p := patchedProblem(t, c.parameters, c.fixed)
		layer, err := feature.New(p.Box(), feature.Config{Neurons: 9, Scale: []float64{2}, Constant: true, Patches: []int{3, 2}, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		dense := denseFrom(t, p, layer)
		blocks, err := Compile(p, layer, CompileConfig{Path: GramPath})
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(dense.steepest/blocks.steepest - 1); d > 1e-12 || dense.rows != blocks.rows {
			t.Errorf("%+v: steepest differs by %g, rows are %d and %d", c, d, dense.rows, blocks.rows)
		}
		want, err := dense.Assimilate(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		got, err := blocks.Assimilate(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		rounding := 1e-5 // of a standard deviation: sums of squares at the tightest slack
		if c.fixed {     // amplitudes are left out where the evidence has fallen by blockDrop
			rounding = 4 * math.Exp(-blockDrop)
		}
		if d := math.Abs(got.Summary().Evidence - want.Summary().Evidence); d > rounding {
			t.Errorf("%+v: log evidence %.12g, dense %.12g", c, got.Summary().Evidence, want.Summary().Evidence)
		}
		places, _ := system.Collocation(p.Variables, nil, 90, 8)
		for _, f := range []system.Functional{system.Field(0), system.Field(1), system.Derivative(0, 2), system.Derivative(1, 1, 1)} {
			wantMean, wantSD, err := want.Predict(f, places)
			if err != nil {
				t.Fatal(err)
			}
			mean, sd, err := got.Predict(f, places)
			if err != nil {
				t.Fatal(err)
			}
			for i := range mean {
				if math.Abs(mean[i]-wantMean[i]) > rounding*wantSD[i] || math.Abs(sd[i]/wantSD[i]-1) > rounding {
					t.Fatalf("%+v, %v at %v: %.12g ± %.12g, dense %.12g ± %.12g", c, f.Terms, places.Row(i), mean[i], sd[i], wantMean[i], wantSD[i])
				}
			}
			covariance, err := got.Covariance(f, places)
			if err != nil {
				t.Fatal(err)
			}
			other, _ := want.Covariance(f, places)
			for i := range mean {
				for j := range i {
					if math.Abs(covariance.At(i, j)-other.At(i, j)) > rounding*wantSD[i]*wantSD[j] {
						t.Fatalf("%+v, %v: covariance %g, dense %g", c, f.Terms, covariance.At(i, j), other.At(i, j))
					}
				}
			}
		}
		for i, e := range got.Parameters() {
			if w := want.Parameters()[i]; math.Abs(e.Mean-w.Mean) > rounding*w.SD || math.Abs(e.SD/w.SD-1) > rounding {
				t.Errorf("%+v: %s is %.12g ± %.12g, dense %.12g ± %.12g", c, e.Name, e.Mean, e.SD, w.Mean, w.SD)
			}
		}
		if a, b := blocks.missing(), dense.missing(); math.Abs(a-b) > 1e-6*b+1e-9 {
			t.Errorf("%+v: a share of %g of the sources is missing, dense %g", c, a, b)
		}
	}
}

// Samples have the mean and the covariance of the posterior, and are the same every time.
func TestBlockSamples(t *testing.T) {
	p := patchedProblem(t, 1, false)
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 9, Scale: []float64{2}, Constant: true, Patches: []int{3, 2}, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	ph, err := Compile(p, layer, CompileConfig{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := ph.Assimilate(p.Sensors)
	if err != nil {
		t.Fatal(err)
	}
	const count = 4000
	places := mat.NewDense(3, 2, []float64{0.4, 0.1, 1.2, -0.3, 2.9, 0.9})
	samples, err := q.Sample(system.Field(0), places, count, 3)
	if err != nil {
		t.Fatal(err)
	}
	mean, sd, _ := q.Predict(system.Field(0), places)
	for j := range mean {
		sum, squares := 0.0, 0.0
		for i := range count {
			z := (samples.At(i, j) - mean[j]) / sd[j]
			sum, squares = sum+z, squares+z*z
		}
		if math.Abs(sum/count) > 4/math.Sqrt(count) || math.Abs(squares/count-1) > 4*math.Sqrt(2.0/count) {
			t.Errorf("place %d: samples have mean %g and variance %g in units of the posterior", j, sum/count, squares/count)
		}
	}
	again, _ := q.Sample(system.Field(0), places, count, 3)
	if !again.Equal(samples) {
		t.Error("samples differ the second time")
	}
}

// fitted solves a problem with patches.
func fittedPatches(t *testing.T, parameters int) (*system.Problem, *Posterior) {
	t.Helper()
	p := patchedProblem(t, parameters, false)
	q, err := Fit(p, Config{Patches: []int{3, 2}, Neurons: 12, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p, q
}

// steepPatches is a posterior of a front whose cells are so small that variances cancel in most of their digits.
func steepPatches(t *testing.T) *Posterior {
	t.Helper()
	variables := []system.Variable{{Name: "x", Min: 0, Max: 1}}
	points, err := system.Collocation(variables, nil, 2500, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.1, 0.4, 0.7, 0.98}
	p := &system.Problem{
		Variables: variables, Fields: []string{"u"},
		Equations:  []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}, {Derivative: []int{2}, Coefficient: system.Constant(-1. / 200)}}}, Points: points}},
		Conditions: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{}}}, Points: column(0)}},
		Sensors:    []system.Sensors{{Measures: system.Field(0), Points: column(x...), Values: []float64{0, 0, 0.01, frontValue(0.98)}, Sigma: []float64{0.01}}},
	}
	q, err := Fit(p, Config{Patches: []int{20}, Neurons: 30, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Standard deviations from the covariance of neighbours are those from its root: of fields and derivatives, of what has parameters in
// it, and of differences between places that share no equation.
func TestDeviationsOfPatchesAreThoseOfTheRoot(t *testing.T) {
	const accuracy, steepAccuracy = 1e-6, 0.005
	_, two := fittedPatches(t, 2)
	_, none := fittedPatches(t, 0)
	steep := steepPatches(t)
	residual := system.Functional{Terms: []system.Term{{Derivative: []int{2}}, {Field: 1}}, Parameters: []system.ParameterTerm{{Parameter: 1, Coefficient: system.Constant(2)}}}
	// The field v counts at the last points only.
	late := system.Functional{Terms: []system.Term{{}, {Field: 1, Coefficient: system.Func(func(x []float64) float64 { return 1e4 * math.Max(0, x[1]+0.87) })}}}
	apart := system.Functional{Terms: []system.Term{{}, {Coefficient: system.Constant(-1), Footprint: system.Shifted(2.2, 0)}}}
	known, left := 0, 0
	var counting sync.Mutex
	for _, c := range []struct {
		name  string
		q     *Posterior
		f     system.Functional
		local bool // some deviations must come from the covariance
	}{
		{"v", two, system.Field(1), true}, {"u_xy", two, system.Derivative(0, 1, 1), true}, {"residual", two, residual, false},
		{"late", none, late, true}, {"u", none, system.Field(0), true}, {"difference", none, apart, false}, {"front", steep, system.Field(0), true}, {"steepness", steep, system.Derivative(0, 1), true},
	} {
		points, err := system.Collocation(c.q.variables, nil, 300, 3)
		if err != nil {
			t.Fatal(err)
		}
		switch c.name {
		case "difference":
			for i := range points.Rows() {
				points.Set(i, 0, points.At(i, 0)*0.25)
			}
		case "late": // in one patch, and more than are predicted at a time before v counts
			for i := range points.Rows() {
				points.Set(i, 0, 0.3*float64(i%150)/150)
				points.Set(i, 1, -0.9+0.05*float64(i/150))
			}
		}
		_, sd, err := c.q.Predict(c.f, points)
		if err != nil {
			t.Fatal(err)
		}
		_, root, err := c.q.roots(c.f, points)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, s := range sd {
			worst = math.Max(worst, math.Abs(s/mat.Nrm2(root.Row(i))-1))
		}
		t.Logf("%s: %.2g", c.name, worst)
		if limit := map[bool]float64{false: accuracy, true: steepAccuracy}[c.q == steep]; worst > limit {
			t.Errorf("%s: a standard deviation differs by %.2g", c.name, worst)
		}
		of := &c.q.components[0]
		here := 0
		err = of.eachPatch(c.f, points, func(g *patchRows) error {
			return g.each(func(rows []int, h *mat.Dense, _ []float64) {
				others := of.newDeviations(g).to(make([]float64, len(rows)), h)
				counting.Lock()
				defer counting.Unlock()
				here, left = here+len(rows)-len(others), left+len(others)
			})
		})
		if known += here; err != nil || (here > 0) != c.local {
			t.Errorf("%s: %d deviations come from the covariance, %v", c.name, here, err)
		}
	}
	t.Logf("%d from the covariance, %d from the root", known, left)
}

// A posterior with patches survives its file, which is the same every time, and a damaged file is refused.
func TestBlockFiles(t *testing.T) {
	counts := []int{2, 0}
	if testing.Short() { // as where processors are emulated
		counts = counts[:1]
	}
	for _, parameters := range counts {
		_, q := fittedPatches(t, parameters)
		var file, again bytes.Buffer
		if err := q.Save(&file); err != nil {
			t.Fatal(err)
		}
		r, err := Load(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Save(&again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
			t.Fatalf("a stored model that is stored again differs, or %v", err)
		}
		places := mat.NewDense(3, 2, []float64{0.4, 0.1, 1.2, -0.3, 2.9, 0.9})
		mean, sd, _ := q.Predict(system.Derivative(1, 1), places)
		otherMean, otherSD, err := r.Predict(system.Derivative(1, 1), places)
		if err != nil || !slices.Equal(mean, otherMean) || !slices.Equal(sd, otherSD) {
			t.Errorf("predictions differ after loading: %v ± %v, %v ± %v, %v", mean, sd, otherMean, otherSD, err)
		}
		if !slices.Equal(q.Parameters(), r.Parameters()) || r.Summary().Neurons != q.Summary().Neurons+1 || r.Summary().Columns != q.Summary().Columns || !slices.Equal(r.Summary().Patches, []int{3, 2}) {
			t.Errorf("parameters or summary differ: %+v, %+v", q.Summary(), r.Summary())
		}
		random, damages := rand.New(rand.NewPCG(1, 1)), 300
		if testing.Short() {
			damages = 30
		}
		for range damages {
			damaged := bytes.Clone(file.Bytes())
			if random.IntN(2) == 0 {
				damaged = damaged[:random.IntN(len(damaged))]
			} else {
				damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
			}
			if _, err := Load(bytes.NewReader(damaged)); err == nil {
				t.Fatal("a damaged file was read")
			}
		}
	}
}

// Solving gives the same bits at any number of processors.
func TestBlocksSameBits(t *testing.T) {
	var want []byte
	for _, processors := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(processors)
		_, q := fittedPatches(t, 1)
		runtime.GOMAXPROCS(before)
		var file bytes.Buffer
		if err := q.Save(&file); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = file.Bytes()
		}
		if !bytes.Equal(file.Bytes(), want) {
			t.Errorf("%d processors change the model", processors)
		}
	}
}

// What follows a solution: a verdict, previews and further sensors.
func TestBlocksAfterwards(t *testing.T) {
	p, q := fittedPatches(t, 1)
	verdict, readings, err := q.Examine(p)
	if err != nil || len(readings) != p.Readings() || len(verdict.Checks) == 0 {
		t.Fatalf("verdict: %v, %d readings, %v", verdict, len(readings), err)
	}
	at := mat.NewDense(1, 2, []float64{1.2, -0.3})
	_, before, _ := q.Predict(system.Field(0), at)
	more, err := q.WithSensors(Sensor{Measures: system.Field(0), Sigma: 1e-3}, at)
	if err != nil {
		t.Fatal(err)
	}
	_, after, err := more.Predict(system.Field(0), at)
	want := 1 / math.Sqrt(1/(before[0]*before[0])+1e6)
	if err != nil || math.Abs(after[0]/want-1) > 1e-9 {
		t.Errorf("with one more sensor the standard deviation is %g, it should be %g, %v", after[0], want, err)
	}
}

func TestPatchesRefuse(t *testing.T) {
	for name, spoil := range map[string]func(p *system.Problem, c *Config){
		"method":  func(_ *system.Problem, c *Config) { c.Method = Published },
		"draw":    func(_ *system.Problem, c *Config) { c.Draw = feature.Published },
		"path":    func(_ *system.Problem, c *Config) { c.Path = SquareRoot },
		"exact":   func(p *system.Problem, _ *Config) { p.Conditions[0].Exact = true },
		"numbers": func(_ *system.Problem, c *Config) { c.Patches = []int{2, 0} },
		"many":    func(_ *system.Problem, c *Config) { c.Patches = []int{math.MaxInt, math.MaxInt} },
		"counts":  func(_ *system.Problem, c *Config) { c.Patches = []int{2} },
		"axis": func(p *system.Problem, _ *Config) {
			p.Variables[0].Min, p.Variables[0].Log = 1e-3, true
			p.Conditions = nil
		},
		"over": func(p *system.Problem, _ *Config) {
			p.Over = [][]bool{nil, {true, false}}
			p.Equations = p.Equations[1:]
		},
	} {
		p, c := patchedProblem(t, 0, false), Config{Patches: []int{2, 2}, Neurons: 10}
		spoil(p, &c)
		var refusal *ConfigError
		if _, err := Fit(p, c); !errors.As(err, &refusal) || refusal.Setting != "features.patches" {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := patchedProblem(t, 0, false)
	if _, err := FitPrior(p, Config{Patches: []int{2, 2}, Neurons: 10}); !errors.As(err, new(*ConfigError)) {
		t.Errorf("FitPrior: %v", err)
	}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 9, Scale: []float64{2}, Patches: []int{3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	ph, err := Compile(p, layer, CompileConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ph.Prior(p.Sensors); !errors.As(err, new(*ConfigError)) {
		t.Errorf("Prior: %v", err)
	}
	if _, err := ph.Assimilator().Assimilate(p.Sensors); !errors.As(err, new(*ConfigError)) {
		t.Errorf("Assimilator: %v", err)
	}
	if _, err := Fit(p, Config{Patches: []int{30, 30}, Neurons: 300, MaxMemory: 1 << 30}); !errors.As(err, new(*MemoryError)) {
		t.Errorf("memory: %v", err)
	}
}

// frontValue is the solution of u_x - u_xx/200 = 0 with u(0) = 0, u(1) = 1: a boundary layer of 1/200 of the domain.
func frontValue(x float64) float64 { return math.Exp(200 * (x - 1)) }

// A front that takes 1/200 of the domain is found to 1 %, and the band holds over ten draws of noise.
func TestPatchesFollowAFront(t *testing.T) {
	if testing.Short() {
		t.Skip("ten fits")
	}
	variables := []system.Variable{{Name: "x", Min: 0, Max: 1}}
	points, err := system.Collocation(variables, nil, 2500, 1)
	if err != nil {
		t.Fatal(err)
	}
	grid := system.Grid(variables, nil, []int{2001})
	const draws = 10
	coverage := 0.0
	for seed := range uint64(draws) {
		random := rand.New(rand.NewPCG(seed, 4))
		x, y := make([]float64, 20), make([]float64, 20)
		for i := range x {
			x[i] = (float64(i) + 0.5) / 20
			y[i] = frontValue(x[i]) + 0.01*random.NormFloat64()
		}
		end := func(at, value float64) system.Demand {
			return system.Demand{Residual: system.Functional{Terms: []system.Term{{}}, Known: system.Constant(-value)}, Points: column(at)}
		}
		p := &system.Problem{
			Variables: variables, Fields: []string{"u"},
			Equations:  []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}, {Derivative: []int{2}, Coefficient: system.Constant(-1. / 200)}}}, Points: points}},
			Conditions: []system.Demand{end(0, 0), end(1, 1)},
			Sensors:    []system.Sensors{{Measures: system.Field(0), Points: column(x...), Values: y, Sigma: []float64{0.01}}},
		}
		q, err := Fit(p, Config{Patches: []int{40}, Neurons: 30, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		mean, sd, err := q.Predict(system.Field(0), grid)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, m := range mean {
			e := math.Abs(m - frontValue(grid.At(i, 0)))
			worst = math.Max(worst, e)
			if e <= 1.96*sd[i] {
				coverage += 1 / float64(draws*len(mean))
			}
		}
		if worst > 0.01 {
			t.Errorf("seed %d: the largest error is %g", seed, worst)
		}
	}
	if coverage < 0.9 {
		t.Errorf("the bands hold %.3f of the front", coverage)
	}
	t.Logf("the bands hold %.3f of the front", coverage)
}

// Memory that a layer with patches has used serves one without them.
func TestMemoryOfPatchesServesOtherLayers(t *testing.T) {
	p := patchedProblem(t, 1, false)
	f, err := newFrame(p)
	if err != nil {
		t.Fatal(err)
	}
	evidence := func(store *storage, patches []int) float64 {
		layer, err := feature.New(p.Box(), feature.Config{Neurons: 12, Scale: []float64{2, 2}, Seed: 1, Patches: patches})
		if err != nil {
			t.Fatal(err)
		}
		ph, err := compile(f, layer, CompileConfig{Path: GramPath}, f.sizes, store)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newReadings(store, ph.basis, p.Sensors, p, f.sizes, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, log, err := ph.survey(r)
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	used := new(storage)
	evidence(used, []int{3, 2})
	used.reclaim()
	if got, want := evidence(used, nil), evidence(new(storage), nil); got != want {
		t.Errorf("log evidence %g in used memory, %g in new memory", got, want)
	}
}
