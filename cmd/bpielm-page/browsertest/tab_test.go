package browsertest

import (
	"archive/zip"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// A look is how somebody sees the page.
type look struct {
	width, height int64
	dark          bool
}

func (l look) String() string {
	theme := "light"
	if l.dark {
		theme = "dark"
	}
	return fmt.Sprintf("%d-%s", l.width, theme)
}

var looks = []look{
	{360, 740, false}, {360, 740, true}, {1280, 800, false}, {1280, 800, true}, {2560, 1440, false}, {2560, 1440, true},
}

var desk = look{1280, 800, false}

// A tab is a page that is open in the browser.
type tab struct {
	*testing.T
	ctx       context.Context
	close     context.CancelFunc
	site      *site
	look      look
	downloads string

	mu         sync.Mutex
	complaints []string        // what the page said on the console, and what it asked of others
	asked      map[string]bool // the addresses that it asked for
	allowed    []string        // complaints that a test expects
}

// open opens a page in a tab, at a fragment. Tabs that are opened this way share nothing.
func (s *site) open(t *testing.T, l look, fragment string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	return s.openIn(t, ctx, end, l, fragment)
}

// beside opens a further tab of the same visitor.
func (b *tab) beside(t *testing.T, fragment string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	return b.site.openIn(t, ctx, end, b.look, fragment)
}

//go:embed probe.js
var probe string

func (s *site) openIn(t *testing.T, ctx context.Context, end context.CancelFunc, l look, fragment string) *tab {
	t.Helper()
	b := &tab{T: t, ctx: ctx, close: end, site: s, look: l, downloads: t.TempDir(), asked: map[string]bool{}}
	t.Cleanup(func() {
		if t.Failed() {
			b.picture("failed")
		}
		end()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, complaint := range b.complaints {
			t.Errorf("%s: %s", s.kind, complaint)
		}
	})
	chromedp.ListenTarget(ctx, b.listen)
	theme := "light"
	if l.dark {
		theme = "dark"
	}
	b.run(
		network.Enable(), log.Enable(), runtime.Enable(),
		emulation.SetDeviceMetricsOverride(l.width, l.height, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}),
		chromedp.ActionFunc(func(ctx context.Context) error {
			c := chromedp.FromContext(ctx)
			ctx = cdp.WithExecutor(ctx, c.Browser)
			of := c.BrowserContextID
			if err := cdpbrowser.SetDownloadBehavior(cdpbrowser.SetDownloadBehaviorBehaviorAllow).WithBrowserContextID(of).WithDownloadPath(b.downloads).Do(ctx); err != nil {
				return err
			}
			origin, _, _ := strings.Cut(strings.TrimPrefix(s.address, "http://"), "/")
			return cdpbrowser.GrantPermissions([]cdpbrowser.PermissionType{cdpbrowser.PermissionTypeClipboardReadWrite, cdpbrowser.PermissionTypeClipboardSanitizedWrite}).WithOrigin("http://" + origin).WithBrowserContextID(of).Do(ctx)
		}),
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := page.AddScriptToEvaluateOnNewDocument(probe).Do(ctx)
			return err
		}),
		chromedp.Navigate(s.address+fragment),
	)
	return b
}

// listen keeps what a page should not do.
func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	complain := func(format string, arguments ...any) {
		text := fmt.Sprintf(format, arguments...)
		for _, a := range b.allowed {
			if strings.Contains(text, a) {
				return
			}
		}
		b.complaints = append(b.complaints, text)
	}
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning || e.Type == runtime.APITypeAssert {
			var says []string
			for _, a := range e.Args {
				says = append(says, string(a.Value)+a.Description)
			}
			complain("console: %s: %s", e.Type, strings.Join(says, " "))
		}
	case *runtime.EventExceptionThrown:
		complain("exception: %s", e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			complain("log: %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.asked[e.Request.URL] = true
		at, err := url.Parse(e.Request.URL)
		home, _ := url.Parse(b.site.address)
		if err != nil || at.Scheme != "blob" && at.Scheme != "data" && (at.Host != home.Host || at.Scheme != home.Scheme) {
			complain("request to another origin: %s", e.Request.URL)
		}
	}
}

// run does what must not fail.
func (b *tab) run(actions ...chromedp.Action) {
	b.Helper()
	ctx, end := context.WithTimeout(b.ctx, 60*time.Second)
	defer end()
	// The first Run of a tab opens it, and a tab is closed with the context that opened it.
	if chromedp.FromContext(b.ctx).Target == nil {
		if err := chromedp.Run(b.ctx); err != nil {
			b.Fatal(err)
		}
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// leave closes the tab as a visitor does. What ends the tab, close, takes its browser context away with it, and that loses
// what the page sends as its last word.
func (b *tab) leave() {
	b.Helper()
	c := chromedp.FromContext(b.ctx)
	ctx, end := context.WithTimeout(b.ctx, 60*time.Second)
	defer end()
	if err := target.CloseTarget(c.Target.TargetID).Do(cdp.WithExecutor(ctx, c.Browser)); err != nil {
		b.Fatal(err)
	}
}

// value returns what an expression is worth on the page; a promise is waited for.
func value[T any](b *tab, expression string) T {
	b.Helper()
	var v T
	b.run(chromedp.Evaluate(expression, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// until waits for an expression to become true, and says what the page shows if it does not.
func (b *tab) until(within time.Duration, expression string) time.Duration {
	b.Helper()
	began := time.Now()
	for {
		if value[bool](b, "Boolean("+expression+")") {
			return time.Since(began)
		}
		if time.Since(began) > within {
			b.Fatalf("%s: not after %v: %s\nthe page shows: %s", b.site.kind, within, expression, value[string](b, "probe.state()"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// phase waits until the page is in a phase of its flow.
func (b *tab) phase(within time.Duration, phase string) time.Duration {
	b.Helper()
	return b.until(within, fmt.Sprintf("document.body.dataset.phase === %q", phase))
}

// inferred waits until everything has been inferred and judged.
func (b *tab) inferred() time.Duration {
	b.Helper()
	return b.until(4*b.site.infers, "document.body.dataset.phase === 'solved'")
}

func (b *tab) previews() int {
	b.Helper()
	return value[int](b, "Number(document.querySelector('#stage').dataset.previews)")
}

func (b *tab) text(selector string) string {
	b.Helper()
	return value[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// changed returns how many pixels of a picture, away from sensors, differ from those of the last call.
func (b *tab) changed(picture string) int {
	b.Helper()
	return value[int](b, fmt.Sprintf("probe.changed(%q)", picture))
}

// becomes waits until so many pixels of a picture have changed since changed was last asked, and returns how long
// that took. A pixel counts every time that it changes: a picture is drawn in parts on a slow machine.
func (b *tab) becomes(picture string, pixels int) time.Duration {
	b.Helper()
	const within = 15 * time.Second
	changed := 0
	for began := time.Now(); ; {
		b.settled()
		if changed += b.changed(picture); changed >= pixels {
			return time.Since(began)
		}
		if time.Since(began) > within {
			b.Fatalf("%s: %d pixels of the picture %s have changed; it should be %d", b.site.kind, changed, picture, pixels)
		}
	}
}

// still waits until a picture does not change any more: the edge of a domain comes after what is in it. What changed says
// next is against that.
func (b *tab) still(picture string) {
	b.Helper()
	for end := time.Now().Add(15 * time.Second); ; {
		b.changed(picture)
		b.settled()
		if b.changed(picture) == 0 {
			return
		}
		if time.Now().After(end) {
			b.Fatalf("%s: the picture %s does not come to rest", b.site.kind, picture)
		}
	}
}

/* Hands */

// A point is a place in the window, in CSS pixels.
type point struct{ X, Y float64 }

// centre scrolls an element into view, and returns its middle. It waits until the element stands still: a press that finds
// the layout changed before the release is no click.
func (b *tab) centre(selector string) point {
	b.Helper()
	return value[point](b, fmt.Sprintf(`(async () => {
		const frame = () => new Promise((next) => requestAnimationFrame(next));
		const at = () => {
			const e = document.querySelector(%q);
			if (!e) throw new Error('there is no ' + %q);
			e.scrollIntoView({ block: 'nearest', inline: 'nearest' });
			const r = e.getBoundingClientRect();
			return { X: r.x + r.width / 2, Y: r.y + r.height / 2 };
		};
		let was = at();
		for (let still = 0, frames = 0; still < 3 && frames < 300; frames++) {
			await frame();
			const is = at();
			still = is.X === was.X && is.Y === was.Y ? still + 1 : 0;
			was = is;
		}
		return was;
	})()`, selector, selector))
}

func (b *tab) mouse(kind input.MouseType, at point, clicks int64) {
	b.Helper()
	e := input.DispatchMouseEvent(kind, at.X, at.Y).WithClickCount(clicks)
	if kind != input.MouseMoved {
		e = e.WithButton(input.Left)
	}
	if kind != input.MouseReleased && clicks > 0 {
		e = e.WithButtons(1)
	}
	b.run(e)
}

// click clicks with the pointer in the middle of an element, which must be what is hit there.
func (b *tab) click(selector string) {
	b.Helper()
	at := b.centre(selector)
	if hit := value[bool](b, fmt.Sprintf("document.querySelector(%q).contains(document.elementFromPoint(%g, %g))", selector, at.X, at.Y)); !hit {
		b.Fatalf("%s: something lies over %s", b.look, selector)
	}
	b.mouse(input.MouseMoved, at, 0)
	b.mouse(input.MousePressed, at, 1)
	b.mouse(input.MouseReleased, at, 1)
}

// press presses a key, such as kb.Tab or "a".
func (b *tab) press(key string, modifiers ...input.Modifier) {
	b.Helper()
	b.run(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
}

// sensor is the selector of the handle of a reading.
func sensor(group, reading int) string {
	return fmt.Sprintf(`.handles button[data-sensor="%d:%d"]`, group, reading)
}

// drag takes a sensor along a path and does not let go: to and fro between where it stands and an offset from there, at
// which it ends. It moves at the pace at which a mouse reports, for as long as asked, and returns the pictures per second.
func (b *tab) drag(selector string, by point, lasting time.Duration) (rate float64, at point) {
	b.Helper()
	from := b.centre(selector)
	b.mouse(input.MouseMoved, from, 0)
	b.mouse(input.MousePressed, from, 1)
	began, before := time.Now(), b.previews()
	for {
		passed := time.Since(began)
		share := (1 - math.Cos(2*math.Pi*passed.Seconds()/1.5)) / 2
		if passed > lasting {
			share = 1
		}
		at = point{from.X + share*by.X, from.Y + share*by.Y}
		b.mouse(input.MouseMoved, at, 1)
		if passed > lasting {
			rate = float64(b.previews()-before) / passed.Seconds()
			b.settled()
			return rate, at
		}
	}
}

func (b *tab) release(at point) {
	b.Helper()
	b.mouse(input.MouseReleased, at, 1)
}

// example opens an example by its name.
func (b *tab) example(name string) {
	b.Helper()
	b.until(10*time.Second, fmt.Sprintf("[...document.querySelector('#examples').options].some((o) => o.value === %q)", name))
	value[bool](b, fmt.Sprintf("{ const s = document.querySelector('#examples'); s.value = %q; s.dispatchEvent(new Event('change')) }", name))
}

// export chooses an entry of the menu, and returns the name and content of the file that is downloaded.
func (b *tab) export(what string) (name string, data []byte) {
	b.Helper()
	b.click("#export")
	b.until(5*time.Second, fmt.Sprintf(`document.querySelector('#export-menu [data-export="%s"]')`, what))
	return b.downloaded(func() { b.click(fmt.Sprintf(`#export-menu [data-export="%s"]`, what)) })
}

// downloaded returns the file that appears after something is done.
func (b *tab) downloaded(do func()) (name string, data []byte) {
	b.Helper()
	do()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		files, err := os.ReadDir(b.downloads)
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range files {
			path := filepath.Join(b.downloads, f.Name())
			if filepath.Ext(path) == ".crdownload" || strings.HasPrefix(f.Name(), ".") {
				continue
			}
			if data, err = os.ReadFile(path); err != nil || len(data) == 0 {
				continue
			}
			os.Remove(path)
			return f.Name(), data
		}
	}
	b.Fatalf("nothing was downloaded; the page shows: %s", value[string](b, "probe.state()"))
	return "", nil
}

// picture keeps a screenshot of the page.
func (b *tab) picture(step string) {
	if *screenshots == "" {
		return
	}
	b.Helper()
	var data []byte
	ctx, end := context.WithTimeout(b.ctx, 20*time.Second)
	defer end()
	err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		data, err = page.CaptureScreenshot().WithCaptureBeyondViewport(false).Do(ctx)
		return err
	}))
	if err == nil {
		_, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		b.Logf("no picture of %s: %v", step, err)
		return
	}
	if err := os.MkdirAll(*screenshots, 0o777); err != nil {
		b.Error(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, fmt.Sprintf("%s-%s-%s.png", b.site.kind, b.look, step)), data, 0o666); err != nil {
		b.Error(err)
	}
}

// allow says that a complaint is expected.
func (b *tab) allow(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allowed = append(b.allowed, text)
}

// linkTo returns the fragment that carries files.
func (b *tab) linkTo(files map[string]string, main string) string {
	b.Helper()
	state, err := json.Marshal(map[string]any{"files": files, "main": main})
	if err != nil {
		b.Fatal(err)
	}
	return value[string](b, fmt.Sprintf("import(new URL('state.js', location.origin + location.pathname)).then((m) => m.toLink(%s))", state))
}

// unzipped returns the files of a zip.
func unzipped(t *testing.T, data []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}
