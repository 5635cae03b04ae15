package system_test

import (
	"fmt"
	"log"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A disk in the plane, points in it for the equation, and a problem that says
// what is wrong with itself.
func Example() {
	variables := []system.Variable{{Name: "x", Min: -1, Max: 1}, {Name: "y", Min: -1, Max: 1}}
	disk := system.Region(func(x []float64) bool { return x[0]*x[0]+x[1]*x[1] < 1 })
	points, err := system.Collocation(variables, disk, 100, 1)
	if err != nil {
		log.Fatal(err)
	}
	laplace := system.Functional{Terms: []system.Term{{Derivative: []int{2, 0}}, {Derivative: []int{0, 2}}}}
	problem := &system.Problem{
		Variables: variables, Domain: disk, Fields: []string{"u"},
		Equations: []system.Demand{{Residual: laplace, Points: points}},
		Sensors: []system.Sensors{{
			Name: "rim", Measures: system.Field(1), // there is only field 0
			Points: mat.NewDense(1, 2, []float64{1, 0}), Values: []float64{0.5}, Sigma: []float64{0.01},
		}},
	}
	fmt.Println(points.Rows(), "points")
	fmt.Println(problem.Validate())
	// Output:
	// 100 points
	// sensors "rim": field number 1 of 1
}
