// Command bpielm-beam solves with Apache Beam, on one machine or on many: many problems, or one with more readings than memory.
//
//	bpielm-beam solve rod.toml --readings 'log-*.csv' --out results
//	bpielm-beam fleet well.toml --readings levels.csv --key well --out results
//	bpielm-beam fleet 'bridges/*/problem.toml' --out results
//
// It is a module of its own, so that the library does not depend on Beam, and it is built
// from a clone: go build in this folder. README.md says when to use it, what runs where and
// what may fail.
//
// Begin reading at pipeline.go, which has the stages, then table.go (rows of many problems are
// read in chunks), problem.go (one problem is solved) and gather.go (results are put together).
// fleet.go is the verb. Of one large problem, solve.go is the verb, source.go asks for passes through the
// tables, passes.go has their stages, and pieces.go reads chunks.
package main
