package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/bpielm/bpielm/bench/paper"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/format"
)

// paperReport is what --json prints. Numbers are medians over seeds.
type paperReport struct {
	Rows []paperRow `json:"rows"`
}

type paperRow struct {
	Problem     string                    `json:"problem"`
	Noise       float64                   `json:"noise"`
	Method      string                    `json:"method"`
	Neurons     int                       `json:"neurons,omitempty"`
	Collocation int                       `json:"collocation"`
	Sensors     int                       `json:"sensors"`
	Seeds       int                       `json:"seeds"`
	MAE         float64                   `json:"mae"`
	MaxAE       float64                   `json:"max_ae"`
	Coverage95  *float64                  `json:"coverage95,omitempty"`
	Width95     *float64                  `json:"width95,omitempty"` // mean width of the 95 % band
	CRPS        *float64                  `json:"crps,omitempty"`
	Evidence    *float64                  `json:"evidence,omitempty"`
	Train       float64                   `json:"train_s"`
	Parameters  map[string]paperParameter `json:"parameters,omitempty"`
	Quartiles   map[string][2]float64     `json:"quartiles"` // of mae, max_ae, coverage95, train_s
	Printed     *paperPrinted             `json:"printed,omitempty"`
}

type paperParameter struct {
	Mean       float64  `json:"mean"`
	SD         *float64 `json:"sd,omitempty"`
	Coverage95 *float64 `json:"coverage95,omitempty"`
	True       float64  `json:"true"`
}

type paperPrinted struct {
	MAE        float64            `json:"mae"`
	MaxAE      float64            `json:"max_ae"`
	Train      float64            `json:"train_s"`
	Parameters map[string]float64 `json:"parameters,omitempty"`
}

// printed returns the figures that the paper prints for a row. Those of BPIELM stand
// for the published method, ours and the limit.
func printed(r *paper.Row) (paper.Printed, bool) {
	method := r.Method
	if method == paper.Published || method == paper.Limit {
		method = paper.BPIELM
	}
	p, ok := r.Setting.Printed[method]
	return p, ok
}

func newPaperRow(r *paper.Row) paperRow {
	row := paperRow{
		Problem: r.Setting.Problem, Noise: r.Setting.Noise, Method: r.Method,
		Neurons: r.Neurons, Collocation: r.Setting.Collocation, Sensors: r.Setting.Sensors, Seeds: r.Seeds,
		MAE: r.MAE.Median, MaxAE: r.MaxAE.Median, Coverage95: findings.Number(r.Coverage.Median), Width95: findings.Number(r.Width.Median),
		CRPS: findings.Number(r.CRPS.Median), Evidence: findings.Number(r.Evidence.Median), Train: r.Seconds.Median,
		Quartiles: map[string][2]float64{},
	}
	for name, s := range map[string]paper.Spread{"mae": r.MAE, "max_ae": r.MaxAE, "coverage95": r.Coverage, "train_s": r.Seconds} {
		if findings.Number(s.Lower) != nil && findings.Number(s.Upper) != nil {
			row.Quartiles[name] = [2]float64{s.Lower, s.Upper}
		}
	}
	for name, p := range r.Parameters {
		if row.Parameters == nil {
			row.Parameters = map[string]paperParameter{}
		}
		q := paperParameter{Mean: p.Mean.Median, True: r.Setting.Truth[name]}
		if p.SD.Median > 0 {
			q.SD, q.Coverage95 = findings.Number(p.SD.Median), findings.Number(p.Covered)
		}
		row.Parameters[name] = q
	}
	if p, ok := printed(r); ok {
		row.Printed = &paperPrinted{p.MAE, p.MaxAE, p.Seconds, p.Parameters}
	}
	return row
}

func writePaperJSON(w io.Writer, rows []paper.Row) error {
	report := paperReport{}
	for i := range rows {
		report.Rows = append(report.Rows, newPaperRow(&rows[i]))
	}
	return findings.WriteJSON(w, report, "  ")
}

var paperMethodNames = map[string]string{
	paper.PINN: "PINN", paper.PIELM: "PIELM", paper.Published: "BPIELM as published", paper.BPIELM: "BPIELM",
}

// paperTable returns the rows of one setting as cells, the header first.
func paperTable(rows []paper.Row) (heading string, cells [][]string) {
	s := rows[0].Setting
	heading = fmt.Sprintf("%s, noise %g: N = %d, N_f = %d, %d sensors", s.Problem, s.Noise, s.Neurons, s.Collocation, s.Sensors)
	names := s.ParameterNames()
	header := []string{"method", "MAE", "paper", "Max-AE", "paper", "covered", "width", "CRPS"}
	for _, name := range names {
		header = append(header, fmt.Sprintf("%s = %g", name, s.Truth[name]), "paper", "covered")
	}
	header = append(header, "log evidence", "train", "paper")
	cells = append(cells, header)
	for i := range rows {
		r := &rows[i]
		p, _ := printed(r)
		name := paperMethodNames[r.Method]
		if r.Method == paper.Limit {
			name = fmt.Sprintf("limit, N = %d", r.Neurons)
		}
		row := []string{name, formatSpread(r.MAE), formatPrinted(p.MAE), formatSpread(r.MaxAE), formatPrinted(p.MaxAE),
			formatShare(r.Coverage.Median), formatMissing(r.Width.Median), formatMissing(r.CRPS.Median)}
		for _, name := range names {
			e := r.Parameters[name]
			covered := math.NaN()
			if e.SD.Median > 0 {
				covered = e.Covered
			}
			row = append(row, format.Estimate(e.Mean.Median, e.SD.Median), formatPrinted(p.Parameters[name]), formatShare(covered))
		}
		cells = append(cells, append(row, formatMissing(r.Evidence.Median), format.Nanoseconds(1e9*r.Seconds.Median), formatPrinted(p.Seconds)+" s"))
	}
	return heading, cells
}

// bySetting splits rows where the setting changes.
func bySetting(rows []paper.Row, each func(rows []paper.Row)) {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Setting == rows[0].Setting {
			n++
		}
		each(rows[:n])
		rows = rows[n:]
	}
}

func writePaperText(w io.Writer, rows []paper.Row) error {
	p := &page{}
	bySetting(rows, func(rows []paper.Row) {
		heading, cells := paperTable(rows)
		var lines []string
		for _, row := range cells {
			lines = append(lines, strings.Join(row, "\t"))
		}
		p.section(heading, lines...)
	})
	return p.writeTo(w)
}

func writePaperMarkdown(w io.Writer, rows []paper.Row) error {
	var text strings.Builder
	bySetting(rows, func(rows []paper.Row) {
		heading, cells := paperTable(rows)
		fmt.Fprintf(&text, "%s\n\n", heading)
		for i, row := range cells {
			fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
			if i == 0 {
				fmt.Fprintf(&text, "|%s\n", strings.Repeat(" --- |", len(row)))
			}
		}
		text.WriteByte('\n')
	})
	_, err := io.WriteString(w, text.String())
	return err
}

// formatSpread writes the median and, in brackets, the quartiles.
func formatSpread(s paper.Spread) string {
	return fmt.Sprintf("%s [%s, %s]", formatError(s.Median), formatError(s.Lower), formatError(s.Upper))
}

// formatError writes an error to three digits.
func formatError(v float64) string { return fmt.Sprintf("%.3g", v) }

func formatPrinted(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprint(v)
}

func formatMissing(v float64) string {
	if findings.Number(v) == nil {
		return "-"
	}
	return formatError(v)
}

func formatShare(v float64) string {
	if findings.Number(v) == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}
