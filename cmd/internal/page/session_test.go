package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var line = &SliceOf{Axes: []int{0}, Size: []int{33}}

// openRod opens a rod and solves it.
func openRod(t testing.TB, e *Engine) *client {
	t.Helper()
	c := newClient(t, e)
	if p := ask[Problem](c, Request{Do: "open", Files: rod("sigma = 0.02", rodTable), Main: problemFile}); p.Fault != nil {
		t.Fatal(p.Fault)
	}
	ask[Answer](c, Request{Do: "solve"})
	return c
}

func TestErrorsNameTheirPlace(t *testing.T) {
	c := newClient(t, &Engine{})
	p := ask[Problem](c, Request{Do: "open", Files: rod("sigma = 0.02", rodTable+"1,many\n"), Main: problemFile})
	if p.Fault == nil || p.Fault.File != "u.csv" || p.Fault.Line != 7 {
		t.Errorf("a wrong number: %+v", p.Fault)
	}
	refused(c, Request{Do: "solve"})
	files := rod("sigma = 0.02", rodTable)
	if p = ask[Problem](c, Request{Do: "open", Files: files, Main: problemFile}); p.Fault != nil {
		t.Fatal(p.Fault)
	}
	wrong := strings.Replace(files[problemFile], "u_xx = q", "u_xx = p", 1)
	p = ask[Problem](c, Request{Do: "check", Text: wrong})
	if p.Fault == nil || p.Fault.File != problemFile || p.Fault.Line != 7 || p.Files[problemFile] != wrong || p.Title != "a rod" || len(p.Sensors) != 1 {
		t.Errorf("an unknown name: %+v, title %q", p.Fault, p.Title)
	}
	refused(c, Request{Do: "edit", Edits: []Edit{{Off: true}}})
	if p = ask[Problem](c, Request{Do: "check", Text: files[problemFile]}); p.Fault != nil {
		t.Errorf("the text as it was: %v", p.Fault)
	}
	refused(newClient(t, &Engine{}), Request{Do: "check", Text: "x"})
}

// What is open is the files: opening them as they were undoes a change, and the answer is known again.
func TestUndo(t *testing.T) {
	c := openRod(t, &Engine{})
	before := ask[Problem](c, Request{Do: "edit"})
	if before.Answer == nil {
		t.Fatal("no change, and the answer is gone")
	}
	first := ask[Slice](c, Request{Do: "slice", Slice: line})
	after := ask[Problem](c, Request{Do: "edit", Edits: []Edit{{Reading: 2, Off: true}}})
	if len(after.Sensors[0].Readings) != 4 || after.Answer != nil {
		t.Errorf("%d readings, answer %v", len(after.Sensors[0].Readings), after.Answer)
	}
	second := ask[Slice](c, Request{Do: "slice", Slice: line})
	if second.SD == first.SD {
		t.Error("without a reading, the sd is the same")
	}
	again := ask[Problem](c, Request{Do: "open", Files: before.Files, Main: problemFile})
	if again.Answer == nil || again.Answer.Digest != before.Answer.Digest {
		t.Error("undone, the answer is not known")
	}
	if third := ask[Slice](c, Request{Do: "slice", Slice: line}); third.Mean != first.Mean {
		t.Error("undone, the slice is another")
	}
	redone := ask[Problem](c, Request{Do: "open", Files: after.Files, Main: problemFile})
	if redone.Answer != nil {
		t.Error("redone, the answer is that of all readings")
	}
	if third := ask[Slice](c, Request{Do: "slice", Slice: line}); third.SD != second.SD {
		t.Error("redone, the slice is another")
	}
	if refused(c, Request{Do: "export", What: "csv"}).Message == "" {
		t.Error("no reason")
	}
}

// A solve of what has been solved is known; "again" repeats it, to the same bits.
func TestSolvesAreTheSame(t *testing.T) {
	c := openRod(t, &Engine{})
	a := ask[Answer](c, Request{Do: "solve"})
	b := ask[Answer](c, Request{Do: "solve", What: "again"})
	if a.Seconds == b.Seconds || a.Digest != b.Digest {
		t.Errorf("%g s and %g s, %s and %s", a.Seconds, b.Seconds, a.Digest, b.Digest)
	}
}

func TestTablesAreRewritten(t *testing.T) {
	for name, c := range map[string]struct {
		sensors, table string
		edits          []Edit
		want           string // table
	}{
		"moved":             {"sigma = 0.02", rodTable, []Edit{{Reading: 1, X: []float64{0.75}, Value: value(0.5)}}, "x,value\n0,0.01\n0.75,0.5\n1,-0.51\n1.5,-0.37\n2,-0.01\n"},
		"added":             {"sigma = 0.02", "x,value\n0,0\n2,0\n", []Edit{{Reading: -1, X: []float64{1.25}, Value: value(-0.1)}, {Off: true}}, "x,value\n2,0\n1.25,-0.1\n"},
		"noise of its own":  {"sigma = 0.02", "x,value\n0,0\n2,0\n", []Edit{{Reading: 1, Sigma: value(0.5)}}, "x,value,sigma\n0,0,0.02\n2,0,0.5\n"},
		"semicolons, units": {"columns = { x = \"place\", value = \"u (mm)\" }\nsigma = 0.1", "logger 7\nplace;u (mm);note\n0;1,5;a\n1;2;b\n", []Edit{{Reading: 1, Value: value(3)}}, "place,u (mm)\n0,1.5\n1,3\n"},
		"names":             {"sigma = 0.1", "x,value,sensor\n0,1.5,\"north, upper\"\n1,2,b\n", []Edit{{Reading: 1, Value: value(3)}}, "x,value,sensor\n0,1.5,\"north, upper\"\n1,3,b\n"},
		"places":            {"sigma = 0.1\nat = { x = 1 }", "value\n1\n2\n", []Edit{{Reading: 1, Value: value(3)}}, "value\n1\n3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newClient(t, &Engine{})
			if p := ask[Problem](s, Request{Do: "open", Files: rod(c.sensors, c.table), Main: problemFile}); p.Fault != nil {
				t.Fatal(p.Fault)
			}
			p := ask[Problem](s, Request{Do: "edit", Edits: c.edits})
			if got := p.Files["u.csv"]; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if p.Files[problemFile] != rod(c.sensors, "")[problemFile] {
				t.Error("the text has changed")
			}
		})
	}
}

// Only the tables that have changed are rewritten.
func TestSeveralTablesOfAGroup(t *testing.T) {
	c := newClient(t, &Engine{})
	files := rod("sigma = 0.02", "")
	files[problemFile] = strings.Replace(files[problemFile], `"u.csv"`, `"logs/*.csv"`, 1)
	delete(files, "u.csv")
	files["logs/a.csv"], files["logs/b.csv"] = "x , value\n0,0\n1,-0.5\n", "x , value\n2,0\n"
	if p := ask[Problem](c, Request{Do: "open", Files: files, Main: problemFile}); p.Fault != nil {
		t.Fatal(p.Fault)
	}
	p := ask[Problem](c, Request{Do: "edit", Edits: []Edit{{Reading: 2, Value: value(0.25)}}})
	if p.Files["logs/a.csv"] != files["logs/a.csv"] || p.Files["logs/b.csv"] != "x,value,sensor\n2,0.25,b\n" && p.Files["logs/b.csv"] != "x,value\n2,0.25\n" {
		t.Errorf("%q", p.Files)
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	c := openRod(t, &Engine{})
	before := ask[Problem](c, Request{Do: "edit"})
	for name, edits := range map[string][]Edit{
		"no such group":    {{Group: 1}},
		"negative group":   {{Group: -1}},
		"no such reading":  {{Reading: 5}},
		"negative reading": {{Reading: -2}},
		"no place":         {{Reading: -1, Value: value(1)}},
		"no value":         {{Reading: -1, X: []float64{1}}},
		"two coordinates":  {{Reading: 1, X: []float64{1, 2}}},
		"outside":          {{Reading: 1, X: []float64{2.5}}},
		"huge":             {{Reading: 1, Value: value(1e300)}},
		"sigma 0":          {{Reading: 1, Sigma: value(0)}},
		"all":              {{Reading: 0, Off: true}, {Reading: 1, Off: true}, {Reading: 2, Off: true}, {Reading: 3, Off: true}, {Reading: 4, Off: true}},
		"too many":         slices.Repeat([]Edit{{Reading: 1, Value: value(1)}}, mostEdits+1),
	} {
		refused(c, Request{Do: "edit", Edits: edits})
		if name != "all" {
			refused(c, Request{Do: "preview", Edits: edits, Slice: line})
		}
		if after := ask[Problem](c, Request{Do: "edit"}); !maps.Equal(after.Files, before.Files) {
			t.Fatalf("%s: the files have changed", name)
		}
	}
	learned := newClient(t, &Engine{})
	ask[Problem](learned, Request{Do: "open", Files: rod("", rodTable), Main: problemFile})
	refused(learned, Request{Do: "edit", Edits: []Edit{{Reading: 1, Sigma: value(0.1)}}})
	// A table that two blocks read differently cannot be rewritten for one of them.
	shared := newClient(t, &Engine{})
	files := rod("sigma = 0.02", "x,value,slope\n0,0,-1\n1,-0.5,0\n2,0,1\n")
	files[problemFile] = strings.Replace(files[problemFile], "[features]", "[[sensors]]\nfile = \"u.csv\"\nmeasures = \"u_x\"\ncolumns = { value = \"slope\" }\nsigma = 0.1\n[features]", 1)
	if p := ask[Problem](shared, Request{Do: "open", Files: files, Main: problemFile}); p.Fault != nil {
		t.Fatal(p.Fault)
	}
	refused(shared, Request{Do: "edit", Edits: []Edit{{Reading: 1, Value: value(1)}}})
}

// Other text is another problem: until it is solved, slices are those of the last solve, and nothing can be previewed.
func TestOtherTextIsAnotherProblem(t *testing.T) {
	c := openRod(t, &Engine{})
	first := ask[Slice](c, Request{Do: "slice", Slice: line})
	files := rod("sigma = 0.02", rodTable)
	if p := ask[Problem](c, Request{Do: "check", Text: strings.Replace(files[problemFile], "u_xx = q", "u_xx = 2*q", 1)}); p.Fault != nil || p.Answer != nil {
		t.Fatalf("%+v", p)
	}
	if s := ask[Slice](c, Request{Do: "slice", Slice: line}); s.Mean != first.Mean {
		t.Error("the slice has changed")
	}
	if f := refused(c, Request{Do: "preview", Slice: line}); !strings.Contains(f.Message, "solve") {
		t.Errorf("%v", f)
	}
	ask[Answer](c, Request{Do: "solve"})
	ask[Preview](c, Request{Do: "preview", Slice: line})
	ask[Problem](c, Request{Do: "open", Files: example(t, "beam"), Main: problemFile})
	refused(c, Request{Do: "slice", Slice: line})
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	c := openRod(t, &Engine{})
	for _, s := range []*SliceOf{
		nil, {}, {Axes: []int{0}}, {Axes: []int{1}, Size: []int{9}}, {Axes: []int{-1}, Size: []int{9}}, {Axes: []int{0, 0}, Size: []int{9, 9}},
		{Axes: []int{0}, Size: []int{1}}, {Axes: []int{0}, Size: []int{-5}}, {Axes: []int{0}, Size: []int{math.MaxInt}}, {Field: 1, Axes: []int{0}, Size: []int{9}},
		{Field: -1, Axes: []int{0}, Size: []int{9}}, {Axes: []int{0}, Size: []int{9}, At: []float64{1, 2}}, {Axes: []int{0}, Size: []int{9}, At: []float64{-7}},
	} {
		refused(c, Request{Do: "slice", Slice: s})
		refused(c, Request{Do: "place", Slice: s})
		if s != nil {
			refused(c, Request{Do: "preview", Slice: s})
		}
	}
	for _, r := range []Request{
		{}, {Do: "dance"}, {Do: "example", Name: "x"}, {Do: "open"}, {Do: "open", Files: rod("", rodTable), Main: "other.toml"},
		{Do: "open", Files: map[string]string{"../x": ""}, Main: "../x"}, {Do: "open", Files: map[string]string{"a": "", "a/b": ""}, Main: "a"},
		{Do: "open", Files: map[string]string{"": ""}}, {Do: "open", Files: map[string]string{"/etc/passwd": ""}, Main: "/etc/passwd"},
		{Do: "place", Slice: line, Kind: 3}, {Do: "place", Slice: line, Kind: -1}, {Do: "place", Slice: line, Count: 1000}, {Do: "place", Slice: line, Count: -1},
		{Do: "export"}, {Do: "export", What: "moon"}, {Do: "export", What: "all"},
	} {
		refused(c, r)
	}
	for _, text := range []string{"", "{", "[]", `{"do": 5}`, `{"do": "slice", "slice": {"at": [1e999]}}`, "\x00"} {
		if r := c.Call(context.Background(), []byte(text), nil); r.Error == nil {
			t.Errorf("%q: %+v", text, r)
		}
	}
	if examples := ask[[]Example](c, Request{Do: "examples"}); len(examples) != 0 {
		t.Errorf("%v", examples)
	}
	ask[struct{}](c, Request{Do: "cancel"})
}

func TestLimits(t *testing.T) {
	c := newClient(t, &Engine{Limits: Limits{Files: 2, Bytes: 2000, Points: 100, Cells: 50}})
	files := rod("sigma = 0.02", rodTable)
	if p := ask[Problem](c, Request{Do: "open", Files: files, Main: problemFile}); p.Fault != nil {
		t.Fatal(p.Fault)
	}
	ask[Answer](c, Request{Do: "solve"})
	refused(c, Request{Do: "slice", Slice: &SliceOf{Axes: []int{0}, Size: []int{51}}})
	many := maps.Clone(files)
	many["a"], many["b"] = "", ""
	refused(c, Request{Do: "open", Files: many, Main: problemFile})
	refused(c, Request{Do: "check", Text: strings.Repeat("#\n", 1000)})
	p := ask[Problem](c, Request{Do: "check", Text: strings.Replace(files[problemFile], "points = 30", "points = 300", 1)})
	if p.Fault == nil || !strings.Contains(p.Fault.Message, "100") {
		t.Errorf("too many points: %v", p.Fault)
	}
	if r := c.Call(context.Background(), make([]byte, c.limits.most()+1), nil); r.Error == nil {
		t.Error("a request of any size")
	}
	small := newClient(t, &Engine{Limits: Limits{Memory: 1 << 20}})
	ask[Problem](small, Request{Do: "open", Files: files, Main: problemFile})
	if f := refused(small, Request{Do: "solve"}); !strings.Contains(f.Message, "MiB") {
		t.Errorf("%v", f)
	}
	short := newClient(t, &Engine{Limits: Limits{Time: time.Nanosecond}})
	ask[Problem](short, Request{Do: "open", Files: files, Main: problemFile})
	if f := refused(short, Request{Do: "solve"}); f.Canceled || !strings.Contains(f.Message, "long") {
		t.Errorf("%v", f)
	}
}

// A slice that is too large to be kept is computed in parts, and says the same.
func TestLargeSlicesInParts(t *testing.T) {
	whole := &SliceOf{Axes: []int{0, 1}, Size: []int{31, 31}}
	edits := []Edit{{Reading: 1, Value: value(1)}}
	var drawn [2][2]Preview
	for i, most := range []int64{0, 1 << 20} {
		c := newClient(t, &Engine{Limits: Limits{Preview: most}})
		ask[Problem](c, Request{Do: "open", Files: example(t, "poisson"), Main: problemFile})
		ask[Answer](c, Request{Do: "solve"})
		for k, e := range [][]Edit{nil, edits} {
			drawn[i][k] = ask[Preview](c, Request{Do: "preview", Edits: e, Slice: whole})
		}
		if _, v, _ := c.snapshot(); len(v.views) != 1 || (v.views[0].key == "") != (i == 1) { // that of the parameters alone
			t.Errorf("limit %d: %d views are kept, the first of %q", most, len(v.views), v.views[0].key)
		}
	}
	for k := range drawn[0] {
		a, b := drawn[0][k], drawn[1][k]
		for _, pair := range [][2]string{{a.Mean, b.Mean}, {a.SD, b.SD}} {
			if d := furthest(decode(t, pair[0]), decode(t, pair[1])); !(d < 1e-5) {
				t.Errorf("%g apart", d)
			}
		}
	}
}

// A readings log that has been reordered is the same readings.
func TestReorderedReadingsAreNoChange(t *testing.T) {
	c := openRod(t, &Engine{})
	first := ask[Slice](c, Request{Do: "slice", Slice: line})
	p := ask[Problem](c, Request{Do: "open", Files: rod("sigma = 0.02", "x,value\n2,-0.01\n0,0.01\n0.5,-0.36\n1.5,-0.37\n1,-0.51\n"), Main: problemFile})
	if p.Answer != nil {
		t.Error("the verdict names readings by their places; it is that of other places")
	}
	if s := ask[Slice](c, Request{Do: "slice", Slice: line}); s.Mean != first.Mean {
		t.Error("the slice has changed")
	}
}

// A solve and a verdict end within 200 ms when they are asked to, when the caller goes and when the page is closed.
func TestCancel(t *testing.T) {
	files := example(t, "poisson")
	files[problemFile] = strings.Replace(files[problemFile], "neurons = 200", "neurons = 600\n", 1) + "\n[fit]\nensemble = 60\n"
	for name, end := range map[string]func(c *client, cancel func()){
		"request": func(c *client, _ func()) { ask[struct{}](c, Request{Do: "cancel"}) },
		"caller":  func(_ *client, cancel func()) { cancel() },
		"close":   func(c *client, _ func()) { c.Close() },
		"another open": func(c *client, _ func()) {
			ask[Problem](c, Request{Do: "open", Files: example(t, "beam"), Main: problemFile})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, &Engine{})
			if p := ask[Problem](c, Request{Do: "open", Files: files, Main: problemFile}); p.Fault != nil {
				t.Fatal(p.Fault)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			began, ended := make(chan bool, 1), make(chan Reply, 1)
			go func() {
				ended <- c.Call(ctx, []byte(`{"do": "solve"}`), func(Event) {
					select {
					case began <- true:
					default:
					}
				})
			}()
			select {
			case <-began:
			case r := <-ended:
				t.Fatalf("ended without progress: %+v", r.Error)
			}
			at := time.Now()
			end(c, cancel)
			r := <-ended
			if took := time.Since(at); r.Error == nil || !r.Error.Canceled || took > 200*time.Millisecond {
				t.Errorf("after %s: %+v", took, r.Error)
			}
		})
	}
}

func TestVerdictIsCanceled(t *testing.T) {
	c := newClient(t, &Engine{})
	ask[Problem](c, Request{Do: "open", Files: example(t, "poisson"), Main: problemFile})
	ask[Answer](c, Request{Do: "solve"})
	ended := make(chan Reply, 1)
	at := make(chan time.Time, 1)
	go func() {
		ended <- c.Call(t.Context(), []byte(`{"do": "judge"}`), func(Event) {
			at <- time.Now()
			c.cancel()
		})
	}()
	r := <-ended
	if took := time.Since(<-at); r.Error == nil || !r.Error.Canceled || took > 200*time.Millisecond {
		t.Errorf("after %s: %+v", took, r)
	}
	if j := ask[Judgement](c, Request{Do: "judge"}); len(j.Readings) != 19 {
		t.Errorf("afterwards: %+v", j)
	}
}

func TestClosedSessions(t *testing.T) {
	c := openRod(t, &Engine{})
	c.Close()
	if f := refused(c, Request{Do: "slice", Slice: line}); !f.Canceled {
		t.Errorf("%v", f)
	}
}

// Slices and previews are answered while a solve runs, and nothing is shared that must not be.
func TestManyRequestsAtOnce(t *testing.T) {
	c := openRod(t, &Engine{})
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			own := &client{TB: t, Session: c.Session}
			for k := range 8 {
				switch (i + k) % 6 {
				case 0:
					try[Answer](own, Request{Do: "solve", What: "again"})
				case 1:
					try[Preview](own, Request{Do: "preview", Slice: line, Edits: []Edit{{Reading: k % 5, Value: value(float64(i))}}})
				case 2:
					try[Slice](own, Request{Do: "slice", Slice: &SliceOf{Axes: []int{0}, Size: []int{10 + k}}})
				case 3:
					try[Problem](own, Request{Do: "edit", Edits: []Edit{{Reading: k % 5, Value: value(float64(k))}}})
				case 4:
					try[Judgement](own, Request{Do: "judge"})
				case 5:
					try[Placements](own, Request{Do: "place", Slice: line})
				}
			}
		})
	}
	all.Wait()
	ask[Answer](c, Request{Do: "solve"})
}

// A page that has been shipped solved shows everything at once, without solving.
func TestShip(t *testing.T) {
	files := rod("sigma = 0.02", rodTable)
	maker := openRod(t, &Engine{})
	drawn := ask[Slice](maker, Request{Do: "slice", Slice: line})
	judged := ask[Judgement](maker, Request{Do: "judge"})
	a := ask[Answer](maker, Request{Do: "solve"})
	shipped, err := maker.Ship()
	if err != nil {
		t.Fatal(err)
	}
	twin := openRod(t, &Engine{}) // which takes another time
	ask[Slice](twin, Request{Do: "slice", Slice: line})
	ask[Judgement](twin, Request{Do: "judge"})
	if again, err := twin.Ship(); err != nil || !bytes.Equal(again, shipped) {
		t.Errorf("the same problem is shipped with other bytes, or not: %v", err)
	}
	engine := &Engine{Example: func(name string) (map[string]string, string, []byte, error) {
		if name != "rod" {
			return nil, "", nil, errors.New("no such example")
		}
		return files, problemFile, shipped, nil
	}}
	c := newClient(t, engine)
	p := ask[Problem](c, Request{Do: "example", Name: "rod"})
	if p.Answer == nil || p.Answer.Digest != a.Digest || p.Judgement == nil || len(p.Judgement.Readings) != len(judged.Readings) {
		t.Fatalf("%+v", p.Answer)
	}
	if s := ask[Slice](c, Request{Do: "slice", Slice: line}); s != drawn {
		t.Error("another slice")
	}
	edits := []Edit{{Reading: 1, Value: value(0)}}
	want, got := ask[Preview](maker, Request{Do: "preview", Edits: edits, Slice: line}), ask[Preview](c, Request{Do: "preview", Edits: edits, Slice: line})
	if want.Mean != got.Mean || want.SD != got.SD {
		t.Error("another preview")
	}
	if b := ask[Answer](c, Request{Do: "solve", What: "again"}); b.Digest != a.Digest {
		t.Error("solved here, the digest is another")
	}
	refused(c, Request{Do: "example", Name: "moon"})
	for name, damaged := range map[string][]byte{
		"nothing": {}, "text": []byte("hello"), "half": shipped[:len(shipped)/2], "header": shipped[:30],
		"another": []byte(strings.Replace(string(shipped), `"Same":"`, `"Same":"AA`, 1)), "flipped": append(slices.Clone(shipped[:len(shipped)-9]), []byte("123456789")...),
	} {
		shipped := damaged
		c := newClient(t, &Engine{Example: func(string) (map[string]string, string, []byte, error) { return files, problemFile, shipped, nil }})
		if p := ask[Problem](c, Request{Do: "example", Name: "rod"}); p.Fault != nil || p.Answer != nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
	ask[Problem](maker, Request{Do: "edit", Edits: edits})
	if _, err := maker.Ship(); err == nil {
		t.Error("what has changed is shipped")
	}
}

func TestExportOfEverything(t *testing.T) {
	called := 0
	c := openRod(t, &Engine{Export: func(ctx context.Context, files map[string]string, main string) ([]byte, error) {
		called++
		if main != problemFile || len(files) != 2 || ctx.Err() != nil {
			return nil, fmt.Errorf("%s of %d files", main, len(files))
		}
		return []byte("zip"), nil
	}})
	if f := ask[File](c, Request{Do: "export", What: "all"}); f.Data != "emlw" || called != 1 {
		t.Errorf("%+v", f)
	}
}

// A fault of the program is a reply, too.
func TestPanicsAreFaults(t *testing.T) {
	c := openRod(t, &Engine{Examples: func() ([]Example, error) { panic("no list") }})
	if f := refused(c, Request{Do: "examples"}); !strings.Contains(f.Message, "no list") {
		t.Errorf("%v", f)
	}
}

// A long session does not grow: views, readings and slices that are kept are bounded.
func TestLongSessionsDoNotGrow(t *testing.T) {
	c := openRod(t, &Engine{Limits: Limits{Preview: 4 << 20}})
	size := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	work := func(n int) {
		for k := range n {
			x := float64(k%977) / 977 * 2
			ask[Preview](c, Request{Do: "preview", Slice: &SliceOf{Axes: []int{0}, Size: []int{20 + k%50}}, Edits: []Edit{{Reading: k % 5, X: []float64{x}}, {Reading: -1, X: []float64{x / 2}, Value: value(0)}}})
			ask[Slice](c, Request{Do: "slice", Slice: &SliceOf{Axes: []int{0}, Size: []int{20 + k%70}}})
		}
	}
	work(100)
	before := size()
	work(300)
	if after := size(); after > before+(8<<20) {
		t.Errorf("%d bytes became %d", before, after)
	}
}

func TestRepliesAreJSON(t *testing.T) {
	c := openRod(t, &Engine{})
	for _, text := range []string{`{"do": "slice", "slice": {"axes": [0], "size": [9]}}`, `{"id": 3, "do": "slice"}`} {
		r := c.Call(context.Background(), []byte(text), nil)
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
}

// The digest is that of the same bits on every machine, see .ci/run. A change of it is a change of what the program says.
func TestDigestIsOfTheSameBits(t *testing.T) {
	c := openRod(t, &Engine{})
	const want = "7b5727cb3b674a110e01eb0bbd9cdb08"
	if a := ask[Answer](c, Request{Do: "solve"}); a.Digest != want {
		t.Errorf("digest %s, want %s", a.Digest, want)
	}
}
