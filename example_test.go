package bpielm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A wall with thermocouples: the diffusivity, and the temperature between the sensors. The problem file and its readings
// are in docs/recipes/wall.
func ExampleSolveFile_wall() {
	answer, err := bpielm.SolveFile(context.Background(), "docs/recipes/wall/problem.toml", "features.neurons=50", "fit.ensemble=1")
	if err != nil {
		log.Fatal(err)
	}
	a := answer.Parameters()[0]
	fmt.Printf("diffusivity %.1e m2/h\n", a.Median)
	band, err := answer.Band("T", mat.NewDense(1, 2, []float64{0.15, 24})) // 15 cm deep, after a day
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f degrees, to %.1f\n", band.Mean[0], band.Upper95[0]-band.Mean[0])
	// Output:
	// diffusivity 3.0e-03 m2/h
	// 17 degrees, to 0.1
}

// An aquifer with wells: recharge and the height of the water table.
func ExampleSolveFile_aquifer() {
	answer, err := bpielm.SolveFile(context.Background(), "docs/recipes/aquifer/problem.toml", "features.neurons=200")
	if err != nil {
		log.Fatal(err)
	}
	w := answer.Parameters()[0]
	const transmissivity = 0.01 // m2/s
	fmt.Printf("recharge %.1e m/s\n", w.Mean*transmissivity)
	middle := mat.NewDense(1, 2, []float64{500, 500})
	head, err := answer.Band("h", middle)
	if err != nil {
		log.Fatal(err)
	}
	slope, err := answer.BandOf(system.Derivative(0, 1, 0), middle) // h_x
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("head %.1f m, slope %.4f\n", head.Mean[0], slope.Mean[0])
	// Output:
	// recharge 4.2e-08 m/s
	// head 11.5 m, slope 0.0020
}

// A beam with gauges: its load, and how far it sags, which nobody has measured.
func ExampleSolveFile_beam() {
	answer, err := bpielm.SolveFile(context.Background(), "docs/recipes/beam/problem.toml", "features.neurons=100")
	if err != nil {
		log.Fatal(err)
	}
	q := answer.Parameters()[0]
	fmt.Printf("load %.1f kN/m\n", q.Mean/1e3)
	sag, err := answer.Band("u", mat.NewDense(1, 1, []float64{2}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sags by %.1f mm\n", 1e3*sag.Mean[0])
	// Output:
	// load 3.0 kN/m
	// sags by 5.0 mm
}
