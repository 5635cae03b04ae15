package posterior

import (
	"math"

	"github.com/bpielm/bpielm/mat"
)

const (
	// defaultAbsurd is the standardised innovation beyond which a reading is left out. A
	// sensor whose noise is stated five times too small goes that far about once in 16,000
	// readings; a Gaussian would have to follow a value that is farther off all the way.
	defaultAbsurd = 20
	// A level shift takes more readings that agree with each other than are kept, from
	// fewestOfShift to mostOfShift. The latter is more than it takes to tell that a sensor
	// is stuck.
	fewestOfShift = 3
	mostOfShift   = stuckRun + 2
	// largestValue of a reading, and the inverse of the smallest noise: as in problem files.
	largestValue = 1e120
)

// shift watches readings that are left out, to tell a glitch from a level shift:
// values that jump and stay there. It keeps those that the physics can explain
// together, although not with the readings that the stream keeps.
type shift struct {
	window *window
	lead   int // by how many the readings left out outnumber the others, at most mostOfShift
}

func newShift(variables, columns int) shift {
	return shift{window: newWindow(mostOfShift, variables, mat.NewDense(0, columns, nil))}
}

// clear forgets what has been left out.
func (h *shift) clear() {
	h.window.clear()
	h.lead = 0
}

// keptOne says that a reading was not left out.
func (h *shift) keptOne() {
	if h.lead > 0 {
		h.lead--
	}
	if h.lead == 0 {
		h.window.clear()
	}
}

// leaveOut watches a reading with the row b whose innovation is beyond the limit.
// It reports whether the readings left out are a level shift, for which so many are wanted.
func (h *shift) leaveOut(b []float64, r *kept, limit float64, wanted int) bool {
	beyond := func(f forecast) bool {
		return !(math.Abs(r.residual-f.mean) <= float64(limit*math.Sqrt(f.variance+r.sigma2)))
	}
	if norm2 := squares(b); beyond(forecast{norm2: norm2, variance: norm2}) {
		return false // whatever the others say, it is a glitch
	}
	h.lead = min(h.lead+1, mostOfShift)
	full := h.window.full()
	f := h.window.innovation(b, full)
	if beyond(f) { // it takes away one of those with which it does not agree
		if !full {
			h.window.remove(0)
		}
		return false
	}
	h.window.append(b, f, r)
	return h.lead >= wanted && len(h.window.order) >= wanted
}

// shifted watches a reading of a sensor that is left out and reports a level shift. A sensor
// that is stuck makes none before it has repeated itself for a whole window.
func (s *Stream) shifted(st *station, k *kept) bool {
	wanted := min(max(s.Len()+1, fewestOfShift), mostOfShift)
	found := s.shift.leaveOut(st.b, k, s.limit, wanted)
	return found && (st.health.condition() != Stuck || st.health.repeats >= s.window.capacity)
}

// judgements is how many readings are judged anew with each one that is kept, times how
// many there are: all of a few, one of many, at little cost.
const judgements = 256

// recall leaves out readings that were kept while little was known, and that those kept
// since have shown to be absurd. It returns how many. Readings are judged in turn, the
// newest first: a turn the other way would follow a window that grows. Beside a glitch sound
// readings may look absurd, too, but then the next ones have been left out.
func (s *Stream) recall() (recalled int) {
	w := s.window
	for range min(max(judgements/len(w.order), 1), len(w.order)) {
		if s.judged--; s.judged < 0 || s.judged >= len(w.order) {
			s.judged = len(w.order) - 1
		}
		if !(math.Abs(w.leftOut(s.judged)) <= s.limit) {
			w.remove(s.judged)
			recalled++
		}
	}
	return recalled
}

// takeShift lets the readings that were left out take the place of those kept.
func (s *Stream) takeShift() {
	s.window.clear()
	from := s.shift.window
	for _, p := range from.order {
		b := from.rows.Row(p)
		s.window.append(b, s.window.innovation(b, s.window.full()), &from.kept[p])
	}
	s.shift.clear()
	for _, st := range s.stations {
		st.health.above, st.health.below = 0, 0
	}
}
