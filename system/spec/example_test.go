package spec_test

import (
	"fmt"
	"log"
	"testing/fstest"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// A problem from files, here from memory, and its answer.
func ExampleReadFS() {
	files := fstest.MapFS{
		"problem.toml": {Data: []byte(`
[variables]
x = [0, 2]

[parameters]
q = {}

[[equation]]
pde = "u_xx = q"
points = 50

[[sensors]]
file = "gauges.csv"
sigma = 0.02
`)},
		"gauges.csv": {Data: []byte("x,value\n0,0.01\n0.5,0.36\n1.5,0.38\n2,-0.01\n")},
	}
	file, err := spec.ReadFS(files, "problem.toml", []string{"features.neurons=50"})
	if err != nil {
		log.Fatal(err)
	}
	post, err := posterior.Fit(file.Problem, posterior.Config{Neurons: file.Features.Neurons, Seed: file.Features.Seed})
	if err != nil {
		log.Fatal(err)
	}
	q := post.Parameters()[0]
	fmt.Printf("%s = %.2f ± %.2f\n", q.Name, q.Mean, q.SD)

	_, err = spec.ReadFS(files, "problem.toml", []string{"equation.pde=abs(u)*u_xx = q"})
	fmt.Println(err)
	// Output:
	// q = -0.98 ± 0.06
	// problem.toml: --set equation.pde: "abs(u)*u_xx" is not linear in u, and abs is not smooth: it has no derivative everywhere
}
