package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// rodInUnits is the cooling of a rod where X, S and K are how many of the file's
// units make a metre, a second and a kelvin.
const rodInUnits = `
fields = ["T"]
[variables]
x = [0, "0.5*X"]
t = [0, "3600*S"]
[constants]
X = %g
S = %g
K = %g
[parameters]
Ta = {}
q = {}
[[equation]]
pde = "T_t = 5e-5*X^2/S*T_xx + q/S"
points = 150
[[condition]]
on = "x = 0"
equals = "T_x = 0"
points = 20
[[condition]]
on = "x = 0.5*X"
equals = "T_x = -2/X*(T - Ta)"
points = 20
[[sensors]]
file = "thermocouples.csv"
measures = "T"
%s
[[sensors]]
file = "flux.csv"
measures = "T_x"
%s
[features]
neurons = 60
[output]
grid = [9, 9]
`

// solveRod writes and solves the rod, with noise that is stated or learned. It returns means and standard deviations in
// metres, seconds and kelvins.
func solveRod(t *testing.T, x, s, k float64, learned bool) []float64 {
	t.Helper()
	directory := t.TempDir()
	sigma, fluxSigma := fmt.Sprintf("sigma = %g", 0.5*k), fmt.Sprintf("sigma = %g", k/x)
	if learned {
		sigma, fluxSigma = "", ""
	}
	files := map[string]string{"problem.toml": fmt.Sprintf(rodInUnits, x, s, k, sigma, fluxSigma)}
	readings, flux := "x,t,value\n", "x,t,value\n"
	for i := range 24 {
		at, when := 0.5*float64(i*7%24)/23, 3600*float64(i)/23
		value := 21.5 + 50*math.Exp(-1.48e-4*when)*math.Cos(1.72*at) + 0.5*math.Sin(float64(17*i))
		readings += fmt.Sprintf("%.17g,%.17g,%.17g\n", at*x, when*s, value*k)
		slope := -86*math.Exp(-1.48e-4*when)*math.Sin(1.72*at) + math.Sin(float64(11*i))
		flux += fmt.Sprintf("%.17g,%.17g,%.17g\n", at*x, when*s, slope*k/x)
	}
	files["thermocouples.csv"], files["flux.csv"] = readings, flux
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	problem, out := filepath.Join(directory, "problem.toml"), filepath.Join(directory, "out")
	r := solveJSON(t, problem, "--out", out)
	result := []float64{
		numberAt(t, r, "parameters", "Ta", "mean") / k, numberAt(t, r, "parameters", "Ta", "sd") / k,
		numberAt(t, r, "parameters", "q", "mean") / k, numberAt(t, r, "parameters", "q", "sd") / k,
	}
	file, err := os.Open(filepath.Join(out, "solution.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		for _, cell := range row[2:4] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			result = append(result, v/k)
		}
	}
	return result
}

// unitsRounding is how far rounding, of the readings and of sums of squares of rows, may move an answer, in standard
// deviations.
const unitsRounding = 0.02

// The same rod in other units has the same temperature, apart from rounding.
func TestUnitsDoNotMatter(t *testing.T) {
	units := [][3]float64{{1e-6, 1e6, 1e-6}, {1e6, 1e-6, 1e6}, {1e6, 1, 1}, {1, 1e6, 1}, {1, 1, 1e6}, {1e-6, 1e-6, 1e-6}, {1e6, 1e6, 1e6}}
	if testing.Short() {
		units = units[:1]
	}
	for _, learned := range []bool{false, true} {
		want := solveRod(t, 1, 1, 1, learned)
		for _, u := range units {
			got := solveRod(t, u[0], u[1], u[2], learned)
			worst := 0.0
			for i := range want { // pairs of mean and standard deviation
				worst = math.Max(worst, math.Abs(got[i]-want[i])/want[i|1])
			}
			t.Logf("learned %v, units %g: %.3g", learned, u, worst)
			if !(worst <= unitsRounding) {
				t.Errorf("learned %v, units %g: the answer changes by %.3g of its standard deviation", learned, u, worst)
			}
		}
	}
}
