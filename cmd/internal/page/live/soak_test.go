package live_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/cmd/internal/page/live"
	"github.com/bpielm/bpielm/cmd/internal/page/web"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

var soak = flag.Int("soak", 300_000, "how many readings a day has in TestADayOfReadings")

// day is a stream of readings as fast as they are taken: of sensors that come and go, with garbage and outliers.
type day struct {
	readings int
	next     atomic.Int64
	rest     string
}

func (d *day) Read(p []byte) (int, error) {
	if d.rest == "" {
		i := int(d.next.Add(1)) - 1
		switch x := float64(i%6) / 5; {
		case i == 0:
			d.rest = "x,t,value,sensor\n"
		case i > d.readings:
			return 0, io.EOF
		case i%1000 == 0:
			d.rest = fmt.Sprintf("%g,%d,%g,stranger %d\n", x, i, x*x, i/1000%50)
		case i%997 == 0:
			d.rest = strings.Repeat("\x00garbage", i%5000) + "\n"
		case i%501 == 0:
			d.rest = fmt.Sprintf("%g,%d,1e30,s%d\n", x, i, i%6)
		default:
			d.rest = fmt.Sprintf("%g,%d,%.5f,s%d\n", x, i, x*x+0.02*math.Sin(float64(i)), i%6)
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// none is an engine that knows nothing.
type none struct{}

func (none) Call(context.Context, []byte, func(page.Event)) page.Reply { return page.Reply{OK: true} }
func (none) Close()                                                    {}

// TestADayOfReadings at ten a second are 864,000, which this takes faster (-args -soak 864000), while pages come and go,
// read slowly or not at all. Neither memory nor the number of goroutines grows.
func TestADayOfReadings(t *testing.T) {
	readings := *soak
	if testing.Short() {
		readings = 20_000
	}
	stream := &day{readings: readings}
	f := live.New(live.Config{Physics: func() (*posterior.Prior, error) { return rodPrior(readings) }, Window: 60})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.New(web.Config{Open: func() web.Session { return none{} }, Static: fstest.MapFS{}, Address: listener.Addr().String(), Live: f})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended, followed := make(chan error, 1), make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	go func() { followed <- f.Follow(stream, "day", nil) }()
	url := "http://" + listener.Addr().String()
	var pages sync.WaitGroup
	var events, visits atomic.Int64
	over := make(chan struct{})
	for kind := range 4 {
		pages.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					events.Add(int64(visit(t, url, kind)))
					visits.Add(1)
				}
			}
		})
	}
	state := func() (heap uint64, goroutines int) {
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	for stream.next.Load() < int64(readings/5) {
		time.Sleep(10 * time.Millisecond)
	}
	heap, goroutines := state()
	if err := <-followed; err != nil {
		t.Fatal(err)
	}
	heapEnd, goroutinesEnd := state()
	close(over)
	pages.Wait()
	e := f.Estimate()
	t.Logf("%d readings, %d skipped, %d visits that got %d estimates; heap %d kB after a fifth and %d kB in the end, goroutines %d and %d", e.Readings, e.Skipped, visits.Load(), events.Load(), heap>>10, heapEnd>>10, goroutines, goroutinesEnd)
	if heapEnd > heap+heap/4+4<<20 {
		t.Errorf("the heap grows from %d kB to %d kB", heap>>10, heapEnd>>10)
	}
	if goroutinesEnd > goroutines+20 {
		t.Errorf("goroutines grow from %d to %d", goroutines, goroutinesEnd)
	}
	if e.Readings < readings*9/10 || events.Load() == 0 || len(e.Last) != 200 {
		t.Errorf("%d readings, %d events, %d shown", e.Readings, events.Load(), len(e.Last))
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// visit opens a page, reads its events for a while, and leaves without saying so. It returns how many estimates came.
func visit(t *testing.T, url string, kind int) (estimates int) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Post(url+"/api/open", "", nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	var opened struct{ Session string }
	err = json.NewDecoder(answer.Body).Decode(&opened)
	answer.Body.Close()
	if err != nil {
		t.Error(err)
		return 0
	}
	if opened.Session == "" {
		time.Sleep(100 * time.Millisecond) // too many pages were left a moment ago
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(200+300*kind)*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/api/events?session="+opened.Session, nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	if answer, err = client.Do(r); err != nil {
		return 0
	}
	defer answer.Body.Close()
	if kind == 3 { // it does not read
		<-ctx.Done()
		return 0
	}
	text, _ := io.ReadAll(answer.Body)
	return strings.Count(string(text), `data: {"event":"estimate"`)
}

// rodPrior is compiled physics of u_xx = q on a rod, for times up to the number of readings.
func rodPrior(readings int) (*posterior.Prior, error) {
	variables := []system.Variable{{Name: "x", Max: 1}, {Name: "t", Max: float64(readings)}}
	at, err := system.Collocation(variables, nil, 40, 1)
	if err != nil {
		return nil, err
	}
	return posterior.FitPrior(&system.Problem{
		Variables: variables, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "q"}},
		Equations: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2, 0}}}, Parameters: []system.ParameterTerm{{Coefficient: system.Constant(-1)}}}, Points: at}},
		Sensors:   []system.Sensors{{Name: "gauges", Measures: system.Field(0), Points: mat.NewDense(1, 2, nil), Values: []float64{0}, Sigma: []float64{0.02}}},
	}, posterior.Config{Neurons: 30, Seed: 1})
}
