// Package spec reads problem files: a PDE problem stated in TOML, with
// equations as text and readings as CSV files, becomes a system.Problem.
//
//	file, err := spec.Read("problem.toml", []string{"features.neurons=200"})
//	if err != nil {
//		return err // problem.toml:12: equation.pde: "abs(u)*u_x" is not linear in u, and abs is not smooth: ...
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
// A variable may also be a table, r = { range = [0.1, 1000], axis = "log", unit = "m" }. If the
// file does not say what is unknown, by fields = ["u", "v"] or in [fields], it is what the
// equations differentiate.
//
// The time may begin at a date, t = { range = [0, 48], unit = "h", start = "2024-05-01" }.
// A unit and a label are shown in pictures and tables. Then the file of readings may be that
// of a logger:
//
//	[[sensors]]
//	file = "logs/*.csv"    # or a list; gzip is possible
//	columns = { t = "Date Time*", value = "T_degC" }
//	time = "month first"   # or day first, unix, unix ms, excel, excel 1904
//	missing = [-9999]      # besides empty cells, NaN, NA and the like
//	at = { x = 0.3 }       # or places = "wells.csv", with a column sensor and some coordinates
//
// Readings whose date is outside the range are left out. Package readings says what a table
// of readings may be.
//
// What is left out is inferred or has a default. The number of points of an equation or
// condition may be left out or "auto", and so may neurons, scale and activation in
// [features]. The activation "auto" mixes tanh and sine. A scale is one number for all
// variables, or a table, scale = { x = 2, t = 8 }. If sigma is neither a key of the block nor a
// column of the file, the noise is learned. By default, [fit] inference = "integrate"
// integrates over the hyper-parameters; "maximum" takes the most probable ones.
//
// A parameter that multiplies a field, or stands in a power, a divisor or a function, is a
// coefficient. So is every parameter with bounds or a median. [parameters] states priors:
// D = { min = 0.01, max = 10 }, { median = 1, factor = 3 } or { mean = 1, sd = 0.2 }.
//
// [fields] may also name the variables on which each field depends, u = ["x", "t"] and
// q = ["t"], for the flux through a wall, or a steady source. Like variables and parameters, a
// field may have a unit and a label, T = { unit = "K", label = "temperature" }, also with
// over = ["x", "t"]. Pictures and tables show them. Columns of CSV files have the bare names.
//
// With where = "x < 0.5" an equation holds in a part of the domain only, such as one
// layer of a wall. Conditions join the fields of two layers. A condition may have where,
// too, such as an initial value that is known in part of the domain.
//
// How far an equation or condition may be missed is integrated over, unless the file says
// so: with tolerance, relative to its largest term, with sd, in the units of the equation,
// or, for conditions, with exact = true.
//
// A condition may also say that something is the same at both ends of a variable's
// range: periodic = "x" and of = "u_x" replace on and equals.
//
// [tables] names CSV files that hold functions on a grid. If k = "k.csv" has a column for
// each argument and last a column value, expressions may use k(x, y). It is interpolated
// linearly.
//
// Sensors may measure an average over a box around them with the given sides,
// average = { x = 0.1, y = 0.1 }, or over a region, average = "domain" or the name of a
// shape. With reference = { x = 0 } they measure the difference from what they would
// measure there.
//
// If some readings may be grossly wrong, noise = "student" gives them Student's t noise
// of scale sigma, and freedom = 4 states its degrees of freedom. Blocks with the same
// noise_group share one noise level, which is learned. [sizes] says by about how much a
// field varies, u = 20, if the readings do not tell.
//
// [shapes] names shapes in the first variables. Each is a ball, box, curve, disk, polygon
// or inside = "x^2 + y^2 < 1". [domain] combines them with + (in either), * (in both) and
// - (in the first but not the second):
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
// Expressions have the operators + - * / and ^ (or **), the constants pi and e, and the
// functions listed in functions.go. A power binds tighter than a sign and associates to
// the right. A derivative of a field is written field_variables, as u_xxy, that of an
// expression (k(x)*u_x)_x. Equations are expanded into coefficients times unknowns. What is not
// linear in the fields, such as u*u_x or sin(u), must be smooth: it is differentiated, and
// the problem is solved by Gauss and Newton's method. The error names the term that is not smooth.
//
// File.Definitions is the part of a problem that is stored with its model: what constants,
// tables and the domain are. ReadDefinitions reads it, and then any expression of a solved
// problem, definitions.Measure("-k*u_x").
//
// Only regular files are read. ReadSandboxed is for untrusted files: it reads nothing
// outside the problem's folder, and stays within Limits.
//
// Whatever is wrong in a user's file is reported as an *Error with file, line and key. File.Remarks
// names what may be wrong: terms of an equation in different units (dimensions.go).
//
// Begin with spec.go (sections and what they become), then expr.go (the grammar),
// resolve.go (what names mean), linear.go (terms), nonlinear.go, differentiate.go and evaluate.go (known functions). keys.go
// lists every key. document.go, outline.go and set.go deal with TOML, csv.go and layout.go with
// data. reference.go describes the keys and functions for people: Reference lists all keys with
// types, units, defaults and examples. domain.go, shapes.go, conditions.go and normal.go say where
// things hold, sensors.go and footprint.go what sensors measure. definitions.go is for solved
// problems.
package spec
