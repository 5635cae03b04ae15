package feature

import (
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// Neurons of some variables are constant along the others, depend on nothing but the layer, and
// have its range of slopes.
func TestNeuronsOfSomeVariables(t *testing.T) {
	box := Box{Min: []float64{-1, 0, 0.1}, Max: []float64{3, 50, 10}, Log: []bool{false, false, true}}
	for _, constant := range []bool{false, true} {
		whole, err := New(box, Config{Neurons: 60, Scale: []float64{2, 5, 3}, Seed: 7, Activation: Sine, Constant: constant})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := Restore(whole.Store())
		if err != nil {
			t.Fatal(err)
		}
		of := []bool{false, true, true}
		l := whole.Of(of, 20)
		if l.Neurons() != 20 || l.Dimensions() != 3 || l.Activation() != Sine || !slices.Equal(l.Scale(), []float64{0, 5, 3}) {
			t.Fatalf("%d neurons in %d variables, %v, of scale %v", l.Neurons(), l.Dimensions(), l.Activation(), l.Scale())
		}
		a, b := l.Store(), stored.Of(of, 20).Store()
		if !slices.Equal(a.Slopes, b.Slopes) || !slices.Equal(a.Bias, b.Bias) {
			t.Error("a restored layer gives different neurons")
		}
		steepest := [3]float64{}
		for j := range 20 {
			for v := range 3 {
				steepest[v] = max(steepest[v], a.Slopes[3*j+v])
			}
		}
		if steepest[0] != 0 || steepest[1] < 4 || steepest[1] > 5 || steepest[2] < 2.4 || steepest[2] > 3 {
			t.Errorf("the steepest slopes are %v", steepest)
		}
		points := mat.NewDense(3, 3, []float64{-1, 20, 1, 2.5, 20, 1, 2.5, 30, 1})
		rows := mat.NewDense(3, 20, nil)
		l.RowsTo(rows, points, []Term{{}})
		if !slices.Equal(rows.Row(0), rows.Row(1)) || slices.Equal(rows.Row(1), rows.Row(2)) {
			t.Error("neurons vary along the wrong variables")
		}
		if flat := rows.At(0, 19) == 1 && rows.At(2, 19) == 1; flat != constant {
			t.Errorf("the last neuron is constant: %v, want %v", flat, constant)
		}
		for order := range 3 {
			l.RowsTo(rows, points, []Term{{Derivative: []int{1, order}}})
			if mat.Nrm2(rows.Data()) != 0 {
				t.Errorf("a derivative along a variable that the neurons do not depend on is not 0")
			}
		}
		other, err := New(box, Config{Neurons: 60, Scale: []float64{2, 5, 3}, Seed: 8, Activation: Sine, Constant: constant})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(other.Of(of, 20).Store().Bias, a.Bias) {
			t.Error("a different draw gives the same neurons")
		}
	}
}

// The zeros of the neurons are spread over the box, whatever the scales of the other variables.
func TestNeuronsOfOneVariablePassThroughZeroInTheRange(t *testing.T) {
	whole, err := New(Box{Min: []float64{0, 0}, Max: []float64{1, 1}}, Config{Neurons: 100, Scale: []float64{64, 1}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := whole.Of([]bool{false, true}, 50).Store()
	var quarters [4]int
	for j, b := range s.Bias {
		zero := -b / s.Slopes[2*j+1]
		if zero < -1 || zero > 1 {
			t.Fatalf("neuron %d is zero at %g", j, zero)
		}
		quarters[min(3, int(2*(zero+1)))]++
	}
	for i, n := range quarters {
		if n < 9 || n > 16 {
			t.Errorf("%d zeros of 50 lie in quarter %d", n, i+1)
		}
	}
}

func TestNeuronsOfNoneAreRefused(t *testing.T) {
	l, err := New(Box{Min: []float64{0, 0}, Max: []float64{1, 1}}, Config{Neurons: 10, Scale: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, misuse := range []func(){
		func() { l.Of([]bool{true}, 5) },
		func() { l.Of([]bool{true, false}, 0) },
		func() { l.Of([]bool{false, false}, 5) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(mat.Error); !ok {
					t.Error("misuse does not panic with mat.Error")
				}
			}()
			misuse()
		}()
	}
}
