package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/posterior"
)

// Of a large group some readings are compared with the others, those far off among them: tables and pictures have these, and
// what is wrong is named by its line.
func TestLargeGroups(t *testing.T) {
	const n = posterior.FewestOfLarge + 3000
	dice := rand.New(rand.NewPCG(1, 2))
	rows := bytes.NewBufferString("x,t,value,sensor\n")
	wrong := 777
	for posterior.Drawn(wrong, n) {
		wrong++
	}
	for k := range n {
		x, value := float64(k%5)/4, 0.05*dice.NormFloat64()
		if k == wrong {
			value = 9
		}
		fmt.Fprintf(rows, "%g,%.5f,%.4f,S%d\n", x, float64(k)/n, x+value, k%5)
	}
	folder := t.TempDir()
	write(t, folder, "u.csv", rows.String())
	problem := write(t, folder, "problem.toml", `[variables]
x = [0, 1]
t = [0, 1]
[[equation]]
pde = "u_t = u_xx"
points = 30
[[sensors]]
file = "u.csv"
[features]
neurons = 10
scale = 1
[fit]
ensemble = 1
`)
	out := filepath.Join(folder, "out")
	status, printed, said := execute("solve", problem, "--out", out)
	if status != 0 {
		t.Fatal(said)
	}
	for _, want := range []string{fmt.Sprintf("%d readings", n), fmt.Sprintf("u.csv, line %d", wrong+2)} {
		if !strings.Contains(strings.Join(strings.Fields(printed), " "), want) {
			t.Errorf("no %q in %s", want, printed)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "readings.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table := string(text)
	if lines := strings.Count(table, "\n"); lines < n/3 || lines > n*2/3 || !strings.Contains(table, fmt.Sprintf("u.csv,%d,S%d,", wrong+2, wrong%5)) {
		t.Errorf("readings.csv has %d lines", lines)
	}
}
