package asm

// The sizes in this file determine the bits of results and are the same for every kernel.
// Changing one changes results.
const (
	// KC is the depth of a block: products are summed in blocks of KC terms. The rows of a
	// block lie in as many pages, and the first-level TLB still holds most of 128.
	KC = 128

	// lanes is the number of accumulators of Dot and Sum: four vectors of eight.
	lanes = 32

	// stretch is the number of elements per call of a vector function; Dot and Sum start new
	// accumulators after it. Assembly cannot be preempted, so no call may take much longer
	// than 50 microseconds.
	stretch = 1 << 13
)
