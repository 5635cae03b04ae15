package posterior

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// Exploring a log density of a few numbers that costs milliseconds per evaluation: a scan finds
// starting points, damped Newton steps climb to the maxima, and around each maximum a surrogate of
// the density is refined until it predicts new points. All numbers are standard normal a priori, so
// the region to explore is bounded.

const (
	cloudPoints = 4096 // points of a cloud
	mostRounds  = 12   // rounds of new points
	roughRounds = 5    // rounds for a rough density
	// wideCloud and widerCloud are the widths of proposals, in standard deviations.
	wideCloud, widerCloud = 1.3, 2.6
	// wellPredicted is the largest root mean square error of the surrogate at new points, in nats: that of
	// a mixture, so where a site has a smaller weight its own may be larger.
	wellPredicted = 0.05
	// A point is open where the density may reach highNats below the top and its surrogate is
	// uncertain by openNats. openCandidates points are checked, spread over openReach standard
	// deviations.
	highNats, openNats        = 3, 0.5
	openCandidates, openReach = 512, 2
	// farthestPlace is how far from the centre, in units of the cloud, a point may be to be used by a
	// surrogate.
	farthestPlace = 8.0
	// Beyond farthestSentinel units from the centre a density is taken to fall like a normal one.
	farthestSentinel = 7.0
	// A maximum that a surface predicts to within foretold nats is part of its cloud.
	foretold = 1
	// Points that were looked at before are used if they are knownApart units from each other.
	knownApart = 0.3
	// longestMove is how many units the centre may move at a time.
	longestMove = 2
	// goodRounds rounds must predict well; one suffices for what is nearly quadratic, or where the
	// error is below bestPredicted.
	goodRounds    = 2
	bestPredicted = 0.1 * wellPredicted
	// A point farBelow nats below the top carries no information.
	farBelow = 60
)

// newWidths are the widths of new points in standard deviations: where the density is, and where it
// might be. Their number is coprime to the bases of Halton's sequence that are used most.
var newWidths = [...]float64{1.2, 2.2, 1.5, 2.2, 1.2, 1.5, 1.8}

// sentinels are points along the coordinate axes, where longer tails than assumed show up. The farthest are where
// a surrogate is no longer believed: beyond its points it may rise, and give a tail to what has none.
func sentinels(dimensions int) [][]float64 {
	var list [][]float64
	for k := range dimensions {
		for _, far := range []float64{-farthestSentinel, -4, -2.5, 2.5, 4, farthestSentinel} {
			x := make([]float64, dimensions)
			x[k] = far
			list = append(list, x)
		}
	}
	return list
}

// sketches are the maxima that the best of the known points lead to. step is for the first differences,
// about as far as the density falls by a nat.
func (l *landscape) sketches(known []spot, step []float64) ([]*cloud, error) {
	var list []*cloud
	held := func(z []float64) bool {
		return slices.ContainsFunc(list, func(c *cloud) bool { return c.holds(z) })
	}
	below := func(s spot) bool { // the top of a known maximum, in its bulk
		return slices.ContainsFunc(list, func(c *cloud) bool { return c.holds(s.z) && s.log <= l.at(c.centre) })
	}
	known = slices.Clone(known)
	sort.SliceStable(known, func(i, j int) bool { return known[i].log > known[j].log })
	best, climbs := math.Inf(-1), 0
	for _, s := range known {
		if climbs == mostPeaks || math.IsInf(s.log, -1) {
			break
		}
		if held(s.z) {
			continue
		}
		c := l.sketch(s, step, below)
		climbs++
		top := l.at(c.centre)
		if best = math.Max(best, top); top >= best-deepest && !held(c.centre) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, dataError("coefficients", "the problem could not be solved for any of the values tried")
	}
	return list, nil
}

// sketch climbs from a point, until it is known where that leads to.
func (l *landscape) sketch(from spot, step []float64, known func(s spot) bool) *cloud {
	top, m := l.climb(from, step, fineGain, known)
	c := &cloud{centre: slices.Clone(top.z), mean: top.z, root: m.root(), off: math.Inf(1)}
	c.mass = top.log + float64(0.5*float64(float64(l.dimensions)*log2Pi))
	c.mass += c.logUnit()
	return c
}

// clouds explores the maxima of sketches, as far as a mixture needs it in which their weight is the given
// one.
func (l *landscape) clouds(sketches []*cloud, weight float64) ([]*cloud, error) {
	var list []*cloud
	var failure error
	sketches = slices.Clone(sketches)
	slices.SortStableFunc(sketches, func(a, b *cloud) int { return cmp.Compare(b.mass, a.mass) })
	for _, s := range sketches {
		known := func(o *cloud) bool { return o.holds(s.centre) || o.knows(l.look(s.centre)) }
		if slices.ContainsFunc(list, known) {
			continue
		}
		// The mass of a sketch is known to some nats.
		share := mat.Exp(math.Min(0, s.mass+highNats-sketches[0].mass))
		if share < lightest {
			break
		}
		c, err := l.around(s, wellPredicted/math.Sqrt(weight*share))
		if err != nil {
			failure = err
			continue
		}
		if slices.ContainsFunc(list, func(o *cloud) bool { return o.holds(c.mean) || c.holds(o.mean) }) {
			continue // it has led to a known one
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, failure
	}
	return list, nil
}

// quadraticTerms is how many coefficients a quadratic has.
func quadraticTerms(dimensions int) int { return (dimensions + 1) * (dimensions + 2) / 2 }

// newPlaces is how many points a round evaluates.
func newPlaces(dimensions int) int { return 4 + 2*quadraticTerms(dimensions) }

// known returns the centre of a cloud and the points about it that have been looked at, without near duplicates: these tell a
// surrogate nothing.
func (l *landscape) known(c *cloud) []*spot {
	list, taken := []*spot{l.look(c.place(make([]float64, l.dimensions)))}, [][]float64{make([]float64, l.dimensions)}
	for _, key := range slices.Sorted(maps.Keys(l.seen)) {
		s := l.seen[key]
		x := c.within(s.z)
		if mat.Nrm2(x) < farthestPlace && s.log > list[0].log-farBelow && !slices.ContainsFunc(taken, func(o []float64) bool { return squaredDistance(o, x) < knownApart*knownApart }) {
			list, taken = append(list, s), append(taken, x)
		}
	}
	return list
}

// normalPoints returns points of a low-discrepancy sequence as standard normal numbers. They are shared, and not to be
// changed.
func normalPoints(dimensions int) [][]float64 {
	if known, ok := pointsKnown.Load(dimensions); ok {
		return known.([][]float64)
	}
	points, u := feature.NewHalton(dimensions, 2), make([]float64, dimensions)
	list := make([][]float64, cloudPoints)
	for i := range list {
		points.NextTo(u)
		list[i] = make([]float64, dimensions)
		for k, v := range u {
			list[i][k] = normalQuantile(v)
		}
	}
	pointsKnown.Store(dimensions, list)
	return list
}

// widened returns one of the proposals, times the width that is its turn.
func widened(proposals [][]float64, turn int) []float64 {
	x := slices.Clone(proposals[turn%len(proposals)])
	scaleVector(newWidths[turn%len(newWidths)], x)
	return x
}

// pointsKnown holds the points by dimensions.
var pointsKnown sync.Map

// misses returns the root mean square error with which a log density predicts places, at x, in nats.
// Places count as far as they matter beside the top.
func misses(at func(x []float64) float64, top float64, x [][]float64, places []*spot) float64 {
	sum, total := 0.0, 0.0
	for i, p := range places {
		predicted := at(x[i])
		miss := math.Min(math.Abs(predicted-p.log), farBelow)
		w := mat.Exp(math.Min(0, math.Max(p.log, predicted)-top))
		sum, total = sum+float64(w*float64(miss*miss)), total+w
	}
	return math.Sqrt(sum / math.Max(total, 1e-300))
}

// around explores one maximum in rounds. Each evaluates new points: spread over the cloud, where the
// surrogate is uncertain and, if the cloud has shifted, along its axes. Then it fits the surrogate to
// all points, in coordinates that adapt, until the surrogate has predicted new points to within enough
// nats.
func (l *landscape) around(sketch *cloud, enough float64) (*cloud, error) {
	d := l.dimensions
	c := &cloud{centre: sketch.centre, root: sketch.root, off: math.Inf(1)}
	proposals := normalPoints(d)
	places := c.own(l.known(c))
	var fit *surrogate
	if len(places) >= quadraticTerms(d) {
		var err error
		if fit, err = c.fit(places, nil); err != nil {
			return nil, err
		}
	}
	used, good, shifted, open := 0, 0, true, [][]float64(nil)
	for c.rounds = 1; c.rounds <= mostRounds; c.rounds++ {
		ahead := open
		if shifted {
			ahead = append(sentinels(d), ahead...)
		}
		for range newPlaces(d) {
			ahead = append(ahead, widened(proposals, used))
			used++
		}
		ahead = c.allowed(ahead)
		known := len(places)
		places = append(places, c.own(l.lookAll(ahead, c))...)
		if c.rounds == 1 && d > 1 && l.list != nil {
			if c.straighten(l.list, places); c.straight != nil {
				places, fit = c.own(places), nil
			}
		}
		if fit != nil && len(ahead) > 0 {
			c.off = misses(fit.at, fit.top, ahead, places[known:])
		}
		before, passes := c.outline(), 0
		for moved := true; moved; passes++ {
			var err error
			if fit, err = c.fit(places, fit); err != nil {
				return nil, err
			}
			moved = c.weigh(fit.at, proposals, passes < 2)
		}
		shifted, open = passes > 1, c.open(fit, proposals)
		good++
		if shifted || len(open) > 0 || !(c.off < enough) {
			good = 0
		}
		// A nearly quadratic density has no arms elsewhere; a rough one would not become clearer with
		// more points. Errors matter only as far as they show in what the cloud says.
		if !shifted && len(open) == 0 && c.off < coarse && c.stands(before, enough) || good == 1 && (fit.nearlyQuadratic() || c.off < bestPredicted) || good == goodRounds ||
			c.rounds >= roughRounds && fit.roughness >= coarse && c.off < coarse && len(open) == 0 {
			break
		}
	}
	c.surface = fit
	c.bend()
	return c, nil
}
