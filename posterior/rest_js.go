package posterior

import (
	"sync/atomic"
	"time"
)

// stretch is for how long work goes on before it rests.
const stretch = 40 * time.Millisecond

var rested atomic.Int64 // when work has rested last, in nanoseconds

// rest lets the events of JavaScript in, such as the message that asks to stop: a program in WebAssembly has one thread,
// which returns to JavaScript only when all goroutines wait.
func rest() {
	if now := time.Now().UnixNano(); now-rested.Load() >= int64(stretch) {
		time.Sleep(time.Nanosecond)
		rested.Store(time.Now().UnixNano())
	}
}
