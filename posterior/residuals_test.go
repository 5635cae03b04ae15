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

const (
	// leftOutMean is how far a reading's mean without it may be from the brute force, relative to its
	// standard deviation; leftOutSD is the relative error of that. Squares of prior variances up to
	// squaresKeep times those of the noise keep about five digits.
	leftOutMean = 1e-5
	leftOutSD   = 1e-5
	// leftOutSums is the former where physics is summed up, too: see bruteForceSums.
	leftOutSums = 1e-4
)

// without returns all rows but one.
func (p plain) without(i int) plain {
	return plain{slices.Delete(slices.Clone(p.h), i, i+1), slices.Delete(slices.Clone(p.y), i, i+1), slices.Delete(slices.Clone(p.v), i, i+1)}
}

// foretell is the mean and standard deviation of a reading's row, noise included, given the other
// readings, in extended precision.
func (m *plainModel) foretell(i int) (mean, sd float64) {
	x, _ := m.under(m.priors, m.readings.without(i)).solved() // covariance and mean of the weights
	h, n := m.readings.h[i], len(m.d)
	sum, variance := bigZero(), bigOf(m.readings.v[i])
	for j := range n {
		sum.Add(sum, bigZero().Mul(bigOf(h[j]), x[j][n]))
		for k := range n {
			t := bigZero().Mul(bigOf(h[j]), bigOf(h[k]))
			variance.Add(variance, t.Mul(t, x[j][k]))
		}
	}
	mean, _ = sum.Float64()
	sd, _ = variance.Float64()
	return mean, math.Sqrt(sd)
}

// examined is the posterior at held hyper-parameters, with what Examine looks at.
func (h *held) examined(t *testing.T) *Posterior {
	t.Helper()
	q := h.posterior(t)
	q.summary = h.physics.summary([]state{h.state}, h.readings, 0)
	return q
}

// hold compiles a case of the brute force and holds it.
func (c *bruteForceCase) hold(t *testing.T) (*held, *feature.Layer) {
	t.Helper()
	layer, err := feature.New(c.problem.Box(), feature.Config{Neurons: c.neurons, Scale: []float64{3}, Seed: 7, Constant: true})
	if err != nil {
		t.Fatal(err)
	}
	ph, err := Compile(c.problem, layer, CompileConfig{Path: c.path})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ph.read(c.problem.Sensors)
	if err != nil {
		t.Fatal(err)
	}
	return hold(t, ph, c.problem.Sensors, c.amplitude, c.slack, everyNoise(r, c.noise...)), layer
}

// TestInnovationsAreThoseOfRefits: the prediction of a reading by all others is the posterior
// without it, for known and learned noise, with parameters, conditions with an sd and exact
// conditions.
func TestInnovationsAreThoseOfRefits(t *testing.T) {
	compressed := 0
	for name, test := range bruteForceCases() {
		t.Run(name, func(t *testing.T) {
			p := test.problem
			if p.Readings() == 1 {
				t.Skip("without its one reading there is nothing to fit")
			}
			h, layer := test.hold(t)
			q := h.examined(t)
			all, err := q.innovations()
			if err != nil {
				t.Fatal(err)
			}
			if all[0] == nil {
				compressed++ // each reading is then told from the posterior with it
			}
			checks, err := q.leaveOneOut(p, all)
			if err != nil {
				t.Fatal(err)
			}
			m := plainModelOf(p, layer, h.physics, test.amplitude, test.slack, test.noise...)
			if len(checks) != len(m.readings.y) {
				t.Fatalf("%d readings are compared, there are %d", len(checks), len(m.readings.y))
			}
			bound := leftOutMean
			if test.path == GramPath {
				bound = leftOutSums
			}
			for i, c := range checks {
				mean, sd := m.foretell(i)
				// The model's rows are of readings less what is known of them.
				mean += c.Value - m.readings.y[i]
				if math.Abs(c.LeftOutMean-mean) > bound*sd || relative(c.LeftOutSD, sd) > leftOutSD {
					t.Errorf("reading %d: %.10g ± %.10g is predicted, by brute force %.10g ± %.10g", i, c.LeftOutMean, c.LeftOutSD, mean, sd)
				}
				if want := (c.Value - mean) / sd; math.Abs(c.Standardised-want) > 2*bound*math.Max(1, math.Abs(want)) {
					t.Errorf("reading %d: %.8g standard deviations off, by brute force %.8g", i, c.Standardised, want)
				}
				if s := &p.Sensors[c.Sensors]; c.Value != s.Values[c.Reading] || relative(c.Sigma*c.Sigma, m.readings.v[i]) > leftOutSD {
					t.Errorf("reading %d is taken for reading %d of sensors %d, with noise %g", i, c.Reading, c.Sensors, c.Sigma)
				}
			}
		})
	}
	if compressed == 0 {
		t.Error("no case has readings that are compressed")
	}
}

// TestReadingsAreLeftOutOneAfterAnother: the prediction of a reading by those that are left is the
// posterior without all that were left out.
func TestReadingsAreLeftOutOneAfterAnother(t *testing.T) {
	cases, compressed := 0, 0
	for name, test := range bruteForceCases() {
		p := test.problem
		if p.Readings() < 6 || test.path == GramPath {
			continue
		}
		h, layer := test.hold(t)
		q := h.examined(t)
		all, err := q.innovations()
		if err != nil {
			t.Fatal(err)
		}
		checks, err := q.leaveOneOut(p, all)
		if err != nil {
			t.Fatal(err)
		}
		r, err := q.remaining(p, checks, all)
		if err != nil {
			t.Fatal(err)
		}
		cases++
		if all[0] == nil {
			compressed++
		}
		m := plainModelOf(p, layer, h.physics, test.amplitude, test.slack, test.noise...)
		rows := make([]int, len(checks)) // that are left
		for i := range rows {
			rows[i] = i
		}
		known := slices.Clone(m.readings.y)
		for _, gone := range []int{2, 0} { // rows are numbered without those that are gone
			if err := r.leave(rows[gone]); err != nil {
				t.Fatal(err)
			}
			rows = slices.Delete(rows, gone, gone+1)
			m.readings = m.readings.without(gone)
			for at, i := range rows {
				c := r.check(i)
				mean, sd := m.foretell(at)
				mean += c.Value - known[i]
				if math.Abs(c.LeftOutMean-mean) > leftOutMean*sd || relative(c.LeftOutSD, sd) > leftOutSD || math.Abs(c.Standardised-(c.Value-mean)/sd) > 1e-4*math.Max(1, math.Abs(c.Standardised)) {
					t.Errorf("%s, reading %d: %.10g ± %.10g is predicted, by brute force %.10g ± %.10g", name, i, c.LeftOutMean, c.LeftOutSD, mean, sd)
				}
			}
		}
	}
	if cases < 3 || compressed == 0 {
		t.Errorf("%d cases, %d of them compressed", cases, compressed)
	}
}

// TestGroupsAreComparedWithAllOthers: chi-squared and offset of a group are those of its readings
// under the posterior of a refit without the group.
func TestGroupsAreComparedWithAllOthers(t *testing.T) {
	const bound = 1e-6
	known, learned := rod(true), rod(true)
	learned.Sensors[0].Sigma, learned.Sensors[1].Sigma = nil, nil
	for name, test := range map[string]bruteForceCase{
		"known noise":   {problem: known, neurons: 12, amplitude: 1.2, slack: 1e-3, path: SquareRoot},
		"learned noise": {problem: learned, neurons: 12, amplitude: 1.2, slack: 1e-3, noise: []float64{0.2, 0.04}, path: SquareRoot},
		"two fields":    {problem: groupedFields(), neurons: 8, amplitude: 1.2, slack: 1e-3, path: SquareRoot},
	} {
		p := test.problem
		h, _ := test.hold(t)
		all, err := h.examined(t).innovations()
		if err != nil {
			t.Fatal(err)
		}
		first := 0
		for g := range p.Sensors {
			s := &p.Sensors[g]
			n := len(s.Values)
			sigma := slices.Repeat([]float64{h.state.nodes[0].noise[g]}, n)
			scale := slices.Repeat([]float64{1}, n) // of rows, which are in units of known noise
			for k := range s.Sigma {
				for i := range sigma {
					if len(s.Sigma) == 1 || i == k {
						sigma[i], scale[i] = s.Sigma[k], 1/s.Sigma[k]
					}
				}
			}
			got, err := all[0][0].compare(first, first+n, scale, nil)
			if err != nil {
				t.Fatal(err)
			}
			first += n

			others := slices.Delete(slices.Clone(p.Sensors), g, g+1)
			var noise []float64
			r := mustRead(t, h.physics, others)
			for i := range test.noise {
				if i != g {
					noise = append(noise, test.noise[i])
				}
			}
			q := hold(t, h.physics, others, test.amplitude, test.slack, everyNoise(r, noise...)).posterior(t)
			d, _, err := q.Predict(s.Measures, s.Points)
			if err != nil {
				t.Fatal(err)
			}
			c, err := q.Covariance(s.Measures, s.Points)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d {
				d[i] = s.Values[i] - d[i]
				c.Set(i, i, c.At(i, i)+sigma[i]*sigma[i])
			}
			var chol mat.Cholesky
			if err := chol.Factorize(c); err != nil {
				t.Fatal(err)
			}
			ones, x, y := slices.Repeat([]float64{1}, n), make([]float64, n), make([]float64, n)
			chol.SolveVecTo(x, d)
			chol.SolveVecTo(y, ones)
			chi2, offset := mat.Dot(d, x), mat.Dot(ones, x)/math.Sqrt(mat.Dot(ones, y))
			if relative(got.chi2, chi2) > bound || relative(got.offset, offset) > bound {
				t.Errorf("%s, group %d: chi-squared %.9g and offset %.9g, by refitting %.9g and %.9g", name, g, got.chi2, got.offset, chi2, offset)
			}
		}
	}
}

// groupedFields is twoFields with readings of v, too.
func groupedFields() *system.Problem {
	p := twoFields()
	p.Sensors = append(p.Sensors, system.Sensors{Measures: system.Field(1), Points: column(0.2, 1, 1.7), Values: []float64{0.9, 0.1, -0.8}, Sigma: []float64{0.05}})
	return p
}

// TestResidualsByRowsAreThoseOfSums where both are possible; where prior variances exceed what sums
// of squares can distinguish from the noise, those by rows still agree with the brute force.
func TestResidualsByRowsAreThoseOfSums(t *testing.T) {
	const bound = 1e-8
	p := withoutParameters(rod(true))
	test := bruteForceCase{problem: p, neurons: 12, amplitude: 1.2, slack: 1e-2, path: SquareRoot}
	h, _ := test.hold(t)
	u := h.state.observed.under(h.prior)
	sums := u.residuals(h.state.nodes)
	if sums.root != nil {
		t.Fatal("rows are kept where sums of squares would do")
	}
	rows := *sums
	rows.root = u.root()
	bySums, err := sums.innovations()
	if err != nil {
		t.Fatal(err)
	}
	byRows, err := rows.innovations()
	if err != nil {
		t.Fatal(err)
	}
	for i := range u.r {
		if d := math.Abs(bySums[0].alpha[i] - byRows[0].alpha[i]); d > bound*mat.Nrm2(bySums[0].alpha) {
			t.Errorf("alpha %d is %.12g by sums, %.12g by rows", i, bySums[0].alpha[i], byRows[0].alpha[i])
		}
		for j := range i + 1 {
			if d := math.Abs(bySums[0].v.At(i, j) - byRows[0].v.At(i, j)); d > bound*math.Sqrt(bySums[0].v.At(i, i)*bySums[0].v.At(j, j)) {
				t.Errorf("V (%d, %d) is %.12g by sums, %.12g by rows", i, j, bySums[0].v.At(i, j), byRows[0].v.At(i, j))
			}
		}
	}

	// Readings close together, almost without noise.
	p.Sensors[0].Points = column(0.7, 0.7001, 0.7002)
	for i := range p.Sensors {
		s := &p.Sensors[i]
		s.Sigma = []float64{1e-7}
		for k := range s.Values {
			x := s.Points.At(k, 0)
			s.Values[k] = [...]float64{math.Sin(2 * x), 2 * math.Cos(2*x)}[i]
		}
	}
	test.amplitude = 30
	h, layer := test.hold(t)
	q := h.examined(t)
	if q.components[0].residuals.root == nil {
		t.Fatal("sums of squares are kept where the noise is lost in them")
	}
	all, err := q.innovations()
	if err != nil {
		t.Fatal(err)
	}
	checks, err := q.leaveOneOut(p, all)
	if err != nil {
		t.Fatal(err)
	}
	m := plainModelOf(p, layer, h.physics, test.amplitude, test.slack)
	for i, c := range checks {
		mean, sd := m.foretell(i)
		if math.Abs(c.LeftOutMean-mean) > leftOutMean*sd || relative(c.LeftOutSD, sd) > leftOutSD {
			t.Errorf("reading %d: %.10g ± %.10g is predicted, by brute force %.10g ± %.10g", i, c.LeftOutMean, c.LeftOutSD, mean, sd)
		}
	}
}

// TestComparisonsAreStandardNormal for readings drawn from the model itself: mean 0, standard
// deviation 1, the nominal rate beyond the limit of a verdict, and uniform ranks of misfit and
// offset.
func TestComparisonsAreStandardNormal(t *testing.T) {
	const (
		neurons = 24
		count   = 22
		draws   = 4000
		// Of so many draws the mean is known to 0.016 and the standard deviation to 0.011; products of
		// neighbours have long tails, and their errors are not quite independent of each other.
		meanBound, sdBound = 0.06, 0.05
	)
	for name, test := range map[string]struct {
		amplitude, slack, noise float64
		learned                 bool
	}{
		"strict equations":    {1, 1e-2, 0.05, false},
		"loose equations":     {1, 0.3, 0.1, false},
		"noise to be learned": {1, 1e-2, 0.05, true},
	} {
		p := crowdedRod(count, test.noise)
		var noise []float64
		if test.learned {
			p.Sensors[0].Sigma, noise = nil, []float64{test.noise}
		}
		layer := layerFor(p, neurons, 3, 11)
		ph, err := Compile(p, layer, CompileConfig{Path: SquareRoot})
		if err != nil {
			t.Fatal(err)
		}
		m := plainModelOf(p, layer, ph, test.amplitude, test.slack, noise...)
		draw := m.readingsDraw(t, rand.New(rand.NewPCG(5, 6)))
		pairs := neighbours(p, p.Sensors[0].Points)
		if len(pairs) < fewestPairs {
			t.Fatalf("%d pairs of neighbours", len(pairs))
		}
		scale := slices.Repeat([]float64{1}, count)
		var (
			sum, squares [3]float64
			beyond       [3]int
			counts       [2]ranks
			limit        = normalAbove(falseAlarm)
		)
		for range draws {
			draw(p)
			h := hold(t, ph, p.Sensors, test.amplitude, test.slack, everyNoise(mustRead(t, ph, p.Sensors), noise...))
			all, err := h.state.observed.under(h.prior).residuals(h.state.nodes).innovations()
			if err != nil {
				t.Fatal(err)
			}
			f, err := all[0].compare(0, count, scale, pairs)
			if err != nil {
				t.Fatal(err)
			}
			counts[0].add(normalBelow(f.misfit))
			counts[1].add(normalBelow(f.offset))
			for k, z := range []float64{f.misfit, f.offset, f.pattern} {
				sum[k] += z
				squares[k] += z * z
				if k == 2 {
					z-- // as groups does
				}
				if z > limit {
					beyond[k]++
				}
			}
		}
		for k, what := range []string{"misfit", "offset", "pattern"} {
			mean, sd := sum[k]/draws, math.Sqrt(squares[k]/draws)
			if math.Abs(mean) > meanBound || math.Abs(sd-1) > sdBound {
				t.Errorf("%s: %s has mean %.3f and root mean square %.3f", name, what, mean, sd)
			}
			// Three standard deviations more than are expected.
			if most := falseAlarm*draws + 3*math.Sqrt(falseAlarm*draws); float64(beyond[k]) > most {
				t.Errorf("%s: %s is beyond its limit %d times of %d", name, what, beyond[k], draws)
			}
			if k < len(counts) {
				counts[k].check(t, name+": "+what, k, rankLimit)
			}
		}
	}
}

// crowdedRod is rod with the given number of readings of u, at increasing distances.
func crowdedRod(count int, sigma float64) *system.Problem {
	p := rod(true)
	s := &p.Sensors[0]
	s.Points, s.Values, s.Sigma = mat.NewDense(count, 1, nil), make([]float64, count), []float64{sigma}
	for i := range count {
		s.Points.Set(i, 0, 2*math.Pow((float64(i)+0.5)/float64(count), 1.5))
		s.Values[i] = math.Sin(2 * s.Points.At(i, 0))
	}
	return p
}

// readingsDraw returns a function that draws the readings of a problem, given everything else, by
// their covariance in the model.
func (m *plainModel) readingsDraw(t *testing.T, random *rand.Rand) func(p *system.Problem) {
	t.Helper()
	mu, sigma := m.under(m.priors).moments()
	n := len(m.readings.y)
	mean, covariance, columns := make([]float64, n), mat.NewSym(n, nil), len(mu)
	spread := mat.NewDense(n, columns, nil) // H Sigma
	for i, h := range m.readings.h {
		mean[i] = mat.Dot(h, mu)
		for j := range columns {
			for k := range columns {
				spread.Set(i, j, spread.At(i, j)+h[k]*sigma.At(max(j, k), min(j, k)))
			}
		}
		for j := range i + 1 {
			covariance.Set(i, j, mat.Dot(spread.Row(i), m.readings.h[j]))
		}
		covariance.Set(i, i, covariance.At(i, i)+m.readings.v[i])
	}
	var chol mat.Cholesky
	if err := chol.Factorize(covariance); err != nil {
		t.Fatal(err)
	}
	z := make([]float64, n)
	return func(p *system.Problem) {
		fillNormal(random, z)
		k := 0
		for i := range p.Sensors {
			s := &p.Sensors[i]
			s.Values = make([]float64, len(s.Values))
			for j := range s.Values {
				s.Values[j] = mean[k]
				for b := range k + 1 {
					s.Values[j] += chol.L().At(k, b) * z[b]
				}
				k++
			}
		}
	}
}

// TestNeighboursAreNearest: every reading is paired with its nearest, with distances relative to the
// ranges of the variables, and no pair occurs twice.
func TestNeighboursAreNearest(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "x", Min: 0, Max: 1000}, {Name: "t", Min: 0, Max: 1}}}
	random := rand.New(rand.NewPCG(3, 4))
	const n = 40
	points := mat.NewDense(n, 2, nil)
	for i := range n {
		points.Set(i, 0, 1000*random.Float64())
		points.Set(i, 1, random.Float64())
	}
	pairs := neighbours(p, points)
	seen := map[[2]int]bool{}
	for _, pair := range pairs {
		if pair[0] >= pair[1] || seen[pair] {
			t.Errorf("pair %v is there twice, or of one reading", pair)
		}
		seen[pair] = true
	}
	far := func(i, j int) float64 {
		return math.Hypot((points.At(i, 0)-points.At(j, 0))/1000, points.At(i, 1)-points.At(j, 1))
	}
	used := map[[2]int]bool{}
	for i := range n {
		best := (i + 1) % n
		for j := range n {
			if j != i && far(i, j) < far(i, best) {
				best = j
			}
		}
		pair := [2]int{min(i, best), max(i, best)}
		used[pair] = true
		if !seen[pair] {
			t.Errorf("reading %d has no pair with %d", i, best)
		}
	}
	if len(used) != len(pairs) {
		t.Errorf("%d pairs, want %d", len(pairs), len(used))
	}
	if alone := neighbours(p, points.Slice(0, 1, 0, 2)); len(alone) != 0 {
		t.Errorf("one reading has neighbours %v", alone)
	}
}

// withoutSome returns points and values of the readings that are not left out.
func withoutSome(s *system.Sensors, out func(i int) bool) (*mat.Dense, []float64) {
	var rows, values []float64
	for i, v := range s.Values {
		if !out(i) {
			rows, values = append(rows, s.Points.Row(i)...), append(values, v)
		}
	}
	return mat.NewDense(len(values), s.Points.Cols(), rows), values
}
