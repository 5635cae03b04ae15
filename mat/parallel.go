package mat

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Parallel calls f(0) to f(parts-1), each once, on as many processors as
// GOMAXPROCS allows and other calls leave, and returns when all have returned. The caller works, too, and
// so it may be called from within f, and by any number of goroutines at a time.
//
// Which part runs when is undefined. For the same bits at any GOMAXPROCS, cut the
// work by its size alone, and let each part write only what is its own. A part
// should last 10 microseconds or more: to hand one over costs about one while the
// workers are awake, and to wake one up takes from 5 microseconds to 100 on an idle
// virtual machine; the caller goes on meanwhile. If parts panic, Parallel panics with
// the value of one of them after all have ended.
//
// The first call that has something to hand over starts the workers. They stay, look
// out for more work for a fifth of a millisecond, giving way to other goroutines, and
// then sleep. Parallel itself does not allocate, but a function literal that captures
// variables does.
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
	j.giveBack()
	if failure != nil {
		panic(*failure)
	}
}

// job is one call of Parallel. Jobs are used again: a worker that comes late, when
// the call that sent for it is over, finds nothing to claim, or helps the next call.
type job struct {
	f         func(part int)      // valid for those who hold a claim
	unclaimed atomic.Int64        // parts that nobody has begun: part unclaimed-1 is the next
	pending   atomic.Int64        // parts that have not ended
	finished  chan struct{}       // from the worker that ends the last part
	failure   atomic.Pointer[any] // what a part panicked with
}

// work runs parts until none is left to claim, and reports whether it ended the
// last one.
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

func (j *job) run(part int) {
	defer func() {
		if v := recover(); v != nil {
			failure := v // v itself would be on the heap in every call
			j.failure.Store(&failure)
		}
	}()
	j.f(part)
}

var jobs struct {
	sync.Mutex
	free []*job
}

func borrowJob() *job {
	jobs.Lock()
	defer jobs.Unlock()
	n := len(jobs.free)
	if n == 0 {
		return &job{finished: make(chan struct{}, 1)}
	}
	j := jobs.free[n-1]
	jobs.free = jobs.free[:n-1]
	return j
}

func (j *job) giveBack() {
	jobs.Lock()
	jobs.free = append(jobs.free, j)
	jobs.Unlock()
}

// workers sleep on the queue of jobs.
var workers struct {
	sync.Mutex
	count int
	busy  atomic.Int64 // how many have a job
}

// processors returns how many processors a caller may count on: its own, and those
// whose workers have nothing to do. Where all draws of a layer are compiled at a time
// the products within them are not worth cutting.
func processors() int {
	return max(1, runtime.GOMAXPROCS(0)-int(workers.busy.Load()))
}

// queue is long enough for all that are worth waking; what does not fit in is done
// by the callers themselves.
var queue = make(chan *job, 256)

// call sends for helpers.
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

// await receives from c. What it waits for is likely to come soon.
func await[T any](c <-chan T) T {
	for begin := time.Now(); time.Since(begin) < patience; {
		for range looks {
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
