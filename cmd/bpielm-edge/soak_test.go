package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// soak is a year in brief: go test ./cmd/bpielm-edge -run Soak -timeout 2h -args -soak 10000000.
var soak = flag.Int("soak", 100_000, "how many readings the soak test takes")

const (
	soakRestarts = 2000 // readings between two, on average
	soakShifts   = 20_000
	soakGrowth   = 2 << 20 // bytes
	soakError    = 1e-9    // relative to what is uncertain without readings
)

// rod writes the compiled physics of the example of a cooling rod, and the points that are asked for.
func rod(t *testing.T) (model, points string) {
	t.Helper()
	problem, err := spec.Read("../../bench/problems/robin-rod/problem.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := posterior.FitPrior(problem.Problem, posterior.Config{Neurons: 80, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	model, points = filepath.Join(directory, "physics.bpielm"), filepath.Join(directory, "points.csv")
	file, err1 := os.Create(model)
	err2 := prior.Save(file)
	if err := errors.Join(err1, err2, file.Close(), os.WriteFile(points, []byte("x,t\n0.1,600\n0.4,3000\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	return model, points
}

// temperature is that of the rod.
func temperature(x, t float64) float64 {
	first, second := 0.8603335890193797/0.5, 3.425618459481728/0.5
	return 21.5 + float64(50*mat.Exp(-5e-5*first*first*t)*mat.Cos(first*x)) + float64(15*mat.Exp(-5e-5*second*second*t)*mat.Cos(second*x))
}

// traffic is what comes over the wire: readings, of which 1 % are glitches, and 1 % of garbage between them.
type traffic struct {
	random *rand.Rand
	count  int
	level  float64
}

// next returns a line, and whether it is a valid reading, however absurd.
func (c *traffic) next() (line string, sound bool) {
	if c.random.IntN(100) == 0 {
		return c.garbage(), false
	}
	c.count++
	if c.random.IntN(soakShifts) == 0 {
		c.level = float64(40 * (c.random.IntN(7) - 3))
	}
	x, t := float64(c.count%6)/10, float64(3600*c.random.Float64())
	value := c.level + temperature(x, t) + float64(0.5*c.random.NormFloat64())
	if c.random.IntN(100) == 0 {
		value = math.Pow(10, float64(300*c.random.Float64()))
		if c.random.IntN(2) == 0 {
			value = -value
		}
	}
	return fmt.Sprintf("%g,%.6g,%.6g,s%d\n", x, t, value, c.count%6), math.Abs(value) < 1e120
}

func (c *traffic) garbage() string {
	switch c.random.IntN(10) {
	case 0:
		if c.random.IntN(20) == 0 {
			return strings.Repeat("\xff\x00 noise", 1<<14) + "\n"
		}
		return "\n\n\r\n"
	case 1:
		return "0.5,1,NaN,s1\n0.5,1,1e999,s1\n"
	case 2:
		return "x,value,sensor\n"
	case 3:
		return "{\"x\":0.5,\"value\":\n"
	case 4:
		return "7,1,0.2,s3\n"
	case 5:
		return "0.4,1,0.2\n"
	case 6:
		return "\"0.4,1,0.2,s1\n"
	case 7:
		return fmt.Sprintf("0.4,1,0.2,%s\n", strings.Repeat("n", 200))
	case 8:
		return fmt.Sprintf("0.3,-1,0.2,stranger %d\n", c.random.IntN(1<<20)) // outside
	}
	noise := make([]byte, c.random.IntN(100))
	for i := range noise {
		noise[i] = byte(0x80 + c.random.IntN(0x80))
	}
	return string(noise) + "\n"
}

// life is a device from its start to its end, in this process.
type life struct {
	d    *device
	to   *io.PipeWriter
	line *bufio.Writer
	stop chan struct{}
	done chan error
}

func begin(t *testing.T, args []string) *life {
	t.Helper()
	from, to := io.Pipe()
	read, log := io.Pipe()
	s := &life{to: to, line: bufio.NewWriter(to), stop: make(chan struct{}), done: make(chan error, 1)}
	o, err := parse(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	out := newOutlet(log, make(chan struct{}))
	if s.d, err = newDevice(o, out); err != nil {
		t.Fatal(err)
	}
	go func() { // reads slowly
		lines := bufio.NewScanner(read)
		for i := 0; lines.Scan(); i++ {
			if i%5000 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	if err := s.d.resume(); err != nil {
		t.Fatal(err)
	}
	go func() {
		err := s.d.follow(from, "wire", s.stop)
		if err == nil {
			err = out.Close()
		}
		log.Close()
		s.done <- err
	}()
	return s
}

func (s *life) say(t *testing.T, text string) {
	if _, err := s.line.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// end stops the device as SIGTERM does, after the lines that were sent.
func (s *life) end(t *testing.T) {
	t.Helper()
	if err := s.line.Flush(); err != nil {
		t.Fatal(err)
	}
	close(s.stop)
	if err := <-s.done; err != nil {
		t.Fatal(err)
	}
	s.to.Close()
}

// furthest is the largest difference between two streams' estimates, relative to the standard deviation without
// readings.
func furthest(a, b, without *posterior.Stream) float64 {
	const asked = 2
	m1, s1, m2, s2, m, sd := make([]float64, asked), make([]float64, asked), make([]float64, asked), make([]float64, asked), make([]float64, asked), make([]float64, asked)
	a.EstimateTo(m1, s1)
	b.EstimateTo(m2, s2)
	without.EstimateTo(m, sd)
	worst := 0.0
	for i := range sd {
		worst = math.Max(worst, math.Max(math.Abs(m1[i]-m2[i]), math.Abs(s1[i]-s2[i]))/sd[i])
	}
	return worst
}

// TestSoak: garbage, glitches up to 1e300, shifts of the level, restarts in the middle of a line and a slow
// reader of the log. The estimates are those of a stream that never stopped, and of a fresh start from the readings
// kept. Memory does not grow.
func TestSoak(t *testing.T) {
	readings := *soak
	if testing.Short() {
		readings = min(readings, 20_000)
	}
	model, points := rod(t)
	args := []string{"-points", points, "-window", "60", "-every", "50", "-save", "1s", "-state", filepath.Join(t.TempDir(), "edge.state"), model}
	s := begin(t, args)
	fresh := func() *posterior.Stream {
		config := s.d.options.stream
		config.NoSensors = true
		stream, err := s.d.prior.Stream(config)
		if err != nil {
			t.Fatal(err)
		}
		return stream
	}
	without := fresh()
	never := feed.NewStations(s.d.prior, fresh())
	c := &traffic{random: rand.New(rand.NewPCG(1, 2))}
	rest, shifts, restarts, worst, worstFresh := "", 0, 0, 0.0, 0.0
	var early uint64
	s.say(t, "x,t,value,sensor\n")
	for c.count < readings {
		line, sound := c.next()
		first := rest != ""
		s.say(t, rest)
		rest = ""
		if sound && !first && c.random.IntN(soakRestarts) == 0 {
			cut := c.random.IntN(len(line)-1) + 1
			s.say(t, line[:cut])
			s.end(t)
			rest = line[cut:]
			restarts++
			worst = math.Max(worst, furthest(s.d.stations.Stream, never.Stream, without))
			worstFresh = math.Max(worstFresh, furthest(s.d.stations.Stream, again(t, s.d, fresh()), without))
			if early == 0 && c.count > readings/10 {
				early = heap()
			}
			s = begin(t, args)
			continue
		}
		s.say(t, line)
		if sound {
			if e := keep(t, never, line); e.Innovation.Shifted {
				shifts++
			}
		}
	}
	s.end(t)
	worst = math.Max(worst, furthest(s.d.stations.Stream, never.Stream, without))
	late := heap()
	t.Logf("%d readings, %d restarts, %d shifts of the level; off by %.2g of what never stopped, %.2g of a fresh start; heap %d kB, in the end %d kB; %+v", c.count, restarts, shifts, worst, worstFresh, early>>10, late>>10, s.d.counts)
	if !(worst < soakError && worstFresh < soakError) {
		t.Errorf("the estimates are off by %g and %g", worst, worstFresh)
	}
	if early > 0 && late > early+soakGrowth {
		t.Errorf("memory has grown from %d to %d bytes", early, late)
	}
	if restarts == 0 || readings > 10*soakShifts && shifts == 0 || s.d.counts.Readings < readings*97/100 {
		t.Errorf("%d restarts, %d shifts, %+v", restarts, shifts, s.d.counts)
	}
}

// keep gives the reading of a line to a stream that never stops.
func keep(t *testing.T, never *feed.Stations, line string) feed.Event {
	cells := strings.Split(strings.TrimSpace(line), ",")
	var numbers [3]float64
	for i := range numbers {
		var err error
		if numbers[i], err = strconv.ParseFloat(cells[i], 64); err != nil {
			t.Fatal(err)
		}
	}
	e, err := never.Add(&feed.Record{At: numbers[:2], Value: numbers[2], Sensor: cells[3]})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// again is a fresh stream of the readings that a device keeps.
func again(t *testing.T, d *device, stream *posterior.Stream) *posterior.Stream {
	t.Helper()
	text, err := json.Marshal(d.stations.State())
	if err != nil {
		t.Fatal(err)
	}
	var state feed.State
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	for _, known := range state.Sensors {
		sensor := d.prior.Sensors()[0]
		sensor.Name = known.Name
		if _, err := stream.AddSensor(sensor); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range state.Stream.Readings {
		r.Sigma = 0
		if _, err := stream.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return stream
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
