package page

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"path"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
)

// example returns the files of one of the problems that come with the program.
func example(t testing.TB, name string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(problems.Files, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if e := path.Ext(p); e != ".toml" && e != ".csv" {
			return nil
		}
		text, err := fs.ReadFile(problems.Files, p)
		files[p[len(name)+1:]] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const problemFile = "problem.toml"

// client is a page.
type client struct {
	testing.TB
	*Session
	events []Event
}

func newClient(t testing.TB, e *Engine) *client {
	s := e.Open()
	t.Cleanup(s.Close)
	return &client{TB: t, Session: s}
}

// try sends a request through JSON and reads the reply from JSON, as a page does.
func try[T any](c *client, r Request) (T, *Fault) {
	c.Helper()
	var out struct {
		ID    int    `json:"id"`
		OK    *T     `json:"ok"`
		Error *Fault `json:"error"`
	}
	r.ID = 7
	request, err := json.Marshal(r)
	if err != nil {
		c.Fatal(err)
	}
	reply, err := json.Marshal(c.Call(context.Background(), request, func(e Event) { c.events = append(c.events, e) }))
	if err != nil {
		c.Fatal(err)
	}
	if err := json.Unmarshal(reply, &out); err != nil {
		c.Fatal(err)
	}
	if out.ID != 7 || (out.OK == nil) == (out.Error == nil) {
		c.Fatalf("%s: the reply is %.300s", r.Do, reply)
	}
	if out.OK == nil {
		return *new(T), out.Error
	}
	return *out.OK, nil
}

// ask fails the test where a request fails.
func ask[T any](c *client, r Request) T {
	c.Helper()
	out, fault := try[T](c, r)
	if fault != nil {
		c.Fatalf("%s: %v", r.Do, fault)
	}
	return out
}

// refused fails the test where a request does not fail.
func refused(c *client, r Request) *Fault {
	c.Helper()
	out, fault := try[any](c, r)
	if fault == nil {
		c.Fatalf("%s: %v; want a fault", r.Do, fmt.Sprint(out)[:min(300, len(fmt.Sprint(out)))])
	}
	return fault
}

// decode reads a Grid.
func decode(t testing.TB, grid string) []float64 {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(grid)
	if err != nil || len(data)%4 != 0 {
		t.Fatalf("a grid of %d bytes: %v", len(data), err)
	}
	values := make([]float64, len(data)/4)
	for i := range values {
		values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return values
}

var whole = &SliceOf{Axes: []int{0, 1}, Size: []int{41, 41}, At: []float64{0, 0}}

func value(x float64) *float64 { return &x }

func TestButterfly(t *testing.T) {
	c := newClient(t, &Engine{})
	p := ask[Problem](c, Request{Do: "open", Files: example(t, "poisson"), Main: problemFile})
	if p.Fault != nil || len(p.Sensors) != 1 || len(p.Sensors[0].Readings) != 19 || p.Sensors[0].Field != 0 || p.Sensors[0].Sigma != 0.05 || len(p.Variables) != 2 || p.Answer != nil {
		t.Fatalf("%+v", p)
	}
	refused(c, Request{Do: "slice", Slice: whole})
	a := ask[Answer](c, Request{Do: "solve"})
	if a.Neurons != 200 || len(a.Digest) != 32 || len(a.Noise) != 1 || a.Noise[0].Sigma != 0.05 {
		t.Errorf("%+v", a)
	}
	s := ask[Slice](c, Request{Do: "slice", Slice: whole})
	mean, sd := decode(t, s.Mean), decode(t, s.SD)
	inside := 0
	for i := range mean {
		if math.IsNaN(mean[i]) != math.IsNaN(sd[i]) {
			t.Fatalf("cell %d: mean %g and sd %g", i, mean[i], sd[i])
		}
		if !math.IsNaN(mean[i]) {
			inside++
		}
	}
	if inside < 500 || inside > 1000 {
		t.Errorf("%d of %d cells are inside", inside, len(mean))
	}
	r := p.Sensors[0].Readings[1]
	edits := []Edit{{Reading: 1, X: []float64{0.85, 0.2}, Value: value(r.Value + 0.1)}}
	v := ask[Preview](c, Request{Do: "preview", Edits: edits, Slice: whole})
	if v.Mean == s.Mean || len(v.Predicted) != 1 || !(v.Predicted[0].Sigma > 0) {
		t.Errorf("%+v", v.Predicted)
	}
	p = ask[Problem](c, Request{Do: "edit", Edits: edits})
	if got := p.Sensors[0].Readings[1]; got.X[0] != 0.85 || got.Value != r.Value+0.1 || p.Answer != nil {
		t.Errorf("%+v", got)
	}
	if again := ask[Slice](c, Request{Do: "slice", Slice: whole}); again.Mean != v.Mean {
		t.Error("after the edit, the slice is not that of the preview")
	}
	j := ask[Judgement](c, Request{Do: "judge"})
	if !j.Sound || len(j.Readings) != 19 {
		t.Errorf("%+v", j)
	}
	places := ask[Placements](c, Request{Do: "place", Slice: whole, Count: 2})
	if len(places.Places) != 2 || !(places.Places[0].After < places.Places[0].Before) || !(places.Places[1].After < places.Places[0].After) {
		t.Errorf("%+v", places.Places)
	}
	refused(c, Request{Do: "export", What: "csv"})
	b := ask[Answer](c, Request{Do: "solve"})
	if b.Digest == a.Digest {
		t.Error("another reading, the same digest")
	}
	for _, what := range []string{"csv", "model", "problem"} {
		if f := ask[File](c, Request{Do: "export", What: what}); len(f.Data) < 1000 {
			t.Errorf("%s has %d characters", f.Name, len(f.Data))
		}
	}
}
