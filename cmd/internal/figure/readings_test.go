package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// noisy is a panel with n readings about a sine, one of which is far off.
func noisy(n int) *Curve {
	p := &Curve{Frame: Frame{Aspect: 0.5}}
	for i := range 101 {
		x := float64(i) / 10
		p.X, p.Mean, p.SD = append(p.X, x), append(p.Mean, math.Sin(x)), append(p.SD, 0.01)
	}
	var all []Reading
	for i := range n {
		x := 10 * float64(i) / float64(n)
		all = append(all, Reading{X: x, Value: math.Sin(x) + 0.1*math.Sin(float64(i*i)), Sigma: 0.1})
	}
	all[n/3+1].Value += 2
	p.Show(all)
	return p
}

// However many readings there are, the mean is seen, and so is the reading far from it.
func TestManyReadingsHideNothing(t *testing.T) {
	for _, n := range []int{20, 300, 600, 20_000} {
		p := noisy(n)
		dots, circles := p.crowd()
		if many := n > mostCircles; (len(dots) > 0) != many || many && (len(circles) == 0 || len(circles) > mostFar) {
			t.Errorf("%d readings: %d dots, %d circles", n, len(dots), len(circles))
		}
		far := false
		for _, r := range circles {
			far = far || r.Value > math.Sin(r.X)+1.5
		}
		if !far || len(p.Sensors) > mostMarks+mostFar {
			t.Errorf("%d readings: the one that is off is drawn %v, among %d", n, far, len(p.Sensors))
		}
		picture := render(t, &Figure{Rows: [][]Panel{{p}}})
		blue, dark := 0, 0
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				c := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
				if c == meanColour {
					blue++
				}
				if max(c.R, c.G, c.B) < 0x40 {
					dark++
				}
			}
		}
		if pixels := picture.Bounds().Dx() * picture.Bounds().Dy(); blue < picture.Bounds().Dx() || dark > pixels/20 {
			t.Errorf("%d readings: of %d pixels %d are of the mean, %d nearly black", n, pixels, blue, dark)
		}
	}
}

// A band is as thick as four standard deviations, however thin that is.
func TestBandsAreTrue(t *testing.T) {
	for _, sd := range []float64{1e-9, 0.002, 0.01, 0.05, 0.3} {
		p := &Curve{Frame: Frame{Aspect: 0.5}, X: []float64{0, 1}, Mean: []float64{0, 0}, SD: []float64{sd, sd}, yMin: -1, yMax: 1}
		f := &Figure{Rows: [][]Panel{{p}}}
		_, _, rows := f.measure()
		picture := render(t, f)
		blue := 0.0
		for y := range picture.Bounds().Dy() {
			if c := color.RGBAModel.Convert(picture.At(picture.Bounds().Dx()/2, y)).(color.RGBA); int(c.B) > int(c.R)+8 {
				blue++
			}
		}
		thick := 2 * sd * rows[0][0].data.Size().Y.Dots(figureDPI)
		line := meanStyle.Width
		if 2*sd*float64(rows[0][0].data.Size().Y)/2 < float64(narrowBand) {
			line = thinMean
		}
		if want := math.Max(thick, line.Dots(figureDPI)); math.Abs(blue-want) > 2 {
			t.Errorf("sd %g: %g pixels of blue, want %.1f", sd, blue, want)
		}
	}
}

// An axis that counts readings has whole numbers.
func TestReadingsAreCountedInWholeNumbers(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 600} {
		p := &Curve{Frame: Frame{Aspect: 0.5}, X: []float64{0.5, float64(n) + 0.5}, Mean: []float64{0, 0}, Counted: true}
		rows, _ := (&Figure{Rows: [][]Panel{{p, p}}}).layOut(FullWidth)
		axis := rows[0][0].axes.X
		ticks := axis.Tick.Marker.Ticks(axis.Min, axis.Max)
		for _, tick := range ticks {
			if tick.Value != math.Round(tick.Value) || tick.Label != fmt.Sprint(tick.Value) {
				t.Errorf("of %d: %q at %g", n, tick.Label, tick.Value)
			}
		}
		if len(ticks) < min(n, 3) {
			t.Errorf("of %d: %d numbers", n, len(ticks))
		}
	}
}

// Marks leave most of a map to be seen, and where they overlap they are no black bar.
func TestManyMarksLeaveTheMap(t *testing.T) {
	const n = 1000
	one := func() *Map {
		m := flat(1, 1)
		m.Raster.X, m.Raster.Y = system.Variable{Max: 1}, system.Variable{Max: 1}
		return m
	}
	// The map has one colour.
	count := func(m *Map) (seen, black int) {
		picture := render(t, &Figure{Rows: [][]Panel{{m, one()}}})
		lo, hi := m.Scale()
		colour := Magma.at(m.position(1, lo, hi))
		for y := picture.Bounds().Dy() / 5; y < picture.Bounds().Dy(); y++ { // below the colour bar
			for x := range picture.Bounds().Dx() / 2 {
				switch c := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA); {
				case c == colour:
					seen++
				case max(c.R, c.G, c.B) < 0x40:
					black++
				}
			}
		}
		return seen, black
	}
	all, lines := count(one())
	if all < 100_000 {
		t.Fatalf("%d pixels of a map", all)
	}
	for name, at := range map[string]func(i int) Mark{
		"all over": func(i int) Mark { return Mark{X: math.Mod(float64(i)*0.618, 1), Y: float64(i) / n} },
		"three lines": func(i int) Mark {
			return Mark{X: 0.2 + 0.3*float64(i%3), Y: float64(i) / n, Kind: MarkKind(i % 2)}
		},
	} {
		m := one()
		for i := range n {
			m.Sensors = append(m.Sensors, at(i))
		}
		seen, black := count(m)
		if seen < all*6/10 || seen > all*99/100 || black-lines > all/12 {
			t.Errorf("%s: of %d pixels of the map %d are seen, %d are black", name, all, seen, black-lines)
		}
	}
	if placeRadius(10) != sensorGlyph.Radius || placeRadius(n) < 0.5 || placeRadius(n) > 1 {
		t.Errorf("radii %v and %v", placeRadius(10), placeRadius(n))
	}
}

// Stations that read again and again are thin lines on a map of times, with gaps where they paused.
func TestStationsAreTracks(t *testing.T) {
	var marks []Mark
	for i := range 120 {
		for k := range 5 {
			if k == 2 && i >= 40 && i < 50 { // it paused
				continue
			}
			m := Mark{X: 0.1 + 0.2*float64(k), Y: float64(i) / 119}
			if k == 4 {
				m.Kind = Other
			}
			marks = append(marks, m, m) // two beside each other
		}
	}
	lone := Mark{X: 0.33, Y: 0.5}
	tracks, rest := Tracks(append(marks, lone), true)
	if len(tracks) != 6 || !slices.Equal(rest, []Mark{lone}) {
		t.Fatalf("tracks %v, others %v", tracks, rest)
	}
	if a, b := tracks[2], tracks[3]; a.X != b.X || a.From != 0 || a.To != 39./119 || b.From != 50./119 || b.To != 1 || tracks[5].Kind != Other {
		t.Errorf("%+v", tracks)
	}
	if tracks, rest := Tracks(marks, false); tracks != nil || len(rest) != len(marks) {
		t.Errorf("a map without times has %d tracks", len(tracks))
	}
	if tracks, rest := Tracks(marks[:mostSingle], true); tracks != nil || len(rest) != mostSingle {
		t.Errorf("few readings have %d tracks", len(tracks))
	}
	bare, m := flat(1, 1), flat(1, 1)
	m.Tracks = tracks
	lo, hi := m.Scale()
	colour := Magma.at(m.position(1, lo, hi))
	seen := func(m *Map) (n int) {
		picture := render(t, &Figure{Rows: [][]Panel{{m}}, Legend: SensorLegend(nil, tracks, 1)})
		for y := picture.Bounds().Dy() / 5; y < picture.Bounds().Dy(); y++ {
			for x := range picture.Bounds().Dx() {
				if color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA) == colour {
					n++
				}
			}
		}
		return n
	}
	if all, left := seen(bare), seen(m); left < all*95/100 || left > all*999/1000 {
		t.Errorf("%d pixels of the map are seen, %d without tracks", left, all)
	}
	var labels []string
	for _, e := range SensorLegend(rest, tracks, 1) {
		labels = append(labels, e.Label)
	}
	if got := strings.Join(labels, "; "); got != "sensors, reading often; sensors; sensors of other quantities, reading often" {
		t.Errorf("the legend says %q", got)
	}
}

// Of very many candidates the best are all drawn, last and on top.
func TestTheBestDotsAreKept(t *testing.T) {
	var dots []Dot
	for i := range 10_000 {
		dots = append(dots, Dot{X: float64(i), Value: math.Mod(0.618*float64(i), 1)})
	}
	kept, step := ThinDots(dots)
	if len(kept) > mostDots || step < 2 || len(kept) < mostDots/2 {
		t.Errorf("%d dots, one in %d", len(kept), step)
	}
	for i := 1; i < len(kept); i++ {
		if kept[i].Value < kept[i-1].Value {
			t.Fatal("a dot is on top of a higher one")
		}
	}
	if top := kept[len(kept)-500].Value; math.Abs(top-0.95) > 0.01 {
		t.Errorf("the best 500 begin at %g", top)
	}
	if few, step := ThinDots(dots[:5]); len(few) != 5 || step != 1 {
		t.Errorf("%d of 5 dots", len(few))
	}
}

// A circle among dots is explained: what it is, and if it is the only one, where it is from.
func TestLegendExplainsTheFarthestReading(t *testing.T) {
	curve := func(readings, far int) *Curve {
		p := &Curve{Frame: Frame{Aspect: 0.6}, X: []float64{0, 1}, Mean: []float64{0, 0}, SD: []float64{0.1, 0.1}}
		for i := range readings {
			r := Reading{X: float64(i) / float64(readings), Value: 0.1 - 0.2*float64(i%2), Source: fmt.Sprintf("log.csv line %d", i+2)}
			if i < far {
				r.Value = 0.9
			}
			p.Sensors = append(p.Sensors, r)
		}
		return p
	}
	for _, test := range []struct {
		panels []Panel
		want   string
	}{
		{[]Panel{curve(10, 1)}, "sensors"},
		{[]Panel{curve(200, 0)}, "sensors"},
		{[]Panel{curve(200, 1)}, "sensors; farthest from the prediction: log.csv line 2"},
		{[]Panel{curve(200, 3)}, "sensors; farthest from the prediction"},
		{[]Panel{curve(200, 1), curve(10, 0)}, "sensors; many of them; farthest from the prediction: log.csv line 2"},
	} {
		var labels []string
		for _, e := range readingEntries([][]Panel{test.panels}, sensorEntry) {
			labels = append(labels, e.Label)
		}
		if got := strings.Join(labels, "; "); got != test.want {
			t.Errorf("the legend says %q, expected %q", got, test.want)
		}
		render(t, &Figure{Rows: [][]Panel{test.panels}, Legend: CurveLegend([][]Panel{test.panels})})
	}
}

// A reading that would squash the others is an arrow with its value at the end of the axis; the legend says where it is
// from. Readings that are merely far, and many that are off, stay on the axis.
func TestOutliersDoNotSquashAPanel(t *testing.T) {
	for name, c := range map[string]struct {
		values         map[int]float64 // among 40 about 18
		clipped        []float64
		least, largest float64 // the axis
		legend         string
	}{
		"none":           {nil, nil, 17, 19, "sensors"},
		"one":            {map[int]float64{7: 85}, []float64{85}, 17, 20, "sensors; farthest, beyond the axis: log.csv line 9"},
		"up and down":    {map[int]float64{7: 85, 9: -40}, []float64{85, -40}, 16, 20, "sensors; farthest, beyond the axis: log.csv line 9, log.csv line 11"},
		"a near one":     {map[int]float64{7: 85, 9: 18.8}, []float64{85}, 17, 20, "sensors; farthest, beyond the axis: log.csv line 9"},
		"merely far":     {map[int]float64{7: 18.9}, nil, 17, 19.5, "sensors"},
		"a fifth is off": {map[int]float64{1: 85, 6: 85, 11: 85, 16: 85, 21: 85, 26: 85, 31: 85, 36: 85}, nil, 10, 95, "sensors"},
		"not a number":   {map[int]float64{7: math.Inf(1)}, []float64{math.Inf(1)}, 17, 19, "sensors; farthest, beyond the axis: log.csv line 9"},
	} {
		p := &Curve{Frame: Frame{Aspect: 0.6}, X: []float64{0, 1}, Mean: []float64{18, 18.2}, SD: []float64{0.1, 0.1}}
		for i := range 40 {
			r := Reading{X: float64(i) / 39, Value: 18.1 + 0.2*math.Sin(float64(i*i)), Sigma: 0.15, Source: fmt.Sprintf("log.csv line %d", i+2)}
			if v, ok := c.values[i]; ok {
				r.Value = v
			}
			p.Sensors = append(p.Sensors, r)
		}
		var clipped []float64
		for _, r := range p.clipped() {
			clipped = append(clipped, r.Value)
		}
		lo, hi := p.limits()
		if !slices.Equal(clipped, c.clipped) || lo < c.least || hi > c.largest {
			t.Errorf("%s: %v are beyond the axis from %g to %g", name, clipped, lo, hi)
		}
		dots, circles := p.crowd()
		if n := len(dots) + len(circles) + len(clipped); n != len(p.Sensors) {
			t.Errorf("%s: %d of %d readings are drawn", name, n, len(p.Sensors))
		}
		var labels []string
		for _, e := range readingEntries([][]Panel{{p}}, sensorEntry) {
			labels = append(labels, e.Label)
		}
		if got := strings.Join(labels, "; "); got != c.legend {
			t.Errorf("%s: the legend says %q", name, got)
		}
		with := render(t, &Figure{Rows: [][]Panel{{p}}})
		p.yMin, p.yMax = lo, hi
		p.Sensors = slices.DeleteFunc(p.Sensors, func(r Reading) bool { return r.Value < lo || r.Value > hi })
		without := render(t, &Figure{Rows: [][]Panel{{p}}})
		arrows := 0
		for y := range with.Bounds().Dy() {
			for x := range with.Bounds().Dx() {
				if with.At(x, y) != without.At(x, y) {
					arrows++
				}
			}
		}
		if (arrows > 100) != (len(clipped) > 0) {
			t.Errorf("%s: arrows of %d pixels", name, arrows)
		}
	}
}
