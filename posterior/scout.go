package posterior

import (
	"math"
	"slices"
	"sort"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// The prior of the coefficients is scanned with layers of few neurons that suit each point. Most
// points are far from the posterior, and a few layers are enough to see that: the others are
// searched for only where the first ones leave hope.

const (
	// scoutedTogether points are climbed from at a time, those with the best first layers before the
	// others.
	scoutedTogether = 2
	// A point has hope if it would come within deepest nats of the best, were its gain by climbing
	// hopefulGain times the largest gain so far. Of 240 scans in which all points were climbed from, with
	// layers of firstNeurons, this found the best one in all; in seven it missed others within deepest
	// nats of it. With eight points at a time it was nine.
	hopefulGain = 1.5
	// narrowings is how often a scan looks around its best point, and either moves or halves the distance. Three bring it
	// within an eighth of the distance between points, from where climbing goes on.
	narrowings = 3
)

// scouted is a point with the search for layers there; nil where it cannot go on.
type scouted struct {
	spot
	rated  rated
	noise  []float64 // of each group
	search *search
}

// hopeful tells whether climbing may bring it near the best by one of the models, if it gains as they did at most so far.
func (s *scouted) hopeful(best, gain rated) bool {
	for k, log := range s.rated {
		if log+float64(hopefulGain*gain[k]) > best[k]-deepest {
			return true
		}
	}
	return false
}

// scout scans the prior and returns the points that can be solved, best first.
func (e *coefficients) scout(f *withCoefficients) []spot {
	spots := priorSpots(len(e.list), scoutPlaces(e.list))
	list := make([]*scouted, len(spots))
	mat.Parallel(len(list), func(i int) { list[i] = e.beginScouting(f, spots[i]) })
	order := func() {
		weighScouts(list)
		sort.SliceStable(list, func(i, j int) bool { return list[i].log > list[j].log })
	}
	order()
	best, gain := impossible, rated{math.Inf(1), math.Inf(1)}
	for from := 0; from < len(list); from += scoutedTogether {
		hopeful := slices.DeleteFunc(slices.Clone(list[from:min(from+scoutedTogether, len(list))]), func(s *scouted) bool {
			return s.search == nil || !s.hopeful(best, gain)
		})
		gains := make([]rated, len(hopeful))
		mat.Parallel(len(hopeful), func(i int) { gains[i] = e.climbFrom(hopeful[i]) })
		if from == 0 {
			gain = rated{}
		}
		for i, s := range hopeful {
			best, gain = best.higher(s.rated), gain.higher(gains[i])
		}
	}
	order()
	step := 0.5 * mat.Exp(-mat.Log(float64(len(spots)))/float64(len(e.list)))
	var seen *scouted // the best of the first model
	for k := range best {
		i := 0
		for j, s := range list {
			if s.rated[k] > list[i].rated[k] {
				i = j
			}
		}
		if list[i] != seen {
			list[i] = e.around(f, list[i], step, k, gain[k])
			seen = list[i]
		}
	}
	order()
	e.config.reference = list[0].noise
	for i, s := range list {
		spots[i] = s.spot
	}
	return slices.DeleteFunc(spots, func(s spot) bool { return math.IsInf(s.log, -1) })
}

// around looks on either side of a point along each coefficient, by one of the models, first at the given distance, as a share of the prior's
// probability. It moves to the best point, or comes closer where none is better, see narrowings, and returns where it ends.
// Each point has layers of its own. What follows explores the coefficients with layers that suit a few points only, and the
// evidence of those that suit a wrong value may be largest there.
// A point is climbed from only if it would become better than the best, were its gain hopefulGain times the largest of the scan.
func (e *coefficients) around(f *withCoefficients, at *scouted, step float64, model int, gain float64) *scouted {
	back := -1 // the direction in which the last point lies
	for range narrowings {
		next := make([]*scouted, 2*len(at.z))
		mat.Parallel(len(next), func(i int) {
			by := step
			if i%2 == 1 {
				by = -step
			}
			u := normalBelow(at.z[i/2]) + by
			if i == back || !(u > 0 && u < 1) {
				return
			}
			z := slices.Clone(at.z)
			z[i/2] = normalQuantile(u)
			if next[i] = e.beginScouting(f, spot{z, math.Inf(-1)}); next[i].search != nil && next[i].rated[model]+float64(hopefulGain*gain) > at.rated[model] {
				e.climbFrom(next[i])
			}
		})
		from := at
		for i, s := range next {
			if s != nil && s.rated[model] > at.rated[model] {
				at, back = s, i^1
			}
		}
		if at == from {
			step, back = step/2, -1
		}
	}
	return at
}

// beginScouting evaluates the first layers of one activation at a point: of sine, because tanh promises more that climbing
// does not keep.
func (e *coefficients) beginScouting(f *withCoefficients, at spot) *scouted {
	neurons := startingNeurons(f.problem)
	if n := e.config.Neurons; n > 0 {
		neurons = min(n, neurons)
	}
	p := balanced(f.at(at.z).ForNeurons(neurons))
	frame, err := newFrame(p)
	if err != nil {
		return &scouted{spot: at, rated: impossible}
	}
	s := newSearch(frame, e.config, neurons, nil)
	s.brief = true
	if s.robust() { // weights of readings go with the search
		if s, err = frame.pilot(e.config, p, neurons, nil); err != nil {
			return &scouted{spot: at, rated: impossible}
		}
	} else {
		activations := s.config.activations()
		for k := len(activations) - 1; k >= 0 && s.best() == nil; k-- {
			s.begin(activations[k])
		}
	}
	defer s.release()
	e.looked(s.assemble)
	scout := &scouted{spot: spot{at.z, 0}, search: s}
	scout.rate()
	if s.robust() || math.IsInf(scout.rated[0], -1) {
		scout.search = nil
	}
	return scout
}

// climbFrom searches for the layers that suit a point, and returns the gain.
func (e *coefficients) climbFrom(at *scouted) rated {
	s, before, assembled := at.search, at.rated, at.search.assemble
	s.climb(pilotRounds)
	s.release()
	at.rate()
	e.looked(s.assemble - assembled)
	return rated{at.rated[0] - before[0], at.rated[1] - before[1]}
}

// rate rates a point by the best layer of its search.
func (s *scouted) rate() {
	t := s.search.best()
	if t == nil || !finite(t.score) {
		s.rated = impossible
		return
	}
	s.rated, s.noise = t.rated().plus(-float64(0.5*squares(s.z))), t.noise
}

// weighScouts sets the log densities by both models.
func weighScouts(list []*scouted) {
	tops := impossible
	for _, s := range list {
		tops = tops.higher(s.rated)
	}
	for _, s := range list {
		s.log = s.rated.together(tops)
	}
}

// scoutPlaces is how many points are scanned.
func scoutPlaces(list []system.Coefficient) int { return min(wantedPlaces(list), mostScanned) }

// wantedPlaces is how many points would be enough. Wide priors need more: each point represents at
// most a factor of e along each coefficient.
func wantedPlaces(list []system.Coefficient) int {
	n := float64(scanPlaces(len(list)))
	along := mat.Exp(mat.Log(n) / float64(len(list)))
	for i := range list {
		c := &list[i]
		switch {
		case c.Fine > 0:
			n *= math.Max(1, (mat.Log(2*c.Max/c.Fine)+mat.Log(-2*c.Min/c.Fine))/along)
		case c.Min > 0:
			n *= math.Max(1, mat.Log(c.Max/c.Min)/along)
		}
	}
	return int(n)
}

// solvedPlaces is at how many points the problem is first solved as with known coefficients.
func solvedPlaces(dimensions int) int { return 3 + 2*dimensions }

// chosenPlaces returns the best point of a scan, which has the best first, and others far from it
// and from each other that are not ruled out. Differences in log evidence are divided by doubt.
func chosenPlaces(list []spot, most int, doubt float64) []spot {
	apart := slices.Repeat([]float64{math.Inf(1)}, len(list))
	chosen, next := []spot(nil), 0
	for {
		chosen = append(chosen, list[next])
		best := 0.0
		last := list[next]
		for i, s := range list {
			sum := 0.0
			for k, z := range s.z {
				d := normalBelow(z) - normalBelow(last.z[k])
				sum += float64(d * d)
			}
			apart[i] = math.Min(apart[i], math.Sqrt(sum))
			if worth := apart[i] * mat.Exp((s.log-list[0].log)/doubt); worth > best && s.log > list[0].log-float64(deepest*doubt/temper) {
				best, next = worth, i
			}
		}
		if best == 0 || len(chosen) == most {
			return chosen
		}
	}
}
