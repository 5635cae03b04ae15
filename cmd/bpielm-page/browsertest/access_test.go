package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed access.js
var access string

// controls are the roles of what a person acts on.
var controls = map[string]bool{
	"button": true, "link": true, "textbox": true, "spinbutton": true, "slider": true, "combobox": true, "menuitem": true, "checkbox": true,
	"image": true, "img": true, "progressbar": true, "dialog": true, "DisclosureTriangle": true,
}

// accessible checks the page as it stands: what can be read, hit and heard.
func accessible(b *tab, state string) {
	b.Helper()
	b.settled()
	for _, wrong := range value[[]string](b, access) {
		b.Errorf("%s, %s: %s", b.look, state, wrong)
	}
	// The tree that a screen reader reads. The protocol's own types do not know all that this browser says in it.
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
		}
	}
	var raw json.RawMessage
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		return cdp.Execute(ctx, "Accessibility.getFullAXTree", nil, &raw)
	}))
	if err := json.Unmarshal(raw, &tree); err != nil {
		b.Fatal(err)
	}
	heard := 0
	for _, n := range tree.Nodes {
		role, _ := n.Role.Value.(string)
		name, _ := n.Name.Value.(string)
		if n.Ignored || !controls[role] {
			continue
		}
		heard++
		if strings.TrimSpace(name) == "" {
			b.Errorf("%s, %s: a %s has no name that a screen reader could say", b.look, state, role)
		}
	}
	if heard < 2 {
		b.Errorf("%s, %s: a screen reader finds only %d controls", b.look, state, heard)
	}
}

// noScrolling: at no frame until now has anything made the page wider than the window.
func noScrolling(b *tab) {
	b.Helper()
	b.settled()
	if wide := value[string](b, "probe.outside()"); wide != "" {
		b.Errorf("%s: the page is wider than the window: %s", b.look, wide)
	}
}

// At every width, light and dark, text has contrast, controls have names and are large enough, whatever is open.
func TestAccessible(t *testing.T) {
	t.Parallel()
	s, _ := served(t)
	for _, l := range looks {
		t.Run(l.String(), func(t *testing.T) {
			b := s.open(t, l, "")
			b.phase(10*time.Second, "solved")
			accessible(b, "opened")

			b.click("#details summary")
			b.click("#readings summary")
			accessible(b, "everything unfolded")
			b.picture("a-unfolded")
			b.click("#details summary")
			b.click("#readings summary")

			value[any](b, "document.querySelector('"+`.handles button[data-sensor="0:2"]`+"').focus({ preventScroll: true })")
			b.press(kb.Enter)
			b.until(5*time.Second, "!document.querySelector('#sensor').hidden")
			accessible(b, "a sensor chosen")
			b.picture("b-sensor")
			b.press(kb.Escape)

			b.click("#export")
			accessible(b, "menu")
			b.picture("c-menu")
			b.press(kb.Escape)

			b.click("#help-button")
			b.until(5*time.Second, "document.querySelector('#help').open")
			accessible(b, "help")
			b.picture("d-help")
			b.press(kb.Escape)

			b.click("#text-button")
			accessible(b, "text")
			b.picture("e-text")
			b.typeInto("points = 400", "points = 400x")
			b.until(5*time.Second, "document.body.dataset.phase === 'fault'")
			accessible(b, "text with an error")
			b.picture("f-error")
			b.typeInto("points = 400x", "points = 400")
			b.inferred()
			b.click("#text-button")

			b.example("inverse-poisson")
			b.until(10*time.Second, "document.querySelector('#title').textContent.includes('inverse') || document.querySelector('#title').textContent.includes('unknown')")
			b.inferred()
			accessible(b, "curves and parameters")
			b.picture("g-curves")
		})
	}
}

// Whoever tabs through the page sees where they are, and reaches everything.
func TestFocus(t *testing.T) {
	t.Parallel()
	s, _ := served(t)
	for _, l := range []look{desk, {360, 740, true}} {
		t.Run(l.String(), func(t *testing.T) {
			b := s.open(t, l, "")
			b.phase(10*time.Second, "solved")
			reached := map[string]bool{}
			for range 60 {
				b.press(kb.Tab)
				stop := value[struct {
					Who, Style      string
					Width, Contrast float64
					Seen            bool
				}](b, `(() => {
					const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
					return { Who: e === document.body ? '' : e.id || e.dataset.sensor || e.getAttribute('aria-label') || e.tagName + ' ' + e.textContent.slice(0, 30), Style: s.outlineStyle, Width: parseFloat(s.outlineWidth),
						Seen: r.width > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth };
				})()`)
				if stop.Who == "" {
					break
				}
				reached[stop.Who] = true
				if stop.Style == "none" || stop.Width < 1.5 {
					t.Errorf("the focus cannot be seen at %s: outline %s %g px", stop.Who, stop.Style, stop.Width)
				}
				if !stop.Seen {
					t.Errorf("the focus is out of sight at %s", stop.Who)
				}
			}
			missed := value[[]string](b, fmt.Sprintf(`(() => {
				const reached = new Set(%s);
				return [...document.querySelectorAll('header button, header select, #tools button, #tools select, #sliders input')]
					.filter((e) => e.checkVisibility() && !e.disabled && e.id && !reached.has(e.id)).map((e) => e.id);
			})()`, list(reached)))
			if len(missed) > 0 {
				t.Errorf("the tabulator does not reach %v", missed)
			}
		})
	}
}

func list(set map[string]bool) string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	data, _ := json.Marshal(names)
	return string(data)
}

// A keyboard does what a pointer does: choose a sensor, move it, switch it off, undo.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *site) {
		b := s.open(t, desk, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.inferred()
		for range 40 {
			if value[bool](b, "document.activeElement.matches('.handles button')") {
				break
			}
			b.press(kb.Tab)
		}
		if !value[bool](b, "document.activeElement.matches('.handles button')") {
			t.Fatal("the tabulator does not reach the sensors")
		}
		b.press(kb.PageDown)
		b.press(kb.PageDown)
		if label := value[string](b, "document.activeElement.getAttribute('aria-label')"); !strings.Contains(label, "Sensor 3") || !strings.Contains(label, "reads 0.56") {
			t.Errorf("a screen reader says %q of the third sensor", label)
		}
		was := value[string](b, "document.activeElement.getAttribute('aria-label')")
		b.changed("mean")
		before := b.previews()
		b.press(kb.ArrowLeft, input.ModifierShift)
		b.press(kb.ArrowDown, input.ModifierShift)
		b.until(5*time.Second, fmt.Sprintf("Number(document.querySelector('#stage').dataset.previews) > %d", before))
		b.settled()
		if n := b.changed("mean"); n < 20 {
			t.Errorf("arrow keys change %d pixels of the mean", n)
		}
		b.until(10*time.Second, "!document.querySelector('#undo').disabled")
		b.settled()
		if now := value[string](b, "document.activeElement.getAttribute('aria-label')"); now == was || !strings.Contains(now, "Sensor 3") {
			t.Errorf("after a sensor has been moved, a screen reader says %q; it was %q", now, was)
		}
		b.press(kb.Delete)
		b.until(10*time.Second, "document.querySelector('.handles button[data-sensor^=off]')")
		b.press("z", input.ModifierCtrl)
		b.until(10*time.Second, "!document.querySelector('.handles button[data-sensor^=off]')")
		b.press("z", input.ModifierCtrl)
		b.until(10*time.Second, "document.querySelector('#undo').disabled")
		b.inferred()
		b.press("n")
		b.until(30*time.Second, "document.querySelectorAll('#places li').length === 5")
	})
}
