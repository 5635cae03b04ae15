// Package growth measures how the time of a fit grows with the neurons and the rows, and
// compares it with the count of floating-point operations.
//
//	series, err := growth.Neurons.Measure(nil)
//	for _, p := range series.Points {
//		fmt.Println(p.Neurons, p.Rows, p.Seconds, p.Cost.Total())
//	}
//	fmt.Println(series.Exponent(), series.Predicted())
//
// The fit is the published one, whose time is that of its linear algebra: rows are computed,
// reduced to a triangle, and that to bidiagonal form, on which every step of the fixed point
// costs O(N).
//
// Begin reading at Axis and newCost.
package growth

import (
	"fmt"
	"math"
	"time"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// Axis is the size that grows, and its values; the other size stays fixed.
type Axis struct {
	Name    string
	Neurons []int // N
	Points  []int // collocation points: N* without the sensors
}

// Neurons and Rows are the two axes. Rows go up to a million. For Neurons there are twice as
// many rows as the most neurons, so that every size has enough.
var (
	Neurons = Axis{"neurons", []int{100, 200, 400, 800, 1600, 3000}, []int{6000}}
	Rows    = Axis{"rows", []int{100}, []int{400, 2000, 10_000, 50_000, 200_000, 1_000_000}}
)

// Cost is the number of floating-point operations of a fit, by stage.
type Cost struct {
	Assemble float64 // rows: an activation and its derivatives for each element
	Reduce   float64 // QR of all rows, 2 N* N^2 - 2/3 N^3
	Diagonal float64 // bidiagonal form 8/3 N^3
}

// rowElement is the cost of an element of a row: about thirty operations for tanh and its
// second derivative, and the product with the slopes.
const rowElement = 40

func newCost(rows, neurons int) Cost {
	k, n := float64(rows), float64(neurons)
	return Cost{Assemble: rowElement * k * n, Reduce: 2*k*n*n - n*n*n*2/3, Diagonal: n * n * n * 8 / 3}
}

// Total returns the number of operations of all stages.
func (c Cost) Total() float64 { return c.Assemble + c.Reduce + c.Diagonal }

// Point is one fit.
type Point struct {
	Neurons, Rows int
	Seconds       float64 // of the fit; the best of several if it is short
	Assembly      float64 // of these, for computing the rows
	Cost          Cost
}

// Series is the measurement along an axis.
type Series struct {
	Axis   Axis
	Points []Point
}

// enough is how long short fits are repeated.
const enough = 100 * time.Millisecond

// Measure times fits along the axis. progress may be nil.
func (a Axis) Measure(progress func(done, total int)) (*Series, error) {
	s := &Series{Axis: a}
	total := len(a.Neurons) * len(a.Points)
	for _, points := range a.Points {
		for _, neurons := range a.Neurons {
			if progress != nil {
				progress(len(s.Points), total)
			}
			p, err := measure(neurons, points)
			if err != nil {
				return nil, fmt.Errorf("%d neurons, %d points: %w", neurons, points, err)
			}
			s.Points = append(s.Points, p)
		}
	}
	if progress != nil {
		progress(total, total)
	}
	return s, nil
}

// measure times a fit, repeatedly if it is short.
func measure(neurons, points int) (Point, error) {
	file, err := spec.ReadFS(problems.Files, "poisson/problem.toml", []string{fmt.Sprintf("equation[0].points=%d", points)})
	if err != nil {
		return Point{}, err
	}
	p := Point{Neurons: neurons, Seconds: math.Inf(1)}
	for begin := time.Now(); ; {
		start := time.Now()
		q, err := posterior.Fit(file.Problem, posterior.Config{Method: posterior.Published, Path: posterior.SquareRoot, Neurons: neurons, Seed: 1})
		if err != nil {
			return Point{}, err
		}
		if seconds := time.Since(start).Seconds(); seconds < p.Seconds {
			p.Seconds, p.Assembly = seconds, q.Summary().Assemble.Seconds()
		}
		p.Rows = q.Summary().Rows
		if time.Since(begin) > enough {
			break
		}
	}
	p.Cost = newCost(p.Rows, neurons)
	return p, nil
}

// Exponent returns the least-squares slope of log(time) over log(size).
func (s *Series) Exponent() float64 { return s.slope(func(p Point) float64 { return p.Seconds }) }

// Predicted returns the slope of log(operations) over log(size) at the same sizes.
func (s *Series) Predicted() float64 {
	return s.slope(func(p Point) float64 { return p.Cost.Total() })
}

// slope returns the least-squares slope of the logarithm of a quantity over that of the size.
func (s *Series) slope(of func(Point) float64) float64 {
	var x, y, xx, xy float64
	for _, p := range s.Points {
		size := p.Rows
		if len(s.Axis.Neurons) > 1 {
			size = p.Neurons
		}
		u, v := math.Log(float64(size)), math.Log(of(p))
		x, y, xx, xy = x+u, y+v, xx+u*u, xy+u*v
	}
	n := float64(len(s.Points))
	return (n*xy - x*y) / (n*xx - x*x)
}
