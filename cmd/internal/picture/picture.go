package picture

import (
	"fmt"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A Picture is a figure with a name.
type Picture struct {
	Name   string // of its file, without extension
	Figure *figure.Figure
}

// File is the name of the picture's file in a format.
func (p *Picture) File(f figure.Format) string { return p.Name + "." + string(f) }

// Of chooses and makes the pictures of a solved problem: those of its fields, of its
// readings with what Examine found of them (nil where it could not), and of its
// parameters.
func Of(file *spec.File, q *posterior.Posterior, checks []posterior.ReadingCheck) ([]Picture, error) {
	noise := q.Summary().Noise
	pictures, err := ofFields(file, q, noise)
	if err != nil {
		return nil, err
	}
	more, err := ofReadings(&artist{file: file, problem: file.Problem, predictor: q, noise: noise}, checks)
	if err != nil {
		return nil, err
	}
	pictures = append(pictures, more...)
	for _, p := range []*Picture{densities(file, q), corner(file, q)} {
		if p != nil {
			pictures = append(pictures, *p)
		}
	}
	return pictures, nil
}

// ofFields makes the pictures of every field. Readings whose noise was learned get
// their error bars from noise.
func ofFields(file *spec.File, q solution.Predictor, noise []posterior.NoiseEstimate) ([]Picture, error) {
	var pictures []Picture
	for i, field := range file.Problem.Fields {
		a := &artist{file: file, problem: file.Problem, predictor: q, noise: noise, field: i}
		if own, of, ok := solution.OwnVariables(file, q, i); ok {
			a = &artist{file: own, problem: own.Problem, predictor: of, noise: noise}
		}
		solved, sliced, err := a.figures()
		if err != nil {
			return nil, err
		}
		suffix, heading := "", file.Title
		if len(file.Problem.Fields) > 1 {
			suffix = "-" + field
			heading = fmt.Sprintf("%s: %s", file.Title, field)
		}
		solved.Title = heading
		pictures = append(pictures, Picture{"solution" + suffix, solved})
		if sliced != nil {
			sliced.Title = heading
			pictures = append(pictures, Picture{"slices" + suffix, sliced})
		}
	}
	return pictures, nil
}

// An artist makes the figures of one field.
type artist struct {
	file      *spec.File
	problem   *system.Problem
	predictor solution.Predictor
	noise     []posterior.NoiseEstimate // of each group of sensors, or none
	field     int
	shown     map[int][]system.Variable // see shownRange; by field
}

// inside tells whether the field has a meaning at x.
func (a *artist) inside(x []float64) bool {
	return (a.problem.Domain == nil || a.problem.Domain.Contains(x)) && a.file.Output.Holds(a.field, x)
}

// time returns which variable is the time, -1 for none.
func (a *artist) time() int {
	for i, v := range a.problem.Variables {
		if v.Name == "t" {
			return i
		}
	}
	return -1
}

// figures returns the field's main figure, and slices where it has two variables or
// more.
func (a *artist) figures() (solved, sliced *figure.Figure, err error) {
	if len(a.problem.Variables) == 1 {
		solved, err = a.curve()
		return solved, nil, err
	}
	lines := a.throughMiddle
	if len(a.problem.Variables) == 2 {
		lines = a.acrossMap
	}
	if solved, err = a.maps(); err != nil {
		return nil, nil, err
	}
	sliced, err = a.slices(lines())
	return solved, sliced, err
}
