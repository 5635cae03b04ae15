package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// The residuals of the readings under one layer. With S = a^2 K + R their covariance and r their
// difference from the prior mean, V = S^-1 and alpha = V r tell how each reading, or group g of
// them, differs from the prediction by all others: by
//
//	alpha_i / V_ii with variance 1 / V_ii,   V_gg^-1 alpha_g with covariance V_gg^-1
//
// [Dubrule, Cross validation of kriging in a unique neighborhood, Mathematical Geology 15, 1983], in
// units of the noise where that is known.
type residuals struct {
	k     *mat.Sym
	root  *mat.Dense // K = root'root, where K alone is not accurate enough; else nil
	r     []float64
	group []int // noise group of each row
	data  int   // rows of readings
	nodes []node
}

// residuals keeps what is needed to check the readings; nil where rows no longer correspond to
// single readings.
func (u *underPhysics) residuals(nodes []node) *residuals {
	if u.compressed() {
		return nil
	}
	// Readings are compared with the stated noise.
	stated := slices.DeleteFunc(slices.Clone(nodes), func(a node) bool { return a.louder })
	top := math.Inf(-1)
	for i := range stated {
		top = math.Max(top, stated[i].logWeight)
	}
	for i := range stated {
		stated[i].logWeight -= top
	}
	return u.residualsOf(u.covariance().Clone(), append([]float64(nil), u.r...), strata(stated, nodesOfMany))
}

// residualsOf builds residuals, keeping its arguments.
func (u *underPhysics) residualsOf(k *mat.Sym, r []float64, nodes []node) *residuals {
	e := &residuals{k: k, r: r, group: u.group, data: u.data, nodes: nodes}
	largest := 0.0
	for i := range r {
		largest = math.Max(largest, k.At(i, i))
	}
	for i := range nodes {
		a := &nodes[i]
		least := 1.0
		for _, g := range u.learned {
			least = math.Min(least, a.noise[g])
		}
		if float64(a.amplitude*a.amplitude)*largest > float64(squaresKeep*float64(least*least)) {
			e.root = u.root()
			break
		}
	}
	return e
}

// innovation is V and alpha at one node.
type innovation struct {
	share float64
	left  []float64 // of each row: R V, the part of a degree of freedom that the solution does not use
	v     *mat.Sym
	alpha []float64
}

// innovations returns those of all nodes.
func (e *residuals) innovations() ([]innovation, error) {
	n := len(e.r)
	list := make([]innovation, 0, len(e.nodes))
	s, variance := mat.NewSym(n, nil), make([]float64, n)
	var chol mat.Cholesky
	for k := range e.nodes {
		a := &e.nodes[k]
		for i := range variance {
			variance[i] = 1
			if a.noise != nil {
				variance[i] = a.noise[e.group[i]] * a.noise[e.group[i]]
			}
		}
		if e.root != nil {
			t := stackedRoot(e.root, a.amplitude, variance)
			in := innovation{share: a.logWeight, v: mat.NewSym(n, nil), alpha: append([]float64(nil), e.r...)}
			inverseOfSquare(t, in.v)
			mat.Trsv(mat.Trans, t, in.alpha)
			mat.Trsv(mat.NoTrans, t, in.alpha)
			in.leave(variance)
			list = append(list, in)
			continue
		}
		a2 := a.amplitude * a.amplitude
		for i := range n {
			to := s.Row(i)
			for j, v := range e.k.Row(i)[:i+1] {
				to[j] = a2 * v
			}
			to[i] += variance[i]
		}
		if err := chol.Factorize(s); err != nil {
			return nil, err
		}
		in := innovation{share: a.logWeight, v: mat.NewSym(n, nil), alpha: make([]float64, n)}
		chol.InverseTo(in.v)
		chol.SolveVecTo(in.alpha, e.r)
		in.leave(variance)
		list = append(list, in)
	}
	return list, nil
}

// leave sets left from the variances of the rows' noise.
func (in *innovation) leave(variance []float64) {
	in.left = make([]float64, len(variance))
	for i, v := range variance {
		in.left[i] = v * in.v.At(i, i)
	}
}

// groupCheck is how a group of readings compares with the prediction by all others.
type groupCheck struct {
	chi2, misfit float64 // chi-squared, and as a standard normal number
	offset       float64 // mean error, as a standard normal number
	pattern      float64 // products of errors of neighbours, as a standard normal number
}

// blockRounding is added to the diagonal of a block of an inverse, relative to its largest element.
const blockRounding = 1e-13

// compare checks rows first to last-1, each in units of 1/scale of its reading.
func (in *innovation) compare(first, last int, scale []float64, pairs [][2]int) (f groupCheck, err error) {
	n := last - first
	own, largest := mat.NewSym(n, nil), 0.0
	for i := range n {
		copy(own.Row(i)[:i+1], in.v.Row(first + i)[first:first+i+1])
		largest = math.Max(largest, own.At(i, i))
	}
	for i := range n { // a block of an inverse may be singular, to rounding
		own.Set(i, i, own.At(i, i)+float64(blockRounding*largest))
	}
	var chol mat.Cholesky
	if err := chol.Factorize(own); err != nil {
		return f, err
	}
	alpha, x := in.alpha[first:last], make([]float64, n)
	chol.SolveVecTo(x, alpha)
	f.chi2 = mat.Dot(alpha, x)
	// E. Wilson and M. Hilferty, The distribution of chi-square, PNAS 17, 1931.
	third := 2 / (9 * float64(n))
	f.misfit = (mat.Exp(mat.Log(math.Max(f.chi2/float64(n), math.SmallestNonzeroFloat64))/3) - (1 - third)) / math.Sqrt(third)
	sum := 0.0
	for i := range n {
		for j := range n {
			sum += float64(float64(own.At(max(i, j), min(i, j))*scale[i]) * scale[j])
		}
	}
	f.offset = mat.Dot(alpha, scale) / math.Sqrt(sum)
	products, variance := 0.0, 0.0
	for _, p := range pairs {
		i, j := max(p[0], p[1]), min(p[0], p[1])
		v := own.At(i, j)
		products += float64(alpha[i]*alpha[j]) - v
		variance += float64(own.At(i, i)*own.At(j, j)) + float64(v*v)
	}
	if len(pairs) > 0 {
		f.pattern = products / math.Sqrt(variance)
	}
	return f, nil
}

// neighbours pairs every reading with its nearest neighbour.
func neighbours(p *system.Problem, points *mat.Dense) [][2]int {
	n := points.Rows()
	seen := map[[2]int]bool{}
	var pairs [][2]int
	for i := range n {
		nearest, least := -1, math.Inf(1)
		for j := range n {
			if d := distance2(p, points.Row(i), points.Row(j)); j != i && d < least {
				nearest, least = j, d
			}
		}
		if pair := [2]int{min(i, nearest), max(i, nearest)}; nearest >= 0 && !seen[pair] {
			seen[pair] = true
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// distance2 is the squared distance of two points, each variable relative to its range.
func distance2(p *system.Problem, a, b []float64) float64 {
	sum := 0.0
	for c, variable := range p.Variables {
		t := variable.Apart(a[c], b[c])
		sum += float64(t * t)
	}
	return sum
}
