// Package problems holds the example problems: the paper's five (All), studies beyond
// them (Studies), and measured ones (Measured). Each is a folder with problem.toml and
// the sensor readings that it names. The package also simulates readings.
//
//	file, err := problems.Find("poisson").Read()
//	file, err := spec.ReadFS(problems.Files, "poisson/problem.toml", nil)
//
// `bpielm example NAME DIR` writes one with fresh readings.
//
// Begin reading at problems.go; a new example is a folder, and an entry in one of the
// three lists.
package problems
