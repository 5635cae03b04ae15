package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// mixed has everything that a backend can get wrong: an image that is neither symmetric
// nor opaque, colour bars, curves with a transparent band, dashes, circles, upright and
// turned text, and letters beyond Latin 1.
func mixed() *Figure {
	r := &Raster{X: system.Variable{Max: 2}, Y: system.Variable{Max: 1}, Columns: 9, Rows: 9, Inside: func(x, y float64) bool { return x+2*y < 3.2 }}
	values := make([]float64, 81)
	for k := range values {
		x, y := r.Node(k/9, k%9)
		values[k] = x + 3*y*y
	}
	c := &Curve{Frame: Frame{Title: "± 2 σ <b>", XLabel: "depth", YLabel: "temperature", Aspect: 0.5}}
	for i := range 50 {
		x := float64(i) / 10
		c.X, c.Mean, c.SD, c.Exact = append(c.X, x), append(c.Mean, math.Sin(x)), append(c.SD, 0.1+0.05*x), append(c.Exact, math.Sin(x)+0.2)
	}
	c.Sensors = []Reading{{X: 1, Value: 0.8, Sigma: 0.1}, {X: 2, Value: 1, Sigma: 0.2}, {X: 4, Value: -0.8, Sigma: 0.1}}
	m := &Map{Frame: Frame{Title: "map", XLabel: "x", YLabel: "y", Aspect: 0.5}, Raster: r, Values: values, Colours: Viridis, Sensors: []Mark{{X: 0.5, Y: 0.25}, {X: 1.5, Y: 0.5, Kind: Other}, {X: 1, Y: 0.75, Kind: Average, SX: 0.4, SY: 0.2}}}
	return &Figure{Title: "Kühlung <script>alert(1)</script> & Temperatur λ", Rows: [][]Panel{{c, m}}, Legend: CurveLegend([][]Panel{{c}})}
}

func written(t *testing.T, f *Figure, format Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFormatsAreReproducible(t *testing.T) {
	for _, format := range Formats {
		a, b := written(t, mixed(), format), written(t, mixed(), format)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two files of one figure differ", format)
		}
		if len(a) < 1000 || len(a) > 400_000 {
			t.Errorf("%s has %d bytes", format, len(a))
		}
	}
	if err := mixed().Write(io.Discard, "gif"); err == nil {
		t.Error("an unknown format is written")
	}
}

// An SVG is XML, holds a user's text in its title only, and refers to nothing outside.
func TestSVGIsSelfContained(t *testing.T) {
	text := written(t, mixed(), SVG)
	decoder, title, images := xml.NewDecoder(bytes.NewReader(text)), "", 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "title":
			if err := decoder.DecodeElement(&title, &e); err != nil {
				t.Fatal(err)
			}
		case "svg", "g", "path":
		case "image":
			images++
			for _, a := range e.Attr {
				if a.Name.Local == "href" && !strings.HasPrefix(a.Value, "data:image/png;base64,iVBOR") {
					t.Errorf("an image is at %.40s", a.Value)
				}
			}
		default:
			t.Errorf("element %s", e.Name.Local)
		}
	}
	if title != mixed().Title || images != 2 {
		t.Errorf("title %q, %d images", title, images)
	}
}

func TestFormatOfNames(t *testing.T) {
	for name, want := range map[string]Format{"a.svg": SVG, "dir.pdf/a.PNG": PNG, "a.b.pdf": PDF, "a": "", "png.": "", "a.jpg": ""} {
		if f, ok := FormatOf(name); ok != (want != "") || ok && f != want {
			t.Errorf("%s: %q, %v", name, f, ok)
		}
	}
}

// TestVectorFormatsLookLikeThePNG draws the PDF with poppler and the SVG with librsvg.
func TestVectorFormatsLookLikeThePNG(t *testing.T) {
	want := decoded(t, bytes.NewReader(written(t, mixed(), PNG)))
	for format, draw := range map[Format]func(from, to string) *exec.Cmd{
		PDF: func(from, to string) *exec.Cmd {
			return exec.Command("pdftoppm", "-png", "-singlefile", "-r", fmt.Sprint(figureDPI), from, strings.TrimSuffix(to, ".png"))
		},
		SVG: func(from, to string) *exec.Cmd {
			size := want.Bounds()
			return exec.Command("rsvg-convert", "-b", "white", "-w", fmt.Sprint(size.Dx()), "-h", fmt.Sprint(size.Dy()), "-o", to, from)
		},
	} {
		t.Run(string(format), func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "figure."+string(format)), filepath.Join(t.TempDir(), "drawn.png")
			if err := os.WriteFile(from, written(t, mixed(), format), 0o600); err != nil {
				t.Fatal(err)
			}
			command := draw(from, to)
			if errors.Is(command.Err, exec.ErrNotFound) && os.Getenv("BPIELM_REQUIRE_READERS") == "" {
				t.Skip("without ", command.Args[0])
			}
			if output, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			file, err := os.Open(to)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			got := decoded(t, file)
			if d := different(got, want); d > 0.015 {
				t.Errorf("%.1f %% of the picture is different", 100*d)
			}
		})
	}
}

func decoded(t *testing.T, r io.Reader) image.Image {
	t.Helper()
	m, err := png.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// different returns the share of blocks of 6 x 6 pixels whose mean colour differs by
// more than a fifth of the range. Letters are smoothed in other ways, and thin lines between
// two pixels come out darker, but stand in the same places.
func different(a, b image.Image) float64 {
	const side = 6
	size := a.Bounds().Intersect(b.Bounds())
	if d := a.Bounds().Size().Sub(b.Bounds().Size()); max(d.X, -d.X, d.Y, -d.Y) > 2 {
		return 1
	}
	mean := func(m image.Image, x, y int) (sum [3]float64) {
		for i := range side * side {
			r, g, b, _ := m.At(x+i%side, y+i/side).RGBA()
			for k, v := range []uint32{r, g, b} {
				sum[k] += float64(v) / math.MaxUint16 / (side * side)
			}
		}
		return sum
	}
	blocks, bad := 0, 0
	for y := 0; y+side <= size.Dy(); y += side {
		for x := 0; x+side <= size.Dx(); x += side {
			p, q := mean(a, x, y), mean(b, x, y)
			blocks++
			if math.Abs(p[0]-q[0])+math.Abs(p[1]-q[1])+math.Abs(p[2]-q[2]) > 0.2 {
				bad++
			}
		}
	}
	return float64(bad) / float64(blocks)
}
