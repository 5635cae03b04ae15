package asm

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// elementaryPoints returns the number of arguments per function to compare with the reference.
// The errors that elementary.go states were found with
//
//	BPIELM_ELEMENTARY_POINTS=10000000 go test ./mat/asm -run Elementary -v -timeout 1h
func elementaryPoints(t *testing.T) int {
	if s := os.Getenv("BPIELM_ELEMENTARY_POINTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("BPIELM_ELEMENTARY_POINTS: %v", err)
		}
		return n
	}
	if testing.Short() {
		return 2_000
	}
	return 100_000
}

// worst is the largest error found, in ulp, and its argument.
type worst struct{ ulp, at float64 }

func (w *worst) take(ulp, at float64) {
	if ulp > w.ulp || ulp == w.ulp && at < w.at {
		w.ulp, w.at = ulp, at
	}
}

// errorIn returns the largest error of a function at n arguments of a stratum. The processors
// share the arguments; the result does not depend on how.
func errorIn(s stratum, n int, value func(float64) float64, reference func(x, value float64) *big.Float) worst {
	const part = 5_000
	var (
		group sync.WaitGroup
		mutex sync.Mutex
		found worst
		free  = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	for first := 0; first < n; first += part {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			random := rand.New(rand.NewPCG(1, uint64(first)))
			var w worst
			for range min(part, n-first) {
				x := s.draw(random)
				v := value(x)
				w.take(ulpError(v, reference(x, v)), x)
			}
			mutex.Lock()
			defer mutex.Unlock()
			found.take(w.ulp, w.at)
		})
	}
	group.Wait()
	return found
}

func TestElementaryError(t *testing.T) {
	for _, f := range elementary {
		t.Run(f.name, func(t *testing.T) {
			points := elementaryPoints(t)/len(f.strata) + 1
			for _, s := range f.strata {
				w := errorIn(s, points, f.value, f.reference)
				t.Logf("%-52s %.4f ulp at %v", s.name+":", w.ulp, w.at)
				if !(w.ulp < f.promised) {
					t.Errorf("%s: %.4f ulp at %v (%x), not within %v", s.name, w.ulp, w.at, w.at, f.promised)
				}
			}
		})
	}
}

// TestElementaryErrorBesideBranches tests every number near a branch.
func TestElementaryErrorBesideBranches(t *testing.T) {
	reach := 300
	if testing.Short() {
		reach = 10
	}
	for _, f := range elementary {
		t.Run(f.name, func(t *testing.T) {
			var w worst
			for _, b := range f.branches {
				x := b
				for range reach {
					x = math.Nextafter(x, math.Inf(-1))
				}
				for range 2*reach + 1 {
					if !(f.name == "Log" && x <= 0) && math.Abs(x) <= math.MaxFloat64 {
						v := f.value(x)
						w.take(ulpError(v, f.reference(x, v)), x)
					}
					x = math.Nextafter(x, math.Inf(1))
				}
			}
			t.Logf("%.4f ulp at %v", w.ulp, w.at)
			if !(w.ulp < f.promised) {
				t.Errorf("%.4f ulp at %v (%x), not within %v", w.ulp, w.at, w.at, f.promised)
			}
		})
	}
}

// hardest lists, for each function, the arguments with the largest errors found among ten
// million, and these errors.
var hardest = map[string][]worst{
	"Exp":   {{0.7877, -708.7968842135247}, {0.7865, -708.8067024701006}, {0.7188, -708.7429921225441}, {0.6870, 0.39692801501976693}},
	"Log":   {{0.6320, 0.7039016264108805}, {0.6006, 0.698924938009632}, {0.5463, 0.7167401027798231}, {0.5078, 0.7071067811865479}},
	"Tanh":  {{0.8793, 0.48679952614003574}, {0.8668, -0.4852513628085129}, {0.8653, 0.48317847515165013}, {0.8484, 0.48167009127968186}},
	"Sech2": {{2.3361, 0.9471262695208083}, {2.2686, -0.8849353068337606}, {2.1993, -0.9483724048179303}, {2.0916, 0.8854142175525794}},
	"Sin":   {{0.7587, 3.691475433170707e+07}, {0.7520, -4.511105402553849e+09}, {0.7385, -484.58870726231544}, {0.7271, 0.7801568277644213}},
	"Cos":   {{0.7573, -2.5546242059867544e+09}, {0.7465, 4595.346290132235}, {0.7435, 0.8243752490233156}, {0.7415, 6.37481860954006e+210}},
}

// TestElementaryErrorAtTheHardestArguments checks the errors of the worst cases.
func TestElementaryErrorAtTheHardestArguments(t *testing.T) {
	for _, f := range elementary {
		if len(hardest[f.name]) == 0 {
			t.Errorf("%s: no argument", f.name)
		}
		for _, w := range hardest[f.name] {
			got := fmt.Sprintf("%.4f", ulpError(f.value(w.at), f.reference(w.at, f.value(w.at))))
			if want := fmt.Sprintf("%.4f", w.ulp); got != want {
				t.Errorf("%s(%v): %s ulp, want %s", f.name, w.at, got, want)
			}
		}
	}
}
