package page

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
)

// fuzzed is a session with a solved problem in it, for requests that solve nothing.
var fuzzed = sync.OnceValue(func() *opened {
	l := Limits{}.complete()
	return l.read(rod("sigma = 0.02", rodTable), problemFile, nil)
})

var fuzzedSolve = sync.OnceValues(func() (*solved, error) {
	l := Limits{}.complete()
	return l.solve(context.Background(), fuzzed(), func(Event) {})
})

// FuzzRequest sends any bytes as a request: the reply is an answer or a fault, and can be sent.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{
		`{"do": "slice", "slice": {"axes": [0], "size": [9], "at": [1]}}`,
		`{"do": "preview", "slice": {"axes": [0], "size": [9]}, "edits": [{"group": 0, "reading": 1, "x": [0.5], "value": 1, "sigma": 0.1}, {"group": 0, "reading": -1, "x": [1], "value": 0}, {"reading": 2, "off": true}]}`,
		`{"do": "edit", "edits": [{"group": 0, "reading": 1, "value": 1e-300}]}`,
		`{"do": "place", "slice": {"axes": [0], "size": [9]}, "count": 3}`,
		`{"do": "open", "main": "p.toml", "files": {"p.toml": "[variables]\nx = [0, 1]\n"}}`,
		`{"do": "check", "text": "x = 1"}`, `{"do": "export", "what": "problem"}`, `{"do": "outline", "slice": {"axes": [0], "size": [9]}}`, `{"do": "cancel"}`, `{"do": "examples"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		var r Request
		if json.Unmarshal(request, &r) == nil && (r.Do == "solve" || r.Do == "judge") {
			t.Skip("takes too long")
		}
		v, err := fuzzedSolve()
		if err != nil {
			t.Fatal(err)
		}
		s := (&Engine{Limits: Limits{Cells: 1 << 12, Points: 10_000, Bytes: 1 << 20, Preview: 1 << 24}}).Open()
		defer s.Close()
		s.open, s.solved = fuzzed(), v
		reply := s.Call(context.Background(), request, nil)
		if (reply.OK == nil) == (reply.Error == nil) {
			t.Errorf("%+v", reply)
		}
		if _, err := json.Marshal(reply); err != nil {
			t.Error(err)
		}
	})
}

// FuzzFiles opens any text and table, and changes their readings.
func FuzzFiles(f *testing.F) {
	for _, files := range []map[string]string{
		rod("sigma = 0.02", rodTable), rod("", rodTable), rod("sigma = 0.02\nnoise = \"student\"", "x;value;sigma\n0;0,1;0,3\n"),
		rod("sigma = 0.02", "{\"x\": 1, \"value\": 2}\n"),
	} {
		f.Add(files[problemFile], files["u.csv"])
	}
	f.Fuzz(func(t *testing.T, text, table string) {
		s := (&Engine{Limits: Limits{Cells: 1 << 12, Points: 10_000, Bytes: 1 << 20}}).Open()
		defer s.Close()
		for _, r := range []Request{
			{Do: "open", Files: map[string]string{problemFile: text, "u.csv": table}, Main: problemFile},
			{Do: "edit", Edits: []Edit{{Reading: 0, Value: value(1)}}},
			{Do: "edit", Edits: []Edit{{Reading: -1, X: []float64{0.5}, Value: value(1)}}},
			{Do: "check", Text: text + "\n"},
			{Do: "export", What: "problem"},
		} {
			request, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := json.Marshal(s.Call(context.Background(), request, nil))
			if err != nil {
				t.Errorf("%s: %v", r.Do, err)
			}
			var p struct{ Error *Fault }
			if err := json.Unmarshal(reply, &p); err != nil {
				t.Error(err)
			} else if p.Error != nil && len(p.Error.Message) > 10*longest {
				t.Errorf("%s: a message of %d bytes", r.Do, len(p.Error.Message))
			}
		}
	})
}

// FuzzShipped opens an example with any bytes as what it was shipped with.
func FuzzShipped(f *testing.F) {
	v, err := fuzzedSolve()
	if err != nil {
		f.Fatal(err)
	}
	s := (&Engine{}).Open()
	s.open, s.solved = fuzzed(), v
	shipped, err := s.Ship()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(shipped)
	f.Add([]byte(shipMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := Limits{}.complete()
		v := unship(data, fuzzed(), &l)
		if v == nil {
			return
		}
		s := (&Engine{}).Open()
		defer s.Close()
		s.open, s.solved = fuzzed(), v
		for _, text := range []string{
			`{"do": "edit"}`, `{"do": "slice", "slice": {"axes": [0], "size": [9]}}`, `{"do": "judge"}`,
			`{"do": "preview", "slice": {"axes": [0], "size": [9]}, "edits": [{"reading": 1, "off": true}]}`, `{"do": "export", "what": "csv"}`,
		} {
			r := s.Call(context.Background(), []byte(text), nil)
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		}
	})
}
