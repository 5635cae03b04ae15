package page

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

const (
	mostPlaces  = 20      // sensors to place at a time
	mostChoices = 1 << 13 // candidates, the cells of the slice
	goalPoints  = 256     // at which the variance of the field is averaged
)

// place says where further sensors would help most.
func (s *Session) place(ctx context.Context, of *SliceOf, kind, count int) (*Placements, error) {
	v, err := s.last()
	if err != nil {
		return nil, err
	}
	if count == 0 {
		count = 1
	}
	p := v.file.Problem
	switch {
	case !v.uncertain:
		return nil, errors.New("this method has no uncertainty, and so no best place")
	case kind < 0 || kind >= len(p.Sensors):
		return nil, fmt.Errorf("there is no group of sensors %d", kind)
	case p.Sensors[kind].Measures.Nonlinear != nil:
		return nil, errors.New("what these sensors measure is not linear in the fields; where they help depends on what they read")
	case v.file.SensorFiles[kind].Placeless:
		return nil, errors.New("these sensors measure an average; they have no place")
	case count < 1 || count > mostPlaces:
		return nil, fmt.Errorf("from 1 to %d sensors can be placed at a time", mostPlaces)
	}
	c, err := v.cut(of, mostChoices)
	if err != nil {
		return nil, err
	}
	out := &Placements{Places: []Place{}}
	if c.points.Rows() < count {
		return nil, errors.New("the slice has too few points inside the domain")
	}
	if v.bytesOf(c.points.Rows()) > s.limits.Preview {
		return nil, errors.New("these are too many places to compare; ask for a coarser slice")
	}
	goal, err := v.goal(c.Field)
	if err != nil {
		return nil, err
	}
	sensor := posterior.Sensor{Name: v.file.SensorFiles[kind].Name, Measures: p.Sensors[kind].Measures, Sigma: v.usual(kind)}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	placements, alone, err := v.q.PlaceAndCompare(sensor, c.points, count, posterior.Query{Functional: system.Field(c.Field), Points: goal})
	if err != nil {
		return nil, err
	}
	for _, e := range placements {
		out.Places = append(out.Places, Place{slices.Clone(c.points.Row(e.Candidate)), math.Sqrt(e.Before), math.Sqrt(e.After)})
	}
	gains := make([]float64, len(alone))
	for i, after := range alone {
		gains[i] = math.Sqrt(placements[0].Before) - math.Sqrt(after)
	}
	out.Gain = c.grid(gains)
	return out, nil
}

// usual is the noise of a new sensor of a group.
func (v *solved) usual(g int) float64 {
	if stated := statedOf(v.file, g); stated > 0 {
		return stated
	}
	return v.sigmaOf(g, &row{})
}

// goal returns points over the domain where a field is defined.
func (v *solved) goal(field int) (*mat.Dense, error) {
	p := v.file.Problem
	domain := p.Domain
	for d := range p.Variables {
		if !p.DependsOn(field, d) {
			domain = nil
		}
	}
	return system.Collocation(p.Variables, system.Region(func(x []float64) bool {
		return (domain == nil || domain.Contains(x)) && v.file.Output.Holds(field, x)
	}), goalPoints, 1)
}
