//go:build unix

package regress

import (
	"syscall"
	"time"
)

// processorTime is what this process has had of all processors, and whether the
// operating system tells.
func processorTime() (time.Duration, bool) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
