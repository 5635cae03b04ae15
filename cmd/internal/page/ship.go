package page

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"

	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// shipMagic begins what Ship makes. After it come the length of a shipment in JSON, as 32 bits, little-endian, the
// shipment, and a model file.
const shipMagic = "BPIELM solved 1\n"

// shipment is what is known of a solve besides its posterior.
type shipment struct {
	Same      []byte // see opened
	Answer    *Answer
	Judgement *Judgement `json:",omitempty"`
	Ranges    []span
	Sigmas    [][]float64
	Slices    []shippedSlice `json:",omitempty"`
}

// shippedSlice is a slice that has been drawn already.
type shippedSlice struct {
	Of    string // see cut.key
	Slice *Slice
}

// mostSlices is how many slices are kept.
const mostSlices = 8

// keep keeps a slice of the last solve.
func (v *solved) keep(key string, drawn *Slice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.slices {
		if v.slices[i].Of == key {
			return
		}
	}
	if len(v.slices) == mostSlices {
		v.slices = append(v.slices[:0], v.slices[1:]...)
	}
	v.slices = append(v.slices, shippedSlice{key, drawn})
}

// shippedSlice returns a slice that is known, or nil.
func (v *solved) shippedSlice(key string) *Slice {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.slices {
		if v.slices[i].Of == key {
			return v.slices[i].Slice
		}
	}
	return nil
}

// Ship returns the last solve, its verdict and the slices of it that have been asked for, so that a page opens with them:
// see Engine.Example. It fails where nothing has been solved, or something has changed since.
func (s *Session) Ship() ([]byte, error) {
	open, err := s.readable()
	if err != nil {
		return nil, err
	}
	v, err := s.last()
	if err != nil {
		return nil, err
	}
	if !v.is(open) {
		return nil, errors.New("the problem has changed since it was solved")
	}
	v.mu.Lock()
	answer, judgement := *v.answer, v.judgement
	answer.Seconds = 0 // of another machine; and the same problem gives the same bytes
	if judgement != nil {
		timeless := *judgement
		timeless.Seconds = 0
		judgement = &timeless
	}
	header, err := json.Marshal(shipment{v.same[:], &answer, judgement, v.ranges, v.sigmas, v.slices})
	v.mu.Unlock()
	if err != nil {
		return nil, err
	}
	data := bytes.NewBufferString(shipMagic)
	binary.Write(data, binary.LittleEndian, uint32(len(header)))
	data.Write(header)
	err = v.q.WithNote(v.file.Definitions(solution.KnownSensors(v.file))).Save(data)
	return data.Bytes(), err
}

// unship reads what Ship has made of a problem; nil if it is of another problem, or damaged: then the problem is one that
// is not solved yet.
func unship(data []byte, open *opened, l *Limits) *solved {
	rest, is := bytes.CutPrefix(data, []byte(shipMagic))
	if !is || len(rest) < 4 {
		return nil
	}
	n := int64(binary.LittleEndian.Uint32(rest))
	if rest = rest[4:]; n > int64(len(rest)) {
		return nil
	}
	var header shipment
	if json.Unmarshal(rest[:n], &header) != nil || !bytes.Equal(header.Same, open.same[:]) {
		return nil
	}
	p := open.file.Problem
	if header.Answer == nil || len(header.Ranges) != len(p.Fields) || len(header.Sigmas) != len(p.Sensors) {
		return nil
	}
	for g := range p.Sensors {
		if len(header.Sigmas[g]) != len(p.Sensors[g].Values) {
			return nil
		}
	}
	q, err := posterior.Load(bytes.NewReader(rest[n:]))
	if err != nil || !fits(q, p) {
		return nil
	}
	return &solved{
		same: open.same, file: open.file, q: q, uncertain: q.ParameterCorrelation() != nil, rows: rowsOf(open.file),
		sigmas: header.Sigmas, answer: header.Answer, ranges: header.Ranges,
		judgement: header.Judgement, loaded: true, slices: header.Slices,
	}
}

// fits tells whether a posterior is one of the fields and variables of a problem.
func fits(q *posterior.Posterior, p *system.Problem) bool {
	of := q.Problem()
	if len(of.Variables) != len(p.Variables) || len(of.Fields) != len(p.Fields) || len(of.Parameters) != len(p.Parameters) || len(of.Coefficients) != len(p.Coefficients) {
		return false
	}
	for d, v := range of.Variables {
		if v.Name != p.Variables[d].Name || math.Float64bits(v.Min) != math.Float64bits(p.Variables[d].Min) || math.Float64bits(v.Max) != math.Float64bits(p.Variables[d].Max) {
			return false
		}
	}
	return true
}
