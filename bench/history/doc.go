// Package history keeps the figures of benchmarks over commits, and finds where they changed.
//
//	err := history.Append("history.jsonl", history.Of(run)) // run of package regress: one line more
//	...
//	entries, broken, err := history.Read("history.jsonl")
//	for _, s := range history.Sort(entries) { // one benchmark on one machine
//		history.Changes(s.Cost()) // where its cost changed level, and by how much
//	}
//
// The file has one JSON object in each line. Lines of an interrupted run are left out and
// named. Machines are kept apart: a figure is followed on the same processor only.
//
// Begin reading at file.go, then changes.go.
package history
