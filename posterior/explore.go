package posterior

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// Where a log density of a few numbers lies, which costs milliseconds a place: a scan finds where to begin, damped Newton
// steps climb to the maxima, and about each of them a surrogate of the density is made better until it foretells new
// places. All numbers are standard normal beforehand, so that what is looked at is bounded.

// landscape is the log density of standard normal numbers under each of several models, of which nobody knows which is
// right; -Inf where there is none.
type landscape struct {
	dimensions int
	logs       func(z []float64) []float64 // without the prior of z
	shares     []float64                   // logarithms of the models' prior probabilities
	seen       map[string]*spot
}

func newLandscape(dimensions int, shares []float64, logs func(z []float64) []float64) *landscape {
	return &landscape{dimensions, logs, shares, map[string]*spot{}}
}

// look returns a place with its log densities, which are computed once.
func (l *landscape) look(z []float64) *spot {
	key := fmt.Sprint(z)
	s := l.seen[key]
	if s == nil {
		s = &spot{z: slices.Clone(z), logs: slices.Clone(l.logs(z))}
		tempered := make([]float64, len(s.logs))
		for k, v := range s.logs {
			if s.logs[k] = v - float64(0.5*squares(z)); math.IsNaN(v) {
				s.logs[k] = math.Inf(-1)
			}
			tempered[k] = l.shares[k] + s.logs[k]/temper
		}
		s.log = temper * logSumExp(tempered)
		l.seen[key] = s
	}
	return s
}

// at returns what is climbed on: the mean over the models, tempered as these are.
func (l *landscape) at(z []float64) float64 { return l.look(z).log }

// spot is a place with its log density under each model, and their mean.
type spot struct {
	z    []float64
	logs []float64
	log  float64
}

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

// scan returns places all over the prior, best first.
func (l *landscape) scan() []spot {
	n := scanPlaces(l.dimensions)
	points, z := feature.NewHalton(l.dimensions, 1), make([]float64, l.dimensions)
	list := make([]spot, n)
	for i := range list {
		points.NextTo(z)
		for k, u := range z {
			if l.dimensions == 1 { // evenly
				u = (float64(i) + 0.5) / float64(n)
			}
			z[k] = normalQuantile(u)
		}
		list[i] = *l.look(z)
	}
	slices.SortStableFunc(list, func(a, b spot) int { return cmp.Compare(b.log, a.log) })
	return list
}

// normalQuantile returns the number that a standard normal one is below with probability p.
func normalQuantile(p float64) float64 { return mixture{{1, 0, 1}}.quantile(p) }

// beginnings are the best places of a scan: of one number those that are better than what is next to them, of several those
// that do not lie in each other's neighbourhood.
func beginnings(list []spot, dimensions int) []spot {
	apart := float64(1.2 * mat.Exp(-mat.Log(float64(len(list)))/float64(dimensions))) // twice as far as places that fill a unit cube
	var chosen []spot
	for i, s := range list {
		near := func(o spot) bool {
			sum := 0.0
			for k, z := range s.z {
				d := normalBelow(z) - normalBelow(o.z[k])
				sum += float64(d * d)
			}
			return math.Sqrt(sum) < apart
		}
		others := chosen
		if dimensions == 1 {
			others = list[:i]
		}
		if !math.IsInf(s.log, -1) && !slices.ContainsFunc(others, near) {
			chosen = append(chosen, s)
		}
		if len(chosen) == mostPeaks {
			break
		}
	}
	return chosen
}

const (
	climbSteps = 40 // at most
	// firstReach is how far the first step goes, in prior standard deviations, and shortestReach where climbing ends.
	firstReach, shortestReach = 0.5, 1e-7
	// A maximum is found where the next step is expected to gain less, in nats: of a scan, whose layers are few, and of those
	// that count.
	roughGain, fineGain = 0.5, 0.05
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

// climb goes from a place to the maximum that it leads to.
func (l *landscape) climb(s spot, least float64) (spot, local) {
	reach, step := firstReach, slices.Repeat([]float64{0.1}, l.dimensions)
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

// cloud are places that stand for a density, with weights under each model.
type cloud struct {
	z       [][]float64
	weights [][]float64 // of each model, of sum 1
	masses  []float64   // logarithms of the integral of the density under each model
	centre  []float64   // of coordinates, in which the density is about standard normal,
	root    *mat.Dense  // and their unit, lower triangular
	heavy   []float64   // weights of models
	normal  []bool      // what each says is normal
	mean    []float64   // of places, all models together
	highest float64     // of the models' tempered densities
	off     float64     // by how much log densities were at new places, in nats
	rounds  int
}

const (
	cloudPoints = 4096 // places of a cloud
	mostRounds  = 12   // of new places
	roughRounds = 5    // of a density that is rough
	// wideCloud and widerCloud are how many standard deviations wide proposals are.
	wideCloud, widerCloud = 1.3, 2.6
	// foretoldWell is by how many nats the surrogate may be off at new places, in the root mean square.
	foretoldWell = 0.03
	// The density may be high at a place where it can be highNats below the top, and is not known well where it is uncertain by
	// openNats. So many places are asked, openReach standard deviations wide.
	highNats, openNats        = 3, 0.5
	openCandidates, openReach = 512, 2
	// notNegligible is the weight of a model that counts.
	notNegligible = 0.05
	// farthestPlace is how many units from the centre a place may be for a surrogate to be told of it.
	farthestPlace = 8.0
	// longestMove is how many units coordinates may move at a time.
	longestMove = 2
	// So many rounds must foretell well; one of what is nearly quadratic.
	goodRounds = 3
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

// peaks are the maxima to which the best places of a scan lead, best first, without those that are much lower.
func (l *landscape) peaks() []spot {
	var list []spot
	var clouds []*cloud
	for _, s := range beginnings(l.scan(), l.dimensions) {
		top, m := l.climb(s, roughGain)
		if slices.ContainsFunc(clouds, func(c *cloud) bool { return c.holds(top.z) }) {
			continue
		}
		list, clouds = append(list, top), append(clouds, &cloud{centre: top.z, root: m.root()})
	}
	slices.SortStableFunc(list, func(a, b spot) int { return cmp.Compare(b.log, a.log) })
	return slices.DeleteFunc(list, func(s spot) bool { return s.log < list[0].log-deepest })
}

// newPlaces is how many places a round looks at.
func newPlaces(dimensions int) int {
	quadratic := (dimensions + 1) * (dimensions + 2) / 2
	return 4 + 2*quadratic
}

// around explores a maximum.
func (l *landscape) around(s spot, m local) (*cloud, error) {
	d := l.dimensions
	c := &cloud{centre: slices.Clone(s.z), root: m.root(), off: math.Inf(1)}
	points, u := feature.NewHalton(d, 2), make([]float64, d)
	proposals := make([][]float64, cloudPoints) // standard normal
	for i := range proposals {
		points.NextTo(u)
		proposals[i] = make([]float64, d)
		for k, v := range u {
			proposals[i][k] = normalQuantile(v)
		}
	}
	places := []*spot{&s}
	var fits []*surrogate
	used, good, shifted, open := 0, 0, true, [][]float64(nil)
	for c.rounds = 1; c.rounds <= mostRounds; c.rounds++ {
		// New places, and how well the surrogates have foretold them.
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
			for k, fit := range fits {
				foretold := fit.at(x)
				miss := math.Min(math.Abs(foretold-p.logs[k]), farBelow)
				// as far as the model, and the place under it, matters
				w := float64(mat.Exp(l.shares[k]+fit.top/temper-c.highest) * mat.Exp(math.Min(0, math.Max(p.logs[k], foretold)-fit.top)))
				sum, total = sum+float64(w*float64(miss*miss)), total+w
			}
		}
		if fits != nil {
			c.off = math.Sqrt(sum / math.Max(total, 1e-300))
		}
		// All that is known, in coordinates that follow what is found.
		passes := 0
		for moved := true; moved; passes++ {
			var err error
			if fits, err = c.fit(places, len(l.shares)); err != nil {
				return nil, err
			}
			moved = c.weigh(fits, l.shares, proposals, passes < 2)
		}
		shifted, open = passes > 1, c.open(fits, proposals)
		good++
		if shifted || len(open) > 0 || !(c.off < foretoldWell) {
			good = 0
		}
		if good == 1 && c.nearlyNormal(fits) || good == goodRounds || c.rounds >= roughRounds && c.rough(fits) {
			break
		}
	}
	for _, fit := range fits {
		c.normal = append(c.normal, fit.quadratic())
	}
	return c, nil
}

// nearlyNormal tells whether densities are about as their quadratics say: then no arm of them is anywhere else.
func (c *cloud) nearlyNormal(fits []*surrogate) bool {
	for k, fit := range fits {
		if c.heavy[k] > notNegligible && !fit.nearlyQuadratic() {
			return false
		}
	}
	return true
}

// rough tells whether more places would not help, because densities differ from place to place.
func (c *cloud) rough(fits []*surrogate) bool {
	for k, fit := range fits {
		if c.heavy[k] > notNegligible && fit.roughness >= coarse {
			return true
		}
	}
	return false
}

// open returns places where the density may be high, and is not known well, apart from each other: at most as many as
// a round has.
func (c *cloud) open(fits []*surrogate, proposals [][]float64) [][]float64 {
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
		for k, fit := range fits {
			if c.heavy[k] < notNegligible {
				continue
			}
			mean, sd := fit.at(x), fit.deviation(x)
			if sd > openNats && mean+float64(2*sd) > fit.top-highNats {
				list = append(list, x)
				break
			}
		}
	}
	return list
}

// fit makes a surrogate of each model in the cloud's coordinates.
func (c *cloud) fit(places []*spot, models int) ([]*surrogate, error) {
	var inside [][]float64
	var near []*spot
	for reach := farthestPlace; len(near) <= len(c.centre); reach *= 4 {
		inside, near = nil, nil
		for _, p := range places {
			if x := c.within(p.z); mat.Nrm2(x) < reach {
				inside, near = append(inside, x), append(near, p)
			}
		}
		if len(near) == len(places) {
			break
		}
	}
	fits := make([]*surrogate, models)
	errs := make([]error, models)
	mat.Parallel(models, func(k int) {
		logs, top := make([]float64, len(near)), math.Inf(-1)
		for i, p := range near {
			logs[i] = p.logs[k]
			top = math.Max(top, logs[i])
		}
		if math.IsInf(top, -1) { // a model that has no evidence anywhere
			top = -math.MaxFloat32
		}
		for i := range logs {
			logs[i] = math.Max(logs[i], top-farBelow)
		}
		fits[k], errs[k] = newSurrogate(inside, logs)
	})
	return fits, errors.Join(errs...)
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

// weigh makes places of proposals and weighs them by surrogates. Where their centre and covariance, all models together,
// are far from those that coordinates have, and these may move, it moves them there.
func (c *cloud) weigh(fits []*surrogate, shares []float64, proposals [][]float64, mayMove bool) (moved bool) {
	d, n := len(c.centre), len(proposals)
	// Half of the places are proposed wider than the others; each has its share of both densities.
	x, proposed := make([][]float64, n), make([]float64, n)
	for i, p := range proposals {
		wide := wideCloud
		if 2*i >= n {
			wide = widerCloud
		}
		x[i] = slices.Clone(p)
		for k := range x[i] {
			x[i][k] *= wide
		}
		near, far := squares(x[i])/(2*wideCloud*wideCloud), squares(x[i])/(2*widerCloud*widerCloud)
		proposed[i] = logSumExp([]float64{
			-near - float64(float64(d)*mat.Log(wideCloud)) - ln2, -far - float64(float64(d)*mat.Log(widerCloud)) - ln2,
		})
	}
	unit := float64(0.5*float64(d)*log2Pi) - mat.Log(float64(n))
	for i := range d {
		unit += mat.Log(c.root.At(i, i))
	}
	c.weights, c.masses = make([][]float64, len(fits)), make([]float64, len(fits))
	mat.Parallel(len(fits), func(k int) {
		logs := make([]float64, n)
		for i := range proposals {
			logs[i] = fits[k].at(x[i]) - proposed[i]
		}
		total := logSumExp(logs)
		c.masses[k], c.weights[k] = total+unit, logs
		for i, v := range logs {
			logs[i] = mat.Exp(v - total)
		}
	})
	c.highest = math.Inf(-1)
	for k, fit := range fits {
		c.highest = math.Max(c.highest, shares[k]+fit.top/temper)
	}
	pooled := make([]float64, n)
	c.heavy = modelWeights(shares, c.masses)
	for k, w := range c.heavy {
		mat.Axpy(w, c.weights[k], pooled)
	}
	c.z, c.mean = make([][]float64, n), make([]float64, d)
	for i := range x {
		c.z[i] = c.place(x[i])
		mat.Axpy(pooled[i], c.z[i], c.mean)
	}
	mean, covariance := weightedMoments(x, pooled)
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

// modelWeights are the posterior probabilities of models by their tempered evidences.
func modelWeights(shares, masses []float64) []float64 {
	weights := make([]float64, len(masses))
	for k, v := range masses {
		weights[k] = shares[k] + v/temper
	}
	total := logSumExp(weights)
	for k, v := range weights {
		weights[k] = mat.Exp(v - total)
	}
	return weights
}

// holds tells whether a place lies in the bulk of a cloud.
func (c *cloud) holds(z []float64) bool { return mat.Nrm2(c.within(z)) < 5 }
