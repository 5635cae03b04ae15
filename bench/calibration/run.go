package calibration

import (
	"context"
	"sync"
	"time"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// Study describes which problems to solve, and how. The zero value solves nothing: set Count.
type Study struct {
	Seed    uint64
	First   int // number of the first problem
	Count   int
	Options Options
	// Alter replaces each problem that is drawn, as Spoil does; nil leaves it.
	Alter func(p *Problem) (*Problem, error)
	// Set overrides values of every problem file, as in spec.Read.
	Set []string
	// Fit solves a problem; nil stands for the function Fit, which Run interrupts.
	Fit func(f *spec.File) (*posterior.Posterior, error)
	// Workers is the number of problems solved at a time; 0 stands for one, since a fit uses
	// all processors anyway.
	Workers int
	// Progress, if not nil, receives every outcome when it is ready. Calls do not overlap.
	Progress func(done int, o *Outcome)
}

// Fit solves a problem as its file says. Its errors are those of the file's [features] and of
// posterior.Fit.
func Fit(f *spec.File) (*posterior.Posterior, error) { return fit(context.Background(), f) }

func fit(ctx context.Context, f *spec.File) (*posterior.Posterior, error) {
	c := posterior.Config{
		Method: posterior.Method(f.Fit.Method), Maximum: f.Fit.Maximum, Tolerance: f.Fit.Tolerance, Path: posterior.Path(f.Fit.Path),
		Neurons: f.Features.Neurons, Scale: f.Features.Scale, Patches: f.Features.Patches, Seed: f.Features.Seed, Ensemble: f.Fit.Ensemble,
	}
	var err error
	if c.Draw, c.Activations, err = f.Layer(); err != nil {
		return nil, err
	}
	if c.Activations != nil {
		c.Activation = c.Activations[0]
	}
	return posterior.FitContext(ctx, f.Problem, c)
}

// Run solves the problems and judges them, in the order of their numbers. A failure is an
// outcome as well. If ctx ends, Run returns early with the outcomes so far, without the problems
// that are being solved.
func Run(ctx context.Context, s Study) []Outcome {
	if s.Fit == nil {
		s.Fit = func(f *spec.File) (*posterior.Posterior, error) { return fit(ctx, f) }
	}
	outcomes := make([]*Outcome, s.Count)
	next, done := 0, 0
	var mutex sync.Mutex
	take := func() int {
		mutex.Lock()
		defer mutex.Unlock()
		if ctx.Err() != nil {
			return s.Count
		}
		next++
		return next - 1
	}
	var workers sync.WaitGroup
	for range max(s.Workers, 1) {
		workers.Go(func() {
			for i := take(); i < s.Count; i = take() {
				o := s.solve(s.First + i)
				if o.Failure != "" && ctx.Err() != nil {
					return // it may have been interrupted
				}
				mutex.Lock()
				outcomes[i] = o
				done++
				if s.Progress != nil {
					s.Progress(done, o)
				}
				mutex.Unlock()
			}
		})
	}
	workers.Wait()
	var all []Outcome
	for _, o := range outcomes {
		if o != nil {
			all = append(all, *o)
		}
	}
	return all
}

// solve draws, solves and judges one problem.
func (s *Study) solve(number int) *Outcome {
	p, err := DrawWith(s.Seed, number, s.Options)
	if err != nil {
		return &Outcome{Seed: s.Seed, Number: number, Failure: err.Error()}
	}
	if s.Alter != nil {
		altered, err := s.Alter(p)
		if err != nil {
			return p.failed(err, 0)
		}
		p = altered
	}
	f, err := p.Read(s.Set...)
	if err != nil {
		return p.failed(err, 0)
	}
	begin := time.Now()
	q, err := s.Fit(f)
	seconds := time.Since(begin).Seconds()
	if err != nil {
		return p.failed(err, seconds)
	}
	o, err := Judge(p, f, q, judgeSeed+uint64(number))
	if err != nil {
		return p.failed(err, seconds)
	}
	o.Seconds = seconds
	return o
}

// failed returns the outcome of a problem that could not be solved.
func (p *Problem) failed(err error, seconds float64) *Outcome {
	o := p.outcome()
	o.Failure, o.Seconds = err.Error(), seconds
	return o
}
