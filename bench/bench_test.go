package bench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/bpielm/bpielm/bench/suite"
)

var shapesFlag = flag.String("shapes", "", "sizes to measure instead of each family's own, such as 'n=333;n=777' or 'k=5000,n=137'")

func TestMain(m *testing.M) {
	status := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(status)
}

func BenchmarkGemm(b *testing.B)        { run(b, "Gemm") }
func BenchmarkSyrk(b *testing.B)        { run(b, "Syrk") }
func BenchmarkTrsm(b *testing.B)        { run(b, "Trsm") }
func BenchmarkTanh(b *testing.B)        { run(b, "Tanh") }
func BenchmarkTanhJet(b *testing.B)     { run(b, "TanhJet") }
func BenchmarkExp(b *testing.B)         { run(b, "Exp") }
func BenchmarkSin(b *testing.B)         { run(b, "Sin") }
func BenchmarkCos(b *testing.B)         { run(b, "Cos") }
func BenchmarkLog(b *testing.B)         { run(b, "Log") }
func BenchmarkAssemble(b *testing.B)    { run(b, "Assemble") }
func BenchmarkCholesky(b *testing.B)    { run(b, "Cholesky") }
func BenchmarkInverse(b *testing.B)     { run(b, "Inverse") }
func BenchmarkQR(b *testing.B)          { run(b, "QR") }
func BenchmarkSVD(b *testing.B)         { run(b, "SVD") }
func BenchmarkSymEigen(b *testing.B)    { run(b, "SymEigen") }
func BenchmarkStreamGram(b *testing.B)  { run(b, "StreamGram") }
func BenchmarkStreamTSQR(b *testing.B)  { run(b, "StreamTSQR") }
func BenchmarkFit(b *testing.B)         { run(b, "Fit") }
func BenchmarkAssimilate(b *testing.B)  { run(b, "Assimilate") }
func BenchmarkPredict(b *testing.B)     { run(b, "Predict") }
func BenchmarkPINNEpoch(b *testing.B)   { run(b, "PINNEpoch") }
func BenchmarkReading(b *testing.B)     { run(b, "Reading") }
func BenchmarkEstimate100(b *testing.B) { run(b, "Estimate100") }
func BenchmarkSolve(b *testing.B)       { run(b, "Solve") }

// run runs a family of the suite. Rates are reported with their share of the peak: the
// better of the peaks measured just before and just after.
func run(b *testing.B, family string) {
	shapes, err := suite.ParseShapes(*shapesFlag)
	if err != nil {
		b.Fatal(err)
	}
	cases, err := suite.Find(family).Cases(shapes)
	if err != nil {
		b.Skip(err)
	}
	for _, c := range cases {
		b.Run(c.Name[len(family)+1:], func(b *testing.B) {
			switch {
			case c.Long && shapes == nil:
				b.Skip("it takes long; -shapes asks for it")
			case c.Process != nil:
				runProcess(b, c)
			default:
				runCase(b, c)
			}
		})
	}
}

// built is the folder of the program, "" if none was needed.
var built string

// program builds bpielm, once.
var program = sync.OnceValues(func() (path string, err error) {
	if built, err = os.MkdirTemp("", "bpielm-bench-"); err != nil {
		return "", err
	}
	path = filepath.Join(built, "bpielm")
	if out, err := exec.Command("go", "build", "-o", path, "../cmd/bpielm").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// runProcess runs the whole program. Its time, memory and allocations are those of the process.
func runProcess(b *testing.B, c suite.Case) {
	path, err := program()
	if err != nil {
		b.Skip(err)
	}
	var processor, peak, allocations, allocated float64
	b.ReportAllocs()
	for b.Loop() {
		took, err := c.Process.Run(b.Context(), path, suite.Settings{Threads: runtime.GOMAXPROCS(0), Report: true})
		if err != nil {
			b.Fatal(err)
		}
		processor += float64(took.Processor.Nanoseconds())
		peak = max(peak, float64(took.Peak))
		allocations += float64(took.Allocations)
		allocated += float64(took.Allocated)
	}
	b.ReportMetric(processor/float64(b.N), "processor-ns/op")
	b.ReportMetric(peak/1e6, "peak-MB")
	b.ReportMetric(allocated/float64(b.N), "B/op")
	b.ReportMetric(allocations/float64(b.N), "allocs/op")
}

func runCase(b *testing.B, c suite.Case) {
	op, err := c.Start()
	if err != nil {
		b.Fatal(err)
	}
	if err := op(); err != nil { // warm up caches, pools and workers
		b.Fatal(err)
	}
	before := suite.ProbeFMA()
	b.ReportAllocs()
	for b.Loop() {
		if err := op(); err != nil {
			b.Fatal(err)
		}
	}
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	if c.Elements > 0 {
		b.ReportMetric(ns/c.Elements, "ns/elem")
	}
	if c.Flops > 0 {
		b.ReportMetric(c.Flops/ns, "GFLOP/s")
		b.ReportMetric(100*c.Flops/ns/(max(before, suite.ProbeFMA())/1e9), "%peak")
	}
}
