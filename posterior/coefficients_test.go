package posterior

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// eight asks for eight coefficients, which take a minute.
var eight = flag.Bool("eight", false, "find eight coefficients, too")

var costDraws = flag.Int("costs", 0, "draws of which TestCostOfCoefficients measures the time")

var effective = flag.Int("effective", 300, "effective sample of the brute force that coefficients are compared with")

// coefficientProblem is a small problem with unknown coefficients and the truth.
type coefficientProblem struct {
	name    string
	truth   []float64
	problem *system.Problem
}

// of makes a function of the coefficients alone.
func of(f func(c []float64) float64) system.Function {
	return system.DependentFunc(func(_, c []float64) float64 { return f(c) })
}

// line is n points of a variable, ends included.
func line(v system.Variable, n int) *mat.Dense {
	return system.Grid([]system.Variable{v}, nil, []int{n})
}

// read makes readings of a solution with noise.
func read(points *mat.Dense, sigma float64, seed uint64, u func(x []float64) float64) system.Sensors {
	random := rand.New(rand.NewPCG(seed, 1))
	s := system.Sensors{Name: "readings", Measures: system.Field(0), Points: points, Sigma: []float64{sigma}}
	noise := make([]float64, points.Rows())
	fillNormal(random, noise)
	for i, e := range noise {
		s.Values = append(s.Values, u(points.Row(i))+float64(sigma*e))
	}
	return s
}

func coefficientProblems(seed uint64) []coefficientProblem {
	t := system.Variable{Name: "t", Min: 0, Max: 4}
	minus := func(k int) func(c []float64) float64 { return func(c []float64) float64 { return -c[k] } }
	cooling := coefficientProblem{"cooling", []float64{0.7}, &system.Problem{
		Variables: []system.Variable{t}, Fields: []string{"u"},
		Coefficients: []system.Coefficient{{Name: "k", Min: 0.05, Max: 5}},
		// u_t = k (20 - u)
		Equations: []system.Demand{{Points: line(t, 60), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{1}}, {Coefficient: of(func(c []float64) float64 { return c[0] })}},
			Known: of(func(c []float64) float64 { return -20 * c[0] }),
		}}},
		Sensors: []system.Sensors{read(line(t, 8), 2, seed, func(x []float64) float64 { return 20 + float64(60*mat.Exp(-0.7*x[0])) })},
	}}
	const w, c = 2.5, 0.3
	oscillator := coefficientProblem{"oscillator", []float64{w, c}, &system.Problem{
		Variables: []system.Variable{t}, Fields: []string{"u"},
		Coefficients: []system.Coefficient{{Name: "w", Min: 1, Max: 4}, {Name: "c", Mean: 0.3, SD: 0.2}},
		// u_tt + c u_t + w^2 u = 0
		Equations: []system.Demand{{Points: line(t, 80), Residual: system.Functional{Terms: []system.Term{
			{Derivative: []int{2}}, {Derivative: []int{1}, Coefficient: of(func(c []float64) float64 { return c[1] })},
			{Coefficient: of(func(c []float64) float64 { return c[0] * c[0] })},
		}}}},
		Sensors: []system.Sensors{read(line(t, 15), 0.1, seed, func(x []float64) float64 {
			return mat.Exp(-0.5*c*x[0]) * mat.Cos(math.Sqrt(w*w-0.25*c*c)*x[0])
		})},
	}}
	x := system.Variable{Name: "x", Min: 0, Max: 3}
	fin := coefficientProblem{"fin", []float64{1.2}, &system.Problem{
		Variables: []system.Variable{x}, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "flux"}},
		Coefficients: []system.Coefficient{{Name: "h", Median: 1, Factor: 3}},
		// u_xx = h u, u_x(0) = -flux, u_x(3) = -h u(3)
		Equations: []system.Demand{{Points: line(x, 60), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{2}}, {Coefficient: of(minus(0))}},
		}}},
		Conditions: []system.Demand{{Points: mat.NewDense(1, 1, []float64{0}), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{1}}}, Parameters: []system.ParameterTerm{{Parameter: 0}},
		}}},
		Sensors: []system.Sensors{read(line(x, 9), 0.1, seed, func(x []float64) float64 { return 3 * mat.Exp(-math.Sqrt(1.2)*x[0]) })},
	}}
	plane := []system.Variable{{Name: "x", Min: 0, Max: 1}, {Name: "t", Min: 0, Max: 0.5}}
	halton := func(n int, seed uint64) *mat.Dense {
		p, err := system.Collocation(plane, nil, n, seed)
		if err != nil {
			panic(err)
		}
		return p
	}
	edge := func(at float64) system.Demand {
		points := mat.NewDense(20, 2, nil)
		for i := range 20 {
			points.Set(i, 0, at)
			points.Set(i, 1, float64(i)/38)
		}
		return system.Demand{Points: points, Residual: system.Field(0)}
	}
	heat := coefficientProblem{"heat", []float64{0.3}, &system.Problem{
		Variables: plane, Fields: []string{"u"}, Coefficients: []system.Coefficient{{Name: "D", Min: 0.01, Max: 10}},
		// u_t = D u_xx, u = 0 at either end
		Equations: []system.Demand{{Points: halton(150, 3), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{0, 1}}, {Derivative: []int{2}, Coefficient: of(minus(0))}},
		}}},
		Conditions: []system.Demand{edge(0), edge(1)},
		Sensors: []system.Sensors{read(halton(20, 5), 0.05, seed, func(x []float64) float64 {
			return mat.Sin(math.Pi*x[0]) * mat.Exp(-0.3*math.Pi*math.Pi*x[1])
		})},
	}}
	return []coefficientProblem{cooling, oscillator, fin, heat}
}

// Quantiles of coefficients agree with importance sampling of the same layers' posteriors.
func TestCoefficientsAgainstBruteForce(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of evidences")
	}
	const endsOff = 0.03 // of the interval's width
	for _, p := range coefficientProblems(1) {
		neurons := 30
		if len(p.problem.Variables) > 1 {
			neurons = 50
		}
		e, err := explored(p.problem, Config{Neurons: neurons})
		if err != nil {
			t.Fatal(p.name, err)
		}
		q, err := e.answer(p.problem)
		if err != nil {
			t.Fatal(p.name, err)
		}
		brute := sampled(e, *effective)
		estimates := q.Parameters()[len(p.problem.Parameters):]
		if len(estimates) != len(p.problem.Coefficients) {
			t.Fatalf("%s: %d coefficients of %d", p.name, len(estimates), len(p.problem.Coefficients))
		}
		for k, got := range estimates {
			values := make([]float64, len(brute.z))
			for i, z := range brute.z {
				values[i] = e.values(z)[k]
			}
			low, high := weightedQuantile(values, brute.weights, 0.025), weightedQuantile(values, brute.weights, 0.975)
			for _, end := range []struct{ p, got float64 }{{0.025, got.Lower95}, {0.5, got.Median}, {0.975, got.Upper95}} {
				if want := weightedQuantile(values, brute.weights, end.p); math.Abs(end.got-want) > endsOff*(high-low) {
					t.Errorf("%s, %s: quantile %g is %.5g, by brute force %.5g of [%.5g, %.5g]", p.name, got.Name, end.p, end.got, want, low, high)
				}
			}
			t.Logf("%-10s %s %.5g [%.5g, %.5g], brute force [%.5g, %.5g] of %d effective draws", p.name, got.Name, got.Median, got.Lower95, got.Upper95, low, high, brute.effective)
		}
	}
}

// sample are places of the layers' mixture with weights.
type sample struct {
	z         [][]float64
	weights   []float64
	effective int
}

// sampled draws from a wide normal distribution until the sample has the given effective size.
func sampled(e *coefficients, effective int) *sample {
	const wide = 1.6
	// in units of the standard deviations of all layers together
	var places [][]float64
	var heavy []float64
	for _, v := range e.views {
		for _, c := range v.clouds {
			for i, w := range c.weights {
				places, heavy = append(places, c.z[i]), append(heavy, v.weight*w*math.Exp(c.mass-v.mass()))
			}
		}
	}
	mean, covariance := weightedMoments(places, heavy)
	unit := &cloud{centre: mean, root: lowerRoot(covariance)}
	d := len(mean)
	points, u := feature.NewHalton(d, 77), make([]float64, d)
	b := &sample{}
	var proposed []float64
	logs, shares := make([][]float64, len(e.views)), make([]float64, len(e.views))
	for k, v := range e.views {
		shares[k] = v.share
	}
	for b.effective < effective {
		for range effective {
			points.NextTo(u)
			x := make([]float64, d)
			for k, v := range u {
				x[k] = wide * normalQuantile(v)
			}
			z := unit.place(x)
			b.z, proposed = append(b.z, z), append(proposed, -squares(x)/(2*wide*wide))
			for k, v := range e.views {
				logs[k] = append(logs[k], v.rated(z).together(e.tops)-0.5*squares(z)-proposed[len(proposed)-1])
			}
		}
		masses := make([]float64, len(logs))
		for k := range logs {
			masses[k] = logSumExp(logs[k])
		}
		b.weights = make([]float64, len(b.z))
		square := 0.0
		agreed := make([]float64, len(logs)) // as in agreedWeights
		for k := range logs {
			parts := make([]float64, len(b.z))
			for i := range parts {
				all := make([]float64, len(logs))
				for j := range logs {
					all[j] = shares[j] + (logs[j][i]+proposed[i])/temper
				}
				parts[i] = (logs[k][i]+proposed[i])/temper + (temper-1)*logSumExp(all) - proposed[i]
			}
			agreed[k] = shares[k] + logSumExp(parts)
		}
		total := logSumExp(agreed)
		for k := range agreed {
			w := math.Exp(agreed[k] - total)
			for i := range b.weights {
				b.weights[i] += w * math.Exp(logs[k][i]-masses[k])
			}
		}
		for _, w := range b.weights {
			square += w * w
		}
		b.effective = int(1 / square)
	}
	return b
}

// A posterior with coefficients is stored and read again. It makes the same predictions, and its
// samples have its moments.
func TestPosteriorWithCoefficientsIsReadAgain(t *testing.T) {
	p := coefficientProblems(2)[2] // fin: a linear parameter and a coefficient
	progress := 0
	q, err := Fit(p.problem, Config{Neurons: 30, Progress: func(done, total int) {
		if done < progress || done > total {
			t.Errorf("progress went from %d to %d of %d", progress, done, total)
		}
		progress = done
	}})
	if err != nil {
		t.Fatal(err)
	}
	if progress == 0 {
		t.Error("no progress was told")
	}
	r := readAgain(t, q)
	points := line(p.problem.Variables[0], 7)
	mean, sd, err := q.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	again, sdAgain, err := r.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(mean, again) || !slices.Equal(sd, sdAgain) {
		t.Errorf("%v ± %v became %v ± %v", mean, sd, again, sdAgain)
	}
	if a, b := q.Parameters(), r.Parameters(); !slices.Equal(a, b) {
		t.Errorf("%v became %v", a, b)
	}
	const count = 20000
	samples := q.SampleParameters(count, 1)
	correlation := q.ParameterCorrelation().At(1, 0)
	var means, squareSums [2]float64
	product := 0.0
	estimates := q.Parameters()
	for i := range count {
		a, b := (samples.At(i, 0)-estimates[0].Mean)/estimates[0].SD, (samples.At(i, 1)-estimates[1].Mean)/estimates[1].SD
		means[0], means[1] = means[0]+a/count, means[1]+b/count
		squareSums[0], squareSums[1] = squareSums[0]+a*a/count, squareSums[1]+b*b/count
		product += a * b / count
	}
	const off = 0.04
	for i, m := range means {
		if math.Abs(m) > off || math.Abs(squareSums[i]-1) > 2*off {
			t.Errorf("draws of %s have mean %.3f and variance %.3f in its units", estimates[i].Name, m, squareSums[i])
		}
	}
	if math.Abs(product-correlation) > off {
		t.Errorf("draws have correlation %.3f, want %.3f", product, correlation)
	}
	// The distribution function is the integral of the density.
	e := estimates[1]
	sum, steps := 0.0, 4000
	for i := range steps {
		x := e.Mean + e.SD*(-8+8*(float64(i)+0.5)/float64(steps))
		sum += q.ParameterDensity(1, x) * 8 * e.SD / float64(steps)
	}
	if want := q.ParameterBelow(1, e.Mean); math.Abs(sum-want) > 1e-3 {
		t.Errorf("the density below the mean is %.4f, want %.4f", sum, want)
	}
}

// Where readings do not constrain a coefficient, its posterior is the prior, and the verdict says
// so.
func TestCoefficientThatDataDoNotDetermine(t *testing.T) {
	p := coefficientProblems(3)[0]
	// as warm as the surroundings, whatever k
	p.problem.Sensors[0] = read(p.problem.Sensors[0].Points, 2, 9, func([]float64) float64 { return 20 })
	q, err := Fit(p.problem, Config{Neurons: 30})
	if err != nil {
		t.Fatal(err)
	}
	e := q.Parameters()[0]
	if e.Median < 0.2 || e.Median > 1.2 || e.Upper95 < 1.5 || e.Upper95 > 5 || e.Lower95 > 0.1 || e.Lower95 < 0.05 {
		t.Errorf("k is %.3g [%.3g, %.3g], though it is only known to lie between 0.05 and 5", e.Median, e.Lower95, e.Upper95)
	}
	v, _, err := q.Examine(p.problem)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(v.Notes(), func(s string) bool { return strings.HasPrefix(s, "the data do not determine k") }) {
		t.Errorf("the verdict notes %q", v.Notes())
	}
}

// Two frequencies that fit equally well are both reported.
func TestTwoAnswersAreReported(t *testing.T) {
	v := system.Variable{Name: "t", Min: 0, Max: 4}
	p := &system.Problem{
		Variables: []system.Variable{v}, Fields: []string{"u"},
		Coefficients: []system.Coefficient{{Name: "w", Min: 1, Max: 6}},
		Equations: []system.Demand{{Points: line(v, 80), Residual: system.Functional{Terms: []system.Term{
			{Derivative: []int{2}}, {Coefficient: of(func(c []float64) float64 { return c[0] * c[0] })},
		}}}},
		// Read at 0, 1, 2, 3 and 4: cos(2 t) is cos((2 pi - 2) t) there.
		Sensors: []system.Sensors{read(line(v, 5), 0.05, 1, func(x []float64) float64 { return math.Cos(2 * x[0]) })},
	}
	q, err := Fit(p, Config{Neurons: 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []float64{2, 2*math.Pi - 2} {
		if near := q.ParameterBelow(0, w+0.2) - q.ParameterBelow(0, w-0.2); near < 0.02 {
			t.Errorf("the probability of about %.3f is %.3f", w, near)
		}
	}
	verdict, _, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(verdict.Notes(), func(s string) bool { return strings.HasPrefix(s, "the readings allow several answers: w = ") }) {
		t.Errorf("the verdict notes %q", verdict.Notes())
	}
}

// What needs known coefficients refuses unknown ones.
func TestCoefficientsAreRefusedElsewhere(t *testing.T) {
	p := coefficientProblems(1)[0].problem
	var problem *system.ProblemError
	if _, err := FitPrior(p, Config{}); !errors.As(err, &problem) {
		t.Errorf("FitPrior: %v", err)
	}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 10, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(p, layer, CompileConfig{}); !errors.As(err, &problem) {
		t.Errorf("Compile: %v", err)
	}
	var config *ConfigError
	for _, m := range []Method{Published, PseudoInverse} {
		if _, err := Fit(p, Config{Method: m}); !errors.As(err, &config) {
			t.Errorf("%s: %v", m, err)
		}
	}
}

// Two, four and, with -eight, eight coefficients are found together: rates and surroundings of
// things that cool. The cost is reported in solves of the same problem with known coefficients.
func TestManyCoefficients(t *testing.T) {
	counts := []int{2, 4}
	if testing.Short() {
		counts = counts[:1]
	}
	if *eight {
		counts = append(counts, 8)
	}
	for _, n := range counts {
		v := system.Variable{Name: "t", Min: 0, Max: 4}
		p := &system.Problem{Variables: []system.Variable{v}}
		truth := []float64{0.5, 15, 0.9, 18, 1.4, 22, 2.2, 27}[:n]
		for i := range n / 2 {
			rate, room := truth[2*i], truth[2*i+1]
			p.Fields = append(p.Fields, fmt.Sprint("u", i))
			p.Coefficients = append(p.Coefficients,
				system.Coefficient{Name: fmt.Sprint("k", i), Min: 0.1, Max: 10}, system.Coefficient{Name: fmt.Sprint("a", i), Mean: 20, SD: 5})
			// u_t + k u - k a = 0
			p.Equations = append(p.Equations, system.Demand{Points: line(v, 50), Residual: system.Functional{
				Terms: []system.Term{{Field: i, Derivative: []int{1}}, {Field: i, Coefficient: of(func(c []float64) float64 { return c[2*i] })}},
				Known: of(func(c []float64) float64 { return float64(-c[2*i] * c[2*i+1]) }),
			}})
			s := read(line(v, 12), 0.5, uint64(i), func(x []float64) float64 {
				return room + float64(40*mat.Exp(-rate*x[0]))
			})
			s.Measures = system.Field(i)
			p.Sensors = append(p.Sensors, s)
		}
		c := Config{Neurons: 12, Activations: []feature.Activation{feature.Sine}}
		begin := time.Now()
		q, err := Fit(p, c)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(begin)
		begin = time.Now()
		if _, err := Fit(p.With(truth), c); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d coefficients: %.2f s, %.0f plain solves", n, took.Seconds(), took.Seconds()/time.Since(begin).Seconds())
		for i, e := range q.Parameters() {
			prior := 5.0
			if i%2 == 0 {
				prior = truth[i]
			}
			if z := (e.Mean - truth[i]) / e.SD; math.Abs(z) > 3.5 || e.SD > 0.2*prior {
				t.Errorf("%s is %.3g ± %.2g, truth %g", e.Name, e.Mean, e.SD, truth[i])
			}
			t.Logf("%s %.4g ± %.2g, truth %g", e.Name, e.Mean, e.SD, truth[i])
		}
	}
}

// TestCostOfCoefficients measures what one and two coefficients cost, in solves of the same problem with known coefficients.
func TestCostOfCoefficients(t *testing.T) {
	const mostOne, mostTwo, noisy = 20, 60, 1.5
	if *costDraws == 0 {
		t.Skip("it measures time: -args -costs 3")
	}
	for seed := range uint64(*costDraws) {
		for _, p := range coefficientProblems(seed + 1) {
			begin := time.Now()
			if _, err := Fit(p.problem, Config{}); err != nil {
				t.Fatal(p.name, err)
			}
			took := time.Since(begin)
			plain := time.Duration(math.MaxInt64)
			for range 3 {
				begin = time.Now()
				if _, err := Fit(p.problem.With(p.truth), Config{}); err != nil {
					t.Fatal(p.name, err)
				}
				plain = min(plain, time.Since(begin))
			}
			cost, most := took.Seconds()/plain.Seconds(), mostOne
			if len(p.truth) > 1 {
				most = mostTwo
			}
			if cost > noisy*float64(most) {
				t.Errorf("%s, draw %d: %.0f plain solves", p.name, seed+1, cost)
			}
			t.Logf("%s, draw %d: %d coefficients, %.2f s, %.0f plain solves", p.name, seed+1, len(p.truth), took.Seconds(), cost)
		}
	}
}

// A failure to refine the points of a problem with coefficients is reported; where nothing is to be
// refined, the problem does not change.
func TestRefinementAtMediansThatFails(t *testing.T) {
	p := *coefficientProblems(1)[0].problem
	if same, err := refinedAtMedians(&p, Config{Neurons: 6}); err != nil || same != &p {
		t.Errorf("nothing is to be refined: %v", err)
	}
	p.Equations = slices.Clone(p.Equations)
	p.Equations[0].Refine, p.Equations[0].Candidates = 3, line(p.Variables[0], 40)
	var config *ConfigError
	if _, err := refinedAtMedians(&p, Config{Neurons: -1}); !errors.As(err, &config) {
		t.Errorf("error %v", err)
	}
}

// TestLargerLayers explore up to as many neurons as are asked for, whether or not these are a power of two times the first.
func TestLargerLayers(t *testing.T) {
	for _, test := range []struct{ neurons, asked, fields, want int }{
		{100, 0, 1, 200}, {800, 0, 1, 800}, {400, 0, 3, 400},
		{100, 150, 1, 150}, {150, 150, 1, 150}, {100, 100, 1, 100}, {100, 400, 1, 200}, {100, 40, 1, 100},
	} {
		e := &coefficients{config: Config{Neurons: test.asked}, neurons: test.neurons, fields: test.fields}
		if got := e.larger(); got != test.want {
			t.Errorf("after %d neurons of %d, %d fields: %d, want %d", test.neurons, test.asked, test.fields, got, test.want)
		}
	}
}
