package picture

import (
	"testing"
)

func TestPaper(t *testing.T) {
	sensors, neurons := sensorCounts, neuronCounts
	defer func() { sensorCounts, neuronCounts = sensors, neurons }()
	sensorCounts, neuronCounts = []int{10, 20}, []int{25, 40}
	drawn := map[string]bool{}
	for _, draw := range Paper(1) {
		pictures, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pictures {
			if drawn[p.Name] {
				t.Errorf("%s is drawn twice", p.Name)
			}
			drawn[p.Name] = true
			render(t, p.Figure)
		}
	}
	for _, name := range []string{"sensors", "neurons", "parameters", "poisson-map", "poisson-slices", "diffusion-map", "inverse-helmholtz-slices"} {
		if !drawn[name] {
			t.Errorf("there is no %s among %v", name, drawn)
		}
	}
}
