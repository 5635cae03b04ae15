package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
)

const (
	// defaultAbsurd is the standardised innovation beyond which a reading is left out. A sensor whose
	// noise is stated five times too small goes that far about once in 16,000 readings. A Gaussian
	// posterior would follow any value farther off, all the way.
	defaultAbsurd = 20
	// A level shift needs more readings that agree with each other than are kept, from fewestOfShift
	// to mostOfShift. The latter is more than it takes to recognise a stuck sensor.
	fewestOfShift = 3
	mostOfShift   = stuckRun + 2
	// largestValue of a reading, and the inverse of the smallest noise: as in problem files.
	largestValue = 1e120
)

// shift watches the readings that are left out, to tell a glitch from a level shift: values that
// jump and stay there. It keeps those that the physics can explain together, although not together
// with the readings that the stream keeps.
type shift struct {
	kept *keptReadings
	lead int // by how many they outnumber the others, at most mostOfShift
}

func newShift(variables, columns int) shift {
	return shift{kept: newKeptReadings(mostOfShift, variables, mat.NewDense(0, columns, nil))}
}

// clear forgets what has been left out.
func (h *shift) clear() {
	h.kept.Clear()
	h.lead = 0
}

// keptOne is called for a reading that was not left out.
func (h *shift) keptOne() {
	if h.lead > 0 {
		h.lead--
	}
	if h.lead == 0 {
		h.kept.Clear()
	}
}

// leaveOut watches a reading with the row b whose innovation is beyond the limit. It returns whether
// the readings left out are a level shift, which takes wanted of them.
func (h *shift) leaveOut(r *Reading, b []float64, residual, variance, limit float64, wanted int) bool {
	beyond := func(f gauss.Forecast) bool {
		return !(math.Abs(residual-f.Mean) <= float64(limit*math.Sqrt(f.Variance+variance)))
	}
	if beyond(gauss.Forecast{Variance: squares(b)}) {
		return false // absurd even under the prior: a glitch
	}
	h.lead = min(h.lead+1, mostOfShift)
	full := h.kept.Full()
	f := h.kept.Forecast(b, full)
	if beyond(f) { // it cancels one of those it contradicts
		if !full {
			h.kept.Remove(0)
		}
		return false
	}
	h.kept.append(r, b, f, residual, variance)
	return h.lead >= wanted && h.kept.Len() >= wanted
}

// shifted watches a reading that is left out and reports a level shift. A stuck sensor causes none
// before it has repeated itself for a whole window.
func (s *Stream) shifted(st *station, r *Reading, residual, variance float64) bool {
	wanted := min(max(s.Len()+1, fewestOfShift), mostOfShift)
	found := s.shift.leaveOut(r, st.b, residual, variance, s.limit, wanted)
	return found && (st.health.diagnosis() != Stuck || st.health.repeats >= s.kept.Capacity())
}

// judgements is how many readings are checked again for each one kept, times the number kept: all of
// a few, one of many, at little cost.
const judgements = 256

// recall drops readings that were kept while little was known, and that those kept since show to be
// absurd. It returns how many. Readings are checked in turn, the newest first: in the other
// direction the turn would follow a growing window. Beside a glitch, sound readings may look absurd,
// too, but then those after them would have been left out.
func (s *Stream) recall() (recalled int) {
	w := s.kept
	for range min(max(judgements/w.Len(), 1), w.Len()) {
		if s.judged--; s.judged < 0 || s.judged >= w.Len() {
			s.judged = w.Len() - 1
		}
		if !(math.Abs(w.LeftOut(s.judged)) <= s.limit) {
			w.Remove(s.judged)
			recalled++
		}
	}
	return recalled
}

// takeShift replaces the readings kept by those left out.
func (s *Stream) takeShift() {
	s.kept.Clear()
	from := s.shift.kept
	for i := range from.Len() {
		o := from.At(i)
		s.kept.append(&from.readings[o.Slot], o.Row, s.kept.Forecast(o.Row, s.kept.Full()), o.Residual, o.Variance)
	}
	s.shift.clear()
	for _, st := range s.stations {
		st.health.above, st.health.below = 0, 0
	}
}
