package feature_test

import (
	"fmt"
	"log"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// The Laplacian of 50 neurons at two points.
func Example() {
	box := feature.Box{Min: []float64{0, 0}, Max: []float64{1, 2}}
	layer, err := feature.New(box, feature.Config{Neurons: 50, Scale: []float64{4}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	points := mat.NewDense(2, 2, []float64{0.5, 0.5, 0.25, 1.75})
	rows := mat.NewDense(2, 50, nil)
	layer.RowsTo(rows, points, []feature.Term{{Derivative: []int{2, 0}}, {Derivative: []int{0, 2}}})
	fmt.Printf("%.6f %.6f\n", rows.At(0, 0), rows.At(1, 49))
	// Output: 3.269214 0.249733
}
