package posterior

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/rowtree"
	"github.com/bpielm/bpielm/system"
)

// A search evaluates dozens of layers, and each would have to reduce all readings. Of a large group
// it therefore sees some that are drawn evenly: they choose the layers. These are then conditioned on
// all readings, and weighed by the evidence of all. Everything that needs all readings asks a
// Source, at most once for each size of layer that is mixed, and twice for the verdict. So it does not
// matter where the readings are.

// FewestOfLarge is the number of readings from which on a group of sensors is large.
const FewestOfLarge = 2 * rowtree.LeafRows

// oneOf returns of how many readings of a group one is drawn.
func oneOf(n int) int { return max(1, n/rowtree.LeafRows) }

// Drawn reports whether reading k of the n of a group is one of those that the search sees: one of
// each n/rowtree.LeafRows that follow each other, at a random place among them. A fixed place might
// always be that of the same sensor.
func Drawn(k, n int) bool {
	every := oneOf(n)
	return k%every == placeDrawn(k/every, every)
}

// placeDrawn is which of the readings of a block is drawn, by the finaliser of SplitMix64.
func placeDrawn(block, every int) int {
	x := (uint64(block) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(every))
}

// numbersDrawn returns the numbers of the readings that are drawn.
func numbersDrawn(n int) (list []int) {
	every := oneOf(n)
	for block := 0; block*every < n; block++ {
		if k := block*every + placeDrawn(block, every); k < n {
			list = append(list, k)
		}
	}
	return list
}

// A Source has all readings of the large groups of a problem, which itself has only those that are
// Drawn. What it returns must not depend on how it divides its work; ReduceLeaf and Forecast.Far
// see to that. Its methods are called by one goroutine at a time.
type Source interface {
	// Readings returns how many readings each group of sensors has; 0 where the problem has all.
	Readings() []int
	// Reduce returns the summary of all readings of each large group under each layer: element
	// [k][i] is of layer k and group i, and nil for other groups. It is rowtree.Tree.Whole of the
	// leaves that ReduceLeaf makes.
	Reduce(layers []feature.Config) ([][]*rowtree.Node, error)
	// Far returns for each large group the readings that lie farthest from the forecast, as
	// Farthest chooses them.
	Far(f *Forecast) ([][]FarReading, error)
}

// A FarReading is a reading of a large group, and how far it lies from a forecast.
type FarReading struct {
	Number int // in its group, from 0
	Point  []float64
	Value  float64
	Sigma  float64 // of its noise, if it states its own; else 0
	Off    float64 // its distance from the forecast, in units of its noise
}

// Forecast predicts readings by the mean of a posterior.
type Forecast struct {
	Layers  []feature.Config
	Weights []float64   // of the layers, of sum 1
	Means   [][]float64 // of each layer's weights
	Noise   []float64   // of each group of sensors whose readings do not state their own
}

// mostFar is how many readings of a group Farthest keeps.
const mostFar = 64

// Farthest returns those of the readings that lie farthest off, at most 64, in the order of their
// numbers. One that occurs twice counts once.
func Farthest(list []FarReading) []FarReading {
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(b.Off, a.Off), cmp.Compare(a.Number, b.Number)) < 0
	})
	list = slices.CompactFunc(list, func(a, b FarReading) bool { return a.Number == b.Number })
	list = list[:min(len(list), mostFar)]
	sort.SliceStable(list, func(i, j int) bool { return list[i].Number < list[j].Number })
	return list
}

// ReduceLeaf returns the summary of a leaf of readings under a layer. s has those of the leaf, with
// its number; p is the problem of the group i of sensors they belong to, whose functional, names and
// single noise level count. It fails with a feature.Error, and with a *DataError for a row that is not finite.
func ReduceLeaf(p *system.Problem, layer feature.Config, i, number int, s *system.Sensors) (*rowtree.Node, error) {
	l, err := feature.New(p.Box(), layer)
	if err != nil {
		return nil, err
	}
	basis := p.Basis(l)
	n := len(s.Values)
	tsqr := mat.NewTSQR(basis.Columns())
	r := newRawRows(s, nil, 0, n)
	if err = r.stream(nil, basis, s, sensorsName(&p.Sensors[i], i), func(_ int, h *mat.Dense, y []float64) { tsqr.Append(h, y) }); err != nil {
		return nil, err
	}
	return rowtree.Leaf(number, tsqr, r.values, r.sigma, r.stated), nil
}

// Far returns the readings in s that lie farthest from the forecast, as Farthest chooses them. s has
// some readings of group i of the sensors of p, the first of which has the given number. It fails as
// ReduceLeaf does.
func (f *Forecast) Far(p *system.Problem, i, first int, s *system.Sensors) ([]FarReading, error) {
	n := len(s.Values)
	mean := make([]float64, n)
	for k, c := range f.Layers {
		l, err := feature.New(p.Box(), c)
		if err != nil {
			return nil, err
		}
		err = streamRows(nil, sensorsName(&p.Sensors[i], i), p.Basis(l), &s.Measures, s.Points, 0, n, func(at int, h *mat.Dense, known []float64) {
			for j, v := range known {
				mean[at+j] = mat.FMA(f.Weights[k], mat.Dot(h.Row(j), f.Means[k])+v, mean[at+j])
			}
		})
		if err != nil {
			return nil, err
		}
	}
	list := make([]FarReading, n)
	for k, v := range s.Values {
		r := FarReading{Number: first + k, Point: s.Points.Row(k), Value: v}
		noise := f.Noise[i]
		if len(s.Sigma) == n {
			r.Sigma, noise = s.Sigma[k], s.Sigma[k]
		}
		r.Off = math.Abs(v-mean[k]) / noise
		list[k] = r
	}
	list = Farthest(list)
	for k := range list {
		list[k].Point = slices.Clone(list[k].Point)
	}
	return list, nil
}

// large is what a fit and its verdict know of large groups.
type large struct {
	source   Source
	readings []int            // of each group of sensors; 0: the problem has all
	drawn    []system.Sensors // the problem's sensors, with the readings that are drawn
	numbers  [][]int          // of these, for large groups
}

// largeOf returns what is known of a problem's large groups, nil where there are none. Without a
// source these are groups of the problem itself; weights of single readings need all of them.
func (c *Config) largeOf(p *system.Problem) (*large, error) {
	if c.Source == nil {
		m := &inProblem{p: p, halt: c.halt}
		for i := range p.Sensors {
			if p.Sensors[i].Student {
				return nil, nil
			}
			if n := len(p.Sensors[i].Values); n >= FewestOfLarge {
				m.large = append(m.large, i)
			}
		}
		if m.large == nil {
			return nil, nil
		}
		l := &large{source: m, readings: m.Readings(), drawn: slices.Clone(p.Sensors), numbers: make([][]int, len(p.Sensors))}
		for _, i := range m.large {
			l.numbers[i] = numbersDrawn(l.readings[i])
			l.drawn[i] = chosen(&p.Sensors[i], l.numbers[i])
		}
		return l, nil
	}
	l := &large{source: c.Source, readings: c.Source.Readings(), drawn: p.Sensors, numbers: make([][]int, len(p.Sensors))}
	if len(l.readings) != len(p.Sensors) {
		return nil, dataError("sensors", "the problem has %d groups, the source of their readings %d", len(p.Sensors), len(l.readings))
	}
	for i, n := range l.readings {
		s := &p.Sensors[i]
		if s.Student {
			return nil, dataError(sensorsName(s, i), "Student's noise gives single readings weights, and needs all of them in the problem")
		}
		if n == 0 {
			continue
		}
		if l.numbers[i] = numbersDrawn(n); len(l.numbers[i]) != len(s.Values) {
			return nil, dataError(sensorsName(s, i), "of %d readings %d are drawn, and the problem has %d", n, len(l.numbers[i]), len(s.Values))
		}
	}
	return l, nil
}

// Sourced refuses what a Source does not serve, before any reading is read: with a *ConfigError or a *system.ProblemError.
func (c *Config) Sourced(p *system.Problem) error {
	switch {
	case c.Source == nil:
		return nil
	case c.Method != BPIELM && c.Method != "":
		return &ConfigError{"method", fmt.Sprintf("%s needs all readings in the problem", c.Method)}
	case !p.IsLinear():
		return &system.ProblemError{Where: "equations", Why: "they are not linear in the fields, and need all readings in the problem"}
	case len(p.Coefficients) > 0:
		return &system.ProblemError{Where: fmt.Sprintf("coefficient %q", p.Coefficients[0].Name), Why: "it is unknown: each step of its search would go through all readings. State its value, or solve with all readings in the problem"}
	}
	return nil
}

// chosen returns a group with some of its readings.
func chosen(s *system.Sensors, numbers []int) system.Sensors {
	part := *s
	part.Points, part.Values = mat.NewDense(len(numbers), s.Points.Cols(), nil), make([]float64, len(numbers))
	each := len(s.Sigma) == len(s.Values)
	if each {
		part.Sigma = make([]float64, len(numbers))
	}
	for k, number := range numbers {
		copy(part.Points.Row(k), s.Points.Row(number))
		part.Values[k] = s.Values[number]
		if each {
			part.Sigma[k] = s.Sigma[number]
		}
	}
	return part
}

// with returns the problem with the readings that are drawn.
func (l *large) with(p *system.Problem) *system.Problem {
	q := *p
	q.Sensors = l.drawn
	return &q
}

// reduce returns the summaries of all readings under the layers of sites.
func (l *large) reduce(s *search, sites []*tried) ([][]*rowtree.Node, error) {
	layers := make([]feature.Config, len(sites))
	for k, t := range sites {
		layers[k] = s.layer(&t.site)
	}
	s.config.halt.check()
	whole, err := l.source.Reduce(layers)
	if err != nil {
		return nil, err
	}
	for k := range layers {
		for i, n := range l.readings {
			if n > 0 && (len(whole) != len(layers) || len(whole[k]) != len(l.readings) || whole[k][i] == nil || whole[k][i].Rows != n) {
				return nil, dataError(sensorsName(&l.drawn[i], i), "the summary of its readings is not of all %d", n)
			}
		}
	}
	return whole, nil
}

// hasDrawn reports whether n is the number of readings that are drawn of group i, for a source that has
// the others.
func (l *large) hasDrawn(i, n int) bool {
	return l != nil && i < len(l.numbers) && l.numbers[i] != nil && n == len(l.numbers[i])
}

// total is the number of all readings.
func (l *large) total() (n int) {
	for i := range l.readings {
		n += max(l.readings[i], len(l.drawn[i].Values))
	}
	return n
}

// checked returns the problem with the readings that a verdict compares with the others, and their
// numbers: those that are drawn, and those of all that lie farthest off.
func (l *large) checked(q *Posterior, p *system.Problem) (*system.Problem, [][]int, error) {
	f := &Forecast{Noise: make([]float64, len(l.drawn))}
	for k := range q.components {
		c := &q.components[k]
		f.Layers, f.Weights, f.Means = append(f.Layers, c.layer), append(f.Weights, c.weight), append(f.Means, c.mean)
	}
	group := 0
	for i := range l.drawn {
		if len(l.drawn[i].Values) > 0 {
			f.Noise[i] = q.summary.Noise[group].Sigma
			group++
		}
	}
	far, err := l.source.Far(f)
	if err != nil {
		return nil, nil, err
	}
	with, numbers := *p, slices.Clone(l.numbers)
	with.Sensors = slices.Clone(l.drawn)
	for i, list := range far {
		if len(list) > 0 {
			with.Sensors[i], numbers[i] = joinReadings(&l.drawn[i], l.numbers[i], list)
		}
	}
	return &with, numbers, nil
}

// joinReadings adds readings to a group, in the order of their numbers.
func joinReadings(s *system.Sensors, numbers []int, more []FarReading) (system.Sensors, []int) {
	both := *s
	each := len(s.Sigma) == len(s.Values)
	var points []float64
	var all []int
	both.Values = nil
	if each {
		both.Sigma = nil
	}
	add := func(number int, point []float64, value, sigma float64) {
		all, points, both.Values = append(all, number), append(points, point...), append(both.Values, value)
		if each {
			both.Sigma = append(both.Sigma, sigma)
		}
	}
	sigma := func(k int) float64 {
		if each {
			return s.Sigma[k]
		}
		return 0
	}
	for k, number := range numbers {
		for len(more) > 0 && more[0].Number < number {
			add(more[0].Number, more[0].Point, more[0].Value, more[0].Sigma)
			more = more[1:]
		}
		if len(more) > 0 && more[0].Number == number {
			more = more[1:]
		}
		add(number, s.Points.Row(k), s.Values[k], sigma(k))
	}
	for _, r := range more {
		add(r.Number, r.Point, r.Value, r.Sigma)
	}
	both.Points = mat.NewDense(len(all), s.Points.Cols(), points)
	return both, all
}

// inProblem is the source of a problem that has all its readings.
type inProblem struct {
	p     *system.Problem
	large []int // groups
	halt  *halt
}

func (m *inProblem) Readings() []int {
	n := make([]int, len(m.p.Sensors))
	for _, i := range m.large {
		n[i] = len(m.p.Sensors[i].Values)
	}
	return n
}

func (m *inProblem) Reduce(layers []feature.Config) ([][]*rowtree.Node, error) {
	all := make([][]*rowtree.Node, len(layers))
	for k, c := range layers {
		layer, err := feature.New(m.p.Box(), c)
		if err != nil {
			return nil, err
		}
		all[k] = make([]*rowtree.Node, len(m.p.Sensors))
		basis := m.p.Basis(layer)
		for _, i := range m.large {
			m.halt.check()
			s := &m.p.Sensors[i]
			if all[k][i], err = reduceReadings(nil, basis, s, sensorsName(s, i), nil); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (m *inProblem) Far(f *Forecast) ([][]FarReading, error) {
	all := make([][]FarReading, len(m.p.Sensors))
	for _, i := range m.large {
		m.halt.check()
		s := &m.p.Sensors[i]
		err := inSegments(len(s.Values), false, func(first, last int) ([]FarReading, error) {
			part := *s
			part.Points, part.Values = s.Points.Slice(first, last, 0, s.Points.Cols()), s.Values[first:last]
			if len(s.Sigma) == len(s.Values) {
				part.Sigma = s.Sigma[first:last]
			}
			return f.Far(m.p, i, first, &part)
		}, func(list []FarReading) { all[i] = Farthest(append(all[i], list...)) })
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
