package posterior

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// cloud is a set of weighted points that represents a density around a maximum. Of a sketch, only
// maximum and curvature are known.
type cloud struct {
	z       [][]float64 // nil: a sketch
	weights []float64   // of sum 1
	mass    float64     // log integral of the density
	centre  []float64   // origin of coordinates in which the density is about standard normal,
	root    *mat.Dense  // and their unit, lower triangular
	logs    []float64   // of the density over the coordinates, at the points, but for a constant
	mean    []float64
	off     float64 // root mean square error of the surrogate at new points, in nats
	rounds  int
	surface *surrogate // of the log density; nil: of a sketch, or like another cloud
	// straight is the map in whose places centre and root are given while a ridge is explored; nil: in standard normal numbers.
	straight *ridgeMap
	explored *cloud // the coordinates of the surface; nil: these
}

// open returns points where the density may be high and is not known well, apart from each other, at
// most as many as a round has.
func (c *cloud) open(fit *surrogate, proposals [][]float64) [][]float64 {
	d := len(c.centre)
	var list [][]float64
	for i := 0; i < len(proposals) && len(list) < newPlaces(d); i += len(proposals) / openCandidates {
		x := slices.Clone(proposals[i])
		for k := range x {
			x[k] *= openReach
		}
		if slices.ContainsFunc(list, func(o []float64) bool { return squaredDistance(o, x) < float64(d) }) {
			continue
		}
		if sd := fit.deviation(x); c.has(x) && sd > openNats && fit.at(x)+float64(2*sd) > fit.top-highNats {
			list = append(list, x)
		}
	}
	return list
}

// fit makes a surrogate in the cloud's coordinates, similar to the previous one if there is one.
func (c *cloud) fit(places []*spot, before *surrogate) (*surrogate, error) {
	var inside [][]float64
	var logs []float64
	for reach := farthestPlace; len(logs) <= len(c.centre); reach *= 4 {
		inside, logs = nil, nil
		for _, p := range places {
			if x := c.within(p.z); mat.Nrm2(x) < reach {
				inside, logs = append(inside, x), append(logs, p.log)
			}
		}
		if len(logs) == len(places) {
			break
		}
	}
	top := slices.Max(logs)
	if math.IsInf(top, -1) {
		return nil, dataError("coefficients", "their evidence could not be interpolated")
	}
	for i := range logs {
		logs[i] = math.Max(logs[i], top-farBelow)
	}
	return newSurrogate(inside, logs, before)
}

// root is a square root of the covariance that the Hessian implies, at most the prior's.
func (m *local) root() *mat.Dense {
	d := len(m.slope)
	root := mat.NewDense(d, d, nil)
	var eigen mat.SymEigen
	if err := eigen.Factorize(m.curvature, true); err != nil {
		for i := range d {
			root.Set(i, i, 0.1)
		}
		return root
	}
	values, vectors := eigen.Values(), eigen.Vectors()
	covariance := mat.NewSym(d, nil)
	for i := range d {
		for j := range i + 1 {
			sum := 0.0
			for k, v := range values {
				sum += float64(float64(vectors.At(i, k)*vectors.At(j, k)) / math.Max(math.Abs(v), 1))
			}
			covariance.Set(i, j, sum)
		}
	}
	return lowerRoot(covariance)
}

// lowerRoot is the Cholesky factor of a covariance, whose diagonal is increased where needed.
func lowerRoot(covariance *mat.Sym) *mat.Dense {
	d := covariance.N()
	root, lift := mat.NewDense(d, d, nil), 0.0
	for {
		lifted := covariance.Clone()
		for i := range d {
			lifted.Set(i, i, lifted.At(i, i)*(1+lift))
		}
		var chol mat.Cholesky
		if err := chol.Factorize(lifted); err == nil {
			for i := range d {
				for j := range i + 1 {
					root.Set(i, j, chol.L().At(i, j))
				}
			}
			return root
		}
		if lift = math.Max(10*lift, 1e-12); lift > 1 {
			for i := range d {
				root.Set(i, i, math.Sqrt(math.Max(covariance.At(i, i), 1e-20)))
			}
			return root
		}
	}
}

// place maps coordinates to a point.
func (c *cloud) place(x []float64) []float64 {
	z := c.moved(x)
	if c.straight != nil {
		c.straight.from(z)
	}
	return z
}

// moved is the centre, moved to coordinates.
func (c *cloud) moved(x []float64) []float64 {
	z := slices.Clone(c.centre)
	mat.Gemv(mat.NoTrans, 1, c.root, x, 1, z)
	return z
}

// has tells whether the prior allows the coefficients at some coordinates.
func (c *cloud) has(x []float64) bool { return c.straight == nil || c.straight.has(c.moved(x)) }

// allowed returns the coordinates that the prior allows.
func (c *cloud) allowed(list [][]float64) [][]float64 {
	if c.straight == nil {
		return list
	}
	var allowed [][]float64
	for _, x := range list {
		if c.has(x) {
			allowed = append(allowed, x)
		}
	}
	return allowed
}

// own returns points with the log density in the cloud's coordinates.
func (c *cloud) own(list []*spot) []*spot {
	if c.straight == nil {
		return list
	}
	own := make([]*spot, len(list))
	for i, s := range list {
		own[i] = &spot{s.z, s.log + c.straight.log(s.z)}
	}
	return own
}

// bend ends the exploration of a ridge: others are to see a cloud in normal numbers, with the coordinates of its moments.
func (c *cloud) bend() {
	if c.straight == nil {
		return
	}
	for i, z := range c.z {
		c.logs[i] -= c.straight.log(z)
	}
	c.explored = &cloud{centre: c.centre, root: c.root, straight: c.straight}
	mean, covariance := weightedMoments(c.z, c.weights)
	c.centre, c.root, c.straight = mean, lowerRoot(covariance), nil
}

// within is the inverse of place.
func (c *cloud) within(z []float64) []float64 {
	x := make([]float64, len(z))
	c.withinTo(x, z)
	return x
}

// withinTo is within without a new slice.
func (c *cloud) withinTo(x, z []float64) {
	if c.straight != nil {
		z = slices.Clone(z)
		c.straight.to(z)
	}
	for i := range x {
		v := z[i] - c.centre[i]
		for j := range i {
			v -= float64(c.root.At(i, j) * x[j])
		}
		x[i] = v / c.root.At(i, i)
	}
}

// apart is how far a point is from the centre, in standard deviations, in the root mean square over the numbers.
func (c *cloud) apart(z []float64) float64 { return mat.Nrm2(c.within(z)) / math.Sqrt(float64(len(z))) }

// steps are how far along each number the density falls by half a nat.
func (c *cloud) steps() []float64 {
	step := make([]float64, len(c.centre))
	for i := range step {
		z := slices.Clone(c.centre)
		z[i]++
		step[i] = 1 / mat.Nrm2(c.within(z))
	}
	return step
}

// weigh makes points of proposals and weighs them by the log density at, which takes the cloud's coordinates. Where mean
// and covariance are far from the coordinates', and mayMove, it moves the coordinates there.
func (c *cloud) weigh(at func(x []float64) float64, proposals [][]float64, mayMove bool) (moved bool) {
	d, n := len(c.centre), len(proposals)
	// Half of the proposals are wider than the others; the proposal density is the mixture of both.
	x, logs := make([][]float64, n), make([]float64, n)
	c.logs = make([]float64, n)
	mat.Parallel(n, func(i int) {
		wide := wideCloud
		if 2*i >= n {
			wide = widerCloud
		}
		x[i] = slices.Clone(proposals[i])
		for k := range x[i] {
			x[i][k] *= wide
		}
		if !c.has(x[i]) {
			logs[i], c.logs[i] = math.Inf(-1), math.Inf(-1)
			return
		}
		near, far := squares(x[i])/(2*wideCloud*wideCloud), squares(x[i])/(2*widerCloud*widerCloud)
		c.logs[i] = at(x[i])
		logs[i] = c.logs[i] - logSumExp([]float64{
			-near - float64(float64(d)*mat.Log(wideCloud)) - ln2, -far - float64(float64(d)*mat.Log(widerCloud)) - ln2,
		})
	})
	total := logSumExp(logs)
	c.mass = total + float64(0.5*float64(d)*log2Pi) - mat.Log(float64(n))
	c.mass += c.logUnit()
	c.z, c.weights, c.mean = make([][]float64, n), logs, make([]float64, d)
	for i := range x {
		logs[i] = mat.Exp(logs[i] - total)
		c.z[i] = c.place(x[i])
		mat.Axpy(logs[i], c.z[i], c.mean)
	}
	mean, covariance := weightedMoments(x, c.weights)
	root := lowerRoot(covariance)
	far := mat.Nrm2(mean)
	if far > longestMove { // what lies beyond is not known well
		for i := range mean {
			mean[i] *= longestMove / far
		}
	}
	for i := range d {
		far = math.Max(far, math.Abs(mat.Log(root.At(i, i))))
		for j, v := range root.Row(i)[:i+1] {
			if limit := math.Max(root.At(i, i), 0.5); j == i {
				root.Set(i, i, math.Min(limit, 2))
			} else {
				root.Set(i, j, math.Max(-2, math.Min(v, 2)))
			}
		}
	}
	if !mayMove || far < 0.2 {
		return false
	}
	next := mat.NewDense(d, d, nil)
	mat.Gemm(mat.NoTrans, mat.NoTrans, 1, c.root, root, 0, next)
	c.centre, c.root = c.moved(mean), next
	return true
}

// outline is what a mixture sees of a cloud.
type outline struct {
	mass     float64
	mean, sd []float64
}

// outline returns the cloud's; one without mean before the cloud has points.
func (c *cloud) outline() outline {
	if c.z == nil {
		return outline{}
	}
	o := outline{mass: c.mass}
	mean, covariance := weightedMoments(c.z, c.weights)
	for i := range mean {
		o.sd = append(o.sd, math.Sqrt(covariance.At(i, i)))
	}
	o.mean = mean
	return o
}

// stands tells whether the cloud is what it was: to within enough nats of its mass, and as many standard
// deviations of its mean, and enough of the logarithms of these.
func (c *cloud) stands(before outline, enough float64) bool {
	if before.mean == nil {
		return false
	}
	now := c.outline()
	moved := math.Abs(now.mass - before.mass)
	was := c.within(before.mean)
	mat.Axpy(-1, c.within(now.mean), was)
	moved = math.Max(moved, mat.Nrm2(was))
	for i, sd := range now.sd {
		moved = math.Max(moved, math.Abs(mat.Log(sd/before.sd[i])))
	}
	return moved < enough
}

// normalLog is the log density of a normal distribution of the cloud's mass and mean, with its unit for standard
// deviations.
func (c *cloud) normalLog(z []float64) float64 {
	x := c.within(z)
	mat.Axpy(-1, c.within(c.mean), x)
	return c.mass - float64(0.5*(squares(x)+float64(float64(len(x))*log2Pi))) - c.logUnit()
}

// logUnit is the logarithm of the volume of the cloud's unit.
func (c *cloud) logUnit() float64 {
	sum := 0.0
	for i := range c.centre {
		sum += mat.Log(c.root.At(i, i))
	}
	return sum
}

// holds tells whether a point lies in the bulk of the cloud.
func (c *cloud) holds(z []float64) bool { return mat.Nrm2(c.coordinates().within(z)) < 5 }

// coordinates returns those of the surface, as a cloud.
func (c *cloud) coordinates() *cloud {
	if c.explored != nil {
		return c.explored
	}
	return c
}

// knows tells whether the surface predicts a point.
func (c *cloud) knows(s *spot) bool {
	if c.surface == nil {
		return false
	}
	in := c.coordinates()
	x := in.within(s.z)
	return mat.Nrm2(x) < farthestSentinel && math.Abs(c.surface.at(x)-in.own([]*spot{s})[0].log) < foretold
}
