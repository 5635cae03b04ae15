package figure

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// Where a figure is as wide as one column of a journal, 80 mm, its smallest text is
// 6 points high.
func TestTextIsLegibleInOneColumn(t *testing.T) {
	const column = 80 / 25.4 * 72
	if size := smallSize * column / FullWidth; size < 5.9 {
		t.Errorf("the smallest text is %.2g points high", size)
	}
}

// No line of a legend is wider than the figure, and no entry is lost.
func TestLegendsAreBroken(t *testing.T) {
	entries := []Entry{meanEntry, BandEntry, exactEntry, thinnedEntry(barEntry, 17), priorEntry, intervalEntry}
	for _, width := range []vg.Length{120, 230, 384, 700} {
		count := 0
		for _, row := range legendRows(entries, width) {
			used := legendBetween * vg.Length(len(row)-1)
			for _, e := range row {
				used += e.total()
				count++
			}
			if used > width && len(row) > 1 {
				t.Errorf("a line of %v of %v", used, width)
			}
		}
		if count != len(entries) {
			t.Errorf("%d of %d entries", count, len(entries))
		}
	}
}

// Neither a long title nor a long legend leaves the figure.
func TestHeadsFitNarrowFigures(t *testing.T) {
	f := &Figure{Title: "Heated rod whose conductivity depends on the temperature", Width: 248, Legend: []Entry{densityMeanEntry, intervalEntry, priorEntry}}
	lines, style := f.titleLines(248)
	if len(lines) != 2 || lines[0]+" "+lines[1] != f.Title {
		t.Errorf("title %q", lines)
	}
	for _, line := range lines {
		if style.Width(line) > 248-2*figureMargin {
			t.Errorf("%q is %v wide", line, style.Width(line))
		}
	}
	p := NewDensity(posterior.ParameterEstimate{Name: "b", Mean: 1, SD: 0.1, Median: 1, Lower95: 0.8, Upper95: 1.2}, func(x float64) float64 { return math.Exp(-(x - 1) * (x - 1) * 50) }, nil)
	f.Rows = [][]Panel{{p}}
	m := render(t, f)
	for y := range m.Bounds().Dy() {
		for _, x := range []int{0, 1, m.Bounds().Dx() - 2, m.Bounds().Dx() - 1} {
			if r, g, b, _ := m.At(x, y).RGBA(); r+g+b != 3*0xffff {
				t.Fatalf("something is drawn at the edge, at (%d, %d)", x, y)
			}
		}
	}
}

// flat returns a map with values from lo to hi.
func flat(lo, hi float64) *Map {
	r := &Raster{X: system.Variable{Max: 1}, Y: system.Variable{Max: 1}, Columns: 10, Rows: 10, Inside: func(x, y float64) bool { return true }}
	m := &Map{Frame: Frame{Aspect: 1}, Raster: r, Colours: Magma}
	for k := range 100 {
		m.Values = append(m.Values, lo+(hi-lo)*float64(k)/99)
	}
	return m
}

// A shared scale turns no map black.
func TestSharedScales(t *testing.T) {
	for name, c := range map[string]struct {
		maps        []*Map
		sizes       bool
		shared, log bool
	}{
		"alike":           {[]*Map{flat(0, 1), flat(0, 0.8)}, true, true, false},
		"late one small":  {[]*Map{flat(0, 1), flat(0.1, 0.3)}, false, false, false},
		"decaying sizes":  {[]*Map{flat(0.5, 1), flat(0.01, 0.02), flat(0.001, 0.002)}, true, true, true},
		"decaying values": {[]*Map{flat(0.5, 1), flat(0.01, 0.02), flat(0.001, 0.002)}, false, false, false},
		"negative":        {[]*Map{flat(-1, 1), flat(-0.9, 1)}, true, true, false},
		"nothing":         {[]*Map{flat(0, 0), flat(0, 0)}, true, true, false},
	} {
		ShareColours(c.maps, c.sizes)
		lo, hi := c.maps[0].Scale()
		for i, m := range c.maps {
			low, high := m.Scale()
			if shared := low == lo && high == hi; i > 0 && shared != c.shared || m.logarithmic != c.log {
				t.Errorf("%s: map %d: from %g to %g, the first from %g to %g; logarithmic %v", name, i, low, high, lo, hi, m.logarithmic)
			}
			brightest := 0.0
			m.each(func(v float64) { brightest = math.Max(brightest, m.position(v, low, high)) })
			if name != "nothing" && brightest < 0.08 {
				t.Errorf("%s: the brightest place of map %d is at %g of the scale", name, i, brightest)
			}
			render(t, &Figure{Rows: [][]Panel{{m}}})
		}
	}
}

// The maps before and after new sensors have the same size, though only one has numbers;
// the numbers are beside the colour bar.
func TestMarkedMapsAreAlike(t *testing.T) {
	first, second := &MarkedMap{Map: flat(0, 1)}, &MarkedMap{Map: flat(0, 1)}
	second.Marks = Marks{Chosen: [][2]float64{{1, 1}, {0.5, 0}}, Candidates: [][2]float64{{0.2, 0.2}}}
	first.Marks = Marks{Chosen: second.Marks.Chosen, Blank: true}
	rows := (&Figure{Rows: [][]Panel{{first, second}}}).layOut(190, 390)
	if a, b := rows[0][0], rows[0][1]; a.height != b.height || a.left != b.left || a.right != b.right {
		t.Errorf("%v and %v high, %v and %v to the left", a.height, b.height, a.left, b.left)
	}
	_, right := second.shape()
	if _, plain := flat(0, 1).shape(); right-plain < placeGlyph.Radius {
		t.Errorf("a number has %v more room than a map without", right-plain)
	}
}

// seen is a colour as people without red or green cones see it (Viénot, Brettel and
// Mollon, Color Research and Application 24, 1999), in linear light.
func seen(c color.Color, blind string) [3]float64 {
	linear := func(v uint32) float64 { return math.Pow(float64(v)/0xffff, 2.2) }
	r, g, b, _ := c.RGBA()
	x := [3]float64{linear(r), linear(g), linear(b)}
	switch blind {
	case "red":
		return [3]float64{0.11238*x[0] + 0.88762*x[1], 0.11238*x[0] + 0.88762*x[1], 0.00401*x[0] - 0.00401*x[1] + x[2]}
	case "green":
		return [3]float64{0.29275*x[0] + 0.70725*x[1], 0.29275*x[0] + 0.70725*x[1], -0.02234*x[0] + 0.02234*x[1] + x[2]}
	}
	return x
}

// Colours that mean different things differ for the colour-blind.
func TestColoursDifferForEveryEye(t *testing.T) {
	groups := map[string][]color.Color{"families": familyColours, "curves": {meanColour, exactColour, inkColour}}
	for name, colours := range groups {
		for _, blind := range []string{"", "red", "green"} {
			for i, a := range colours {
				for j, b := range colours[:i] {
					p, q := seen(a, blind), seen(b, blind)
					d := 0.0
					for k := range p { // perceived lightness goes with the cube root
						d += math.Pow(math.Cbrt(math.Max(p[k], 0))-math.Cbrt(math.Max(q[k], 0)), 2)
					}
					if d = math.Sqrt(d); d < 0.12 {
						t.Errorf("%s %d and %d differ by %.2g for eyes without %q", name, j, i, d, blind)
					}
				}
			}
		}
	}
}
