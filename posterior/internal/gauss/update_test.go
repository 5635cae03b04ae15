package gauss

import (
	"math"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// dense conditions by the formula itself, with the covariance of the observations inverted.
func dense(bt *mat.Dense, r []float64, s *State) (mean []float64, covariance *mat.Dense) {
	n, rows := bt.Dims()
	k := mat.NewSym(rows, nil)
	mat.Syrk(mat.Trans, s.Amplitude*s.Amplitude, bt, 0, k)
	for i := range rows {
		k.Set(i, i, k.At(i, i)+s.noise(i)*s.noise(i))
	}
	var chol mat.Cholesky
	if err := chol.Factorize(k); err != nil {
		panic(err)
	}
	alpha := make([]float64, rows)
	chol.SolveVecTo(alpha, r)
	mean = make([]float64, n)
	mat.Gemv(mat.NoTrans, s.Amplitude*s.Amplitude, bt, alpha, 0, mean)
	covariance = mat.NewDense(n, n, nil)
	for i := range n {
		covariance.Set(i, i, s.Amplitude*s.Amplitude)
	}
	half := bt.Transpose()
	mat.Trsm(mat.Left, mat.NoTrans, s.Amplitude*s.Amplitude, chol.L(), half)
	mat.Gemm(mat.Trans, mat.NoTrans, -1, half, half, 1, covariance)
	return mean, covariance
}

// mixed is the mean and covariance of a mixture.
func mixed(bt *mat.Dense, r []float64, states []State) ([]float64, *mat.Dense) {
	n := bt.Rows()
	mean, covariance := make([]float64, n), mat.NewDense(n, n, nil)
	var means [][]float64
	for i := range states {
		m, _ := dense(bt, r, &states[i])
		means = append(means, m)
		mat.Axpy(states[i].Share, m, mean)
	}
	for i := range states {
		share := states[i].Share
		_, c := dense(bt, r, &states[i])
		for a := range n {
			for b := range n {
				covariance.Set(a, b, covariance.At(a, b)+share*(c.At(a, b)+(means[i][a]-mean[a])*(means[i][b]-mean[b])))
			}
		}
	}
	return mean, covariance
}

func differ(t *testing.T, what string, mean, want []float64, factor, covariance *mat.Dense) {
	t.Helper()
	n := len(want)
	product := mat.NewDense(n, n, nil)
	mat.Gemm(mat.NoTrans, mat.Trans, 1, factor, factor, 0, product)
	for i := range n {
		if math.Abs(mean[i]-want[i]) > exactness {
			t.Errorf("%s: mean %d is %g, want %g", what, i, mean[i], want[i])
		}
		for j := range n {
			if math.Abs(product.At(i, j)-covariance.At(i, j)) > exactness {
				t.Errorf("%s: covariance %d, %d is %g, want %g", what, i, j, product.At(i, j), covariance.At(i, j))
			}
		}
	}
}

// identity is the factor of v itself.
func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// TestFormsAreTheFormula, with fewer and with more observations than variables.
func TestFormsAreTheFormula(t *testing.T) {
	for _, rows := range []int{0, 1, 4, variables, 20} {
		random := random(uint64(rows))
		bt, r, each := normal(random, variables, rows), make([]float64, rows), make([]float64, rows)
		for i := range r {
			r[i], each[i] = random.NormFloat64(), 0.1+random.Float64()
		}
		u, factor := NewUpdate(bt, r), identity(variables)
		u.Condition(factor)
		want, covariance := dense(bt, r, &State{Amplitude: 1, Noise: 1})
		differ(t, "update", u.Mean(), want, factor, covariance)

		states := []State{{0.2, 0.5, 0.3, nil}, {0.5, 1, 0.1, nil}, {0.3, 2, 1, nil}}
		want, covariance = mixed(bt, r, states)
		factor = mat.NewDense(variables, variables, nil)
		var average Averager
		mean := average.Average(bt, r, states, factor)
		differ(t, "average", mean, want, factor, covariance)
		differ(t, "mean of the average", average.Mean(bt, r, states), want, factor, covariance)

		// Each state three times, which takes singular values.
		var many []State
		for range 3 {
			for _, one := range states {
				one.Share /= 3
				many = append(many, one)
			}
		}
		if len(many) < spectralStates {
			t.Fatalf("%d states are few", len(many))
		}
		mean = average.Average(bt, r, many, factor)
		differ(t, "average of many states", mean, want, factor, covariance)
		differ(t, "mean of the average of many states", average.Mean(bt, r, many), want, factor, covariance)

		svd, err := NewSVD(bt, len(states))
		if err != nil {
			t.Fatal(err)
		}
		along := make([]float64, len(svd.Squares))
		inside, outside := 0.0, svd.Project(r, along)
		for _, v := range along {
			inside += v * v
		}
		if math.Abs(inside+outside-squares(r)) > exactness {
			t.Errorf("of %g, %g lies inside and %g outside", squares(r), inside, outside)
		}
		mat.Gemv(mat.NoTrans, 1, svd.W, svd.Mean(states), 0, mean)
		_, chol, err := svd.Covariance(states)
		if err != nil {
			t.Fatal(err)
		}
		// F = a I + W (L - a I) W'
		a, k := math.Sqrt(MeanSquare(states)), svd.W.Cols()
		inner, half := mat.NewDense(k, k, nil), mat.NewDense(variables, k, nil)
		for i := range k {
			for j := range i + 1 {
				inner.Set(i, j, chol.L().At(i, j))
			}
			inner.Set(i, i, inner.At(i, i)-a)
		}
		mat.Gemm(mat.NoTrans, mat.NoTrans, 1, svd.W, inner, 0, half)
		factor = identity(variables)
		mat.Gemm(mat.NoTrans, mat.Trans, 1, half, svd.W, a, factor)
		differ(t, "svd", mean, want, factor, covariance)

		states[1].Each = each
		want, covariance = mixed(bt, r, states)
		mean = average.Average(bt, r, states, factor)
		differ(t, "average with noise of each row", mean, want, factor, covariance)
		differ(t, "mean of the average with noise of each row", average.Mean(bt, r, states), want, factor, covariance)
	}
}

// TestSearchChoosesWhatLowersTheGoalMost, as trying every candidate does.
func TestSearchChoosesWhatLowersTheGoalMost(t *testing.T) {
	r := random(5)
	candidates, goal := normal(r, 12, variables), normal(r, 6, variables)
	const sigma = 0.3
	variance := func(chosen []int) float64 {
		bt := mat.NewDense(variables, len(chosen), nil)
		for i, c := range chosen {
			for j, v := range candidates.Row(c) {
				bt.Set(j, i, v/sigma)
			}
		}
		root := goal.Clone()
		NewUpdate(bt, make([]float64, len(chosen))).Condition(root)
		return squares(root.Data()) / float64(goal.Rows())
	}
	search := NewSearch(candidates, goal, sigma*sigma)
	var chosen []int
	for range 5 {
		left, gains := search.Left(), make([]float64, candidates.Rows())
		for c := range gains {
			gains[c] = search.Gain(c)
		}
		candidate, before, after := search.Next()
		if math.Abs(left-before) > exactness || math.Abs(before-gains[candidate]-after) > exactness {
			t.Errorf("of %g, %g are left after a gain of %g; Next says %g of %g", left, left-gains[candidate], gains[candidate], after, before)
		}
		best := math.Inf(1)
		for c := range candidates.Rows() {
			best = math.Min(best, variance(append(chosen[:len(chosen):len(chosen)], c)))
		}
		if len(chosen) > 0 && math.Abs(before-variance(chosen)) > exactness {
			t.Errorf("before %v it is %g, want %g", chosen, before, variance(chosen))
		}
		chosen = append(chosen, candidate)
		if got := variance(chosen); math.Abs(after-got) > exactness || got > best+exactness {
			t.Errorf("%v leave %g, said to be %g; the best is %g", chosen, got, after, best)
		}
	}
}
