package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/solution"
)

// exampleCommand is `bpielm example`.
type exampleCommand struct {
	Name    string   `arg:"" optional:"" help:"Which example; without it, they are listed."`
	Dir     string   `arg:"" optional:"" help:"Directory to write to, made if needed; default: the example's name."`
	Seed    uint64   `default:"1" help:"Seed of the sensors' noise."`
	Sigma   *float64 `placeholder:"S" help:"Standard deviation of the sensors' noise; default: the example's. The noise of further files changes in proportion."`
	Sensors int      `placeholder:"N" help:"Number of sensors in the first file; default: the example's."`
	Neurons int      `placeholder:"N" help:"Number of neurons; default: the example's."`
	List    bool     `help:"List the examples."`
	Force   bool     `help:"Overwrite files that exist."`
}

// Help adds to the verb's usage text.
func (*exampleCommand) Help() string {
	return `Writes problem.toml and a CSV file of sensor readings, simulated from the exact solution with Gaussian noise. The same options give the same readings on every machine. Some examples have measured readings, and a README.md that says where these come from and what others found.

Example:
  bpielm example poisson butterfly --sigma 0.01 --seed 7`
}

// Run executes the verb.
func (c *exampleCommand) Run(io *streams) error {
	if c.Name == "" || c.List {
		return listExamples(io.out)
	}
	switch {
	case c.Sensors != 0 && c.Sensors < 2:
		return refuse("--sensors=%d: at least 2 are needed", c.Sensors)
	case c.Sigma != nil && (!(*c.Sigma > 0) || math.IsInf(*c.Sigma, 0)):
		return refuse("--sigma=%g: it must be positive", *c.Sigma)
	case c.Neurons < 0:
		return refuse("--neurons=%d: at least 1 is needed", c.Neurons)
	}
	if c.Dir == "" {
		c.Dir = c.Name
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	return writeProblem(io.out, c.Dir, files, c.Force)
}

// files makes the example's files.
func (c *exampleCommand) files() ([]textFile, error) {
	if e := problems.Find(c.Name); e != nil {
		return c.paperFiles(e)
	}
	if s := problems.FindStudy(c.Name); s != nil {
		return c.studyFiles(s)
	}
	if m := problems.FindMeasured(c.Name); m != nil {
		return c.measuredFiles(m)
	}
	return nil, refuse("there is no example %q; bpielm example lists them", c.Name)
}

// measuredFiles makes the files of an example with measured readings. No option
// changes these.
func (c *exampleCommand) measuredFiles(m *problems.Measurement) ([]textFile, error) {
	if c.Sigma != nil || c.Sensors != 0 || c.Neurons != 0 {
		return nil, refuse("the files of %s are published: --sigma, --sensors and --neurons do not change them", m.Name)
	}
	var files []textFile
	for _, name := range m.Files() {
		files = append(files, textFile{name, m.File(name)})
	}
	return files, nil
}

func listExamples(w io.Writer) error {
	var lines []string
	for _, e := range problems.All {
		lines = append(lines, fmt.Sprintf("%s\t%s (%s)", e.Name, e.About, format.Count(e.Sensors, "sensor")))
	}
	for _, s := range problems.Studies {
		sensors := 0
		for _, g := range s.Groups {
			sensors += g.Sensors
		}
		lines = append(lines, fmt.Sprintf("%s\t%s (%s)", s.Name, s.About, format.Count(sensors, "sensor")))
	}
	for _, m := range problems.Measured {
		lines = append(lines, m.Name+"\t"+m.About)
	}
	p := &page{}
	p.section("Examples: bpielm example NAME DIR writes one", lines...)
	return p.writeTo(w)
}

// paperFiles makes the two files of one of the paper's problems.
func (c *exampleCommand) paperFiles(e *problems.Example) ([]textFile, error) {
	problem := e.File(problems.ProblemFile)
	sigma, sensors := problems.Sigma, e.Sensors
	if c.Sigma != nil {
		sigma = *c.Sigma
		problem = setValue(problem, "sigma", strconv.FormatFloat(sigma, 'g', -1, 64))
	}
	if c.Sensors != 0 {
		sensors = c.Sensors
	}
	if c.Neurons != 0 {
		problem = setValue(problem, "neurons", strconv.Itoa(c.Neurons))
	}
	readings, err := simulateExample(e, sensors, sigma, c.Seed)
	return []textFile{{problems.ProblemFile, problem}, {e.SensorFile, readings}}, err
}

// setValue replaces the value of the only line `key = ...` of a TOML file.
func setValue(file []byte, key, value string) []byte {
	line := regexp.MustCompile(`(?m)^` + key + ` = .*$`)
	return line.ReplaceAllLiteral(file, []byte(key+" = "+value))
}

// simulateExample makes the sensors' CSV file from the exact solution and the places
// of the embedded problem.
func simulateExample(e *problems.Example, sensors int, sigma float64, seed uint64) ([]byte, error) {
	file, err := e.Read()
	if err != nil {
		return nil, err
	}
	t := solution.NewTable(file.Problem.Variables, e.Place(file.Problem, sensors))
	t.Add("value", problems.Simulate(file.Output.Exact[0], t.Points, sigma, seed))
	var out bytes.Buffer
	err = t.WriteCSV(&out)
	return out.Bytes(), err
}
