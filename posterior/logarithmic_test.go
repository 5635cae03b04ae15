package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// radial is flow to a well with a source of unknown strength c: u = a + b ln r + c sin(ln r), which solves
// u_rr + u_r/r = -c sin(ln r)/r^2, read at eight places over four decades.
func radial(random *rand.Rand) (p *system.Problem, exact func(r float64) float64, c float64) {
	const sigma = 0.05
	v := system.Variable{Name: "r", Min: 0.05, Max: 500, Log: true}
	a, b, c := random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
	exact = func(r float64) float64 {
		s := mat.Log(r)
		return a + float64(b*s) + float64(c*mat.Sin(s))
	}
	places := system.Grid([]system.Variable{v}, nil, []int{8})
	readings := system.Sensors{Name: "wells", Measures: system.Field(0), Points: places, Sigma: []float64{sigma}}
	for i := range places.Rows() {
		readings.Values = append(readings.Values, exact(places.At(i, 0))+float64(sigma*random.NormFloat64()))
	}
	over := func(f func(r float64) float64) system.Function {
		return system.Func(func(x []float64) float64 { return f(x[0]) })
	}
	return &system.Problem{
		Variables: []system.Variable{v}, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "c"}},
		Equations: []system.Demand{{Points: system.Grid([]system.Variable{v}, nil, []int{60}), Residual: system.Functional{
			Terms: []system.Term{
				{Derivative: []int{2}},
				{Derivative: []int{1}, Coefficient: over(func(r float64) float64 { return 1 / r })},
			},
			Parameters: []system.ParameterTerm{{Coefficient: over(func(r float64) float64 { return mat.Sin(mat.Log(r)) / (r * r) })}},
		}}},
		Sensors: []system.Sensors{readings},
	}, exact, c
}

// Over four decades bands hold, and a source's strength is found, in a hundred draws.
func TestBandsHoldOnALogarithmicAxis(t *testing.T) {
	const (
		draws       = 100
		leastInside = 0.92 // of 0.95
		mostBeyond  = 2    // of the strengths beyond three standard deviations
	)
	inside, points, beyond, square := 0, 0, 0, 0.0
	for draw := range draws {
		p, exact, c := radial(rand.New(rand.NewPCG(uint64(draw), 8)))
		q, err := Fit(p, Config{Neurons: 40})
		if err != nil {
			t.Fatal(err)
		}
		at := system.Grid(p.Variables, nil, []int{41})
		mean, sd, err := q.Predict(system.Field(0), at)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range mean {
			points++
			if math.Abs(m-exact(at.At(i, 0))) <= 1.96*sd[i] {
				inside++
			}
		}
		z := (q.Parameters()[0].Mean - c) / q.Parameters()[0].SD
		if square += z * z; math.Abs(z) > 3 {
			beyond++
		}
	}
	if share := float64(inside) / float64(points); share < leastInside {
		t.Errorf("%.3f of the points lie inside 95 %% bands, want %g", share, leastInside)
	}
	if rms := math.Sqrt(square / draws); beyond > mostBeyond || rms > 1.3 || rms < 0.7 {
		t.Errorf("the strength is off by %.2f standard deviations in the root mean square, %d times by three", rms, beyond)
	}
}

// A model with a logarithmic axis is stored and read again, and places without logarithms are refused.
func TestModelWithALogarithmicAxisIsReadAgain(t *testing.T) {
	p, _, _ := radial(rand.New(rand.NewPCG(1, 2)))
	q, err := Fit(p, Config{Neurons: 40})
	if err != nil {
		t.Fatal(err)
	}
	r := readAgain(t, q)
	at := mat.NewDense(3, 1, []float64{0.07, 3, 400})
	slope := system.Functional{Terms: []system.Term{{Derivative: []int{1}}}}
	mean, sd, err := q.Predict(slope, at)
	if err != nil {
		t.Fatal(err)
	}
	again, sdAgain, err := r.Predict(slope, at)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(mean, again) || !slices.Equal(sd, sdAgain) {
		t.Errorf("%v ± %v became %v ± %v", mean, sd, again, sdAgain)
	}
	var refused *DataError
	if _, _, err := r.Predict(slope, mat.NewDense(1, 1, []float64{0})); !errors.As(err, &refused) {
		t.Errorf("at 0 the error is %v", err)
	}
}
