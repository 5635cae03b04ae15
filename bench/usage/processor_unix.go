//go:build unix

package usage

import (
	"syscall"
	"time"
)

// Processor returns the processor time that this process has used, and whether the
// operating system reports it.
func Processor() (time.Duration, bool) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
