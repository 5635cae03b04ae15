package usage

import (
	"runtime"
	"time"
)

// Usage is what this process has used since it began, or between two moments.
type Usage struct {
	Wall        time.Duration `json:"wall_ns"`
	Processor   time.Duration `json:"processor_ns,omitempty"` // of all threads, in the program and in the system; 0: not known
	Peak        int64         `json:"peak_bytes,omitempty"`   // the most memory at once, since the process began; 0: not known
	Allocations uint64        `json:"allocations"`
	Allocated   uint64        `json:"allocated_bytes"` // in all, most of it freed again
}

// begin is close to the start of the process.
var begin = time.Now()

// Now returns what this process has used so far.
func Now() Usage {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	u := Usage{Wall: time.Since(begin), Peak: peak(), Allocations: memory.Mallocs, Allocated: memory.TotalAlloc}
	u.Processor, _ = Processor()
	return u
}

// Since returns what was used since before. The peak is that of the whole process.
func (u Usage) Since(before Usage) Usage {
	u.Wall -= before.Wall
	u.Processor -= before.Processor
	u.Allocations -= before.Allocations
	u.Allocated -= before.Allocated
	return u
}
