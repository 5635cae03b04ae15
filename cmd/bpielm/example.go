package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/bpielm/bpielm/cmd/bpielm/examples"
)

// exampleCommand is `bpielm example`.
type exampleCommand struct {
	Name    string  `arg:"" optional:"" help:"Which example; without it they are listed."`
	Dir     string  `arg:"" optional:"" help:"Directory to write to, made if needed; default: the example's name."`
	Seed    uint64  `default:"1" help:"Seed of the sensors' noise."`
	Sigma   float64 `default:"0.05" help:"Standard deviation of the sensors' noise."`
	Sensors int     `placeholder:"N" help:"Number of sensors; default: the paper's."`
	Neurons int     `placeholder:"N" help:"Number of neurons; default: the paper's."`
	List    bool    `help:"List the examples."`
	Force   bool    `help:"Overwrite files that exist."`
}

// Help adds to the verb's usage text.
func (*exampleCommand) Help() string {
	return `Writes problem.toml and a CSV file of sensor readings, simulated from the exact solution with Gaussian noise. The same options give the same readings on every machine.

Example:
  bpielm example poisson butterfly --sigma 0.01 --seed 7`
}

// Run executes the verb.
func (c *exampleCommand) Run(io *streams) error {
	if c.Name == "" || c.List {
		return listExamples(io.out)
	}
	e := examples.Find(c.Name)
	if e == nil {
		return refuse("there is no example %q; bpielm example lists them", c.Name)
	}
	if c.Dir == "" {
		c.Dir = e.Name
	}
	if c.Sensors == 0 {
		c.Sensors = e.Sensors
	}
	switch {
	case c.Sensors < 2:
		return refuse("--sensors=%d: at least 2 are needed", c.Sensors)
	case !(c.Sigma > 0) || math.IsInf(c.Sigma, 0):
		return refuse("--sigma=%g: it must be positive", c.Sigma)
	case c.Neurons < 0:
		return refuse("--neurons=%d: at least 1 is needed", c.Neurons)
	}
	if !c.Force {
		for _, name := range []string{examples.ProblemFile, e.SensorFile} {
			path := filepath.Join(c.Dir, name)
			if _, err := os.Lstat(path); err == nil {
				return refuse("%s exists; --force overwrites it", path)
			}
		}
	}
	return c.write(io.out, e)
}

func listExamples(w io.Writer) error {
	var lines []string
	for _, e := range examples.All {
		lines = append(lines, fmt.Sprintf("%s\t%s (%s)", e.Name, e.About, count(e.Sensors, "sensor")))
	}
	p := &page{}
	p.section("Examples: bpielm example NAME DIR writes one", lines...)
	return p.writeTo(w)
}

// write puts the example's two files into the directory.
func (c *exampleCommand) write(w io.Writer, e *examples.Example) error {
	problem := e.File(examples.ProblemFile)
	if c.Sigma != examples.Sigma {
		problem = setValue(problem, "sigma", strconv.FormatFloat(c.Sigma, 'g', -1, 64))
	}
	if c.Neurons != 0 {
		problem = setValue(problem, "neurons", strconv.Itoa(c.Neurons))
	}
	sensors, err := simulateExample(e, c.Sensors, c.Sigma, c.Seed)
	if err != nil {
		return err
	}
	b, err := newBatch(c.Dir)
	if err != nil {
		return err
	}
	defer b.discard()
	for _, f := range []struct {
		name    string
		content []byte
	}{{examples.ProblemFile, problem}, {e.SensorFile, sensors}} {
		err := b.write(f.name, func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		})
		if err != nil {
			return err
		}
	}
	written, err := b.commit()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\nbpielm solve %s solves it\n", strings.Join(written, "\n"), filepath.Join(c.Dir, examples.ProblemFile))
	return err
}

// setValue replaces the value of the only line `key = ...` of a TOML file.
func setValue(file []byte, key, value string) []byte {
	line := regexp.MustCompile(`(?m)^` + key + ` = .*$`)
	return line.ReplaceAllLiteral(file, []byte(key+" = "+value))
}

// simulateExample makes the sensors' CSV file. The exact solution and the places come
// from the embedded problem.
func simulateExample(e *examples.Example, sensors int, sigma float64, seed uint64) ([]byte, error) {
	file, err := e.Read()
	if err != nil {
		return nil, err
	}
	t := newTable(file.Problem.Variables, e.Place(file.Problem, sensors))
	t.add("value", examples.Simulate(file.Output.Exact[0], t.points, sigma, seed))
	var out bytes.Buffer
	err = t.writeCSV(&out)
	return out.Bytes(), err
}
