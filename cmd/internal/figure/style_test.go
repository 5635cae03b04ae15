package figure

import (
	"image/color"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
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

// The maps before and after new sensors have the same size and height, though only one has
// numbers.
func TestMarkedMapsAreAlike(t *testing.T) {
	first, second := &MarkedMap{Map: flat(0, 1)}, &MarkedMap{Map: flat(0, 1)}
	second.Marks = Marks{Chosen: [][2]float64{{1, 1}, {0.5, 0}}, Candidates: [][2]float64{{0.2, 0.2}}}
	rows, _ := (&Figure{Rows: [][]Panel{{first, second}}}).layOut(390)
	a, b := rows[0][0].data, rows[0][1].data
	if a.Size() != b.Size() || a.Min.Y != b.Min.Y || a.Max.Y != b.Max.Y {
		t.Errorf("%v and %v", a, b)
	}
	if room := b.Min.X - a.Max.X; room < placeGlyph.Radius {
		t.Errorf("a number on the edge has %v", room)
	}
}

// Numbers beside the chosen places leave the colours of the dots there to be seen, also in a corner.
func TestNumbersBesideDotsDoNotCoverThem(t *testing.T) {
	seen := func(beside bool) (pixels int) {
		m := &MarkedMap{Map: flat(0, 1)}
		m.Values, m.Colours = nil, Cividis
		m.Dots = []Dot{{0.5, 0.5, 1}, {1, 1, 1}, {0.2, 0.2, 0}}
		m.Marks = Marks{Chosen: [][2]float64{{0.5, 0.5}, {1, 1}}, Beside: beside}
		picture := render(t, &Figure{Rows: [][]Panel{{m}}})
		want := Cividis.at(1)
		for y := range picture.Bounds().Max.Y {
			for x := range picture.Bounds().Max.X {
				if r, g, b, _ := picture.At(x, y).RGBA(); uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(b>>8) == want.B {
					pixels++
				}
			}
		}
		return pixels
	}
	radius := 4.0 * figureDPI / 72
	dots := 2 * math.Pi * radius * radius
	if more := float64(seen(true) - seen(false)); more < 0.7*dots {
		t.Errorf("beside them numbers leave %g more pixels of %g to be seen", more, dots)
	}
}

// Two maps side by side take most of the width, whatever their numbers are.
func TestMapsUseTheWidth(t *testing.T) {
	for _, scale := range []float64{1e-4, 1, 1e4} {
		left, right := flat(0, scale), flat(0, 0.1*scale)
		for _, m := range []*Map{left, right} {
			m.XLabel, m.YLabel = "distance (m)", "depth (m)"
			m.Raster.Y = system.Variable{Min: -300}
		}
		rows, _ := (&Figure{Rows: [][]Panel{{left, right}}}).layOut(FullWidth - 2*figureMargin)
		used := vg.Length(0)
		for _, q := range rows[0] {
			used += q.data.Size().X
			if q.data.Max.X+q.pad.right > FullWidth-2*figureMargin+0.5 {
				t.Errorf("the map at %v leaves the figure", q.data)
			}
		}
		if used < 0.7*FullWidth {
			t.Errorf("up to %g: maps take %.0f %% of the width", scale, 100*used/FullWidth)
		}
	}
}

// The titles of a row stand at one height, whatever the panels need above them.
func TestTitlesOfARowStandAtOneHeight(t *testing.T) {
	curve := func(top float64) *Curve {
		return &Curve{Frame: Frame{Title: "station", Aspect: 0.6}, X: []float64{0, 1}, Mean: []float64{0, top}, SD: []float64{0, 0}, Sensors: []Reading{{X: 1, Value: top, Sigma: 0.01}}}
	}
	low, high := curve(0.9), curve(1.94)
	rows, _ := (&Figure{Rows: [][]Panel{{low, high}, {flat(0, 1), flat(0, 1), curve(1)}}}).layOut(FullWidth)
	if a, b := rows[0][0], rows[0][1]; a.above() == b.above() || a.top != b.top {
		t.Errorf("titles begin at %v and %v; the panels need %v and %v", a.top, b.top, a.above(), b.above())
	}
	if m, c := rows[1][0], rows[1][2]; m.top <= c.top || m.top != rows[1][1].top {
		t.Errorf("maps begin at %v and %v, the curve beside them at %v", m.top, rows[1][1].top, c.top)
	}
}

// Numbers below panels side by side do not overlap, however long they are, and stay in the figure. What they leave out
// is said once.
func TestNumbersBelowPanelsStandApart(t *testing.T) {
	for _, r := range [][2]float64{{0, 1}, {3455000, 3457000}, {3455000, 3465000}, {-3457000, -3455000}, {99990, 100010}, {1e5 + 0.001, 1e5 + 0.004}, {1e12, 1e12 + 7}, {0, 3e6}} {
		for columns := 1; columns <= 3; columns++ {
			var panels []Panel
			for i := range columns {
				m := flat(0, 1)
				m.Raster.X, m.Raster.Y = system.Variable{Min: r[0], Max: r[1]}, system.Variable{Min: 5620000, Max: 5621200}
				if m.XLabel, m.YLabel, m.Aspect = "easting (m)", "northing (m)", 0.6; i == 1 && columns == 2 {
					m.Aspect = 0.7 // with labels of its own to the left
				}
				panels = append(panels, m)
			}
			f := &Figure{Rows: [][]Panel{panels}}
			render(t, f)
			rows, _ := f.layOut(FullWidth - 2*figureMargin)
			end := vg.Length(-1)
			for _, q := range rows[0] {
				axis := &q.axes.X
				offset := 0.0
				if marker := axis.Tick.Marker.(ticker); marker.offset != 0 {
					said := axis.Label.Text[strings.LastIndexAny(axis.Label.Text, " \n")+1:]
					var err error
					if offset, err = strconv.ParseFloat(said, 64); err != nil {
						t.Errorf("the label is %q", axis.Label.Text)
					}
				}
				count := 0
				for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
					if tick.Label == "" {
						continue
					}
					count++
					if v, err := strconv.ParseFloat(tick.Label, 64); err != nil || math.Abs(v+offset-tick.Value) > 1e-6*(r[1]-r[0])+1e-15*math.Abs(tick.Value) {
						t.Errorf("%v: %q is at %.9g, the offset is %g", r, tick.Label, tick.Value, offset)
					}
					half, middle := axis.Tick.Label.Width(tick.Label)/2, q.data.Min.X+q.data.Size().X*vg.Length(axis.Norm(tick.Value))
					if middle-half < end {
						t.Errorf("%v, %d columns: %q begins at %v, after %v", r, columns, tick.Label, middle-half, end)
					}
					end = middle + half
				}
				if count < 2 || end > FullWidth-2*figureMargin+0.5 {
					t.Errorf("%v, %d columns: %d numbers, up to %v", r, columns, count, end)
				}
			}
		}
	}
}

// What the map to the left, or below, says is not said again.
func TestInnerAxesHaveNoLabels(t *testing.T) {
	labels := func(axis *plot.Axis) (n int) {
		for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
			if tick.Label != "" {
				n++
			}
		}
		return n
	}
	other := flat(0, 1)
	other.Raster.Y.Max = 2
	panels := [][]Panel{{flat(0, 1), flat(0, 1)}, {flat(0, 1), other}, {flat(0, 1)}}
	rows, _ := (&Figure{Rows: panels}).layOut(390)
	for k, want := range [][][2]bool{{{false, true}, {false, false}}, {{true, true}, {true, true}}, {{true, true}}} {
		for i, shown := range want {
			axes := rows[k][i].axes
			if x, y := labels(&axes.X) > 0, labels(&axes.Y) > 0; x != shown[0] || y != shown[1] {
				t.Errorf("panel %d of row %d: labels of x %v, of y %v; want %v", i, k, x, y, shown)
			}
		}
	}
}

// Numbers of a colour bar do not overlap, and some are left.
func TestNumbersOfColourBarsStandApart(t *testing.T) {
	style := textStyle(smallSize, 0)
	decayed := flat(0, 1)
	for i := range decayed.Values {
		decayed.Values[i] = math.Exp(-0.1 * float64(i))
	}
	ShareColours([]*Map{decayed}, true)
	for name, m := range map[string]*Map{"linear": flat(0, 1), "far": flat(99990, 100010), "small": flat(1e-7, 3e-7), "decades": decayed} {
		lo, hi := m.Scale()
		for _, length := range []vg.Length{60, 150, 350} {
			end, count := vg.Length(-100), 0
			for _, tick := range m.barTicks(length) {
				if tick.Label == "" {
					continue
				}
				half, middle := style.Width(tick.Label)/2, length*vg.Length(m.position(tick.Value, lo, hi))
				if middle-half < end {
					t.Errorf("%s, %v long: %q overlaps", name, length, tick.Label)
				}
				end = middle + half
				count++
			}
			if count < 2 && length > 100 {
				t.Errorf("%s, %v long: %d numbers", name, length, count)
			}
		}
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
