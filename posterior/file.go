package posterior

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A model file holds one posterior or one Prior, the same bytes on every
// machine. All integers and floats are little-endian, floats IEEE 754 binary64.
//
//	8 bytes   magic "BPIELM\r\n": not text, and damaged by newline conversion
//	u32       version: 1 a posterior, 2 a prior, 3 an average of layers (older
//	          programs wrote it), 4 a mixture
//	u32       length of the header in bytes, at most 1 MiB
//	header    JSON in UTF-8, see fileHeader; with it all sizes are known:
//	          d = len(Variables), N = Neurons, n = N len(Fields) + len(Parameters);
//	          a field of k of the variables, see Over, has N k/d weights instead of N,
//	          rounded up, those of feature.Layer.Of
//	f64 [d]   scale: the range of the neurons' slopes in each variable
//	f64 [d]   center, and
//	f64 [d]   half of the box: z = (x - center)/half
//	f64 [N d] slopes in z, neuron by neuron
//	f64 [N]   bias
//	f64 [n]   mean of the weights: field by field, then the parameters
//	f64 ...   where Factor is true: F of the covariance FF', n x n by rows; in
//	          version 2 it is lower triangular, and row i has i + 1 elements; in
//	          version 3 only its parts that are not zero are there, each by rows:
//	          with K = Ensemble, M = N/K neurons and m = M len(Fields) +
//	          len(Parameters) weights a member, F has K (m + 1) columns, and the
//	          parts are, member by member and in each field by field, the M rows
//	          of that member and field in columns k m to (k + 1) m - 1; then all
//	          rows of neurons in the last K columns; then all of the rows of
//	          parameters, if there are any
//	f64 ...   version 2: Physics.Domain points, d coordinates each
//	          version 4: everything from scale to here once for each of
//	          Components, which state their own number of neurons
//	u32       CRC-32C of everything before it
//
// Sizes are checked against the limits below before anything is allocated, and
// numbers are read in pieces, so that a file that lies about its size is found
// out by its end. No number may be infinite or NaN.
const (
	fileMagic       = "BPIELM\r\n"
	fileVersion     = 1
	priorVersion    = 2
	ensembleVersion = 3
	mixtureVersion  = 4

	maxHeader     = 1 << 20
	maxVariables  = 64
	maxColumns    = 1 << 20
	maxFileFloats = 1 << 28 // of a covariance: 16384 columns
	maxComponents = 1 << 10
)

// fileHeader is the header of a model file: the problem's variables with their
// ranges, the names of its fields and parameters, the number of neurons, in version
// 3 only that of members they belong to, their activation (absent: tanh), whether there is a covariance, how the model came
// about, and, in version 2 only, what a Prior has besides.
type fileHeader struct {
	Variables  []system.Variable
	Fields     []string
	Over       [][]bool `json:",omitempty"` // of which variables each field is a function; nil: of all
	Parameters []string
	// Coefficients are the last of Parameters: each is stored as the standard normal number that stands for it.
	Coefficients []system.Coefficient `json:",omitempty"`
	Neurons      int
	Ensemble     int    `json:",omitempty"`
	Activation   string `json:",omitempty"`
	Factor       bool
	Summary      fileSummary
	Physics      *filePrior      `json:",omitempty"`
	Components   []fileComponent `json:",omitempty"`
}

// fileComponent is one component of a mixture.
type fileComponent struct {
	Weight     float64
	Neurons    int
	Activation string
}

// fileSummary is a Summary with what JSON cannot hold, NaN, left out.
type fileSummary struct {
	Method                                              Method
	Path                                                Path
	Rows, Readings                                      int
	Amplitude, Tolerance, Evidence, EffectiveParameters *float64 `json:",omitempty"`
	Noise                                               []fileNoise
	Warnings                                            []string
}

type fileNoise struct {
	Name     string
	Sigma    float64
	Learned  bool
	Readings int
}

// Save writes the posterior to w as a model file: for a file that appears only when it
// is complete write to another name and rename it. What Load would refuse, such as a
// number that is not finite, fails with a *FileError that names it, and nothing is
// written.
func (q *Posterior) Save(w io.Writer) error { return q.save(w, nil, nil) }

// save writes a posterior or, with its further parts, a prior.
func (q *Posterior) save(w io.Writer, physics *filePrior, domain []float64) error {
	if q.after != nil {
		return &FileError{"what sensors would leave that are not there yet cannot be stored"}
	}
	s := q.summary
	h := fileHeader{
		Variables: q.variables, Fields: q.fields, Over: q.over, Parameters: q.names, Coefficients: q.coefficients, Factor: q.uncertain(), Physics: physics,
		Summary: fileSummary{
			Method: s.Method, Path: s.Path, Rows: s.Rows, Readings: s.Readings,
			Amplitude: number(s.Amplitude), Tolerance: number(s.Tolerance), Evidence: number(s.Evidence), EffectiveParameters: number(s.EffectiveParameters),
			Warnings: s.Warnings,
		},
	}
	for _, e := range s.Noise {
		h.Summary.Noise = append(h.Summary.Noise, fileNoise{e.Name, e.Sigma, e.Learned, e.readings})
	}
	version := uint32(fileVersion)
	switch {
	case physics != nil:
		version = priorVersion
	case len(q.components) > 1:
		version = mixtureVersion
	}
	var parts []fileSection
	for k := range q.components {
		c := &q.components[k]
		if root := c.root(); root != nil && root.Cols() != root.Rows() {
			return &FileError{"an average of layers that came from a file cannot be stored again"}
		}
		layer := c.basis.Layer.Store()
		h.Neurons, h.Activation = c.basis.Layer.Neurons(), layer.Activation.String()
		if version == mixtureVersion {
			h.Components = append(h.Components, fileComponent{c.weight, h.Neurons, h.Activation})
		}
		parts = append(parts, fileSection{"scale", layer.Scale}, fileSection{"center of the box", layer.Center}, fileSection{"half of the box", layer.Half},
			fileSection{"slope of the neurons", layer.Slopes}, fileSection{"bias of the neurons", layer.Bias}, fileSection{meanSection, c.mean})
		if root := c.root(); root != nil {
			for i := range root.Rows() {
				row := root.Row(i)
				if physics != nil {
					row = row[:i+1]
				}
				parts = append(parts, fileSection{fmt.Sprintf("covariance of weight %d, number", i+1), row})
			}
		}
	}
	if version == mixtureVersion {
		h.Neurons, h.Activation = 0, ""
	}
	parts = append(parts, fileSection{"coordinate of the domain", domain})
	if err := h.readable(parts); err != nil {
		return err
	}
	header, err := json.Marshal(h)
	if err != nil {
		return &FileError{fmt.Sprintf("its header: %v", err)}
	}
	if len(header) > maxHeader {
		return &FileError{fmt.Sprintf("the header has %d bytes; at most %d can be stored", len(header), maxHeader)}
	}
	var b bytes.Buffer
	b.WriteString(fileMagic)
	b.Write(binary.LittleEndian.AppendUint32(nil, version))
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
	b.Write(header)
	for _, part := range parts {
		for _, v := range part.values {
			b.Write(binary.LittleEndian.AppendUint64(b.AvailableBuffer(), math.Float64bits(v)))
		}
	}
	b.Write(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b.Bytes(), castagnoli)))
	_, err = w.Write(b.Bytes())
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func number(x float64) *float64 {
	if !finite(x) {
		return nil
	}
	return &x
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// checked reads from r, keeps the checksum, and turns an early end into a
// *FileError.
type checked struct {
	r   io.Reader
	sum uint32
}

func (c *checked) read(b []byte) error {
	if _, err := io.ReadFull(c.r, b); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return &FileError{"it ends too early"}
		}
		return err
	}
	c.sum = crc32.Update(c.sum, castagnoli, b)
	return nil
}

func (c *checked) u32() (uint32, error) {
	var b [4]byte
	err := c.read(b[:])
	return binary.LittleEndian.Uint32(b[:]), err
}

// floats reads n numbers, all of which must be finite. It allocates as they
// come, so that a file that lies about its size cannot exhaust the memory.
func (c *checked) floats(n int) ([]float64, error) {
	const chunk = 1 << 13
	values := make([]float64, 0, min(n, chunk))
	buffer := make([]byte, 8*min(n, chunk))
	for len(values) < n {
		b := buffer[:8*min(chunk, n-len(values))]
		if err := c.read(b); err != nil {
			return nil, err
		}
		for i := 0; i < len(b); i += 8 {
			v := math.Float64frombits(binary.LittleEndian.Uint64(b[i:]))
			if !finite(v) {
				return nil, &FileError{"a number in it is not finite"}
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// Load reads the model file of a posterior. It fails with a *FileError when the
// file is foreign, truncated, damaged, or of another kind or version.
func Load(r io.Reader) (*Posterior, error) {
	c := &checked{r: r}
	h, err := c.header(fileVersion, ensembleVersion, mixtureVersion)
	if err != nil {
		return nil, err
	}
	return c.body(h, nil)
}

// LoadAny reads a model file of either kind: a posterior, or a prior, and then
// its posterior too, which is what is known before any reading. It fails as Load
// does.
func LoadAny(r io.Reader) (*Posterior, *Prior, error) {
	c := &checked{r: r}
	h, err := c.header(fileVersion, priorVersion, ensembleVersion, mixtureVersion)
	switch {
	case err != nil:
		return nil, nil, err
	case h.Physics == nil:
		q, err := c.body(h, nil)
		return q, nil, err
	}
	p, err := c.prior(h)
	if err != nil {
		return nil, nil, err
	}
	return p.q, p, nil
}

// kinds names what each version holds.
var kinds = map[uint32]string{fileVersion: "a posterior", priorVersion: "compiled physics", ensembleVersion: "a posterior", mixtureVersion: "a posterior"}

// header reads everything before the numbers of a file of one of the wanted
// versions.
func (c *checked) header(wanted ...uint32) (*fileHeader, error) {
	magic := make([]byte, len(fileMagic))
	err := c.read(magic)
	// What has been read of a file that is too short is followed by zeros.
	if begin := strings.TrimRight(string(magic), "\x00"); !strings.HasPrefix(fileMagic, begin) {
		return nil, &FileError{"it is not a bpielm model"}
	}
	if err != nil {
		return nil, err
	}
	version, err := c.u32()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(wanted, version) {
		if kind := kinds[version]; kind != "" {
			return nil, &FileError{fmt.Sprintf("it holds %s; %s is expected", kind, kinds[wanted[0]])}
		}
		return nil, &FileError{fmt.Sprintf("it has version %d; this program reads versions %d to %d", version, fileVersion, mixtureVersion)}
	}
	h, err := c.fields()
	if err == nil && ((h.Physics != nil) != (version == priorVersion) || (h.Ensemble != 0) != (version == ensembleVersion) || (h.Components != nil) != (version == mixtureVersion)) {
		err = &FileError{"its header does not fit its version"}
	}
	return h, err
}

// fields reads the header proper.
func (c *checked) fields() (*fileHeader, error) {
	length, err := c.u32()
	if err != nil {
		return nil, err
	}
	if length > maxHeader {
		return nil, &FileError{fmt.Sprintf("its header of %d bytes is too long", length)}
	}
	text := make([]byte, length)
	if err := c.read(text); err != nil {
		return nil, err
	}
	h := new(fileHeader)
	if err := json.Unmarshal(text, h); err != nil {
		return nil, &FileError{"its header is damaged"}
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	return h, nil
}

// columns returns how many columns there are with so many neurons.
func (h *fileHeader) columns(neurons int) int { return h.problem().Columns(neurons) }

// problem is as much of the problem as the header has.
func (h *fileHeader) problem() *system.Problem {
	return &system.Problem{Variables: h.Variables, Fields: h.Fields, Over: h.Over, Parameters: make([]system.Parameter, len(h.Parameters))}
}

// body reads the numbers; those of the domain go to domain, which is nil for a
// posterior.
func (c *checked) body(h *fileHeader, domain *[]float64) (*Posterior, error) {
	list := h.Components
	if list == nil {
		list = []fileComponent{{1, h.Neurons, h.Activation}}
	}
	q := &Posterior{variables: h.Variables, fields: h.Fields, over: h.Over, names: h.Parameters, coefficients: h.Coefficients, components: make([]component, len(list))}
	layers := make([]feature.Stored, len(list))
	for k := range list {
		if err := c.component(h, &list[k], &layers[k], &q.components[k], domain != nil); err != nil {
			return nil, err
		}
	}
	var err error
	if domain != nil {
		if *domain, err = c.floats(h.Physics.Domain * len(h.Variables)); err != nil {
			return nil, err
		}
	}
	expected := c.sum
	sum, err := c.u32()
	if err != nil {
		return nil, err
	}
	if sum != expected {
		return nil, &FileError{"its checksum is wrong: it is damaged"}
	}
	for k := range layers {
		layer, err := feature.Restore(layers[k])
		if err != nil {
			return nil, &FileError{err.Error()}
		}
		q.components[k].basis = system.NewBasis(layer, len(h.Fields), h.Over, len(h.Parameters))
	}
	members := max(h.Ensemble, 1)
	s, neurons := h.Summary, list[0].Neurons/members
	q.summary = Summary{
		Method: s.Method, Path: s.Path, Neurons: neurons, Activation: layers[0].Activation, Ensemble: max(members, len(list)), Rows: s.Rows,
		Columns: h.columns(neurons), Readings: s.Readings, Scale: layers[0].Scale,
		Amplitude: orNaN(s.Amplitude), Tolerance: orNaN(s.Tolerance), Evidence: orNaN(s.Evidence), EffectiveParameters: orNaN(s.EffectiveParameters),
		Warnings: s.Warnings,
	}
	if len(layers) > 1 { // of a mixture it is the mean of logarithms
		q.summary.Scale = make([]float64, len(h.Variables))
		for i := range q.summary.Scale {
			mean := 0.0
			for k := range layers {
				mean += float64(list[k].Weight * mat.Log(layers[k].Scale[i]))
			}
			q.summary.Scale[i] = mat.Exp(mean)
		}
	}
	for _, e := range s.Noise {
		q.summary.Noise = append(q.summary.Noise, NoiseEstimate{e.Name, e.Sigma, e.Learned, e.Readings})
	}
	return q, nil
}

// component reads the layer, the mean and the covariance of one component.
func (c *checked) component(h *fileHeader, of *fileComponent, stored *feature.Stored, to *component, triangle bool) (err error) {
	d := len(h.Variables)
	columns := h.columns(of.Neurons)
	to.weight = of.Weight
	if of.Activation != "" {
		if stored.Activation, err = feature.ParseActivation(of.Activation); err != nil {
			return &FileError{err.Error()}
		}
	}
	for i, v := range h.Variables {
		if v.Log && stored.Log == nil {
			stored.Log = make([]bool, d)
		}
		if v.Log {
			stored.Log[i] = true
		}
	}
	for _, part := range []struct {
		to *[]float64
		n  int
	}{{&stored.Scale, d}, {&stored.Center, d}, {&stored.Half, d}, {&stored.Slopes, of.Neurons * d}, {&stored.Bias, of.Neurons}, {&to.mean, columns}} {
		if *part.to, err = c.floats(part.n); err != nil {
			return err
		}
	}
	switch {
	case h.Ensemble > 1:
		to.factor, err = c.parts(columns, ensembleParts(h.Ensemble, of.Neurons/h.Ensemble, len(h.Fields), len(h.Parameters)))
	case h.Factor:
		to.factor, err = c.factor(columns, triangle)
	}
	return err
}

// rectangle is a part of a matrix: rows r0 to r1-1, columns c0 to c1-1.
type rectangle struct{ r0, r1, c0, c1 int }

// ensembleParts lists what of the covariance factor in a file of version 3 is not zero. Its
// rows are the weights of the joined layer, field by field and in each field member
// by member, and the parameters; its columns are those of each member, and one for
// each member's distance from the mean.
func ensembleParts(members, neurons, fields, parameters int) []rectangle {
	n := neurons*fields + parameters
	weights := members * neurons * fields
	var parts []rectangle
	for k := range members {
		for f := range fields {
			first := (f*members + k) * neurons
			parts = append(parts, rectangle{first, first + neurons, k * n, (k + 1) * n})
		}
	}
	parts = append(parts, rectangle{0, weights, members * n, members * (n + 1)})
	if parameters > 0 {
		parts = append(parts, rectangle{weights, weights + parameters, 0, members * (n + 1)})
	}
	return parts
}

// parts reads the parts of a matrix of so many rows, zero elsewhere.
func (c *checked) parts(rows int, parts []rectangle) (*mat.Dense, error) {
	var values [][]float64
	for _, p := range parts {
		v, err := c.floats((p.r1 - p.r0) * (p.c1 - p.c0))
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	columns := 0
	for _, p := range parts {
		columns = max(columns, p.c1)
	}
	f := mat.NewDense(rows, columns, nil)
	for k, p := range parts {
		for i := p.r0; i < p.r1; i++ {
			n := copy(f.Row(i)[p.c0:p.c1], values[k])
			values[k] = values[k][n:]
		}
	}
	return f, nil
}

// factor reads an n x n matrix, or its lower triangle.
func (c *checked) factor(n int, triangle bool) (*mat.Dense, error) {
	if !triangle {
		values, err := c.floats(n * n)
		if err != nil {
			return nil, err
		}
		return mat.NewDense(n, n, values), nil
	}
	values, err := c.floats(n * (n + 1) / 2)
	if err != nil {
		return nil, err
	}
	l := mat.NewDense(n, n, nil)
	for i := range n {
		copy(l.Row(i), values[:i+1])
		values = values[i+1:]
	}
	return l, nil
}
