// Command bpielm-beam solves many problems with Apache Beam, on one machine or on many.
//
//	bpielm-beam fleet well.toml --readings levels.csv --key well --out results
//	bpielm-beam fleet 'bridges/*/problem.toml' --out results
//
// It is a module of its own, so that the library does not depend on Beam, and it is built
// from a clone: go build in this folder. README.md says when to use it, what runs where and
// what may fail.
//
// Begin reading at pipeline.go, which has the stages, then table.go (rows of many problems are
// read in chunks), problem.go (one problem is solved) and gather.go (results are put together).
// fleet.go is the verb.
package main
