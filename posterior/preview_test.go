package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// previewError bounds what rounding does to a preview: means in standard deviations, and these relatively. A reading that
// is taken away may have left a hundredth of the variance, and the factor of the layer is conditioned on the physics.
const previewError = 1e-6

// heldAt makes the posterior of one layer at fixed amplitude, slack and noise: what previews hold.
func heldAt(t testing.TB, p *system.Problem, layer *feature.Layer) func(sensors []system.Sensors) *Posterior {
	t.Helper()
	ph, err := Compile(p, layer, CompileConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return func(sensors []system.Sensors) *Posterior {
		t.Helper()
		q := hold(t, ph, sensors, 1.5, 1e-3, nil).posterior(t)
		q.summary.Noise = make([]NoiseEstimate, len(sensors))
		return q
	}
}

// altered returns sensors with one group changed.
func altered(sensors []system.Sensors, group int, points *mat.Dense, values, sigma []float64) []system.Sensors {
	list := slices.Clone(sensors)
	list[group].Points, list[group].Values, list[group].Sigma = points, values, sigma
	return list
}

// previewed makes a reading at a place.
func previewed(t testing.TB, p *Preview, f system.Functional, at []float64, value, sigma float64, taken bool) *PreviewReading {
	t.Helper()
	r, err := p.Reading(f)
	if err == nil {
		err = r.Move(at)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Value, r.Sigma, r.Taken = value, sigma, taken
	return r
}

// agrees compares a preview of a field at points with a posterior.
func agrees(t *testing.T, what string, p *Preview, want *Posterior, points *mat.Dense) {
	t.Helper()
	mean, sd := make([]float64, points.Rows()), make([]float64, points.Rows())
	p.EstimateTo(mean, sd, 0)
	m, s, err := want.Predict(system.Field(0), points)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m {
		if off := math.Abs(mean[i]-m[i]) / s[i]; !(off < previewError) || !(relative(sd[i], s[i]) < previewError) {
			t.Errorf("%s, at %v: %g ± %g; a fit says %g ± %g", what, points.Row(i), mean[i], sd[i], m[i], s[i])
			return
		}
	}
	got := p.Parameters()
	for i, e := range want.Parameters() {
		g := got[i]
		for _, pair := range [][2]float64{{g.Mean, e.Mean}, {g.Median, e.Median}, {g.Lower95, e.Lower95}, {g.Upper95, e.Upper95}, {g.SD, e.SD}} {
			if !(math.Abs(pair[0]-pair[1]) < previewError*e.SD*10) {
				t.Errorf("%s: parameter %+v; a fit says %+v", what, g, e)
				return
			}
		}
	}
}

// What a preview says of a single layer is what a fit with the same hyper-parameters says of the other readings.
func TestPreviewIsWhatAFitSays(t *testing.T) {
	p := rod(true)
	fitted := heldAt(t, p, layerFor(p, 25, 3, 1))
	q := fitted(p.Sensors)
	points := column(0, 0.31, 0.7, 1.2, 1.77, 2)
	preview, err := q.Preview(Query{system.Field(0), points})
	if err != nil {
		t.Fatal(err)
	}
	agrees(t, "nothing changed", preview, q, points)
	u, slope := p.Sensors[0].Measures, p.Sensors[1].Measures
	old := previewed(t, preview, u, []float64{0.7}, 0.9, 0.05, true)
	first := previewed(t, preview, u, []float64{0}, 0.2, 0.05, true)
	moved := previewed(t, preview, u, []float64{0.95}, 1.3, 0.02, false)
	tilt := previewed(t, preview, slope, []float64{1.1}, -0.5, 0.3, false)
	steep := previewed(t, preview, slope, []float64{1.5}, -1.1, 0.2, true)
	for _, c := range []struct {
		what    string
		changed []*PreviewReading
		sensors []system.Sensors
	}{
		{"left out", []*PreviewReading{old}, altered(p.Sensors, 0, column(0, 2), []float64{0.2, -0.4}, []float64{0.05})},
		{"moved", []*PreviewReading{old, moved}, altered(p.Sensors, 0, column(0, 0.95, 2), []float64{0.2, 1.3, -0.4}, []float64{0.05, 0.02, 0.05})},
		{"two left out", []*PreviewReading{first, old}, altered(p.Sensors, 0, column(2), []float64{-0.4}, []float64{0.05})},
		{"one slope more", []*PreviewReading{tilt}, altered(p.Sensors, 1, column(0.3, 1.5, 1.1), []float64{0.8, -1.1, -0.5}, []float64{0.1, 0.2, 0.3})},
		{"everything", []*PreviewReading{steep, tilt, old, moved}, altered(altered(p.Sensors, 0, column(0, 0.95, 2), []float64{0.2, 1.3, -0.4}, []float64{0.05, 0.02, 0.05}), 1, column(0.3, 1.1), []float64{0.8, -0.5}, []float64{0.1, 0.3})},
		{"nothing again", nil, p.Sensors},
	} {
		if err := preview.Apply(c.changed...); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		want := fitted(c.sensors)
		agrees(t, c.what, preview, want, points)
		for _, r := range []*PreviewReading{old, moved, tilt} {
			mean, sd := r.Then()
			m, s, err := want.Predict(r.measures, r.at)
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(mean-m[0]) < previewError*s[0]) || !(relative(sd, s[0]) < previewError) {
				t.Errorf("%s: at the reading %g ± %g; a fit says %g ± %g", c.what, mean, sd, m[0], s[0])
			}
		}
	}
	mean, sd := moved.Predicted()
	m, s, _ := q.Predict(u, column(0.95))
	if !(math.Abs(mean-m[0]) < previewError*s[0]) || !(relative(sd, s[0]) < previewError) {
		t.Errorf("predicted: %g ± %g; want %g ± %g", mean, sd, m[0], s[0])
	}
}

// In a mixture each layer is conditioned by itself, and their weights follow how well they predict what is added, and how
// well what is taken away, tempered.
func TestPreviewOfAMixture(t *testing.T) {
	p := rod(true)
	points := column(0, 0.31, 0.7, 1.2, 1.77, 2)
	without := altered(p.Sensors, 0, column(0, 2), []float64{0.2, -0.4}, []float64{0.05})
	moved := altered(p.Sensors, 0, column(0, 0.95, 2), []float64{0.2, 1.3, -0.4}, []float64{0.05, 0.02, 0.05})
	shares := []float64{0.5, 0.3, 0.2}
	q := &Posterior{}
	var members []*Posterior
	var logs, total = make([]float64, len(shares)), 0.0
	density := func(of *Posterior, x, value, sigma float64) float64 {
		m, s, err := of.Predict(system.Field(0), column(x))
		if err != nil {
			t.Fatal(err)
		}
		return math.Log(gaussianDensity(value, m[0], math.Hypot(s[0], sigma)))
	}
	for k, scale := range []float64{2, 3, 2.5} {
		fitted := heldAt(t, p, layerFor(p, 20+k, scale, uint64(k+1)))
		one := fitted(p.Sensors)
		if k == 0 {
			*q = *one
			q.components = nil
		}
		c := one.components[0]
		c.weight = shares[k]
		q.components = append(q.components, c)
		members = append(members, fitted(moved))
		left := fitted(without)
		logs[k] = math.Log(shares[k]) + (density(left, 0.95, 1.3, 0.02)-density(left, 0.7, 0.9, 0.05))/3
	}
	for k, v := range logs {
		logs[k] = math.Exp(v)
		total += logs[k]
	}
	preview, err := q.Preview(Query{system.Field(0), points})
	if err != nil {
		t.Fatal(err)
	}
	u := p.Sensors[0].Measures
	err = preview.Apply(previewed(t, preview, u, []float64{0.7}, 0.9, 0.05, true), previewed(t, preview, u, []float64{0.95}, 1.3, 0.02, false))
	if err != nil {
		t.Fatal(err)
	}
	want := *q
	want.components = nil
	for k := range members {
		c := members[k].components[0]
		c.weight = logs[k] / total
		want.components = append(want.components, c)
	}
	agrees(t, "moved", preview, &want, points)
}

func gaussianDensity(x, mean, sd float64) float64 {
	return (mixture{{1, mean, sd}}).density(x)
}

// With sensors that do not exist yet, the mixture is one Gaussian.
func TestPreviewAfterFurtherSensors(t *testing.T) {
	p := rod(true)
	q := fit(t, p, Config{Neurons: 15, Scale: []float64{2}, Seed: 1})
	points := column(0, 0.6, 1.3, 2)
	after, err := q.WithSensors(Sensor{"gauge", system.Field(0), 0.1}, column(1.2))
	if err != nil {
		t.Fatal(err)
	}
	want, err := q.WithSensors(Sensor{"gauge", system.Field(0), 0.1}, column(1.2, 0.4))
	if err != nil {
		t.Fatal(err)
	}
	preview, err := after.Preview(Query{system.Field(0), points})
	if err != nil {
		t.Fatal(err)
	}
	r := previewed(t, preview, system.Field(0), []float64{0.4}, 0, 0.1, false)
	r.Value, _ = r.Predicted() // what is expected changes no mean
	if err := preview.Apply(r); err != nil {
		t.Fatal(err)
	}
	agrees(t, "expected", preview, want, points)
}

func TestPreviewRefuses(t *testing.T) {
	p := rod(false)
	q := fit(t, p, Config{Neurons: 12, Scale: []float64{2}, Seed: 1})
	preview, err := q.Preview(Query{system.Field(0), column(0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	u := system.Field(0)
	before, sd := make([]float64, 2), make([]float64, 2)
	preview.EstimateTo(before, sd, 0)
	other, err := q.Preview()
	if err != nil {
		t.Fatal(err)
	}
	unplaced, err := preview.Reading(u)
	if err != nil {
		t.Fatal(err)
	}
	unplaced.Sigma = 1
	good := previewed(t, preview, u, []float64{1}, 0, 0.1, false)
	var config *ConfigError
	var data *DataError
	for name, c := range map[string]struct {
		readings []*PreviewReading
		kind     any
	}{
		"nan":            {[]*PreviewReading{previewed(t, preview, u, []float64{1}, math.NaN(), 0.1, false)}, &data},
		"no sigma":       {[]*PreviewReading{previewed(t, preview, u, []float64{1}, 1, 0, false)}, &data},
		"tiny sigma":     {[]*PreviewReading{previewed(t, preview, u, []float64{1}, 1, 1e-200, false)}, &data},
		"infinite sigma": {[]*PreviewReading{previewed(t, preview, u, []float64{1}, 1, math.Inf(1), false)}, &data},
		"no place":       {[]*PreviewReading{good, unplaced}, &data},
		"another":        {[]*PreviewReading{previewed(t, other, u, []float64{1}, 1, 0.1, false)}, &config},
		"too many":       {slices.Repeat([]*PreviewReading{good}, MostPreviewed+1), &config},
		"never held":     {[]*PreviewReading{previewed(t, preview, u, []float64{1}, 1, 1e-6, true)}, &data},
	} {
		if err := preview.Apply(good); err != nil {
			t.Fatal(err)
		}
		if err := preview.Apply(c.readings...); !errors.As(err, c.kind) {
			t.Errorf("%s: error %v", name, err)
		}
		after := make([]float64, 2)
		if preview.EstimateTo(after, sd, 0); !slices.Equal(after, before) {
			t.Errorf("%s: something has changed", name)
		}
	}
	if err := good.Move([]float64{1, 2}); !errors.As(err, &data) {
		t.Errorf("two coordinates: %v", err)
	}
	if err := preview.Apply(good); !errors.As(err, &data) {
		t.Errorf("moved in vain: %v", err)
	}
	if _, err := preview.Reading(system.Functional{Nonlinear: &system.Nonlinear{}}); !errors.As(err, &config) {
		t.Errorf("not linear: %v", err)
	}
	var problem *system.ProblemError
	if _, err := preview.Reading(system.Field(3)); !errors.As(err, &problem) {
		t.Errorf("no such field: %v", err)
	}
	if _, err := q.Preview(Query{system.Field(3), column(0)}); !errors.As(err, &problem) {
		t.Errorf("no such field: %v", err)
	}
	if _, err := fit(t, p, Config{Method: PseudoInverse, Neurons: 5}).Preview(); !errors.As(err, &config) {
		t.Errorf("no uncertainty: %v", err)
	}
}

// Noise is that of the answer: stated, learned, and divided by the root of a weight.
func TestReadingSigmas(t *testing.T) {
	p := rod(false)
	q := fit(t, p, Config{Neurons: 12, Scale: []float64{2}, Seed: 1})
	got, err := q.ReadingSigmas(p)
	if err != nil || !slices.Equal(got[0], []float64{0.05, 0.05, 0.05}) || !slices.Equal(got[1], []float64{0.1, 0.2}) {
		t.Errorf("%v, error %v", got, err)
	}
	learned := *p
	learned.Sensors = altered(p.Sensors, 0, p.Sensors[0].Points, p.Sensors[0].Values, nil)
	weighted := *q
	weighted.summary.Noise = slices.Clone(q.summary.Noise)
	weighted.summary.Noise[0].Sigma = 0.3
	weighted.weights = [][]float64{{1, 0.25, 1}, nil}
	if got, err = weighted.ReadingSigmas(&learned); err != nil || !slices.Equal(got[0], []float64{0.3, 0.6, 0.3}) {
		t.Errorf("%v, error %v", got, err)
	}
	more := *p
	more.Sensors = append(slices.Clone(p.Sensors), p.Sensors[0])
	var data *DataError
	if _, err := q.ReadingSigmas(&more); !errors.As(err, &data) {
		t.Errorf("another problem: %v", err)
	}
}

// butterflyLike is a mixture as Fit gives it, of layers of 300 neurons, and a preview of it on 41 x 41 points.
func butterflyLike(t testing.TB) (*Preview, *system.Problem) {
	t.Helper()
	p := &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: -1, Max: 1}, {Name: "y", Min: -1, Max: 1}},
		Fields:    []string{"u"},
	}
	points, err := system.Collocation(p.Variables, nil, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	p.Equations = []system.Demand{{
		Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{2, 0}}, {Derivative: []int{0, 2}}},
			Known: system.Func(func(x []float64) float64 { return mat.Sin(2*x[0]) * mat.Cos(x[1]) }),
		},
		Points: points,
	}}
	random := rand.New(rand.NewPCG(1, 2))
	places, values := mat.NewDense(20, 2, nil), make([]float64, 20)
	for i := range values {
		x := []float64{2*random.Float64() - 1, 1}
		copy(places.Row(i), x)
		values[i] = 0.2*mat.Sin(2*x[0])*mat.Cos(x[1]) + 0.05*random.NormFloat64()
	}
	p.Sensors = []system.Sensors{{Name: "gauges", Measures: system.Field(0), Points: places, Values: values, Sigma: []float64{0.05}}}
	q, err := Fit(p, Config{Neurons: 300, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	preview, err := q.Preview(Query{system.Field(0), system.Grid(p.Variables, nil, []int{41, 41})})
	if err != nil {
		t.Fatal(err)
	}
	return preview, p
}

// dragged returns what draws one frame of a reading that is dragged.
func dragged(t testing.TB, preview *Preview, p *system.Problem) func(frame int) {
	t.Helper()
	s := &p.Sensors[0]
	old := previewed(t, preview, s.Measures, s.Points.Row(3), s.Values[3], 0.05, true)
	moved := previewed(t, preview, s.Measures, s.Points.Row(3), s.Values[3], 0.05, false)
	n := preview.ends[0]
	mean, sd, at := make([]float64, n), make([]float64, n), make([]float64, 2)
	changed := []*PreviewReading{old, moved}
	return func(frame int) {
		at[0], at[1] = float64(frame%100)/100, 0.9
		if err := moved.Move(at); err != nil {
			t.Fatal(err)
		}
		if err := preview.Apply(changed...); err != nil {
			t.Fatal(err)
		}
		preview.EstimateTo(mean, sd, 0)
	}
}

func TestPreviewDoesNotAllocate(t *testing.T) {
	if testing.Short() {
		t.Skip("fits layers of 300 neurons")
	}
	preview, p := butterflyLike(t)
	draw, frame := dragged(t, preview, p), 0
	draw(0)
	if n := testing.AllocsPerRun(20, func() {
		frame++
		draw(frame)
	}); n != 0 {
		t.Errorf("%g allocations a frame", n)
	}
}

// One frame of a dragged reading: 300 neurons, as many layers as Fit mixes, 41 x 41 points.
func BenchmarkPreview(b *testing.B) {
	preview, p := butterflyLike(b)
	draw, frame := dragged(b, preview, p), 0
	draw(0)
	for b.Loop() {
		frame++
		draw(frame)
	}
	b.ReportMetric(float64(len(preview.parts)), "layers")
}
