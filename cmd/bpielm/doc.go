// Command bpielm solves linear partial differential equations from noisy
// sensor readings by a Bayesian physics-informed extreme learning machine: it
// infers the solution and unknown parameters, with their uncertainty, and says
// whether the answer is to be trusted.
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
//	solve       infer the solution; print a summary, write numbers and plots
//	check       read a problem and say what was understood
//	predict     evaluate a stored model at the points of a CSV file
//	compile     do the heavy half: what the physics alone says, in a small file
//	assimilate  add readings to compiled physics, as they come
//	place       say where further sensors would help most
//	example     write an example problem with fresh simulated sensors
//	calibrate   count how often the bands hold, on random problems
//	paper       repeat the paper's tables and figures
//	bench       measure this machine, and find regressions
//	cpu         say which kernels run here
//
// With --out, solve leaves solution.csv, readings.csv (every reading beside what the
// others predict for it), model.bpielm and pictures, all at once, see package results; with
// --json it prints one object, with the verdict and each of its checks.
//
// Exit status: 0 when all went well; 1 when it could not finish, as where the computation or the
// writing of results failed or a signal came, or when bench found a regression; 2 when the input
// is wrong, with one line `bpielm: file:line: key: what` on standard error and nothing written; 3,
// only with solve --strict, when the verdict is not to trust the answer; 4 for a fault of the
// program itself; 5 for what goes over a limit of memory, points, sizes or time.
// assimilate takes the end of a stream and SIGINT or SIGTERM alike: it writes what is known by then and
// ends with 0.
//
// Begin reading at main.go, then solve.go, verdict.go and report.go; each verb has a file
// of its name. exit.go, watch.go and memory.go are about how the program ends.
package main
