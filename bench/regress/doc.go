// Package regress finds performance regressions on machines that others use,
// too. It runs the benchmarks of package suite several times over, judges each
// time by what the machine could do just then, and compares two such runs.
//
//	run, err := regress.Measure(cases, regress.Options{Repeats: 7})
//	err = run.Write(file)
//	...
//	baseline, err := regress.Load("baseline.json")
//	comparison := regress.Compare(baseline, run, 0.10)
//	comparison.Regressions() // none, if nothing became slower by a tenth
//
// Times are not compared, costs are: the time multiplied by the rate of fused
// multiply-adds that the same cores reached just before and after. A core that
// runs at half its clock doubles the time and leaves the cost. Work is timed in
// chunks that fit into a time slice of the operating system, and the fastest
// counts; longer work by the processor time that it had. So neighbours who take
// processors away do not count. Those who share caches and memory do, a little.
//
// Begin reading at measure.go, then compare.go.
package regress
