package feature

import (
	"errors"
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

func box(d int) Box {
	b := Box{}
	for i := range d {
		b.Min = append(b.Min, -1+3*float64(i))
		b.Max = append(b.Max, 2.5+4*float64(i))
	}
	return b
}

func layer(t *testing.T, d int, c Config) *Layer {
	t.Helper()
	l, err := New(box(d), c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func rows(l *Layer, points *mat.Dense, terms ...Term) *mat.Dense {
	h := mat.NewDense(points.Rows(), l.Neurons(), nil)
	l.RowsTo(h, points, terms)
	return h
}

// TestDerivativesAreLimitsOfDifferences builds every derivative up to MaxOrder
// in two variables from the central difference of the one below it.
func TestDerivativesAreLimitsOfDifferences(t *testing.T) {
	for _, activation := range Activations() {
		t.Run(activation.String(), func(t *testing.T) { testDerivatives(t, activation) })
	}
}

func testDerivatives(t *testing.T, activation Activation) {
	const step, tolerance = 1e-4, 1e-6
	l := layer(t, 2, Config{Neurons: 17, Scale: []float64{2}, Seed: 3, Activation: activation})
	at := func(x, y float64) *mat.Dense { return mat.NewDense(1, 2, []float64{x, y}) }
	for order := 1; order <= MaxOrder; order++ {
		for i := 0; i <= order; i++ {
			x, y := 0.3, 4.1
			this := rows(l, at(x, y), Term{Derivative: []int{i, order - i}})
			var high, low *mat.Dense
			if i > 0 {
				high = rows(l, at(x+step, y), Term{Derivative: []int{i - 1, order - i}})
				low = rows(l, at(x-step, y), Term{Derivative: []int{i - 1, order - i}})
			} else {
				high = rows(l, at(x, y+step), Term{Derivative: []int{0, order - 1}})
				low = rows(l, at(x, y-step), Term{Derivative: []int{0, order - 1}})
			}
			size := 0.0
			for j := range l.Neurons() {
				size = math.Max(size, math.Abs(this.At(0, j)))
			}
			for j := range l.Neurons() {
				want := (high.At(0, j) - low.At(0, j)) / (2 * step)
				if got := this.At(0, j); math.Abs(got-want) > tolerance*size {
					t.Fatalf("derivative (%d, %d) of neuron %d is %g, difference %g", i, order-i, j, got, want)
				}
			}
		}
	}
}

// TestRowsAreLinearInTheirTerms compares a sum of terms with constant and varying
// coefficients with the terms one by one, across the end of a chunk.
func TestRowsAreLinearInTheirTerms(t *testing.T) {
	const tolerance = 1e-13
	l := layer(t, 2, Config{Neurons: 9, Scale: []float64{3}, Seed: 1})
	n := 2*chunkElements/l.Neurons() + 5
	points := mat.NewDense(n, 2, nil)
	coefficient := make([]float64, n)
	for i := range n {
		points.Set(i, 0, -1+3.5*float64(i)/float64(n))
		points.Set(i, 1, 6.5-4.5*float64(i)/float64(n))
		coefficient[i] = 1 + float64(i%7)
	}
	sum := rows(l, points, Term{Derivative: []int{2}}, Term{Derivative: []int{0, 2}, Coefficient: coefficient}, Term{Coefficient: []float64{-3}}, Term{Derivative: []int{1, 1}, Coefficient: []float64{0.5}})
	xx, yy, u, xy := rows(l, points, Term{Derivative: []int{2}}), rows(l, points, Term{Derivative: []int{0, 2}}), rows(l, points, Term{}), rows(l, points, Term{Derivative: []int{1, 1}})
	for i := range n {
		for j := range l.Neurons() {
			want := xx.At(i, j) + coefficient[i]*yy.At(i, j) - 3*u.At(i, j) + 0.5*xy.At(i, j)
			if math.Abs(sum.At(i, j)-want) > tolerance*(math.Abs(xx.At(i, j))+math.Abs(coefficient[i]*yy.At(i, j))+3) {
				t.Fatalf("row %d, neuron %d: %g, sum of its terms %g", i, j, sum.At(i, j), want)
			}
		}
	}
}

// Two coefficients for two points are one for each point, however short the list.
func TestCoefficientsMayVaryOverTwoPoints(t *testing.T) {
	l := layer(t, 1, Config{Neurons: 5, Scale: []float64{2}, Seed: 8})
	points := mat.NewDense(2, 1, []float64{0.3, 1.1})
	once := rows(l, points, Term{Derivative: []int{1}})
	scaled := rows(l, points, Term{Derivative: []int{1}, Coefficient: []float64{2, -4}})
	for j := range l.Neurons() {
		if scaled.At(0, j) != 2*once.At(0, j) || scaled.At(1, j) != -4*once.At(1, j) {
			t.Fatalf("neuron %d: %g and %g, want 2 times %g and -4 times %g", j, scaled.At(0, j), scaled.At(1, j), once.At(0, j), once.At(1, j))
		}
	}
}

// The empty sum of terms is zero.
func TestEmptyOperatorIsZero(t *testing.T) {
	l := layer(t, 1, Config{Neurons: 3, Scale: []float64{1}})
	h := mat.NewDense(1, 3, []float64{1, 2, 3})
	l.RowsTo(h, mat.NewDense(1, 1, []float64{0}), nil)
	for _, v := range h.Row(0) {
		if v != 0 {
			t.Fatal("the empty operator is not zero")
		}
	}
}

// Otherwise part of a large domain would have no features.
func TestNeuronsPassThroughZeroInsideTheBox(t *testing.T) {
	for _, draw := range []Draw{Spread, Independent} {
		l := layer(t, 1, Config{Neurons: 200, Scale: []float64{5}, Seed: 9, Draw: draw})
		below := 0
		for j := range l.Neurons() {
			a, b := l.slopes.At(j, 0), l.bias[j]
			if zero := -b / a; !(math.Abs(zero) <= 1+1e-12) {
				t.Errorf("draw %d: neuron %d is zero at %g", draw, j, zero)
			} else if zero < 0 {
				below++
			}
			if math.Abs(a) > 5 {
				t.Errorf("draw %d: slope %g beyond the scale", draw, a)
			}
		}
		if below < 70 || below > 130 {
			t.Errorf("draw %d: %d of 200 zeros in the lower half of the box", draw, below)
		}
	}
}

// TestPublishedDrawIsInTheProblemsCoordinates checks that slope and bias of tanh(a x + b)
// both lie within the scale.
func TestPublishedDrawIsInTheProblemsCoordinates(t *testing.T) {
	l := layer(t, 1, Config{Neurons: 100, Scale: []float64{3}, Seed: 2, Draw: Published})
	for j := range l.Neurons() {
		slope := l.slopes.At(j, 0) / l.half[0]
		bias := l.bias[j] - slope*l.center[0]
		if math.Abs(slope) > 3+1e-12 || math.Abs(bias) > 3+1e-12 {
			t.Fatalf("neuron %d: slope %g, bias %g", j, slope, bias)
		}
	}
}

// The search over scales must not compare different draws.
func TestScaleOnlyStretchesTheDraw(t *testing.T) {
	a, b := layer(t, 2, Config{Neurons: 20, Scale: []float64{1}, Seed: 4}), layer(t, 2, Config{Neurons: 20, Scale: []float64{8}, Seed: 4})
	for j := range 20 {
		for i := range 2 {
			if b.slopes.At(j, i) != 8*a.slopes.At(j, i) {
				t.Fatal("slopes are not proportional to the scale")
			}
		}
	}
}

// TestLayerIsTheSameOnEveryMachine compares the bits of a draw and of a row.
func TestLayerIsTheSameOnEveryMachine(t *testing.T) {
	l := layer(t, 2, Config{Neurons: 3, Scale: []float64{2}, Seed: 42})
	h := rows(l, mat.NewDense(1, 2, []float64{0.1, 5}), Term{Derivative: []int{2, 1}}, Term{Coefficient: []float64{0.3}})
	var got []uint64
	for j := range 3 {
		got = append(got, math.Float64bits(l.slopes.At(j, 1)), math.Float64bits(l.bias[j]), math.Float64bits(h.At(0, j)))
	}
	want := goldenLayer
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("bits %d: %#x, want %#x; all: %#x", i, got[i], want[i], got)
		}
	}
}

// TestEachVariableHasItsOwnScale checks that the slopes in a variable follow its scale only.
func TestEachVariableHasItsOwnScale(t *testing.T) {
	a, b := layer(t, 2, Config{Neurons: 20, Scale: []float64{1}, Seed: 4}), layer(t, 2, Config{Neurons: 20, Scale: []float64{1, 4}, Seed: 4})
	for j := range 20 {
		if b.slopes.At(j, 0) != a.slopes.At(j, 0) || b.slopes.At(j, 1) != 4*a.slopes.At(j, 1) {
			t.Fatal("a variable's slopes do not follow its own scale")
		}
	}
}

func TestStoredLayerIsRestored(t *testing.T) {
	l := layer(t, 2, Config{Neurons: 5, Scale: []float64{2}, Seed: 8, Activation: Gaussian})
	m, err := Restore(l.Store())
	if err != nil {
		t.Fatal(err)
	}
	p := mat.NewDense(1, 2, []float64{1, 4})
	a, b := rows(l, p, Term{Derivative: []int{1}}), rows(m, p, Term{Derivative: []int{1}})
	for j := range 5 {
		if a.At(0, j) != b.At(0, j) {
			t.Fatal("a restored layer differs")
		}
	}
	bad := l.Store()
	bad.Half[0] = 0
	var e Error
	if _, err := Restore(bad); !errors.As(err, &e) {
		t.Errorf("an empty box was restored: %v", err)
	}
	bad = l.Store()
	bad.Slopes = bad.Slopes[1:]
	if _, err := Restore(bad); !errors.As(err, &e) {
		t.Errorf("a layer without a slope was restored: %v", err)
	}
	for name, empty := range map[string]Stored{
		"no neurons":   {Scale: []float64{1}, Center: []float64{0}, Half: []float64{1}},
		"no variables": {Bias: []float64{1}},
	} {
		if _, err := Restore(empty); !errors.As(err, &e) {
			t.Errorf("a layer with %s was restored: %v", name, err)
		}
	}
	for name, cut := range map[string]func(s *Stored){
		"scale":    func(s *Stored) { s.Scale = s.Scale[1:] },
		"half":     func(s *Stored) { s.Half = s.Half[1:] },
		"variable": func(s *Stored) { s.Log = []bool{false} },
	} {
		bad = l.Store()
		cut(&bad)
		if _, err := Restore(bad); !errors.As(err, &e) {
			t.Errorf("a layer that lacks a %s was restored: %v", name, err)
		}
	}
	bad = l.Store()
	bad.Activation = 77
	if _, err := Restore(bad); !errors.As(err, &e) {
		t.Errorf("a layer of unknown activation was restored: %v", err)
	}
}

func TestNewRefusesBadConfigurations(t *testing.T) {
	for name, f := range map[string]func() (*Layer, error){
		"no neurons": func() (*Layer, error) { return New(box(1), Config{Neurons: 0, Scale: []float64{1}}) },
		"no scale":   func() (*Layer, error) { return New(box(1), Config{Neurons: 1}) },
		"two scales": func() (*Layer, error) { return New(box(1), Config{Neurons: 1, Scale: []float64{1, 1}}) },
		"a scale of zero": func() (*Layer, error) {
			return New(box(2), Config{Neurons: 1, Scale: []float64{1, 0}})
		},
		"infinite scale": func() (*Layer, error) { return New(box(1), Config{Neurons: 1, Scale: []float64{math.Inf(1)}}) },
		"NaN scale":      func() (*Layer, error) { return New(box(1), Config{Neurons: 1, Scale: []float64{math.NaN()}}) },
		"empty box": func() (*Layer, error) {
			return New(Box{Min: []float64{1}, Max: []float64{1}}, Config{Neurons: 1, Scale: []float64{1}})
		},
		"no dimensions": func() (*Layer, error) { return New(Box{}, Config{Neurons: 1, Scale: []float64{1}}) },
		"unknown activation": func() (*Layer, error) {
			return New(box(1), Config{Neurons: 1, Scale: []float64{1}, Activation: -1})
		},
		"unknown draw": func() (*Layer, error) { return New(box(1), Config{Neurons: 1, Scale: []float64{1}, Draw: 99}) },
	} {
		var e Error
		if _, err := f(); !errors.As(err, &e) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestHaltonFillsTheCube counts points in the quarters of every pair of coordinates, and
// compares the counts with what independent draws would give.
func TestHaltonFillsTheCube(t *testing.T) {
	const n, d = 1024, 6
	for seed := range uint64(5) {
		h := NewHalton(d, seed)
		x := make([]float64, d)
		var cells [d][d][4]int
		for range n {
			h.NextTo(x)
			for i, v := range x {
				if !(v >= 0 && v < 1) {
					t.Fatalf("coordinate %g", v)
				}
				for j := range i {
					q := 0
					if v >= 0.5 {
						q |= 1
					}
					if x[j] >= 0.5 {
						q |= 2
					}
					cells[i][j][q]++
				}
			}
		}
		for i := range d {
			for j := range i {
				for _, c := range cells[i][j] {
					// Independent draws have a standard deviation of 14.
					if math.Abs(float64(c)-n/4) > 40 {
						t.Errorf("seed %d: quarters of coordinates %d and %d hold %v of %d points", seed, i, j, cells[i][j], n)
						break
					}
				}
			}
		}
	}
}

func TestRowsToPanicsOnMisuse(t *testing.T) {
	l := layer(t, 1, Config{Neurons: 2, Scale: []float64{1}})
	for name, f := range map[string]func(){
		"shape":     func() { l.RowsTo(mat.NewDense(2, 2, nil), mat.NewDense(1, 1, nil), nil) },
		"dimension": func() { l.RowsTo(mat.NewDense(1, 2, nil), mat.NewDense(1, 2, nil), nil) },
		"order": func() {
			l.RowsTo(mat.NewDense(1, 2, nil), mat.NewDense(1, 1, nil), []Term{{Derivative: []int{MaxOrder + 1}}})
		},
		"coefficients": func() {
			l.RowsTo(mat.NewDense(1, 2, nil), mat.NewDense(1, 1, nil), []Term{{Coefficient: []float64{1, 2}}})
		},
	} {
		func() {
			defer func() {
				if _, ok := recover().(mat.Error); !ok {
					t.Errorf("%s: did not panic with mat.Error", name)
				}
			}()
			f()
		}()
	}
}
