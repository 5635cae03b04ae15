package posterior

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/bpielm/bpielm/system"
)

// A model file holds one posterior or one Prior, with the same bytes on every machine. All integers
// and floats are little-endian, floats are IEEE 754 binary64.
//
//	8 bytes   magic "BPIELM\r\n": not text, and damaged by newline conversion
//	u32       version: 1 a posterior, 2 a prior, 3 an average of layers (written by older
//	          programs), 4 a mixture, 5 a mixture of layers with patches, see blockfile.go
//	u32       length of the header in bytes, at most 1 MiB
//	header    JSON in UTF-8, see fileHeader; it determines all sizes:
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
//	          version 3 only its nonzero blocks are stored, each by rows:
//	          with K = Ensemble, M = N/K neurons and m = M len(Fields) +
//	          len(Parameters) weights a member, F has K (m + 1) columns, and the
//	          blocks are, member by member and in each field by field, the M rows
//	          of that member and field in columns k m to (k + 1) m - 1; then all
//	          rows of neurons in the last K columns; then all of the rows of
//	          parameters, if there are any
//	f64 ...   version 2: Physics.Domain points, d coordinates each
//	          version 4: everything from scale to here once for each of
//	          Components, which state their own number of neurons
//	u32       CRC-32C of everything before it
//
// Sizes are checked against the limits below before anything is allocated, and numbers are read in
// chunks, so a file that lies about its size is detected by its end. No number may be infinite or
// NaN.
const (
	fileMagic       = "BPIELM\r\n"
	fileVersion     = 1
	priorVersion    = 2
	ensembleVersion = 3
	mixtureVersion  = 4
	blockVersion    = 5

	maxHeader     = 1 << 20
	maxVariables  = 64
	maxColumns    = 1 << 20
	maxFileFloats = 1 << 28 // of a covariance: 16384 columns
	maxComponents = 1 << 10
)

// fileHeader is the header of a model file: the problem's variables with their ranges, the names of
// its fields and parameters, the number of neurons, in version 3 the number of members that share
// them, their activation (absent: tanh), whether there is a covariance, how the model was computed,
// and, in version 2 only, what else a Prior has.
type fileHeader struct {
	Variables  []system.Variable
	Fields     []string
	Over       [][]bool `json:",omitempty"` // which variables each field depends on; nil: all
	Parameters []string
	// Coefficients are the last of Parameters. Each is stored as the standard normal number that it
	// is a function of.
	Coefficients []system.Coefficient `json:",omitempty"`
	Neurons      int
	Ensemble     int    `json:",omitempty"`
	Activation   string `json:",omitempty"`
	Factor       bool
	Summary      fileSummary
	Physics      *filePrior      `json:",omitempty"`
	Components   []fileComponent `json:",omitempty"`
	Patches      []int           `json:",omitempty"` // of version 5: cells along each variable, and
	Edges        [][]float64     `json:",omitempty"` // where they begin and end
	Note         string          `json:",omitempty"`
}

// fileComponent is one component of a mixture.
type fileComponent struct {
	Weight     float64
	Neurons    int
	Activation string
	Parts      []int `json:",omitempty"` // of version 5
}

// fileSummary is a Summary without NaN, which JSON cannot hold.
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

// Save writes the posterior to w as a model file. For a file that appears only when it is complete,
// write to another name and rename it. What Load would refuse, such as a number that is not finite,
// fails with a *FileError that names it, and nothing is written.
func (q *Posterior) Save(w io.Writer) error { return q.save(w, nil, nil) }

// save writes a posterior or, with its further sections, a prior.
func (q *Posterior) save(w io.Writer, physics *filePrior, domain []float64) error {
	if q.after != nil {
		return &FileError{"a posterior with sensors that do not exist yet cannot be stored"}
	}
	version := uint32(fileVersion)
	switch {
	case physics != nil:
		version = priorVersion
	case q.components[0].blocks != nil:
		version = blockVersion
	case len(q.components) > 1:
		version = mixtureVersion
	}
	h := q.fileHeader()
	h.Physics = physics
	var sections []fileSection
	for k := range q.components {
		c := &q.components[k]
		more, err := c.sections(physics != nil)
		if err != nil {
			return err
		}
		sections = append(sections, more...)
		neurons, activation := c.basis.Layer.Neurons(), c.basis.Layer.Activation().String()
		switch version {
		case mixtureVersion:
			h.Components = append(h.Components, fileComponent{Weight: c.weight, Neurons: neurons, Activation: activation})
		case blockVersion:
			h.Patches, h.Edges = c.basis.Layer.PatchCounts(), c.basis.Layer.PatchEdges()
			h.Components = append(h.Components, fileComponent{c.weight, neurons, activation, c.blocks.spans()})
		default:
			h.Neurons, h.Activation = neurons, activation
		}
	}
	sections = append(sections, fileSection{"coordinate of the domain", domain})
	if err := h.readable(sections); err != nil {
		return err
	}
	header, err := json.Marshal(h)
	if err != nil {
		return &FileError{fmt.Sprintf("its header: %v", err)}
	}
	if len(header) > maxHeader {
		return &FileError{fmt.Sprintf("the header has %d bytes; at most %d can be stored", len(header), maxHeader)}
	}
	// It is not put together in memory: with patches it may be as large as the posterior.
	out, sum := bufio.NewWriterSize(w, fileBuffer), crc32.New(castagnoli)
	both := io.MultiWriter(out, sum)
	b := append([]byte(fileMagic), binary.LittleEndian.AppendUint32(nil, version)...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(header))), header...)
	for _, section := range sections {
		for _, v := range section.values {
			if b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)); len(b) >= fileBuffer {
				if _, err := both.Write(b); err != nil {
					return err
				}
				b = b[:0]
			}
		}
	}
	if _, err := both.Write(b); err != nil {
		return err
	}
	if _, err := out.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return err
	}
	return out.Flush()
}

// fileBuffer is how many bytes are written at a time, at least.
const fileBuffer = 1 << 16

// fileHeader returns the header without what components add.
func (q *Posterior) fileHeader() *fileHeader {
	s := &q.summary
	h := &fileHeader{
		Variables: q.variables, Fields: q.fields, Over: q.over, Parameters: q.names, Coefficients: q.coefficients, Factor: q.uncertain(), Note: q.note,
		Summary: fileSummary{
			Method: s.Method, Path: s.Path, Rows: s.Rows, Readings: s.Readings,
			Amplitude: number(s.Amplitude), Tolerance: number(s.Tolerance), Evidence: number(s.Evidence), EffectiveParameters: number(s.EffectiveParameters),
			Warnings: s.Warnings,
		},
	}
	for _, e := range s.Noise {
		h.Summary.Noise = append(h.Summary.Noise, fileNoise{e.Name, e.Sigma, e.Learned, e.readings})
	}
	return h
}

// sections returns the numbers of a component; of a lower triangular factor only the triangle.
func (c *component) sections(triangle bool) ([]fileSection, error) {
	root, layer := c.root(), c.basis.Layer.Store()
	if root != nil && root.Cols() != root.Rows() {
		return nil, &FileError{"an average of layers that was read from a file cannot be stored again"}
	}
	list := []fileSection{
		{"scale", layer.Scale}, {"center of the box", layer.Center}, {"half of the box", layer.Half},
		{"slope of the neurons", layer.Slopes}, {"bias of the neurons", layer.Bias}, {meanSection, c.mean},
	}
	if c.blocks != nil {
		return append(list, c.blockSections()...), nil
	}
	if root == nil {
		return list, nil
	}
	for i := range root.Rows() {
		row := root.Row(i)
		if triangle {
			row = row[:i+1]
		}
		list = append(list, fileSection{fmt.Sprintf("covariance of weight %d, number", i+1), row})
	}
	return list, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func number(x float64) *float64 {
	if !finite(x) {
		return nil
	}
	return &x
}

// columns returns how many columns a number of neurons has.
func (h *fileHeader) columns(neurons int) int { return h.problem().Columns(neurons) }

// problem returns what the header says of the problem.
func (h *fileHeader) problem() *system.Problem {
	return &system.Problem{Variables: h.Variables, Fields: h.Fields, Over: h.Over, Parameters: make([]system.Parameter, len(h.Parameters))}
}
