package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// Readings show up as they come, and a page that is left open does not grow.
func TestStream(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	physics := filepath.Join(t.TempDir(), "physics.bpielm")
	if said, err := exec.Command(program, "compile", filepath.Join(root, "bench/problems/poisson/problem.toml"), "-o", physics).CombinedOutput(); err != nil {
		t.Fatalf("bpielm compile: %v\n%s", err, said)
	}
	table, err := os.ReadFile(filepath.Join(root, "bench/problems/poisson/boundary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")
	s, readings := served(t, "--stream", "-", "--model", physics)
	b := s.open(t, desk, "")
	b.until(20*time.Second, "document.body.dataset.phase === 'live'")
	fmt.Fprintln(readings, lines[0])
	count := func(n int) string {
		return fmt.Sprintf("document.querySelector('#live-count')?.textContent.startsWith('%d reading')", n)
	}
	for i, line := range lines[1:] {
		fmt.Fprintln(readings, line)
		b.until(5*time.Second, count(i+1))
		if i == 4 {
			b.until(10*time.Second, "document.querySelector('[data-picture=mean] canvas')")
			b.settled()
			b.changed("sd")
		}
	}
	b.settled()
	if n := b.changed("sd"); n < 500 {
		t.Errorf("fourteen more readings change %d pixels of the sd", n)
	}
	if health := b.text(".health"); !strings.Contains(health, "boundary.csv") || !strings.Contains(health, "sound, 19") {
		t.Errorf("the health of the sensors is shown as %q", health)
	}
	if marks := value[int](b, "document.querySelectorAll('.handles button').length"); marks != len(lines)-1 {
		t.Errorf("%d sensors stand on the map, not %d", marks, len(lines)-1)
	}
	if hidden := value[int](b, "(() => { const e = document.querySelector('#live table').closest('.scroll').parentElement.querySelectorAll('.scroll'); return Math.max(...[...e].map((s) => s.scrollWidth - s.clientWidth)) })()"); hidden > 0 {
		t.Errorf("%d pixels of the table of readings are out of sight", hidden)
	}
	accessible(b, "live")
	b.picture("stream")

	// A line that is no reading is named.
	fmt.Fprintln(readings, "nonsense")
	fmt.Fprintln(readings, lines[1])
	b.until(5*time.Second, "document.querySelector('#live-count').textContent.includes('skipped')")

	// A sensor that goes astray is left out.
	astray := strings.Split(lines[1], ",")
	fmt.Fprintf(readings, "%s,%s,25\n", astray[0], astray[1])
	b.until(5*time.Second, "document.querySelector('#live').textContent.includes('left out') || document.querySelector('#live').textContent.includes('rejected')")
	b.picture("stream-astray")

	size := func() (heap, nodes float64) {
		var metrics []*performance.Metric
		b.run(performance.Enable(), heapprofiler.CollectGarbage(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
			metrics, err = performance.GetMetrics().Do(ctx)
			return err
		}))
		for _, m := range metrics {
			switch m.Name {
			case "JSHeapUsedSize":
				heap = m.Value
			case "Nodes":
				nodes = m.Value
			}
		}
		return heap, nodes
	}
	many := func(n int) {
		was := value[string](b, "document.querySelector('#live-count').textContent")
		for i := range n {
			fmt.Fprintln(readings, lines[1+i%(len(lines)-1)])
			time.Sleep(2 * time.Millisecond)
		}
		b.until(20*time.Second, fmt.Sprintf("document.querySelector('#live-count').textContent !== %q", was))
		b.settled()
	}
	many(1000)
	heap, nodes := size()
	many(3000)
	heap2, nodes2 := size()
	t.Logf("after 1000 and 4000 readings: %.2f and %.2f MB of heap, %.0f and %.0f nodes", heap/1e6, heap2/1e6, nodes, nodes2)
	if heap2 > heap+1e6 || nodes2 > nodes+200 {
		t.Errorf("the page grows with readings: %.2f to %.2f MB, %.0f to %.0f nodes", heap/1e6, heap2/1e6, nodes, nodes2)
	}
	readings.Close()
	b.until(10*time.Second, "document.querySelector('#badge').textContent.includes('ended') || document.querySelector('#live-count').textContent.includes('No more come')")
}
