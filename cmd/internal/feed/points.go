package feed

import (
	"io"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
)

// maxPoints limits the number of points.
const maxPoints = 1 << 16

// ReadPoints reads points (n x variables) from CSV or JSON lines, by the rules of a
// stream of readings without values.
func ReadPoints(r io.Reader, name string, variables []system.Variable) (*mat.Dense, error) {
	lines, err := readings.NewReader(r, name, readings.Config{Variables: variables, PointsOnly: true})
	if err != nil {
		return nil, &Error{File: name, Why: err.Error()}
	}
	var data []float64
	for {
		record, err := lines.Next()
		switch {
		case err == io.EOF && len(data) == 0:
			return nil, lines.Refuse("", "there are no points")
		case err == io.EOF:
			return mat.NewDense(len(data)/len(variables), len(variables), data), nil
		case err == nil && len(data) >= maxPoints*len(variables):
			err = lines.Refuse("", "more than %d points", maxPoints)
		}
		if err != nil {
			return nil, err
		}
		data = append(data, record.At...)
	}
}
