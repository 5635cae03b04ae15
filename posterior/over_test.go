package posterior

import (
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// heatedWall is heat in a wall that enters at x = 0 with the unknown flux q(t) = -u_x, a random
// constant and two waves in time. The heat that leaves at x = 1 and the initial temperature are
// unknown. The exact solution of u_t = u_xx/4, and q, are returned.
func heatedWall(random *rand.Rand) (p *system.Problem, u, q func(x, t float64) float64) {
	const d, sigma = 0.25, 0.03
	type wave struct{ size, phase, rate, decay float64 }
	var waves []wave
	for i := range 2 {
		rate := (1.5 + float64(i)) * math.Pi
		waves = append(waves, wave{random.NormFloat64(), 2 * math.Pi * random.Float64(), rate, math.Sqrt(rate / (2 * d))})
	}
	level, slope := random.NormFloat64(), random.NormFloat64()
	u = func(x, t float64) float64 {
		sum := level - slope*x
		for _, w := range waves {
			sum += w.size * math.Exp(-w.decay*x) * math.Cos(w.rate*t-w.decay*x+w.phase)
		}
		return sum
	}
	q = func(_, t float64) float64 {
		sum := slope
		for _, w := range waves {
			sum += w.size * w.decay * (math.Cos(w.rate*t+w.phase) - math.Sin(w.rate*t+w.phase))
		}
		return sum
	}
	p = &system.Problem{
		Variables: []system.Variable{{Name: "x", Max: 1}, {Name: "t", Max: 2}},
		Fields:    []string{"u", "q"},
		Over:      [][]bool{nil, {false, true}},
	}
	points, err := system.Collocation(p.Variables, nil, 300, 5)
	if err != nil {
		panic(err)
	}
	wall := mat.NewDense(40, 2, nil)
	for i := range 40 {
		wall.Set(i, 1, 2*float64(i)/39)
	}
	p.Equations = []system.Demand{{Points: points, Residual: system.Functional{Terms: []system.Term{
		{Derivative: []int{0, 1}}, {Derivative: []int{2}, Coefficient: system.Constant(-d)},
	}}}}
	p.Conditions = []system.Demand{{Points: wall, Residual: system.Functional{Terms: []system.Term{
		{Field: 1}, {Derivative: []int{1}},
	}}}}
	s := system.Sensors{Name: "thermometers", Measures: system.Field(0), Sigma: []float64{sigma}, Points: mat.NewDense(60, 2, nil)}
	for i := range 60 {
		x, t := []float64{0.05, 0.3, 0.8}[i%3], 2*(float64(i/3)+random.Float64())/20
		s.Points.Set(i, 0, x)
		s.Points.Set(i, 1, t)
		s.Values = append(s.Values, u(x, t)+sigma*random.NormFloat64())
	}
	p.Sensors = []system.Sensors{s}
	return p, u, q
}

var fluxDraws = flag.Int("fluxes", 15, "draws of an unknown flux through a wall; the figures of the README are of a hundred")

// An unknown flux through a wall is found, with bands that hold.
func TestFluxThroughAWallIsFound(t *testing.T) {
	draws := *fluxDraws
	const (
		leastInside = 0.92  // of 0.95
		mostBeyond  = 0.005 // of the fluxes beyond four standard deviations
		mostRMS     = 1.2
		mostError   = 0.15 // of the flux's size, in the median
	)
	inside, beyond, points, square := 0, 0, 0, 0.0
	var errors []float64
	for draw := range draws {
		p, _, flux := heatedWall(rand.New(rand.NewPCG(uint64(draw), 21)))
		q, err := Fit(p, Config{Neurons: 200})
		if err != nil {
			t.Fatal(err)
		}
		at := mat.NewDense(41, 2, nil)
		for i := range 41 {
			at.Set(i, 0, float64(i%5)/4) // whatever x is
			at.Set(i, 1, 2*float64(i)/40)
		}
		mean, sd, err := q.Predict(system.Field(1), at)
		if err != nil {
			t.Fatal(err)
		}
		off, size := 0.0, 0.0
		for i, m := range mean {
			want := flux(0, at.At(i, 1))
			z := math.Abs(m-want) / sd[i]
			if z <= 1.96 {
				inside++
			}
			if z > 4 {
				beyond++
			}
			points++
			square += z * z
			off += (m - want) * (m - want)
			size += want * want
		}
		errors = append(errors, math.Sqrt(off/size))
	}
	slices.Sort(errors)
	share, rms := float64(inside)/float64(points), math.Sqrt(square/float64(points))
	t.Logf("%.3f of the fluxes lie inside 95 %% bands, rms z %.2f, %d of %d beyond four standard deviations; median error %.3f", share, rms, beyond, points, errors[draws/2])
	if share < leastInside || rms > mostRMS || float64(beyond) > mostBeyond*float64(points) {
		t.Error("bands do not hold")
	}
	if errors[draws/2] > mostError {
		t.Error("the flux is hardly found")
	}
}

// The model of a field of some variables is stored and read again, streams, and makes the same rows
// one by one.
func TestModelOfAFieldOfSomeVariablesIsReadAgain(t *testing.T) {
	p, _, _ := heatedWall(rand.New(rand.NewPCG(1, 2)))
	q, err := Fit(p, Config{Neurons: 40})
	if err != nil {
		t.Fatal(err)
	}
	r := readAgain(t, q)
	if !reflect.DeepEqual(r.over, p.Over) {
		t.Errorf("the fields are functions of %v", r.over)
	}
	at := mat.NewDense(3, 2, []float64{0, 0.3, 0.5, 0.3, 0.5, 1.7})
	for _, f := range []system.Functional{system.Field(1), system.Derivative(1, 0, 1), system.Derivative(0, 1)} {
		mean, sd, err := q.Predict(f, at)
		if err != nil {
			t.Fatal(err)
		}
		again, sdAgain, err := r.Predict(f, at)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(mean, again) || !slices.Equal(sd, sdAgain) {
			t.Errorf("%v ± %v became %v ± %v", mean, sd, again, sdAgain)
		}
		if f.Terms[0].Field == 1 && (mean[0] != mean[1] || mean[1] == mean[2]) {
			t.Errorf("the flux is %v", mean)
		}
	}
	if _, _, err := r.Predict(system.Derivative(1, 1), at); err == nil {
		t.Error("a derivative of the flux along the wall has a value")
	}
	b := q.components[0].basis
	f := &system.Functional{Terms: []system.Term{
		{Field: 1, Coefficient: system.Constant(2)}, {Derivative: []int{1}}, {Field: 1, Derivative: []int{0, 1}, Footprint: system.Shifted(0, 0.25)},
	}}
	rows := mat.NewDense(2, b.Columns(), nil)
	points := at.Slice(0, 2, 0, 2)
	b.RowsTo(rows, nil, f, points)
	row := make([]float64, b.Columns())
	single := newProbe(b, *f, row)
	for i := range 2 {
		if _, ok := single.at(points.Row(i)); !ok || !slices.Equal(row, rows.Row(i)) {
			t.Errorf("row %d on its own is another", i)
		}
	}
}

func TestPublishedDrawsHaveNoFieldOfSomeVariables(t *testing.T) {
	p, _, _ := heatedWall(rand.New(rand.NewPCG(1, 2)))
	if _, err := Fit(p, Config{Neurons: 40, Method: Published, Draw: feature.Published}); err == nil {
		t.Error("it is not refused")
	}
	if _, err := Fit(p, Config{Neurons: 40, Scale: []float64{3}, Method: Published}); err != nil {
		t.Error(err)
	}
}
