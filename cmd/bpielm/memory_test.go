package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]memorySize{"4GiB": 4 << 30, "500MB": 500e6, "1.5 GiB": 3 << 29, "1e9": 1e9, "64KiB": 64 << 10, "10B": 10} {
		var got memorySize
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "much", "-1GB", "0", "NaN", "1e30GiB", "4 gigs"} {
		refused(t, []string{"cpu", "--max-memory=" + text}, "size")
	}
}

// overLimit runs the program, which must refuse with status 5 and one line with all fragments.
func overLimit(t *testing.T, args []string, fragments ...string) {
	t.Helper()
	status, stdout, stderr := execute(args...)
	if status != exitLimit || stdout != "" || !strings.HasPrefix(stderr, "bpielm: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("bpielm %s: status %d, stdout %q, stderr %q", strings.Join(args, " "), status, stdout, stderr)
	}
	for _, f := range fragments {
		if !strings.Contains(stderr, f) {
			t.Errorf("bpielm %s: stderr %q does not contain %q", strings.Join(args, " "), stderr, f)
		}
	}
}

// A problem that would need too much memory is refused before it is allocated, with
// both numbers.
func TestTooMuchMemoryIsRefused(t *testing.T) {
	poisson := writeExample(t, "poisson")
	overLimit(t, []string{"solve", poisson, "--max-memory=4GiB", "--set=features.neurons=8000"}, poisson, " GiB of memory; 4.0 GiB are allowed")
	overLimit(t, []string{"compile", poisson, "--max-memory=4GiB", "--set=features.neurons=8000"}, poisson, "4.0 GiB are allowed")
	overLimit(t, []string{"solve", poisson, "--max-memory=4GiB", "--set=features.neurons=50000", "--set=fit.method=paper"}, poisson)
	overLimit(t, []string{"solve", poisson, "--max-memory=4GiB", "--set=output.grid=[10000,10000]"}, poisson)
	overLimit(t, []string{"solve", poisson, "--max-memory=50MiB"}, poisson, "50 MiB are allowed")
	overLimit(t, []string{"solve", poisson, "--max-memory=100MiB", "--set=features.neurons=auto"}, poisson, "100 MiB are allowed")
	succeed(t, "solve", poisson, "--max-memory=4GiB", "--quiet", "--set=features.neurons=20")
}

// Many candidates and many goal points have a large covariance matrix.
func TestPlaceEstimatesItsMemory(t *testing.T) {
	root := t.TempDir()
	succeed(t, "solve", writeExample(t, "beam", "--neurons=20"), "--out", root, "--quiet")
	many := filepath.Join(root, "many.csv")
	if err := os.WriteFile(many, []byte("x\n"+strings.Repeat("0.5\n", 30_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	overLimit(t, []string{"place", filepath.Join(root, "model.bpielm"), many, "--over", many, "--max-memory=4GiB"}, many, "4.0 GiB are allowed")
}

// The points of all equations together must fit into memory. This is known before they
// are drawn.
func TestTooManyPointsAreRefused(t *testing.T) {
	problem := writeExample(t, "inverse-poisson")
	edit(t, problem, "points = 100", "points = 10_000_000")
	overLimit(t, []string{"check", problem, "--max-memory=512MiB"}, problem+":", "equation.points: with what stands before it these are 10000000 points")
}
