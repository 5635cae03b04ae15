// Package calibration measures whether the program's 95 % bands hold. It draws random
// problems with known solutions, as the files that a user would write, and compares the
// posteriors with the truth.
//
//	p, err := calibration.Draw(1, 17) // seed 1, problem number 17
//	f, err := p.Read()                // through package spec
//	q, err := calibration.Fit(f)
//	o, err := calibration.Judge(p, f, q, 1)
//	fmt.Println(p.Kind, o.Field.Coverage, o.Field.RMSZ, o.Parameters)
//
// Or many of them:
//
//	outcomes := calibration.Run(ctx, calibration.Study{Seed: 1, Count: 500})
//	s := calibration.Aggregate(outcomes)
//	fmt.Println(s.Low, s.SelfLow) // share with coverage below 0.7, and what it should be
//
// A problem's solution is a sum of modes, which solve the equations without a source, and
// of other functions, whose sources follow from the equations and are known or of unknown
// strength. Half of the problems have units far from one, a third learn their noise, and
// half have unknown parameters. Spoil makes files that are wrong, which a good program
// warns about. Cases are five problems on which an earlier way to choose hyper-parameters
// failed; JudgeCase judges one.
//
// Freedom is how many numbers the readings have to determine. A well-posed problem needs a
// number of conditions across each variable: 2 in x and 1 in t for the heat equation, or the
// order of an ordinary differential equation. Each condition is a function on a side of the
// box and counts as its modes: for each variable of the side, one more than the half-waves
// up to the highest wave number of the solution. Conditions that the file states are
// subtracted, and parameters are added. There are 0.7 to 4 readings for each of these
// numbers, 8 to 300 in all; with one variable, up to 12 for each.
//
// Begin reading at draw.go, draft.go and solution.go; heat in parabolic.go is a typical
// kind. algebra.go derives sources, judge.go and summary.go judge posteriors; cases.go and
// spoil.go are the named cases and the wrong files.
package calibration
