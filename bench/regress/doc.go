// Package regress finds performance regressions on shared machines. It runs the benchmarks of
// package suite several times, judges each time by what the machine could do at that moment,
// and compares two such runs.
//
//	run, err := regress.Measure(cases, regress.Options{Repeats: 7})
//	err = run.Write(file)
//	...
//	baseline, err := regress.Load("baseline.json")
//	comparison := regress.Compare(baseline, run, 0.10)
//	comparison.Regressions() // none, if nothing became slower by a tenth
//
// It compares costs, not times. A cost is a time multiplied by the rate of fused
// multiply-adds that the same cores reached just before and after: a core at half its clock
// takes twice the time at the same cost. Work is timed in chunks that fit into a time slice
// of the operating system, and the fastest counts; longer work is measured by its processor
// time. So neighbours that take processors away do not matter. Those that share caches and
// memory do, a little.
//
// Begin reading at measure.go, then compare.go.
package regress
