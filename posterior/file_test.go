package posterior

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

func stored(t testing.TB, method Method) (*Posterior, []byte) {
	t.Helper()
	p := rod(true)
	q, err := Fit(p, Config{Method: method, Neurons: 6, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := q.Save(&b); err != nil {
		t.Fatal(err)
	}
	return q, b.Bytes()
}

func TestModelComesBackAsItWas(t *testing.T) {
	for _, method := range []Method{BPIELM, Published, PseudoInverse} {
		q, file := stored(t, method)
		r, err := Load(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		points := column(0.3, 1.1, 1.7)
		for _, f := range []system.Functional{system.Field(0), system.Derivative(0, 3), system.ParameterValue(0)} {
			m1, s1, err1 := q.Predict(f, points)
			m2, s2, err2 := r.Predict(f, points)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for i := range m1 {
				if m1[i] != m2[i] || (s1 != nil && s1[i] != s2[i]) || (s1 == nil) != (s2 == nil) {
					t.Errorf("%s: prediction %d differs: %g %g", method, i, m1[i], m2[i])
				}
			}
		}
		a, b := q.Summary(), r.Summary()
		if a.Method != b.Method || a.Rows != b.Rows || a.Scale[0] != b.Scale[0] || len(a.Noise) != len(b.Noise) || (a.Evidence == a.Evidence && a.Evidence != b.Evidence) {
			t.Errorf("%s: summaries differ:\n%+v\n%+v", method, a, b)
		}
		var again bytes.Buffer
		if err := r.Save(&again); err != nil || !bytes.Equal(again.Bytes(), file) {
			t.Errorf("%s: saved again the file differs (%v)", method, err)
		}
	}
}

// TestActivationIsStored: every activation comes back, and a file without one, as
// they once were, has tanh.
func TestActivationIsStored(t *testing.T) {
	for _, activation := range feature.Activations() {
		q, err := Fit(rod(true), Config{Method: PseudoInverse, Neurons: 6, Scale: []float64{2}, Seed: 1, Activation: activation})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := q.Save(&b); err != nil {
			t.Fatal(err)
		}
		file := b.Bytes()
		r, err := Load(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.basis.Layer.Activation(); got != activation {
			t.Errorf("%v was stored, %v came back", activation, got)
		}
		r, err = Load(bytes.NewReader(withoutActivation(file)))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.basis.Layer.Activation(); got != feature.Tanh {
			t.Errorf("a file without activation has %v", got)
		}
		var e *FileError
		unknown := checksummed(bytes.Replace(file, []byte(`"Activation":"`), []byte(`"Activation":"x`), 1))
		unknown[12]++ // the length of the header
		if _, err := Load(bytes.NewReader(checksummed(unknown))); !errors.As(err, &e) {
			t.Errorf("an unknown activation: %v", err)
		}
	}
}

// withoutActivation overwrites the name in the header by blanks outside of any
// string.
func withoutActivation(file []byte) []byte {
	file = bytes.Clone(file)
	begin := bytes.Index(file, []byte(`"Activation":`))
	end := begin + bytes.IndexByte(file[begin:], ',') + 1
	copy(file[begin:end], bytes.Repeat([]byte{' '}, end-begin))
	return checksummed(file)
}

// checksummed sets the checksum at the end of file to what it should be.
func checksummed(file []byte) []byte {
	n := len(file) - 4
	return binary.LittleEndian.AppendUint32(file[:n:n], crc32.Checksum(file[:n], castagnoli))
}

func TestTruncatedModelIsRefused(t *testing.T) {
	_, file := stored(t, BPIELM)
	for n := range file {
		var e *FileError
		if _, err := Load(bytes.NewReader(file[:n])); !errors.As(err, &e) {
			t.Fatalf("the first %d of %d bytes: error %v", n, len(file), err)
		}
	}
}

func TestDamagedModelIsRefused(t *testing.T) {
	_, file := stored(t, BPIELM)
	for i := range file {
		for _, bit := range []byte{1, 1 << 6, 1 << 7} {
			bad := bytes.Clone(file)
			bad[i] ^= bit
			var e *FileError
			if _, err := Load(bytes.NewReader(bad)); !errors.As(err, &e) {
				t.Fatalf("byte %d changed by %#x: error %v", i, bit, err)
			}
		}
	}
}

func TestForeignModelIsRefused(t *testing.T) {
	for _, text := range []string{"", "x", "title = \"not a model\"\n and more", "BPIELM\r\n\x02\x00\x00\x00"} {
		var e *FileError
		if _, err := Load(bytes.NewReader([]byte(text))); !errors.As(err, &e) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, method := range []Method{BPIELM, PseudoInverse} {
		_, file := stored(f, method)
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		q, err := Load(bytes.NewReader(file))
		if err != nil {
			var e *FileError
			if !errors.As(err, &e) {
				t.Fatalf("error %v is no *FileError", err)
			}
			return
		}
		// what loads can be used
		if _, _, err := q.Predict(system.Field(0), mat.NewDense(1, len(q.Variables()), nil)); err != nil {
			var e *DataError
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
		}
	})
}
