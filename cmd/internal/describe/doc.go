// Package describe writes the equations of a problem as text, as a check that
// they were understood: terms are sorted out, and signs and parentheses tidied.
//
//	describe.Equations(problem)           // u_xx + u_yy = 4*x	400 points
//	describe.Functional(problem, &measures)  // u_x - 2*u
//
// Begin reading at Functional; linear does the signs and parentheses.
package describe
