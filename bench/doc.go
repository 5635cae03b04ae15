// Package bench measures the library's tasks in Go's benchmark format: whole fits, their
// stages, and the linear algebra below them.
//
//	go test ./bench -bench .
//	go test ./bench -bench Fit/poisson -count 10
//	go test ./bench -bench Syrk/ -args -shapes 'k=5000,n=137;k=419,n=100'
//
// The benchmarks themselves are in package suite, which the program's bench command runs as
// well. Compare figures within one run only: machines differ, and shared ones differ from
// minute to minute. Rates are compared with the peak of GOMAXPROCS cores (-cpu 1,2 sets
// it), measured around each benchmark.
//
// Begin reading at bench_test.go.
package bench
