package suite

import (
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/bpielm/bpielm/mat/asm"
)

// Probe is what the machine can do at this moment, by which rates are judged: on
// shared machines it changes from minute to minute.
type Probe struct {
	FMA    float64 // floating-point operations in a second, of the active kernel on GOMAXPROCS cores
	Memory float64 // bytes read from memory in a second, on GOMAXPROCS cores
}

const (
	probeRounds     = 5
	probeIterations = 20_000   // of the peak loop in a round: some 200 microseconds
	probeElements   = 12 << 20 // 96 MiB in all, beyond the caches
)

var probeMemory = sync.OnceValue(func() []float64 { return make([]float64, probeElements) })

// ProbeFMA measures the peak of fused multiply-adds: the best of a few rounds.
func ProbeFMA() float64 {
	k := asm.Active()
	return best(func(int, int) float64 { return float64(k.PeakLoop(probeIterations)) })
}

// ProbeMemory measures the bandwidth of reading: the best of a few rounds.
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

// ProbeMachine measures both.
func ProbeMachine() Probe { return Probe{FMA: ProbeFMA(), Memory: ProbeMemory()} }

// best runs work on all processors at once, a few times, and returns the best
// amount of it done in a second.
func best(work func(worker, workers int) float64) float64 {
	workers := runtime.GOMAXPROCS(0)
	rate := 0.0
	for range probeRounds {
		amounts := make([]float64, workers)
		var all sync.WaitGroup
		begin := time.Now()
		for w := range workers {
			all.Go(func() { amounts[w] = work(w, workers) })
		}
		all.Wait()
		seconds := time.Since(begin).Seconds()
		total := 0.0
		for _, a := range amounts {
			total += a
		}
		rate = math.Max(rate, total/seconds)
	}
	return rate
}
