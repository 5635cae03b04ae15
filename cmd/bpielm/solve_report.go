package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A report is everything that solve has to say, in the shape that --json prints. It
// leaves out what is unknown, or not a finite number.
type report struct {
	Title      string                        `json:"title,omitempty"`
	Program    string                        `json:"program,omitempty"` // that solved it, with its version
	Parameters map[string]findings.Parameter `json:"parameters,omitempty"`
	// Combinations are of parameters, each known far better than its parameters.
	Combinations []findings.Combination `json:"combinations,omitempty"`

	Noise       *float64               `json:"noise,omitempty"` // root mean square sd over all readings
	NoiseGroups []findings.Noise       `json:"noise_groups,omitempty"`
	Evidence    *float64               `json:"evidence,omitempty"`
	Error       map[string]errorReport `json:"error,omitempty"`
	Timing      timingReport           `json:"timing"`
	Solver      solverReport           `json:"solver"`
	Verdict     *findings.Verdict      `json:"verdict,omitempty"`
	Warnings    []string               `json:"warnings,omitempty"`
	PerSensor   []sensorFit            `json:"sensors,omitempty"` // if two or more have several readings: the thousand that fit worst
	Problem     problemReport          `json:"problem"`
	Files       []string               `json:"files,omitempty"` // names in the folder of --out
}

// problemReport says what was solved.
type problemReport struct {
	File      string           `json:"file"`
	Variables []variableReport `json:"variables"`
	Domain    string           `json:"domain"`
	Fields    []string         `json:"fields"`
	Equations []equationReport `json:"equations"` // and conditions
	Sensors   []sensorsReport  `json:"sensors"`
	Remarks   []string         `json:"remarks,omitempty"` // what looks wrong in the file and may be right
}

type variableReport struct {
	Name  string  `json:"name"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Log   bool    `json:"log,omitempty"`
	Unit  string  `json:"unit,omitempty"`
	Label string  `json:"label,omitempty"`
	Start string  `json:"start,omitempty"` // the moment at which a time is 0
}

// Since is the start of a variable as check writes it, "" without one.
func (v variableReport) Since() string { return since(v.variable()) }

// Until ends the description of a variable with the date at which its range ends, as check does.
func (v variableReport) Until() string { return until(v.variable()) }

func (v variableReport) variable() system.Variable {
	return system.Variable{Name: v.Name, Min: v.Min, Max: v.Max, Log: v.Log, Unit: v.Unit, Label: v.Label, Start: v.Start}
}

type equationReport struct {
	Equation string `json:"equation"`
	Where    string `json:"where"`
}

type sensorsReport struct {
	Name     string `json:"name"`
	Measures string `json:"measures"`
	Readings int    `json:"readings"`
	Missing  int    `json:"missing,omitempty"`   // values that were left out
	Listed   int    `json:"listed,omitempty"`    // those of them that the key missing lists,
	ListedAt string `json:"listed_at,omitempty"` // and where the first stands, as "log.csv:17"
	Outside  int    `json:"outside,omitempty"`   // readings that were left out: outside the range of the time

	// From the first to the last of the readings, and of those outside, as dates if the time has a start.
	Period        string `json:"period,omitempty"`
	OutsidePeriod string `json:"outside_period,omitempty"`

	Each   []sensorSummary `json:"each,omitempty"`                   // the first thousand sensors
	Unread []string        `json:"columns_not_read,omitempty"`       // of the files
	Silent []string        `json:"places_without_reading,omitempty"` // names of sensors
}

type errorReport struct {
	MAE        float64  `json:"mae"`
	MaxAE      float64  `json:"max_ae"`
	Coverage95 *float64 `json:"coverage95,omitempty"`
}

type timingReport struct {
	Assemble float64 `json:"assemble_s"`
	Fit      float64 `json:"fit_s"`
	Predict  float64 `json:"predict_s"`
}

type solverReport struct {
	Method              string             `json:"method"`
	Path                string             `json:"path,omitempty"`
	Kernel              string             `json:"kernel"`
	Threads             int                `json:"threads"`
	Neurons             int                `json:"neurons"` // of each draw, in each patch
	Patches             []int              `json:"patches,omitempty"`
	PatchEdges          [][]float64        `json:"patch_edges,omitempty"` // along each variable
	Ensemble            int                `json:"ensemble"`              // layers mixed
	Activation          string             `json:"activation"`
	Rows                int                `json:"rows"`
	Scale               *float64           `json:"scale,omitempty"`  // geometric mean over the variables
	Scales              map[string]float64 `json:"scales,omitempty"` // of each variable
	Amplitude           *float64           `json:"amplitude,omitempty"`
	Tolerance           *float64           `json:"tolerance,omitempty"`
	EffectiveParameters *float64           `json:"effective_parameters,omitempty"`
}

// report gathers the answer.
func (a *answer) report() *report {
	file, q, s, v := a.file, a.q, a.solution, a.verdict
	summary := q.Summary()
	r := &report{
		Title:    file.Title,
		Program:  version(),
		Noise:    findings.Number(summary.RootMeanSquareNoise()),
		Evidence: findings.Number(summary.Evidence),
		Timing: timingReport{
			Assemble: summary.Assemble.Seconds(),
			Fit:      summary.Fit.Seconds(),
			Predict:  s.Predict.Seconds(),
		},
		Solver: solverReport{
			Method: string(summary.Method), Path: string(summary.Path), Kernel: summary.Kernel, Threads: summary.Threads,
			Neurons: summary.Neurons, Patches: summary.Patches, PatchEdges: summary.PatchEdges, Ensemble: summary.Ensemble, Activation: summary.Activation.String(), Rows: summary.Rows,
			Scale: findings.Number(geometricMean(summary.Scale)), Scales: map[string]float64{}, Amplitude: findings.Number(summary.Amplitude), Tolerance: findings.Number(summary.Tolerance),
			EffectiveParameters: findings.Number(summary.EffectiveParameters),
		},
		Parameters:  findings.Parameters(q, file),
		NoiseGroups: findings.NoiseGroups(&summary),
		Warnings:    append(v.failures(), s.Warnings()...),
		Problem:     describeProblem(file),
	}
	if v != nil {
		r.Combinations, r.Verdict = findings.Combinations(v.Combinations), findings.VerdictOf(v.Verdict)
		r.PerSensor = worstSensors(v.perSensor(), mostReported)
	}
	for i, v := range q.Variables() {
		r.Solver.Scales[v.Name] = summary.Scale[i]
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if e := f.Score(); e.Points > 0 {
			if r.Error == nil {
				r.Error = map[string]errorReport{}
			}
			r.Error[f.Name] = errorReport{e.MAE, e.MaxAE, findings.Number(e.Coverage95)}
		}
	}
	return r
}

// describeProblem says what a problem file asks for.
func describeProblem(file *spec.File) problemReport {
	p := file.Problem
	r := problemReport{File: filepath.Base(file.Path), Domain: domainText(file), Fields: fieldTexts(file)}
	for _, v := range p.Variables {
		r.Variables = append(r.Variables, variableReport{v.Name, v.Min, v.Max, v.Log, v.Unit, v.Label, v.Start})
	}
	for _, line := range describe.Equations(p) {
		equation, where, _ := strings.Cut(line, "\t")
		r.Equations = append(r.Equations, equationReport{equation, where})
	}
	for i := range p.Sensors {
		f := &file.SensorFiles[i]
		each := eachSensor(file, i)
		r.Sensors = append(r.Sensors, sensorsReport{f.Name, describe.Measures(file, i), len(p.Sensors[i].Values), f.Passed.Gaps, f.Passed.Listed, f.Passed.ListedAt, f.Passed.Outside,
			periodOf(p, i), outsidePeriod(p, &f.Passed),
			each[:min(len(each), mostReported)], f.Unread, silent(&p.Sensors[i], f)})
	}
	r.Remarks = remarks(file)
	return r
}

// writeJSON writes the report as one object.
func (r *report) writeJSON(w io.Writer) error {
	return findings.WriteJSON(w, r, "  ")
}

// geometricMean of equal values is exactly that value.
func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += mat.Log(v / values[0])
	}
	return values[0] * mat.Exp(sum/float64(len(values)))
}
