package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Compared returns a file with those of its readings that a verdict has compared with the others: of large groups these
// are some. Checks and verdict then number the readings of that file. Where all were compared, it is the file itself.
func Compared(v *posterior.Verdict, file *spec.File, checks []posterior.ReadingCheck) *spec.File {
	numbers := make([][]int, len(file.SensorFiles))
	for i := range checks {
		c := &checks[i]
		numbers[c.Sensors] = append(numbers[c.Sensors], c.Reading)
	}
	small := *file
	problem := *file.Problem
	problem.Sensors, small.SensorFiles = slices.Clone(problem.Sensors), slices.Clone(file.SensorFiles)
	small.Problem = &problem
	some := false
	for i := range numbers {
		if s := &problem.Sensors[i]; len(numbers[i]) < len(s.Values) {
			some = true
			keep(s, &small.SensorFiles[i], numbers[i])
		}
	}
	if !some {
		return file
	}
	Renumber(v, &small, checks)
	return &small
}

// keep keeps some readings of a group.
func keep(s *system.Sensors, of *spec.SensorFile, numbers []int) {
	points, values, sigma := mat.NewDense(len(numbers), s.Points.Cols(), nil), make([]float64, len(numbers)), s.Sigma
	if len(s.Sigma) == len(s.Values) {
		sigma = pick(s.Sigma, numbers)
	}
	for k, n := range numbers {
		copy(points.Row(k), s.Points.Row(n))
		values[k] = s.Values[n]
	}
	s.Points, s.Values, s.Sigma = points, values, sigma
	of.Lines, of.From, of.Sensors = pick(of.Lines, numbers), pick(of.From, numbers), pick(of.Sensors, numbers)
}

// pick returns some elements; nil of nil.
func pick[T any](list []T, numbers []int) []T {
	if list == nil {
		return nil
	}
	some := make([]T, len(numbers))
	for k, n := range numbers {
		some[k] = list[n]
	}
	return some
}

// Renumber numbers the readings that checks and the verdict name from 0 in each group: file has only these.
func Renumber(v *posterior.Verdict, file *spec.File, checks []posterior.ReadingCheck) {
	next := make([]int, len(file.SensorFiles))
	place := make([]map[int]int, len(file.SensorFiles))
	for i := range checks {
		c := &checks[i]
		if place[c.Sensors] == nil {
			place[c.Sensors] = map[int]int{}
		}
		place[c.Sensors][c.Reading] = next[c.Sensors]
		c.Reading = next[c.Sensors]
		next[c.Sensors]++
	}
	for i := range v.Checks {
		c := &v.Checks[i]
		for j := range file.SensorFiles {
			before := fmt.Sprintf("sensors %q, reading ", file.SensorFiles[j].Name)
			number, is := strings.CutPrefix(c.Name, before)
			if c.Kind != "reading" || !is {
				continue
			}
			n, err := strconv.Atoi(number)
			if k, known := place[j][n-1]; err == nil && known {
				now := before + strconv.Itoa(k+1)
				c.Message = strings.ReplaceAll(c.Message, c.Name+" ", now+" ")
				c.Name = now
			}
			break
		}
	}
}
