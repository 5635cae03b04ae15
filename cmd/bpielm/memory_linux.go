package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// availableMemory is the least of what the machine has, the control groups of this process allow, and its address
// space; 0 where none is known.
func availableMemory() int64 {
	least := int64(math.MaxInt64)
	take := func(text string, unit int64) { least = min(least, limitIn(text, unit)) }
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "MemTotal:"); found {
			take(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 1<<10)
		}
	}
	// The group of the process, and those that it is in, as far as they are seen from here.
	text, _ = os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if parts[0] != "0" { // version 1
			if parts[1] != "memory" {
				continue
			}
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for path := filepath.Clean("/" + parts[2]); ; path = filepath.Dir(path) {
			limit, _ := os.ReadFile(filepath.Join(root, path, file))
			take(string(limit), 1)
			if path == "/" {
				break
			}
		}
	}
	var space syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil && space.Cur < math.MaxInt64 {
		least = min(least, int64(space.Cur))
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// limitIn is the limit that a text of the kernel states, in bytes; the largest number where it states none.
func limitIn(text string, unit int64) int64 {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || v <= 0 || v >= math.MaxInt64/unit {
		return math.MaxInt64
	}
	return v * unit
}
