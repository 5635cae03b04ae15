package posterior

import (
	"cmp"
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// Where a log density of a few numbers lies, which costs milliseconds a place: a scan finds where to begin, damped Newton
// steps climb to the maxima, and about each of them a surrogate of the density is made better until it foretells new
// places. All numbers are standard normal beforehand, so that what is looked at is bounded.

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
