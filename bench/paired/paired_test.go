package paired

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/bench/regress"
)

// What bpielm bench --compare does by default.
const threshold, blocks = 0.03, 15

// machine makes up measurements as a shared machine gives them: a speed that wanders and jumps,
// noise in each run, and now and then a run that others disturb.
type machine struct {
	*rand.Rand
	drift, noise, slower float64
	runs                 int
}

func newMachine(seed uint64, noise, slower float64) *machine {
	return &machine{Rand: rand.New(rand.NewPCG(seed, 7)), noise: noise, slower: slower}
}

func (m *machine) measure(_ context.Context, side Side) ([]Measurement, error) {
	m.runs++
	m.drift += 0.004 + 0.01*m.NormFloat64()
	cost := 1e9 * math.Exp(m.drift+m.noise*m.NormFloat64())
	if m.Float64() < 0.03 {
		cost *= 1 + m.Float64()
	}
	if side == After {
		cost *= m.slower
	}
	return []Measurement{{"Solve", cost, cost}, {"Steady", 1e3, 1e3}}, nil
}

// verdicts counts the verdicts of many comparisons.
func verdicts(t *testing.T, comparisons int, noise, slower float64) map[regress.Verdict]int {
	t.Helper()
	count := map[regress.Verdict]int{}
	for seed := range comparisons {
		m := newMachine(uint64(seed), noise, slower)
		o, err := Run(t.Context(), blocks, m.measure, nil)
		if err != nil {
			t.Fatal(err)
		}
		changes := o.Judge(threshold)
		if len(changes) != 2 || m.runs != 2+4*blocks {
			t.Fatalf("%v after %d runs", changes, m.runs)
		}
		if c := changes[1]; c.Verdict != regress.Same || c.Ratio != 1 || c.Lower != 1 || c.Upper != 1 {
			t.Fatalf("steady: %+v", c)
		}
		count[changes[0].Verdict]++
	}
	return count
}

// A commit compared with itself is not slower: twenty times in twenty at the noise of a machine in use, and
// hardly ever at several times that.
func TestTheSameIsNotAccused(t *testing.T) {
	if count := verdicts(t, 20, 0.025, 1); count[regress.Slower]+count[regress.Faster] > 0 {
		t.Errorf("of 20 comparisons: %v", count)
	}
	for _, noise := range []float64{0.005, 0.02, 0.1} {
		if count := verdicts(t, 2000, noise, 1); count[regress.Slower] > 15 || count[regress.Faster] > 15 {
			t.Errorf("noise %g, of 2000 comparisons: %v", noise, count)
		}
	}
}

// A solve that is slower by 5 % is found in one comparison, and so is a faster one.
func TestFivePercentAreFound(t *testing.T) {
	const comparisons = 500
	for slower, want := range map[float64]regress.Verdict{1.05: regress.Slower, 1 / 1.05: regress.Faster} {
		if count := verdicts(t, comparisons, 0.02, slower); count[want] < 0.95*comparisons || count[want]+count[regress.Same]+count[regress.Uncertain] != comparisons {
			t.Errorf("times %.3f, of %d comparisons: %v", slower, comparisons, count)
		}
	}
}

// The interval contains the true ratio in 99 % of comparisons, whatever the noise is like.
func TestIntervalHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	for name, draw := range map[string]func() float64{
		"normal": r.NormFloat64, "uniform": func() float64 { return r.Float64() - 0.5 },
		"heavy": func() float64 { return r.NormFloat64() / (0.05 + r.Float64()) },
	} {
		for _, n := range []int{8, 10, 20} {
			missed := 0
			for range trials {
				x := make([]float64, n)
				for i := range x {
					x[i] = 3 + draw()
				}
				if middle, lower, upper := centre(x); lower > 3 || upper < 3 || middle < lower || middle > upper {
					missed++
				}
			}
			if missed > trials*14/1000 {
				t.Errorf("%s, %d blocks: the interval misses in %d of %d trials", name, n, missed, trials)
			}
		}
	}
}

// Tables of the signed-rank statistic: Hollander, Wolfe and Chicken, table A.4.
func TestSignedRanks(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want int
	}{{7, 0.005, -1}, {8, 0.005, 0}, {10, 0.005, 3}, {10, 0.025, 8}, {20, 0.025, 52}, {1, 0.5, 0}} {
		if got := outside(c.n, c.p); got != c.want {
			t.Errorf("%d numbers, probability %g: %d, want %d", c.n, c.p, got, c.want)
		}
	}
	if middle, lower, upper := centre([]float64{1, 2, 6}); middle != 2.75 || !math.IsInf(lower, -1) || !math.IsInf(upper, 1) {
		t.Errorf("three numbers: %g from %g to %g", middle, lower, upper)
	}
}

// What grows steadily cancels between the pairs of each block.
func TestSteadyDriftCancels(t *testing.T) {
	run := 0
	o, err := Run(t.Context(), LeastBlocks, func(context.Context, Side) ([]Measurement, error) {
		run++
		return []Measurement{{"A", math.Exp(0.1 * float64(run)), 1}}, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := o.Judge(threshold)[0]; math.Abs(c.Ratio-1) > 1e-12 || c.Upper > math.Exp(0.1001) {
		t.Errorf("%+v", c)
	}
}

// Benchmarks that one version lacks are named, and errors say which version failed.
func TestVersionsThatDiffer(t *testing.T) {
	seen := []int{}
	o, err := Run(t.Context(), LeastBlocks, func(_ context.Context, side Side) ([]Measurement, error) {
		return []Measurement{{"Both", 1, 1}, {[]string{"Old", "New"}[side], 1, 1}}, nil
	}, func(done, total int) {
		if seen = append(seen, done); total != 2+4*LeastBlocks {
			t.Errorf("%d of %d", done, total)
		}
	})
	for i, done := range seen {
		if done != i {
			t.Errorf("progress %v", seen)
			break
		}
	}
	if len(seen) != 3+4*LeastBlocks {
		t.Errorf("progress %v", seen)
	}
	if err != nil || !slices.Equal(o.Names, []string{"Both"}) || !slices.Equal(o.OnlyIn[Before], []string{"Old"}) || !slices.Equal(o.OnlyIn[After], []string{"New"}) {
		t.Errorf("%v, %+v", err, o)
	}
	broken := errors.New("broken")
	for want, measure := range map[string]Measure{
		"after: broken": func(_ context.Context, side Side) ([]Measurement, error) {
			if side == After {
				return nil, broken
			}
			return []Measurement{{"A", 1, 1}}, nil
		},
		"in common": func(_ context.Context, side Side) ([]Measurement, error) {
			return []Measurement{{fmt.Sprint(side), 1, 1}}, nil
		},
		"took no time": func(context.Context, Side) ([]Measurement, error) { return []Measurement{{"A", 0, 1}}, nil },
	} {
		if _, err := Run(t.Context(), LeastBlocks, measure, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A commit and the files as they are are built, without traces in the repository.
func TestBuild(t *testing.T) {
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null"}, args...)...)
		command.Dir = root
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	source := func(text string) {
		t.Helper()
		folder := filepath.Join(root, "cmd", "bpielm")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte("package main\n\nfunc main() { print(\""+text+"\") }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	if _, err := Open(t.Context(), root); err == nil || !strings.Contains(err.Error(), "not the source of bpielm") {
		t.Errorf("another repository: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/bpielm/bpielm\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		source(text)
		git("add", "-A")
		git("commit", "--quiet", "-m", text)
	}
	source("third")

	r, err := Open(t.Context(), filepath.Join(root, "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for commit, want := range map[string]string{"HEAD~1": "first", "HEAD": "second", "": "third"} {
		v, err := r.Build(t.Context(), commit)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(v.Program).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%q (%s) prints %q, %v", commit, v.Name, out, err)
		}
		programs[commit] = v.Program
	}
	again, err := r.Build(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(programs["HEAD"])
	if b, _ := os.ReadFile(again.Program); len(b) == 0 || !slices.Equal(a, b) {
		t.Error("the same commit makes another program")
	}

	var refused *Error
	for _, commit := range []string{"none", "--all", "HEAD:go.mod"} {
		if _, err := r.Build(t.Context(), commit); !errors.As(err, &refused) || !strings.Contains(err.Error(), commit) {
			t.Errorf("%s: %v", commit, err)
		}
	}
	source("\" + 1 + \"")
	if _, err := r.Build(t.Context(), ""); !errors.As(err, &refused) || !strings.Contains(err.Error(), "cannot be built") {
		t.Errorf("a faulty source: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(r.folder); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", r.folder, err)
	}
	list := exec.Command("git", "worktree", "list")
	list.Dir = root
	if out, err := list.Output(); err != nil || strings.Count(string(out), "\n") != 1 {
		t.Errorf("worktrees: %s, %v", out, err)
	}
}
