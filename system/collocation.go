package system

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// maxTrials bounds how many candidates are drawn for each point that is kept,
// so that an empty domain is an error and not an endless loop.
const maxTrials = 200

// edgeMargin is how close to the sides of the box collocation points come,
// measured by their spacing.
const edgeMargin = 0.125

// Collocation returns n points (n x number of variables) of the domain: the
// members of a scrambled low-discrepancy sequence in the box that lie inside.
// As many as a regular grid would have there are moved to the sides of the
// box, a small margin inside: where the last points leave a strip, the solution
// is free of the equation just where conditions and sensors often stand. They
// are not on the sides themselves, where coefficients such as 1/r may not exist.
// It fails with a *ProblemError when the domain is empty or all but empty.
func Collocation(variables []Variable, domain Domain, n int, seed uint64) (*mat.Dense, error) {
	d := len(variables)
	sequence := feature.NewHalton(d, seed)
	points := mat.NewDense(n, d, nil)
	spacing := mat.Exp(-mat.Log(float64(n)) / float64(d)) // of n points in a cube of side 1
	margin := float64(edgeMargin * spacing)
	kept := 0
	for trial := 0; kept < n; trial++ {
		if trial >= maxTrials*n {
			return nil, wrong("domain", "only %d of %d points drawn in the box lie inside", kept, trial)
		}
		x := points.Row(kept)
		sequence.NextTo(x)
		for i, v := range variables {
			stretched := 0.5 + float64((x[i]-0.5)*(1+spacing))
			x[i] = v.At(min(max(stretched, margin), 1-margin))
		}
		if domain == nil || domain.Contains(x) {
			kept++
		}
	}
	return points, nil
}

// Grid returns the points of the regular grid with counts[i] >= 1 values of
// variable i, ends included, that lie in the domain; the last variable varies
// fastest. One value of a variable stands at the middle of its range.
func Grid(variables []Variable, domain Domain, counts []int) *mat.Dense {
	d, total := len(variables), 1
	for _, c := range counts {
		total *= c
	}
	data := make([]float64, 0, total*d)
	x := make([]float64, d)
	for k := range total {
		rest := k
		for i := d - 1; i >= 0; i-- {
			x[i] = GridValue(variables[i], counts[i], rest%counts[i])
			rest /= counts[i]
		}
		if domain == nil || domain.Contains(x) {
			data = append(data, x...)
		}
	}
	return mat.NewDense(len(data)/d, d, data)
}

// GridValue returns the i-th of n values of a variable that are as far apart as each other along its
// axis, ends included; the middle of the range when n = 1.
func GridValue(v Variable, n, i int) float64 {
	switch {
	case n == 1:
		return v.At(0.5)
	case i == n-1:
		return v.Max
	}
	return v.At(float64(i) / float64(n-1))
}
