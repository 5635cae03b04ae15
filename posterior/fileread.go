package posterior

import (
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

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// checked reads from r, updates the checksum, and turns an early end into a *FileError.
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

// floats reads n numbers, all of which must be finite. It allocates as they arrive, so a file that
// lies about its size cannot exhaust the memory.
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

// Load reads the model file of a posterior. It fails with a *FileError when the file is foreign,
// truncated, damaged, or of another kind or version.
func Load(r io.Reader) (*Posterior, error) {
	c := &checked{r: r}
	h, err := c.header(fileVersion, ensembleVersion, mixtureVersion, blockVersion)
	if err != nil {
		return nil, err
	}
	return c.body(h, nil)
}

// LoadAny reads a model file of either kind: a posterior, or a prior together with its posterior
// before any reading. It fails as Load does.
func LoadAny(r io.Reader) (*Posterior, *Prior, error) {
	c := &checked{r: r}
	h, err := c.header(fileVersion, priorVersion, ensembleVersion, mixtureVersion, blockVersion)
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
var kinds = map[uint32]string{fileVersion: "a posterior", priorVersion: "compiled physics", ensembleVersion: "a posterior", mixtureVersion: "a posterior", blockVersion: "a posterior"}

// header reads everything before the numbers of a file of one of the wanted versions.
func (c *checked) header(wanted ...uint32) (*fileHeader, error) {
	magic := make([]byte, len(fileMagic))
	err := c.read(magic)
	// In a file that is too short, the bytes after its end are zero.
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
		return nil, &FileError{fmt.Sprintf("it has version %d; this program reads versions %d to %d", version, fileVersion, blockVersion)}
	}
	h, err := c.fields()
	if err == nil && ((h.Physics != nil) != (version == priorVersion) || (h.Ensemble != 0) != (version == ensembleVersion) || (h.Components != nil) != (version >= mixtureVersion) || (h.Patches != nil) != (version == blockVersion)) {
		err = &FileError{"its header does not match its version"}
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

// body reads the numbers; those of the domain into domain, which is nil for a posterior.
func (c *checked) body(h *fileHeader, domain *[]float64) (*Posterior, error) {
	list := h.Components
	if list == nil {
		list = []fileComponent{{Weight: 1, Neurons: h.Neurons, Activation: h.Activation}}
	}
	q := &Posterior{variables: h.Variables, fields: h.Fields, over: h.Over, names: h.Parameters, coefficients: h.Coefficients, note: h.Note, components: make([]component, len(list))}
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
		if b := q.components[k].blocks; b != nil {
			b.order = newBlockOrder(q.components[k].basis)
		}
	}
	q.summary = h.summary(list, layers)
	return q, nil
}

// summary returns what the header and the layers say of the summary.
func (h *fileHeader) summary(list []fileComponent, layers []feature.Stored) Summary {
	members := max(h.Ensemble, 1)
	s, neurons := h.Summary, list[0].Neurons/members
	all := neurons
	for _, n := range h.Patches {
		neurons /= n
	}
	summary := Summary{
		Method: s.Method, Path: s.Path, Neurons: neurons, Activation: layers[0].Activation, Ensemble: max(members, len(list)), Rows: s.Rows,
		Columns: h.columns(all), Patches: h.Patches, PatchEdges: h.Edges, Readings: s.Readings, Scale: layers[0].Scale,
		Amplitude: orNaN(s.Amplitude), Tolerance: orNaN(s.Tolerance), Evidence: orNaN(s.Evidence), EffectiveParameters: orNaN(s.EffectiveParameters),
		Warnings: s.Warnings,
	}
	if len(layers) > 1 { // the scale of a mixture is the mean of logarithms
		summary.Scale = make([]float64, len(h.Variables))
		for i := range summary.Scale {
			mean := 0.0
			for k := range layers {
				mean += float64(list[k].Weight * mat.Log(layers[k].Scale[i]))
			}
			summary.Scale[i] = mat.Exp(mean)
		}
	}
	for _, e := range s.Noise {
		summary.Noise = append(summary.Noise, NoiseEstimate{e.Name, e.Sigma, e.Learned, e.Readings})
	}
	return summary
}

// component reads the layer, the mean and the covariance of one component.
func (c *checked) component(h *fileHeader, of *fileComponent, stored *feature.Stored, to *component, triangle bool) (err error) {
	d := len(h.Variables)
	columns := h.columns(of.Neurons)
	to.weight, stored.Patches, stored.Edges = of.Weight, h.Patches, h.Edges
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
	for _, section := range []struct {
		to *[]float64
		n  int
	}{{&stored.Scale, d}, {&stored.Center, d}, {&stored.Half, d}, {&stored.Slopes, of.Neurons * d}, {&stored.Bias, of.Neurons}, {&to.mean, columns}} {
		if *section.to, err = c.floats(section.n); err != nil {
			return err
		}
	}
	switch {
	case h.Patches != nil:
		to.blocks, err = c.blockRoot(h, of)
	case h.Ensemble > 1:
		to.factor, err = c.blocks(columns, ensembleBlocks(h.Ensemble, of.Neurons/h.Ensemble, len(h.Fields), len(h.Parameters)))
	case h.Factor:
		to.factor, err = c.factor(columns, triangle)
	}
	return err
}

// rectangle is a block of a matrix: rows r0 to r1-1, columns c0 to c1-1.
type rectangle struct{ r0, r1, c0, c1 int }

// ensembleBlocks lists the nonzero blocks of the covariance factor in a file of version 3. Its rows
// are the weights of the joint layer, field by field and in each field member by member, and the
// parameters; its columns are those of each member, and one for each member's distance from the
// mean.
func ensembleBlocks(members, neurons, fields, parameters int) []rectangle {
	n := neurons*fields + parameters
	weights := members * neurons * fields
	var blocks []rectangle
	for k := range members {
		for f := range fields {
			first := (f*members + k) * neurons
			blocks = append(blocks, rectangle{first, first + neurons, k * n, (k + 1) * n})
		}
	}
	blocks = append(blocks, rectangle{0, weights, members * n, members * (n + 1)})
	if parameters > 0 {
		blocks = append(blocks, rectangle{weights, weights + parameters, 0, members * (n + 1)})
	}
	return blocks
}

// blocks reads the given blocks of a matrix, which is zero elsewhere.
func (c *checked) blocks(rows int, blocks []rectangle) (*mat.Dense, error) {
	var values [][]float64
	for _, p := range blocks {
		v, err := c.floats((p.r1 - p.r0) * (p.c1 - p.c0))
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	columns := 0
	for _, p := range blocks {
		columns = max(columns, p.c1)
	}
	f := mat.NewDense(rows, columns, nil)
	for k, p := range blocks {
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
