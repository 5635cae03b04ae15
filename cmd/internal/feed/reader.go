package feed

import (
	"io"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/readings"
)

// Error says where a stream of readings cannot be read, and why.
type Error = readings.Error

// Record is one reading of the stream. It is valid until the next one is read.
type Record = readings.Record

// NewReader reads a stream from r; name is for messages. The stream may be laid out as the
// files of any kind of the model's sensors were.
func NewReader(r io.Reader, name string, p *posterior.Prior) (*readings.Reader, error) {
	return readings.NewReader(r, name, Config(p))
}

// Config is that of a stream. A file is Whole, too.
func Config(p *posterior.Prior) readings.Config {
	var kinds []string
	for _, s := range p.Sensors() {
		kinds = append(kinds, s.Name)
	}
	return readings.Config{Variables: p.Variables(), Layouts: readings.Layouts(kinds, p.Layouts())}
}
