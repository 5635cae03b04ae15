package posterior

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/bpielm/bpielm/system"
)

// FitContext is Fit until ctx ends. It then returns at once, with the cause of that: context.Canceled, for example. The
// work behind it stops at its next checkpoint, at most one factorisation of a layer later; until then it goes on reading
// p. Progress is not called after the return.
func FitContext(ctx context.Context, p *system.Problem, c Config) (*Posterior, error) {
	return inContext(ctx, c, func(c Config) (*Posterior, error) { return Fit(p, c) })
}

// FitPriorContext is FitPrior until ctx ends, as FitContext is Fit.
func FitPriorContext(ctx context.Context, p *system.Problem, c Config) (*Prior, error) {
	return inContext(ctx, c, func(c Config) (*Prior, error) { return FitPrior(p, c) })
}

// halt asks long work to stop. A nil halt never does.
type halt struct{ asked atomic.Bool }

// halted is what check panics with, up to inContext. mat.Parallel hands a panic on to its caller, so all processors
// stop, and no loop has to tell this from a layer that failed.
type halted struct{}

// check is a checkpoint: it does not return if the work is to stop.
func (h *halt) check() {
	if h != nil && h.asked.Load() {
		panic(halted{})
	}
}

// inContext runs work beside the caller, so that a factorisation that is under way does not keep the caller waiting.
func inContext[T any](ctx context.Context, c Config, work func(Config) (T, error)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	if ctx.Done() == nil {
		return work(c)
	}
	h := new(halt)
	c.halt = h
	var telling sync.Mutex
	if tell := c.Progress; tell != nil {
		c.Progress = func(done, total int) {
			telling.Lock()
			defer telling.Unlock()
			if !h.asked.Load() {
				tell(done, total)
			}
		}
	}
	type outcome struct {
		value T
		err   error
		fault any
	}
	result := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.fault = recover()
			result <- o
		}()
		o.value, o.err = work(c)
	}()
	select {
	case o := <-result:
		if o.fault != nil {
			panic(o.fault) // in the goroutine of the caller, who may recover
		}
		return o.value, o.err
	case <-ctx.Done():
		h.asked.Store(true)
		telling.Lock() // a call that has begun ends first
		defer telling.Unlock()
		return none, context.Cause(ctx)
	}
}
