package page

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// butterfly300 is the example with layers of 300 neurons, solved.
func butterfly300(b *testing.B) *client {
	c := newClient(b, &Engine{})
	files := example(b, "poisson")
	files[problemFile] = strings.Replace(files[problemFile], "neurons = 200", "neurons = 300", 1)
	if p := ask[Problem](c, Request{Do: "open", Files: files, Main: problemFile}); p.Fault != nil {
		b.Fatal(p.Fault)
	}
	ask[Answer](c, Request{Do: "solve"})
	return c
}

// BenchmarkDrag is one frame of the page while the sensor at the right wing is dragged, from the request to the reply,
// both in JSON: a map of 41 x 41 points, layers of 300 neurons.
func BenchmarkDrag(b *testing.B) {
	c := butterfly300(b)
	k := 0
	frame := func() {
		k++
		request, err := json.Marshal(Request{Do: "preview", Slice: whole, Edits: []Edit{{Reading: 2, X: []float64{0.8 + float64(k%100)/1000, 0.5}}}})
		if err != nil {
			b.Fatal(err)
		}
		reply := c.Call(context.Background(), request, nil)
		if reply.Error != nil {
			b.Fatal(reply.Error)
		}
		if _, err := json.Marshal(reply); err != nil {
			b.Fatal(err)
		}
	}
	frame()
	for b.Loop() {
		frame()
	}
}

// BenchmarkFirstPicture opens an example that comes solved, and draws its map: as it has been shipped, and on another grid.
func BenchmarkFirstPicture(b *testing.B) {
	files := example(b, "poisson")
	maker := newClient(b, &Engine{})
	ask[Problem](maker, Request{Do: "open", Files: files, Main: problemFile})
	ask[Answer](maker, Request{Do: "solve"})
	ask[Slice](maker, Request{Do: "slice", Slice: whole})
	shipped, err := maker.Ship()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(shipped)), "bytes")
	engine := &Engine{Example: func(string) (map[string]string, string, []byte, error) { return files, problemFile, shipped, nil }}
	for name, of := range map[string]*SliceOf{"shipped": whole, "another": {Axes: []int{0, 1}, Size: []int{43, 41}, At: []float64{0, 0}}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := newClient(b, engine)
				ask[Problem](c, Request{Do: "example", Name: "poisson"})
				ask[Slice](c, Request{Do: "slice", Slice: of})
				c.Close()
			}
			b.ReportMetric(float64(len(shipped)), "bytes")
		})
	}
}
