// Package suite defines the benchmarks as values, so that `go test ./bench -bench .` and
// `bpielm bench` run the same work.
//
//	cases, err := suite.Find("Gemm").Cases(nil)
//	for _, c := range cases {
//		op, err := c.Start() // builds the operands
//		...
//		err = op() // one operation, of c.Flops floating-point operations
//	}
//
// A Family is a group of benchmarks of one kind, a Case a single benchmark. To add a family,
// write it in a file of its own and list it in Families; package bench needs one more line, a
// BenchmarkNAME that runs it.
//
// Begin reading at suite.go; linear.go is the simplest set of families.
package suite
