package main

import (
	"cmp"
	"runtime"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/bpielm/bpielm/mat/asm"
)

// cpuCommand is `bpielm cpu`.
type cpuCommand struct{}

// Help adds to the verb's usage text.
func (*cpuCommand) Help() string {
	return `The kernel is chosen by what the processor can do. All kernels give the same bits; BPIELM_KERNEL=avx512|avx2|neon|dekker|generic forces one.

Example:
  BPIELM_KERNEL=generic bpielm cpu`
}

// Run executes the verb.
func (c *cpuCommand) Run(io *streams) error {
	var kernels []string
	for _, k := range asm.All() {
		kernels = append(kernels, k.Name())
	}
	p := &page{}
	p.section("Kernel",
		"in use\t"+asm.Active().Name(),
		"that run here\t"+strings.Join(kernels, ", "),
	)
	p.section("Processor",
		"name\t"+cmp.Or(cpuid.CPU.BrandName, "unknown"),
		"architecture\t"+runtime.GOOS+"/"+runtime.GOARCH,
		"L1 data cache\t"+cacheSize(cpuid.CPU.Cache.L1D),
		"L2 cache\t"+cacheSize(cpuid.CPU.Cache.L2),
		"L3 cache\t"+cacheSize(cpuid.CPU.Cache.L3),
		"logical processors\t"+strconv.Itoa(runtime.NumCPU()),
	)
	p.section("Go",
		"version\t"+runtime.Version(),
		"GOMAXPROCS\t"+strconv.Itoa(runtime.GOMAXPROCS(0)),
	)
	return p.writeTo(io.out)
}

// cacheSize writes a size in bytes; cpuid gives -1 for an unknown one.
func cacheSize(bytes int) string {
	switch {
	case bytes <= 0:
		return "unknown"
	case bytes%(1<<20) == 0:
		return strconv.Itoa(bytes>>20) + " MiB"
	}
	return strconv.Itoa(bytes>>10) + " KiB"
}
