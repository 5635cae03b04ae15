package posterior

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Readings often determine a combination of parameters better than any of them: a diffusivity over a source, the sum of
// two loads. Such a combination is found among pairs and triples. With the posterior covariance C of some parameters and
// the diagonal matrix D of their prior variances, the combination a'y that the data narrow most has the least
// a'Ca / a'Da. Where all values have one sign, y is the logarithm and the combination a product of powers. The weights a
// are rounded to what people would write, and what is reported is the uncertainty of the rounded combination.
//
// Each component of the posterior is taken to be normal in y, with the derivatives at its centre. A component has
// coefficients around one point, and its other numbers depend on them by central differences; so their values and
// logarithms are central differences, too. Along the ridge that a well-known combination leaves, that is exact to one
// more order than draws from the component would be.

// A Combination of parameters is known far better than each of them.
type Combination struct {
	Expression string // "T/S", "P + 3*q"
	Parameters []string
	// Product tells that Weights are the exponents of a product of powers, and not the factors of a sum.
	Product bool
	Weights []float64 // of Parameters

	Mean, SD                 float64 // of the combination as it is written
	Median, Lower95, Upper95 float64
	// Relative is the standard deviation of the logarithm of a product, and for a sum SD over the magnitude of Mean.
	Relative float64
	// Gain is how many times better than the best known of its parameters the combination is known, each relative to its
	// prior standard deviation.
	Gain float64
}

const (
	// leastGain is the gain from which a combination is reported.
	leastGain = 4
	// knownAlone is the relative standard deviation up to which nobody needs combinations of a parameter.
	knownAlone = 0.05
	// rounded is how many times less exact than the best one a combination with round weights may be.
	rounded = 1.3
	// largestPower is the largest exponent in a product.
	largestPower = 4
	// surelySigned is the least number of standard deviations by which a parameter in a product must differ from 0 given
	// the coefficients.
	surelySigned = 3
	// Pairs are tried of at most mostPaired parameters, triples of mostTripled.
	mostPaired, mostTripled = 30, 8
	// mostCombinations is how many are reported.
	mostCombinations = 3
)

// coordinates are parameters, or their logarithms.
type coordinates struct {
	product    bool
	names      []string
	valid      []bool // false: without a logarithm
	negative   []bool // a parameter in a product
	weights    []float64
	means      *mat.Dense   // components x parameters
	roots      []*mat.Dense // of each component, parameters x columns
	covariance *mat.Sym
	mean       []float64
	prior      []float64 // sd
}

// combinations finds combinations of parameters that are far better known than each. priors are those of the linear
// ones, with the sd of all of them.
func (q *Posterior) combinations(priors []system.Parameter) []Combination {
	n := len(q.names)
	if n < 2 || n > mostPaired || !q.uncertain() || q.after != nil {
		return nil
	}
	sums, products := q.coordinates(priors, false), q.coordinates(priors, true)
	var found []Combination
	taken := make([]int, n) // the group of parameters that combinations connect
	for i := range taken {
		taken[i] = i
	}
	for size := 2; size <= 3; size++ {
		if size == 3 && n > mostTripled {
			break
		}
		var some []Combination
		var of [][]int
		subsets(n, size, func(set []int) {
			best := products.best(set)
			if sum := sums.best(set); best == nil || sum != nil && float64(rounded*sum.Relative) < best.Relative {
				best = sum
			}
			if best != nil {
				some, of = append(some, *best), append(of, slices.Clone(set))
			}
		})
		order := make([]int, len(some))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(some[b].Gain, some[a].Gain) })
		for _, k := range order {
			if join(taken, of[k]) {
				found = append(found, some[k])
			}
		}
	}
	return found[:min(len(found), mostCombinations)]
}

// join connects parameters. It reports false where some of them already are: the combination says nothing new.
func join(group []int, set []int) bool {
	for i, a := range set {
		for _, b := range set[:i] {
			if group[a] == group[b] {
				return false
			}
		}
	}
	to := group[set[0]]
	for _, a := range set[1:] {
		from := group[a]
		for i := range group {
			if group[i] == from {
				group[i] = to
			}
		}
	}
	return true
}

// subsets calls visit for all sets of 0 to n-1 of a size.
func subsets(n, size int, visit func([]int)) {
	set := make([]int, size)
	var choose func(k, from int)
	choose = func(k, from int) {
		if k == size {
			visit(set)
			return
		}
		for i := from; i < n; i++ {
			set[k] = i
			choose(k+1, i+1)
		}
	}
	choose(0, 0)
}

// coordinates prepares the parameters, or their logarithms.
func (q *Posterior) coordinates(priors []system.Parameter, product bool) *coordinates {
	n := len(q.names)
	c := &coordinates{product: product, names: q.names, means: mat.NewDense(len(q.components), n, nil), covariance: mat.NewSym(n, nil)}
	c.valid, c.negative, c.prior, c.mean = make([]bool, n), make([]bool, n), make([]float64, n), make([]float64, n)
	for i := range n {
		value := func(z float64) float64 { return priors[i].Mean + float64(priors[i].SD*z) }
		if of := q.coefficient(i); of != nil {
			value = of.Value
		}
		if product {
			plain := value
			value = func(z float64) float64 { return mat.Log(math.Abs(plain(z))) }
		}
		c.prior[i] = spreadOf(value)
		c.valid[i] = c.prior[i] > 0 && finite(c.prior[i])
	}
	for k := range q.components {
		c.add(q, k)
	}
	for i := range n {
		for k, w := range c.weights {
			c.mean[i] += float64(w * c.means.At(k, i))
		}
	}
	for k, w := range c.weights {
		mat.Syrk(mat.NoTrans, w, c.roots[k], 1, c.covariance)
		for i := range n {
			for j := range i + 1 {
				apart := float64((c.means.At(k, i) - c.mean[i]) * (c.means.At(k, j) - c.mean[j]))
				c.covariance.Set(i, j, c.covariance.At(i, j)+float64(w*apart))
			}
		}
	}
	for i := range n {
		c.valid[i] = c.valid[i] && finite(c.covariance.At(i, i)) && c.covariance.At(i, i) > 0
	}
	return c
}

// add appends a component.
func (c *coordinates) add(q *Posterior, k int) {
	from := &q.components[k]
	first, n := from.basis.ParameterColumn(0), len(q.names)
	root := from.parameterRoot(0, n).Clone()
	for i := range n {
		z, row, of := from.mean[first+i], root.Row(i), q.coefficient(i)
		centre := z
		if of != nil {
			centre = of.Value(z)
		}
		if !c.product {
			for l, f := range row {
				if of != nil {
					row[l] = 0.5 * (of.Value(z+f) - of.Value(z-f))
				}
			}
			c.means.Set(k, i, centre)
			continue
		}
		if c.valid[i] = c.valid[i] && centre != 0 && (k == 0 || c.negative[i] == (centre < 0)) && (of != nil || float64(surelySigned*q.besideCoefficients(from, i)) < math.Abs(centre)); !c.valid[i] {
			clear(row)
			continue
		}
		c.negative[i] = centre < 0
		c.means.Set(k, i, mat.Log(math.Abs(centre)))
		for l, f := range row {
			up, down := (centre+f)/centre, (centre-f)/centre
			if of != nil {
				up, down = of.Value(z+f)/centre, of.Value(z-f)/centre
			}
			if of != nil && up > 0 && down > 0 && len(q.coefficients) == n {
				row[l] = 0.5 * (mat.Log(up) - mat.Log(down))
			} else { // as for an exponential function
				row[l] = asinh(0.5 * (up - down))
			}
		}
	}
	c.weights, c.roots = append(c.weights, from.weight), append(c.roots, root)
}

// asinh has the same bits on every processor, unlike that of package math.
func asinh(x float64) float64 {
	return math.Copysign(mat.Log(math.Abs(x)+math.Sqrt(1+float64(x*x))), x)
}

// besideCoefficients is the sd of parameter i in a component at given coefficients, as far as the component tells these
// apart: in mixtures over coefficients they have columns of their own.
func (q *Posterior) besideCoefficients(c *component, i int) float64 {
	row := c.parameterRoot(i, 1).Row(0)
	if q.at != nil {
		row = row[:len(row)-len(q.coefficients)]
	}
	return mat.Nrm2(row)
}

// spreadOf is the sd of a function of a standard normal number, by equally probable values of it.
func spreadOf(value func(z float64) float64) float64 {
	const nodes = 400
	standard := mixture{{1, 0, 1}}
	values, mean := make([]float64, nodes), 0.0
	for i := range values {
		values[i] = value(standard.quantile((float64(i) + 0.5) / nodes))
		mean += values[i] / nodes
	}
	sum := 0.0
	for _, v := range values {
		sum += float64((v-mean)*(v-mean)) / nodes
	}
	return math.Sqrt(sum)
}

// alone is the posterior sd of parameter i over its prior sd.
func (c *coordinates) alone(i int) float64 { return math.Sqrt(c.covariance.At(i, i)) / c.prior[i] }

// width is the posterior sd of a combination over its prior sd.
func (c *coordinates) width(set []int, weights []float64) float64 {
	after, before := 0.0, 0.0
	for i, a := range set {
		for j, b := range set {
			after += float64(float64(weights[i]*weights[j]) * c.covariance.At(max(a, b), min(a, b)))
		}
		before += float64(float64(weights[i]*weights[i]) * float64(c.prior[a]*c.prior[a]))
	}
	return math.Sqrt(math.Max(after, 0) / before)
}

// relative is the relative sd of a parameter.
func (c *coordinates) relative(i int) float64 {
	sd := math.Sqrt(c.covariance.At(i, i))
	if c.product {
		return sd
	}
	return sd / math.Abs(c.mean[i])
}

// best returns the combination of a set of parameters that says more than anything simpler, nil if there is none.
func (c *coordinates) best(set []int) *Combination {
	simpler, known := math.Inf(1), true
	for _, i := range set {
		if !c.valid[i] {
			return nil
		}
		simpler, known = math.Min(simpler, c.alone(i)), known && c.relative(i) <= knownAlone
	}
	if known {
		return nil
	}
	if len(set) > 2 {
		for out := range set {
			pair := slices.Delete(slices.Clone(set), out, out+1)
			if a := c.direction(pair); a != nil {
				simpler = math.Min(simpler, c.width(pair, a))
			}
		}
	}
	exact := c.direction(set)
	if exact == nil || c.width(set, exact)*leastGain > simpler {
		return nil
	}
	weights := c.round(set, exact)
	if weights == nil || c.width(set, weights)*leastGain > simpler {
		return nil
	}
	return c.describe(set, weights, simpler/c.width(set, weights))
}

// direction is the combination that the data narrow most relative to the prior; nil where it lacks a parameter.
func (c *coordinates) direction(set []int) []float64 {
	scaled := mat.NewSym(len(set), nil)
	for i, a := range set {
		for j, b := range set[:i+1] {
			scaled.Set(i, j, c.covariance.At(max(a, b), min(a, b))/float64(c.prior[a]*c.prior[b]))
		}
	}
	var eigen mat.SymEigen
	if eigen.Factorize(scaled, true) != nil {
		return nil
	}
	least := 0
	for k, v := range eigen.Values() {
		if v < eigen.Values()[least] {
			least = k
		}
	}
	a := make([]float64, len(set))
	for i := range a {
		if a[i] = eigen.Vectors().At(i, least) / c.prior[set[i]]; a[i] == 0 || !finite(a[i]) {
			return nil
		}
	}
	if a[0] < 0 {
		for i := range a {
			a[i] = -a[i]
		}
	}
	return a
}

// round returns weights that people would write and that hardly widen the combination; nil if there are none.
func (c *coordinates) round(set []int, exact []float64) []float64 {
	limit := float64(rounded * c.width(set, exact))
	if c.product {
		return c.powers(set, limit)
	}
	least := math.Inf(1)
	for _, w := range exact {
		least = math.Min(least, math.Abs(w))
	}
	for digits := 1; digits <= 4; digits++ {
		weights := make([]float64, len(exact))
		for i, w := range exact {
			weights[i] = toDigits(w/least, digits)
		}
		if c.width(set, weights) <= limit {
			return weights
		}
	}
	return nil
}

// toDigits rounds to significant decimal digits.
func toDigits(x float64, digits int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	return v
}

// powers returns the smallest whole exponents with which a product is known within the limit, relative to its prior; nil
// if there are none.
func (c *coordinates) powers(set []int, limit float64) (best []float64) {
	weights, size := make([]float64, len(set)), math.Inf(1)
	var choose func(k int, sum float64)
	choose = func(k int, sum float64) {
		if k == len(set) {
			if sum < size && c.width(set, weights) <= limit {
				best, size = slices.Clone(weights), sum
			}
			return
		}
		for power := 1.0; power <= largestPower; power++ {
			weights[k] = power
			choose(k+1, sum+power)
			if k > 0 { // the first one is positive
				weights[k] = -power
				choose(k+1, sum+power)
			}
		}
	}
	choose(0, 0)
	return best
}

// describe gives the moments of a combination.
func (c *coordinates) describe(set []int, weights []float64, gain float64) *Combination {
	b := &Combination{Expression: c.expression(set, weights), Product: c.product, Weights: weights, Gain: gain}
	sign := 1.0
	for i, k := range set {
		if b.Parameters = append(b.Parameters, c.names[k]); c.negative[k] && math.Mod(weights[i], 2) != 0 {
			sign = -sign
		}
	}
	all := make(mixture, len(c.weights))
	for l, w := range c.weights {
		g := gaussian{weight: w}
		along := make([]float64, c.roots[l].Cols())
		for i, k := range set {
			g.mean += float64(weights[i] * c.means.At(l, k))
			mat.Axpy(weights[i], c.roots[l].Row(k), along)
		}
		g.sd = mat.Nrm2(along)
		all[l] = g
	}
	b.Mean, b.SD = all.moments()
	b.Relative = b.SD / math.Abs(b.Mean)
	b.Lower95, b.Median, b.Upper95 = all.quantile(0.025), all.quantile(0.5), all.quantile(0.975)
	if !c.product {
		return b
	}
	value := func(y float64) float64 { return float64(sign * mat.Exp(y)) }
	b.Relative = b.SD
	b.Mean, b.SD = all.momentsOf(value)
	if b.Lower95, b.Median, b.Upper95 = value(b.Lower95), value(b.Median), value(b.Upper95); sign < 0 {
		b.Lower95, b.Upper95 = b.Upper95, b.Lower95
	}
	return b
}

// expression writes a combination: T/S, k/(rho*c), P + 3*q.
func (c *coordinates) expression(set []int, weights []float64) string {
	if !c.product {
		var b strings.Builder
		for i, k := range set {
			w := weights[i]
			switch {
			case i == 0 && w < 0:
				b.WriteString("-")
			case i > 0:
				b.WriteString(map[bool]string{true: " - ", false: " + "}[w < 0])
			}
			if w = math.Abs(w); w != 1 {
				fmt.Fprintf(&b, "%.4g*", w)
			}
			b.WriteString(c.names[k])
		}
		return b.String()
	}
	var up, down []string
	for i, k := range set {
		power, name := math.Abs(weights[i]), c.names[k]
		if power != 1 {
			name += fmt.Sprintf("^%g", power)
		}
		if weights[i] > 0 {
			up = append(up, name)
		} else {
			down = append(down, name)
		}
	}
	text := strings.Join(up, "*")
	switch len(down) {
	case 0:
		return text
	case 1:
		return text + "/" + down[0]
	}
	return text + "/(" + strings.Join(down, "*") + ")"
}

// together notes what parameters mean together.
func (v *Verdict) together(q *Posterior) {
	v.Combinations = q.combinations(v.priors)
	for i := range v.Combinations {
		c := &v.Combinations[i]
		// That they cannot be told apart is said here.
		pair := strings.Join(c.Parameters, ", ")
		v.Checks = slices.DeleteFunc(v.Checks, func(o Check) bool { return o.Kind == "parameter" && o.Name == pair })
		v.Checks = append(v.Checks, Check{Kind: "parameter", Name: c.Expression, Status: Note, Value: c.Gain, Limit: leastGain, Message: c.message(q)})
	}
}

// message says how well a combination is known, and its parameters alone.
func (c *Combination) message(q *Posterior) string {
	var alone []string
	estimates := q.Parameters()
	for _, name := range c.Parameters {
		e := estimates[slices.Index(q.names, name)]
		alone = append(alone, name+" "+exactness(e.Mean, e.SD, e.Lower95, e.Upper95))
	}
	last := len(alone) - 1
	return fmt.Sprintf("%s is known %s, but %s and %s: the readings say more of it than of its parameters. It is %.4g, 95 %% interval %.4g to %.4g",
		c.Expression, exactness(c.Mean, c.SD, c.Lower95, c.Upper95), strings.Join(alone[:last], ", "), alone[last], c.Median, c.Lower95, c.Upper95)
}

// exactness says how well a number is known.
func exactness(mean, sd, lower, upper float64) string {
	switch {
	case sd < float64(0.5*math.Abs(mean)):
		return fmt.Sprintf("to %.2g %%", 100*sd/math.Abs(mean))
	case lower > 0 || upper < 0:
		return fmt.Sprintf("to a factor of %.2g", math.Sqrt(math.Max(upper/lower, lower/upper)))
	}
	return fmt.Sprintf("to ± %.2g", sd)
}
