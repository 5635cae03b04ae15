package posterior

import (
	"errors"
	"math"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// gauged is u_xx + 4 lambda = 0 on [0, 2] with readings of u.
func gauged(values ...float64) *system.Problem {
	x := make([]float64, len(values))
	for i := range x {
		x[i] = 2 * (float64(i) + 0.5) / float64(len(x))
	}
	return &system.Problem{
		Variables: []system.Variable{{Name: "x", Min: 0, Max: 2}}, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "lambda"}},
		Equations: []system.Demand{{Points: column(0.5, 1, 1.5), Residual: system.Functional{
			Terms: []system.Term{{Derivative: []int{2}}}, Parameters: []system.ParameterTerm{{Coefficient: system.Constant(4)}},
		}}},
		Sensors: []system.Sensors{{Measures: system.Field(0), Points: column(x...), Values: values, Sigma: []float64{0.1}}},
	}
}

func TestNaturalSizes(t *testing.T) {
	half := math.Pi / 2 // a half wave has this wave number on [0, 2]
	// 3, 5, 7 and 9 vary about 6 with an sd of sqrt 5.
	sd := math.Sqrt(5)
	stated := gauged(3, 5, 7, 9)
	stated.Sizes = []float64{10}
	negative := gauged(-3, -5, -7, -9)
	slope := gauged(3, 5, 7, 9)
	slope.Sensors[0].Measures = system.Derivative(0, 1)
	twice := gauged(6, 10, 14, 18)
	twice.Sensors[0].Measures.Terms = []system.Term{{Coefficient: system.Constant(2)}}
	turned := gauged(3, 5, 7, 9)
	turned.Sensors[0].Measures.Terms = []system.Term{{Coefficient: system.Constant(-1)}}
	source := gauged(3, 5, 7, 9)
	source.Equations[0].Residual.Known = system.Constant(-1e4)
	alone := gauged(3, 5, 7, 9)
	alone.Sensors[0].Measures.Parameters = []system.ParameterTerm{{Parameter: 1}}
	alone.Parameters = append(alone.Parameters, system.Parameter{Name: "offset"})
	pinned := gauged(3, 5, 7, 9) // u(0) = 106 where readings vary about 6
	pinned.Conditions = []system.Demand{{Points: column(0), Residual: system.Functional{Terms: system.Field(0).Terms, Known: system.Constant(-106)}}}
	pushed := gauged(3, 5, 7, 9) // u_x(0) = 50
	pushed.Conditions = []system.Demand{{Points: column(0), Residual: system.Functional{Terms: system.Derivative(0, 1).Terms, Known: system.Constant(-50)}}}
	grounded := gauged(3, 5, 7, 9) // u(0) = 7 is within what is read
	grounded.Conditions = []system.Demand{{Points: column(0), Residual: system.Functional{Terms: system.Field(0).Terms, Known: system.Constant(-7)}}}
	unknown := gauged(3, 5, 7, 9) // u(0) + lambda = 106 states nothing of u
	unknown.Conditions = []system.Demand{{Points: column(0), Residual: system.Functional{Terms: system.Field(0).Terms, Parameters: []system.ParameterTerm{{}}, Known: system.Constant(-106)}}}
	unseen := gauged(3, 5, 7, 9)
	unseen.Parameters = append(unseen.Parameters, system.Parameter{Name: "idle"})
	for name, test := range map[string]struct {
		p                                 *system.Problem
		field, level, residual, parameter float64
	}{
		"readings":                  {gauged(3, 5, 7, 9), 1.5 * sd, 6, 1.5 * sd * 9 * half * half, 100 * 1.5 * sd * 9 * half * half / 4},
		"negative readings":         {negative, 1.5 * sd, -6, 1.5 * sd * 9 * half * half, 100 * 1.5 * sd * 9 * half * half / 4},
		"a size that is stated":     {stated, 10, 6, 10 * 9 * half * half, 100 * 10 * 9 * half * half / 4},
		"readings of a slope":       {slope, 1.5 * sd / half, 0, 1.5 * sd * 9 * half, 100 * 1.5 * sd * 9 * half / 4},
		"readings of twice a field": {twice, 1.5 * sd, 6, 1.5 * sd * 9 * half * half, 100 * 1.5 * sd * 9 * half * half / 4},
		"readings of its opposite":  {turned, 1.5 * sd, -6, 1.5 * sd * 9 * half * half, 100 * 1.5 * sd * 9 * half * half / 4},
		"a large boundary value":    {pinned, 100, 6, 100 * 9 * half * half, 100 * 100 * 9 * half * half / 4},
		"a steep boundary":          {pushed, 50 / half, 6, 50 * 9 * half, 100 * 50 * 9 * half / 4},
		"a small boundary value":    {grounded, 1.5 * sd, 6, 1.5 * sd * 9 * half * half, 100 * 1.5 * sd * 9 * half * half / 4},
		"a boundary with parameter": {unknown, 1.5 * sd, 6, 1.5 * sd * 9 * half * half, 100 * 100},
		"a large source":            {source, 1.5 * sd, 6, 1e4, 100 * 1e4 / 4},
		"one reading":               {gauged(7), 1.5 * 7, 7, 1.5 * 7 * 9 * half * half, 100 * 1.5 * 7 * 9 * half * half / 4},
		"readings that do not vary": {gauged(5, 5, 5), 1, 5, 9 * half * half, 100 * 9 * half * half / 4},
		"readings of nothing":       {gauged(0, 0, 0), 1, 0, 9 * half * half, 100 * 9 * half * half / 4},
		"a gauge's offset":          {alone, 1.5 * sd, 0, 1.5 * sd * 9 * half * half, 100 * 1.5 * sd * 9 * half * half / 4},
		"a parameter that is idle":  {unseen, 1.5 * sd, 6, 1.5 * sd * 9 * half * half, 100 * 1.5 * sd * 9 * half * half / 4},
	} {
		z := naturalSizes(test.p)
		got := []float64{z.field[0], z.level[0], z.residual[0], z.parameter[0]}
		for i, want := range []float64{test.field, test.level, test.residual, test.parameter} {
			if math.Abs(got[i]-want) > 1e-12*math.Abs(want) {
				t.Errorf("%s: %s %g, want %g", name, [...]string{"field", "level", "equation", "parameter"}[i], got[i], want)
			}
		}
	}
	if z := naturalSizes(alone); relative(z.parameter[1], 100*math.Sqrt(9+25+49+81)/2) > 1e-12 {
		t.Errorf("the offset of a gauge is at most %g", z.parameter[1])
	}
	if z := naturalSizes(unseen); z.parameter[1] != 1 {
		t.Errorf("a parameter that stands nowhere is at most %g", z.parameter[1])
	}
}

// TestFieldsThatNothingMeasuresHaveTheSizeOfTheirTerms: v = u_x, w = 3 v, with u measured.
func TestFieldsThatNothingMeasuresHaveTheSizeOfTheirTerms(t *testing.T) {
	p := gauged(3, 5, 7, 9)
	p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
	p.Fields = []string{"w", "v", "u"}
	p.Sensors[0].Measures = system.Field(2)
	p.Equations[0].Residual = system.Functional{Terms: []system.Term{{Field: 0}, {Field: 1, Coefficient: system.Constant(-3)}}}
	p.Equations = append(p.Equations, system.Demand{Points: column(0.5, 1, 1.5), Residual: system.Functional{
		Terms: []system.Term{{Field: 1, Coefficient: system.Constant(-1)}, {Field: 2, Derivative: []int{1}}},
	}})
	z := naturalSizes(p)
	u := 1.5 * math.Sqrt(5)
	for i, want := range []float64{3 * u * math.Pi / 2, u * math.Pi / 2, u} {
		if relative(z.field[i], want) > 1e-12 {
			t.Errorf("field %s has size %g, want %g", p.Fields[i], z.field[i], want)
		}
	}
	for i, want := range []float64{3 * u * math.Pi / 2, 3 * u * math.Pi / 2} { // three half waves of u
		if relative(z.residual[i], want) > 1e-12 {
			t.Errorf("equation %d has size %g, want %g", i, z.residual[i], want)
		}
	}
}

// TestTheLargestSizeThatIsImpliedCounts: two layers of a wall, of which the other conducts a hundredth as
// well. Of u alone there are readings, v is continuous at the joint, and a hundred times as steep.
func TestTheLargestSizeThatIsImpliedCounts(t *testing.T) {
	p := gauged(3, 5, 7, 9)
	p.Fields = []string{"u", "v"}
	joint := func(order ...int) []system.Term {
		other := system.Constant(-0.01)
		if len(order) == 0 {
			other = system.Constant(-1)
		}
		return []system.Term{{Derivative: order}, {Field: 1, Derivative: order, Coefficient: other}}
	}
	p.Equations = append(p.Equations, system.Demand{Points: column(1.2, 1.6), Residual: system.Derivative(1, 2)})
	p.Conditions = []system.Demand{{Points: column(1), Residual: system.Functional{Terms: joint()}}, {Points: column(1), Residual: system.Functional{Terms: joint(1)}}}
	if z, want := naturalSizes(p), 100*1.5*math.Sqrt(5); relative(z.field[1], want) > 1e-12 {
		t.Errorf("size %g, want %g", z.field[1], want)
	}
}

// TestLevelsThatNothingTellsAreFree: the equations know p by its gradient alone. A reading of its level tells it.
func TestLevelsThatNothingTellsAreFree(t *testing.T) {
	p := gauged(3, 5, 7, 9)
	p.Parameters = nil
	p.Fields = []string{"u", "p"}
	p.Equations[0].Residual = system.Functional{Terms: []system.Term{{}, {Field: 1, Derivative: []int{1}}}}
	sd := func() float64 {
		t.Helper()
		q, err := Fit(p, Config{Neurons: 30, Ensemble: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, sd, err := q.Predict(system.Field(1), column(1))
		if err != nil {
			t.Fatal(err)
		}
		return sd[0]
	}
	size := naturalSizes(p).field[1]
	if got := sd(); got < 30*size {
		t.Errorf("the sd of p is %g, and its size %g", got, size)
	}
	p.Sensors = append(p.Sensors, system.Sensors{Measures: system.Field(1), Points: column(0), Values: []float64{1e5}, Sigma: []float64{0.1}})
	if got := sd(); got > size {
		t.Errorf("the sd of p is %g with a reading, and its size %g", got, size)
	}
}

// TestSizesDoNotDependOnTheOrigin, nor much on groups: readings are in one group, one of them is on its own,
// or all are; and the field is shifted far from zero.
func TestSizesDoNotDependOnTheOrigin(t *testing.T) {
	want := naturalSizes(gauged(3, 5, 7, 9)).field[0]
	for name, cut := range map[string][]int{"together": {0, 4}, "one alone": {0, 3, 4}, "two pairs": {0, 2, 4}, "all alone": {0, 1, 2, 3, 4}} {
		var size float64
		for _, shift := range []float64{0, 1e4} {
			p := gauged(3+shift, 5+shift, 7+shift, 9+shift)
			whole := p.Sensors[0]
			p.Sensors = nil
			for i, from := range cut[:len(cut)-1] {
				to := cut[i+1]
				p.Sensors = append(p.Sensors, system.Sensors{Measures: whole.Measures, Points: whole.Points.Slice(from, to, 0, 1).Clone(), Values: whole.Values[from:to], Sigma: whole.Sigma})
			}
			z := naturalSizes(p)
			if relative(z.level[0], 6+shift) > 1e-12 {
				t.Errorf("%s, shifted by %g: level %g", name, shift, z.level[0])
			}
			if got := z.field[0]; got < 0.99*want || got > 1.5*want {
				t.Errorf("%s, shifted by %g: size %g, and %g where all are in one group", name, shift, got, want)
			}
			if size == 0 {
				size = z.field[0]
			}
			if relative(z.field[0], size) > 1e-12 {
				t.Errorf("%s, shifted by %g: size %g, and %g about zero", name, shift, z.field[0], size)
			}
		}
	}
}

// TestWhatTellsALevel: values of one field alone do.
func TestWhatTellsALevel(t *testing.T) {
	difference := system.Field(0)
	difference.Terms = []system.Term{{Footprint: &system.Footprint{Offsets: column(0, 0.1), Weights: []float64{1, -1}}}}
	offset := system.Field(0)
	offset.Parameters = []system.ParameterTerm{{}}
	both := system.Functional{Terms: []system.Term{{}, {Field: 1}}}
	for name, test := range map[string]struct {
		f    system.Functional
		want bool
	}{
		"a value": {system.Field(0), true}, "a slope": {system.Derivative(0, 1), false}, "a difference": {difference, false},
		"with an unknown offset": {offset, false}, "two fields": {both, false}, "a value, linearised": {system.Functional{Terms: []system.Term{{}, {}}}, true},
	} {
		if _, got := toldBy(&test.f); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSourcesBeyondArithmeticAreNamed, and no answer is given.
func TestSourcesBeyondArithmeticAreNamed(t *testing.T) {
	p := gauged(3, 5, 7, 9)
	p.Parameters, p.Equations[0].Residual.Parameters = nil, nil
	p.Equations[0].Residual.Known = system.Constant(-1e200)
	_, err := Fit(p, Config{Neurons: 30})
	var data *DataError
	if !errors.As(err, &data) || data.Where != "equation 1" {
		t.Errorf("error %v, want a DataError about equation 1", err)
	}
}

// TestSizesOfEquationsFollowTheSolution: a solution that varies little gives smaller sizes than
// those assumed before, but never smaller than for half a wave.
func TestSizesOfEquationsFollowTheSolution(t *testing.T) {
	p := rod(true)
	f, err := newFrame(p)
	if err != nil {
		t.Fatal(err)
	}
	before := append([]float64(nil), f.sizes.residual...)
	q := conditionAt(t, p, layerFor(p, 20, 3, 1), 2, 1e-4)
	if err := f.sizes.refine(p, q); err != nil {
		t.Fatal(err)
	}
	for label, e := range p.Demands() {
		i := label.Index
		want := f.sizes.source(e)
		for j := range e.Residual.Terms {
			mean, _, err := q.Predict(system.Functional{Terms: e.Residual.Terms[j : j+1]}, e.Points)
			if err != nil {
				t.Fatal(err)
			}
			if order(&e.Residual.Terms[j]) == 0 {
				for k := range mean { // its coefficient times what the field varies about
					mean[k] -= f.sizes.level[0] * evaluated(e.Residual.Terms[j].Coefficient, e.Points)[k]
				}
			}
			want = math.Max(want, math.Max(rootMeanSquare(mean), termSize(p, &e.Residual.Terms[j], e.Points, 1)*f.sizes.field[0]))
		}
		if relative(f.sizes.residual[i], want) > 1e-12 || want > before[i] {
			t.Errorf("equation %d has size %g, want %g; before %g", i, f.sizes.residual[i], want, before[i])
		}
	}
}

// disc is the inside of the unit circle.
type disc struct{}

func (disc) Contains(x []float64) bool { return x[0]*x[0]+x[1]*x[1] < 1 }

// TestFieldsVaryByTheirSize: with amplitude 1 the prior sd of a field about its mean over the domain is its
// size, and a constant neuron has the level, whatever the activation and the domain.
func TestFieldsVaryByTheirSize(t *testing.T) {
	for _, domain := range []system.Domain{nil, disc{}} {
		p := &system.Problem{
			Variables: []system.Variable{{Name: "x", Min: -1, Max: 1}, {Name: "y", Min: -1, Max: 1}}, Domain: domain, Fields: []string{"u"},
			Equations: []system.Demand{{Points: mat.NewDense(2, 2, []float64{0.1, 0.2, -0.3, 0.4}), Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}, {Derivative: []int{0, 2}}}}}},
			Sensors:   []system.Sensors{{Measures: system.Field(0), Points: mat.NewDense(4, 2, []float64{0, 0, 0.5, 0.1, 0.3, -0.6, -0.5, 0.5}), Values: []float64{100, 103, 101, 96}, Sigma: []float64{1}}},
		}
		for _, a := range feature.Activations() {
			layer, err := feature.New(p.Box(), feature.Config{Neurons: 30, Scale: []float64{2}, Seed: 3, Activation: a, Constant: true})
			if err != nil {
				t.Fatal(err)
			}
			f, err := newFrame(p)
			if err != nil {
				t.Fatal(err)
			}
			ph := &Physics{problem: p, basis: p.Basis(layer), sizes: f.sizes}
			scale := ph.priorScales(f.domain)
			// The variance about the mean by the definition.
			phi, total := mat.NewDense(f.domain.Rows(), layer.Neurons(), nil), 0.0
			layer.RowsTo(phi, f.domain, []feature.Term{{}})
			for j := range layer.Neurons() - 1 {
				values := phi.Transpose().Row(j)
				_, sd := meanAndSD(values)
				total += scale[j] * scale[j] * sd * sd
			}
			if relative(math.Sqrt(total), f.sizes.field[0]) > 1e-12 {
				t.Errorf("%v: the field varies by %g, its size is %g", a, math.Sqrt(total), f.sizes.field[0])
			}
			if got := scale[layer.Neurons()-1]; relative(got, 2*100) > 1e-12 {
				t.Errorf("%v, domain %v: the constant neuron has a width of %g, want 200", a, domain != nil, got)
			}
		}
	}
}

// The size of a field of which sensors read averages is that of the field, however many places stand for an average.
func TestAveragesHaveTheSizeOfTheField(t *testing.T) {
	size := func(over *system.Footprint) (field, level float64) {
		points := mat.NewDense(5, 1, []float64{0.1, 0.3, 0.5, 0.7, 0.9})
		s := &sizes{field: make([]float64, 1), level: make([]float64, 1), leveled: make([]bool, 1)}
		s.fromReadings(&system.Problem{
			Variables: []system.Variable{{Name: "x", Min: 0, Max: 1}}, Fields: []string{"u"},
			Sensors: []system.Sensors{{Measures: system.Functional{Terms: []system.Term{{Footprint: over}}}, Points: points, Values: []float64{1, 2, 4, 2, 1}}},
		})
		return s.field[0], s.level[0]
	}
	field, level := size(nil)
	weights := make([]float64, 64)
	for i := range weights {
		weights[i] = 1. / 64
	}
	if f, l := size(&system.Footprint{Offsets: mat.NewDense(64, 1, nil), Weights: weights}); f != field || l != level {
		t.Errorf("of averages it is %g about %g, of readings %g about %g", f, l, field, level)
	}
	if f, l := size(&system.Footprint{Offsets: mat.NewDense(2, 1, nil), Weights: []float64{1, -1}}); f != field/2 || l != 0 {
		t.Errorf("of differences it is %g about %g, of readings %g", f, l, field)
	}
}
