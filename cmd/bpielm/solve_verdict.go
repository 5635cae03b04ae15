package main

import (
	"fmt"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// A verdict is the library's verdict. It names readings by the lines of their files.
type verdict struct {
	*posterior.Verdict
	readings []posterior.ReadingCheck
	file     *spec.File // with the readings that were compared with the others
}

// examine judges a posterior. The verdict is nil where the method has no uncertainty.
func examine(file *spec.File, q *posterior.Posterior) (*verdict, error) {
	if q.ParameterCorrelation() == nil {
		return nil, nil
	}
	v, readings, err := q.Examine(file.Problem)
	if err != nil {
		return nil, err
	}
	file = describe.Compared(v, file, readings)
	describe.NameReadings(v, file)
	return &verdict{v, readings, file}, nil
}

// lines is the verdict for people.
func (v *verdict) lines() []string {
	if v == nil {
		return nil
	}
	if v.Sound {
		return []string{"sound: equations, readings and layers agree with each other"}
	}
	lines := []string{"not to be trusted as it stands:"}
	for _, m := range v.Failures() {
		lines = append(lines, "- "+m)
	}
	return lines
}

// combinationLines shows what parameters mean together.
func (v *verdict) combinationLines() (lines []string) {
	if v == nil {
		return nil
	}
	for _, c := range v.Combinations {
		low, high := format.Pair(c.Lower95, c.Upper95, c.SD)
		lines = append(lines, fmt.Sprintf("%s\t%s\t95 %% interval [%s, %s]", c.Expression, format.Estimate(c.Mean, c.SD), low, high))
	}
	return lines
}

// notes are further remarks.
func (v *verdict) notes() []string {
	if v == nil {
		return nil
	}
	return v.Notes()
}

// failures are the messages of failed checks.
func (v *verdict) failures() []string {
	if v == nil {
		return nil
	}
	return v.Failures()
}
