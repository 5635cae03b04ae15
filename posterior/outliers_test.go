package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/system"
)

// logStudent is the log density of Student's distribution at z, by the definition.
func logStudent(nu, z float64) float64 {
	a, _ := math.Lgamma((nu + 1) / 2)
	b, _ := math.Lgamma(nu / 2)
	return a - b - 0.5*math.Log(nu*math.Pi) - (nu+1)/2*math.Log(1+z*z/nu)
}

func TestGammaOfStudentsFreedoms(t *testing.T) {
	for _, f := range studentFreedoms {
		if want, _ := math.Lgamma(f.nu / 2); math.Abs(f.logGamma-want) > 1e-12 {
			t.Errorf("log Gamma is %.15g for %g degrees of freedom, want %.15g", f.logGamma, f.nu, want)
		}
	}
}

// TestWeightOfOneReading: against a fine grid over the weight and, where all others fix the
// solution, against Student's density itself.
func TestWeightOfOneReading(t *testing.T) {
	const bound = 2e-3 // relative, of what is integrated
	for _, nu := range []float64{1, 2.5, 4, 20, 50} {
		logGamma, _ := math.Lgamma(nu / 2)
		for _, variance := range []float64{1e-8, 0.1, 1, 30} {
			for _, z := range []float64{0, 0.5, 1.5, 4, 30} {
				r := cavity{z * z * (1 + variance), variance}
				var sum, gain, gain2 float64
				for x := -25.0; x < 12; x += 0.002 {
					l := math.Exp(x)
					v := variance + 1/l
					p := math.Exp(nu/2*(math.Log(nu/2)+x-l)-logGamma-0.5*r.error2/v) / math.Sqrt(2*math.Pi*v) * 0.002
					g := variance / v
					sum, gain, gain2 = sum+p, gain+p*g, gain2+p*g*g
				}
				gain, gain2 = gain/sum, gain2/sum
				got := weighReading(r, nu, logGamma)
				if want := gain / (1 - gain) / variance; relative(got.weight, want) > bound {
					t.Errorf("nu %g, variance %g, error %g: weight %g, want %g", nu, variance, z, got.weight, want)
				}
				after := 1 - gain + (gain2-gain*gain)*r.error2/variance // of the solution, relative
				if variance > 1e-3 && math.Abs(1/(1+variance*got.information)-after) > 2*bound*after {
					t.Errorf("nu %g, variance %g, error %g: information %g leaves %g of the variance, want %g", nu, variance, z, got.information, 1/(1+variance*got.information), after)
				}
				if math.Abs(got.log-math.Log(sum)) > bound {
					t.Errorf("nu %g, variance %g, error %g: log density %g, want %g", nu, variance, z, got.log, math.Log(sum))
				}
				if variance > 1e-3 {
					continue
				}
				if want := (nu + 1) / (nu + z*z); relative(got.weight, want) > bound {
					t.Errorf("nu %g, error %g: weight %g, want %g", nu, z, got.weight, want)
				}
				if want := logStudent(nu, z); math.Abs(got.log-want) > bound {
					t.Errorf("nu %g, error %g: log density %g, want %g", nu, z, got.log, want)
				}
			}
		}
	}
}

// TestReadingsAreJudgedByTheOthers: the posterior with a reading, less the reading.
func TestReadingsAreJudgedByTheOthers(t *testing.T) {
	const m, v, y, noise, sigma = 1.3, 0.4, 2.1, 0.3, 0.7 // of the others; the reading with the variance of its noise
	variance := 1 / (1/v + 1/noise)
	mean := variance * (m/v + y/noise)
	got := leftOut(y-mean, variance, noise, sigma)
	if want := math.Pow((y-m)/sigma, 2); relative(got.error2, want) > 1e-12 || relative(got.variance, v/(sigma*sigma)) > 1e-12 {
		t.Errorf("%+v, want an error of %g and a variance of %g", got, want, v/(sigma*sigma))
	}
}

// TestWeightsOfStudentsNoise: with given degrees of freedom or the most probable of the list. Where
// the scale is stated, all weights are reduced by one factor for their uncertainty.
func TestWeightsOfStudentsNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	const variance = 0.2
	normal := func(n int, outliers ...float64) []cavity {
		var list []cavity
		for range n {
			list = append(list, cavity{(1 + variance) * math.Pow(random.NormFloat64(), 2), variance})
		}
		for _, z := range outliers {
			list = append(list, cavity{z * z, variance})
		}
		return list
	}
	student := func(nu, n int) []cavity { // by a normal number over the root of a mean of squares
		list := make([]cavity, n)
		for i := range list {
			sum := 0.0
			for range nu {
				sum += math.Pow(random.NormFloat64(), 2)
			}
			z := random.NormFloat64()/math.Sqrt(sum/float64(nu)) + math.Sqrt(variance)*random.NormFloat64()
			list[i] = cavity{z * z, variance}
		}
		return list
	}
	for name, test := range map[string]struct {
		left            []cavity
		freedom         float64
		lowest, highest float64 // what may be found
		share           float64 // of the weights that is information, about; 0: anything
	}{
		"given, of one":               {normal(20, 30), 1, 1, 1, 0},
		"given, not of the list":      {normal(20, 30), 2.5, 2.5, 2.5, 0},
		"given, where nothing is off": {normal(20), 3, 3, 3, 0},
		"of normal noise":             {normal(400), 0, 20, 50, 1},
		"of Student's with three":     {student(3, 4000), 0, 2, 4, 4. / 6},
		"of Cauchy's":                 {student(1, 4000), 0, 1, 1, 0.5},
		"with gross errors":           {normal(40, 20, 40, -60), 0, 1, 4, 0},
		"one reading":                 {normal(1), 0, 1, 50, 0},
	} {
		nu := test.freedom
		if nu == 0 {
			best := math.Inf(-1)
			for _, f := range studentFreedoms {
				log := 0.0
				for _, r := range test.left {
					log += weighReading(r, f.nu, f.logGamma).log
				}
				if log > best {
					nu, best = f.nu, log
				}
			}
		}
		if nu < test.lowest || nu > test.highest {
			t.Fatalf("%s: %g degrees of freedom are most probable; the test is wrong", name, nu)
		}
		learned, _ := studentWeights(test.left, test.freedom, false)
		stated, _ := studentWeights(test.left, test.freedom, true)
		for i, w := range learned {
			if want := weighReading(test.left[i], nu, 0).weight; relative(w, want) > 1e-12 {
				t.Fatalf("%s: reading %d has weight %g, want %g", name, i, w, want)
			}
			if relative(stated[i]/w, stated[0]/learned[0]) > 1e-12 || stated[i] > w {
				t.Fatalf("%s: reading %d has weight %g where the scale is stated, %g where not", name, i, stated[i], w)
			}
		}
		// With a little variance of what the others say the share is not quite that where they fix it.
		if got := stated[0] / learned[0]; test.share != 0 && math.Abs(got-test.share) > 0.1 {
			t.Errorf("%s: %g of the weights are information, want %g", name, got, test.share)
		}
	}
}

// weigh fixes readings with a weight for each.
func weigh(t *testing.T, ph *Physics, p *system.Problem, weights [][]float64, amplitude, slack float64, noise []float64) *held {
	t.Helper()
	h := hold(t, ph, p.Sensors, amplitude, slack, noise)
	r, err := newReadings(nil, ph.basis, p.Sensors, ph.problem, ph.sizes, weights, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.readings = r
	h.state.observed = newObserved(ph.scaled(r), len(ph.scale), h.state.decomposition, nil)
	return h
}

// TestWeightsDivideTheVariance of the noise, stated or learned, in the fit and in the prediction of
// a left-out reading.
func TestWeightsDivideTheVariance(t *testing.T) {
	weights := [][]float64{{1.4, 0.02, 0.9}, {1, 0.3}}
	known, learned := rod(true), rod(true)
	learned.Sensors[0].Sigma = nil
	for name, p := range map[string]*system.Problem{"known": known, "learned": learned} {
		const (
			amplitude, slack = 1.2, 1e-3
			sigma            = 0.2 // where it is learned
			bound            = 1e-6
		)
		layer, err := feature.New(p.Box(), feature.Config{Neurons: 12, Scale: []float64{3}, Seed: 7, Constant: true})
		if err != nil {
			t.Fatal(err)
		}
		ph, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
		if err != nil {
			t.Fatal(err)
		}
		var noise []float64
		if p == learned {
			noise = []float64{sigma}
		}
		h := weigh(t, ph, p, weights, amplitude, slack, everyNoise(mustRead(t, ph, p.Sensors), noise...))
		q := h.examined(t)
		q.weights = weights
		m := plainModelOf(p, layer, ph, amplitude, slack, noise...)
		k := 0
		for i := range weights {
			for _, w := range weights[i] {
				m.readings.v[k] /= w
				k++
			}
		}
		all := m.under(m.priors, m.readings)
		mu, covariance := all.moments()
		points := column(0.3, 1.2, 1.9)
		wantMean, wantSD := momentsOf(p, layer, system.Field(0), points, mu, covariance)
		mean, sd, err := q.Predict(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mean {
			if math.Abs(mean[i]-wantMean[i]) > bound*wantSD[i] || relative(sd[i], wantSD[i]) > bound {
				t.Errorf("%s noise, point %d: %.9g ± %.9g, by brute force %.9g ± %.9g", name, i, mean[i], sd[i], wantMean[i], wantSD[i])
			}
		}
		if got, want := h.levelsEvidence(t), all.relative(m.under(m.priors)); math.Abs(got-want) > bruteForceEvidence {
			t.Errorf("%s noise: log evidence %.9g, by brute force %.9g", name, got, want)
		}
		innovations, err := q.innovations()
		if err != nil {
			t.Fatal(err)
		}
		checks, err := q.leaveOneOut(p, innovations)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range checks {
			mean, sd := m.foretell(i)
			if math.Abs(c.LeftOutMean-mean) > leftOutMean*sd || relative(c.LeftOutSD, sd) > leftOutSD || c.Weight != weights[c.Sensors][c.Reading] {
				t.Errorf("%s noise, reading %d: %.9g ± %.9g is predicted, by brute force %.9g ± %.9g, weight %g", name, i, c.LeftOutMean, c.LeftOutSD, mean, sd, c.Weight)
			}
		}
	}
}

// grossErrors are added to some of the readings of a wave: thirty to sixty times their noise.
var grossErrors = map[int]float64{3: 2, 11: -1.5, 16: 3}

const (
	wavedReadings = 40
	wavedNoise    = 0.05
)

// waveWithErrors has gross errors in some readings; the other problem is without these.
func waveWithErrors(seed uint64) (p, without *system.Problem, exact system.Func) {
	p, exact = wave(rand.New(rand.NewPCG(seed, 7)), wavedReadings, wavedNoise)
	q := *p
	q.Sensors = slices.Clone(p.Sensors)
	s := &q.Sensors[0]
	s.Points, s.Values = withoutSome(s, func(i int) bool { return grossErrors[i] != 0 })
	for i, e := range grossErrors {
		p.Sensors[0].Values[i] += e
	}
	return p, &q, exact
}

// onGrid is a fit on a grid: mean, standard deviation and root mean square error.
type onGrid struct {
	mean, sd []float64
	off      float64
}

func gridOf(t *testing.T, p *system.Problem, q *Posterior, exact system.Func) onGrid {
	t.Helper()
	points := system.Grid(p.Variables, nil, []int{61})
	mean, sd, err := q.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	d := make([]float64, len(mean))
	for i := range d {
		d[i] = mean[i] - exact(points.Row(i))
	}
	return onGrid{mean, sd, rootMeanSquare(d)}
}

// TestGrossErrorsBarelyMoveTheAnswer, whether scale and degrees of freedom are given or learned: bad
// readings lose their weight, good ones keep theirs, and the solution is about that without the bad
// ones.
func TestGrossErrorsBarelyMoveTheAnswer(t *testing.T) {
	const (
		badWeight = 0.1
		// Half of the good readings have weights from goodWeight to that of a reading without error
		// for one degree of freedom.
		goodWeight, mostWeight = 0.7, 2
		// moved bounds the root mean square difference from the fit without bad readings, in standard
		// deviations of that, and ratio what errors are of its errors, over all seeds.
		moved = 1
		ratio = 2.5
		// spoiled is how many times larger errors are at least if the noise is said to be Gaussian.
		spoiled = 5
	)
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	kinds := map[string]func(s *system.Sensors){
		"scale given":                       func(s *system.Sensors) {},
		"scale and freedom given":           func(s *system.Sensors) { s.Freedom = 4 },
		"nothing given":                     func(s *system.Sensors) { s.Sigma = nil },
		"freedom given":                     func(s *system.Sensors) { s.Sigma, s.Freedom = nil, 4 },
		"Gaussian instead":                  func(s *system.Sensors) { s.Student = false },
		"Gaussian instead, of unknown size": func(s *system.Sensors) { s.Student, s.Sigma = false, nil },
	}
	off, offWithout := map[string]float64{}, 0.0
	for seed := range seeds {
		_, without, exact := waveWithErrors(seed)
		best := gridOf(t, without, fit(t, without, Config{Neurons: 40, Seed: seed, Ensemble: 1}), exact)
		offWithout += best.off
		for kind, change := range kinds {
			p, _, _ := waveWithErrors(seed)
			p.Sensors[0].Student = true
			change(&p.Sensors[0])
			q := fit(t, p, Config{Neurons: 40, Seed: seed, Ensemble: 1})
			got := gridOf(t, p, q, exact)
			off[kind] += got.off
			if strings.HasPrefix(kind, "Gaussian") {
				continue
			}
			var good []float64
			for i, w := range q.weights[0] {
				if grossErrors[i] == 0 {
					good = append(good, w)
				} else if w > badWeight {
					t.Errorf("%s, seed %d: reading %d, off by %g, has weight %.3f", kind, seed, i, grossErrors[i], w)
				}
			}
			slices.Sort(good)
			if middle := good[len(good)/2]; middle < goodWeight || middle > mostWeight {
				t.Errorf("%s, seed %d: half of the good readings have weights below %.3f", kind, seed, middle)
			}
			d := make([]float64, len(got.mean))
			for i := range d {
				d[i] = (got.mean[i] - best.mean[i]) / best.sd[i]
			}
			if m := rootMeanSquare(d); m > moved {
				t.Errorf("%s, seed %d: bad readings move the solution by %.2f of its standard deviation", kind, seed, m)
			}
		}
	}
	for kind, e := range off {
		if strings.HasPrefix(kind, "Gaussian") {
			if e < spoiled*offWithout {
				t.Errorf("%s: errors are %.2f times as large as without bad readings; the test does not say much", kind, e/offWithout)
			}
		} else if e > ratio*offWithout {
			t.Errorf("%s: errors are %.2f times as large as without bad readings", kind, e/offWithout)
		}
	}
}

// TestStudentsNoiseCostsLittle where no reading is bad: the answer is about that with Gaussian
// noise.
func TestStudentsNoiseCostsLittle(t *testing.T) {
	const moved, wider = 1, 1.5
	for seed := range uint64(3) {
		p, exact := wave(rand.New(rand.NewPCG(seed, 9)), wavedReadings, wavedNoise)
		c := Config{Neurons: 40, Seed: seed, Ensemble: 1}
		want := gridOf(t, p, fit(t, p, c), exact)
		p.Sensors[0].Student = true
		got := gridOf(t, p, fit(t, p, c), exact)
		d, share := make([]float64, len(want.mean)), 0.0
		for i := range d {
			d[i] = (got.mean[i] - want.mean[i]) / want.sd[i]
			share += got.sd[i] / want.sd[i] / float64(len(d))
		}
		if m := rootMeanSquare(d); m > moved || share > wider || share < 1/wider {
			t.Errorf("seed %d: moved by %.2f standard deviations, these are %.2f times as large", seed, m, share)
		}
	}
}

// TestWeightsAreSettled: they are about those that their posterior suggests.
func TestWeightsAreSettled(t *testing.T) {
	const freedom = 4
	// Layers are mixed once more after the last weights, and each weight may still move by weightsSettled.
	const bound = 3 * weightsSettled
	for _, learned := range []bool{false, true} {
		p, _, _ := waveWithErrors(1)
		s := &p.Sensors[0]
		s.Student, s.Freedom = true, freedom
		if learned {
			s.Sigma = nil
		}
		q := fit(t, p, Config{Neurons: 40, Seed: 1})
		sigma := q.Summary().Noise[0].Sigma
		mean, sd, err := q.Predict(s.Measures, s.Points)
		if err != nil {
			t.Fatal(err)
		}
		left := make([]cavity, len(mean))
		for i, w := range q.weights[0] {
			left[i] = leftOut(s.Values[i]-mean[i], sd[i]*sd[i], sigma*sigma/w, sigma)
		}
		suggested, _ := studentWeights(left, freedom, !learned)
		for i, want := range suggested {
			if w := q.weights[0][i]; relative(w, want) > bound {
				t.Errorf("learned noise %v: reading %d has weight %.4f, its posterior suggests %.4f", learned, i, w, want)
			}
		}
	}
}

// TestFewReadingsAreSetAsideInWords: the worst, and how many others. Those that are near, that count or
// whose noise is Gaussian are not.
func TestFewReadingsAreSetAsideInWords(t *testing.T) {
	p := &system.Problem{Sensors: []system.Sensors{{Name: "a", Student: true}, {Name: "b"}}}
	bad := ReadingCheck{Value: 5, LeftOutMean: 1, Sigma: 0.1, LeftOutSD: 1.1, Weight: 0.01} // predicted to 0.46
	var readings []ReadingCheck
	for k := range 8 {
		bad.Reading, bad.Value = k, 5+float64(k)
		readings = append(readings, bad)
	}
	near, counts, gaussian := bad, bad, bad
	near.Value, counts.Weight, gaussian.Sensors = 2.8, 0.2, 1 // 3.8 standard deviations
	readings = append(readings, near, counts, gaussian)
	v := &Verdict{Sound: true}
	v.setAside(p, readings)
	notes := v.Notes()
	if len(notes) != maxOutliers+1 || notes[0] != `set aside: sensors "a", reading 8, is 12 where 1 is predicted` || notes[maxOutliers] != "set aside: and 3 more" || !v.Sound {
		t.Errorf("%q", notes)
	}
}

// TestOneGroupOfStudents: other groups keep Gaussian noise. Bad readings are named where they are not
// expected, and only there.
func TestOneGroupOfStudents(t *testing.T) {
	const wrong = 5
	p, _, exact := waveWithErrors(2)
	p.Sensors[0].Student = true
	others := system.Sensors{Name: "probes", Measures: system.Field(0), Points: column(-2.6, -1.9, -1.1, -0.4, 0.3, 1.2, 1.8, 2.7), Sigma: []float64{wavedNoise}}
	noise := make([]float64, 8)
	fillNormal(rand.New(rand.NewPCG(1, 2)), noise)
	for i := range noise {
		others.Values = append(others.Values, exact(others.Points.Row(i))+wavedNoise*noise[i])
	}
	p.Sensors = append(p.Sensors, others)
	q := fit(t, p, Config{Neurons: 40, Seed: 1})
	verdict, checks, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	if !verdict.Sound {
		t.Errorf("with Student's noise where there are bad readings: %q", verdict.Failures())
	}
	for _, c := range checks {
		switch {
		case c.Sensors == 1 && c.Weight != 1:
			t.Errorf("reading %d of Gaussian noise has weight %g", c.Reading, c.Weight)
		case c.Sensors == 0 && grossErrors[c.Reading] != 0 && c.Weight > 0.1:
			t.Errorf("bad reading %d has weight %g", c.Reading, c.Weight)
		}
	}
	aside := map[string]bool{}
	for _, c := range verdict.find("reading", Note) {
		if aside[c.Name] = true; c.Name != "others" && !strings.HasPrefix(c.Message, "set aside: "+c.Name+", is ") {
			t.Errorf("%s is noted by %q", c.Name, c.Message)
		}
	}
	for i := range grossErrors {
		if name := fmt.Sprintf("sensors %q, reading %d", "gauges", i+1); !aside[name] {
			t.Errorf("that %s counts for nothing is not said: %v", name, aside)
		}
	}
	if len(aside) != len(grossErrors) {
		t.Errorf("%d notes of readings that were set aside, want %d: %v", len(aside), len(grossErrors), aside)
	}
	for _, group := range []int{0, 1} { // which is Gaussian
		for i := range p.Sensors {
			p.Sensors[i].Student = i != group
		}
		p.Sensors[1].Values[wrong] += 1
		verdict, _, err := fit(t, p, Config{Neurons: 40, Seed: 1}).Examine(p)
		p.Sensors[1].Values[wrong] -= 1
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, c := range verdict.Checks {
			if c.Kind == "reading" && c.Status == Failed {
				named[c.Name] = true
			}
		}
		want := map[string]bool{}
		if group == 1 {
			want[fmt.Sprintf("sensors %q, reading %d", "probes", wrong+1)] = true
		} else {
			for i := range grossErrors {
				want[fmt.Sprintf("sensors %q, reading %d", "gauges", i+1)] = true
			}
		}
		for name := range want {
			if !named[name] {
				t.Errorf("group %d being Gaussian: %s is not named among %v", group, name, named)
			}
		}
		for name := range named {
			if strings.Contains(name, p.Sensors[1-group].Name) {
				t.Errorf("group %d being Gaussian: %s is named", group, name)
			}
		}
	}
}

// TestStatedScaleWaitsForWeights: until readings have weights, Student's noise is learned, and the
// problem itself does not change.
func TestStatedScaleWaitsForWeights(t *testing.T) {
	p, _, _ := waveWithErrors(1)
	plain, err := newFrame(p)
	if err != nil {
		t.Fatal(err)
	}
	if plain.robust() || plain.sensors()[0].Sigma == nil {
		t.Error("Gaussian noise is taken for Student's")
	}
	p.Sensors[0].Student = true
	f, err := newFrame(p)
	if err != nil {
		t.Fatal(err)
	}
	if !f.robust() || f.sensors()[0].Sigma != nil {
		t.Error("before there are weights the stated scale is used")
	}
	f.weights = [][]float64{slices.Repeat([]float64{1}, wavedReadings)}
	if f.sensors()[0].Sigma == nil || p.Sensors[0].Sigma == nil {
		t.Error("the stated scale is lost")
	}
}

// TestWorstReadingsAreGivenUpFirst: of many weights that would fall far, only the worst do, one in
// twenty; small changes are made at once.
func TestWorstReadingsAreGivenUpFirst(t *testing.T) {
	before, weights := slices.Repeat([]float64{1}, 40), slices.Repeat([]float64{0.9}, 40)
	for k, w := range map[int]float64{3: 0.5, 8: 0.01, 20: 0.02, 21: 0.3, 39: 0.2} {
		weights[k] = w
	}
	before[21], weights[0] = 0.31, 1.3
	want := slices.Clone(weights)
	want[3] = before[3] // the three that fall most are 8, 20 and 39
	worstFirst(weights, before)
	if !slices.Equal(weights, want) {
		t.Errorf("weights are %g, want %g", weights, want)
	}
}

// The scale of Student's noise may be learned beside readings whose noise is stated.
func TestScaleOfStudentsNoiseIsLearned(t *testing.T) {
	p, _, _ := waveWithErrors(2)
	p.Sensors[0].Student, p.Sensors[0].Sigma = true, nil
	q := fit(t, p, Config{Neurons: 20, Seed: 1, Ensemble: 1, Maximum: true})
	noise := q.Summary().Noise[0]
	if !noise.Learned || !(noise.Sigma > wavedNoise/4 && noise.Sigma < 4*wavedNoise) {
		t.Errorf("noise %+v; the true scale is %g", noise, wavedNoise)
	}
}
