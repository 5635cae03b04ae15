package browsertest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
)

// wing is the sensor at the right wing of the butterfly.
var wing = sensor(0, 2)

// What the page is for: open the butterfly, take the sensor at the right wing, see the band follow, let go, switch it off,
// undo, ask where a further one would help, and keep pictures and tables.
func TestPath(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) { walk(t, s, desk, true) })
}

// The same from a phone to a wall, light and dark.
func TestLooks(t *testing.T) {
	t.Parallel()
	for _, l := range looks {
		if l == desk {
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T, s *site) { walk(t, s, l, false) })
		})
	}
}

// A file server that sends compressed files serves the same page.
func TestPackedFiles(t *testing.T) {
	t.Parallel()
	s := static(t, true)
	b := s.open(t, desk, "")
	b.example("poisson")
	b.until(3*s.first, "document.body.dataset.picture")
	b.phase(10*time.Second, "solved")
}

// slower is by how much a machine may be slower than a fast one: other architectures are tested beside this.
const slower = 6

// walk takes the path. No other test of the page runs meanwhile if it is alone, and then it must be fast.
func walk(t *testing.T, s *site, l look, alone bool) {
	b := s.open(t, l, "")
	b.until(20*time.Second, "document.body.dataset.picture === 'ready'")
	if first := time.Duration(value[float64](b, "performance.getEntriesByName('first-picture')[0].startTime") * float64(time.Millisecond)); alone && first > slower*s.first {
		t.Errorf("the first picture comes after %v; %v is expected of a fast machine", first, s.first)
	} else {
		t.Logf("first picture after %v", first.Round(time.Millisecond))
	}
	if opened := value[string](b, "document.querySelector('#examples').value"); opened != "poisson" {
		b.example("poisson")
	}
	b.until(20*time.Second, fmt.Sprintf("document.querySelector('#title').textContent.includes('butterfly') && document.querySelector(%q)", wing))
	if waited := b.inferred(); alone && waited > time.Second {
		t.Errorf("the butterfly does not come solved: it is after %v", waited)
	}
	verdict := b.text("#verdict")
	b.picture("1-opened")
	noScrolling(b)

	// Drag.
	b.still("mean")
	b.still("sd")
	inwards := b.inwards(0.3)
	const place = "document.querySelector('[data-picture=mean]').getBoundingClientRect().top + scrollY"
	stood := value[float64](b, place)
	lasting := time.Second
	if alone {
		lasting = 3 * time.Second
	}
	rate, at := b.drag(wing, inwards, lasting)
	if alone && rate < s.previews/slower {
		t.Errorf("%.1f pictures a second while a sensor is dragged; %g are expected of a fast machine", rate, s.previews)
	}
	t.Logf("%.1f pictures a second while a sensor is dragged", rate)
	for _, picture := range []string{"mean", "sd"} {
		if n := b.changed(picture); n < 100 {
			t.Errorf("%s: %d pixels of the %s change while a sensor is dragged", l, n, picture)
		}
	}
	if top := value[float64](b, place); top != stood {
		t.Errorf("%s: the picture moves by %g px when a sensor is taken hold of", l, top-stood)
	}
	if phase := value[string](b, "document.body.dataset.phase"); phase != "preview" {
		t.Errorf("the phase is %s while a sensor is dragged", phase)
	}
	b.picture("2-dragged")
	// It goes on following: two more places, two more pictures.
	for range 2 {
		before := b.previews()
		at = point{at.X + inwards.X/3, at.Y + inwards.Y/3}
		b.mouse(input.MouseMoved, at, 1)
		b.until(5*time.Second, fmt.Sprintf("Number(document.querySelector('#stage').dataset.previews) > %d", before))
		b.settled()
		if n := b.changed("sd"); n == 0 {
			t.Error("the picture does not follow")
		}
	}

	// Let go: everything is inferred again.
	b.release(at)
	released := time.Now()
	b.phase(10*time.Second, "solving")
	if value[bool](b, "document.querySelector('#progress').hidden || document.querySelector('#cancel').hidden") {
		t.Error("a running inference shows no progress, or cannot be cancelled")
	}
	b.picture("3-let-go")
	b.inferred()
	t.Logf("inferred and judged %v after it was let go", time.Since(released).Round(10*time.Millisecond))
	b.picture("4-inferred")

	// Switch it off, and undo both.
	b.still("sd")
	b.until(time.Second, "!document.querySelector('#sensor').hidden") // what has been dragged is chosen
	b.click("#switch")
	b.until(5*time.Second, "document.querySelector('.handles button[data-sensor^=off]')")
	b.settled()
	if n := b.changed("sd"); n < 50 {
		t.Errorf("%d pixels of the sd change when a sensor is switched off", n)
	}
	b.picture("5-switched-off")
	b.click("#undo")
	b.until(10*time.Second, "!document.querySelector('.handles button[data-sensor^=off]')")
	b.click("#undo")
	b.until(10*time.Second, "document.querySelector('#undo').disabled")
	b.inferred()
	if now := b.text("#verdict"); now != verdict {
		t.Errorf("after undoing everything the verdict is %q; it was %q", now, verdict)
	}
	b.picture("6-undone")

	// Where next?
	b.still("sd")
	b.click("#where-next")
	b.until(30*time.Second, "document.querySelectorAll('#places li').length === 5")
	b.settled()
	if n := b.changed("sd"); n < 1000 {
		t.Errorf("%d pixels of the second picture change when places are shown", n)
	}
	noScrolling(b)
	b.picture("7-where-next")
	b.click("#where-next")
	b.until(5*time.Second, "document.querySelector('#places').hidden")

	b.kept()
}

// kept exports what is inferred: pictures that can be decoded, and a table that is the one that solve writes.
func (b *tab) kept() {
	b.Helper()
	name, data := b.export("png-0")
	if picture, err := png.Decode(bytes.NewReader(data)); err != nil || filepath.Ext(name) != ".png" {
		b.Errorf("%s: %v", name, err)
	} else if size := picture.Bounds(); size.Dx() < 1000 || size.Dy() < 800 {
		b.Errorf("%s has %v pixels", name, size)
	}
	if *screenshots != "" {
		os.WriteFile(filepath.Join(*screenshots, fmt.Sprintf("%s-%s-export.png", b.site.kind, b.look)), data, 0o666)
	}
	name, table := b.export("csv")
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil || name != "solution.csv" || len(rows) < 3000 {
		b.Fatalf("%s has %d rows: %v", name, len(rows), err)
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if v, err := strconv.ParseFloat(cell, 64); cell != "" && (err != nil || math.IsInf(v, 0)) {
				b.Fatalf("%s has %q in column %s", name, cell, rows[0][i])
			}
		}
	}
	if b.look != desk {
		return
	}
	name, data = b.export("problem")
	folder := b.TempDir()
	files := unzipped(b.T, data)
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	if len(files) != 2 || files["problem.toml"] == "" {
		b.Fatalf("%s has %d files", name, len(files))
	}
	out := filepath.Join(folder, "out")
	if said, err := exec.Command(program, "solve", filepath.Join(folder, "problem.toml"), "--out", out, "--formats", "npz").CombinedOutput(); err != nil {
		b.Fatalf("bpielm solve: %v\n%s", err, said)
	}
	solved, err := os.ReadFile(filepath.Join(out, "solution.csv"))
	if err != nil {
		b.Fatal(err)
	}
	if !bytes.Equal(table, solved) {
		b.Errorf("solution.csv of the page is not that of bpielm solve")
	}
}

// inwards is a share of the way from the sensor at the right wing to the middle of the butterfly, in pixels.
func (b *tab) inwards(share float64) point {
	b.Helper()
	size := value[point](b, "(() => { const c = document.querySelector('[data-picture=mean] canvas'); return { X: c.clientWidth, Y: c.clientHeight } })()")
	return point{-0.32 * size.X * share, 0.25 * size.X * share}
}

// settled waits until nothing more is drawn of what has been asked for.
func (b *tab) settled() {
	b.Helper()
	value[bool](b, "new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))), 150))")
}
