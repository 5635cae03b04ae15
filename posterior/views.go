package posterior

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bpielm/bpielm/mat"
)

const (
	// At most mostExplored layers explore the evidence, each with a weight of at least countingSite.
	mostExplored = 8
	countingSite = 0.03
	// enoughNeurons is the root mean square change of the evidence over a cloud, in nats, up to which
	// neurons need not be doubled; it is checked at checkReach standard deviations from the mean.
	enoughNeurons, checkReach = 0.5, 1.5
	// askedViews is how many of the heaviest sites are checked.
	askedViews = 3
	// At most mostRivals other maxima are solved besides the heaviest.
	mostRivals = 2
	// levelEnough is how many nats off the tops of models may be, levelRounds how often they are climbed to at most.
	levelEnough, levelRounds = 0.3, 4
	// sameNoise is the factor within which the noise at which evidences are given back may be wrong.
	sameNoise = 2
)

// view is the posterior of the coefficients under the layers of one site.
type view struct {
	site   site
	share  float64 // log prior probability
	weight float64
	excess float64 // see compare
	land   *landscape
	rate   func(z []float64) rated
	lock   sync.Mutex
	rates  map[string]*ratedSpot // of the points that have been rated
	clouds []*cloud              // nil: not yet climbed to; sketches until there are enough neurons
}

// mass is the log integral of the density.
func (v *view) mass() float64 {
	masses := make([]float64, len(v.clouds))
	for i, c := range v.clouds {
		masses[i] = c.mass
	}
	return logSumExp(masses)
}

// worth is the tempered log density of a site at a point.
func (v *view) worth(z []float64) float64 { return v.share + v.land.at(z)/temper }

// begin prepares the exploration: sizes are those of the best solution, and layers are half as large
// as the largest that solutions which matter have, or may need.
func (e *coefficients) begin() {
	best := &e.solved[0]
	neurons := best.neurons
	for i := range e.solved {
		s := &e.solved[i]
		if !(s.log > best.log-deepest) {
			continue
		}
		if neurons = max(neurons, s.neurons); s.rough { // it may need more
			neurons = max(neurons, min(2*s.neurons, 2*e.enough()))
		}
	}
	e.config.reference = best.noise
	e.frame, e.neurons = best.frame, min(manyNeurons, max((neurons+1)/2, min(fewestNeurons, neurons)))
	natural := naturalSizes(balanced(best.problem.ForNeurons(best.neurons)))
	e.ratio = make([]float64, len(natural.residual))
	for i, v := range best.frame.sizes.residual {
		e.ratio[i] = v / natural.residual[i]
	}
	e.choose()
}

// choose takes the sites that suit the solutions, as far as they may matter where any of these is,
// keeping what is already known of them.
func (e *coefficients) choose() {
	most := mostExplored
	if e.config.Maximum {
		most = 1
	}
	chosen := e.sites(most)
	before := e.views
	shares := logShares(chosen)
	total := logSumExp(shares)
	e.views = nil
	var more []*view
	for i, t := range chosen {
		k := slices.IndexFunc(before, func(v *view) bool { return v.site.commonKey() == t.commonKey() })
		if k >= 0 {
			e.views = append(e.views, before[k])
		} else {
			v := e.newView(t.site, e.neurons)
			e.views, more = append(e.views, v), append(more, v)
		}
		e.views[i].share = shares[i] - total
	}
	e.compare(more)
	e.weighAtKnown()
	e.keep(most)
}

// sites chooses at most the given number of sites to represent those of all solutions. In each solution
// sites have the weights that they have there, and solutions have those of their tempered evidence: what
// suits one value of the coefficients need not suit another, and layers that suit only the most probable
// one would be too sure of it. How much those that were chosen count is decided when they are explored, see
// agreedWeights.
func (e *coefficients) sites(most int) []*tried {
	var list []*tried
	var weights []float64
	places := map[string]int{}
	for i := range e.solved {
		s := &e.solved[i]
		if !(s.log > e.solved[0].log-deepest) {
			continue
		}
		logs := logWeights(s.sites)
		total := logSumExp(logs)
		for k, t := range s.sites {
			key := t.commonKey()
			at, known := places[key]
			if !known {
				at = len(list)
				places[key] = at
				list, weights = append(list, t), append(weights, 0)
			}
			weights[at] += mat.Exp(logs[k] - total + (s.log-e.solved[0].log)/temper)
		}
	}
	chosen, _ := represented(list, weights, most)
	return chosen
}

// weighAtKnown gives each site its largest share of the density at any solved point and any mean of a known cloud,
// relative to the best of these.
func (e *coefficients) weighAtKnown() {
	var places [][]float64
	for i := range e.solved {
		places = append(places, e.solved[i].z)
	}
	for _, v := range e.views {
		for _, c := range v.clouds {
			places = append(places, c.mean)
		}
	}
	worth := mat.NewDense(len(places), len(e.views), nil)
	mat.Parallel(len(e.views), func(k int) {
		for i, z := range places {
			worth.Set(i, k, e.views[k].worth(z))
		}
	})
	best := math.Inf(-1)
	for i := range places {
		best = math.Max(best, logSumExp(worth.Row(i)))
	}
	weights := make([]float64, len(e.views))
	for k := range weights {
		for i := range places {
			weights[k] = math.Max(weights[k], mat.Exp(worth.At(i, k)-best))
		}
	}
	e.weigh(weights)
}

// keep keeps the heaviest sites, at most the given number, that carry weight.
func (e *coefficients) keep(most int) {
	slices.SortStableFunc(e.views, func(a, b *view) int { return cmp.Compare(b.weight, a.weight) })
	n := 1
	for n < min(most, len(e.views)) && e.views[n].weight > countingSite {
		n++
	}
	e.views = e.views[:n]
}

// newView is a site with layers of the given size.
func (e *coefficients) newView(s site, neurons int) *view {
	v := &view{site: s, rates: map[string]*ratedSpot{}}
	v.rate = func(z []float64) rated { return e.rate(z, &s, neurons) }
	v.land = newLandscape(len(e.list), func(z []float64) float64 { return v.rated(z).together(e.tops) })
	v.land.list = e.list
	return v
}

// rated rates a point by both models, once.
func (v *view) rated(z []float64) rated {
	return v.less(v.evidence(z))
}

// less takes off the excess.
func (v *view) less(r rated) rated { return rated{r[0], r[1] - v.excess} }

// evidence is rated with the site's own refund.
func (v *view) evidence(z []float64) rated {
	key := fmt.Sprint(z)
	v.lock.Lock()
	s := v.rates[key]
	v.lock.Unlock()
	if s == nil {
		s = &ratedSpot{slices.Clone(z), v.rate(z)}
		v.lock.Lock()
		v.rates[key] = s
		v.lock.Unlock()
	}
	return s.rated
}

// highest returns the most probable point so far by one of the models.
func (v *view) highest(model int) spot {
	best := spot{log: math.Inf(-1)}
	for _, s := range v.rates {
		log := v.less(s.rated)[model] - float64(0.5*squares(s.z))
		if log > best.log || log == best.log && slices.Compare(s.z, best.z) < 0 {
			best = spot{s.z, log}
		}
	}
	return best
}

// compare makes new sites comparable. Layers at the same coefficients are compared by their evidence, whatever of it is given back. So a
// site is given as much back as the average of all sites at the solution where it matters most.
func (e *coefficients) compare(sites []*view) {
	if !e.config.compared {
		return
	}
	mat.Parallel(len(e.views), func(k int) {
		for i := range e.solved {
			e.views[k].evidence(e.solved[i].z)
		}
	})
	for _, v := range sites {
		z := e.chief(v)
		if z == nil {
			continue
		}
		logs := make([]float64, len(e.views))
		for k, o := range e.views {
			logs[k] = o.share + o.evidence(z)[0]/temper
		}
		total, mean := logSumExp(logs), 0.0
		for k, o := range e.views {
			if w := mat.Exp(logs[k] - total); w > 0 {
				mean += float64(w * o.evidence(z).back())
			}
		}
		v.excess = v.evidence(z).back() - mean
	}
}

// chief is the solved point where a site has the most evidence; nil where it has none at any.
func (e *coefficients) chief(v *view) (z []float64) {
	best := math.Inf(-1)
	for i := range e.solved {
		if log := v.evidence(e.solved[i].z)[0] - float64(0.5*squares(e.solved[i].z)); log > best {
			best, z = log, e.solved[i].z
		}
	}
	return z
}

// level finds the tops of both models for the heaviest site, from where each is highest so far. step is for the first differences.
// It returns those for the next, and whether the tops have moved.
func (e *coefficients) level(step []float64) (next []float64, moved bool) {
	tops, v := e.tops, e.views[0]
	for k := range tops {
		from := v.highest(k)
		if from.z == nil || e.levelled == e.neurons && from.log < tops[k]+levelEnough {
			continue
		}
		land := newLandscape(len(e.list), func(z []float64) float64 { return v.rated(z)[k] })
		top, m := land.climb(from, step, levelEnough, func(spot) bool { return false })
		_, gain := m.newton(firstReach)
		tops[k] = top.log + math.Min(math.Max(gain, 0), levelEnough)
		step = m.steps(step)
	}
	if tops == e.tops {
		return step, false
	}
	e.tops, e.levelled = tops, e.neurons
	for _, v := range e.views {
		clear(v.land.seen)
	}
	return step, true
}

// sketch climbs to the maxima of the heaviest site, and to those of sites that may have others. Sites that have none are
// dropped. Another site may then be the heaviest.
func (e *coefficients) sketch() error {
	var errs []error
	for len(e.views) > 0 && e.views[0].clouds == nil {
		lead := e.views[0]
		if err := e.sketchLead(); err != nil {
			errs, e.views = append(errs, err), e.views[1:]
			continue
		}
		e.found = lead.clouds
		risen := e.risen(lead)
		mat.Parallel(len(e.views), func(k int) {
			if v := e.views[k]; v.clouds == nil {
				if places := risen(v); places != nil {
					_ = e.sketchView(v, places, e.steps()) // like the heaviest site where that fails
				}
			}
		})
		e.weighAtKnown()
	}
	if len(e.views) == 0 {
		return errors.Join(errs...)
	}
	return nil
}

// sketchLead climbs to the maxima of the heaviest site. The first one with its number of neurons makes the models level, again
// where climbing has led one of them higher.
func (e *coefficients) sketchLead() error {
	lead := e.views[0]
	step, moved := e.steps(), false
	levels := e.config.compared && e.levelled != e.neurons
	for range levelRounds {
		if levels {
			step, moved = e.level(step)
		}
		if lead.clouds != nil && !moved {
			break
		}
		known := e.solvedSpots(lead.land)
		for k := range e.tops {
			if s := lead.highest(k); levels && s.z != nil {
				known = append(known, *lead.land.look(s.z))
			}
		}
		if err := e.sketchView(lead, known, step); err != nil {
			return err
		}
		step = lead.clouds[0].steps()
	}
	return nil
}

// solvedSpots are the solved points in a landscape.
func (e *coefficients) solvedSpots(l *landscape) []spot {
	var known []spot
	for i := range e.solved {
		known = append(known, *l.look(e.solved[i].z))
	}
	return known
}

// steps are for first differences: how narrow the density is, as far as that is known.
func (e *coefficients) steps() []float64 {
	if len(e.found) > 0 {
		return e.found[0].steps()
	}
	return e.views[0].land.firstSteps()
}

// sketchView climbs to the maxima of a site, from known points and from the maxima that have been found. step is for the first
// differences.
func (e *coefficients) sketchView(v *view, known []spot, step []float64) (err error) {
	if len(e.found) > 0 { // it is roughly known where there is something
		for _, c := range e.found {
			known = append(known, *v.land.look(c.mean))
		}
		best := slices.MaxFunc(known, func(a, b spot) int { return cmp.Compare(a.log, b.log) }).log
		known = slices.DeleteFunc(known, func(s spot) bool { return s.log < best-deepest })
	}
	v.clouds, err = v.land.sketches(known, step)
	return err
}

// explore explores the maxima of all sites: those of the heaviest one by themselves, those of others by their
// difference from these where they are alike.
func (e *coefficients) explore() error {
	var errs []error
	lead := func() *view { return e.views[0] }
	for !lead().explored() {
		var err error
		if lead().clouds, err = lead().land.clouds(lead().clouds, lead().weight); err == nil {
			break
		}
		errs, e.views = append(errs, err), e.views[1:]
		if err := e.sketch(); err != nil || len(e.views) == 0 {
			return errors.Join(append(errs, err)...)
		}
	}
	known := lead()
	if k := slices.IndexFunc(e.views, func(v *view) bool { return v.explored() && v.clouds[0].surface != nil }); k >= 0 {
		known = e.views[k]
	}
	risen := e.risen(known)
	err := e.others(func(v *view) error {
		places := risen(v)
		for _, c := range v.clouds {
			places = append(places, *v.land.look(c.centre))
		}
		clouds := v.land.like(known.clouds, places, v.weight)
		switch {
		case clouds != nil:
			v.clouds = clouds
		case v.clouds == nil:
			return e.sketchView(v, places, e.steps())
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.keep(len(e.views))
	err = e.others(func(v *view) (err error) {
		v.clouds, err = v.land.clouds(v.clouds, v.weight)
		return err
	})
	if err == nil {
		e.weigh(agreedWeights(e.views))
	}
	return err
}

// risen returns a function that says of another view which solved points stand higher beside its density at the highest
// maximum of a known view than they do in that. They may lead to maxima of its own.
func (e *coefficients) risen(known *view) func(v *view) []spot {
	top := slices.MaxFunc(known.clouds, func(a, b *cloud) int { return cmp.Compare(a.mass, b.mass) }).mean
	falls := func(v *view) []float64 {
		falls := make([]float64, len(e.solved))
		for i := range e.solved {
			falls[i] = v.land.at(top) - v.land.at(e.solved[i].z)
		}
		return falls
	}
	expected := falls(known)
	return func(v *view) []spot {
		var list []spot
		for i, fall := range falls(v) {
			if fall < math.Min(expected[i]-highNats, deepest) {
				list = append(list, *v.land.look(e.solved[i].z))
			}
		}
		return list
	}
}

// explored tells whether more is known than sketches.
func (v *view) explored() bool { return v.clouds != nil && v.clouds[0].z != nil }

// others applies a function to all sites that are not explored. Where it fails they are dropped; the rest is weighed
// by its masses. It fails where none is left.
func (e *coefficients) others(do func(v *view) error) error {
	errs := make([]error, len(e.views))
	mat.Parallel(len(e.views), func(k int) {
		if v := e.views[k]; !v.explored() {
			errs[k] = do(v)
		}
	})
	var list []*view
	var shares, masses []float64
	for k, v := range e.views {
		if errs[k] == nil {
			list, shares, masses = append(list, v), append(shares, v.share), append(masses, v.mass())
		}
	}
	if e.views = list; len(list) == 0 {
		return errors.Join(errs...)
	}
	e.weigh(modelWeights(shares, masses))
	return nil
}

// weigh sets the weights of all sites, and sorts them.
func (e *coefficients) weigh(weights []float64) {
	for k, w := range weights {
		e.views[k].weight = w
	}
	slices.SortStableFunc(e.views, func(a, b *view) int { return cmp.Compare(b.weight, a.weight) })
}

// modelWeights are the posterior probabilities of models by their tempered evidence.
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

// agreedWeights are the posterior probabilities of explored views. Tempering is for layers at the same coefficients.
// Between coefficients that layers disagree on, the evidence is believed: with T the tempered average of the
// density p over views, the probability of coefficients is T^temper, and that of a view is the integral of
//
//	share p^(1/temper) T^(temper - 1).
//
// Views that agree have their tempered evidence. One that contradicts all others has its own, and does not matter
// if it is far below theirs.
func agreedWeights(views []*view) []float64 {
	average := func(z []float64) float64 {
		logs := make([]float64, len(views))
		for k, v := range views {
			logs[k] = v.share + v.normalLog(z)/temper
		}
		return logSumExp(logs)
	}
	weights := make([]float64, len(views))
	mat.Parallel(len(views), func(k int) {
		v := views[k]
		d := len(v.clouds[0].mean)
		x := normalPoints(d)[:agreementPoints]
		var logs []float64
		for _, c := range v.clouds {
			middle := c.within(c.mean)
			for i := range x {
				y := slices.Clone(middle)
				mat.Axpy(wideCloud, x[i], y)
				z := c.place(y)
				log := v.normalLog(z)
				// The cloud's part of the integrand, over the density of the points.
				logs = append(logs, c.normalLog(z)-log+log/temper+float64((temper-1)*average(z))+float64(0.5*squares(x[i]))+c.logUnit())
			}
		}
		weights[k] = v.share + logSumExp(logs)
	})
	total := logSumExp(weights)
	for k, v := range weights {
		weights[k] = mat.Exp(v - total)
	}
	return weights
}

// agreementPoints is how many points of each cloud agreedWeights integrates over.
const agreementPoints = 512

// normalLog is the log density at a point, with a normal distribution for each cloud.
func (v *view) normalLog(z []float64) float64 {
	logs := make([]float64, len(v.clouds))
	for i, c := range v.clouds {
		logs[i] = c.normalLog(z)
	}
	return logSumExp(logs)
}

// heaviest is the heaviest cloud of the heaviest site.
func (e *coefficients) heaviest() *cloud {
	return slices.MaxFunc(e.views[0].clouds, func(a, b *cloud) int { return cmp.Compare(a.mass, b.mass) })
}

// refer makes the noise of the solution nearest to the posterior the one at which evidences are given back, where it is another by
// more than a factor of sameNoise. All views are then climbed in anew.
func (e *coefficients) refer() {
	noise, before := e.nearest().noise, e.config.reference
	if len(noise) != len(before) {
		return
	}
	change := 0.0
	for g, v := range noise {
		change = math.Max(change, math.Abs(mat.Log(v/before[g])))
	}
	if change < mat.Log(sameNoise) {
		return
	}
	e.config.reference, e.levelled, e.tops = noise, 0, topsOf(e.solved)
	for _, v := range e.views {
		clear(v.rates)
		clear(v.land.seen)
		v.clouds = nil
	}
	e.compare(e.views)
}

// nearest is the solution nearest to the posterior.
func (e *coefficients) nearest() *solution { return e.nearestTo(e.heaviest()) }

// nearestTo is the solution nearest to a maximum, not a rough one if there are others.
func (e *coefficients) nearestTo(c *cloud) *solution {
	nearest := slices.MinFunc(e.solved, func(a, b solution) int {
		switch {
		case a.rough && !b.rough:
			return 1
		case b.rough && !a.rough:
			return -1
		}
		return cmp.Compare(mat.Nrm2(c.within(a.z)), mat.Nrm2(c.within(b.z)))
	})
	return &nearest
}

// settled tells whether the problem has been solved near the posterior, with as many neurons as it
// needs.
func (e *coefficients) settled() bool { return e.settledAt(e.heaviest()) }

// settledAt tells whether the problem has been solved near a maximum.
func (e *coefficients) settledAt(c *cloud) bool {
	s := e.nearestTo(c)
	return !s.rough && c.apart(s.z) < nearEnough
}

// rivals are the maxima elsewhere that may matter, and near which the problem has not been solved. Layers that suit only the
// heaviest one are unfair to them. The heaviest come first. Once no layers are chosen any more there are none.
func (e *coefficients) rivals() []spot {
	if e.neurons > manyNeurons {
		return nil
	}
	type rival struct {
		*cloud
		log float64
	}
	var list []rival
	for _, v := range e.views {
		for _, c := range v.clouds {
			list = append(list, rival{c, v.share + c.mass/temper})
		}
	}
	slices.SortStableFunc(list, func(a, b rival) int { return cmp.Compare(b.log, a.log) })
	known := []*cloud{e.heaviest()}
	var places []spot
	for _, r := range list {
		if len(known) > mostRivals || r.log < list[0].log-deepest/temper {
			break
		}
		if slices.ContainsFunc(known, func(o *cloud) bool { return o.holds(r.mean) || r.holds(o.mean) }) {
			continue
		}
		known = append(known, r.cloud)
		if !e.settledAt(r.cloud) {
			places = append(places, spot{z: r.mean})
		}
	}
	return places
}

// settle takes the nearest solution as the one at the most probable coefficients. Another doubling of the neurons is expected to
// change the evidence half as much as the last one did, if there was one.
func (e *coefficients) settle() {
	s := e.nearest()
	e.at = &conditional{z: s.z, problem: s.problem, q: s.q, neurons: s.neurons, changed: e.changed / 2, apart: e.heaviest().apart(s.z)}
}

// checkNeurons computes what twice as many neurons would change where that is expected to be much, or not known. Where the number
// is not stated, it has been doubled as often as it may be.
func (e *coefficients) checkNeurons() {
	if more := 2 * e.neurons; !(e.at.changed <= mostChanged) && e.config.Neurons > 0 && e.feasible(more) {
		if changed := e.changes(e.largerViews(more)); changed > 0 { // 0: all failed
			e.at.changed = changed
		}
	}
	if math.IsNaN(e.at.changed) {
		e.at.changed = 0
	}
}

// larger is the next number of neurons to explore with: twice as many, or as many as are asked for. It is the present one
// where there are enough.
func (e *coefficients) larger() int {
	more := 2 * e.neurons
	if n := e.config.Neurons; n > 0 {
		more = min(more, max(n, e.neurons))
	}
	if !e.feasible(more) {
		return e.neurons
	}
	return more
}

// feasible tells whether so many neurons are not too many.
func (e *coefficients) feasible(neurons int) bool {
	return neurons <= maxNeurons && neurons*e.fields <= columnsAstray
}

// moreNeurons tells whether more neurons give a different posterior of the coefficients, and adopts them if so.
func (e *coefficients) moreNeurons() bool {
	more := e.larger()
	if more == e.neurons {
		return false
	}
	larger := e.largerViews(more)
	if e.changed = e.changes(larger); e.changed < enoughNeurons {
		e.changed = 0
		return false
	}
	before := e.views
	e.views, e.neurons = larger, more
	if e.neurons > manyNeurons {
		e.keep(mostLarge)
	}
	step := e.steps()
	if e.config.compared {
		step, _ = e.level(step)
	}
	mat.Parallel(len(e.views), func(k int) {
		v := e.views[k]
		was := before[slices.IndexFunc(before, func(o *view) bool { return o.site.key() == v.site.key() })]
		if was.clouds != nil {
			v.clouds = was.follow(v, step)
		}
	})
	if clouds := e.views[0].clouds; len(clouds) > 0 {
		e.found = clouds
	}
	return true
}

// largerViews are the views with more neurons, not yet climbed in.
func (e *coefficients) largerViews(neurons int) []*view {
	larger := make([]*view, len(e.views))
	mat.Parallel(len(larger), func(k int) {
		v := e.views[k]
		n := e.newView(v.site, neurons)
		n.share, n.weight, n.excess = v.share, v.weight, v.excess
		if z := e.chief(v); z != nil && e.config.compared { // it may get more back everywhere
			if more := n.evidence(z).back() - v.evidence(z).back(); finite(more) {
				n.excess += more
			}
		}
		larger[k] = n
	})
	return larger
}

// changes is the root mean square change of the log densities of the heaviest sites with more neurons, see change.
func (e *coefficients) changes(larger []*view) float64 {
	changes, total := make([]float64, min(len(e.views), askedViews)), 0.0
	mat.Parallel(len(changes), func(k int) { changes[k] = e.views[k].weight * e.change(e.views[k], larger[k], e.views[0]) })
	for k := range changes {
		total += e.views[k].weight
	}
	return math.Sqrt(mat.Sum(changes) / total)
}

// follow climbs in another view, starting from the maxima of this one, or from higher points that are known there. step is for the
// first differences.
func (v *view) follow(other *view, step []float64) []*cloud {
	mass := v.mass()
	var list []*cloud
	for _, c := range v.clouds {
		if c.mass < mass-deepest {
			continue
		}
		from := other.land.look(c.mean)
		for k := range (rated{}) {
			if s := other.highest(k); s.z != nil && c.holds(s.z) && other.land.at(s.z) > from.log {
				from = other.land.look(s.z)
			}
		}
		if math.IsInf(from.log, -1) {
			continue
		}
		next := other.land.sketch(*from, step, func(spot) bool { return false })
		if !slices.ContainsFunc(list, func(o *cloud) bool { return o.holds(next.centre) }) {
			list = append(list, next)
		}
	}
	return list
}

// change is the mean squared change of a site's log density with more neurons, in nats, about its
// own mean, over the clouds of the heaviest site and the solved points, weighted by the densities.
func (e *coefficients) change(v, larger, heaviest *view) float64 {
	var places [][]float64
	for _, c := range heaviest.clouds {
		if c.mass < heaviest.mass()-deepest {
			continue
		}
		places = append(places, c.mean)
		for k := range c.centre {
			for _, by := range []float64{-checkReach, checkReach} {
				x := make([]float64, len(c.centre))
				x[k] = by
				places = append(places, c.place(x))
			}
		}
	}
	top := v.land.at(places[0])
	for i := range e.solved { // more neurons do not help where neither the solution nor these layers leave hope
		if s := &e.solved[i]; s.log > e.solved[0].log-deepest || v.land.at(s.z) > top-deepest {
			places = append(places, s.z)
		}
	}
	now, then := make([]float64, len(places)), make([]float64, len(places))
	for i, z := range places {
		now[i], then[i] = v.land.at(z), larger.land.at(z)
	}
	// A place matters as far as it does to either density. Relative to a top that has risen, nothing else would.
	change, weights, total := make([]float64, len(places)), make([]float64, len(places)), 0.0
	topNow, topThen := slices.Max(now), slices.Max(then)
	for i := range places {
		change[i], weights[i] = then[i]-now[i], mat.Exp(math.Max(now[i]-topNow, then[i]-topThen))
		if !finite(change[i]) {
			change[i], weights[i] = 0, 0
		}
		total += weights[i]
	}
	if !(total > 0) { // nothing is known of either
		return 0
	}
	middle, sum := mat.Dot(weights, change)/total, 0.0
	for i, v := range change {
		sum += float64(weights[i] * float64((v-middle)*(v-middle)))
	}
	return sum / total
}

// firstDraws returns the first draw of each site in a list.
func firstDraws(list []*tried) []*tried {
	known := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(t *tried) bool {
		key := t.commonKey()
		again := known[key]
		known[key] = true
		return again
	})
}
