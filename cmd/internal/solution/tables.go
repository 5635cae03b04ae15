package solution

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// WriteParameters writes a row for each unknown parameter as CSV; only the header if there are
// none.
func WriteParameters(w io.Writer, estimates []posterior.ParameterEstimate) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"name", "mean", "sd", "median", "lower95", "upper95"}); err != nil {
		return err
	}
	for _, e := range estimates {
		record := []string{e.Name}
		for _, x := range []float64{e.Mean, e.SD, e.Median, e.Lower95, e.Upper95} {
			record = append(record, Cell(x))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteReadings writes readings as CSV beside what the others predict for them. file has those that were compared.
func WriteReadings(w io.Writer, file *spec.File, checks []posterior.ReadingCheck) error {
	out := csv.NewWriter(w)
	header := []string{"file", "line"}
	named := slices.ContainsFunc(file.SensorFiles, func(s spec.SensorFile) bool { return s.Sensors != nil })
	if named {
		header = append(header, "sensor")
	}
	for _, variable := range file.Problem.Variables {
		header = append(header, variable.Name)
	}
	header = append(header, "value", "sigma", "mean", "sd", "left_out_mean", "left_out_sd", "standardised", "weight")
	dated := format.DatesOf(file.Problem.Variables)
	if err := out.Write(dated.Add(header, nil)); err != nil {
		return err
	}
	for i := range checks {
		r := &checks[i]
		s := &file.SensorFiles[r.Sensors]
		name, line, sensor := s.Source(r.Reading)
		record := []string{name, fmt.Sprint(line)}
		if named {
			record = append(record, sensor)
		}
		at := file.Problem.Sensors[r.Sensors].Points.Row(r.Reading)
		for _, x := range at {
			record = append(record, Cell(x))
		}
		for _, x := range []float64{r.Value, r.Sigma, r.Mean, r.SD, r.LeftOutMean, r.LeftOutSD, r.Standardised, r.Weight} {
			record = append(record, Cell(x))
		}
		if err := out.Write(dated.Add(record, at)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
