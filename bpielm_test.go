package bpielm_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// recipes are the problems below docs/recipes, with what is true of them.
var recipes = []struct {
	name       string
	parameters map[string]float64
	field      string
	at         []float64
	value      float64 // of the field there
	slow       bool
}{
	{"wall", map[string]float64{"a": 0.0029}, "T", []float64{0.15, 24}, wallAt(0.15, 24), true},
	{"aquifer", map[string]float64{"w": 4e-6}, "h", []float64{500, 500}, 10 + 4e-6*(500e3-125e3), false},
	{"beam", map[string]float64{"q": 3000}, "u", []float64{2}, 5 * 3000 * 256 / (384 * 2e6), true},
	{"sensor-offset", map[string]float64{"offset": 3, "s": 20}, "T", []float64{0.5}, 20 + 30 - 2.5, false},
	{"boundary-flux", nil, "T", []float64{0.1, 24}, wallAt(0.1, 24), true},
	{"heat-flux", nil, "q", []float64{0.15, 24}, -0.8 * (wallAt(0.151, 24) - wallAt(0.149, 24)) / 0.002, true},
	{"forecast", map[string]float64{"r": 0.25}, "T", []float64{10}, 20 + 55*math.Exp(-2.5), true},
	{"epoch-time", map[string]float64{"r": 0.25}, "T", []float64{2}, 20 + 55*math.Exp(-0.5), true},
	{"outliers", map[string]float64{"s": 20}, "T", []float64{0.5}, 20 + 30 - 2.5, false},
	{"layers", nil, "B", []float64{0.2}, -5 + 25/(2.5+0.2/1.5)*(2.5+0.1/1.5), true},
}

// wallAt is the temperature of the simulated walls: a daily wave that dies out on its way in.
func wallAt(x, t float64) float64 {
	w := 2 * math.Pi / 24
	b := math.Sqrt(w / (2 * 0.0029))
	return 12 + 25*x + 6*math.Exp(-b*x)*math.Cos(w*t-b*x)
}

// TestRecipes: each is solved as it stands, its answer is right to 3.5 of its standard deviations, and the verdict finds
// nothing wrong.
func TestRecipes(t *testing.T) {
	var names []string
	for _, r := range recipes {
		names = append(names, r.name)
		t.Run(r.name, func(t *testing.T) {
			if r.slow && testing.Short() {
				t.Skip("takes seconds")
			}
			a, err := bpielm.SolveFile(t.Context(), filepath.Join("docs", "recipes", r.name, "problem.toml"))
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for _, e := range a.Parameters() {
				truth, known := r.parameters[e.Name]
				if !known {
					t.Errorf("the truth of %s is not known", e.Name)
				}
				seen++
				if math.Abs(e.Mean-truth) > 3.5*e.SD || !(e.Lower95 < e.Upper95) {
					t.Errorf("%s is %g ± %g, want %g", e.Name, e.Mean, e.SD, truth)
				}
			}
			if seen != len(r.parameters) {
				t.Errorf("%d parameters, want %d", seen, len(r.parameters))
			}
			band, err := a.Band(r.field, mat.NewDense(1, len(r.at), r.at))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(band.Mean[0]-r.value) > 3.5*band.SD[0] {
				t.Errorf("%s at %v is %g ± %g, want %g", r.field, r.at, band.Mean[0], band.SD[0], r.value)
			}
			if width := band.Upper95[0] - band.Lower95[0]; math.Abs(width-3.92*band.SD[0]) > 1e-9*math.Abs(width) {
				t.Errorf("the band is %g wide, its sd is %g", width, band.SD[0])
			}
			verdict, _, err := a.Verdict()
			if err != nil {
				t.Fatal(err)
			}
			if !verdict.Sound {
				t.Errorf("the verdict is %+v", verdict.Checks)
			}
		})
	}
	folders, err := os.ReadDir("docs/recipes")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && !slices.Contains(names, f.Name()) {
			t.Errorf("the recipe %s is not solved here", f.Name())
		}
	}
}

func TestErrorsOfSolveFile(t *testing.T) {
	var file *spec.Error
	if _, err := bpielm.SolveFile(t.Context(), "docs/recipes/none/problem.toml"); !errors.As(err, &file) {
		t.Errorf("error %v", err)
	}
	aquifer := filepath.Join("docs", "recipes", "aquifer", "problem.toml")
	if _, err := bpielm.SolveFile(t.Context(), aquifer, "features.neurones=3"); !errors.As(err, &file) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := bpielm.SolveFile(ctx, aquifer); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > time.Second {
		t.Errorf("error %v after %s", err, time.Since(begin))
	}
	a, err := bpielm.SolveFile(t.Context(), aquifer, "fit.method=pielm", "features.neurons=20")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Band("T", mat.NewDense(1, 2, nil)); err == nil {
		t.Error("a field that is not there has a band")
	}
	band, err := a.BandOf(system.Derivative(0, 1, 0), mat.NewDense(1, 2, []float64{500, 500}))
	if err != nil || band.SD != nil || band.Lower95 != nil {
		t.Errorf("%+v, error %v: the pseudo-inverse has no band", band, err)
	}
	var outside *posterior.DataError
	if _, err := a.Band("h", mat.NewDense(1, 1, nil)); err == nil || errors.As(err, &outside) && outside.Where == "" {
		t.Errorf("error %v for a point of the wrong size", err)
	}
}

// TestLinksOfTheDocumentation lead somewhere.
func TestLinksOfTheDocumentation(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	seen := 0
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "docs/*/*/*.md", "CHANGELOG.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range link.FindAllStringSubmatch(string(text), -1) {
				seen++
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
					t.Errorf("%s: %v", page, err)
				}
			}
		}
	}
	if seen < 15 {
		t.Errorf("%d links are seen", seen)
	}
}

// TestGalleryShowsEveryExample: .ci/gallery.go writes it.
func TestGalleryShowsEveryExample(t *testing.T) {
	page, err := os.ReadFile("docs/gallery/README.md")
	if err != nil {
		t.Fatal(err)
	}
	problems, err := filepath.Glob("bench/problems/*/problem.toml")
	if err != nil || len(problems) < 30 {
		t.Fatalf("%d examples, error %v", len(problems), err)
	}
	for _, path := range problems {
		name := filepath.Base(filepath.Dir(path))
		if !strings.Contains(string(page), "\n## "+name+"\n") {
			t.Errorf("%s is not in the gallery", name)
		}
		if _, err := os.Stat("docs/gallery/" + name + ".png"); err != nil {
			t.Error(err)
		}
	}
}
