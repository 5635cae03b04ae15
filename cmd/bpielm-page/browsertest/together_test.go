package browsertest

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Two pages of one visitor do not know of each other, and closing one ends what it had.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *site) {
		a := s.open(t, desk, "")
		a.until(30*time.Second, "document.body.dataset.picture")
		a.inferred()
		b := a.beside(t, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.inferred()
		was := value[string](b, fmt.Sprintf("document.querySelector(%q).getAttribute('aria-label')", wing))
		a.still("mean")
		b.still("mean")
		_, at := a.drag(wing, a.inwards(0.2), 500*time.Millisecond)
		a.release(at)
		a.phase(20*time.Second, "solving")
		// The other one answers meanwhile.
		b.click("#where-next")
		b.until(60*time.Second, "document.querySelectorAll('#places li').length === 5")
		b.click("#where-next")
		b.until(5*time.Second, "document.querySelector('#places').hidden")
		a.inferred()
		b.settled()
		if n := a.changed("mean"); n < 50 {
			t.Errorf("%d pixels change where a sensor was dragged", n)
		}
		if n := b.changed("mean"); n != 0 {
			t.Errorf("%d pixels change in the other tab", n)
		}
		if now := value[string](b, fmt.Sprintf("document.querySelector(%q).getAttribute('aria-label')", wing)); now != was {
			t.Errorf("the sensor of the other tab is %q; it was %q", now, was)
		}
		if !s.native() {
			return
		}
		session := ""
		a.mu.Lock()
		for address := range a.asked {
			if at, err := url.Parse(address); err == nil && at.Query().Has("session") {
				session = at.Query().Get("session")
			}
		}
		a.mu.Unlock()
		a.leave()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			request, _ := http.NewRequest(http.MethodPost, s.address+"api/call?session="+session, strings.NewReader(`{"do": "examples"}`))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Origin", strings.TrimSuffix(s.address, "/"))
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusGone {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the session of a closed tab still answers: %s", response.Status)
			}
		}
	})
}

// An inference that takes long can be stopped, and begun again.
func TestCancel(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *site) {
		b := s.open(t, desk, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.inferred()
		files := map[string]string{}
		for _, name := range []string{"problem.toml", "boundary.csv"} {
			text, err := os.ReadFile(filepath.Join(root, "bench/problems/poisson", name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(text)
		}
		large := map[string]string{"boundary.csv": files["boundary.csv"]}
		neurons := 1600
		if !s.native() {
			neurons = 600
		}
		large["problem.toml"] = strings.Replace(strings.Replace(files["problem.toml"], "neurons = 200", fmt.Sprintf("neurons = %d", neurons), 1), "points = 400", fmt.Sprintf("points = %d", 2*neurons), 1)
		link := b.linkTo(large, "problem.toml")
		b.run(chromedp.Evaluate(fmt.Sprintf("location.hash = %q", link), nil))
		b.phase(20*time.Second, "solving")
		b.until(30*time.Second, "!document.querySelector('#progress').hidden && !document.querySelector('#cancel').hidden")
		time.Sleep(500 * time.Millisecond)
		// The page does not freeze while the engine works.
		frames := value[float64](b, `new Promise((done) => {
			let n = 0;
			const began = performance.now();
			const count = () => (performance.now() - began < 500 ? (n++, requestAnimationFrame(count)) : done(n / 0.5));
			requestAnimationFrame(count);
		})`)
		if frames < 10 {
			t.Errorf("the page draws %.0f frames a second while the engine works", frames)
		}
		b.click("#cancel")
		waited := b.phase(20*time.Second, "open")
		t.Logf("cancelled after %v, %.0f frames a second before", waited.Round(10*time.Millisecond), frames)
		if waited > 5*time.Second {
			t.Errorf("an inference is cancelled after %v", waited)
		}
		b.until(5*time.Second, "!document.querySelector('#infer').hidden")
		b.click("#infer")
		b.phase(5*time.Second, "solving")
		// Something else that is opened takes the place of what runs.
		b.example("poisson")
		b.until(20*time.Second, "document.body.dataset.phase === 'solved' && document.querySelector('[data-picture=mean] canvas')")
	})
}

// Files of one's own are opened from where they are, and saved again.
func TestFiles(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, s *site) {
		b := s.open(t, desk, "")
		b.until(30*time.Second, "document.body.dataset.picture")
		b.inferred()
		folder := filepath.Join(root, "bench/problems/inverse-poisson")
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); ext == ".toml" || ext == ".csv" {
				paths = append(paths, filepath.Join(folder, e.Name()))
			}
		}
		b.run(chromedp.SetUploadFiles("#files", paths, chromedp.ByQuery))
		b.until(10*time.Second, "document.querySelector('#title').textContent.includes('unknown source')")
		b.until(8*s.infers, "document.body.dataset.phase === 'solved'")
		if shown := b.text("#parameters"); !strings.Contains(shown, "lambda1") || !strings.Contains(shown, "95 % interval") {
			t.Errorf("the parameters are shown as %q", shown)
		}
		b.changed("curve")
		// Up and down changes what the sensor reads, and the band follows.
		_, at := b.drag(sensor(0, 6), point{10, -60}, time.Second)
		if n := b.changed("curve"); n < 100 {
			t.Errorf("%d pixels of the curve and its band change", n)
		}
		b.picture("curve-dragged")
		b.release(at)
		name, data := b.downloaded(func() { b.click("#save") })
		files := unzipped(t, data)
		if filepath.Ext(name) != ".zip" || len(files) != len(paths) {
			t.Errorf("%s has %d files; %d were opened", name, len(files), len(paths))
		}
		wrote, err := os.ReadFile(filepath.Join(folder, "problem.toml"))
		if err != nil {
			t.Fatal(err)
		}
		if files["problem.toml"] != string(wrote) {
			t.Error("problem.toml is not saved as it was opened")
		}
	})
}
