package posterior

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

var updateGolden = flag.Bool("update", false, "write the golden files of this package anew")

func storedPrior(t testing.TB) (*Prior, []byte) {
	t.Helper()
	prior, err := FitPrior(rod(true), Config{Neurons: 6, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	prior.sensors = append(prior.sensors, Sensor{Name: "offset", Sigma: 0.3, Measures: system.Functional{
		Terms:      []system.Term{{Derivative: []int{1}, Coefficient: system.Constant(-2)}},
		Parameters: []system.ParameterTerm{{Coefficient: system.Constant(0.5)}, {}},
		Known:      system.Constant(0.25),
	}})
	var b bytes.Buffer
	if err := prior.Save(&b); err != nil {
		t.Fatal(err)
	}
	return prior, b.Bytes()
}

// transcript streams readings of every kind of sensor and writes all that comes
// out as the bits of numbers.
func transcript(t testing.TB, prior *Prior) string {
	t.Helper()
	points := column(0.1, 0.9, 1.7)
	s := newStream(t, prior, StreamConfig{Window: 5, Queries: []Query{{system.Field(0), points}, {system.Derivative(0, 2), points}}}, prior.Sensors()...)
	var out strings.Builder
	mean, sd := make([]float64, 6), make([]float64, 6)
	for i := range 12 {
		in := add(t, s, Reading{Sensor: i % 3, At: []float64{float64(i) / 6}, Value: float64(i%5) / 4})
		s.EstimateTo(mean, sd)
		fmt.Fprintf(&out, "%d %016x %016x", i, math.Float64bits(in.Standardised), math.Float64bits(in.SD))
		for k := range mean {
			fmt.Fprintf(&out, " %016x %016x", math.Float64bits(mean[k]), math.Float64bits(sd[k]))
		}
		s.ParametersTo(mean[:1], sd[:1])
		fmt.Fprintf(&out, " %016x %016x\n", math.Float64bits(mean[0]), math.Float64bits(sd[0]))
	}
	return out.String()
}

func TestPriorComesBackAsItWas(t *testing.T) {
	prior, file := storedPrior(t)
	again, err := LoadPrior(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := transcript(t, prior), transcript(t, again); a != b {
		t.Errorf("streams differ:\n%s\n%s", a, b)
	}
	q, p, err := LoadAny(bytes.NewReader(file))
	if err != nil || p == nil || q != p.Posterior() {
		t.Errorf("LoadAny of a prior: %v", err)
	}
	model, posterior := stored(t, BPIELM)
	if q, p, err = LoadAny(bytes.NewReader(posterior)); err != nil || p != nil || q.Summary().Evidence != model.Summary().Evidence {
		t.Errorf("LoadAny of a posterior: %v", err)
	}
	var b bytes.Buffer
	if err := again.Save(&b); err != nil || !bytes.Equal(b.Bytes(), file) {
		t.Errorf("saved again the file differs (%v)", err)
	}
}

// TestFileOfAnotherMachineGivesTheSameBits loads a file that was written on
// linux/amd64, wherever the test runs.
func TestFileOfAnotherMachineGivesTheSameBits(t *testing.T) {
	const model, golden = "testdata/physics.bpielm", "testdata/physics.golden"
	if *updateGolden {
		prior, file := storedPrior(t)
		text := fmt.Sprintf("# written on %s/%s\n%s", runtime.GOOS, runtime.GOARCH, transcript(t, prior))
		if err := errors.Join(os.WriteFile(model, file, 0o666), os.WriteFile(golden, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	file, err1 := os.ReadFile(model)
	want, err2 := os.ReadFile(golden)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	prior, err := LoadPrior(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(want), "\n")
	if got := transcript(t, prior); got != text {
		t.Errorf("found\n%swant\n%s", got, want)
	}
	var b bytes.Buffer
	if err := prior.Save(&b); err != nil || !bytes.Equal(b.Bytes(), file) {
		t.Errorf("saved again the file differs (%v)", err)
	}
}

func TestTruncatedOrDamagedPriorIsRefused(t *testing.T) {
	_, file := storedPrior(t)
	for n := range file {
		var e *FileError
		if _, err := LoadPrior(bytes.NewReader(file[:n])); !errors.As(err, &e) {
			t.Fatalf("the first %d of %d bytes: error %v", n, len(file), err)
		}
		bad := bytes.Clone(file)
		bad[n] ^= 1 << (n % 8)
		if _, err := LoadPrior(bytes.NewReader(bad)); !errors.As(err, &e) {
			t.Fatalf("byte %d changed: error %v", n, err)
		}
	}
}

// sealed is a prior's file with a valid checksum and another header.
func sealed(file []byte, old, new string) []byte {
	length := binary.LittleEndian.Uint32(file[12:])
	header := bytes.Replace(bytes.Clone(file[16:16+length]), []byte(old), []byte(new), 1)
	b := binary.LittleEndian.AppendUint32(bytes.Clone(file[:12]), uint32(len(header)))
	b = append(append(b, header...), file[16+length:len(file)-4]...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func TestHostilePriorIsRefused(t *testing.T) {
	_, file := storedPrior(t)
	if _, err := LoadPrior(bytes.NewReader(sealed(file, "", ""))); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		// With the one that is constant there are seven.
		{`"Neurons":7`, `"Neurons":1000000000`}, {`"Neurons":7`, `"Neurons":-7`}, {`"Neurons":7`, `"Neurons":16000`}, {`"Factor":true`, `"Factor":false`},
		{`"Domain":512`, `"Domain":-1`}, {`"Domain":512`, `"Domain":0`}, {`"Domain":512`, `"Domain":60000`}, {`"Domain":512`, `"Domain":99999999999`},
		{`"Field":0`, `"Field":7`}, {`"Field":0`, `"Field":-1`}, {`"Derivative":[1]`, `"Derivative":[1000000000]`}, {`"Derivative":[1]`, `"Derivative":[-1]`}, {`"Derivative":[1]`, `"Derivative":[0,0,0,1]`},
		{`"Parameter":0`, `"Parameter":1`}, {`"Sigma":0.3`, `"Sigma":0`}, {`"Sigma":0.3`, `"Sigma":-1`}, {`"Physics":{`, `"Physic":{`}, {`"Max":2`, `"Max":0`}, {`"Fields":["u"]`, `"Fields":[]`},
	} {
		var e *FileError
		bad := sealed(file, change[0], change[1])
		if _, err := LoadPrior(bytes.NewReader(bad)); !errors.As(err, &e) {
			t.Errorf("%s: error %v", change[1], err)
		}
		if bytes.Equal(bad, file) {
			t.Errorf("%s is not in the header", change[0])
		}
	}
	_, posterior := stored(t, BPIELM)
	for what, load := range map[string]func() error{
		"a posterior as a prior": func() error { _, err := LoadPrior(bytes.NewReader(posterior)); return err },
		"a prior as a posterior": func() error { _, err := Load(bytes.NewReader(file)); return err },
	} {
		var e *FileError
		if err := load(); !errors.As(err, &e) || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// TestStoredAverageIsOneTerm: a file has a term for each place of an average, as it always had; read, they share a
// footprint and read the same.
func TestStoredAverageIsOneTerm(t *testing.T) {
	prior, _ := storedPrior(t)
	over := &system.Footprint{Offsets: mat.NewDense(3, 1, []float64{-0.1, 0, 0.1}), Weights: []float64{0.25, 0.5, 0.25}}
	prior.sensors[0].Measures = system.Functional{Terms: []system.Term{
		{}, {Derivative: []int{1}, Coefficient: system.Constant(3), Footprint: over}, {Footprint: system.Shifted(0.5)}, {Footprint: system.Shifted(0)},
	}}
	stored, err := storeSensor(&prior.sensors[0])
	if err != nil || len(stored.Terms) != 6 || stored.Terms[2].Coefficient != 1.5 || stored.Terms[3].Shift[0] != 0.1 {
		t.Fatalf("%+v, error %v", stored.Terms, err)
	}
	read := stored.sensor().Measures
	if len(read.Terms) != 3 || read.Terms[1].Footprint.Len() != 3 || read.Terms[2].Footprint.Len() != 2 {
		t.Fatalf("%+v", read.Terms)
	}
	b, points := prior.q.components[0].basis, column(0.5, 0.9)
	want, got := mat.NewDense(2, b.Columns(), nil), mat.NewDense(2, b.Columns(), nil)
	b.RowsTo(want, nil, &prior.sensors[0].Measures, points)
	b.RowsTo(got, nil, &read, points)
	if !slices.Equal(got.Data(), want.Data()) {
		t.Errorf("%v, want %v", got.Data(), want.Data())
	}
}

func TestPriorThatCannotBeStoredSaysSo(t *testing.T) {
	prior, _ := storedPrior(t)
	varying := system.Func(func(x []float64) float64 { return x[0] })
	for _, f := range []system.Functional{
		{Terms: []system.Term{{Coefficient: varying}}}, {Terms: []system.Term{{}}, Known: varying}, {Parameters: []system.ParameterTerm{{Coefficient: varying}}},
	} {
		var e *FileError
		prior.sensors[0].Measures = f
		if err := prior.Save(&bytes.Buffer{}); !errors.As(err, &e) {
			t.Errorf("error %v", err)
		}
	}
}

func FuzzLoadPrior(f *testing.F) {
	_, file := storedPrior(f)
	f.Add(file)
	f.Add(sealed(file, `"Derivative":[1]`, `"Derivative":[8]`))
	f.Fuzz(func(t *testing.T, file []byte) {
		// Most changes are in what the checksum covers: seal them.
		if len(file) > 24 {
			if length := binary.LittleEndian.Uint32(file[12:]); int64(length) < int64(len(file)-20) {
				file = sealed(file, "", "")
			}
		}
		prior, err := LoadPrior(bytes.NewReader(file))
		if err != nil {
			var e *FileError
			if !errors.As(err, &e) {
				t.Fatalf("error %v is no *FileError", err)
			}
			return
		}
		// What loads can be used, unless its numbers are too large for that.
		s, err := prior.Stream(StreamConfig{Window: 2})
		var data *DataError
		if errors.As(err, &data) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		at := make([]float64, len(prior.Variables()))
		for i, v := range prior.Variables() {
			at[i] = v.Min
		}
		for _, sensor := range prior.Sensors() {
			if k, err := s.AddSensor(sensor); err == nil {
				for range 3 {
					s.Add(Reading{Sensor: k, At: at, Value: 1}) // numbers may be too large for it
				}
			}
		}
	})
}
