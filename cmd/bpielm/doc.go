// Command bpielm solves linear partial differential equations from noisy
// sensor readings by a Bayesian physics-informed extreme learning machine: it
// infers the solution and unknown parameters, with their uncertainty.
//
// A problem is a TOML file: the variables and their ranges, the domain, the
// equations as text, the sensors' CSV files. To begin, write an example and
// solve it:
//
//	bpielm example poisson butterfly
//	bpielm solve butterfly/problem.toml --out butterfly/out
//
// The verbs are
//
//	solve    infer the solution; print a summary, write numbers and plots
//	check    read a problem and say what was understood
//	predict  evaluate a stored model at the points of a CSV file
//	example  write an example problem with fresh simulated sensors
//	cpu      say which kernels run here
//
// Exit status: 0 when all went well; 2 when the input is wrong, with one line
// `bpielm: file:line: key: what` on standard error and nothing written; 1 when
// the computation or the writing of results failed.
package main
