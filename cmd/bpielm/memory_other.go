//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package main

// availableMemory is not known here: only --max-memory limits the memory.
func availableMemory() int64 { return 0 }
