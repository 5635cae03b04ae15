package posterior

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system"
)

// Segments cover all rows once and in order, whatever the number of processors,
// and the error is that of the first segment that fails.
func TestInSegments(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(processors)
		for _, n := range []int{0, 1, segmentRows, segmentRows + 1, 5*segmentRows - 1} {
			var parts [][2]int
			var waiting, most atomic.Int64
			err := inSegments(n, false, func(first, last int) ([2]int, error) {
				waiting.Add(1)
				return [2]int{first, last}, nil
			}, func(p [2]int) {
				most.Store(max(most.Load(), waiting.Load()))
				waiting.Add(-1)
				parts = append(parts, p)
			})
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for _, p := range parts {
				if p[0] != at || p[1] < p[0] {
					t.Fatalf("%d rows on %d processors: %v", n, processors, parts)
				}
				at = p[1]
			}
			if most.Load() > int64(2*processors) {
				t.Errorf("%d rows on %d processors: %d segments exist at a time", n, processors, most.Load())
			}
			if at != n {
				t.Errorf("%d rows on %d processors: %v", n, processors, parts)
			}
		}
		alone := 0
		if err := inSegments(5*segmentRows, true, func(int, int) (int, error) {
			alone++
			return alone, nil
		}, func(n int) {
			if alone--; n != 1 {
				t.Errorf("%d large segments exist at a time", n)
			}
		}); err != nil || alone != 0 {
			t.Errorf("%v: %d segments are left", err, alone)
		}
		err := inSegments(7*segmentRows, false, func(first, last int) (int, error) {
			if first >= 2*segmentRows {
				return 0, fmt.Errorf("from %d", first)
			}
			return 0, nil
		}, func(int) {})
		if err == nil || err.Error() != fmt.Sprintf("from %d", 2*segmentRows) {
			t.Error(err)
		}
	}
}

// A fit of more rows than one segment has the same bits for any number of
// processors.
func TestManyRowsOnAnyNumberOfProcessors(t *testing.T) {
	if testing.Short() {
		t.Skip("three fits of 20000 rows")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := rod(false)
	x := make([]float64, 20_000)
	for i := range x {
		x[i] = 2 * float64(i) / float64(len(x))
	}
	p.Equations[0].Points = column(x...)
	for _, method := range []Method{BPIELM, Published} {
		var want []float64
		for _, processors := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(processors)
			q, err := Fit(p, Config{Method: method, Neurons: 12, Scale: []float64{2}, Seed: 1, Tolerance: 1e-3})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = slices.Clone(q.components[0].mean)
			}
			if !slices.Equal(q.components[0].mean, want) {
				t.Errorf("%s on %d processors differs", method, processors)
			}
		}
	}
}

// Many readings are reduced in leaves, and merged in the same order on any number of processors. The answer is that of all
// rows in one leaf but for rounding.
func TestManyReadingsOnAnyNumberOfProcessors(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of 30000 readings")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := rod(false)
	n := 3*rowtree.LeafRows + 100
	x, values, sigma := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 2 * float64(i*7919%n) / float64(n)
		values[i] = 0.5*x[i]*x[i] - x[i] + 0.3*math.Sin(float64(i*i%1000))
		sigma[i] = 0.2 + 0.1*float64(i%3)
	}
	for _, of := range [][]float64{sigma, nil} {
		p.Sensors = []system.Sensors{{Measures: system.Field(0), Points: column(x...), Values: values, Sigma: of}}
		var want []float64
		for _, processors := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(processors)
			q, err := Fit(p, Config{Neurons: 12, Scale: []float64{2}, Seed: 1, Ensemble: 1, Tolerance: 1e-3})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = slices.Clone(q.components[0].mean)
			}
			if !slices.Equal(q.components[0].mean, want) {
				t.Errorf("on %d processors it differs", processors)
			}
		}
		basis := p.Basis(layerOf(t, p))
		g, err := newGroup(nil, basis, &p.Sensors[0], "", nil)
		if err != nil {
			t.Fatal(err)
		}
		tsqr := mat.NewTSQR(basis.Columns())
		raw := newRawRows(&p.Sensors[0], nil, 0, n)
		if err := raw.stream(nil, basis, &p.Sensors[0], "", func(_ int, h *mat.Dense, y []float64) { tsqr.Append(h, y) }); err != nil {
			t.Fatal(err)
		}
		logs := 0.0
		for _, s := range raw.sigma {
			logs += mat.Log(s)
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }
		if rest := tsqr.Residual(); !near(g.residual, rest*rest) || !near(g.logSigma, logs) || !near(g.size, sizeOf(values)) || of != nil && !near(g.rms, rootMeanSquare(of)) || g.extra != n-basis.Columns() {
			t.Errorf("residual %g for %g, logarithms %g for %g, size %g for %g, rms %g", g.residual, rest*rest, g.logSigma, logs, g.size, sizeOf(values), g.rms)
		}
		if got, want := mat.Nrm2(g.y), mat.Nrm2(tsqr.QTy()); !near(got, want) {
			t.Errorf("|Q'y| is %g, not %g", got, want)
		}
	}
}

func layerOf(t *testing.T, p *system.Problem) *feature.Layer {
	t.Helper()
	c := Config{Neurons: 12, Seed: 1}
	layer, err := c.layer(p, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	return layer
}
