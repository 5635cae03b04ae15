// Package spec reads problem files: a linear PDE problem stated in TOML, with
// equations as text and readings as CSV files, becomes a system.Problem.
//
//	file, err := spec.Read("problem.toml", []string{"features.neurons=200"})
//	if err != nil {
//		return err // problem.toml:12: equation.pde: "u*u_x" is not linear in the unknowns: ...
//	}
//	q, err := posterior.Fit(file.Problem, posterior.Config{Neurons: file.Features.Neurons, Seed: file.Features.Seed})
//
// A small problem file, with readings.csv holding the columns x, y and value:
//
//	[variables]
//	x = [0, 1]
//	y = [0, "pi/2"]
//
//	[[equation]]
//	pde = "u_xx + u_yy = 2*exp(-x)*sin(y)"
//	points = 400
//
//	[[condition]]
//	on = "x = 0"
//	equals = "u_x + 2*u = 0"
//	points = 50
//
//	[[sensors]]
//	file = "readings.csv"
//	sigma = 0.01
//
// A variable may also be a table, r = { range = [0.1, 1000], axis = "log" }.
//
// What is left out is inferred, or has a default. The number of points of an equation or
// condition may be left out, or "auto"; so may neurons, scale and activation in [features]
// ("auto" activation is tanh and sine together). A scale is one number for all variables,
// or a table, scale = { x = 2, t = 8 }. Where sigma is neither stated nor a
// column of the file, the noise is learned. [fit] inference = "maximum" takes the most probable
// hyper-parameters instead of integrating over all, "integrate".
//
// A parameter enters linearly, or it is a coefficient: it multiplies a field, stands in a power, a divisor or a function. Then
// [parameters] states what is known of it beforehand: D = { min = 0.01, max = 10 }, { median = 1, factor = 3 } or
// { mean = 1, sd = 0.2 }. A parameter with bounds, or with a median, is a coefficient wherever it stands.
//
// [fields] may also say of which variables each field is a function, u = ["x", "t"] and q = ["t"]: a flux through a
// wall, or a source that never changes.
//
// An equation may hold in a part of the domain only, where = "x < 0.5", as in one
// layer of several; conditions join the fields of two layers. So may a condition, as a
// beginning that is known in a part.
//
// How far an equation or condition may be missed is integrated over, or stated: tolerance,
// relative to its largest term; sd, in the units of the equation; or, of conditions,
// exact = true.
//
// A condition may also say that something is the same at both ends of a variable's
// range: periodic = "x" and of = "u_x" instead of on and equals.
//
// [tables] names CSV files of functions on a grid: k = "k.csv", with the columns of
// the arguments and, last, value, is k(x, y) in expressions, interpolated linearly.
//
// Sensors may measure an average over a box around their place, average = { x = 0.1,
// y = 0.1 } with the lengths of its sides, or over a region, average = "domain" or a
// shape's name; or how much more they measure than at a
// place where some variables are fixed, reference = { x = 0 }.
//
// Where some readings may be grossly wrong, noise = "student" gives them Student's t noise
// of scale sigma; freedom = 4 states its degrees of freedom. Blocks whose noise is learned and that
// name the same noise_group share one noise level. [sizes] says by about how much a
// field varies, u = 20, where readings cannot.
//
// Shapes are named in [shapes], each a ball, box, curve, disk, polygon or inside =
// "x^2 + y^2 < 1" in the first variables, and combined in [domain] with + (either),
// * (both) and - (the first without the second):
//
//	[shapes]
//	plate = { box = { x = [0, 2], y = [0, 1] } }
//	hole = { disk = { center = [1, 0.5], radius = 0.2 } }
//
//	[domain]
//	shape = "plate - hole"
//
//	[[condition]]
//	on = "hole"            # or "boundary", or a side of the box, "x = 0"
//	equals = "u_n = 0"     # along the outward normal, (n_x, n_y)
//	points = 30
//
// Expressions have the operators + - * / and ^ (or **), which binds tighter than
// a sign and associates to the right, the constants pi and e, and the functions of
// the table in functions.go. A derivative of a field is written field_variables,
// as u_xxy. Equations are expanded into coefficients times unknowns; what is not
// linear is refused with the term that is not.
//
// Only regular files are read. ReadSandboxed is for files of strangers: it reads what is below the problem's
// folder and nothing else, within Limits.
//
// All that can be wrong in a user's file is an *Error with file, line and key.
//
// Begin reading at spec.go (sections and what they become), then expr.go (the
// grammar), resolve.go (what names mean), linear.go (terms) and evaluate.go
// (known functions). keys.go lists every key; document.go, outline.go and set.go
// are about TOML, csv.go about data. domain.go, shapes.go, conditions.go and normal.go are
// about where things hold.
package spec
