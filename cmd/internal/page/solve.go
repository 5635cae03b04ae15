package page

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// solved is a solve. It never changes, but for what follows from it.
type solved struct {
	same      [16]byte // see opened
	file      *spec.File
	q         *posterior.Posterior
	uncertain bool        // the method has uncertainty
	rows      [][]row     // its readings
	sigmas    [][]float64 // standard deviations of their noise, as it was taken
	answer    *Answer
	ranges    []span // of each field

	mu        sync.Mutex
	judgement *Judgement // nil: not yet judged
	loaded    bool       // it is shipped: what the verdict needs is not there
	slices    []shippedSlice

	drawing sync.Mutex // of what follows
	views   []*view    // the last one used first
}

// span is the range of a field: of its mean, and up to its largest standard deviation.
type span struct{ Low, High, SDHigh float64 }

// is reports whether this is the solve of what is open.
func (v *solved) is(o *opened) bool { return v.same == o.same && sameRows(v.rows, rowsOf(o.file)) }

func (v *solved) judged() *Judgement {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.judgement
}

// solve infers everything.
func (s *Session) solve(ctx context.Context, again bool, emit func(Event)) (*Answer, error) {
	open, err := s.readable()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	opening, before := s.opening, s.solved
	s.mu.Unlock()
	if !again && before != nil && before.is(open) {
		return before.answer, nil
	}
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	v, err := s.limits.solve(ctx, open, emit)
	if err != nil {
		return nil, faultOf(err, open.file)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opening != opening {
		return nil, context.Canceled
	}
	s.solved = v
	return v.answer, nil
}

// solve solves what is open.
func (l *Limits) solve(ctx context.Context, open *opened, emit func(Event)) (*solved, error) {
	file, begin := open.file, time.Now()
	config, err := bpielm.Config(file)
	if err != nil {
		return nil, err
	}
	if needed := posterior.Memory(file.Problem, config, true); needed > l.Memory {
		return nil, fmt.Errorf("it may need %d MiB of memory; %d MiB are allowed", needed>>20, l.Memory>>20)
	}
	config.MaxMemory, config.Progress = l.Memory, progress(begin, emit)
	q, err := posterior.FitContext(ctx, file.Problem, config)
	if err != nil {
		return nil, err
	}
	v, err := newSolved(ctx, open, q)
	if err != nil {
		return nil, err
	}
	v.answer.Seconds = time.Since(begin).Seconds()
	return v, nil
}

// progress returns what tells a page how much is done.
func progress(begin time.Time, emit func(Event)) func(done, total int) {
	const every = 50 * time.Millisecond
	last := begin
	return func(done, total int) {
		now := time.Now()
		if now.Sub(last) < every {
			return
		}
		last = now
		share := float64(done) / float64(total)
		e := Event{Event: "progress", Share: share}
		if share > 0 {
			e.Left = now.Sub(begin).Seconds() * (1 - share) / share
		}
		emit(e)
	}
}

// newSolved describes a posterior.
func newSolved(ctx context.Context, open *opened, q *posterior.Posterior) (*solved, error) {
	file := open.file
	v := &solved{same: open.same, file: file, q: q, rows: rowsOf(file)}
	v.uncertain = q.ParameterCorrelation() != nil
	if v.uncertain {
		var err error
		if v.sigmas, err = q.ReadingSigmas(file.Problem); err != nil {
			return nil, err
		}
	}
	digest, err := v.survey(ctx)
	if err != nil {
		return nil, err
	}
	summary := q.Summary()
	v.answer = &Answer{
		Neurons: summary.Neurons, Evidence: number(summary.Evidence), Method: string(summary.Method),
		Parameters: v.parameters(), Noise: []Noise{}, Warnings: summary.Warnings, Digest: digest,
	}
	if summary.Method == "" {
		v.answer.Method = string(posterior.BPIELM)
	}
	group := 0
	for g := range file.Problem.Sensors {
		if len(file.Problem.Sensors[g].Values) > 0 && group < len(summary.Noise) {
			e := summary.Noise[group]
			v.answer.Noise = append(v.answer.Noise, Noise{g, number(e.Sigma), e.Learned})
			group++
		}
	}
	return v, nil
}

// number replaces what JSON cannot hold.
func number(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// surveyed is about how many points of the domain the digest and the ranges of fields are of.
const surveyed = 512

// survey sets the ranges of the fields and returns the digest: FNV-1a, 128 bits, of the bits of their means and standard deviations
// on a fixed grid, and of all numbers of the parameters, little-endian, as 64 bits each.
func (v *solved) survey(ctx context.Context) (string, error) {
	p, h := v.file.Problem, fnv.New128a()
	write := func(values ...float64) {
		for _, x := range values {
			if math.IsNaN(x) {
				x = math.NaN() // the same bits for all
			}
			var bits [8]byte
			binary.LittleEndian.PutUint64(bits[:], math.Float64bits(x))
			h.Write(bits[:])
		}
	}
	for i := range p.Fields {
		counts, free := make([]int, len(p.Variables)), 0
		for d := range counts {
			if counts[d] = 1; p.DependsOn(i, d) {
				free++
			}
		}
		each := 2
		for power(each+1, free) <= surveyed {
			each++
		}
		for d := range counts {
			if p.DependsOn(i, d) {
				counts[d] = each
			}
		}
		domain := p.Domain
		if free < len(p.Variables) {
			domain = nil // it is in all variables
		}
		points := system.Grid(p.Variables, domain, counts)
		mean, sd, err := v.predict(ctx, i, points)
		if err != nil {
			return "", err
		}
		write(mean...)
		write(sd...)
		r := span{math.Inf(1), math.Inf(-1), 0}
		for k, m := range mean {
			if v.file.Output.Holds(i, points.Row(k)) {
				r.Low, r.High = math.Min(r.Low, m), math.Max(r.High, m)
				if sd != nil {
					r.SDHigh = math.Max(r.SDHigh, sd[k])
				}
			}
		}
		if !(r.Low <= r.High) {
			r = span{}
		}
		v.ranges = append(v.ranges, r)
	}
	for _, e := range v.q.Parameters() {
		write(e.Mean, e.SD, e.Median, e.Lower95, e.Upper95)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func power(x, n int) int {
	y := 1
	for range n {
		y *= x
	}
	return y
}

// together is how many points are predicted before ctx is asked.
const together = 256

// predict is q.Predict of a field, until ctx ends; sd is nil without uncertainty.
func (v *solved) predict(ctx context.Context, field int, points *mat.Dense) (mean, sd []float64, err error) {
	return interruptible{v, ctx}.Predict(system.Field(field), points)
}

// interruptible is the posterior of a solve, until ctx ends.
type interruptible struct {
	v   *solved
	ctx context.Context
}

// Predict implements solution.Predictor.
func (i interruptible) Predict(f system.Functional, points *mat.Dense) (mean, sd []float64, err error) {
	n, d := points.Dims()
	for first := 0; first < n; first += together {
		if err := i.ctx.Err(); err != nil {
			return nil, nil, err
		}
		m, s, err := i.v.q.Predict(f, points.Slice(first, min(first+together, n), 0, d))
		if err != nil {
			return nil, nil, err
		}
		mean, sd = append(mean, m...), append(sd, s...)
	}
	return mean, sd, nil
}

// parameters describes the posterior of the parameters.
func (v *solved) parameters() []Estimated {
	list := []Estimated{}
	for i, e := range v.q.Parameters() {
		list = append(list, estimated(e))
		to := &list[i]
		if !(to.SD > 0) {
			continue
		}
		low, high := v.between(i, tail), v.between(i, 1-tail)
		if !(low < high) {
			continue
		}
		prior := describe.PriorOf(v.file.Problem, i)
		for k := range densityPoints {
			x := low + float64((high-low)*float64(k)/(densityPoints-1))
			to.X = append(to.X, x)
			to.Posterior = append(to.Posterior, number(v.q.ParameterDensity(i, x)))
			if prior != nil && !prior.Open() {
				to.Prior = append(to.Prior, number(prior.Density(x)))
			}
		}
	}
	return list
}

// densityPoints is how many points a density has, over the central 99.9 % of the posterior.
const densityPoints, tail = 201, 0.0005

// estimated is a parameter without densities.
func estimated(e posterior.ParameterEstimate) Estimated {
	return Estimated{
		Name: e.Name, Mean: number(e.Mean), SD: number(e.SD), Median: number(e.Median), Lower95: number(e.Lower95), Upper95: number(e.Upper95),
		X: []float64{}, Posterior: []float64{},
	}
}

// between returns the value of parameter i below which the probability is p, by bisection outwards from its 95 % interval.
func (v *solved) between(i int, p float64) float64 {
	e := v.q.Parameters()[i]
	low, high := e.Lower95, e.Upper95
	for step := e.Upper95 - e.Lower95; v.q.ParameterBelow(i, low) > p && step < math.Inf(1); step *= 2 {
		low -= step
	}
	for step := e.Upper95 - e.Lower95; v.q.ParameterBelow(i, high) < p && step < math.Inf(1); step *= 2 {
		high += step
	}
	for range 60 {
		middle := low + float64(0.5*(high-low))
		if v.q.ParameterBelow(i, middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return low + float64(0.5*(high-low))
}

// judge looks for reasons not to believe the last solve.
func (s *Session) judge(ctx context.Context, emit func(Event)) (*Judgement, error) {
	v, err := s.last()
	if err != nil {
		return nil, err
	}
	if j := v.judged(); j != nil {
		return j, nil
	}
	switch {
	case !v.uncertain:
		return nil, errors.New("this method has no uncertainty, and so no verdict")
	case v.loaded:
		return nil, errors.New("solve it first: this answer came without its verdict")
	}
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	emit(Event{Event: "progress"})
	j, err := v.judge(ctx)
	if err != nil {
		return nil, faultOf(err, v.file)
	}
	return j, nil
}

// judge makes the verdict.
func (v *solved) judge(ctx context.Context) (*Judgement, error) {
	begin := time.Now()
	verdict, checks, err := v.q.ExamineContext(ctx, v.file.Problem)
	if err != nil {
		return nil, err
	}
	describe.NameReadings(verdict, v.file)
	j := &Judgement{Sound: verdict.Sound, Failures: verdict.Failures(), Notes: verdict.Notes(), Readings: []JudgedReading{}}
	for _, c := range checks {
		j.Readings = append(j.Readings, JudgedReading{
			Group: c.Sensors, Reading: c.Reading, Predicted: number(c.Mean), SD: number(c.SD),
			LeftOut: number(c.LeftOutMean), Standardised: number(c.Standardised),
		})
	}
	j.Readings = slices.Clip(j.Readings)
	j.Seconds = time.Since(begin).Seconds()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.judgement = j
	return j, nil
}
