package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// memorySize is a size on the command line, for example 4GiB, 500MB or 1e9.
type memorySize int64

var units = []struct {
	name string
	size float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}

// UnmarshalText reads a size.
func (b *memorySize) UnmarshalText(text []byte) error {
	for _, u := range units {
		number, found := strings.CutSuffix(string(text), u.name)
		if !found {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && v >= 1 && float64(v*u.size) < math.MaxInt64 {
			*b = memorySize(v * u.size)
			return nil
		}
		break
	}
	return fmt.Errorf("%q is not a size; expected one such as 4GiB or 500MB", text)
}

func (b memorySize) String() string {
	switch {
	case b >= 10<<30:
		return fmt.Sprintf("%.0f GiB", float64(b)/(1<<30))
	case b >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(b)/(1<<30))
	}
	return fmt.Sprintf("%.0f MiB", math.Ceil(float64(b)/(1<<20)))
}

// limitError refuses what would exceed a limit.
type limitError struct{ what string }

func (e *limitError) Error() string { return e.what }

// mostMemory is the default limit: what the machine, its container and the shell
// allow, less a tenth for other programs. It is 0 where that is not known.
func mostMemory() memorySize { return memorySize(0.9 * float64(availableMemory())) }

// A point of the output grid takes gridBytes for each variable, and gridFields times
// as many for each field.
const gridBytes, gridFields = 20, 6

// solveMemory estimates from above the memory that solve needs, or compile, which
// gives no verdict (judged is false).
func solveMemory(file *spec.File, config posterior.Config, judged bool) memorySize {
	needed := posterior.Memory(file.Problem, config, judged)
	if judged {
		points := int64(1)
		for _, n := range file.Output.Grid {
			points *= int64(n)
		}
		needed += points * int64(gridBytes*(len(file.Problem.Variables)+gridFields*len(file.Problem.Fields)))
	}
	return memorySize(needed)
}

// checkMemory refuses work that would need more memory than is allowed.
func (io *streams) checkMemory(path string, needed memorySize) error {
	if io.maxMemory > 0 && needed > io.maxMemory {
		return &limitError{fmt.Sprintf("%s: it may need %s of memory; %s are allowed (see --max-memory)", path, needed, io.maxMemory)}
	}
	return nil
}
