package page

import (
	"encoding/base64"
	"errors"
)

// outline tells which nodes of a grid are in the domain of a field. It costs much less than a slice, so its grid may be so
// fine that the edge of the domain can be drawn without steps.
func (s *Session) outline(of *SliceOf) (*Outline, error) {
	_, v, _ := s.snapshot()
	if v == nil {
		return nil, errors.New("nothing has been solved yet")
	}
	c, err := v.cut(of, s.limits.Cells)
	if err != nil {
		return nil, err
	}
	bits := make([]byte, (c.cells+7)/8)
	for _, cell := range c.inside {
		bits[cell/8] |= 1 << (cell % 8)
	}
	return &Outline{Size: c.Size, Inside: base64.StdEncoding.EncodeToString(bits)}, nil
}
