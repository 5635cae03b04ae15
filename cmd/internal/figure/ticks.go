package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

// ticker labels an axis at round numbers, spaced by 1, 2 or 5 times a power of
// ten. There are at most intervals + 1 of them; 0 stands for maxIntervals.
type ticker struct {
	intervals int
	ends      bool    // only the first and the last of the ticks have labels
	offset    float64 // what labels leave out, as the label of the axis says
	whole     bool    // the axis counts things
}

const maxIntervals = 6

// Ticks implements plot.Ticker.
func (t ticker) Ticks(lo, hi float64) []plot.Tick {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return []plot.Tick{{Value: lo, Label: strconv.FormatFloat(lo, 'g', 4, 64)}}
	}
	intervals := t.intervals
	if intervals == 0 {
		intervals = maxIntervals
	}
	step, place := roundStep((hi - lo) / float64(intervals))
	if t.whole && step < 1 {
		step, place = 1, 0
	}
	slack := 1e-9 * (hi - lo)
	var ticks []plot.Tick
	first := math.Ceil((lo - slack) / step)
	for i := range intervals + 1 {
		k := first + float64(i)
		// In a narrow range far from 0, first + 1 may round to first.
		if k*step > hi+slack || i > 0 && k == first {
			break
		}
		v := math.Min(math.Max(k*step, lo), hi)
		ticks = append(ticks, plot.Tick{Value: v, Label: formatTick(k*step-t.offset, place)})
	}
	for i := 1; t.ends && i < len(ticks)-1; i++ {
		ticks[i].Label = ""
	}
	return ticks
}

// spaced returns the ticker with the most labels that do not overlap on an axis of the
// given length. size is the length of a label along the axis.
func spaced(lo, hi float64, length vg.Length, size func(label string) vg.Length) ticker {
	return ticker{}.spaced(lo, hi, length, size)
}

// spaced is the same with the offset of t.
func (t ticker) spaced(lo, hi float64, length vg.Length, size func(label string) vg.Length) ticker {
	for _, t.ends = range []bool{false, true} {
		for t.intervals = maxIntervals; t.intervals > 0; t.intervals-- {
			if apart(t.Ticks(lo, hi), lo, hi, length, size) {
				return t
			}
		}
	}
	t.intervals, t.ends = 1, false
	return t
}

// labels counts the ticks with labels.
func (t ticker) labels(lo, hi float64) (n int) {
	for _, tick := range t.Ticks(lo, hi) {
		if tick.Label != "" {
			n++
		}
	}
	return n
}

// fewLabels is how many labels tell a reader what an axis shows.
const fewLabels = 3

// offsetSpaced is spaced for an axis whose label can say an offset. It has one where there is no room for a few long
// numbers, as eastings are.
func (t ticker) offsetSpaced(lo, hi float64, length vg.Length, size func(label string) vg.Length) ticker {
	t = t.spaced(lo, hi, length, size)
	if n := t.labels(lo, hi); n < fewLabels && !t.whole {
		short := ticker{offset: offsetOf(lo, hi)}.spaced(lo, hi, length, size)
		if short.labels(lo, hi) > n {
			return short
		}
	}
	return t
}

// offsetOf returns what numbers of a range far from 0 have in common: they differ from it in their last digits only. It
// is 0 where there is no such number.
func offsetOf(lo, hi float64) float64 {
	const far = 100 // ranges
	if math.Max(math.Abs(lo), math.Abs(hi)) < far*(hi-lo) || lo < 0 && hi > 0 {
		return 0
	}
	unit := math.Pow10(int(math.Ceil(math.Log10(hi - lo))))
	if lo < 0 {
		return math.Ceil(hi/unit) * unit
	}
	return math.Floor(lo/unit) * unit
}

// sayOffset ends the label of an axis with what is to be added to the numbers there, on a line of its own where one
// line is too long.
func sayOffset(axis *plot.Axis, length vg.Length) {
	t, ok := axis.Tick.Marker.(ticker)
	if !ok || t.offset == 0 {
		return
	}
	offset := fmt.Sprintf("%+.15g", t.offset)
	if math.Abs(t.offset) < 1e15 {
		offset = strconv.FormatFloat(t.offset, 'f', -1, 64)
		if t.offset > 0 {
			offset = "+" + offset
		}
	}
	whole := axis.Label.Text + ", " + offset
	if axis.Label.TextStyle.Width(whole) > length {
		whole = axis.Label.Text + "\n" + offset
	}
	axis.Label.Text = whole
}

// apart reports whether there are labels and none overlap on an axis of the given length.
func apart(ticks []plot.Tick, lo, hi float64, length vg.Length, size func(label string) vg.Length) bool {
	ticks = slices.DeleteFunc(ticks, func(tick plot.Tick) bool { return tick.Label == "" })
	for i := 1; i < len(ticks); i++ {
		between := length * vg.Length((ticks[i].Value-ticks[i-1].Value)/(hi-lo))
		if between < (size(ticks[i].Label)+size(ticks[i-1].Label))/2 {
			return false
		}
	}
	return len(ticks) > 1
}

// beside is the length of a label on a horizontal axis, with the gap to the next; upright
// that on a vertical one.
func beside(style text.Style) func(string) vg.Length {
	return func(label string) vg.Length { return style.Width(label) + 6 }
}

func upright(string) vg.Length { return 1.5 * smallSize }

// decades marks a logarithmic axis at whole multiples of the powers of ten. It
// labels 1, 2 and 5 times the powers, or only powers where those are too many or
// crowded.
type decades struct{ crowded bool }

// Ticks implements plot.Ticker.
func (d decades) Ticks(lo, hi float64) []plot.Tick {
	const slack = 1e-9
	all, powers := decadeTicks(lo*(1-slack), hi*(1+slack))
	every := 0 // label 1, 2 and 5
	if 3*powers > 2*maxIntervals || d.crowded && powers > 1 {
		every = 1 + (powers-1)/maxIntervals
	}
	ticks := make([]plot.Tick, len(all))
	for i, t := range all {
		ticks[i].Value = math.Min(math.Max(t.value, lo), hi)
		if every == 0 && (t.digit == 1 || t.digit == 2 || t.digit == 5) || every > 0 && t.digit == 1 && t.power%every == 0 {
			ticks[i].Label = format.Short(t.value)
		}
	}
	return ticks
}

// decadeTick is a multiple of a power of ten.
type decadeTick struct {
	value        float64
	digit, power int
}

// decadeTicks returns the multiples in a range, and how many are powers of ten.
func decadeTicks(lo, hi float64) (all []decadeTick, powers int) {
	for k := int(math.Floor(math.Log10(lo))); math.Pow10(k) <= hi; k++ {
		for digit := 1; digit < 10; digit++ {
			v := float64(digit) * math.Pow10(k)
			if v < lo || v > hi {
				continue
			}
			if all = append(all, decadeTick{v, digit, k}); digit == 1 {
				powers++
			}
		}
	}
	return all, powers
}

// fitTicks leaves out labels of a horizontal axis of the given length until none
// overlap.
func fitTicks(axis *plot.Axis, length vg.Length) {
	if hidden, ok := axis.Tick.Marker.(unlabelled); ok { // its ticks stand where those of the others do
		axis.Tick.Marker = hidden.Ticker
		defer func() { axis.Tick.Marker = unlabelled{axis.Tick.Marker} }()
	}
	if t, ok := axis.Tick.Marker.(ticker); ok {
		axis.Tick.Marker = t.offsetSpaced(axis.Min, axis.Max, length, beside(axis.Tick.Label))
	} else if d, ok := axis.Tick.Marker.(decades); ok {
		axis.Tick.Marker = d.fitting(axis, length)
	} else if d, ok := axis.Tick.Marker.(dateTicks); ok {
		axis.Tick.Marker = d.fitting(axis.Min, axis.Max, length, beside(axis.Tick.Label))
	} else if names, ok := axis.Tick.Marker.(nameTicks); ok && !apart(names.Ticks(axis.Min, axis.Max), axis.Min, axis.Max, length, beside(axis.Tick.Label)) {
		names.upright = true
		axis.Tick.Marker = names
		axis.Tick.Label.Rotation = math.Pi / 2
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = text.XRight, text.YCenter
	}
}

// nameTicks labels places of an axis with names, upright where there is no room for them side by side.
type nameTicks struct {
	names   []string
	at      []float64 // nil: 1, 2, 3, ...
	upright bool
}

// longestName is how many letters a name on an axis has.
const longestName = 16

// Ticks implements plot.Ticker.
func (n nameTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for i, name := range n.names {
		label := format.Clipped(format.Printable(name), longestName)
		if n.upright {
			label += "  " // an upright text would begin in the tick
		}
		x := float64(i + 1)
		if n.at != nil {
			x = n.at[i]
		}
		if x >= lo && x <= hi {
			ticks = append(ticks, plot.Tick{Value: x, Label: label})
		}
	}
	return ticks
}

// fitHeight leaves out labels of a vertical axis of the given length until none overlap.
func fitHeight(axis *plot.Axis, length vg.Length) {
	if hidden, ok := axis.Tick.Marker.(unlabelled); ok {
		axis.Tick.Marker = hidden.Ticker
		defer func() { axis.Tick.Marker = unlabelled{axis.Tick.Marker} }()
	}
	if axis.Tick.Marker == (ticker{}) {
		axis.Tick.Marker = spaced(axis.Min, axis.Max, length, upright)
	} else if _, ok := axis.Tick.Marker.(decades); ok {
		labels := 0
		for _, t := range (decades{}).Ticks(axis.Min, axis.Max) {
			if t.Label != "" {
				labels++
			}
		}
		axis.Tick.Marker = decades{crowded: labels > intervalsIn(length)+1}
	} else if d, ok := axis.Tick.Marker.(dateTicks); ok {
		axis.Tick.Marker = d.fitting(axis.Min, axis.Max, length, upright)
	}
}

// intervalsIn is how many intervals between labels one above the other fit a length.
func intervalsIn(length vg.Length) int {
	return min(max(int(length/upright("")), 1), maxIntervals)
}

// fitting returns the ticker whose labels do not overlap on a horizontal axis of
// the given length.
func (d decades) fitting(axis *plot.Axis, length vg.Length) decades {
	const gap = 6
	end := -length
	for _, t := range d.Ticks(axis.Min, axis.Max) {
		if t.Label == "" {
			continue
		}
		half := axis.Tick.Label.Width(t.Label) / 2
		middle := length * vg.Length(axis.Norm(t.Value))
		if middle-half < end+gap {
			return decades{crowded: true}
		}
		end = middle + half
	}
	return d
}

// along gives an axis the range of a variable. Dates are by clock, or numbers if it is nil.
func along(axis *plot.Axis, v system.Variable, clock *readings.Clock) {
	axis.Min, axis.Max = v.Min, v.Max
	switch {
	case clock != nil:
		label, single := datesLabel(axis.Label.Text, clock, v.Min, v.Max)
		axis.Label.Text, axis.Tick.Marker = label, dateTicks{clock: clock, single: single}
	case v.Log:
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, decades{}
	}
}

// roundStep returns the smallest number of the form 1, 2 or 5 times a power of ten
// that is at least least, up to rounding. place is the exponent of that power: the
// decimal place of the last digit that labels need.
func roundStep(least float64) (step float64, place int) {
	place = int(math.Floor(math.Log10(least)))
	power := math.Pow10(place)
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= least*(1-1e-9) {
			return factor * power, place
		}
	}
	return 10 * power, place + 1
}

func formatTick(v float64, place int) string {
	if v == 0 {
		return "0"
	}
	magnitude := int(math.Floor(math.Log10(math.Abs(v))))
	// A number such as 3455000 is shorter than with a power of ten.
	const longest, digits = 9, 4
	if whole := magnitude <= longest && magnitude-place+1 >= digits && place >= 0; magnitude > 5 && !whole || place < -4 {
		return strconv.FormatFloat(v, 'g', max(1, magnitude-place+1), 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -place), 64)
}

// logTicks labels an axis of decimal logarithms with 1, 2 and 5 times the powers of
// ten, or with fewer numbers where these are too many.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for _, digits := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		ticks = ticks[:0]
		for decade := math.Floor(lo); decade <= hi; decade++ {
			for _, d := range digits {
				if v := decade + math.Log10(d); v >= lo && v <= hi {
					ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(d*math.Pow(10, decade), 'g', 3, 64)})
				}
			}
		}
		if len(ticks) <= maxIntervals {
			break
		}
	}
	return ticks
}

// unlabelled marks an axis where another ticker does, without labels.
type unlabelled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unlabelled) Ticks(lo, hi float64) []plot.Tick {
	ticks := slices.Clone(u.Ticker.Ticks(lo, hi))
	for i := range ticks {
		ticks[i].Label = ""
	}
	return ticks
}

// wholeTicks labels an axis at whole numbers.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(lo, hi float64) []plot.Tick {
	step := math.Max(1, math.Ceil((hi-lo)/maxIntervals))
	var ticks []plot.Tick
	for v := math.Ceil(lo); v <= hi; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.Itoa(int(v))})
	}
	return ticks
}
