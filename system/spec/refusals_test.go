package spec

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// plateProblem is what a user might write first; each refusal spoils it.
const plateProblem = `title = "Plate"

[variables]
x = [0, 2]
y = [0, 1]

[constants]
k = 3

[parameters]
q = {}

[[equation]]
pde = "k*(u_xx + u_yy) = q*sin(x)"
points = 40

[[condition]]
on = "y = 0"
equals = "u_y = 0"
points = 10

[[sensors]]
file = "gauges.csv"
sigma = 0.1

[output]
grid = [11, 6]
`

const gauges = "x,y,value\n0.5,0.5,1\n1,1,2\n2,0,3\n"

// refusals are what is put instead of a piece of a file, and what is said then.
var refusals = []struct{ file, old, new, want string }{
	{"problem.toml", `"Plate"`, `"Plate`, "problem.toml:1: not TOML: strings cannot contain newlines"},
	{"problem.toml", "[variables]\nx = [0, 2]\ny = [0, 1]", "", "problem.toml: variables: at least one variable with its range is needed, as x = [0, 1]"},
	{"problem.toml", "[variables]", "[variable]", "problem.toml:3: variable: unknown key or section; did you mean variables?"},
	{"problem.toml", "x = [0, 2]", "x = [2, 0]", "problem.toml:4: variables.x: [2, 0] is not a range; the first end must be below the second"},
	{"problem.toml", "x = [0, 2]", "x = [0, 2, 4]", "problem.toml:4: variables.x: expected 2 numbers, found 3"},
	{"problem.toml", "x = [0, 2]", "x = [0, 2 m]", "problem.toml:4: not TOML: expected a comma (',') or array terminator (']'), but got 'm'"},
	{"problem.toml", "x = [0, 2]", `x = "0..2"`, `problem.toml:4: variables.x: expected a list of 2 numbers in brackets, found "0..2"`},
	{"problem.toml", "x = [0, 2]", `x = { min = 0, max = 2 }`, "problem.toml:4: variables.x.min: unknown key; variables.x has axis, label, range, start and unit"},
	{"problem.toml", "x = [0, 2]", `x = { axis = "log" }`, `problem.toml:4: variables.x: range is missing, as { range = [0.1, 100], axis = "log" }`},
	{"problem.toml", "x = [0, 2]", `x = { range = [0, 2], axis = "log" }`, "problem.toml:4: variables.x: [0, 2] has no logarithms; the first end must be positive"},
	{"problem.toml", "x = [0, 2]", `x = { range = [1e-200, 2], axis = "log" }`, "problem.toml:4: variables.x: the range begins at 1e-200; a logarithmic one may begin at 1e-30 or above: choose another unit"},
	{"problem.toml", "x = [0, 2]", `x = { range = [0, 2], axis = "lin" }`, `problem.toml:4: variables.x.axis: found "lin"; expected linear or log`},
	{"problem.toml", "x = [0, 2]", `x = [0, "L"]`, "problem.toml:4: variables.x: unknown name L; a number or an expression of constants is expected; constants are k"},
	{"problem.toml", "x = [0, 2]", `x_1 = [0, 2]`, "problem.toml:4: variables.x_1: the name of a variable has only letters and digits: an underscore marks derivatives, as in u_xx"},
	{"problem.toml", "x = [0, 2]", "x = " + strings.Repeat("true", 10_000), `problem.toml:4: not TOML: expected value but found "` + strings.Repeat("true", 43) + "tr..."},
	{"problem.toml", "x = [0, 2]", `x = [0, 2]` + "\nx = [0, 3]", "problem.toml:5: not TOML: Key 'variables.x' has already been defined."},
	{"problem.toml", "x = [0, 2]", strings.Repeat("x*(1+", 180_000) + " = [0, 2]", "problem.toml:4: a key of more than 1000 bytes"},
	{"problem.toml", "x = [0, 2]", strings.Repeat(`"x"`, 300_000) + " = [0, 2]", "problem.toml:4: a key of more than 1000 bytes"},
	{"problem.toml", "q = {}", `q = { median = 0, factor = 2 }`, "problem.toml:11: parameters.q.median: found 0; a positive number is expected"},
	{"problem.toml", "[[equation]]", "[domain]\ncurve = { s = [0, 6], x = \"cos(s)\", z = \"sin(s)\" }\n[[equation]]", `problem.toml:14: domain.curve: expected three keys, { t = [from, to], x = "...", y = "..." }, found s, x and z`},
	{"problem.toml", "[[equation]]", "[domain]\ncurve = { s = [0, 6], z = \"cos(s)\", y = \"sin(s)\" }\n[[equation]]", `problem.toml:14: domain.curve: expected three keys, { t = [from, to], x = "...", y = "..." }, found s, z and y`},
	{"problem.toml", "[[equation]]", "[domain]\ncurve = { x = \"cos(x)\", y = \"sin(y)\" }\n[[equation]]", `problem.toml:14: domain.curve: expected three keys, { t = [from, to], x = "...", y = "..." }, found x and y`},
	{"problem.toml", "k = 3", `k = "3 W/m"`, `problem.toml:8: constants.k: found a number with a unit: write k = { value = 3, unit = "W/m" }`},
	{"problem.toml", "k = 3", `k = "3 x"`, `problem.toml:8: constants.k: unexpected "x" in "3 x", character 3; a product is written with *, a function's argument in parentheses`},
	{"problem.toml", "k = 3", `k = { unit = "W/m" }`, `problem.toml:8: constants.k: value is missing, as { value = 210, unit = "GPa" }`},
	{"problem.toml", "k = 3", `k = { value = 3, unit = 3 }`, "problem.toml:8: constants.k.unit: expected text in quotes, found 3"},
	{"problem.toml", "k = 3", `k = { value = "3 +", unit = "m" }`, `problem.toml:8: constants.k.value: "3 +" ends where more is expected`},
	{"problem.toml", "k = 3", `k = { values = 3 }`, "problem.toml:8: constants.k.values: unknown key; did you mean value?"},
	{"problem.toml", "k = 3", `k = "3,5"`, `problem.toml:8: constants.k: unexpected "," in "3,5", character 2; decimals are written with a point`},
	{"problem.toml", "k = 3", `k = "sqrt(-1)"`, `problem.toml:8: constants.k: "sqrt(-1)" is NaN; a finite number is expected`},
	{"problem.toml", "k = 3", `k = true`, "problem.toml:8: constants.k: expected a number, or an expression of constants in quotes, found true"},
	{"problem.toml", "q = {}", `q = 1`, "problem.toml:11: parameters.q: expected a table, found 1; parameters are unknown: a known number belongs under [constants]"},
	{"problem.toml", "q = {}", `q = { mean = 1, sigma = 2 }`, "problem.toml:11: parameters.q.sigma: unknown key; parameters.q has factor, label, max, mean, median, min, sd and unit"},
	{"problem.toml", "q = {}", `q = { mean = 1, sd = -2 }`, "problem.toml:11: parameters.q.sd: found -2; a positive number is expected"},
	{"problem.toml", "q = {}", "q = {}\nr = {}", "problem.toml:12: parameters.r: no equation, condition or sensor contains r"},
	{"problem.toml", "q = {}", "q = {}\nx = {}", "problem.toml:12: parameters.x: x is already a variable"},
	{"problem.toml", "[[equation]]", "[equation]", "problem.toml:13: equation: expected tables, found a table: write [[equation]]"},
	{"problem.toml", "points = 40", "points = 40.5", "problem.toml:15: equation.points: found 40.5; a whole number from 1 to 10000000 is expected"},
	{"problem.toml", "points = 40", "points = -40", "problem.toml:15: equation.points: found -40; a whole number from 1 to 10000000 is expected"},
	{"problem.toml", "points = 40", `points = "many"`, "problem.toml:15: equation.points: unknown name many; a number or an expression of constants is expected; constants are k"},
	{"problem.toml", "points = 40", "points = 40\nwhere = \"x\"", `problem.toml:16: equation.where: "x" is not an inequality: <, <=, > or >= is expected between two expressions`},
	{"problem.toml", "points = 40", "points = 40\nwhere = \"x > 3\"", "problem.toml:16: equation.where: only 0 of 8000 points drawn in the box lie inside the domain where the equation holds; file = \"...\" can give its points"},
	{"problem.toml", "points = 40", "file = \"gauges.csv\"\nwhere = \"x < 1\"", "problem.toml:16: equation.where: 2 of the 3 points in gauges.csv do not lie there"},
	{"problem.toml", "points = 40", "npoints = 40", "problem.toml:15: equation.npoints: unknown key; did you mean points?"},
	{"problem.toml", "points = 40", "points = 40\ntolerance = 0", `problem.toml:16: equation.tolerance: found 0; a positive number or "auto" is expected`},
	{"problem.toml", "points = 40", "points = 40\nsd = 0", `problem.toml:16: equation.sd: found 0; a positive number is expected`},
	{"problem.toml", "points = 40", "points = 40\ntolerance = 1e-3\nsd = 0.1", `problem.toml:17: equation.sd: tolerance is given, too; one of tolerance (relative), sd (in the units of the equation) and exact says how far it may be missed`},
	{"problem.toml", "points = 40", "points = 40\nexact = true", `problem.toml:16: equation.exact: unknown key; equation has file, grid, pde, points, refine, sd, tolerance and where`},
	{"problem.toml", "points = 40", "points = 100_000_000", "problem.toml:15: equation.points: found 100000000; a whole number from 1 to 10000000 is expected"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "k*(u_xx + u_yy) - q*sin(x)", `problem.toml:14: equation.pde: "k*(u_xx + u_yy) - q*sin(x)" is not an equation: one = is expected between two expressions`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "k*(u_xx + u_yy) == q*sin(x) = 0", `problem.toml:14: equation.pde: "k*(u_xx + u_yy) == q*sin(x) = 0" is not an equation: one = is expected between two expressions`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "k(u_xx + u_yy) = q*sin(x)", "problem.toml:14: equation.pde: k is a constant, not a function: write k*(...) for a product"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "k*(u_xx + u_yy = q*sin(x)", `problem.toml:14: equation.pde: unexpected "=" in "k*(u_xx + u_yy = q*sin(x)", character 16`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "k*(u_xx + u_yy)) = q*sin(x)", `problem.toml:14: equation.pde: unexpected ")" in "k*(u_xx + u_yy)) = q*sin(x)", character 16`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "k*(u_xx + u_zz) = q*sin(x)", `problem.toml:14: equation.pde: unknown name u_zz: "zz" after u_ is not a sequence of the variables x and y`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "k*(T_xx + T_yy) = q*sin(x)", `problem.toml:19: condition.equals: unknown name u_y; known are T, k, q, x and y; the unknown is taken to be T: if u is another, state fields = ["T", "u"]`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "abs(u)*u_xx + u_yy = q*sin(x)", `problem.toml:14: equation.pde: "abs(u)*u_xx" is not linear in u, and abs is not smooth: it has no derivative everywhere`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = max(u, 0) + q", `problem.toml:14: equation.pde: "-max(u, 0)" is not linear in u, and max is not smooth: it has no derivative everywhere`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*sin x", `problem.toml:14: equation.pde: unexpected "x" in "u_xx + u_yy = q*sin x", character 21; a product is written with *, a function's argument in parentheses`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*sin()", "problem.toml:14: equation.pde: sin takes 1 argument, found 0"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*atan2(x)", "problem.toml:14: equation.pde: atan2 takes 2 arguments, found 1"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*sine(x)", "problem.toml:14: equation.pde: unknown function sine; did you mean sin?"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "2x*u_xx + u_yy = q", `problem.toml:14: equation.pde: unexpected "x" in "2x*u_xx + u_yy = q", character 2; a product is written with *, a function's argument in parentheses`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*x²", `problem.toml:14: equation.pde: unexpected character '²' in "u_xx + u_yy = q*x²", character 18; a power is written ^2`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "∂u/∂x = q", `problem.toml:14: equation.pde: unexpected character '∂' in "∂u/∂x = q", character 1; a derivative is written u_x, u_xx or u_t`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "d2u/dx2 + u_yy = q", "problem.toml:14: equation.pde: unknown name d2u; a derivative is written u_x, u_xx or u_t"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*dx", "problem.toml:14: equation.pde: unknown name dx; a derivative is written u_x, u_xx or u_t"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "laplace(u) + u_xx = q", "problem.toml:14: equation.pde: unknown function laplace; write derivatives, as u_xx + u_yy"},
	{"problem.toml", "[[condition]]", "[[boundary]]", "problem.toml:17: boundary: unknown key or section; did you mean [[condition]]?"},
	{"problem.toml", "sigma = 0.1", "noise = 0.1", "problem.toml:24: sensors.noise: expected normal or student; sigma = 0.1 is the standard deviation"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xxxxxxxxx = q", "problem.toml:14: equation.pde: u_xxxxxxxxx is a derivative of order 9; the highest order is 8"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*log(x - 3)", "problem.toml:14: equation.pde: the coefficient of q is NaN at x = 0.97801, y = 0.621921"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "x + y = 1", `problem.toml:14: equation.pde: "x + y = 1" contains no unknown; the field is u`},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "", "problem.toml:14: equation.pde: the text is empty"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*diff(x)", "problem.toml:14: equation.pde: unknown function diff; a derivative is written u_x, u_xx or u_t"},
	{"problem.toml", "k*(u_xx + u_yy) = q*sin(x)", "u_xx + u_yy = q*u_", "problem.toml:14: equation.pde: unknown name u_: variables must follow the underscore, as in u_x"},
	{"problem.toml", `on = "y = 0"`, `on = "y = -1"`, "problem.toml:18: condition.on: y = -1 is outside [0, 1]"},
	{"problem.toml", `on = "y = 0"`, `on = "bottom"`, `problem.toml:18: condition.on: expected "boundary", or a variable = a constant, as "x = 0"; found "bottom"`},
	{"problem.toml", `on = "y = 0"`, `on = "y > 0"`, `problem.toml:18: condition.on: expected "boundary", or a variable = a constant, as "x = 0"; found "y > 0"`},
	{"problem.toml", `on = "y = 0"`, ``, `problem.toml:17: condition: on = "x = ..." or on = "boundary" is missing`},
	{"problem.toml", `on = "y = 0"`, `on = 0`, "problem.toml:18: condition.on: expected text in quotes, found 0"},
	{"problem.toml", `equals = "u_y = 0"`, ``, `problem.toml:17: condition: equals = "left = right" is missing`},
	{"problem.toml", `equals = "u_y = 0"`, `equals = "0"`, `problem.toml:19: condition.equals: "0" is not an equation: one = is expected between two expressions`},
	{"problem.toml", `equals = "u_y = 0"`, `equals = "u_y = 1/y"`, "problem.toml:19: condition.equals: the source is -Inf at x = 1.27309, y = 0"},
	{"problem.toml", "on = \"y = 0\"\nequals = \"u_y = 0\"", "periodic = \"z\"\nof = \"u\"", "problem.toml:18: condition.periodic: z is no variable; the variables are x and y"},
	{"problem.toml", "on = \"y = 0\"\nequals = \"u_y = 0\"", "periodic = \"x\"", `problem.toml:17: condition: of = "u" is missing: what is the same at both ends`},
	{"problem.toml", "on = \"y = 0\"\nequals = \"u_y = 0\"", "periodic = \"x\"\nof = \"u + 1\"", "problem.toml:19: condition.of: only fields and their derivatives, times coefficients, can be compared with themselves"},
	{"problem.toml", "on = \"y = 0\"\nequals = \"u_y = 0\"", "periodic = \"x\"\nequals = \"u = 0\"", "problem.toml:19: condition.equals: a periodic condition has none: it says that what stands in of is the same at both ends"},
	{"problem.toml", "equals = \"u_y = 0\"", "equals = \"u_y = 0\"\nof = \"u\"", `problem.toml:20: condition.of: it belongs to periodic = "x"`},
	{"problem.toml", `"gauges.csv"`, `"gauges.xlsx"`, "problem.toml:23: sensors.file: gauges.xlsx: file does not exist"},
	{"problem.toml", `file = "gauges.csv"`, `data = "gauges.csv"`, "problem.toml:23: sensors.data: unknown key; sensors has at, average, columns, file, freedom, measures, missing, noise, noise_group, places, reference, sigma and time"},
	{"problem.toml", `sigma = 0.1`, `sigma = "10%"`, `problem.toml:24: sensors.sigma: unexpected character '%' in "10%", character 3`},
	{"problem.toml", `sigma = 0.1`, `sd = 0.1`, "problem.toml:24: sensors.sd: unknown key; sensors has at, average, columns, file, freedom, measures, missing, noise, noise_group, places, reference, sigma and time"},
	{"problem.toml", `sigma = 0.1`, `measures = "temperature"`, "problem.toml:24: sensors.measures: unknown name temperature; known are k, q, u, x and y"},
	{"problem.toml", `sigma = 0.1`, `measures = "u_x = 1"`, `problem.toml:24: sensors.measures: "u_x = 1" is not one expression: =, <, > and "and" have no place here`},
	{"problem.toml", `sigma = 0.1`, `measures = "3"`, `problem.toml:24: sensors.measures: "3" contains no unknown; the field is u`},
	{"problem.toml", `sigma = 0.1`, `measures = ["u"]`, "problem.toml:24: sensors.measures: expected text in quotes, found a list of 1"},
	{"problem.toml", "sigma = 0.1", "average = 0.2", "problem.toml:24: sensors.average: expected a table with some of the variables, as { x = 0.5 }, found 0.2"},
	{"problem.toml", "sigma = 0.1", "average = {}", "problem.toml:24: sensors.average: expected a table with some of the variables, as { x = 0.5 }, found a table"},
	{"problem.toml", "sigma = 0.1", "average = { z = 1 }", "problem.toml:24: sensors.average.z: no such variable; the variables are x and y"},
	{"problem.toml", "sigma = 0.1", "average = { x = 3 }", "problem.toml:24: sensors.average.x: found 3; a length above 0 and at most the range's, 2, is expected"},
	{"problem.toml", "sigma = 0.1", "average = { x = -1 }", "problem.toml:24: sensors.average.x: found -1; a length above 0 and at most the range's, 2, is expected"},
	{"problem.toml", "sigma = 0.1", "average = { y = 0.5 }", "problem.toml:24: sensors.average.y: around y = 1, where reading 2 stands, it leaves [0, 1]"},
	{"problem.toml", "sigma = 0.1", "reference = { x = 9 }", "problem.toml:24: sensors.reference.x: 9 is outside [0, 2]"},
	{"problem.toml", "sigma = 0.1", "reference = \"corner\"", `problem.toml:24: sensors.reference: expected a table, found "corner"`},
	{"problem.toml", "grid = [11, 6]", "grid = [11]", "problem.toml:27: output.grid: expected 2 numbers, found 1"},
	{"problem.toml", "grid = [11, 6]", "grid = [11, 6.5]", "problem.toml:27: output.grid: found 6.5; a whole number from 1 to 100000000 is expected"},
	{"problem.toml", "grid = [11, 6]", `exact = "x*z"`, "problem.toml:27: output.exact: unknown name z; known are k, q, u, x and y"},
	{"problem.toml", "grid = [11, 6]", `exact = { v = "x" }`, "problem.toml:27: output.exact.v: no such field; the field is u"},
	{"problem.toml", "[output]", "[shapes]\nwet = { inside = \"x < \" }\n[output]", `problem.toml:27: shapes.wet.inside: "x <" ends where more is expected`},
	{"problem.toml", "[output]", "[shapes]\nwet = { inside = \"x > 7\" }\n[output]", `problem.toml:27: shapes.wet.inside: the inequalities hold nowhere in the box`},
	{"problem.toml", "[output]", "[output]\nwhere = \"x < 1\"", `problem.toml:27: output.where: expected a table, { u = "x < 0.5" }, found "x < 1"`},
	{"problem.toml", "[output]", "[output]\nwhere = { v = \"x < 1\" }", `problem.toml:27: output.where.v: no such field; the field is u`},
	{"problem.toml", "[output]", "[output]\nwhere = { u = \"u < 1\" }", `problem.toml:27: output.where.u: u is unknown; only variables, constants and functions of them are possible here`},
	{"problem.toml", "[output]", "[output]\nplots = true", "problem.toml:27: output.plots: unknown key; output has exact, grid and where"},
	{"problem.toml", "[output]", "[fit]\nmethod = \"bayes\"\n[output]", `problem.toml:27: fit.method: found "bayes"; expected bpielm, paper or pielm`},
	{"problem.toml", "[output]", "[domain]\ninside = \"x^2 + y^2\"\n[output]", `problem.toml:27: domain.inside: "x^2 + y^2" is not an inequality: <, <=, > or >= is expected between two expressions`},
	{"problem.toml", "[output]", "[domain]\ninside = \"x > 3\"\n[output]", "problem.toml:27: domain.inside: the inequalities hold nowhere in the box"},
	{"problem.toml", "[output]", "[domain]\ndisk = { centre = [0, 0], radius = 1 }\n[output]", "problem.toml:27: domain.disk.centre: unknown key; did you mean center?"},
	{"problem.toml", "[output]", "[domain]\ndisk = { center = [0, 0, 0], radius = 1 }\n[output]", "problem.toml:27: domain.disk.center: expected 2 numbers, found 3"},
	{"problem.toml", "[output]", "[domain]\npolygon = \"outline.csv\"\n[output]", "problem.toml:27: domain.polygon: outline.csv: the curve encloses no area"},
	{"problem.toml", "[output]", "[features]\nneurons = 0\n[output]", "problem.toml:27: features.neurons: found 0; a whole number from 1 to 100000 is expected"},
	{"problem.toml", "[output]", "[features]\nneurons = \"many\"\n[output]", "problem.toml:27: features.neurons: unknown name many; a number or an expression of constants is expected; constants are k"},
	{"problem.toml", "sigma = 0.1", "noise = \"cauchy\"", `problem.toml:24: sensors.noise: found "cauchy"; expected normal or student`},
	{"problem.toml", "sigma = 0.1", "freedom = 3", `problem.toml:24: sensors.freedom: only noise = "student" has degrees of freedom`},
	{"problem.toml", "sigma = 0.1", "sigma = 0.1\nnoise_group = \"a\"", `problem.toml:25: sensors.noise_group: the noise of these sensors is stated; only noise that is learned has a group`},
	{"problem.toml", "[output]", "[sizes]\nv = 1\n[output]", `problem.toml:27: sizes.v: no such field; the field is u`},
	{"problem.toml", "[output]", "[sizes]\nu = -1\n[output]", `problem.toml:27: sizes.u: found -1; a positive number is expected`},
	{"problem.toml", "[output]", "[fit]\ninference = \"both\"\n[output]", `problem.toml:27: fit.inference: found "both"; expected integrate or maximum`},
	{"problem.toml", "[output]", "[features]\nscale = \"wide\"\n[output]", "problem.toml:27: features.scale: unknown name wide; a number or an expression of constants is expected; constants are k"},
	{"gauges.csv", gauges, "", "problem.toml:23: sensors.file: gauges.csv: the file is empty; a first line with the columns' names is expected"},
	{"gauges.csv", gauges, "\n\n# nothing\n", "problem.toml:23: sensors.file: gauges.csv: the file is empty; a first line with the columns' names is expected"},
	{"gauges.csv", gauges, "x,y,value\n", "problem.toml:23: sensors.file: gauges.csv: the file has no rows after the first line"},
	{"gauges.csv", "x,y,value\n", "", "gauges.csv:1: the first line must name the columns; it has only numbers"},
	{"gauges.csv", "x,y,value", "x,value", "gauges.csv:1: y: there is no column y; found x and value; columns = { y = \"...\" } names it, at = { y = ... } replaces it"},
	{"gauges.csv", "x,y,value", "X,Y,value", "gauges.csv:1: x: there is no column x; did you mean X?"},
	{"gauges.csv", "x,y,value", "x,y,u", "gauges.csv:1: value: there is no column value; found x, y and u; columns = { value = \"...\" } names it"},
	{"gauges.csv", "x,y,value", "x [m],y [m],value", "gauges.csv:1: x: there is no column x; found \"x [m]\", \"y [m]\" and value; columns = { x = \"...\" } names it, at = { x = ... } replaces it"},
	{"gauges.csv", "x,y,value", "x,x,value", "gauges.csv:1: y: there is no column y; found x, x and value; columns = { y = \"...\" } names it, at = { y = ... } replaces it"},
	{"gauges.csv", "x,y,value", "x,y,y,value", "gauges.csv:1: y: there are two columns y"},
	{"gauges.csv", gauges, "x,y,value,Sigma\n0,0,1,0.1\n", "gauges.csv:1: Sigma: a column of standard deviations is named sigma"},
	{"gauges.csv", gauges, "x,y,value,sigma\n0,0,1,-0.1\n", "gauges.csv:2: sigma: found -0.1; a standard deviation must be positive"},
	{"problem.toml", "x = [0, 2]", "x = [1, 1.0000000000000002]", "problem.toml:4: variables.x: the range [1, 1.0000000000000002] is so narrow that double precision hardly tells places in it apart; move the origin"},
	{"problem.toml", "x = [0, 2]", "x = [0, 1e-50]", "problem.toml:4: variables.x: the range is 1e-50 wide; from 1e-30 to 1e+30 is possible: choose another unit"},
	{"problem.toml", "sigma = 0.1", "sigma = 1e-300", "problem.toml:24: sensors.sigma: found 1e-300; from 1e-120 to 1e+120 is possible: choose another unit"},
	{"problem.toml", "sigma = 0.1", "sigma = 0.1\n[[condition]]\non = \"x = 1\"\nequals = \"u = 0\"\nsd = 1e-200", "problem.toml:28: condition[1].sd: found 1e-200; from 1e-120 to 1e+120 is possible: choose another unit"},
	{"gauges.csv", "1,1,2", "1,1,1e200", "gauges.csv:3: value: found 1e+200; at most 1e+120 is possible: choose another unit"},
	{"gauges.csv", gauges, "x,y,value,sigma\n0,0,1,1e-200\n", "gauges.csv:2: sigma: found 1e-200; from 1e-120 to 1e+120 is possible: choose another unit"},
	{"gauges.csv", "1,1,2", "1,1", "gauges.csv:3: found 2 columns; the first line names 3"},
	{"gauges.csv", "1,1,2", "1,1,2,3", "gauges.csv:3: found 4 columns; the first line names 3"},
	{"gauges.csv", "1,1,2", "1,,2", "gauges.csv:3: y: the cell is empty; a number is expected"},
	{"gauges.csv", gauges, "x,y,value\n1,1,n/a\n1,0,\n", "problem.toml:23: sensors.file: gauges.csv: it has no readings: 2 values are missing"},
	{"gauges.csv", "1,1,2", "1,1,inf", "gauges.csv:3: value: found +Inf; a finite number is expected"},
	{"gauges.csv", "1,1,2", `1,1,"2,5"`, `gauges.csv:3: value: found "2,5"; a number is expected; decimals are written with a point where commas separate columns`},
	{"gauges.csv", gauges, "x;y;value\n1;1;2.000,5\n", `gauges.csv:2: value: found "2.000,5"; a number is expected: leave out what separates thousands`},
	{"gauges.csv", gauges, "x,y,value\n2024-05-01 00:00,1,2\n", `gauges.csv:2: x: found "2024-05-01 00:00"; a number is expected; for dates the time needs a start, as x = { range = [0, 48], unit = "h", start = "2024-05-01" }`},
	{"gauges.csv", "1,1,2", `1,1,2 mm`, `gauges.csv:3: value: found "2 mm"; a number is expected`},
	{"gauges.csv", "1,1,2", `1,1,1e400`, "gauges.csv:3: value: the number 1e400 is too large"},
	{"gauges.csv", "1,1,2", `1,1.2,2`, "gauges.csv:3: y: 1.2 is outside [0, 1]"},
	{"gauges.csv", "1,1,2", `1,1,"2`, `gauges.csv:3: not CSV: a quotation mark is opened and not closed`},
	{"gauges.csv", gauges, "\x00\x00\x00", "gauges.csv:1: the first line is not text; is this a CSV file?"},
	{"gauges.csv", gauges, "\xff\xfex\x00,\x00y\x00\n\x00", "gauges.csv:1: value: there is no column value; columns = { value = \"...\" } names it"},
	{"gauges.csv", gauges, "x\x00,\x00y\x00\n\x00", "gauges.csv:1: the first line is not text; is this a CSV file?"},
	{"gauges.csv", gauges, "PK\x03\x04" + strings.Repeat("\x00\x8f", 40000), "gauges.csv:1: the first line is not text; is this a CSV file?"},
}

// TestRefusalsInFull holds what a user reads, word for word: the file, its line
// or key, what was found there and what was expected.
func TestRefusalsInFull(t *testing.T) {
	for _, r := range refusals {
		files := map[string]string{"problem.toml": plateProblem, "gauges.csv": gauges, "outline.csv": "x,y\n0,0\n1,0.5\n2,1\n"}
		if !strings.Contains(files[r.file], r.old) {
			t.Fatalf("%s has no %q", r.file, r.old)
		}
		files[r.file] = strings.Replace(files[r.file], r.old, r.new, 1)
		fsys := fstest.MapFS{}
		for name, content := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(content)}
		}
		_, err := ReadFS(fsys, "problem.toml", nil)
		var e *Error
		if !errors.As(err, &e) || e.Error() != r.want {
			t.Errorf("%.80q instead of %.40q:\n  error %v\n  want  %s", r.new, r.old, err, r.want)
		}
	}
}

func TestNoiseOfNothingCannotBeLearned(t *testing.T) {
	fsys := fstest.MapFS{
		"problem.toml": &fstest.MapFile{Data: []byte(strings.Replace(plateProblem, "sigma = 0.1\n", "", 1))},
		"gauges.csv":   &fstest.MapFile{Data: []byte("x,y,value\n0,0,0\n1,1,0\n")},
	}
	const want = "problem.toml:22: sensors: all readings of gauges.csv are 0: their noise cannot be learned; state sigma"
	if _, err := ReadFS(fsys, "problem.toml", nil); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// An equation that holds in a part of the domain has its points there.
func TestEquationsOfAPart(t *testing.T) {
	fsys := fstest.MapFS{"gauges.csv": &fstest.MapFile{Data: []byte(gauges)}}
	for _, points := range []string{"points = 40", "grid = [9, 9]"} {
		text := strings.Replace(plateProblem, "points = 40", points+"\nwhere = \"x < 1.2 and y >= 0.5\"", 1)
		text += "[domain]\ninside = \"x + y > 1\"\n"
		fsys["problem.toml"] = &fstest.MapFile{Data: []byte(text)}
		f, err := ReadFS(fsys, "problem.toml", nil)
		if err != nil {
			t.Fatal(err)
		}
		e := f.Problem.Equations[0]
		for i := range e.Points.Rows() {
			if x, y := e.Points.At(i, 0), e.Points.At(i, 1); !(x < 1.2 && y >= 0.5 && x+y > 1) {
				t.Errorf("%s: a point at (%g, %g)", points, x, y)
			}
		}
		if e.Name != "x < 1.2 and y >= 0.5" {
			t.Errorf("the equation is named %q", e.Name)
		}
	}
}
