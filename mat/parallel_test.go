package mat

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// withProcessors runs a test at several values of GOMAXPROCS.
func withProcessors(t *testing.T, test func(processors int)) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		test(n)
	}
}

func TestParallelRunsEveryPartOnce(t *testing.T) {
	withProcessors(t, func(processors int) {
		for parts := range 20 {
			for range 20 {
				calls := make([]atomic.Int32, parts)
				Parallel(parts, func(part int) { calls[part].Add(1) })
				for part := range calls {
					if n := calls[part].Load(); n != 1 {
						t.Fatalf("%d processors, part %d of %d ran %d times", processors, part, parts, n)
					}
				}
			}
		}
	})
}

func TestParallelMayBeNestedAndShared(t *testing.T) {
	withProcessors(t, func(int) {
		var total atomic.Int64
		var group sync.WaitGroup
		for range 6 {
			group.Go(func() {
				for range 50 {
					Parallel(4, func(int) {
						Parallel(3, func(part int) { total.Add(int64(part)) })
					})
				}
			})
		}
		group.Wait()
		if total.Load() != 6*50*4*3 {
			t.Errorf("sum of parts is %d", total.Load())
		}
	})
}

func TestParallelPanicsInTheCaller(t *testing.T) {
	withProcessors(t, func(int) {
		var ended atomic.Int32
		mustPanic(t, "a part", func() {
			Parallel(8, func(part int) {
				defer ended.Add(1)
				if part == 3 {
					panic(Error("part"))
				}
			})
		})
		// If the workers are still busy with an earlier call, the caller runs all parts itself.
		if n := ended.Load(); n != 8 && n != 4 {
			t.Errorf("%d of 8 parts had ended", n)
		}
		Parallel(8, func(int) {}) // still works
	})
}

func TestParallelLeaksNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	f := func(int) {}
	Parallel(8, f)
	before := runtime.NumGoroutine()
	allocations := testing.AllocsPerRun(200, func() { Parallel(8, f) })
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, before %d", after, before)
	}
}
