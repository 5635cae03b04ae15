//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package main

import "golang.org/x/sys/unix"

// availableMemory is the machine's memory, 0 if it is not known.
func availableMemory() int64 {
	for _, name := range []string{"hw.memsize", "hw.physmem"} {
		if v, err := unix.SysctlUint64(name); err == nil {
			return int64(v)
		}
	}
	return 0
}
