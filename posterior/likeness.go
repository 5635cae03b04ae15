package posterior

import (
	"math"
	"slices"
)

// Layers that suit the same readings agree on the coefficients but for a constant, a small shift and a small change
// of widths. So once one log density is known, the difference of another one from it is modelled with few points: as
// many as a quadratic has coefficients, and some that check it.

const (
	// differenceReach is how far from the centre the points are to which a difference is fitted, in standard
	// deviations: close to the nodes of a three-point Gauss-Hermite rule.
	differenceReach = 1.7
	// differenceRounds is how often the model of a difference is checked before the density is explored by itself.
	differenceRounds = 4
)

// differencePlaces are as many points as a quadratic has coefficients.
func differencePlaces(dimensions int) [][]float64 {
	list := [][]float64{make([]float64, dimensions)}
	add := func(set func(x []float64)) {
		x := make([]float64, dimensions)
		set(x)
		list = append(list, x)
	}
	for i := range dimensions {
		add(func(x []float64) { x[i] = differenceReach })
		add(func(x []float64) { x[i] = -differenceReach })
		for j := range i {
			add(func(x []float64) { x[i], x[j] = differenceReach/math.Sqrt2, differenceReach/math.Sqrt2 })
		}
	}
	return list
}

// like returns the clouds of a density that is like a known one, as far as a mixture needs it in which its weight is
// the given one; nil where it is not like that. places are points that may lead to a maximum of its own.
func (l *landscape) like(known []*cloud, places []spot, weight float64) []*cloud {
	var list []*cloud
	top := math.Inf(-1)
	for _, k := range known {
		c := l.likeCloud(k, wellPredicted/math.Sqrt(weight))
		if c == nil {
			return nil
		}
		list, top = append(list, c), math.Max(top, l.at(k.centre))
	}
	for _, s := range places {
		if s.log > top-deepest && !slices.ContainsFunc(list, func(c *cloud) bool { return c.holds(s.z) }) {
			return nil
		}
	}
	return list
}

// likeCloud is like for one maximum. Each round models the difference, and checks that where the model has the density;
// the points that did not confirm a model are part of the next.
func (l *landscape) likeCloud(known *cloud, enough float64) *cloud {
	if known.surface == nil {
		return nil
	}
	if known.explored != nil {
		coordinates := *known.explored
		coordinates.surface, coordinates.off = known.surface, known.off
		known = &coordinates
	}
	d := l.dimensions
	var x [][]float64
	var differences []float64
	top := math.Inf(-1)
	add := func(list [][]float64, places []*spot) {
		for i, p := range places {
			top = math.Max(top, p.log)
			if !math.IsInf(p.log, -1) && squares(list[i]) <= farthestSentinel*farthestSentinel {
				x, differences = append(x, list[i]), append(differences, p.log-known.surface.at(list[i]))
			}
		}
	}
	first, proposals := differencePlaces(d), normalPoints(d)
	wanted := len(first)
	first = known.allowed(first)
	add(first, known.own(l.lookAll(first, known)))
	if len(x) < wanted {
		return nil
	}
	c := &cloud{centre: known.centre, root: known.root, straight: known.straight, off: math.Inf(1)}
	var difference *surrogate
	at := func(own []float64) float64 {
		x := known.within(c.place(own))
		edge, _ := atMost(x, farthestSentinel)
		return known.surface.at(x) + difference.at(edge)
	}
	for used := 0; !(c.off < enough); c.rounds++ {
		if c.rounds == differenceRounds {
			return nil
		}
		var err error
		if difference, err = newSurrogate(x, differences, difference); err != nil {
			return nil
		}
		for passes := 0; c.weigh(at, proposals, passes < 2); passes++ {
		}
		var check [][]float64
		for range 2 + 2*d {
			check = append(check, widened(proposals, used))
			used++
		}
		if check = c.allowed(check); len(check) == 0 {
			return nil
		}
		places := c.own(l.lookAll(check, c))
		c.off = misses(at, top, check, places)
		for i, p := range places {
			check[i] = known.within(p.z)
		}
		add(check, places)
	}
	c.off = math.Hypot(c.off, known.off)
	c.bend()
	return c
}
