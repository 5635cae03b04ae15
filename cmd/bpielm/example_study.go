package main

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/cmd/internal/solution"
)

// studyFiles makes the files of a study: its problem, and readings for each group of
// sensors. The options --sensors and --sigma apply to the first group; the noise of
// the others changes in proportion.
func (c *exampleCommand) studyFiles(s *problems.Study) ([]textFile, error) {
	problem := s.File(problems.ProblemFile)
	scale := 1.0
	if c.Sigma != nil {
		scale = *c.Sigma / s.Groups[0].Noise
		problem = scaleSigma(problem, scale)
	}
	if c.Neurons != 0 {
		problem = setValue(problem, "neurons", strconv.Itoa(c.Neurons))
	}
	files := []textFile{{problems.ProblemFile, problem}}
	for _, name := range s.Tables() {
		files = append(files, textFile{name, s.File(name)})
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		sensors := g.Sensors
		if i == 0 && c.Sensors != 0 {
			sensors = c.Sensors
		}
		content, err := simulateGroup(s, g, sensors, float64(g.Noise*scale), problems.GroupSeed(c.Seed, i))
		if err != nil {
			return nil, err
		}
		files = append(files, textFile{g.File, content})
	}
	return files, nil
}

// scaleSigma multiplies every line `sigma = ...` of a problem file.
func scaleSigma(file []byte, factor float64) []byte {
	line := regexp.MustCompile(`(?m)^sigma = ([^ #\n]*)`)
	return line.ReplaceAllFunc(file, func(found []byte) []byte {
		sigma, err := strconv.ParseFloat(string(line.FindSubmatch(found)[1]), 64)
		if err != nil {
			panic(err) // it is embedded
		}
		return strconv.AppendFloat([]byte("sigma = "), float64(sigma*factor), 'g', -1, 64)
	})
}

// simulateGroup makes the CSV file of a group of sensors.
func simulateGroup(s *problems.Study, g *problems.Group, sensors int, sigma float64, seed uint64) ([]byte, error) {
	file, exact, err := s.Reads(g)
	if err != nil {
		return nil, err
	}
	t := solution.NewTable(file.Problem.Variables, g.Place(file.Problem, sensors))
	t.Add("value", problems.Simulate(exact, t.Points, sigma, seed))
	var out bytes.Buffer
	err = t.WriteCSV(&out)
	return out.Bytes(), err
}
