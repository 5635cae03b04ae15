package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/bench/score"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// prediction evaluates a model where it has an answer.
type prediction struct {
	q           *posterior.Posterior
	definitions *spec.Definitions
	points      *mat.Dense
	extrapolate bool
	anywhere    bool // answers are the same everywhere, and the table has no place

	beyond  []int         // rows outside the ranges of the variables
	outside []int         // rows outside the domain
	missing map[int][]int // rows where a field does not exist, by its number
}

// table answers all questions. It adds noise to the latent standard deviation. Where the
// method has no uncertainty there is only the mean.
func (p *prediction) table(asked []question, noise float64) (*solution.Table, error) {
	variables := p.q.Variables()
	within := make([]bool, p.points.Rows())
	for i := range within {
		if within[i] = p.anywhere; within[i] {
			continue
		}
		x := p.points.Row(i)
		out := beyondRanges(variables, x)
		if out {
			p.beyond = append(p.beyond, i)
		}
		within[i] = !out || p.extrapolate
		if within[i] && !p.holds(-1, x) {
			p.outside, within[i] = append(p.outside, i), false
		}
	}
	p.missing = map[int][]int{}
	t := solution.NewTable(variables, p.points)
	if p.anywhere {
		t = solution.NewTable(nil, mat.NewDense(p.points.Rows(), 0, nil))
	}
	for _, a := range asked {
		var rows []int
		for i, ok := range within {
			switch {
			case !ok:
			case a.field >= 0 && !p.holds(a.field, p.points.Row(i)):
				p.missing[a.field] = append(p.missing[a.field], i)
			default:
				rows = append(rows, i)
			}
		}
		mean, sd, lower, upper, err := p.answer(&a, rows)
		if err != nil {
			return nil, p.placed(err, &a, rows)
		}
		for k := range sd {
			if noise > 0 {
				sd[k] = math.Sqrt(float64(sd[k]*sd[k]) + float64(noise*noise))
			}
		}
		if !a.sampled {
			lower, upper = solution.Interval95(mean, sd)
		}
		t.Add(a.name+"_mean", p.spread(mean, rows))
		t.Add(a.name+"_sd", p.spread(sd, rows))
		t.Add(a.name+"_lower95", p.spread(lower, rows))
		t.Add(a.name+"_upper95", p.spread(upper, rows))
	}
	return t, nil
}

// holds reports whether field i exists at x, or for i < 0 whether x is in the domain. A
// place on the boundary is in it, also when its decimals are rounded: there is some slack.
func (p *prediction) holds(i int, x []float64) bool {
	const slack = 1e-3 // of a range
	if p.definitions.Holds(i, x) {
		return true
	}
	variables := p.q.Variables()
	near := slices.Clone(x)
	var try func(d int) bool
	try = func(d int) bool {
		if d == min(len(x), 3) {
			return p.definitions.Holds(i, near)
		}
		for _, step := range []float64{0, -slack, slack} {
			near[d] = x[d] + float64(step*(variables[d].Max-variables[d].Min))
			if try(d + 1) {
				return true
			}
		}
		near[d] = x[d]
		return false
	}
	return try(0)
}

// The draws of what is not linear in the unknowns, and the points that are sampled at a time.
const (
	predictDraws = 2000
	predictSeed  = 1
	predictChunk = 1024
)

// answer evaluates one question at some rows. sd is nil where there is no uncertainty,
// lower and upper where they follow from it.
func (p *prediction) answer(a *question, rows []int) (mean, sd, lower, upper []float64, err error) {
	points := mat.NewDense(len(rows), p.points.Cols(), nil)
	for k, i := range rows {
		copy(points.Row(k), p.points.Row(i))
	}
	if !a.sampled {
		mean, sd, err = p.q.Predict(a.functional, points)
		return mean, sd, nil, nil, err
	}
	for first := 0; first < len(rows); first += predictChunk {
		last := min(first+predictChunk, len(rows))
		samples, err := p.q.Sample(a.functional, points.Slice(first, last, 0, points.Cols()), predictDraws, predictSeed)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		draws := make([]float64, predictDraws)
		for j := range last - first {
			m, s := 0.0, 0.0
			for i := range draws {
				draws[i] = samples.At(i, j)
				m += draws[i] / predictDraws
			}
			for _, v := range draws {
				s += float64((v - m) * (v - m))
			}
			slices.Sort(draws)
			mean, sd = append(mean, m), append(sd, math.Sqrt(s/(predictDraws-1)))
			lower, upper = append(lower, score.Quantile(draws, 0.025)), append(upper, score.Quantile(draws, 0.975))
		}
	}
	return mean, sd, lower, upper, nil
}

// placed names the row of an error of the data, by asking for one row after the other.
func (p *prediction) placed(err error, a *question, rows []int) error {
	var data *posterior.DataError
	if !errors.As(err, &data) {
		return err
	}
	for _, i := range rows {
		if _, _, _, _, err := p.answer(a, []int{i}); errors.As(err, &data) {
			return fmt.Errorf("row %d: %s: %w", i+1, a.name, &posterior.DataError{Where: data.Where, Why: strings.TrimPrefix(data.Why, "point 1: ")})
		}
	}
	return err
}

// spread puts the answers at some rows into a column of all rows, NaN elsewhere. Nil stays
// nil.
func (p *prediction) spread(values []float64, rows []int) []float64 {
	if values == nil && len(rows) > 0 {
		return nil
	}
	all := make([]float64, p.points.Rows())
	for i := range all {
		all[i] = math.NaN()
	}
	for k, i := range rows {
		all[i] = values[k]
	}
	return all
}

// warnings say which rows have no answer, or a doubtful one.
func (p *prediction) warnings(asked []question) []string {
	var list []string
	if len(p.beyond) > 0 {
		where := boxLeft(p.q.Variables(), p.points, p.beyond)
		if p.extrapolate {
			list = append(list, where+"; there the solution is extrapolated, and its band is often too narrow")
		} else {
			list = append(list, where+"; without --extrapolate the cells are empty")
		}
	}
	if len(p.outside) > 0 {
		list = append(list, rowsAre(p.outside)+" outside the domain; the cells are empty")
	}
	for _, a := range asked {
		if rows := p.missing[a.field]; len(rows) > 0 {
			list = append(list, rowsAre(rows)+" where "+a.name+" does not exist; its cells are empty")
		}
	}
	return list
}

// predictMemory estimates what a prediction needs.
func predictMemory(q *posterior.Posterior, points *mat.Dense, asked []question) memorySize {
	cells := float64(points.Rows()) * float64(points.Cols()+5*len(asked))
	samples := 0.0
	for _, a := range asked {
		if a.sampled {
			samples = predictDraws * float64(predictChunk+10*128+2*q.Summary().Columns)
		}
	}
	return memorySize(8 * (cells + samples))
}
