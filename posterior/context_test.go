package posterior

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// TestNoProblemIsAnError, not a panic.
func TestNoProblemIsAnError(t *testing.T) {
	var problem *system.ProblemError
	for name, call := range map[string]func(p *system.Problem) error{
		"Fit":        func(p *system.Problem) error { _, err := Fit(p, Config{}); return err },
		"FitContext": func(p *system.Problem) error { _, err := FitContext(t.Context(), p, Config{}); return err },
		"FitPrior":   func(p *system.Problem) error { _, err := FitPrior(p, Config{}); return err },
		"Compile":    func(p *system.Problem) error { _, err := Compile(p, nil, CompileConfig{}); return err },
	} {
		for what, p := range map[string]*system.Problem{"nil": nil, "empty": {}} {
			if err := call(p); !errors.As(err, &problem) {
				t.Errorf("%s of a problem that is %s: error %v", name, what, err)
			}
		}
	}
	if _, err := Ranged(nil); !errors.As(err, &problem) {
		t.Errorf("Ranged(nil): error %v", err)
	}
}

func TestFitContextIsFit(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	c := Config{Neurons: 30, Seed: 3, Ensemble: 1}
	want, err := Fit(p, c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := FitContext(t.Context(), p, c)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(1, 1, []float64{0.3})
	a, _, err := want.Predict(system.Field(0), x)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := got.Predict(system.Field(0), x)
	if err != nil || a[0] != b[0] {
		t.Errorf("%v, error %v, want %v", b, err, a)
	}
}

// TestFitEndsWithItsContext within 100 ms, however long a factorisation takes, and so does the work behind it soon after. A
// busy machine may need a second attempt.
func TestFitEndsWithItsContext(t *testing.T) {
	const attempts, limit = 3, 100 * time.Millisecond
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	for _, c := range []struct {
		name    string
		neurons int
	}{{"small layers", 100}, {"large layers", 1500}} {
		t.Run(c.name, func(t *testing.T) {
			took := cancelled(t, p, c.neurons)
			for k := 1; k < attempts && took > limit; k++ {
				took = min(took, cancelled(t, p, c.neurons))
			}
			if took > limit {
				t.Errorf("it ends %s after it was told to", took)
			}
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FitPriorContext(ended, p, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// cancelled cancels a fit when its work has begun, and returns how long it takes to return.
func cancelled(t *testing.T, p *system.Problem, neurons int) time.Duration {
	cause := errors.New("the user has gone home")
	ctx, cancel := context.WithCancelCause(t.Context())
	var returned atomic.Bool
	var once sync.Once
	at := make(chan time.Time, 1)
	config := Config{Neurons: neurons, Seed: 3, Ensemble: 100, Progress: func(int, int) {
		if returned.Load() {
			t.Error("progress is told after the return")
		}
		once.Do(func() {
			if !strings.Contains(stacks(), behind) {
				t.Errorf("no goroutine is in %s: the test looks for the wrong one", behind)
			}
			at <- time.Now()
			cancel(cause)
		})
	}}
	_, err := FitContext(ctx, p, config)
	returned.Store(true)
	took := time.Since(<-at)
	if !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	if working(t, 20*time.Second) {
		t.Error("the work goes on after 20 s")
	}
	return took
}

// behind is the function in which the work of inContext goes on, as stacks show it.
const behind = "inContext[...].func"

func stacks() string {
	all := make([]byte, 1<<20)
	return string(all[:runtime.Stack(all, true)])
}

// working reports whether some goroutine is still at work after a while.
func working(t *testing.T, wait time.Duration) bool {
	begin := time.Now()
	for time.Since(begin) < wait {
		if !strings.Contains(stacks(), behind) {
			t.Logf("the work has stopped after %s", time.Since(begin).Round(time.Millisecond))
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

// A verdict ends with its context, and so does the work behind it. The next one is as it would have been.
func TestVerdictEndsWithItsContext(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	life, end := context.WithCancel(t.Context())
	defer end()
	q, err := FitContext(life, p, Config{Neurons: 150, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	want, readings, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	whole := time.Since(begin)
	cause := errors.New("the user has gone home")
	for _, share := range []int64{0, 1, 2, 5} {
		for try := 0; ; try++ {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Duration(share*int64(whole)/10), func() { cancel(cause) })
			_, _, err := q.ExamineContext(ctx, p)
			cancel(nil)
			if working(t, 10*time.Second) {
				t.Fatal("the work goes on")
			}
			if err == nil && try < 20 { // on a busy machine a verdict may take less time than the first, or a timer more
				continue
			}
			if !errors.Is(err, cause) {
				t.Errorf("after %d tenths: error %v", share, err)
			}
			break
		}
	}
	got, again, err := q.ExamineContext(life, p)
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(again, readings) {
		t.Errorf("%+v, error %v; want %+v", got, err, want)
	}
	var config *ConfigError
	if _, _, err := fit(t, p, Config{Method: PseudoInverse, Neurons: 5}).ExamineContext(life, p); !errors.As(err, &config) {
		t.Errorf("no uncertainty: %v", err)
	}
}

// TestPanicsReachTheCaller, who may recover.
func TestPanicsReachTheCaller(t *testing.T) {
	defer func() {
		if recover() != "fault" {
			t.Error("the panic is lost")
		}
	}()
	inContext(t.Context(), Config{}, func(Config) (int, error) { panic("fault") })
}
