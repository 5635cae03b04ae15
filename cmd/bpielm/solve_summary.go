package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bpielm/bpielm/bench/score"
	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/findings"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/solution"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// writeSummary writes the answer for people. hint adds how to keep it.
func (a *answer) writeSummary(w io.Writer, written []string, hint bool) error {
	file, q, s, v := a.file, a.q, a.solution, a.verdict
	p := &page{}
	summary := q.Summary()
	p.section(title(file), fitLines(&summary, s)...)
	p.section("Equations", shortened(describe.Equations(file.Problem))...)
	p.section("Parameters", append(estimateLines(q.Parameters(), file.Quantities), v.combinationLines()...)...)
	p.section("Correlation", correlationLines(q)...)
	p.section("Noise", noiseLines(file.Problem, &summary)...)
	p.section("Hyper-parameters", hyperLines(file.Problem.Variables, &summary)...)
	p.section("Error against the exact solution", errorLines(file, s)...)
	p.section("Verdict", v.lines()...)
	p.section("Sensors beside what the others predict", sensorFitLines(v.perSensor())...)
	p.section("Readings", passedLines(file)...)
	p.section("Notes", slices.Concat(remarks(file), v.notes(), s.Warnings(), published(&summary))...)
	p.section("Written", written...)
	if hint {
		p.section("", "nothing is kept: --out DIR writes tables, pictures and the model")
	}
	return p.writeTo(w)
}

// published returns the warnings of the paper's methods. For ours, the verdict says
// more.
func published(summary *posterior.Summary) []string {
	if summary.Method == posterior.BPIELM {
		return nil
	}
	return summary.Warnings
}

// shortened cuts the first cells of lines to fit a terminal.
func shortened(lines []string) []string {
	const widest = 72
	for i, l := range lines {
		cell, rest, _ := strings.Cut(l, "\t")
		if letters := []rune(cell); len(letters) > widest {
			lines[i] = string(letters[:widest-3]) + "...\t" + rest
		}
	}
	return lines
}

func title(file *spec.File) string {
	if file.Title == "" {
		return file.Path
	}
	return file.Title
}

var methodNames = map[posterior.Method]string{
	posterior.BPIELM:        "bpielm: physics first, then sensors",
	posterior.Published:     "paper: the published fixed point",
	posterior.PseudoInverse: "pielm: pseudo-inverse, no uncertainty",
}

func fitLines(summary *posterior.Summary, s *solution.Solution) []string {
	method := methodNames[summary.Method]
	if summary.Path != "" {
		method += fmt.Sprintf(" (%s path)", summary.Path)
	}
	neurons := format.Count(summary.Neurons, summary.Activation.String()+" neuron")
	if summary.Ensemble > 1 {
		neurons = fmt.Sprintf("mixture of %d layers of %s", summary.Ensemble, format.Count(summary.Neurons, "neuron"))
	}
	if summary.Patches != nil {
		neurons += " in each of " + format.Grid(summary.Patches) + " patches" + smallest(summary.PatchEdges)
	}
	return []string{
		"method\t" + method,
		fmt.Sprintf("size\t%s, %s, %s", neurons, format.Count(summary.Rows-summary.Readings, "row")+" of physics", format.Count(summary.Readings, "reading")),
		fmt.Sprintf("time\tassemble %s, fit %s, predict %s", seconds(summary.Assemble), seconds(summary.Fit), seconds(s.Predict)),
		fmt.Sprintf("kernel\t%s, %s", summary.Kernel, format.Count(summary.Threads, "thread")),
	}
}

// smallest says how small the smallest cell is along each variable, where they differ.
func smallest(edges [][]float64) string {
	differ := false
	var lengths []string
	for _, e := range edges {
		least, most := math.Inf(1), 0.0
		for k := range len(e) - 1 {
			least, most = min(least, e[k+1]-e[k]), max(most, e[k+1]-e[k])
		}
		differ = differ || most > 1.01*least
		lengths = append(lengths, format.Short(least))
	}
	if !differ {
		return ""
	}
	return ", the smallest " + strings.Join(lengths, " x ")
}

// estimateLines shows parameters, with the units of those that have one.
func estimateLines(estimates []posterior.ParameterEstimate, of map[string]spec.Quantity) []string {
	var lines []string
	for _, e := range estimates {
		line := e.Name + "\t" + format.Estimate(e.Mean, e.SD)
		if unit := of[e.Name].Unit; unit != "" {
			line += " " + unit
		}
		if e.SD > 0 {
			lower, upper := e.Lower95, e.Upper95
			if !(lower < upper) { // the estimate has no distribution
				lower, upper = e.Mean-score.Half95*e.SD, e.Mean+score.Half95*e.SD
			}
			lo, hi := format.Pair(lower, upper, e.SD)
			line += fmt.Sprintf("\t95 %% interval [%s, %s]", lo, hi)
		}
		if label := of[e.Name].Label; label != "" {
			line += "\t" + label
		}
		lines = append(lines, line)
	}
	return lines
}

// correlationLines is the lower triangle of the parameters' correlation matrix. It is
// empty for a single parameter, and for more than fit a terminal.
func correlationLines(q *posterior.Posterior) []string {
	const widest = 8
	estimates, correlation := q.Parameters(), q.ParameterCorrelation()
	if len(estimates) < 2 || len(estimates) > widest || correlation == nil {
		return nil
	}
	header := ""
	for _, e := range estimates {
		header += "\t" + e.Name
	}
	lines := []string{header}
	for i, e := range estimates {
		line := e.Name
		for j := range i + 1 {
			line += fmt.Sprintf("\t%6.3f", correlation.At(i, j))
		}
		lines = append(lines, line)
	}
	names := make([]string, len(estimates))
	for i, e := range estimates {
		names[i] = e.Name
	}
	return append(lines, correlationMeaning(names, correlation.At)...)
}

// strongCorrelation is that from which on the answer is worth a word: the sd of one parameter, given the other, is less
// than half of its sd.
const strongCorrelation = 0.9

// correlationMeaning says what the strongest correlation means; nothing if it is weak. at returns that of i and j <= i.
func correlationMeaning(names []string, at func(i, j int) float64) []string {
	strongest, a, b := 0.0, 0, 0
	for i := range names {
		for j := range i {
			if r := math.Abs(at(i, j)); r > strongest { // false for NaN
				strongest, a, b = r, j, i
			}
		}
	}
	if strongest < strongCorrelation {
		return nil
	}
	moves := "higher"
	if at(b, a) < 0 {
		moves = "lower"
	}
	return []string{fmt.Sprintf("The readings tell %s and %s apart poorly: if %s is higher than its mean, %s is %s.", names[a], names[b], names[a], names[b], moves)}
}

func noiseLines(p *system.Problem, summary *posterior.Summary) []string {
	var lines []string
	for i, n := range summary.Noise {
		how := origin(n.Learned)
		name := n.Name
		if name == "" {
			name = fmt.Sprintf("sensors %d", i+1)
		}
		line := fmt.Sprintf("%s\tsd %s\t%s", name, format.Short(n.Sigma), how)
		if i < len(p.Sensors) {
			line += "\t" + format.Count(len(p.Sensors[i].Values), "reading")
		}
		lines = append(lines, line)
	}
	return lines
}

// origin says where a noise level comes from.
func origin(learned bool) string {
	if learned {
		return "learned"
	}
	return "given"
}

func hyperLines(variables []system.Variable, summary *posterior.Summary) []string {
	var lines []string
	add := func(name string, value float64, more string) {
		if findings.Number(value) != nil {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%s\t%s\t%s", name, format.Short(value), more), "\t"))
		}
	}
	for i, v := range variables {
		add("scale in "+v.Name, summary.Scale[i], "range of the neurons' slopes, box side 2")
	}
	add("amplitude", summary.Amplitude, amplitudeMeaning(summary.Method))
	add("slack", summary.Tolerance, "of the equations, relative to their largest term")
	add("log evidence", summary.Evidence, evidenceUse(summary.Method))
	add("effective parameters", summary.EffectiveParameters, fmt.Sprintf("of %d", summary.Columns))
	return lines
}

// evidenceUse says which log evidences may be compared. That of the paper's method takes equations for data, and so depends
// on their points, too; a wide prior has a width that follows from the file.
func evidenceUse(m posterior.Method) string {
	if m == posterior.BPIELM {
		return "of the readings: compare it between files with the same readings and stated priors only"
	}
	return "of readings and equations: compare it between files with the same readings and points only"
}

// amplitudeMeaning explains the amplitude.
func amplitudeMeaning(m posterior.Method) string {
	if m == posterior.BPIELM {
		return "prior sd of a field, relative to its natural size"
	}
	return "prior sd of an output weight"
}

func errorLines(file *spec.File, s *solution.Solution) []string {
	var lines []string
	banded := false
	for i := range s.Fields {
		f := &s.Fields[i]
		e := f.Score()
		if e.Points == 0 {
			continue
		}
		line := fmt.Sprintf("%s\tMAE %s\tMax-AE %s", f.Name+file.Quantities[f.Name].InParentheses(), format.Short(e.MAE), format.Short(e.MaxAE))
		if findings.Number(e.Coverage95) != nil {
			line += fmt.Sprintf("\twithin 95 %% band: %.1f %%", 100*e.Coverage95)
			banded = true
		}
		line += "\t" + format.Count(e.Points, "point")
		lines = append(lines, line)
	}
	if banded {
		lines = append(lines, "The band is right or wrong at neighbouring points together: 95 % is the average over many draws of the noise, and a single one gives anything from half to all.")
	}
	return lines
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%.3f s", d.Seconds())
}
