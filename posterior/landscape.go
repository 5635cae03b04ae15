package posterior

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// landscape is the log density of standard normal numbers; -Inf where there is none.
type landscape struct {
	dimensions int
	log        func(z []float64) float64 // without the prior of z
	list       []system.Coefficient      // what the numbers stand for; nil: not known
	seen       map[string]*spot
}

func newLandscape(dimensions int, log func(z []float64) float64) *landscape {
	return &landscape{dimensions: dimensions, log: log, seen: map[string]*spot{}}
}

// spot is a point with its log density.
type spot struct {
	z   []float64
	log float64
}

// density is the log density at a point.
func (l *landscape) density(z []float64) float64 {
	if v := l.log(z) - float64(0.5*squares(z)); !math.IsNaN(v) {
		return v
	}
	return math.Inf(-1)
}

// look returns a point with its log density, which is computed once.
func (l *landscape) look(z []float64) *spot {
	key := fmt.Sprint(z)
	s := l.seen[key]
	if s == nil {
		s = &spot{slices.Clone(z), l.density(z)}
		l.seen[key] = s
	}
	return s
}

// lookAll looks at points given in a cloud's coordinates, in parallel.
func (l *landscape) lookAll(x [][]float64, in *cloud) []*spot {
	places, logs := make([][]float64, len(x)), make([]float64, len(x))
	for i := range x {
		places[i] = in.place(x[i])
	}
	mat.Parallel(len(x), func(i int) {
		if l.seen[fmt.Sprint(places[i])] == nil {
			logs[i] = l.density(places[i])
		}
	})
	list := make([]*spot, len(x))
	for i, z := range places {
		key := fmt.Sprint(z)
		if l.seen[key] == nil {
			l.seen[key] = &spot{z, logs[i]}
		}
		list[i] = l.seen[key]
	}
	return list
}

func (l *landscape) at(z []float64) float64 { return l.look(z).log }

const (
	// scanned is how many points a scan of one number has, with three times as many for each further
	// one.
	scanned, mostScanned = 32, 384
	// mostPeaks bounds how many maxima are climbed to; a maximum counts within deepest nats of the
	// best.
	mostPeaks, deepest = 4, 12
)

// scanPlaces is how many points a scan has.
func scanPlaces(dimensions int) int {
	n := scanned
	for k := 1; k < dimensions && n < mostScanned; k++ {
		n *= 3
	}
	return min(n, mostScanned)
}

// priorSpots returns n points over the whole prior, of which nothing is known yet.
func priorSpots(dimensions, n int) []spot {
	points, list := feature.NewHalton(dimensions, 1), make([]spot, n)
	for i := range list {
		z := make([]float64, dimensions)
		points.NextTo(z)
		for k, u := range z {
			if dimensions == 1 { // evenly
				u = (float64(i) + 0.5) / float64(n)
			}
			z[k] = normalQuantile(u)
		}
		list[i] = spot{z, math.Inf(-1)}
	}
	return list
}

// normalQuantile is the quantile function of the standard normal distribution.
func normalQuantile(p float64) float64 { return mixture{{1, 0, 1}}.quantile(p) }

const (
	climbSteps = 40 // at most
	// firstReach bounds the first step, in prior standard deviations; climbing ends at shortestReach.
	firstReach, shortestReach = 0.5, 1e-7
	// Climbing ends where the next step is expected to gain less, in nats.
	fineGain = 0.05
)

// local is a quadratic model of a log density: gradient and negative Hessian.
type local struct {
	slope     []float64
	curvature *mat.Sym
}

// model computes gradient and Hessian from differences over the given steps, which are shortened
// where the density ends.
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

// newton returns the step that maximises the model, and its gain. It uses the absolute values of the
// eigenvalues of the Hessian, and is no longer than reach.
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

// steps returns the steps for differences: as far as the density falls by about a nat.
func (m *local) steps(before []float64) []float64 {
	next := slices.Clone(before)
	for i := range next {
		if c := m.curvature.At(i, i); c != 0 {
			next[i] = math.Min(math.Max(1/math.Sqrt(math.Abs(c)), 0.1*before[i]), math.Min(4*before[i], firstReach))
		}
	}
	return next
}

// climb goes from a point to the maximum that it leads to, or until it is known to lead to. step is for the first
// differences.
func (l *landscape) climb(s spot, step []float64, least float64, known func(s spot) bool) (spot, local) {
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
		if !moved || known(s) {
			return s, m
		}
	}
	return s, m
}

// firstSteps are the first steps for differences where nothing is known.
func (l *landscape) firstSteps() []float64 { return slices.Repeat([]float64{0.1}, l.dimensions) }
