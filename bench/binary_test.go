package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build builds the stripped program for a platform and returns its path.
func build(b *testing.B, target string) string {
	b.Helper()
	system, architecture, _ := strings.Cut(target, "/")
	path := filepath.Join(b.TempDir(), "bpielm")
	command := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "../cmd/bpielm")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", target, err, out)
	}
	return path
}

// BenchmarkColdStart runs the program from start to end with nothing to do: the overhead
// of calling it for a single answer.
func BenchmarkColdStart(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bpielm")
	if out, err := exec.Command("go", "build", "-o", path, "../cmd/bpielm").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		if out, err := exec.Command(path, "--version").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}

// BenchmarkBinarySize reports the size of the stripped program.
func BenchmarkBinarySize(b *testing.B) {
	for _, target := range []string{"linux/amd64", "linux/arm64", "linux/arm", "windows/amd64", "darwin/arm64"} {
		b.Run(target, func(b *testing.B) {
			info, err := os.Stat(build(b, target))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(info.Size())/1e6, "MB")
		})
	}
}
