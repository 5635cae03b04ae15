package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What beginners type is refused in words that say what to type instead.
func TestUsageInPlainWords(t *testing.T) {
	folder := t.TempDir()
	model := filepath.Join(folder, "model.bpielm")
	if err := os.WriteFile(model, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"bpielm: file is missing; --help after the verb says how it is used":                    {"solve"},
		"bpielm: --out: a value is missing":                                                     {"solve", folder, "--out"},
		`bpielm: --max-time: found "10"; a time with its unit is expected, as 90s or 10m`:       {"solve", folder, "--max-time", "10"},
		"bpielm: " + folder + ": is a directory; a model file is expected, as " + model:         {"predict", folder},
		"bpielm: " + filepath.Join(folder, summaryFile) + ": the folder is expected, " + folder: {"report", filepath.Join(folder, summaryFile)},
		"problem.toml: --set neurons: unknown key neurons; did you mean features.neurons?":      {"solve", writeExample(t, "poisson"), "--set", "neurons=50"},
		"--at x=0.1 t=2: write a comma between coordinates, as x=0.1, t=12":                     {"predict", modelOf(t, "diffusion"), "--at", "x=0.1 t=2"},
		"bpielm: unexpected argument solv, did you mean \"solve\"?":                             {"solv"},
	} {
		refused(t, args, want)
	}
}
