package main

import (
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

// overLimit runs the program, which must refuse with status 5 and one line that has all fragments.
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

// What would take more memory than is allowed is refused with numbers before it is taken.
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
