package posterior

import (
	"errors"
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// beyond is a function of the values of functionals, which follow the d coordinates of a place.
func beyond(d int, f func(v []float64) float64) system.Function {
	return system.Func(func(x []float64) float64 { return f(x[d:]) })
}

// momentsOfColumn returns the mean and standard deviation of samples at one point.
func momentsOfColumn(samples *mat.Dense, j int) (mean, sd float64) {
	n := float64(samples.Rows())
	for i := range samples.Rows() {
		mean += samples.At(i, j) / n
	}
	for i := range samples.Rows() {
		sd += (samples.At(i, j) - mean) * (samples.At(i, j) - mean) / n
	}
	return mean, math.Sqrt(sd)
}

// A product of unknowns has the mean that follows from their covariance, in a mixture, too; and a linear functional that
// is written as a nonlinear one has its moments.
func TestSamplesOfProducts(t *testing.T) {
	const count = 20000
	q, _, _ := mixtureOfLayers(t, rod(true))
	points := column(0.1, 0.9, 1.7)
	u, lambda := system.Field(0), system.ParameterValue(0)
	combined := func(factor float64) (mean, sd []float64) {
		mean, sd, err := q.Predict(system.Functional{Terms: u.Terms, Parameters: []system.ParameterTerm{{Coefficient: system.Constant(factor)}}}, points)
		if err != nil {
			t.Fatal(err)
		}
		return mean, sd
	}
	plus, sdPlus := combined(1)
	minus, sdMinus := combined(-1)
	of := []system.Functional{u, lambda}
	product, err := q.Sample(system.Functional{Nonlinear: &system.Nonlinear{Of: of, Value: beyond(1, func(v []float64) float64 { return v[0] * v[1] })}}, points, count, 1)
	if err == nil {
		t.Fatal("a nonlinear part without a list of derivatives is accepted")
	}
	none := make([]system.Function, 2)
	product, err = q.Sample(system.Functional{Nonlinear: &system.Nonlinear{Of: of, Partials: none, Value: beyond(1, func(v []float64) float64 { return v[0] * v[1] })}}, points, count, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := q.Sample(system.Functional{Known: system.Constant(3), Terms: u.Terms, Nonlinear: &system.Nonlinear{
		Of: of[1:], Partials: none[1:], Value: beyond(1, func(v []float64) float64 { return v[0] - 3 }),
	}}, points, count, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j := range points.Rows() {
		meanU, meanLambda := (plus[j]+minus[j])/2, (plus[j]-minus[j])/2
		covariance := (sdPlus[j]*sdPlus[j] - sdMinus[j]*sdMinus[j]) / 4
		got, sd := momentsOfColumn(product, j)
		if want := meanU*meanLambda + covariance; math.Abs(got-want) > 5*sd/math.Sqrt(count) {
			t.Errorf("point %d: mean of the product %g, want %g ± %g", j, got, want, sd/math.Sqrt(count))
		}
		got, sd = momentsOfColumn(sum, j)
		if math.Abs(got-plus[j]) > 5*sd/math.Sqrt(count) || math.Abs(sd/sdPlus[j]-1) > 0.05 {
			t.Errorf("point %d: sum %g ± %g, want %g ± %g", j, got, sd, plus[j], sdPlus[j])
		}
	}
}

// In each sample, coefficient and field belong together: the equation holds, though both are uncertain.
func TestSamplesBelongTogether(t *testing.T) {
	p := coefficientProblems(1)[0].problem // u_t = k (20 - u)
	q, err := Fit(p, Config{Neurons: 40, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	q = readAgain(t, q)
	const count = 500
	points := column(0.2, 1, 2)
	rate, err := q.Sample(system.Derivative(0, 1), points, count, 1)
	if err != nil {
		t.Fatal(err)
	}
	residual, err := q.Sample(p.Equations[0].Residual, points, count, 1)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := q.Sample(system.Functional{ // k (20 - u)
		Terms: []system.Term{{Coefficient: of(func(c []float64) float64 { return -c[0] })}},
		Known: of(func(c []float64) float64 { return 20 * c[0] }),
	}, points, count, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j := range points.Rows() {
		mean, sd := momentsOfColumn(rate, j)
		off, spread := momentsOfColumn(residual, j)
		if spread > 0.4*sd || math.Abs(off) > 0.4*sd {
			t.Errorf("point %d: the equation is off by %g ± %g, where u_t is %g ± %g", j, off, spread, mean, sd)
		}
		other, spread := momentsOfColumn(loss, j)
		if math.Abs(other-mean) > 0.4*sd || math.Abs(spread/sd-1) > 0.4 {
			t.Errorf("point %d: u_t = %g ± %g, k (20 - u) = %g ± %g", j, mean, sd, other, spread)
		}
	}
	again, err := q.Sample(p.Equations[0].Residual, points, count, 1)
	if err != nil || !again.Equal(residual) {
		t.Error("the same seed gives other samples", err)
	}
}

func TestSamplesThatAreNotNumbers(t *testing.T) {
	q, _, _ := mixtureOfLayers(t, rod(true))
	root := system.Functional{Nonlinear: &system.Nonlinear{
		Of: []system.Functional{system.Field(0)}, Partials: make([]system.Function, 1), Value: beyond(1, func(v []float64) float64 { return math.Sqrt(-1 - v[0]*v[0]) }),
	}}
	var data *DataError
	if _, err := q.Sample(root, column(0.5), 10, 1); !errors.As(err, &data) {
		t.Errorf("error %v", err)
	}
	more, err := q.WithSensors(Sensor{Measures: system.Field(0), Sigma: 0.1}, column(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := more.Sample(root, column(0.5), 10, 1); !errors.As(err, &data) {
		t.Errorf("with further sensors: error %v", err)
	}
}

// A note survives the file, and what it belongs to is unchanged.
func TestNotesAreStored(t *testing.T) {
	q, bytes := storedMixture(t)
	noted := readAgain(t, q.WithNote("x = \"é\"\n"))
	if noted.Note() != "x = \"é\"\n" || q.Note() != "" {
		t.Errorf("notes %q and %q", noted.Note(), q.Note())
	}
	if string(saved(t, noted.WithNote(""))) != string(bytes) {
		t.Error("without its note the file is another one")
	}
	long := make([]byte, maxHeader)
	if err := q.WithNote(string(long)).Save(new(discard)); err == nil {
		t.Error("a note longer than a header is stored")
	}
	p := readAgain(t, q).Problem()
	if len(p.Variables) != 1 || p.Fields[0] != "u" || len(p.Parameters) != 1 || p.Parameters[0].Name != "lambda" || len(p.Coefficients) != 0 {
		t.Errorf("the problem is %+v", p)
	}
}

type discard struct{}

func (*discard) Write(b []byte) (int, error) { return len(b), nil }
