//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package usage

import (
	"runtime"
	"syscall"
)

// peak is the largest resident size: bytes on macOS, kilobytes on the others.
func peak() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss)
	}
	return 1024 * int64(usage.Maxrss)
}
