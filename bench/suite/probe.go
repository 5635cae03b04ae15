package suite

import (
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/bpielm/bpielm/mat/asm"
)

const (
	probeRounds     = 5
	probeIterations = 300_000  // of the peak loop in a round: about a millisecond
	probeElements   = 12 << 20 // 96 MiB in all, beyond the caches
)

// probeMemory returns memory that has been written to; untouched pages would share one frame.
var probeMemory = sync.OnceValue(func() []float64 {
	memory := make([]float64, probeElements)
	for i := range memory {
		memory[i] = 1
	}
	return memory
})

// ProbeFMA measures the peak rate of fused multiply-adds in registers, in floating-point
// operations per second on GOMAXPROCS cores. This is what the machine can do at this moment,
// and what benchmarks are compared with. On shared machines it changes from minute to minute.
func ProbeFMA() float64 {
	k := asm.Active()
	return best(func(int, int) float64 { return float64(k.PeakLoop(probeIterations)) })
}

// ProbeMemory measures the read bandwidth, in bytes per second.
func ProbeMemory() float64 {
	k, memory := asm.Active(), probeMemory()
	return best(func(worker, workers int) float64 {
		part := memory[worker*len(memory)/workers : (worker+1)*len(memory)/workers]
		if s := k.Sum(part); s != float64(len(part)) {
			panic("suite: the sum of ones is wrong")
		}
		return float64(8 * len(part))
	})
}

// best runs work, which returns its amount, on all processors at once. It returns the largest
// amount per second of several rounds.
func best(work func(worker, workers int) float64) float64 {
	workers := runtime.GOMAXPROCS(0)
	fastest := 0.0
	for range probeRounds {
		amounts := make([]float64, workers)
		var all sync.WaitGroup
		begin := time.Now()
		for w := range workers {
			all.Go(func() { amounts[w] = work(w, workers) })
		}
		all.Wait()
		seconds := time.Since(begin).Seconds()
		done := 0.0
		for _, a := range amounts {
			done += a
		}
		fastest = math.Max(fastest, done/seconds)
	}
	return fastest
}
