package feed

import (
	"io"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// maxPoints limits the number of points.
const maxPoints = 1 << 16

// ReadPoints reads points (n x variables) from CSV or JSON lines, by the rules of a
// stream of readings without values.
func ReadPoints(r io.Reader, name string, variables []system.Variable) (*mat.Dense, error) {
	lines := NewReader(r, name, variables)
	lines.pointsOnly = true
	var data []float64
	for {
		record, err := lines.Next()
		switch {
		case err == io.EOF && len(data) == 0:
			return nil, lines.refuse("there are no points")
		case err == io.EOF:
			return mat.NewDense(len(data)/len(variables), len(variables), data), nil
		case err == nil && len(data) >= maxPoints*len(variables):
			err = lines.refuse("more than %d points", maxPoints)
		}
		if err != nil {
			return nil, err
		}
		data = append(data, record.At...)
	}
}
