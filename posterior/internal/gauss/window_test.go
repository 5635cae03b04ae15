package gauss

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

const (
	// exactness bounds the distance of the forms from each other, relative to what is
	// uncertain without observations.
	exactness = 1e-9
	variables = 9
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func normal(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, r.NormFloat64())
		}
	}
	return m
}

// sees says how far a window's estimates are from its observations conditioned at once.
func sees(w *Window, targets *mat.Dense) float64 {
	mean, sd := make([]float64, targets.Rows()), make([]float64, targets.Rows())
	w.EstimateTo(mean, sd, 0)
	bt, r := mat.NewDense(targets.Cols(), w.Len(), nil), make([]float64, w.Len())
	for i := range r {
		o := w.At(i)
		r[i] = o.Residual / math.Sqrt(o.Variance)
		for j, v := range o.Row {
			bt.Set(j, i, v/math.Sqrt(o.Variance))
		}
	}
	u, root := NewUpdate(bt, r), targets.Clone()
	u.Condition(root)
	worst := 0.0
	for i := range mean {
		before := mat.Nrm2(targets.Row(i))
		d := math.Abs(mean[i]-mat.Dot(targets.Row(i), u.Mean())) + math.Abs(sd[i]-mat.Nrm2(root.Row(i)))
		if worst = math.Max(worst, d/before); math.IsNaN(d) {
			return d
		}
	}
	return worst
}

// observe appends an observation; the oldest leaves where there is no room.
func observe(w *Window, b []float64, value, sigma float64) (slot int) {
	f := w.Forecast(b, w.Full())
	return w.Append(b, f, value, NoiseVariance(sigma, f.Norm2))
}

func TestWindowIsWhatConditioningAtOnceSays(t *testing.T) {
	r := random(1)
	targets := normal(r, 5, variables)
	w := NewWindow(12, targets)
	for range 2000 {
		value := r.NormFloat64()
		if r.IntN(50) == 0 {
			value *= 1e6
		}
		observe(w, normal(r, 1, variables).Row(0), value, 0.1)
		if r.IntN(5) == 0 {
			w.Remove(r.IntN(w.Len()))
		}
		if r.IntN(100) == 0 {
			w.SetVariances(func(slot int, norm2 float64) (float64, bool) { return 0.04, slot%2 == 0 })
		}
		scale := 1.0
		for i := range w.Len() {
			scale = math.Max(scale, math.Abs(w.At(i).Residual))
		}
		if d := sees(w, targets); !(d < exactness*scale) {
			t.Fatalf("it is %.2g off", d)
		}
	}
	if w.Repairs() > 0 {
		t.Errorf("%d audits failed without reason", w.Repairs())
	}
}

// A slot is the observation's own until it leaves.
func TestSlotsAreKept(t *testing.T) {
	r := random(2)
	w := NewWindow(7, normal(r, 0, variables))
	held := make([]float64, w.Capacity())
	var values []float64
	for k := range 500 {
		value := float64(k)
		if w.Full() {
			values = values[1:]
		}
		values = append(values, value)
		held[observe(w, normal(r, 1, variables).Row(0), value, 0.1)] = value
		switch r.IntN(6) {
		case 0:
			i := r.IntN(w.Len())
			w.Remove(i)
			values = slices.Delete(values, i, i+1)
		case 1:
			if k%40 == 0 {
				w.Clear()
				values = nil
			}
		}
		for i, v := range values {
			if o := w.At(i); o.Slot != w.Slot(i) || held[o.Slot] != v || o.Residual != v {
				t.Fatalf("observation %d is %g in slot %d, which holds %g; want %g", i, o.Residual, o.Slot, held[o.Slot], v)
			}
		}
	}
}

func TestWindowRepairsItself(t *testing.T) {
	r := random(3)
	targets := normal(r, 5, variables)
	w := NewWindow(8, targets)
	fill := func(count int) {
		for range count {
			observe(w, normal(r, 1, variables).Row(0), r.NormFloat64(), 0.1)
		}
	}
	fill(20)
	for _, factor := range []float64{1.5, math.NaN()} {
		before := w.Repairs()
		column := w.columns.Row(w.order[6])
		for i := range column {
			column[i] *= factor
		}
		fill(3)
		for range 2 * 8 { // until every row has been audited
			w.audit()
		}
		if w.Repairs() == before {
			t.Errorf("the factor was multiplied by %v and nothing noticed", factor)
		}
		if d := sees(w, targets); !(d < exactness) {
			t.Errorf("repaired, it is %g off", d)
		}
	}
}

func TestWindowDoesNotAllocate(t *testing.T) {
	r := random(4)
	targets, rows := normal(r, 5, variables), normal(r, 100, variables)
	w := NewWindow(30, targets)
	mean, sd := make([]float64, 5), make([]float64, 5)
	k := 0
	if n := testing.AllocsPerRun(200, func() {
		k++
		observe(w, rows.Row(k%100), float64(k%7), 0.1)
		w.LeftOut(0)
		w.EstimateTo(mean, sd, 0)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
