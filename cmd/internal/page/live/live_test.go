package live

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// rod is compiled physics of u_xx = q on a rod that does not change with the time t, with an unknown q.
func rod(t *testing.T, variables ...system.Variable) func() (*posterior.Prior, error) {
	t.Helper()
	if variables == nil {
		variables = []system.Variable{{Name: "x", Max: 1, Unit: "m"}, {Name: "t", Max: 1e6}}
	}
	at, err := system.Collocation(variables, nil, 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	second := make([]int, len(variables))
	second[0] = 2
	p := &system.Problem{
		Variables: variables, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "q"}},
		Equations: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: second}}, Parameters: []system.ParameterTerm{{Coefficient: system.Constant(-1)}}}, Points: at}},
		Sensors:   []system.Sensors{{Name: "gauges", Measures: system.Field(0), Points: mat.NewDense(1, len(variables), nil), Values: []float64{0}, Sigma: []float64{0.02}}},
	}
	prior, err := posterior.FitPrior(p, posterior.Config{Neurons: 30, Seed: 1})
	return func() (*posterior.Prior, error) { return prior, err }
}

// reading is the i-th of u = x^2.
func reading(i int) string {
	x := float64(i%6) / 5
	return fmt.Sprintf("%g,%d,%.5f,s%d\n", x, i, x*x+0.02*math.Sin(float64(i)), i%6)
}

const header = "x,t,value,sensor\n"

// followed follows a text to its end.
func followed(t *testing.T, c Config, text string) *page.Estimate {
	t.Helper()
	f := New(c)
	if err := f.Follow(strings.NewReader(text), "test", nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-f.Changed():
	default:
		t.Error("nobody has been told")
	}
	e := f.Estimate()
	if _, err := json.Marshal(e); err != nil {
		t.Error(err)
	}
	return e
}

func numbers(t *testing.T, grid string) (all []float64) {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(grid)
	if err != nil {
		t.Fatal(err)
	}
	for ; len(data) > 0; data = data[4:] {
		all = append(all, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
	}
	return all
}

// TestReadingsAreFollowed: what they say of the solution, the parameter and the sensors.
func TestReadingsAreFollowed(t *testing.T) {
	var text strings.Builder
	text.WriteString(header)
	for i := range 300 {
		text.WriteString(reading(i))
		if i == 100 {
			text.WriteString("0.4,100,37,s2\nbroken\n9,100,1,s2\n")
		}
	}
	e := followed(t, Config{Physics: rod(t)}, text.String())
	if e.Readings != 301 || e.Kept != 200 || e.Skipped != 2 || !strings.Contains(e.Why, "test:105: ") || e.Ended == "" || len(e.Last) != lastReadings || e.At != "299" {
		t.Errorf("%d readings, %d kept, %d skipped: %s; ended: %s; %d shown, at %s", e.Readings, e.Kept, e.Skipped, e.Why, e.Ended, len(e.Last), e.At)
	}
	if q := e.Parameters[0]; q.Name != "q" || math.Abs(q.Mean-2) > 4*q.SD || q.SD > 0.2 || !(q.Lower95 < q.Mean && q.Mean < q.Upper95) {
		t.Errorf("%+v", q)
	}
	if len(e.Of.Axes) != 1 || e.Of.Axes[0] != 0 || e.Of.At[1] != 299 || e.Variables[0].Label != "x (m)" || e.Fields[0].Name != "u" {
		t.Errorf("%+v, %+v", e.Of, e.Variables)
	}
	mean, sd := numbers(t, e.Slice.Mean), numbers(t, e.Slice.SD)
	if len(mean) != curvePoints || len(sd) != curvePoints {
		t.Fatalf("%d and %d points", len(mean), len(sd))
	}
	for k, m := range mean {
		x := float64(k) / (curvePoints - 1)
		if math.Abs(m-x*x) > 4*sd[k]+0.01 || m < e.Slice.Low-1e-6 || m > e.Slice.High+1e-6 || sd[k] > e.Slice.SDHigh*(1+1e-6) {
			t.Errorf("u(%g) = %g ± %g", x, m, sd[k])
		}
	}
	if len(e.Sensors) != 6 || e.Sensors[2].Rejected != 1 || e.Sensors[2].State != "sound" || e.Sensors[0].Readings != 50 {
		t.Errorf("%+v", e.Sensors)
	}
	last := e.Last[lastReadings-1]
	if last.Sensor != "s5" || last.X[0] != 1 || last.At != "299" || math.Abs(last.Value-last.Predicted) > 5*last.SD {
		t.Errorf("%+v", last)
	}
	outliers := 0
	for _, in := range followed(t, Config{Physics: rod(t)}, header+reading(0)+reading(1)+reading(5)+reading(2)+"0.4,9,37,s2\n").Last {
		if in.Rejected {
			outliers++
		}
	}
	if outliers != 1 {
		t.Errorf("%d of the last readings are rejected", outliers)
	}
}

// TestTheSliceThatIsShown has no time along it, unless there is nothing else.
func TestTheSliceThatIsShown(t *testing.T) {
	plane := []system.Variable{{Name: "x", Max: 1}, {Name: "t", Max: 9, Unit: "h", Start: "2024-05-01T00:00Z"}, {Name: "y", Max: 1}}
	e := followed(t, Config{Physics: rod(t, plane...)}, "x,t,y,value\n0.5,2024-05-01T02:30:00Z,0.25,1\n")
	if len(e.Of.Axes) != 2 || e.Of.Axes[0] != 0 || e.Of.Axes[1] != 2 || e.Of.At[1] != 2.5 || len(numbers(t, e.Slice.Mean)) != mapPoints*mapPoints || !strings.HasPrefix(e.At, "2024-05-01") || e.Skipped != 0 {
		t.Errorf("%+v at %s; skipped: %s", e.Of, e.At, e.Why)
	}
	e = followed(t, Config{Physics: rod(t, system.Variable{Name: "t", Max: 9})}, "t,value\n1,1\n")
	if len(e.Of.Axes) != 1 || e.Of.Axes[0] != 0 || len(numbers(t, e.Slice.Mean)) != curvePoints {
		t.Errorf("%+v", e.Of)
	}
}

// disc is half as wide as its box.
type disc struct{ seen *int }

func (d disc) Contains(x []float64) bool {
	*d.seen++
	return math.Hypot(x[0]-0.5, x[2]-0.5) < 0.25
}

// TestTheOutline of a map that does not fill its box is on a finer grid than the map, and is found once.
func TestTheOutline(t *testing.T) {
	prior, err := rod(t, system.Variable{Name: "x", Max: 1}, system.Variable{Name: "t", Max: 9}, system.Variable{Name: "y", Max: 1})()
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAssimilated(prior, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, outline := a.predict(prior.Posterior(), a.slice()); outline != nil {
		t.Error("a map that fills its box has an outline")
	}
	seen := 0
	a.definitions.Domain = disc{&seen}
	_, outline := a.predict(prior.Posterior(), a.slice())
	bits, err := base64.StdEncoding.DecodeString(outline.Inside)
	if err != nil || outline.Size[0] != edgePoints || outline.Size[1] != edgePoints {
		t.Fatalf("%v: %v", err, outline.Size)
	}
	inside := 0
	for k := range edgePoints * edgePoints {
		x, y := float64(k/edgePoints)/(edgePoints-1), float64(k%edgePoints)/(edgePoints-1)
		if in := bits[k/8]>>(k%8)&1 == 1; in != (math.Hypot(x-0.5, y-0.5) < 0.25) {
			t.Fatalf("(%g, %g) is inside: %v", x, y, in)
		} else if in {
			inside++
		}
	}
	if share := float64(inside) / (edgePoints * edgePoints); math.Abs(share-math.Pi/16) > 0.005 {
		t.Errorf("%.3f of the box is inside", share)
	}
	seen = 0
	if _, again := a.predict(prior.Posterior(), a.slice()); again != outline || seen != mapPoints*mapPoints {
		t.Errorf("the domain is asked %d times for the same outline", seen)
	}
}

// TestBeforeTheFirstReading the page shows what the physics alone says.
func TestBeforeTheFirstReading(t *testing.T) {
	if e := New(Config{}).Estimate(); e.Readings != 0 || e.Last == nil || e.Sensors == nil {
		t.Errorf("%+v", e)
	}
	if e := followed(t, Config{Physics: rod(t)}, header); e.Slice == nil || e.Readings != 0 {
		t.Errorf("%+v", e)
	}
	if e := followed(t, Config{Physics: rod(t)}, "\n \n"); e.Ended == "" || e.Slice != nil {
		t.Errorf("%+v", e)
	}
}

func TestColumnsMayBeNamed(t *testing.T) {
	e := followed(t, Config{Physics: rod(t), Columns: []string{"x", "t", "value", "sensor"}}, "2,0.1,s9\n"+reading(0)+reading(1)+reading(2))
	if e.Readings != 3 || e.Skipped != 1 {
		t.Errorf("%d readings, %d skipped: %s", e.Readings, e.Skipped, e.Why)
	}
	if err := New(Config{Physics: rod(t), Columns: []string{"x"}}).Follow(strings.NewReader("1\n"), "test", nil); err == nil {
		t.Error("columns without a value are accepted")
	}
}

// TestStreamsThatCannotBeFollowed say why, to the caller and on the page.
func TestStreamsThatCannotBeFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		source io.Reader
		want   string
	}{
		"without physics": {Config{}, strings.NewReader("x,t,value\n"), "see --model"},
		"bad physics":     {Config{Physics: func() (*posterior.Prior, error) { return nil, errors.New("no physics") }}, strings.NewReader("x,t,value\n"), "no physics"},
		"broken":          {Config{Physics: rod(t)}, io.MultiReader(strings.NewReader(header), failing{}), "it breaks"},
		"broken at once":  {Config{Physics: rod(t)}, failing{}, "it breaks"},
		"a bug":           {Config{Physics: func() (*posterior.Prior, error) { panic("a bug") }}, strings.NewReader(header), "internal error: a bug"},
	} {
		f := New(c.config)
		err := f.Follow(c.source, "test", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(f.Estimate().Ended, c.want) {
			t.Errorf("%s: error %v; the page says %q", name, err, f.Estimate().Ended)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("it breaks") }

// TestGarbageIsCountedAndForgotten, however much there is.
func TestGarbageIsCountedAndForgotten(t *testing.T) {
	garbage := strings.Repeat("\x00\xff\x1b[2J garbage,,,\n{\"x\":\n", 2000) + strings.Repeat("x", 1<<20) + "\n"
	e := followed(t, Config{Physics: rod(t)}, header+reading(0)+garbage+reading(1))
	if e.Readings != 2 || e.Skipped < 2000 || len([]rune(e.Why)) > longest+3 || strings.ContainsAny(e.Why, "\x00\x1b") {
		t.Errorf("%d readings, %d skipped: %q", e.Readings, e.Skipped, e.Why)
	}
	var sensors strings.Builder
	for i := range 500 {
		fmt.Fprintf(&sensors, "0.5,1,0.25,%s%d\n", strings.Repeat("\u202e", 40), i)
	}
	e = followed(t, Config{Physics: rod(t)}, header+sensors.String())
	if e.Readings != 500 {
		t.Fatalf("%d readings; %s", e.Readings, e.Why)
	}
	if len(e.Sensors) != mostSensors || e.Others != 500-mostSensors || strings.Contains(e.Sensors[0].Sensor, "\u202e") {
		t.Errorf("%d sensors, %d others, %q", len(e.Sensors), e.Others, e.Sensors[0].Sensor)
	}
	text, err := json.Marshal(e)
	if err != nil || len(text) > 1<<20 {
		t.Errorf("%v: an estimate has %d bytes", err, len(text))
	}
}

// TestUnsoundSensorsAreShownFirst where there are too many to show.
func TestUnsoundSensorsAreShownFirst(t *testing.T) {
	var all []page.Health
	for i := range 300 {
		all = append(all, page.Health{Sensor: fmt.Sprint(i), State: "sound"})
	}
	all[290].State = "stuck"
	var e page.Estimate
	shown(all, &e)
	if e.Sensors[0].Sensor != "290" || len(e.Sensors) != mostSensors || e.Others != 100 {
		t.Errorf("%+v, %d others", e.Sensors[0], e.Others)
	}
}

// TestALogIsFollowed as bpielm-edge writes it. Its own tests follow what it really writes.
func TestALogIsFollowed(t *testing.T) {
	e := followed(t, Config{}, `state resumed: edge.state: 5214 readings, 200 kept
estimate reading=39 x=0.5 t=1 u=0.1 sd=0.2
estimate reading=39 x=0.7 t=1 u=0.1 sd=0.2
estimate reading=39 x=0.9 t=1 u=0.1 sd=0.2
parameter reading=40 name=lambda mean=1 sd=0.5
parameter reading=40 name=lambda mean=1.02 sd=0.05
estimate reading=40 x=0.5 t=1 u=0.4123 sd=0.0132
estimate reading=40 x=0.7 t=1 u=0.4 sd=0.01
outlier line=17 sensor=north wall value=9.1 expected=0.52 sd=0.05 innovation=171.6 kept=false
outlier line=18 sensor=a value=3 x value=1 expected=0.5 sd=0.05 innovation=10 kept=true
recalled line=23 readings=1
shift line=52 kept=12
fault line=60 sensor=south condition=drifting
dropped line=61 sensor=south
fault line=62 sensor=north wall condition=stuck
forgotten line=71 sensor=west
skipped standard input:18: x: found ""; a number is expected
garbage
estimate reading=41 x=NaN t=1 u=0.4 sd=0.01
outlier line=17 sensor=north
alive readings=5214 kept=200 outliers=3 skipped=12 sensors=4 silent=0.3s
estimate reading=5214 x=0.5 t=1 u=0.5 sd=0.01
estimate reading=5214 x=0.7 t=1 u=0.6`)
	if e.Readings != 5214 || e.Kept != 200 || e.Skipped != 3 || len(e.Points) != 2 || e.Points[0].Mean != 0.5 || e.Points[1].Mean != 0.4 || e.Points[1].X[0] != 0.7 || e.Points[1].Field != "u" {
		t.Errorf("%d readings, %d kept, %d skipped (%s), %+v", e.Readings, e.Kept, e.Skipped, e.Why, e.Points)
	}
	if len(e.Variables) != 2 || e.Variables[1].Name != "t" || len(e.Fields) != 1 || len(e.Parameters) != 1 || e.Parameters[0].Mean != 1.02 {
		t.Errorf("%+v, %+v, %+v", e.Variables, e.Fields, e.Parameters)
	}
	if len(e.Last) != 2 || e.Last[0].Sensor != "north wall" || !e.Last[0].Rejected || e.Last[1].Sensor != "a value=3 x" || e.Last[1].Rejected {
		t.Errorf("%+v", e.Last)
	}
	states := map[string]string{}
	for _, h := range e.Sensors {
		states[h.Sensor] = h.State
	}
	if states["south"] != "dropped" || states["north wall"] != "stuck" || states["a value=3 x"] != "sound" {
		t.Errorf("%v", states)
	}
}

// TestDatesOfALog stand at the end of its lines.
func TestDatesOfALog(t *testing.T) {
	e := followed(t, Config{}, `parameter reading=7 name=q mean=1 sd=0.5 date=2024-05-01T06:00:00Z
estimate reading=7 x=0.5 t=1 u=0.4123 sd=0.0132 date=2024-06-01
outlier line=17 sensor=north wall value=9.1 expected=0.52 sd=0.05 innovation=171.6 kept=true date=2024-05-01T07:00:00Z
fault line=60 sensor=north wall condition=drifting date=2024-05-01T08:00:00Z
shift line=61 kept=3 date=2024-05-01T09:00:00Z
`)
	if e.At != "2024-05-01T09:00:00Z" || e.Skipped != 0 || len(e.Points) != 1 || e.Points[0].SD != 0.0132 || e.Parameters[0].SD != 0.5 || e.Last[0].At != "2024-05-01T07:00:00Z" || e.Last[0].Rejected || e.Sensors[0].State != "drifting" {
		t.Errorf("%+v; skipped: %s", e, e.Why)
	}
}

// TestALogOfAnything keeps little, whatever it says.
func TestALogOfAnything(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "estimate reading=1 x%d=%d u%d=1 sd=1\nparameter reading=1 name=p%d mean=1 sd=1\nfault line=1 sensor=s%d condition=stuck\n", i, i, i, i, i)
	}
	text.WriteString("estimate reading=1 " + strings.Repeat("x", 1<<20) + "=1 u=1 sd=1\n")
	f := New(Config{})
	if err := f.Follow(strings.NewReader(text.String()), "test", nil); err != nil {
		t.Fatal(err)
	}
	e, l := f.Estimate(), f.state.(*logged)
	if len(e.Points) != mostPoints || len(e.Parameters) != mostParameters || len(e.Sensors) != mostSensors || len(l.sensors) != mostLogged || len(l.number) != mostLogged || e.Skipped != 1 {
		t.Errorf("%d points, %d parameters, %d of %d sensors, %d skipped", len(e.Points), len(e.Parameters), len(e.Sensors), len(l.sensors), e.Skipped)
	}
}

// TestKindsOfStreams: a table whose columns have the names of events is no log.
func TestKindsOfStreams(t *testing.T) {
	for line, want := range map[string]bool{
		"estimate reading=40 x=0.5": true, "alive readings=3 kept=2": true, "state resumed: edge.state": true, "skipped standard input:18: x": true,
		"x,t,value": false, "estimate,value": false, "state,x,value": false, "state x,value": false, "state;x": false, `{"x": 1}`: false, "": false, "parameter x": false,
	} {
		if got := isLogged(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestAStreamIsStopped while it waits for more.
func TestAStreamIsStopped(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	f, stop, ended := New(Config{Physics: rod(t)}), make(chan struct{}), make(chan error, 1)
	go func() { ended <- f.Follow(in, "test", stop) }()
	io.WriteString(out, header+reading(0)+reading(1)+"0.5,1")
	for f.Estimate().Readings < 2 {
		<-f.Changed()
	}
	close(stop)
	select {
	case err := <-ended:
		if err != nil || f.Estimate().Readings != 2 {
			t.Errorf("error %v, %d readings", err, f.Estimate().Readings)
		}
	case <-time.After(5 * time.Second):
		t.Error("it goes on")
	}
}

// TestAFileIsFollowed as it grows, is emptied, and is replaced.
func TestAFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.csv")
	write := func(flags int, text string) {
		t.Helper()
		file, err := os.OpenFile(path, flags|os.O_WRONLY|os.O_CREATE, 0o600)
		if err == nil {
			_, err = file.WriteString(text)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write(0, header+reading(0))
	tail, err := OpenTail(path)
	if err != nil {
		t.Fatal(err)
	}
	f, ended := New(Config{Physics: rod(t)}), make(chan error, 1)
	go func() { ended <- f.Follow(tail, path, nil) }()
	until := func(n int) {
		t.Helper()
		for begin := time.Now(); f.Estimate().Readings != n; time.Sleep(10 * time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("%d readings, want %d; %s", f.Estimate().Readings, n, f.Estimate().Ended)
			}
		}
	}
	until(1)
	write(os.O_APPEND, reading(1)+reading(2)[:5])
	until(2)
	write(os.O_APPEND, reading(2)[5:])
	until(3)
	write(os.O_TRUNC, header+reading(3))
	until(4)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write(0, header+reading(4)+reading(5))
	until(6)
	tail.Close()
	if err := <-ended; err != nil || f.Estimate().Skipped != 0 {
		t.Errorf("error %v, skipped: %s", err, f.Estimate().Why)
	}
	for _, absent := range []string{path + ".absent", filepath.Dir(path)} {
		if _, err := OpenTail(absent); err == nil {
			t.Errorf("%s is opened", absent)
		}
	}
}
