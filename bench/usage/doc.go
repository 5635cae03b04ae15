// Package usage says what a process has used: processor time, peak memory and allocations.
//
//	before := usage.Now()
//	...
//	took := usage.Now().Since(before)
//	took.Processor // time on all processors, by the program and by the system for it
//	took.Peak      // the most memory that the process has had so far, in bytes
//
// A process reports its own peak because its parent does not know it: in Linux the figure that
// a parent is told includes the memory of the parent itself, of before the program began.
//
// Begin reading at usage.go.
package usage
