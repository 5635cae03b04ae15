// Command bpielm solves differential equations from noisy sensor
// readings with a Bayesian physics-informed extreme learning machine. It infers the
// solution and unknown parameters, with their uncertainty, and says whether to trust
// the answer.
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
//	solve          infer the solution; print a summary, write numbers and plots
//	check          read a problem and say what was understood
//	predict        evaluate a stored model, or any expression of its fields, anywhere
//	report         make one HTML page of a results folder
//	compile        do the expensive half: store what the physics alone says
//	assimilate     add readings to compiled physics as they arrive
//	place          say where further sensors would help most
//	example        write an example problem with fresh simulated sensors
//	serve          open a problem as a page in the browser
//	calibrate      count how often the 95 % bands hold, on random problems
//	paper tables   repeat the paper's tables
//	paper figures  draw the paper's figures
//	bench          measure this machine, and find regressions
//	cpu            say which kernels run here
//	completion     print a script that completes command lines
//	manual         print the manual page
//	help           explain a verb, the keys of problem files, or expressions
//
// With --out, solve writes solution.csv, parameters.csv, readings.csv (every reading
// beside what the others predict for it), model.bpielm, summary.json and pictures, all
// or nothing: see package results. With --json it prints one object, that of
// summary.json, with the verdict and each of its checks.
//
// Exit status:
//
//	0  success
//	1  the program could not finish: the computation or the writing of results failed,
//	   or a signal came; or bench found a regression
//	2  the input is wrong: one line `bpielm: file:line: key: what` on standard error,
//	   and nothing is written
//	3  only with solve --strict: the verdict says not to trust the answer
//	4  a bug in the program
//	5  a limit of memory, points, sizes or time would be exceeded
//
// For assimilate, SIGINT and SIGTERM are the end of a stream: it writes the results
// so far and exits with 0. They end serve, too, with 0.
//
// # The code
//
// This package holds the verbs, a file or a few for each, and what belongs to the
// command line. The rest of the program is below cmd/internal:
//
//	solution  a problem file's fields on the output grid, and their score
//	picture   which pictures a result gets
//	figure    how they are drawn
//	export    the solution for other programs
//	describe  equations as text
//	format    numbers for people
//	feed      streams of readings
//	handbook  the reference of problem files
//	page      the page in the browser: its engine; below it web, live, shelf and static
//	results   files that appear complete
//
// Begin reading at main.go, then solve.go and its solve_*.go. exit.go, watch.go and
// memory.go are about how the program ends.
package main
