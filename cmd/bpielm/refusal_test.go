package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is wrong with a problem, solve and check say so in one line that
// names the file, and leave nothing behind.
func TestBadProblemsAreRefused(t *testing.T) {
	toml := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, path string) { edit(t, path, from, to) }
	}
	sensors := func(content string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "sensors.csv"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		spoil    func(*testing.T, string)
		fragment string
	}{
		"not TOML":             {toml("[variables]", "[variables"), "problem.toml:"},
		"unknown key":          {toml("neurons = 200", "neurones = 100"), "neurones"},
		"unknown section":      {toml("[features]", "[feature]"), "feature"},
		"wrong type":           {toml("neurons = 200", `neurons = "many"`), "neurons"},
		"no neurons":           {toml("neurons = 200", "neurons = 0"), "neurons"},
		"empty range":          {toml("[-10, 10]", "[10, 10]"), "x"},
		"unknown function":     {toml("sin(0.7*x) - lambda2", "sine(0.7*x) - lambda2"), "sine"},
		"unknown name":         {toml("cos(1.5*x)\"\npoints", "cos(1.5*z)\"\npoints"), "z"},
		"nonlinear term":       {toml("u_xx =", "u_xx + abs(u) ="), "abs"},
		"product of unknowns":  {toml("lambda1*sin(0.7*x)", "lambda1*abs(u)*sin(0.7*x)"), "abs"},
		"not an equation":      {toml("u_xx =", "u_xx +"), "pde"},
		"unbalanced":           {toml("sin(0.7*x) - lambda2", "sin(0.7*x - lambda2"), "pde"},
		"unknown method":       {toml("[output]", "[fit]\nmethod = \"magic\"\n[output]"), "magic"},
		"unknown path":         {toml("[output]", "[fit]\npath = \"magic\"\n[output]"), "magic"},
		"unknown draw":         {toml("seed = 1", "seed = 1\ndraw = \"magic\""), "magic"},
		"grid of two":          {toml("[401]", "[401, 3]"), "grid"},
		"grid of zero":         {toml("[401]", "[0]"), "grid"},
		"no points":            {toml("points = 100", "points = 0"), "points"},
		"negative sigma":       {toml("sigma = 0.05", "sigma = -0.05"), "sigma"},
		"exact of other names": {toml("- 0.1*x", "- 0.1*w"), "w"},
		"missing sensors":      {toml(`"sensors.csv"`, `"nowhere.csv"`), "nowhere.csv"},
		"empty CSV":            {sensors(""), "sensors.csv"},
		"header only":          {sensors("x,value\n"), "sensors.csv"},
		"ragged CSV":           {sensors("x,value\n1,2\n3\n"), "sensors.csv:3"},
		"NaN cell":             {sensors("x,value\n1,2\n3,Inf\n"), "sensors.csv:3"},
		"infinite cell":        {sensors("x,value\n1,2\n3,1e999\n"), "sensors.csv:3"},
		"text cell":            {sensors("x,value\n1,two\n"), "sensors.csv:2"},
		"missing column":       {sensors("x,val\n1,2\n"), "value"},
		"outside the box":      {sensors("x,value\n11,2\n"), "sensors.csv"},
		"zero sigma":           {sensors("x,value,sigma\n1,2,0\n"), "sensors.csv:2"},
		"not text":             {sensors("\x00\x01\xff\xfe"), "sensors.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeExample(t, "inverse-poisson")
			c.spoil(t, path)
			root := t.TempDir()
			refused(t, []string{"check", path}, filepath.Dir(path), c.fragment)
			refused(t, []string{"solve", path, "--json", "--out", filepath.Join(root, "out")}, filepath.Dir(path), c.fragment)
			if left := listing(t, root); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestErrorsCannotSteerTheTerminal(t *testing.T) {
	path := writeExample(t, "inverse-poisson")
	edit(t, path, "neurons =", "\"neu\\u001b[31mrons\" =")
	_, _, stderr := execute("check", path)
	if strings.Contains(stderr, "\x1b") {
		t.Errorf("stderr %q", stderr)
	}
}

func TestMissingFilesAreRefused(t *testing.T) {
	root := t.TempDir()
	nowhere := filepath.Join(root, "nowhere")
	for _, args := range [][]string{{"solve", nowhere}, {"check", nowhere}, {"predict", nowhere, nowhere}, {"solve", root}} {
		refused(t, args, args[1])
	}
}

func TestBadOverridesAreRefused(t *testing.T) {
	path := writeExample(t, "inverse-poisson")
	for _, set := range []string{"nonsense", "features.neurones=3", "features.neurons=", "features.neurons=many", "=3"} {
		refused(t, []string{"solve", path, "--set", set})
	}
}

func TestBadModelsAndPointsAreRefused(t *testing.T) {
	root := t.TempDir()
	succeed(t, "solve", writeExample(t, "inverse-poisson"), "--out", root, "--quiet")
	model := filepath.Join(root, "model.bpielm")
	whole, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.csv", []byte("x\n1\n"))
	for _, n := range []int{0, 1, 8, 20, len(whole) / 2, len(whole) - 1} {
		truncated := write("truncated", whole[:n])
		refused(t, []string{"predict", truncated, good}, truncated)
	}
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)/2] ^= 0x10
	refused(t, []string{"predict", write("flipped", flipped), good}, "flipped")
	refused(t, []string{"predict", good, good}, good)

	before := len(listing(t, root))
	for name, content := range map[string]string{
		"empty": "", "other": "y\n1\n", "ragged": "x,z\n1\n", "nan": "x\nNaN\n", "text": "x\none\n",
	} {
		points := write("points.csv", []byte(content))
		t.Run(name, func(t *testing.T) {
			refused(t, []string{"predict", model, points, "--out", filepath.Join(root, "values.csv")}, points)
		})
	}
	if after := listing(t, root); len(after) > before+1 {
		t.Errorf("left behind: %v", after)
	}
}

func TestPredictiveNeedsNoise(t *testing.T) {
	root := t.TempDir()
	succeed(t, "solve", writeExample(t, "inverse-poisson"), "--out", root, "--quiet", "--set=fit.method=pielm", "--set=features.scale=16")
	refused(t, []string{"predict", filepath.Join(root, "model.bpielm"), filepath.Join(root, "solution.csv"), "--predictive"}, "--predictive")
}

func TestUnwritableOutputFails(t *testing.T) {
	path := writeExample(t, "inverse-poisson")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{file, filepath.Join(file, "below")} {
		if status, _, stderr := execute("solve", path, "--quiet", "--out", out); status != exitFailure || stderr == "" {
			t.Errorf("--out %s: status %d, stderr %q", out, status, stderr)
		}
	}
	if content, _ := os.ReadFile(file); string(content) != "mine" {
		t.Error("the file has been changed")
	}
}
