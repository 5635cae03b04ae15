package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// typeInto types a text in place of another one in the editor.
func (b *tab) typeInto(old, text string) {
	b.Helper()
	if !value[bool](b, fmt.Sprintf(`(() => {
		const t = document.querySelector('#editor textarea'), at = t.value.indexOf(%q);
		t.focus();
		if (at >= 0) t.setSelectionRange(at, at + %q.length);
		return at >= 0;
	})()`, old, old)) {
		b.Fatalf("the text does not have %q", old)
	}
	b.run(input.InsertText(text))
}

// What is typed is read at once: an error stands at its line, and goes when it is corrected.
func TestError(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *site) {
		b := s.open(t, desk, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.inferred()
		b.press("e", input.ModifierCtrl)
		b.until(5*time.Second, "document.activeElement.matches('#editor textarea')")
		if text := value[string](b, "document.querySelector('#editor textarea').value"); !strings.Contains(text, "title = \"Poisson equation in a butterfly\"") {
			t.Fatalf("the editor has %q", text)
		}
		b.typeInto("u_yy = (16", "u_yy = ((16")
		b.phase(5*time.Second, "fault")
		b.until(5*time.Second, "!document.querySelector('.wrong').hidden && !document.querySelector('.wrong-line').hidden")
		wanted := value[int](b, "document.querySelector('#editor textarea').value.split('\\n').findIndex((l) => l.includes('((16')) + 1")
		if says := b.text(".wrong"); !strings.HasPrefix(says, fmt.Sprintf("Line %d: ", wanted)) {
			t.Errorf("the message is %q; the error is in line %d", says, wanted)
		}
		// The mark lies on that line.
		marked := value[float64](b, `(() => {
			const t = document.querySelector('#editor textarea'), bar = document.querySelector('.wrong-line').getBoundingClientRect();
			const style = getComputedStyle(t);
			return (bar.top - t.getBoundingClientRect().top - parseFloat(style.paddingTop) + t.scrollTop) / parseFloat(style.lineHeight) + 1;
		})()`)
		if marked < float64(wanted)-0.2 || marked > float64(wanted)+0.2 {
			t.Errorf("line %.2f is marked; the error is in line %d", marked, wanted)
		}
		b.typeInto("((16", "(16")
		b.until(10*time.Second, "document.body.dataset.phase !== 'fault' && document.querySelector('.wrong').hidden")
		b.inferred()

		// A table has its errors at their lines, too.
		b.click(`#editor .files button[data-name="boundary.csv"]`)
		b.typeInto("0.55,0,", "0.55,zero,")
		b.phase(5*time.Second, "fault")
		b.until(5*time.Second, "document.querySelector('.wrong').textContent.startsWith('Line 2: ')")
		b.typeInto("0.55,zero,", "0.55,0,")
		b.inferred()

		// The tabulator indents, unless Escape came before it.
		b.press(kb.Escape)
		b.press(kb.Tab)
		if value[bool](b, "document.activeElement.matches('#editor textarea')") {
			t.Error("a keyboard cannot leave the text")
		}
	})
}

// A link carries the problem with what has been changed: another tab shows the same answer, to the last bit.
func TestLink(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *site) {
		b := s.open(t, desk, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.inferred()
		b.click("#details summary")
		b.until(5*time.Second, "document.querySelector('#digest')")
		shipped := b.text("#digest")
		_, at := b.drag(wing, b.inwards(0.2), 300*time.Millisecond)
		b.release(at)
		b.phase(10*time.Second, "solving")
		b.inferred()
		digest := b.text("#digest")
		if digest == shipped {
			t.Error("the answer does not change with a sensor")
		}
		b.click("#link")
		b.until(5*time.Second, "location.hash.startsWith('#p=')")
		b.until(5*time.Second, "!document.querySelector('#toast').hidden")
		link := value[string](b, "location.href")
		if copied := value[string](b, "navigator.clipboard.readText()"); copied != link {
			t.Errorf("the clipboard has %.80q; the address is %.80q", copied, link)
		}
		label := value[string](b, fmt.Sprintf("document.querySelector(%q).getAttribute('aria-label')", wing))

		other := s.open(t, desk, link[strings.Index(link, "#"):])
		other.until(30*time.Second, "document.body.dataset.picture")
		other.inferred()
		other.click("#details summary")
		other.until(5*time.Second, "document.querySelector('#digest')")
		if got := other.text("#digest"); got != digest {
			t.Errorf("another tab has the digest %s; it should be %s", got, digest)
		}
		if got := value[string](other, fmt.Sprintf("document.querySelector(%q).getAttribute('aria-label')", wing)); got != label {
			t.Errorf("another tab says %q of the sensor; it should say %q", got, label)
		}
		if got, want := other.text("#title"), b.text("#title"); got != want {
			t.Errorf("another tab has the title %q, not %q", got, want)
		}

		// A link that carries nonsense is refused in words.
		other.run(chromedp.Navigate(s.address + "#p=bm90IGEgcHJvYmxlbQ"))
		other.until(10*time.Second, "!document.querySelector('#toast').hidden && document.querySelector('#toast').textContent.includes('link')")
	})
}

// Both engines have the same bits.
func TestSameBits(t *testing.T) {
	t.Parallel()
	pages := []*site{}
	native, _ := served(t)
	pages = append(pages, native, static(t, false))
	digests := [2][]string{}
	for i, s := range pages {
		b := s.open(t, desk, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.inferred()
		b.click("#details summary")
		b.until(5*time.Second, "document.querySelector('#digest')")
		digests[i] = append(digests[i], b.text("#digest"))
		// The same change, by its numbers.
		value[any](b, fmt.Sprintf("document.querySelector(%q).focus({ preventScroll: true })", wing))
		b.press(kb.Enter)
		b.until(5*time.Second, "document.activeElement.matches('#sensor input')")
		b.run(chromedp.SetValue(`#sensor input[name="value"]`, "0.7", chromedp.ByQuery))
		value[any](b, "document.querySelector('#sensor').requestSubmit()")
		b.phase(10*time.Second, "solving")
		b.inferred()
		digests[i] = append(digests[i], b.text("#digest"))
	}
	for k, what := range []string{"that ships", "that is inferred"} {
		if digests[0][k] != digests[1][k] {
			t.Errorf("the answer %s has the digest %s natively and %s in WebAssembly", what, digests[0][k], digests[1][k])
		}
	}
	if digests[0][0] == digests[0][1] {
		t.Error("a changed reading does not change the answer")
	}
}

// Where there are more variables than a picture has, a slider looks at the others.
func TestSlider(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *site) {
		b := s.open(t, desk, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.example("heat-2d")
		b.until(120*time.Second, "document.querySelector('#sliders input[type=range]') && document.querySelector('#title').textContent.includes('Heat') && document.querySelector('[data-picture=mean] canvas')")
		b.until(120*time.Second, "document.body.dataset.phase === 'solved'")
		b.settled()
		b.picture("slider-1")
		b.changed("mean")
		says := b.text("#sliders output")
		b.click("#sliders input[type=range]")
		for range 3 {
			b.press(kb.PageDown)
		}
		waited := b.becomes("mean", 500)
		t.Logf("the picture has followed the slider after %v", waited.Round(10*time.Millisecond))
		if now := b.text("#sliders output"); now == says {
			t.Errorf("the slider says %s wherever it is", now)
		}
		b.picture("slider-2")
		b.click("#sliders button")
		t.Logf("it plays after %v", b.becomes("mean", 200).Round(10*time.Millisecond))
		b.click("#sliders button")
	})
}
