package mat

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Parallel calls f(0) to f(parts-1), each once, and returns when all calls have returned.
// It uses as many processors as GOMAXPROCS allows and other calls leave free. The caller
// works as well, so f may call Parallel, and any number of goroutines may call it at once.
//
// Parts run in no defined order. To get the same bits at any GOMAXPROCS, divide the work
// by its size alone and let each part write only its own results. A part should last 10
// microseconds or more: handing one over takes about one while the workers are awake;
// waking a worker takes from 5 microseconds to 100 on an idle virtual machine, while
// the caller keeps working. If parts panic, Parallel panics with the value of one of
// them after all have ended.
//
// The first call with more than one part starts the workers. They persist: they poll for
// more work for a fifth of a millisecond, yielding to other goroutines, and then sleep.
// Parallel itself does not allocate, but a function literal that captures variables does.
func Parallel(parts int, f func(part int)) {
	helpers := min(parts, processors()) - 1
	if helpers <= 0 {
		for part := range parts {
			f(part)
		}
		return
	}
	j := borrowJob()
	j.f = f
	j.pending.Store(int64(parts))
	j.unclaimed.Store(int64(parts))
	j.call(helpers)
	if last := j.work(); !last {
		await(j.finished)
	}
	failure := j.failure.Swap(nil)
	j.f = nil
	jobs.put(j)
	if failure != nil {
		panic(*failure)
	}
}

// job is one call of Parallel. Jobs are reused: a worker that arrives after its call has
// ended finds nothing to claim, or helps the next call.
type job struct {
	f         func(part int)      // valid while holding a claim
	unclaimed atomic.Int64        // parts that have not begun; the next is unclaimed-1
	pending   atomic.Int64        // parts that have not ended
	finished  chan struct{}       // receives from the worker that ends the last part
	failure   atomic.Pointer[any] // the value that a part panicked with
}

// work runs parts until none is left to claim, and reports whether it ended the last.
func (j *job) work() (last bool) {
	for {
		n := j.unclaimed.Load()
		if n == 0 {
			return last
		}
		if j.unclaimed.CompareAndSwap(n, n-1) {
			j.run(int(n - 1))
			last = j.pending.Add(-1) == 0
		}
	}
}

// run runs a part, and keeps what it panics with.
func (j *job) run(part int) {
	defer func() {
		if v := recover(); v != nil {
			failure := v // taking the address of v would make it escape in every call
			j.failure.Store(&failure)
		}
	}()
	j.f(part)
}

var jobs pool[job]

func borrowJob() *job {
	if j := jobs.take(); j != nil {
		return j
	}
	return &job{finished: make(chan struct{}, 1)}
}

// workers receive from the queue of jobs.
var workers struct {
	sync.Mutex
	count int
	busy  atomic.Int64 // workers that are running a job
}

// processors returns how many processors a caller can expect: its own and those whose
// workers are idle. When, for instance, all draws of a layer are compiled in parallel,
// splitting the products within them does not pay.
func processors() int {
	return max(1, runtime.GOMAXPROCS(0)-int(workers.busy.Load()))
}

// queue has room for as many helpers as are worth waking. If it is full, callers run
// their parts themselves.
var queue = make(chan *job, 256)

// call enqueues j for up to helpers workers.
func (j *job) call(helpers int) {
	workers.Lock()
	for ; workers.count < helpers; workers.count++ {
		go func() {
			for {
				j := await(queue)
				workers.busy.Add(1)
				last := j.work()
				workers.busy.Add(-1)
				if last {
					j.finished <- struct{}{}
				}
			}
		}()
	}
	workers.Unlock()
	for range helpers {
		select {
		case queue <- j:
		default:
			return
		}
	}
}

// await receives from c. It polls before it blocks, because a value usually arrives soon.
func await[T any](c <-chan T) T {
	for begin := time.Now(); time.Since(begin) < pollTime; {
		for range polls {
			select {
			case v := <-c:
				return v
			default:
			}
		}
		runtime.Gosched()
	}
	return <-c
}
