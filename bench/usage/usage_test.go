package usage

import (
	"runtime"
	"testing"
	"time"
)

var kept [][]byte

// What is allocated, touched and computed between two moments is counted.
func TestSince(t *testing.T) {
	before := Now()
	for range 64 {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 512 {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	for begin := time.Now(); time.Since(begin) < 30*time.Millisecond; {
	}
	took := Now().Since(before)
	if took.Allocations < 64 || took.Allocated < 64<<20 || took.Allocated > 80<<20 || took.Wall < 30*time.Millisecond {
		t.Errorf("%+v", took)
	}
	if _, known := Processor(); known && (took.Processor < time.Millisecond || took.Processor > 64*took.Wall) {
		t.Errorf("processor time %v of %v", took.Processor, took.Wall)
	}
	if runtime.GOOS == "linux" && (took.Peak < 64<<20 || took.Peak < before.Peak) {
		t.Errorf("peak %d bytes, before %d", took.Peak, before.Peak)
	}
	kept = nil
	if later := Now(); later.Peak < took.Peak {
		t.Errorf("the peak fell from %d to %d", took.Peak, later.Peak)
	}
}
