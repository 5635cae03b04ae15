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
	return inContext(ctx, c, func(c Config) (*Posterior, error) {
		q, err := Fit(p, c)
		if err == nil {
			q.halt = c.halt
		}
		return q, err
	})
}

// ExamineContext is Examine until ctx ends. It then returns at once, with the cause of that; the work behind it stops as
// that of FitContext does, if FitContext made the posterior with a context that can end, and otherwise goes on to its end.
// Verdicts of one posterior are made one after the other.
func (q *Posterior) ExamineContext(ctx context.Context, p *system.Problem) (*Verdict, []ReadingCheck, error) {
	type judged struct {
		v        *Verdict
		readings []ReadingCheck
	}
	j, err := inContext(ctx, Config{}, func(c Config) (j judged, err error) {
		if q.halt == nil || c.halt == nil {
			j.v, j.readings, err = q.Examine(p)
			return j, err
		}
		q.halt.one.Lock()
		defer q.halt.one.Unlock()
		// What the fit has left behind asks its own halt, which passes on what is asked of this one.
		q.halt.other.Store(c.halt)
		defer q.halt.other.Store(nil)
		q.halt.check()
		j.v, j.readings, err = q.judge(p)
		return j, err
	})
	return j.v, j.readings, err
}

// FitPriorContext is FitPrior until ctx ends, as FitContext is Fit.
func FitPriorContext(ctx context.Context, p *system.Problem, c Config) (*Prior, error) {
	return inContext(ctx, c, func(c Config) (*Prior, error) { return FitPrior(p, c) })
}

// halt asks long work to stop. A nil halt never does.
type halt struct {
	asked atomic.Bool
	other atomic.Pointer[halt] // of a verdict, see ExamineContext
	one   sync.Mutex           // held by a verdict
}

// halted is what check panics with, up to inContext. mat.Parallel hands a panic on to its caller, so all processors
// stop, and no loop has to tell this from a layer that failed.
type halted struct{}

// check is a checkpoint: it does not return if the work is to stop.
func (h *halt) check() {
	if h == nil {
		return
	}
	rest()
	if o := h.other.Load(); h.asked.Load() || o != nil && o.asked.Load() {
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
