package asm

// The sizes in this file decide bits, and are the same for every kernel. To change one is
// to change results.
const (
	// KC is the depth of one block: products are summed in blocks of KC terms. As many rows
	// of a matrix lie in as many pages, and with 128 the first level of the TLB still holds
	// most of them.
	KC = 128

	// lanes is the number of accumulators of Dot and Sum: four registers of eight.
	lanes = 32

	// stretch is the number of elements that a vector function takes in one call, after
	// which Dot and Sum begin anew. Assembly cannot be preempted, so none may last much
	// longer than 50 microseconds.
	stretch = 1 << 13
)
