package feature

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

var patchedBox = Box{Min: []float64{-1, 2}, Max: []float64{3, 5}}

func patchedLayer(t *testing.T, c Config) *Layer {
	t.Helper()
	if c.Neurons == 0 {
		c.Neurons = 7
	}
	if c.Scale == nil {
		c.Scale = []float64{2.5}
	}
	l, err := New(patchedBox, c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// somePoints are points of the box, a few beyond it, and the ends of cells and of what overlaps.
func somePoints(l *Layer, n int) *mat.Dense {
	random := rand.New(rand.NewPCG(1, 2))
	var data []float64
	for range n {
		data = append(data, -1.2+4.4*random.Float64(), 1.9+3.3*random.Float64())
	}
	for k := range l.grid.counts[0] + 1 {
		for _, off := range []float64{-1, 0, 1} {
			data = append(data, l.grid.edges[0][k]+off*l.grid.blends[0][k], l.grid.edges[1][min(k, l.grid.counts[1])]+off*l.grid.blends[1][min(k, l.grid.counts[1])])
		}
	}
	return mat.NewDense(len(data)/2, 2, data)
}

// The windows add up to 1, and their derivatives to 0.
func TestWindowsAddUpToOne(t *testing.T) {
	unequal := [][]float64{{-1, -0.2, 1, 1.5, 3}, nil}
	for _, c := range []Config{{Patches: []int{1, 1}}, {Patches: []int{4, 1}}, {Patches: []int{1, 3}}, {Patches: []int{3, 5}}, {Patches: []int{4, 3}, Edges: unequal}} {
		for _, a := range []Activation{Tanh, Sine} {
			counts := c.Patches
			c.Constant, c.Activation, c.Seed = true, a, 3
			l := patchedLayer(t, c)
			points := somePoints(l, 200)
			for _, derivative := range [][]int{nil, {1, 0}, {0, 2}, {2, 1}} {
				rows := mat.NewDense(points.Rows(), l.Neurons(), nil)
				l.RowsTo(rows, points, []Term{{Derivative: derivative}})
				n := l.Neurons() / l.Patches()
				want, scale := 0.0, 1.0
				if derivative == nil {
					want = 1
				}
				for v, k := range derivative {
					scale *= math.Pow(slices.Min(l.grid.blends[v][1:]), -float64(k))
				}
				for r := range points.Rows() {
					sum := 0.0
					for i := range l.Patches() {
						sum += rows.At(r, i*n+n-1)
					}
					if math.Abs(sum-want) > 1e-11*scale {
						t.Fatalf("%v patches, %v, derivative %v at %v: the windows add up to %g", counts, a, derivative, points.Row(r), sum)
					}
				}
			}
		}
	}
}

// Derivatives are those of the values, by central differences of the derivative of one order less.
func TestPatchedDerivatives(t *testing.T) {
	l := patchedLayer(t, Config{Patches: []int{3, 4}, Constant: true, Seed: 5})
	points := somePoints(l, 60)
	const h = 1e-5
	at := func(derivative []int, v int, off float64) *mat.Dense {
		moved := points.Clone()
		for r := range moved.Rows() {
			moved.Set(r, v, moved.At(r, v)+off)
		}
		rows := mat.NewDense(points.Rows(), l.Neurons(), nil)
		l.RowsTo(rows, moved, []Term{{Derivative: derivative}})
		return rows
	}
	for _, derivative := range [][]int{{1, 0}, {0, 1}, {2, 0}, {1, 1}, {2, 1}, {0, 4}, {3, 2}, {8, 0}} {
		got := at(derivative, 0, 0)
		for v, k := range derivative {
			if k == 0 {
				continue
			}
			lower := slices.Clone(derivative)
			lower[v]--
			up, down := at(lower, v, h), at(lower, v, -h)
			largest := 0.0
			for r := range got.Rows() {
				for j := range got.Cols() {
					largest = math.Max(largest, math.Abs(got.At(r, j)))
				}
			}
			for r := range got.Rows() {
				for j := range got.Cols() {
					difference := (up.At(r, j) - down.At(r, j)) / (2 * h)
					// At the end of an overlap the last derivative is continuous, but has a kink.
					if d := math.Abs(got.At(r, j) - difference); d > 2e-4*largest {
						t.Fatalf("derivative %v of neuron %d at %v is %g, by differences in variable %d %g", derivative, j, points.Row(r), got.At(r, j), v+1, difference)
					}
				}
			}
		}
	}
}

// An operator with coefficients that vary is the sum of its terms.
func TestPatchedOperators(t *testing.T) {
	l := patchedLayer(t, Config{Patches: []int{2, 3}, Seed: 5})
	points := somePoints(l, 100)
	n := points.Rows()
	c := make([]float64, n)
	for i := range c {
		c[i] = math.Sin(float64(i))
	}
	terms := []Term{{Derivative: []int{2}, Coefficient: c}, {Derivative: []int{0, 1}, Coefficient: []float64{-3}}, {}}
	whole := mat.NewDense(n, l.Neurons(), nil)
	l.RowsTo(whole, points, terms)
	sum := mat.NewDense(n, l.Neurons(), nil)
	for i := range terms {
		part := mat.NewDense(n, l.Neurons(), nil)
		l.RowsTo(part, points, terms[i:i+1])
		for r := range n {
			mat.Axpy(1, part.Row(r), sum.Row(r))
		}
	}
	for r := range n {
		// A row does not depend on others.
		single := mat.NewDense(1, l.Neurons(), nil)
		own := slices.Clone(terms)
		own[0].Coefficient = c[r : r+1]
		l.RowsTo(single, points.Slice(r, r+1, 0, 2), own)
		for j := range l.Neurons() {
			if d := math.Abs(whole.At(r, j) - sum.At(r, j)); d > 1e-12*(1+math.Abs(sum.At(r, j))) {
				t.Fatalf("point %d, neuron %d: %g, by terms %g", r, j, whole.At(r, j), sum.At(r, j))
			}
			if single.At(0, j) != whole.At(r, j) {
				t.Fatalf("point %d, neuron %d: alone %g, with others %g", r, j, single.At(0, j), whole.At(r, j))
			}
		}
	}
}

// A patch is zero outside of what AppendActive says, and Only selects columns.
func TestActivePatches(t *testing.T) {
	l := patchedLayer(t, Config{Patches: []int{3, 5}, Constant: true, Seed: 5})
	points := somePoints(l, 100)
	all := mat.NewDense(points.Rows(), l.Neurons(), nil)
	l.RowsTo(all, points, []Term{{Derivative: []int{1}}, {}})
	n := l.Neurons() / l.Patches()
	for r := range points.Rows() {
		active := l.AppendActive(nil, points.Row(r))
		if !slices.IsSorted(active) || len(active) > 4 {
			t.Fatalf("active patches %v", active)
		}
		for i := range l.Patches() {
			for _, v := range all.Row(r)[i*n : (i+1)*n] {
				if v != 0 && !slices.Contains(active, i) {
					t.Fatalf("patch %d is not active at %v and has %g", i, points.Row(r), v)
				}
			}
		}
		some := l.Only(active)
		rows := mat.NewDense(1, some.Neurons(), nil)
		some.RowsTo(rows, points.Slice(r, r+1, 0, 2), []Term{{Derivative: []int{1}}, {}})
		for k, i := range active {
			if !slices.Equal(rows.Row(0)[k*n:(k+1)*n], all.Row(r)[i*n:(i+1)*n]) {
				t.Fatalf("patch %d differs if it is selected", i)
			}
		}
		for k, i := range active { // neighbours have close numbers: five patches of three along the longer side
			if i-active[0] > 3+1 || k > 0 && i == active[k-1] {
				t.Fatalf("active patches %v are far apart", active)
			}
		}
	}
}

func TestPatchedLayerIsRestored(t *testing.T) {
	l := patchedLayer(t, Config{Patches: []int{3, 2}, Constant: true, Seed: 5, Activation: Sine})
	points := somePoints(l, 50)
	restored, err := Restore(l.Store())
	if err != nil {
		t.Fatal(err)
	}
	a, b := mat.NewDense(points.Rows(), l.Neurons(), nil), mat.NewDense(points.Rows(), l.Neurons(), nil)
	l.RowsTo(a, points, []Term{{Derivative: []int{1, 1}}})
	restored.RowsTo(b, points, []Term{{Derivative: []int{1, 1}}})
	if !a.Equal(b) {
		t.Error("a restored layer differs")
	}
	for name, spoil := range map[string]func(s *Stored){
		"patches": func(s *Stored) { s.Patches = []int{3, 5} }, "too many": func(s *Stored) { s.Patches = []int{1 << 20, 1 << 20} },
		"none": func(s *Stored) { s.Patches = []int{0, 2} }, "variables": func(s *Stored) { s.Patches = []int{6} },
		"slopes": func(s *Stored) { s.Slopes = s.Slopes[1:] }, "logarithms": func(s *Stored) { s.Log = []bool{false, true} },
		"bias": func(s *Stored) { s.Bias = nil; s.Slopes = nil }, "nan": func(s *Stored) { s.Slopes[5] = math.NaN() },
		"half": func(s *Stored) { s.Half[1] = 0 },
	} {
		s := l.Store()
		spoil(&s)
		if _, err := Restore(s); !errors.As(err, new(Error)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPatchesRefused(t *testing.T) {
	for _, c := range []Config{
		{Patches: []int{2}}, {Patches: []int{2, 0}}, {Patches: []int{2, -1}}, {Patches: []int{math.MaxInt, math.MaxInt}}, {Patches: []int{2, 2}, Draw: Published},
	} {
		c.Neurons, c.Scale = 3, []float64{1}
		if _, err := New(patchedBox, c); !errors.As(err, new(Error)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	box := patchedBox
	box.Log = []bool{false, true}
	if _, err := New(box, Config{Neurons: 3, Scale: []float64{1}, Patches: []int{2, 2}}); !errors.As(err, new(Error)) {
		t.Errorf("logarithmic axes: %v", err)
	}
	l := patchedLayer(t, Config{Patches: []int{2, 2}})
	if _, err := Join(l, l); !errors.As(err, new(Error)) {
		t.Errorf("Join: %v", err)
	}
	for name, f := range map[string]func(){
		"Of": func() { l.Of([]bool{true, false}, 3) }, "no patch": func() { l.Only([]int{4}) }, "none": func() { l.Only(nil) }, "part": func() { l.Only([]int{1}).Store() },
	} {
		func() {
			defer func() {
				if _, ok := recover().(mat.Error); !ok {
					t.Errorf("%s: no mat.Error", name)
				}
			}()
			f()
		}()
	}
}
