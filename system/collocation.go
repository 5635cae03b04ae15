package system

import (
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// maxTrials limits the candidates for each point that is kept. It makes an empty
// domain an error instead of an endless loop.
const maxTrials = 200

// edgeMargin is the distance of the outermost collocation points from the sides of
// the box, relative to their spacing.
const edgeMargin = 0.125

// Collocation returns n points (n x variables) of the domain: the members of a
// scrambled low-discrepancy sequence in the box that lie inside. The sequence is
// stretched so that about as many points as on a regular grid end up at the sides
// of the box. Without that, the equation would not hold in a strip along the sides,
// just where conditions and sensors often are. The points keep a small margin,
// because a coefficient such as 1/r may not exist on the side itself. It fails
// with a *ProblemError if the domain is empty or nearly empty.
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

// Grid returns the points (n x variables) of a regular grid that lie in the domain.
// It has counts[i] >= 1 values of variable i, both ends included, or only the middle
// if counts[i] is 1. The last variable varies fastest.
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

// GridValue returns value i of n equidistant values of a variable, both ends included, or the middle of the
// range if n is 1. On a logarithmic axis they are equidistant in the logarithm.
func GridValue(v Variable, n, i int) float64 {
	switch {
	case n == 1:
		return v.At(0.5)
	case i == n-1:
		return v.Max
	}
	return v.At(float64(i) / float64(n-1))
}
