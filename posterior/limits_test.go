package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// What is beyond a layer is the residual of a least-squares problem for each parameter, by rows and by sums of squares.
func TestBeyondIsWhatNoWeightsProduce(t *testing.T) {
	p, _, _ := twoWells(rand.New(rand.NewPCG(1, 2)))
	for _, test := range []struct {
		neurons     int
		scale       float64
		least, most float64
	}{{60, 3, 0.3, 1}, {250, 10, 0.01, 0.5}} {
		p := balanced(p.ForNeurons(test.neurons))
		f, err := newFrame(p)
		if err != nil {
			t.Fatal(err)
		}
		layer, err := feature.New(p.Box(), feature.Config{Neurons: test.neurons, Scale: []float64{test.scale, test.scale}, Constant: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []Path{GramPath, SquareRoot} {
			ph, err := compile(f, layer, CompileConfig{Path: path, keepLimits: true}, f.sizes, nil)
			if err != nil {
				t.Fatal(err)
			}
			e, n, m := &p.Equations[0], ph.basis.ParameterColumn(0), ph.basis.Parameters
			rows := e.Points.Rows()
			h, largest := mat.NewDense(rows, n+m, nil), 0.0
			err = streamRows(nil, "", ph.basis, &e.Residual, e.Points, 0, rows, func(first int, part *mat.Dense, _ []float64) {
				h.Slice(first, first+part.Rows(), 0, n+m).CopyFrom(part)
			})
			if err != nil {
				t.Fatal(err)
			}
			d := make([]float64, n+m)
			for i := range d {
				d[i] = ph.scale[i] / f.sizes.residual[0]
			}
			scaleColumns(h, d)
			for i := range n {
				sum := 0.0
				for r := range rows {
					sum += h.At(r, i) * h.At(r, i)
				}
				largest = math.Max(largest, math.Sqrt(sum))
			}
			for k := range m {
				want := missedByRows(h, n, n+k, math.Max(referenceSlack, sumsFloor*largest))
				got := ph.limits.share(k)
				t.Logf("%d neurons of scale %g, %s path: %.5f of the source of Q%d", test.neurons, test.scale, path, got, k+1)
				if math.Abs(got-want) > 1e-4*want+1e-6 || got < test.least || got > test.most {
					t.Errorf("%d neurons, %s path: %g of the source of Q%d, by rows %g; between %g and %g expected", test.neurons, path, got, k+1, want, test.least, test.most)
				}
			}
		}
	}
}

// missedByRows is the residual of a column by the first n, relative to it, at the minimum of its square plus tau^2 times that of the weights,
// by a QR factorisation.
func missedByRows(h *mat.Dense, n, column int, tau float64) float64 {
	rows := h.Rows()
	stacked, c := mat.NewDense(rows+n, n, nil), make([]float64, rows+n)
	stacked.Slice(0, rows, 0, n).CopyFrom(h.Slice(0, rows, 0, n))
	for i := range n {
		stacked.Set(rows+i, i, tau)
	}
	size := 0.0
	for r := range rows {
		c[r] = h.At(r, column)
		size += c[r] * c[r]
	}
	var qr mat.QR
	qr.Factorize(stacked)
	turned := mat.NewDense(rows+n, 1, append([]float64(nil), c...))
	qr.MulQ(mat.Trans, turned)
	w := make([]float64, n)
	for i := range w {
		w[i] = turned.At(i, 0)
	}
	mat.Trsv(mat.NoTrans, qr.R().Tri(mat.Upper), w)
	missed := 0.0
	for r := range rows {
		v := c[r] - mat.Dot(h.Row(r)[:n], w)
		missed += v * v
	}
	return math.Sqrt(missed / size)
}

// Wells so weak that readings decide for smooth layers, which see nothing of them: the answer is zero with a small standard deviation, and
// the verdict says why.
func TestSourcesBeyondTheLayersAreToldOf(t *testing.T) {
	if testing.Short() {
		t.Skip("solves a large problem")
	}
	const draw = 43
	p, _, _ := twoWells(rand.New(rand.NewPCG(draw, 91)))
	q, err := Fit(p, Config{Seed: draw})
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := q.Examine(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Q1", "Q2"} {
		held := false
		for _, c := range v.find("layers", Failed) {
			held = held || c.Name == name
		}
		if !held {
			t.Errorf("nothing is said of %s", name)
		}
	}
}
