package posterior

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// Where a log density of a few numbers lies, which costs milliseconds a place: a scan finds where to begin, damped Newton
// steps climb to the maxima, and about each of them a surrogate of the density is made better until it foretells new
// places. All numbers are standard normal beforehand, so that what is looked at is bounded.

// landscape is the log density of standard normal numbers; -Inf where there is none.
type landscape struct {
	dimensions int
	log        func(z []float64) float64 // without the prior of z
	seen       map[string]*spot
}

func newLandscape(dimensions int, log func(z []float64) float64) *landscape {
	return &landscape{dimensions: dimensions, log: log, seen: map[string]*spot{}}
}

// spot is a place with its log density.
type spot struct {
	z   []float64
	log float64
}

// density is the log density at a place.
func (l *landscape) density(z []float64) float64 {
	if v := l.log(z) - float64(0.5*squares(z)); !math.IsNaN(v) {
		return v
	}
	return math.Inf(-1)
}

// look returns a place with its log density, which is computed once.
func (l *landscape) look(z []float64) *spot {
	key := fmt.Sprint(z)
	s := l.seen[key]
	if s == nil {
		s = &spot{slices.Clone(z), l.density(z)}
		l.seen[key] = s
	}
	return s
}

func (l *landscape) at(z []float64) float64 { return l.look(z).log }

const (
	// scanned is how many places of one number are looked at first, and three times as many for each more.
	scanned, mostScanned = 32, 384
	// mostPeaks bounds how many maxima are climbed to, and deepest is how many nats one may lie below the best to count.
	mostPeaks, deepest = 4, 12
)

// scanPlaces is how many places a scan has.
func scanPlaces(dimensions int) int {
	n := scanned
	for k := 1; k < dimensions && n < mostScanned; k++ {
		n *= 3
	}
	return min(n, mostScanned)
}

// scan returns so many places all over the prior, best first. The log density must be safe for concurrent use.
func (l *landscape) scan(n int) []spot {
	points, list := feature.NewHalton(l.dimensions, 1), make([]spot, n)
	for i := range list {
		z := make([]float64, l.dimensions)
		points.NextTo(z)
		for k, u := range z {
			if l.dimensions == 1 { // evenly
				u = (float64(i) + 0.5) / float64(n)
			}
			z[k] = normalQuantile(u)
		}
		list[i].z = z
	}
	mat.Parallel(n, func(i int) { list[i].log = l.density(list[i].z) })
	slices.SortStableFunc(list, func(a, b spot) int { return cmp.Compare(b.log, a.log) })
	return list
}

// normalQuantile returns the number that a standard normal one is below with probability p.
func normalQuantile(p float64) float64 { return mixture{{1, 0, 1}}.quantile(p) }

const (
	climbSteps = 40 // at most
	// firstReach is how far the first step goes, in prior standard deviations, and shortestReach where climbing ends.
	firstReach, shortestReach = 0.5, 1e-7
	// A maximum is found where the next step is expected to gain less, in nats.
	fineGain = 0.05
)

// local is a quadratic model of a log density: slope and curvature, the latter with its sign changed.
type local struct {
	slope     []float64
	curvature *mat.Sym
}

// model finds slope and curvature from differences over the given steps, which are shortened where the density ends.
func (l *landscape) model(s spot, step []float64) local {
	d := l.dimensions
	m := local{make([]float64, d), mat.NewSym(d, nil)}
	off := func(i, j int, a, b float64) float64 {
		z := slices.Clone(s.z)
		z[i] += a
		z[j] += b
		return l.at(z)
	}
	up := make([]float64, d)
	for i := range d {
		down := 0.0
		for {
			up[i], down = off(i, i, step[i], 0), off(i, i, -step[i], 0)
			if !math.IsInf(up[i], -1) && !math.IsInf(down, -1) || step[i] < shortestReach {
				break
			}
			step[i] *= 0.25
		}
		m.slope[i] = (up[i] - down) / (2 * step[i])
		m.curvature.Set(i, i, (2*s.log-up[i]-down)/(step[i]*step[i]))
	}
	for i := range d {
		for j := range i {
			both := off(i, j, step[i], step[j])
			if v := (up[i] + up[j] - both - s.log) / (step[i] * step[j]); finite(v) {
				m.curvature.Set(i, j, v)
			}
		}
	}
	return m
}

// newton returns the step that maximises a model, and what it gains: with the absolute values of the curvature's
// eigenvalues, and no longer than reach.
func (m *local) newton(reach float64) (step []float64, gain float64) {
	d := len(m.slope)
	var eigen mat.SymEigen
	if err := eigen.Factorize(m.curvature, true); err != nil {
		return make([]float64, d), 0
	}
	values, vectors := eigen.Values(), eigen.Vectors()
	along := make([]float64, d)
	mat.Gemv(mat.Trans, 1, vectors, m.slope, 0, along)
	damp := 0.0
	for range 60 {
		step = make([]float64, d)
		coordinates := make([]float64, d)
		for k, g := range along {
			coordinates[k] = g / (math.Max(math.Abs(values[k]), 1e-12) + damp)
		}
		if length := mat.Nrm2(coordinates); length <= reach {
			gain = 0
			for k, c := range coordinates {
				gain += float64(along[k]*c) - float64(0.5*float64(values[k]*float64(c*c)))
			}
			mat.Gemv(mat.NoTrans, 1, vectors, coordinates, 0, step)
			return step, gain
		}
		damp = math.Max(2*damp, 0.1*mat.Nrm2(along)/reach)
	}
	return step, 0
}

// steps returns those over which differences are to be taken: as far as the density falls by about a nat.
func (m *local) steps(before []float64) []float64 {
	next := slices.Clone(before)
	for i := range next {
		if c := m.curvature.At(i, i); c != 0 {
			next[i] = math.Min(math.Max(1/math.Sqrt(math.Abs(c)), 0.1*before[i]), math.Min(4*before[i], firstReach))
		}
	}
	return next
}

// climb goes from a place to the maximum that it leads to. The first differences are over the given steps.
func (l *landscape) climb(s spot, step []float64, least float64) (spot, local) {
	reach, step := firstReach, slices.Clone(step)
	var m local
	for range climbSteps {
		m = l.model(s, step)
		for range 4 { // until differences are about a nat
			next, changed := m.steps(step), false
			for i := range next {
				changed = changed || next[i] < 0.3*step[i]
			}
			if !changed {
				break
			}
			step = next
			m = l.model(s, step)
		}
		step = m.steps(step)
		moved := false
		for reach > shortestReach {
			by, gain := m.newton(reach)
			if gain < least {
				return s, m
			}
			z := slices.Clone(s.z)
			mat.Axpy(1, by, z)
			next := *l.look(z)
			better := next.log - s.log
			if better > 0.7*gain {
				reach = math.Min(2*reach, 1)
			}
			if better > 0.1*gain {
				s, moved = next, true
				break
			}
			reach = 0.3 * math.Min(reach, mat.Nrm2(by))
		}
		if !moved {
			return s, m
		}
	}
	return s, m
}

// cloud are places that stand for a density about a maximum. Of a sketch, maximum and curvature alone are known.
type cloud struct {
	z       [][]float64 // nil: a sketch
	weights []float64   // of sum 1
	mass    float64     // logarithm of the integral of the density
	centre  []float64   // of coordinates, in which the density is about standard normal,
	root    *mat.Dense  // and their unit, lower triangular
	normal  bool        // it is
	mean    []float64
	off     float64 // by how much log densities were at new places, in nats
	rounds  int
}

const (
	cloudPoints = 4096 // places of a cloud
	mostRounds  = 12   // of new places
	roughRounds = 5    // of a density that is rough
	// wideCloud and widerCloud are how many standard deviations wide proposals are.
	wideCloud, widerCloud = 1.3, 2.6
	// foretoldWell is by how many nats the surrogate may be off at new places, in the root mean square.
	foretoldWell = 0.05
	// The density may be high at a place where it can be highNats below the top, and is not known well where it is uncertain by
	// openNats. So many places are asked, openReach standard deviations wide.
	highNats, openNats        = 3, 0.5
	openCandidates, openReach = 512, 2
	// farthestPlace is how many units from the centre a place may be for a surrogate to be told of it.
	farthestPlace = 8.0
	// longestMove is how many units coordinates may move at a time.
	longestMove = 2
	// So many rounds must foretell well; one of what is nearly quadratic, or of one that foretells foretoldBest.
	goodRounds   = 2
	foretoldBest = 0.1 * foretoldWell
	// farBelow is how many nats below the top a place says nothing.
	farBelow = 60
)

// newWidths are how many standard deviations wide new places are: where the density is, and where it might be, too.
// Their number has no factor in common with the bases of Halton's sequence that are used most.
var newWidths = [...]float64{1.2, 2.2, 1.5, 2.2, 1.2, 1.5, 1.8}

// sentinels are places along the axes of coordinates, where a density that has longer tails than was thought shows them.
func sentinels(dimensions int) [][]float64 {
	var list [][]float64
	for k := range dimensions {
		for _, far := range []float64{-4, -2.5, 2.5, 4} {
			x := make([]float64, dimensions)
			x[k] = far
			list = append(list, x)
		}
	}
	return list
}

// firstSteps are those of the first differences where nothing is known.
func (l *landscape) firstSteps() []float64 { return slices.Repeat([]float64{0.1}, l.dimensions) }

// sketches are the maxima to which the best of some places lead.
func (l *landscape) sketches(known []spot) ([]*cloud, error) {
	var list []*cloud
	held := func(z []float64) bool {
		return slices.ContainsFunc(list, func(c *cloud) bool { return c.holds(z) })
	}
	known = slices.Clone(known)
	slices.SortStableFunc(known, func(a, b spot) int { return cmp.Compare(b.log, a.log) })
	best, climbs := math.Inf(-1), 0
	for _, s := range known {
		if climbs == mostPeaks || math.IsInf(s.log, -1) {
			break
		}
		if held(s.z) {
			continue
		}
		c := l.sketch(s, l.firstSteps())
		climbs++
		top := l.at(c.centre)
		if best = math.Max(best, top); top >= best-deepest && !held(c.centre) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, dataError("coefficients", "for none of the values that were tried can the problem be solved")
	}
	return list, nil
}

// sketch climbs from a place.
func (l *landscape) sketch(from spot, step []float64) *cloud {
	top, m := l.climb(from, step, fineGain)
	c := &cloud{centre: slices.Clone(top.z), mean: top.z, root: m.root(), off: math.Inf(1)}
	c.mass = top.log + float64(0.5*float64(float64(l.dimensions)*log2Pi))
	for i := range l.dimensions {
		c.mass += mat.Log(c.root.At(i, i))
	}
	return c
}

// clouds are what lies about maxima that are sketched.
func (l *landscape) clouds(sketches []*cloud) ([]*cloud, error) {
	var list []*cloud
	var failure error
	for _, s := range sketches {
		known := func(o *cloud) bool { return o.holds(s.centre) }
		if slices.ContainsFunc(list, known) {
			continue
		}
		c, err := l.around(s)
		if err != nil {
			failure = err
			continue
		}
		if slices.ContainsFunc(list, func(o *cloud) bool { return o.holds(c.mean) || c.holds(o.mean) }) {
			continue // it has led to one that is known
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, failure
	}
	return list, nil
}

// newPlaces is how many places a round looks at.
func newPlaces(dimensions int) int {
	quadratic := (dimensions + 1) * (dimensions + 2) / 2
	return 4 + 2*quadratic
}

// around explores a maximum.
func (l *landscape) around(sketch *cloud) (*cloud, error) {
	d := l.dimensions
	c := &cloud{centre: sketch.centre, root: sketch.root, off: math.Inf(1)}
	points, u := feature.NewHalton(d, 2), make([]float64, d)
	proposals := make([][]float64, cloudPoints) // standard normal
	for i := range proposals {
		points.NextTo(u)
		proposals[i] = make([]float64, d)
		for k, v := range u {
			proposals[i][k] = normalQuantile(v)
		}
	}
	places := []*spot{l.look(c.centre)}
	var fit *surrogate
	used, good, shifted, open := 0, 0, true, [][]float64(nil)
	for c.rounds = 1; c.rounds <= mostRounds; c.rounds++ {
		// New places, and how well the surrogate has foretold them.
		sum, total := 0.0, 0.0
		ahead := open
		if shifted {
			ahead = append(sentinels(d), ahead...)
		}
		for range newPlaces(d) {
			x, wide := slices.Clone(proposals[used%len(proposals)]), newWidths[used%len(newWidths)]
			for k := range x {
				x[k] *= wide
			}
			ahead = append(ahead, x)
			used++
		}
		for _, x := range ahead {
			p := l.look(c.place(x))
			places = append(places, p)
			if fit != nil {
				foretold := fit.at(x)
				miss := math.Min(math.Abs(foretold-p.log), farBelow)
				w := mat.Exp(math.Min(0, math.Max(p.log, foretold)-fit.top)) // as far as the place matters
				sum, total = sum+float64(w*float64(miss*miss)), total+w
			}
		}
		if fit != nil {
			c.off = math.Sqrt(sum / math.Max(total, 1e-300))
		}
		// All that is known, in coordinates that follow what is found.
		passes := 0
		for moved := true; moved; passes++ {
			var err error
			if fit, err = c.fit(places, fit); err != nil {
				return nil, err
			}
			moved = c.weigh(fit, proposals, passes < 2)
		}
		shifted, open = passes > 1, c.open(fit, proposals)
		good++
		if shifted || len(open) > 0 || !(c.off < foretoldWell) {
			good = 0
		}
		// What is about as its quadratic says has no arm anywhere else; of what is rough more places would not say more.
		if good == 1 && (fit.nearlyQuadratic() || c.off < foretoldBest) || good == goodRounds ||
			c.rounds >= roughRounds && fit.roughness >= coarse && c.off < coarse && len(open) == 0 {
			break
		}
	}
	c.normal = fit.quadratic()
	return c, nil
}

// open returns places where the density may be high, and is not known well, apart from each other: at most as many as
// a round has.
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
		if sd := fit.deviation(x); sd > openNats && fit.at(x)+float64(2*sd) > fit.top-highNats {
			list = append(list, x)
		}
	}
	return list
}

// fit makes a surrogate in the cloud's coordinates, like the one before if there is one.
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
		return nil, dataError("coefficients", "their evidence cannot be followed")
	}
	for i := range logs {
		logs[i] = math.Max(logs[i], top-farBelow)
	}
	return newSurrogate(inside, logs, before)
}

// root is of the covariance that a model's curvature says, at most the prior's.
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

// lowerRoot is the Cholesky factor of a covariance, lifted where it must be.
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

// place is where something is that lies so many standard deviations from the centre.
func (c *cloud) place(x []float64) []float64 {
	z := slices.Clone(c.centre)
	mat.Gemv(mat.NoTrans, 1, c.root, x, 1, z)
	return z
}

// within is the inverse of place.
func (c *cloud) within(z []float64) []float64 {
	x := slices.Clone(z)
	mat.Axpy(-1, c.centre, x)
	for i := range x {
		v := x[i]
		for j := range i {
			v -= float64(c.root.At(i, j) * x[j])
		}
		x[i] = v / c.root.At(i, i)
	}
	return x
}

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

// weigh makes places of proposals and weighs them by a surrogate. Where their centre and covariance are far from those that
// coordinates have, and these may move, it moves them there.
func (c *cloud) weigh(fit *surrogate, proposals [][]float64, mayMove bool) (moved bool) {
	d, n := len(c.centre), len(proposals)
	// Half of the places are proposed wider than the others; each has its share of both densities.
	x, logs := make([][]float64, n), make([]float64, n)
	mat.Parallel(n, func(i int) {
		wide := wideCloud
		if 2*i >= n {
			wide = widerCloud
		}
		x[i] = slices.Clone(proposals[i])
		for k := range x[i] {
			x[i][k] *= wide
		}
		near, far := squares(x[i])/(2*wideCloud*wideCloud), squares(x[i])/(2*widerCloud*widerCloud)
		logs[i] = fit.at(x[i]) - logSumExp([]float64{
			-near - float64(float64(d)*mat.Log(wideCloud)) - ln2, -far - float64(float64(d)*mat.Log(widerCloud)) - ln2,
		})
	})
	total := logSumExp(logs)
	c.mass = total + float64(0.5*float64(d)*log2Pi) - mat.Log(float64(n))
	for i := range d {
		c.mass += mat.Log(c.root.At(i, i))
	}
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
	c.centre, c.root = c.place(mean), next
	return true
}

// holds tells whether a place lies in the bulk of a cloud.
func (c *cloud) holds(z []float64) bool { return mat.Nrm2(c.within(z)) < 5 }
