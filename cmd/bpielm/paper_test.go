package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/picture"
)

func TestPaperTables(t *testing.T) {
	var report struct {
		Rows []struct {
			Problem    string
			Noise      float64
			Method     string
			Neurons    int
			MAE        float64  `json:"mae"`
			MaxAE      float64  `json:"max_ae"`
			Coverage95 *float64 `json:"coverage95"`
			Train      float64  `json:"train_s"`
			Parameters map[string]struct{ Mean, SD, True float64 }
			Printed    struct {
				MAE float64 `json:"mae"`
			}
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, "paper", "tables", "--seeds=1", "--problem=inverse-poisson", "--json", "--quiet")), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Rows) != 6 {
		t.Fatalf("%d rows", len(report.Rows))
	}
	for i, r := range report.Rows {
		if r.Problem != "inverse-poisson" || r.Noise != []float64{0.05, 0.1}[i/3] || r.Method != []string{"pielm", "paper", "bpielm"}[i%3] || r.Neurons != 100 || !(r.Train > 0) || r.Printed.MAE == 0 {
			t.Errorf("row %d: %+v", i, r)
		}
		if (r.Coverage95 != nil) != (r.Method != "pielm") || r.Parameters["lambda2"].True != 2.25 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	text := succeed(t, "paper", "tables", "--seeds=1", "--problem=diffusion", "--quiet")
	for _, want := range []string{"diffusion, noise 0.05: N = 180, N_f = 400, 28 sensors", "BPIELM as published", "PIELM", "0.021"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := succeed(t, "paper", "tables", "--seeds=1", "--problem=diffusion", "--quiet", "--markdown"); strings.Count(text, "| --- |") < 3 {
		t.Errorf("no tables in\n%s", text)
	}
}

func TestPaperRefuses(t *testing.T) {
	for _, arguments := range [][]string{{"--seeds=0"}, {"--pinn-seeds=0"}, {"--problem=burgers"}} {
		if code, _, text := execute(append([]string{"paper", "tables"}, arguments...)...); code != 2 || !strings.Contains(text, strings.Split(arguments[0], "=")[0]) {
			t.Errorf("%v: status %d, %s", arguments, code, text)
		}
	}
}

func TestPaperFigures(t *testing.T) {
	refused(t, []string{"paper", "figures", "--seeds=0"}, "--seeds=0")
	directory := filepath.Join(t.TempDir(), "figures")
	drawing := func(names ...string) func() ([]picture.Picture, error) {
		return func() (pictures []picture.Picture, err error) {
			for _, name := range names {
				pictures = append(pictures, picture.Picture{Name: name, Figure: &figure.Figure{Title: name}})
			}
			return pictures, nil
		}
	}
	var out bytes.Buffer
	c := paperFigures{Out: directory, Seeds: 1, Quiet: true}
	if err := c.write(&streams{out: &out, err: &out}, []func() ([]picture.Picture, error){drawing("a", "b"), drawing("c")}); err != nil {
		t.Fatal(err)
	}
	written := strings.Fields(out.String())
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		if !slices.Contains(written, filepath.ToSlash(filepath.Join(directory, name))) {
			t.Errorf("%s is not among %v", name, written)
		}
	}
	for _, path := range written {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(file)
		file.Close()
		if err != nil || picture.Bounds().Dx() < 800 {
			t.Errorf("%s: %v", path, err)
		}
	}
	failing := func() ([]picture.Picture, error) { return nil, errors.New("no such layer") }
	c.Out = filepath.Join(t.TempDir(), "none")
	if err := c.write(&streams{out: &out, err: &out}, []func() ([]picture.Picture, error){drawing("a"), failing}); err == nil || len(listing(t, filepath.Dir(c.Out))) > 0 {
		t.Errorf("after a failure %v, with error %v", listing(t, filepath.Dir(c.Out)), err)
	}
}
