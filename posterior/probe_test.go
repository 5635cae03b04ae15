package posterior

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A streamed sensor whose terms stand at several places makes the rows that the
// problem's sensors make, also after it was stored.
func TestProbeOfSeveralPlaces(t *testing.T) {
	p := &system.Problem{Variables: []system.Variable{{Name: "x", Min: 0, Max: 2}, {Name: "y", Min: -1, Max: 1}}, Fields: []string{"u", "v"}, Parameters: []system.Parameter{{Name: "q"}}}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: 7, Scale: []float64{3}, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	sensor := Sensor{Name: "s", Sigma: 1, Measures: system.Functional{
		Terms: []system.Term{
			{Field: 1, Coefficient: system.Constant(2)},
			{Field: 0, Derivative: []int{0, 1}, Footprint: system.Shifted(0.25, -0.5)},
			{Field: 1, Coefficient: system.Constant(-2), Footprint: &system.Footprint{Offsets: mat.NewDense(1, 2, []float64{1.5, 0.125}), Fixed: []bool{true, false}}},
		},
		Parameters: []system.ParameterTerm{{Parameter: 0}},
	}}
	stored, err := storeSensor(&sensor)
	if err != nil {
		t.Fatal(err)
	}
	read := stored.sensor()
	basis, x := p.Basis(layer), []float64{0.5, 0.75}
	want := mat.NewDense(1, basis.Columns(), nil)
	basis.RowsTo(want, nil, &sensor.Measures, mat.NewDense(1, 2, x))
	for _, f := range []system.Functional{sensor.Measures, read.Measures} {
		row := make([]float64, basis.Columns())
		if _, ok := newProbe(basis, f, row).at(x); !ok {
			t.Fatal("the row is not finite")
		}
		for j, v := range row {
			if math.Abs(v-want.At(0, j)) > 1e-15 {
				t.Errorf("column %d: %g, want %g", j, v, want.At(0, j))
			}
		}
	}
}
