package asm

// Cache sizes to assume if the machine does not report them: modest ones, because too large
// a block costs more than too small a one.
const (
	assumedL2 = 512 << 10
	assumedL3 = 4 << 20
)

// blockRows returns MC for a register tile of mr rows: a packed block of A, KC deep, then
// fills half of L2, but not more pages than a TLB of 96 entries of 4 KiB covers.
func blockRows(mr int) int {
	bytes := min(cacheSize(secondCache(), assumedL2)/2, 384<<10)
	return max(bytes/(8*KC)/mr, 1) * mr
}

// blockCols returns NC for a register tile of nr columns: a packed block of B, KC deep,
// then fills a quarter of L3, which other cores use as well.
func blockCols(nr int) int {
	bytes := min(cacheSize(thirdCache(), assumedL3)/4, 4<<20)
	return max(bytes/(8*KC)/nr, 1) * nr
}

// cacheSize returns known, or assumed if the size is not known.
func cacheSize(known, assumed int) int {
	if known <= 0 {
		return assumed
	}
	return known
}
