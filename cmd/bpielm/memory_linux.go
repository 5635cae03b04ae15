package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// availableMemory is the least of the machine's memory, the limits of the control
// groups of this process, and the limit of its address space. It is 0 if none of
// these is known.
func availableMemory() int64 {
	least := min(machineMemory(), groupMemory())
	var space syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil && space.Cur < math.MaxInt64 {
		least = min(least, int64(space.Cur))
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// machineMemory is the machine's memory, the largest number if it is not known.
func machineMemory() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "MemTotal:"); found {
			return limitIn(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 1<<10)
		}
	}
	return math.MaxInt64
}

// groupMemory is the least limit of the control group of this process and of the
// groups around it, as far as they are visible from here.
func groupMemory() int64 {
	least := int64(math.MaxInt64)
	text, _ := os.ReadFile("/proc/self/cgroup")
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
			least = min(least, limitIn(string(limit), 1))
			if path == "/" {
				break
			}
		}
	}
	return least
}

// limitIn reads a limit, in bytes, from a text of the Linux kernel. It is the largest
// number if the text states none.
func limitIn(text string, unit int64) int64 {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || v <= 0 || v >= math.MaxInt64/unit {
		return math.MaxInt64
	}
	return v * unit
}
