// Package bench measures what the library is for: benchmarks of whole fits,
// of their stages and of the linear algebra below them, in Go's benchmark
// format.
//
//	go test ./bench -bench .
//	go test ./bench -bench Fit/poisson -count 10
//
// The problems are the examples of cmd/bpielm. Compare figures within one run
// only: machines differ, and shared ones differ from minute to minute.
//
// Begin reading at fit_test.go.
package bench
