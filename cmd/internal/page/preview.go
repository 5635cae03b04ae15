package page

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/posterior"
)

// change is a reading that has been added since the last solve, or taken away.
type change struct {
	group        int
	x            []float64
	value, sigma float64 // as the posterior takes it
	taken        bool
}

// changes returns what makes other readings of those that were solved. Equal readings cancel each other, wherever they
// stand in their tables.
func (v *solved) changes(rows [][]row) (list []change) {
	for g := range v.rows {
		var now []*row
		for i := range rows[g] {
			if !rows[g][i].off {
				now = append(now, &rows[g][i])
			}
		}
		before := v.rows[g]
		gone, come := []int(nil), []*row(nil)
		for i := range before {
			if i < len(now) && before[i].equal(now[i]) {
				continue
			}
			gone = append(gone, i)
			if i < len(now) {
				come = append(come, now[i])
			}
		}
		if len(now) > len(before) {
			come = append(come, now[len(before):]...)
		}
		// What is left may still be the same readings in other places.
		known := map[string][]int{}
		for k, i := range gone {
			known[before[i].bits()] = append(known[before[i].bits()], k)
		}
		back := map[int]bool{}
		come = slices.DeleteFunc(come, func(r *row) bool {
			list := known[r.bits()]
			if len(list) == 0 {
				return false
			}
			back[list[0]], known[r.bits()] = true, list[1:]
			return true
		})
		for k, i := range gone {
			if !back[k] {
				list = append(list, change{g, before[i].x, before[i].value, v.sigmas[g][i], true})
			}
		}
		for _, r := range come {
			list = append(list, change{g, r.x, r.value, v.sigmaOf(g, r), false})
		}
	}
	return list
}

// bits identifies a reading.
func (r *row) bits() string {
	key := make([]byte, 0, 8*(len(r.x)+2))
	for _, x := range append([]float64{r.value, r.sigma}, r.x...) {
		b := math.Float64bits(x)
		for range 8 {
			key = append(key, byte(b))
			b >>= 8
		}
	}
	return string(key)
}

// sigmaOf is the noise of a new reading: as stated, or else as it was learned for its group.
func (v *solved) sigmaOf(g int, r *row) float64 {
	if r.sigma > 0 {
		return r.sigma
	}
	for _, n := range v.answer.Noise {
		if n.Group == g {
			return n.Sigma
		}
	}
	return 0
}

// errPending is why there is no preview.
var errPending = errors.New("the problem has changed since it was solved, not only its readings; solve it first")

// preview answers with what the last solve would say of other readings.
func (s *Session) preview(ctx context.Context, edits []Edit, of *SliceOf) (*Preview, error) {
	open, err := s.readable()
	if err != nil {
		return nil, err
	}
	v, err := s.last()
	if err != nil {
		return nil, err
	}
	switch {
	case !v.uncertain:
		return nil, errors.New("this method has no uncertainty, and so no preview")
	case v.same != open.same:
		return nil, errPending
	}
	rows, made, err := edited(open.file, edits)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.open == open {
		s.edits = edits
	}
	s.mu.Unlock()
	var c *cut
	if of != nil {
		if c, err = v.cut(of, s.limits.Cells); err != nil {
			return nil, err
		}
	}
	changes := v.changes(rows)
	out := &Preview{Parameters: []Estimated{}, Predicted: []Reading{}}
	v.drawing.Lock()
	defer v.drawing.Unlock()
	mean, sd, w, err := v.estimate(ctx, c, changes, s.limits.Preview)
	if err != nil {
		return nil, faultOf(err, nil)
	}
	if c != nil {
		out.Slice = v.drawn(c, mean, sd)
	}
	if w == nil {
		if w, err = v.view(nil, s.limits.Preview); err != nil {
			return nil, err
		}
		if err := w.apply(v, changes); err != nil {
			return nil, faultOf(err, nil)
		}
	}
	for _, e := range w.preview.Parameters() {
		out.Parameters = append(out.Parameters, estimated(e))
	}
	for k, r := range made {
		p, err := w.at(v, edits[k].Group, r.x, true)
		if err != nil {
			return nil, err
		}
		m, sd := p.Then()
		out.Predicted = append(out.Predicted, Reading{X: r.x, Value: number(m), Sigma: number(sd), Name: r.name})
	}
	return out, nil
}

// mostPrepared bounds the readings that a view keeps.
const mostPrepared = 4 * posterior.MostPreviewed

// at returns a reading of a group at a place: the one that is there already, or else one that is moved there. Only one to
// be shared may be in use.
func (w *view) at(v *solved, g int, x []float64, shared bool) (*posterior.PreviewReading, error) {
	var free *prepared
	for _, p := range w.known {
		if p.group != g || p.used && !shared {
			continue
		}
		if slices.Equal(p.x, x) {
			p.used = true
			return p.reading, nil
		}
		if !p.used && !p.reading.Taken { // what is taken away will be again
			free = p
		}
	}
	if free == nil {
		if len(w.known) >= mostPrepared {
			w.known = slices.DeleteFunc(w.known, func(p *prepared) bool { return !p.used })
		}
		r, err := w.preview.Reading(v.file.Problem.Sensors[g].Measures)
		if err != nil {
			return nil, err
		}
		free = &prepared{group: g, reading: r}
		w.known = append(w.known, free)
	}
	free.x = nil // until it is there
	if err := free.reading.Move(x); err != nil {
		return nil, err
	}
	free.x, free.used = slices.Clone(x), true
	return free.reading, nil
}

// apply makes the changes the preview's.
func (w *view) apply(v *solved, changes []change) error {
	if len(changes) > posterior.MostPreviewed {
		return fmt.Errorf("too many readings have changed since the last solve: %d, and at most %d can be followed; solve it first", len(changes), posterior.MostPreviewed)
	}
	for _, p := range w.known {
		p.used = false
	}
	list := make([]*posterior.PreviewReading, len(changes))
	for k := range changes {
		e := &changes[k]
		r, err := w.at(v, e.group, e.x, false)
		if err != nil {
			return err
		}
		r.Value, r.Sigma, r.Taken = e.value, e.sigma, e.taken
		list[k] = r
	}
	return w.preview.Apply(list...)
}
