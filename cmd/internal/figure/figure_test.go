package figure

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

func TestTicksAreRoundAndInRange(t *testing.T) {
	for _, r := range [][2]float64{{0, 1}, {-10, 10}, {-6.28, 6.28}, {0.48, 0.503}, {1e-7, 3e-7}, {-1e6, 3e6}, {99.9, 100.1}, {-0.001, 0}, {1e6, 1e6 + 3}, {1, 1 + 1e-7}, {1e-300, 2e-300}} {
		ticks := ticker{}.Ticks(r[0], r[1])
		if len(ticks) < 3 || len(ticks) > maxIntervals+1 {
			t.Errorf("%v: %d ticks", r, len(ticks))
		}
		for i, tick := range ticks {
			if tick.Value < r[0] || tick.Value > r[1] {
				t.Errorf("%v: tick %g outside", r, tick.Value)
			}
			label, err := strconv.ParseFloat(tick.Label, 64)
			if err != nil || math.Abs(label-tick.Value) > 1e-6*(r[1]-r[0]) {
				t.Errorf("%v: tick at %g is labelled %q", r, tick.Value, tick.Label)
			}
			if i > 0 && tick.Label == ticks[i-1].Label {
				t.Errorf("%v: label %q twice", r, tick.Label)
			}
		}
	}
	for _, r := range [][2]float64{{1, math.Nextafter(1, 2)}, {1e20, 1e20 + 1e5}, {-1e308, 1e307}, {0, 5e-324}} {
		if ticks := (ticker{}).Ticks(r[0], r[1]); len(ticks) > maxIntervals+1 {
			t.Errorf("%v: %d ticks", r, len(ticks))
		}
	}
	if ticks := (ticker{}).Ticks(2, 2); len(ticks) != 1 {
		t.Errorf("an empty range gives %d ticks", len(ticks))
	}
}

func TestLongLabelsStandApart(t *testing.T) {
	style := textStyle(smallSize, weight.WeightNormal)
	for _, length := range []vg.Length{30, 100, 150, 400} {
		ticks := spaced(99990, 100010, length, beside(style)).Ticks(99990, 100010)
		ticks = slices.DeleteFunc(ticks, func(tick plot.Tick) bool { return tick.Label == "" })
		if len(ticks) < 2 && length > 60 {
			t.Errorf("on %g points there is %d label", length, len(ticks))
		}
		for i := 1; i < len(ticks); i++ {
			apart := length * vg.Length((ticks[i].Value-ticks[i-1].Value)/20)
			if apart < style.Width(ticks[i].Label) {
				t.Errorf("on %g points the labels %s and %s overlap", length, ticks[i-1].Label, ticks[i].Label)
			}
		}
	}
	if got := spaced(0, 1, 400, beside(style)); got.intervals != maxIntervals {
		t.Errorf("short labels are left out: %d intervals", got.intervals)
	}
}

func TestColourMapsRiseInLightness(t *testing.T) {
	for name, m := range map[string]ColourMap{"Viridis": Viridis, "Magma": Magma, "Cividis": Cividis} {
		last := -1.0
		for i := range 101 {
			c := m.at(float64(i) / 100)
			lightness := 0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)
			if lightness < last {
				t.Errorf("%s is darker at %d %% than before", name, i)
			}
			last = lightness
		}
		if m.at(-1) != m[0] || m.at(2) != m[len(m)-1] || m.at(math.NaN()) != m[0] {
			t.Errorf("%s: values outside [0, 1] do not take the ends", name)
		}
	}
}

// unitDisc is a raster of [-1, 1]^2 with the unit disc as domain.
func unitDisc(nodes int) *Raster {
	return &Raster{X: system.Variable{Min: -1, Max: 1}, Y: system.Variable{Min: -1, Max: 1}, Columns: nodes, Rows: nodes, Inside: func(x, y float64) bool { return x*x+y*y < 1 }}
}

func TestMaskHasTheDomainsArea(t *testing.T) {
	const side = 200
	mask := unitDisc(2).mask(side, side)
	area := 0.0
	for _, a := range mask.Pix {
		area += float64(a) / 255 * 4 / (side * side)
	}
	if math.Abs(area-math.Pi) > 0.005 {
		t.Errorf("the unit disc has area %g", area)
	}
	if again := unitDisc(2); again.mask(10, 10) == again.mask(20, 10) {
		t.Error("a mask of another size is reused")
	}
}

func TestInterpolationIsBilinear(t *testing.T) {
	r := unitDisc(5)
	f := func(x, y float64) float64 { return 1 + 2*x - 3*y + 0.5*x*y }
	values := make([]float64, 25)
	for k := range values {
		values[k] = f(r.Node(k/5, k%5))
	}
	for _, p := range [][2]float64{{0, 0}, {1, 1}, {0, 1}, {0.3, 0.7}, {0.99, 0.01}} {
		x, y := r.at(p[0], p[1])
		if got := r.Interpolate(values, p[0], p[1]); math.Abs(got-f(x, y)) > 1e-12 {
			t.Errorf("at (%g, %g): %g instead of %g", x, y, got, f(x, y))
		}
	}
	values[0] = math.NaN()
	if got := r.Interpolate(values, 0.01, 0.01); math.IsNaN(got) {
		t.Error("one missing node spoils its whole cell")
	}
	for k := range values {
		values[k] = math.NaN()
	}
	if got := r.Interpolate(values, 0.5, 0.5); !math.IsNaN(got) {
		t.Errorf("no nodes at all give %g", got)
	}
}

// render draws the figure and decodes it.
func render(t *testing.T, f *Figure) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, PNG); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func TestMapIsBlankOutsideTheDomain(t *testing.T) {
	r := unitDisc(11)
	values := make([]float64, 121)
	for k := range values {
		values[k] = 1
	}
	values[60] = 2 // the middle
	picture := render(t, &Figure{Title: "disc", Rows: [][]Panel{{
		&Map{Frame: Frame{XLabel: "x", YLabel: "y", Aspect: 1}, Raster: r, Values: values, Colours: Viridis},
	}}})
	// Colours are counted, so that the test need not know where the axes stand.
	low, high, white := 0, 0, 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			switch color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA) {
			case Viridis[0]:
				low++
			case Viridis[len(Viridis)-1]:
				high++
			case rgb(0xffffff):
				white++
			}
		}
	}
	size := picture.Bounds().Dx() * picture.Bounds().Dy()
	if low < size/3 || high == 0 || white < size/10 || low+white > size {
		t.Errorf("of %d pixels %d are lowest, %d highest, %d blank", size, low, high, white)
	}
}

func TestFiguresSurviveHardData(t *testing.T) {
	nan := math.NaN()
	for name, p := range map[string]Panel{
		"constant":     &Curve{Frame: Frame{Aspect: 1}, X: []float64{0, 1, 2}, Mean: []float64{3, 3, 3}},
		"all gaps":     &Curve{Frame: Frame{Aspect: 1}, X: []float64{0, 1, 2}, Mean: []float64{nan, nan, nan}, SD: []float64{nan, nan, nan}},
		"infinite":     &Curve{Frame: Frame{Aspect: 1}, X: []float64{0, 1, 2}, Mean: []float64{0, math.Inf(1), 2}, SD: []float64{1, 1, math.Inf(1)}},
		"huge":         &Curve{Frame: Frame{Aspect: 1}, X: []float64{0, 1, 2}, Mean: []float64{1e300, -1e300, 0}, Sensors: []Reading{{X: 1, Sigma: nan}}},
		"tiny":         &Curve{Frame: Frame{Aspect: 1}, X: []float64{0, 1, 2}, Mean: []float64{1, 1 + 1e-16, 1}},
		"constant map": &Map{Frame: Frame{Aspect: 1}, Raster: unitDisc(3), Values: make([]float64, 9), Colours: Magma},
		"blank map":    &Map{Frame: Frame{Aspect: 1}, Raster: unitDisc(2), Values: []float64{nan, nan, nan, nan}, Colours: Magma},
		"parameter":    NewDensity(posterior.ParameterEstimate{Name: "lambda", Mean: 1e12, SD: 1e-9, Median: 1e12, Lower95: 1e12 - 2e-9, Upper95: 1e12 + 2e-9}, func(float64) float64 { return nan }, nil),
	} {
		t.Run(name, func(t *testing.T) {
			render(t, &Figure{Title: name, Rows: [][]Panel{{p}}})
		})
	}
}

func TestPiecesAreTheRunsOfNumbers(t *testing.T) {
	nan := math.NaN()
	x := make([]float64, 8)
	got := pieces(x, []float64{1, 2, nan, 3, nan, 4, 5, 6}, []float64{1, 1, 1, 1, 1, 1, 1, nan})
	want := [][2]int{{0, 2}, {5, 7}} // the single number 3 is no line
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLongTitlesAreShortened(t *testing.T) {
	style := textStyle(titleSize, 0)
	long := string(bytes.Repeat([]byte("word "), 100))
	if short := fitText(long, style, 200); style.Width(short) > 200 || len(short) < 10 {
		t.Errorf("%q is %v wide", short, style.Width(short))
	}
	if fitText("short", style, 200) != "short" {
		t.Error("a short title is changed")
	}
}

// Labels of a logarithmic axis are 1, 2 and 5 times powers of ten if there is room for them. They never overlap.
func TestLogarithmicTicks(t *testing.T) {
	labels := func(d decades, lo, hi float64) (list []string) {
		for _, tick := range d.Ticks(lo, hi) {
			if tick.Label != "" {
				list = append(list, tick.Label)
			}
		}
		return list
	}
	for _, k := range []struct {
		crowded bool
		lo, hi  float64
		want    []string
	}{
		{false, 2, 1000, []string{"2", "5", "10", "20", "50", "100", "200", "500", "1000"}},
		{true, 2, 1000, []string{"10", "100", "1000"}},
		{false, 3e-5, 1.5, []string{"0.0001", "0.001", "0.01", "0.1", "1"}},
		{true, 20, 60, []string{"20", "50"}},
	} {
		if got := labels(decades{k.crowded}, k.lo, k.hi); !slices.Equal(got, k.want) {
			t.Errorf("from %g to %g: %q, want %q", k.lo, k.hi, got, k.want)
		}
	}
	f := Frame{}
	axes := f.newPlot()
	along(&axes.X, system.Variable{Min: 2, Max: 1000, Log: true}, nil)
	if d := (decades{}).fitting(&axes.X, 1000); d.crowded {
		t.Error("labels overlap on an axis of 1000 points")
	}
	if d := (decades{}).fitting(&axes.X, 200); !d.crowded {
		t.Error("labels overlap on an axis of 200 points")
	}
}

// The true value is visible, however far from the estimates it is.
func TestLevelOfASeriesIsSeen(t *testing.T) {
	estimates := Series{Style: exactStyle, X: []float64{1, 2}, Middle: []float64{3, 4}, Lo: []float64{2, 3}, Hi: []float64{4, 5}}
	for level, want := range map[float64][2]float64{-7: {-7, 5}, 20: {2, 20}, 3: {2, 5}} {
		p := Trend{Series: []Series{estimates}, Level: level}
		if y := p.axes().Y; y.Min > want[0] || y.Max < want[1] || y.Max-y.Min > 2*(want[1]-want[0]) {
			t.Errorf("level %g: the axis goes from %g to %g", level, y.Min, y.Max)
		}
	}
	p := Trend{Series: []Series{estimates}, Level: math.NaN()}
	if y := p.axes().Y; !(y.Min <= 2 && y.Max >= 5) {
		t.Errorf("without a level the axis goes from %g to %g", y.Min, y.Max)
	}
}

// Axes with nothing beside them reach to the edge of their columns.
func TestPlotsTakeTheirColumns(t *testing.T) {
	p := &Trend{Series: []Series{{Style: exactStyle, X: []float64{1, 2}, Middle: []float64{3, 4}, Lo: []float64{2, 3}, Hi: []float64{4, 5}}}, Level: math.NaN()}
	rows, _ := (&Figure{Rows: [][]Panel{{p, p}}}).layOut(620)
	end := vg.Length(0)
	for _, q := range rows[0] {
		if free := q.data.Min.X - q.pad.left - end; math.Abs(float64(free)) > 1 {
			t.Errorf("%g points to the left of a plot are free", free)
		}
		end = q.data.Max.X + q.pad.right + panelGap
	}
	if free := 620 + panelGap - end; math.Abs(float64(free)) > 1 {
		t.Errorf("%g points at the right are free", free)
	}
}

// The true value is drawn: another value gives another picture.
func TestLevelOfASeriesIsDrawn(t *testing.T) {
	estimates := Series{Style: meanStyle, X: []float64{1, 2}, Middle: []float64{3, 4}, Lo: []float64{2, 3}, Hi: []float64{4, 5}}
	picture := func(level float64) image.Image {
		return render(t, &Figure{Rows: [][]Panel{{&Trend{Frame: Frame{Aspect: 0.6}, Series: []Series{estimates}, Level: level}}}})
	}
	one, other := picture(3.2), picture(3.8)
	if one.Bounds() != other.Bounds() {
		t.Fatalf("%v and %v", one.Bounds(), other.Bounds())
	}
	changed := 0
	for y := range one.Bounds().Dy() {
		for x := range one.Bounds().Dx() {
			if one.At(x, y) != other.At(x, y) {
				changed++
			}
		}
	}
	if width := one.Bounds().Dx(); changed < width/4 {
		t.Errorf("%d points of a picture %d wide are different", changed, width)
	}
}

// A label that is too long for its axis keeps its unit.
func TestLongLabelsKeepTheirUnits(t *testing.T) {
	for _, c := range []struct {
		label  string
		length vg.Length
		want   string // a pattern
	}{
		{"depth (m)", 100, `^depth \(m\)$`},
		{"distance from the nearest river (m)", 100, `^dist.*\.\.\. \(m\)$`},
		{"distance (in thousandths of the span)", 100, `^distance \(in.*\.\.\.$`},
		{strings.Repeat("w", 60), 100, `^w+\.\.\.$`},
	} {
		axes := (&Frame{XLabel: c.label}).newPlot()
		fitLabel(&axes.X, c.length)
		got := axes.X.Label.Text
		if !regexp.MustCompile(c.want).MatchString(got) || axes.X.Label.TextStyle.Width(got) > c.length {
			t.Errorf("%q becomes %q", c.label, got)
		}
	}
}
