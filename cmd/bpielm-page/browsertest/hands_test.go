package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// touch puts a finger somewhere, moves it, or takes it off.
func (b *tab) touch(kind input.TouchType, at ...point) {
	b.Helper()
	points := []*input.TouchPoint{}
	for _, p := range at {
		points = append(points, &input.TouchPoint{X: p.X, Y: p.Y})
	}
	b.run(input.DispatchTouchEvent(kind, points))
}

// swipe moves a finger from a place to another.
func (b *tab) swipe(from, by point) {
	b.Helper()
	b.touch(input.TouchStart, from)
	for i := range 10 {
		share := float64(i+1) / 10
		b.touch(input.TouchMove, point{from.X + share*by.X, from.Y + share*by.Y})
		time.Sleep(20 * time.Millisecond)
	}
}

// A finger on a sensor drags it, and the page stays where it is; anywhere else it scrolls the page.
func TestTouch(t *testing.T) {
	t.Parallel()
	s, _ := served(t)
	b := s.open(t, look{360, 640, false}, "")
	b.run(emulation.SetTouchEmulationEnabled(true))
	b.until(20*time.Second, "document.body.dataset.picture === 'ready'")
	b.inferred()
	at := b.centre(wing)
	b.settled()
	const scrolled = "scrollY"
	stood := value[float64](b, scrolled)
	label := fmt.Sprintf("document.querySelector(%q).getAttribute('aria-label')", wing)
	was, before := value[string](b, label), b.previews()
	b.swipe(at, point{-40, 30})
	b.settled()
	if n := b.previews() - before; n < 2 {
		t.Errorf("%d pictures follow a finger", n)
	}
	b.touch(input.TouchEnd)
	b.phase(10*time.Second, "solving")
	b.inferred()
	if now := value[string](b, label); now == was {
		t.Errorf("after a finger has dragged it, the sensor is still %q", now)
	}
	if now := value[float64](b, scrolled); now != stood {
		t.Errorf("the page scrolls by %g px while a finger drags a sensor", now-stood)
	}

	// Below the pictures there is no sensor.
	value[any](b, "scrollTo(0, 0)")
	b.settled()
	before = b.previews()
	b.swipe(point{180, 500}, point{0, -200})
	b.touch(input.TouchEnd)
	b.settled()
	if value[float64](b, scrolled) < 50 {
		t.Error("a finger does not scroll the page")
	}
	if b.previews() != before {
		t.Error("a finger beside the sensors drags one")
	}
}

// A sensor that is dragged out of the domain says so, until it is back.
func TestOutsideTheDomain(t *testing.T) {
	t.Parallel()
	s, _ := served(t)
	b := s.open(t, desk, "")
	b.until(20*time.Second, "document.body.dataset.picture === 'ready'")
	b.inferred()
	b.still("mean") // the edge of the domain is there
	const outside = "document.querySelector('#badge').textContent.includes('Outside the domain')"
	inwards := b.inwards(0.2)
	_, at := b.drag(wing, point{-inwards.X, -inwards.Y}, 300*time.Millisecond)
	if !value[bool](b, outside) {
		t.Errorf("nothing is said of a sensor outside of the domain: %s", b.text("#badge"))
	}
	b.picture("outside")
	at = point{at.X + 2*inwards.X, at.Y + 2*inwards.Y}
	b.mouse(input.MouseMoved, at, 1)
	b.settled()
	if value[bool](b, outside) {
		t.Error("a sensor inside of the domain is said to be outside")
	}
	b.release(at)
}

// On paper there are the picture and the answer, light, also where the screen is dark, and no controls.
func TestPrint(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"pdftotext", "pdftoppm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("BPIELM_REQUIRE_READERS") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	s, _ := served(t)
	b := s.open(t, look{1280, 800, true}, "")
	b.until(20*time.Second, "document.body.dataset.picture === 'ready'")
	b.inferred()
	b.settled()
	var pdf []byte
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPrintBackground(true).WithPaperWidth(8.27).WithPaperHeight(11.69).WithMarginTop(0.4).WithMarginBottom(0.4).WithMarginLeft(0.4).WithMarginRight(0.4).Do(ctx)
		return err
	}))
	folder := b.TempDir()
	if *screenshots != "" {
		folder = *screenshots
	}
	file := filepath.Join(folder, "printed.pdf")
	if err := os.WriteFile(file, pdf, 0o666); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("pdftotext", file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"butterfly", "Verdict", "Sound"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("%q is not printed", want)
		}
	}
	for _, control := range []string{"Export", "Where next", "Add a sensor"} {
		if strings.Contains(string(said), control) {
			t.Errorf("%q is printed", control)
		}
	}
	// One page, of which most is white.
	grey, err := exec.Command("pdftoppm", "-r", "20", "-gray", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var width, height int
	if _, err := fmt.Fscanf(bytes.NewReader(grey), "P5\n%d %d\n255\n", &width, &height); err != nil {
		t.Fatal(err)
	}
	header := len(fmt.Sprintf("P5\n%d %d\n255\n", width, height))
	if len(grey) != header+width*height {
		t.Fatalf("%d bytes are printed, not one page of %d by %d pixels", len(grey), width, height)
	}
	white := 0
	for _, p := range grey[header:] {
		if p > 240 {
			white++
		}
	}
	if share := float64(white) / float64(width*height); share < 0.6 || share > 0.98 {
		t.Errorf("%.2f of the paper is white", share)
	}
	if theme := value[string](b, "document.documentElement.dataset.theme"); theme != "dark" {
		t.Errorf("after printing, the page is %s", theme)
	}
}
