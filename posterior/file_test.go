package posterior

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// readAgain is a posterior that has been stored.
func readAgain(t testing.TB, q *Posterior) *Posterior {
	t.Helper()
	var file bytes.Buffer
	if err := q.Save(&file); err != nil {
		t.Fatal(err)
	}
	r, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stored is a posterior of one layer and its file.
func stored(t testing.TB, method Method) (*Posterior, []byte) {
	t.Helper()
	p := rod(true)
	if method != BPIELM {
		q, err := Fit(p, Config{Method: method, Neurons: 6, Scale: []float64{2}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return q, saved(t, q)
	}
	ph, err := Compile(p, layerFor(p, 6, 2, 1), CompileConfig{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := ph.Assimilate(p.Sensors)
	if err != nil {
		t.Fatal(err)
	}
	return q, saved(t, q)
}

// storedMixture is a posterior of three layers and its file.
func storedMixture(t testing.TB) (*Posterior, []byte) {
	t.Helper()
	q, _, _ := mixtureOfLayers(t, rod(true))
	return q, saved(t, q)
}

func saved(t testing.TB, q *Posterior) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := q.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// storedKinds are models of every kind that is written, by the version of their files.
func storedKinds(t testing.TB) map[string]struct {
	q       *Posterior
	file    []byte
	version uint32
} {
	t.Helper()
	type kind = struct {
		q       *Posterior
		file    []byte
		version uint32
	}
	kinds := map[string]kind{}
	for _, method := range []Method{BPIELM, Published, PseudoInverse} {
		q, file := stored(t, method)
		kinds[string(method)] = kind{q, file, 1}
	}
	q, file := storedMixture(t)
	kinds["mixture"] = kind{q, file, 4}
	return kinds
}

func TestModelComesBackAsItWas(t *testing.T) {
	for name, kind := range storedKinds(t) {
		q, file := kind.q, kind.file
		if version := binary.LittleEndian.Uint32(file[8:]); version != kind.version {
			t.Errorf("%s: version %d, want %d", name, version, kind.version)
		}
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
			if !slices.Equal(m1, m2) || !slices.Equal(s1, s2) || (s1 == nil) != (s2 == nil) {
				t.Errorf("%s: predictions differ: %g %g", name, m1, m2)
			}
			if s1 == nil {
				continue
			}
			q1, err1 := q.Quantiles(f, points, 0.1, 0.7)
			q2, err2 := r.Quantiles(f, points, 0.1, 0.7)
			x1, err3 := q.Sample(f, points, 5, 1)
			x2, err4 := r.Sample(f, points, 5, 1)
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(q1.Data(), q2.Data()) || !slices.Equal(x1.Data(), x2.Data()) {
				t.Errorf("%s: quantiles or samples differ", name)
			}
		}
		a, b := q.Summary(), r.Summary()
		same := a.Method == b.Method && a.Path == b.Path && a.Rows == b.Rows && a.Columns == b.Columns && a.Readings == b.Readings && a.Neurons == b.Neurons &&
			a.Activation == b.Activation && a.Ensemble == b.Ensemble && a.Scale[0] == b.Scale[0] && slices.Equal(a.Noise, b.Noise) && slices.Equal(a.Warnings, b.Warnings)
		for _, v := range [][2]float64{{a.Amplitude, b.Amplitude}, {a.Tolerance, b.Tolerance}, {a.Evidence, b.Evidence}, {a.EffectiveParameters, b.EffectiveParameters}} {
			same = same && math.Float64bits(v[0]) == math.Float64bits(v[1])
		}
		if !same {
			t.Errorf("%s: summaries differ:\n%+v\n%+v", name, a, b)
		}
		if again := saved(t, r); !bytes.Equal(again, file) {
			t.Errorf("%s: saved again the file differs", name)
		}
	}
}

// averageFile is an average of layers with the same activation and number of neurons as older
// programs wrote it: version 3, as described in file.go.
func averageFile(t testing.TB, members []*Posterior, weights []float64) []byte {
	t.Helper()
	count, first := len(members), &members[0].components[0]
	neurons, fields, parameters := first.basis.Layer.Neurons(), first.basis.Fields(), first.basis.Parameters
	m := neurons*fields + parameters
	h := fileHeader{
		Variables: members[0].variables, Fields: members[0].fields, Parameters: members[0].names, Neurons: count * neurons, Ensemble: count, Factor: true,
		Activation: first.basis.Layer.Activation().String(), Summary: fileSummary{Method: BPIELM, Path: SquareRoot, Rows: 13, Readings: 5, Amplitude: number(2)},
	}
	layer := first.basis.Layer.Store()
	layer.Slopes, layer.Bias = nil, nil
	mean := make([]float64, count*neurons*fields+parameters)
	weightRows := count * neurons * fields
	shared := make([]float64, parameters) // mean of the parameters
	for k, q := range members {
		c := &q.components[0]
		one := c.basis.Layer.Store()
		layer.Slopes, layer.Bias = append(layer.Slopes, one.Slopes...), append(layer.Bias, one.Bias...)
		for f := range fields {
			for j := range neurons {
				mean[(f*count+k)*neurons+j] = weights[k] * c.mean[f*neurons+j]
			}
		}
		for i := range parameters {
			shared[i] += weights[k] * c.mean[fields*neurons+i]
		}
	}
	copy(mean[weightRows:], shared)
	parts := [][]float64{layer.Scale, layer.Center, layer.Half, layer.Slopes, layer.Bias, mean}
	for k, q := range members {
		c := &q.components[0]
		for f := range fields {
			for j := range neurons {
				row := slices.Clone(c.factor.Row(f*neurons + j))
				scaleVector(math.Sqrt(weights[k]), row)
				parts = append(parts, row)
			}
		}
	}
	for f := range fields { // how far each member is from the mean, in the weights of neurons
		for k, q := range members {
			for j := range neurons {
				for l := range members {
					own := -weights[k]
					if l == k {
						own++
					}
					parts = append(parts, []float64{math.Sqrt(weights[l]) * own * q.components[0].mean[f*neurons+j]})
				}
			}
		}
	}
	for i := range parameters {
		for k, q := range members {
			row := slices.Clone(q.components[0].factor.Row(fields*neurons + i))
			scaleVector(math.Sqrt(weights[k]), row)
			parts = append(parts, row)
		}
		for k, q := range members {
			parts = append(parts, []float64{math.Sqrt(weights[k]) * (q.components[0].mean[fields*neurons+i] - shared[i])})
		}
	}
	header, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint32([]byte(fileMagic), 3)
	file = append(binary.LittleEndian.AppendUint32(file, uint32(len(header))), header...)
	for _, part := range parts {
		for _, v := range part {
			file = binary.LittleEndian.AppendUint64(file, math.Float64bits(v))
		}
	}
	if m != len(first.mean) {
		t.Fatalf("%d weights, want %d", len(first.mean), m)
	}
	return checksummed(append(file, 0, 0, 0, 0))
}

// equalLayers are members of an average: posteriors of layers that differ only in their draw.
func equalLayers(t testing.TB, p *system.Problem) (members []*Posterior, weights []float64) {
	t.Helper()
	weights = []float64{0.5, 0.3, 0.2}
	for seed := range uint64(3) {
		ph, err := Compile(p, layerFor(p, 7, 2, seed), CompileConfig{})
		if err != nil {
			t.Fatal(err)
		}
		q, err := ph.Assimilate(p.Sensors)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, q)
	}
	return members, weights
}

// storedMoments bounds the error of moments that have been stored, in standard deviations.
const storedMoments = 1e-9

// TestAverageOfOlderProgramsIsRead with its moments; it cannot be stored again.
func TestAverageOfOlderProgramsIsRead(t *testing.T) {
	for name, p := range map[string]*system.Problem{"one field": rod(true), "two fields": twoFields(), "no parameter": withoutParameters(rod(true))} {
		members, weights := equalLayers(t, p)
		file := averageFile(t, members, weights)
		q, err := Load(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		points := column(0, 0.35, 0.7, 1.4, 2)
		compareMoments(t, name, q, p, members, weights, points, storedMoments)
		if s := q.Summary(); s.Ensemble != 3 || s.Neurons != 7 || s.Columns != 7*len(p.Fields)+len(p.Parameters) || s.Amplitude != 2 {
			t.Errorf("%s: summary %+v", name, s)
		}
		if again, prior, err := LoadAny(bytes.NewReader(file)); err != nil || prior != nil || again.Summary().Ensemble != 3 {
			t.Errorf("%s: LoadAny: %v", name, err)
		}
		var e *FileError
		if err := q.Save(&bytes.Buffer{}); !errors.As(err, &e) {
			t.Errorf("%s: stored again: %v", name, err)
		}
		if _, err := LoadPrior(bytes.NewReader(file)); !errors.As(err, &e) {
			t.Errorf("%s: as a prior: %v", name, err)
		}
	}
}

// TestMixtureOfAnyLayersComesBack: with turned layers, constant neurons, and different scales, as
// Fit mixes them.
func TestMixtureOfAnyLayersComesBack(t *testing.T) {
	p, _ := carried()
	q := fit(t, p, Config{Neurons: 30, Seed: 1})
	file := saved(t, q)
	r, err := Load(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	points := column2(0.2, 0.3, -0.9, 0.5)
	m1, s1, err1 := q.Predict(system.Derivative(0, 1, 1), points)
	m2, s2, err2 := r.Predict(system.Derivative(0, 1, 1), points)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m1, m2) || !slices.Equal(s1, s2) || !bytes.Equal(saved(t, r), file) {
		t.Errorf("%g ± %g, came back as %g ± %g", m1, s1, m2, s2)
	}
}

func TestHostileMixtureIsRefused(t *testing.T) {
	_, file := storedMixture(t)
	if _, err := Load(bytes.NewReader(sealed(file, "", ""))); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"Weight":0.5`, `"Weight":0.6`}, {`"Weight":0.5`, `"Weight":-0.5`}, {`"Weight":0.5`, `"Weight":0`}, {`"Weight":0.5`, `"Weight":1e300`}, {`"Weight":0.5`, `"Weight":null`},
		{`"Neurons":8,"Activation":"tanh"`, `"Neurons":0,"Activation":"tanh"`}, {`"Neurons":8,"Activation":"tanh"`, `"Neurons":-8,"Activation":"tanh"`},
		{`"Neurons":8,"Activation":"tanh"`, `"Neurons":1000000000,"Activation":"tanh"`}, {`"Neurons":8,"Activation":"tanh"`, `"Neurons":16000,"Activation":"tanh"`},
		{`"Neurons":8,"Activation":"tanh"`, `"Neurons":8,"Activation":"tan"`}, {`"Neurons":0,`, `"Neurons":8,`}, {`"Factor":true`, `"Factor":false`},
		{`"Components":[`, `"Component":[`}, {`"Components":[`, `"Ensemble":2,"Components":[`}, {`"Components":[`, `"Components":[],"Others":[`}, {`"Components":[`, `"Physics":{},"Components":[`},
		{`"Max":2`, `"Max":0`}, {`"Fields":["u"]`, `"Fields":[]`},
	} {
		bad := sealed(file, change[0], change[1])
		if bytes.Equal(bad, file) {
			t.Errorf("%s is not in the header", change[0])
		}
		var e *FileError
		if _, err := Load(bytes.NewReader(bad)); !errors.As(err, &e) {
			t.Errorf("%s: error %v", change[1], err)
		}
	}
	members, weights := equalLayers(t, rod(true))
	average := averageFile(t, members, weights)
	for _, change := range [][2]string{
		{`"Ensemble":3`, `"Ensemble":1`}, {`"Ensemble":3`, `"Ensemble":4`}, {`"Ensemble":3`, `"Ensemble":-3`}, {`"Ensemble":3`, `"Ensemble":21`}, {`"Ensemble":3`, `"Ensemble":300`},
		{`"Ensemble":3,`, ``}, {`"Factor":true`, `"Factor":false`}, {`"Neurons":21`, `"Neurons":2100000`},
	} {
		bad := sealed(average, change[0], change[1])
		if bytes.Equal(bad, average) {
			t.Errorf("%s is not in the header", change[0])
		}
		var e *FileError
		if _, err := Load(bytes.NewReader(bad)); !errors.As(err, &e) {
			t.Errorf("an average with %s: error %v", change[1], err)
		}
	}
}

// TestActivationIsStored: every activation comes back, and an old file without one has tanh.
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
		if got := r.components[0].basis.Layer.Activation(); got != activation {
			t.Errorf("%v was stored, %v came back", activation, got)
		}
		r, err = Load(bytes.NewReader(withoutActivation(file)))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.components[0].basis.Layer.Activation(); got != feature.Tanh {
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

// withoutActivation overwrites the name in the header with blanks outside of any string.
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

// everyFile is a file of each version that holds a posterior.
func everyFile(t testing.TB) map[string][]byte {
	t.Helper()
	_, one := stored(t, BPIELM)
	_, mixture := storedMixture(t)
	members, weights := equalLayers(t, rod(true))
	return map[string][]byte{"one layer": one, "mixture": mixture, "average": averageFile(t, members, weights)}
}

func TestTruncatedModelIsRefused(t *testing.T) {
	for name, file := range everyFile(t) {
		for n := range file {
			var e *FileError
			if _, err := Load(bytes.NewReader(file[:n])); !errors.As(err, &e) {
				t.Fatalf("%s, the first %d of %d bytes: error %v", name, n, len(file), err)
			}
		}
	}
}

func TestDamagedModelIsRefused(t *testing.T) {
	for name, file := range everyFile(t) {
		for i := range file {
			for _, bit := range []byte{1, 1 << 6, 1 << 7} {
				bad := bytes.Clone(file)
				bad[i] ^= bit
				var e *FileError
				if _, err := Load(bytes.NewReader(bad)); !errors.As(err, &e) {
					t.Fatalf("%s, byte %d changed by %#x: error %v", name, i, bit, err)
				}
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
	for _, file := range everyFile(f) {
		f.Add(file)
	}
	_, file := stored(f, PseudoInverse)
	f.Add(file)
	_, mixture := storedMixture(f)
	f.Add(sealed(mixture, `"Weight":0.5`, `"Weight":0.25`))
	f.Fuzz(func(t *testing.T, file []byte) {
		// Most changes are in what the checksum covers: seal them.
		if len(file) > 24 {
			if length := binary.LittleEndian.Uint32(file[12:]); int64(length) < int64(len(file)-20) {
				file = sealed(file, "", "")
			}
		}
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

// TestModelWithANumberThatIsNotFiniteIsRefused: wherever it is, in a file that is otherwise intact.
func TestModelWithANumberThatIsNotFiniteIsRefused(t *testing.T) {
	_, file := stored(t, BPIELM)
	begin := 16 + int(binary.LittleEndian.Uint32(file[12:]))
	for at := begin; at+8 <= len(file)-4; at += 8 {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			bad := bytes.Clone(file)
			binary.LittleEndian.PutUint64(bad[at:], math.Float64bits(v))
			var e *FileError
			if _, err := Load(bytes.NewReader(sealed(bad, "", ""))); !errors.As(err, &e) || !strings.Contains(err.Error(), "not finite") {
				t.Fatalf("number %d of %d is %g: error %v", (at-begin)/8, (len(file)-4-begin)/8, v, err)
			}
		}
	}
}

// TestModelOfImpossibleSizesIsRefused before anything of that size is allocated, with an error that
// names it.
func TestModelOfImpossibleSizesIsRefused(t *testing.T) {
	_, file := stored(t, BPIELM)
	many := func(list, element string, n int) string {
		return `"` + list + `":[` + strings.Repeat(element+",", n) + element + `]`
	}
	variable := `{"Name":"x","Min":0,"Max":1}`
	for _, change := range [][3]string{
		{`"Fields":["u"]`, `"Fields":[]`, "number of fields, 0,"},
		{`"Variables":[`, `"Variables":[],"Others":[`, "number of variables, 0,"},
		{`"Variables":[`, many("Variables", variable, maxVariables) + `,"Others":[`, "number of variables, "},
		{`"Neurons":6`, `"Neurons":0`, "its sizes, 0 neurons"},
		{`"Neurons":6`, `"Neurons":-6`, "its sizes, -6 neurons"},
		{`"Neurons":6`, `"Neurons":1000000000`, "its sizes, 1000000000 neurons"},
		{`"Neurons":6`, `"Neurons":60000`, "is too large"},
	} {
		bad := sealed(file, change[0], change[1])
		if bytes.Equal(bad, file) {
			t.Errorf("%s is not in the header", change[0])
		}
		var e *FileError
		if _, err := Load(bytes.NewReader(bad)); !errors.As(err, &e) || !strings.Contains(err.Error(), change[2]) {
			t.Errorf("%.60s: error %v, want one that says %q", change[1], err, change[2])
		}
	}
	// As many as are allowed are not what is wrong with it.
	allowed := many("Variables", variable, maxVariables-1) + `,"Others":[`
	if _, err := Load(bytes.NewReader(sealed(file, `"Variables":[`, allowed))); err == nil || strings.Contains(err.Error(), "number of") {
		t.Errorf("%d variables: error %v", maxVariables, err)
	}
}

func TestAverageOfImpossibleSizeIsRefused(t *testing.T) {
	members, weights := equalLayers(t, rod(true))
	file := averageFile(t, members, weights)
	for _, size := range []struct{ layers, neurons int }{
		{1, 21}, {-3, 21}, {4, 21}, {maxEnsemble + 1, 2 * (maxEnsemble + 1)},
	} {
		bad := sealed(file, `"Ensemble":3`, fmt.Sprintf(`"Ensemble":%d`, size.layers))
		bad = sealed(bad, `"Neurons":21`, fmt.Sprintf(`"Neurons":%d`, size.neurons))
		var e *FileError
		if _, err := Load(bytes.NewReader(bad)); !errors.As(err, &e) || !strings.Contains(err.Error(), fmt.Sprintf("its ensemble of %d is invalid", size.layers)) {
			t.Errorf("%d layers of %d neurons: error %v", size.layers, size.neurons, err)
		}
	}
	var e *FileError
	if _, err := Load(bytes.NewReader(sealed(file, `"Factor":true`, `"Factor":false`))); !errors.As(err, &e) || !strings.Contains(err.Error(), "ensemble of 3") {
		t.Errorf("without their covariance: error %v", err)
	}
}
