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
	probeIterations = 20_000   // of the peak loop in a round: some 200 microseconds
	probeElements   = 12 << 20 // 96 MiB in all, beyond the caches
)

var probeMemory = sync.OnceValue(func() []float64 { return make([]float64, probeElements) })

// ProbeFMA measures the peak of fused multiply-adds in registers, in
// floating-point operations a second on GOMAXPROCS cores: what the machine can do
// at this moment, by which benchmarks are judged. On shared machines it changes
// from minute to minute.
func ProbeFMA() float64 {
	k := asm.Active()
	return best(func(int, int) float64 { return float64(k.PeakLoop(probeIterations)) })
}

// ProbeMemory measures the bandwidth of reading, in bytes a second.
func ProbeMemory() float64 {
	k, memory := asm.Active(), probeMemory()
	return best(func(worker, workers int) float64 {
		part := memory[worker*len(memory)/workers : (worker+1)*len(memory)/workers]
		if s := k.Sum(part); s != 0 {
			panic("the memory is zero")
		}
		return float64(8 * len(part))
	})
}

// best runs work, which returns its amount, on all processors at once, and
// returns the best amount a second of a few rounds.
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
