package main

import (
	"fmt"
	"math"
	"os"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// predictCommand is `bpielm predict`.
type predictCommand struct {
	Model      string `arg:"" help:"Model file, as solve --out writes it."`
	Points     string `arg:"" help:"CSV file with a column for each variable, in any order; further columns are ignored. - is standard input."`
	Out        string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output; it appears when it is complete. A device or a named pipe is written to."`
	Predictive bool   `help:"Add the sensors' noise: the uncertainty of a reading instead of the solution's."`
}

// Help adds to the verb's usage text.
func (*predictCommand) Help() string {
	return `Prints a CSV table: the variables, then for each field its mean, standard deviation, and the ends of its 95 % interval. These describe the solution itself (latent); with --predictive they describe a reading of a sensor with the model's root mean square noise.

Example:
  bpielm predict results/model.bpielm points.csv --out values.csv`
}

// Run executes the verb.
func (c *predictCommand) Run(io *streams) error {
	q, err := loadModel(c.Model)
	if err != nil {
		return err
	}
	points, err := c.points(q.Variables())
	if err != nil {
		return err
	}
	noise := 0.0
	if c.Predictive {
		summary := q.Summary()
		noise = summary.RootMeanSquareNoise()
		if !(noise >= 0) || math.IsInf(noise, 0) {
			return refuse("%s: --predictive: the model has no noise level (method %s)", c.Model, summary.Method)
		}
	}
	result, err := predictTable(q, points, noise)
	if err != nil {
		return inFile(c.Points, err)
	}
	if outside := outsideBox(q.Variables(), points); outside != "" {
		fmt.Fprintf(io.err, "bpielm: warning: %s: %s; there the solution is extrapolated\n", c.Points, outside)
	}
	if c.Out == "" {
		return result.writeCSV(io.out)
	}
	return results.WriteFile(c.Out, result.writeCSV)
}

func (c *predictCommand) points(variables []system.Variable) (*mat.Dense, error) {
	if c.Points == "-" {
		c.Points = "standard input"
		return spec.ReadPointsFrom(os.Stdin, c.Points, variables)
	}
	return spec.ReadPoints(c.Points, variables)
}

// predictTable evaluates all fields at points. It adds noise to the latent standard
// deviation. Where the method has no uncertainty there is only the mean.
func predictTable(q *posterior.Posterior, points *mat.Dense, noise float64) (*table, error) {
	t := newTable(q.Variables(), points)
	for i, name := range q.Fields() {
		mean, sd, err := q.Predict(system.Field(i), points)
		if err != nil {
			return nil, err
		}
		for k := range sd {
			if noise > 0 {
				sd[k] = math.Sqrt(float64(sd[k]*sd[k]) + float64(noise*noise))
			}
		}
		t.addEstimate(name, mean, sd)
	}
	return t, nil
}

// outsideBox says which of the points are outside the variables' ranges; "" if none.
func outsideBox(variables []system.Variable, points *mat.Dense) string {
	first, n := 0, 0
	for i := range points.Rows() {
		for d, x := range points.Row(i) {
			if x < variables[d].Min || x > variables[d].Max {
				if n++; n == 1 {
					first = i + 1
				}
				break
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("row %d is outside the model's box", first)
	}
	return fmt.Sprintf("row %d and %s are outside the model's box", first, format.Count(n-1, "other"))
}
