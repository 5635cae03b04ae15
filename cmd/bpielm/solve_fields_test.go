package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// A field that depends on some of the variables has a table and a picture in these alone,
// and its errors are taken there.
func TestFieldsOfSomeVariablesAreWrittenInThese(t *testing.T) {
	path := writeExample(t, "ground-heat")
	out := filepath.Join(filepath.Dir(path), "out")
	r := solveJSON(t, path, "--out", out, "--set=features.neurons=200", "--set=output.grid=[9, 31]")
	header, columns := readTable(t, filepath.Join(out, "solution-q.csv"))
	if want := []string{"t", "q_mean", "q_sd", "q_exact", "q_error", "q_lower95", "q_upper95"}; !slices.Equal(header, want) || len(columns["t"]) != 31 || columns["t"][30] != 3 {
		t.Errorf("the flux's table has the columns %v and %d rows", header, len(columns["t"]))
	}
	header, columns = readTable(t, filepath.Join(out, "solution.csv"))
	if want := []string{"x", "t", "u_mean", "u_sd", "u_exact", "u_error", "u_lower95", "u_upper95"}; !slices.Equal(header, want) || len(columns["t"]) != 9*31 {
		t.Errorf("the other table has the columns %v and %d rows", header, len(columns["t"]))
	}
	if mae := numberAt(t, r, "error", "q", "mae"); !(mae < 20) { // of a range of 240
		t.Errorf("the flux is off by %g", mae)
	}
	names, err := filepath.Glob(filepath.Join(out, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	if want := []string{"readings.png", "residuals.png", "slices-u.png", "solution-q.png", "solution-u.png"}; !slices.Equal(names, want) {
		t.Errorf("pictures %v", names)
	}
	header, _ = readTable(t, predictedAt(t, filepath.Join(out, "model.bpielm"), filepath.Join(out, "solution.csv")))
	if !slices.Contains(header, "q_mean") {
		t.Errorf("predictions have the columns %v", header)
	}
}

// predictedAt writes the predictions of a model at points into a file, and returns its name.
func predictedAt(t *testing.T, model, points string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.csv")
	succeed(t, "predict", model, points, "--out", path)
	return path
}
