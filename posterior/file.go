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

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A model file holds one posterior, the same bytes on every machine:
//
//	8 bytes   magic "BPIELM\r\n": not text, and damaged by newline conversion
//	u32       version, 1
//	u32       length of the header
//	header    JSON: variables, fields, parameters, sizes, the activation (absent:
//	          tanh), how it was fitted
//	f64 ...   scale, center, half, slopes, bias of the layer; mean; factor if any
//	u32       CRC-32C of everything before it
//
// All integers and floats are little-endian. Every length follows from the
// header and is checked against the limits below before anything is allocated.
const (
	fileMagic   = "BPIELM\r\n"
	fileVersion = 1

	maxHeader     = 1 << 20
	maxVariables  = 64
	maxColumns    = 1 << 20
	maxFileFloats = 1 << 31
)

type fileHeader struct {
	Variables  []system.Variable
	Fields     []string
	Parameters []string
	Neurons    int
	Activation string `json:",omitempty"`
	Factor     bool
	Summary    fileSummary
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

// Save writes the posterior to w as a model file.
func (q *Posterior) Save(w io.Writer) error {
	s := q.summary
	layer := q.basis.Layer.Store()
	h := fileHeader{
		Variables: q.variables, Fields: q.fields, Parameters: q.names,
		Neurons: q.basis.Layer.Neurons(), Activation: layer.Activation.String(), Factor: q.factor != nil,
		Summary: fileSummary{
			Method: s.Method, Path: s.Path, Rows: s.Rows, Readings: s.Readings,
			Amplitude: number(s.Amplitude), Tolerance: number(s.Tolerance), Evidence: number(s.Evidence), EffectiveParameters: number(s.EffectiveParameters),
			Warnings: s.Warnings,
		},
	}
	for _, e := range s.Noise {
		h.Summary.Noise = append(h.Summary.Noise, fileNoise{e.Name, e.Sigma, e.Learned, e.readings})
	}
	header, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if len(header) > maxHeader {
		return &FileError{fmt.Sprintf("the header has %d bytes; at most %d can be stored", len(header), maxHeader)}
	}
	var b bytes.Buffer
	b.WriteString(fileMagic)
	b.Write(binary.LittleEndian.AppendUint32(nil, fileVersion))
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
	b.Write(header)
	parts := [][]float64{layer.Scale, layer.Center, layer.Half, layer.Slopes, layer.Bias, q.mean}
	if q.factor != nil {
		for i := range q.factor.Rows() {
			parts = append(parts, q.factor.Row(i))
		}
	}
	for _, part := range parts {
		for _, v := range part {
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

// Load reads a model file. It fails with a *FileError when the file is foreign,
// truncated, damaged or of an unknown version.
func Load(r io.Reader) (*Posterior, error) {
	c := &checked{r: r}
	magic := make([]byte, len(fileMagic))
	if err := c.read(magic); err != nil {
		return nil, err
	}
	if string(magic) != fileMagic {
		return nil, &FileError{"it is not a bpielm model"}
	}
	version, err := c.u32()
	if err != nil {
		return nil, err
	}
	if version != fileVersion {
		return nil, &FileError{fmt.Sprintf("it has version %d; this program reads version %d", version, fileVersion)}
	}
	h, err := c.header()
	if err != nil {
		return nil, err
	}
	return c.body(h)
}

func (c *checked) header() (*fileHeader, error) {
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
	columns := int64(h.Neurons)*int64(len(h.Fields)) + int64(len(h.Parameters))
	switch {
	case h.Neurons < 1 || h.Neurons > maxColumns || len(h.Fields) < 1 || len(h.Fields) > maxColumns || columns > maxColumns:
		return nil, &FileError{fmt.Sprintf("its sizes, %d neurons and %d fields, are out of range", h.Neurons, len(h.Fields))}
	case len(h.Variables) < 1 || len(h.Variables) > maxVariables:
		return nil, &FileError{fmt.Sprintf("its number of variables, %d, is out of range", len(h.Variables))}
	case h.Factor && columns*columns > maxFileFloats:
		return nil, &FileError{fmt.Sprintf("its covariance of %d columns is too large", columns)}
	}
	for _, v := range h.Variables {
		if !(v.Min < v.Max) {
			return nil, &FileError{fmt.Sprintf("the range [%g, %g] of variable %q is not an interval", v.Min, v.Max, v.Name)}
		}
	}
	return h, nil
}

func (c *checked) body(h *fileHeader) (*Posterior, error) {
	d := len(h.Variables)
	columns := h.Neurons*len(h.Fields) + len(h.Parameters)
	stored := feature.Stored{}
	if h.Activation != "" {
		activation, err := feature.ParseActivation(h.Activation)
		if err != nil {
			return nil, &FileError{err.Error()}
		}
		stored.Activation = activation
	}
	q := &Posterior{variables: h.Variables, fields: h.Fields, names: h.Parameters}
	var err error
	for _, part := range []struct {
		to *[]float64
		n  int
	}{{&stored.Scale, d}, {&stored.Center, d}, {&stored.Half, d}, {&stored.Slopes, h.Neurons * d}, {&stored.Bias, h.Neurons}, {&q.mean, columns}} {
		if *part.to, err = c.floats(part.n); err != nil {
			return nil, err
		}
	}
	if h.Factor {
		values, err := c.floats(columns * columns)
		if err != nil {
			return nil, err
		}
		q.factor = mat.NewDense(columns, columns, values)
	}
	expected := c.sum
	sum, err := c.u32()
	if err != nil {
		return nil, err
	}
	if sum != expected {
		return nil, &FileError{"its checksum is wrong: it is damaged"}
	}
	layer, err := feature.Restore(stored)
	if err != nil {
		return nil, &FileError{err.Error()}
	}
	q.basis = system.Basis{Layer: layer, Fields: len(h.Fields), Parameters: len(h.Parameters)}
	s := h.Summary
	q.summary = Summary{
		Method: s.Method, Path: s.Path, Neurons: h.Neurons, Rows: s.Rows, Columns: columns, Readings: s.Readings, Scale: stored.Scale,
		Amplitude: orNaN(s.Amplitude), Tolerance: orNaN(s.Tolerance), Evidence: orNaN(s.Evidence), EffectiveParameters: orNaN(s.EffectiveParameters),
		Warnings: s.Warnings,
	}
	for _, e := range s.Noise {
		q.summary.Noise = append(q.summary.Noise, NoiseEstimate{e.Name, e.Sigma, e.Learned, e.Readings})
	}
	return q, nil
}
