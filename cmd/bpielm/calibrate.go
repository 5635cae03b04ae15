package main

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"github.com/bpielm/bpielm/bench/calibration"
	"github.com/bpielm/bpielm/cmd/internal/findings"
)

// calibrateCommand is `bpielm calibrate`.
type calibrateCommand struct {
	Problems     int      `default:"102" help:"How many problems (default: ${default}, two of each kind)."`
	Seed         uint64   `default:"1" help:"Seed of the sequence of problems (default: ${default})."`
	First        int      `default:"0" help:"Number of the first problem, counted from 0."`
	Scarce       bool     `help:"Problems with few readings: 0.7 to 1.6 for each degree of freedom."`
	Coefficients bool     `help:"Problems with one or two unknown coefficients."`
	Nonlinear    bool     `help:"Problems with a term that is not linear."`
	Kind         string   `help:"Only problems of this kind."`
	Spoil        string   `help:"Make every problem file wrong in this way, and count the answers with a warning: wrong-coefficient, missing-term, small-noise, outlying, mistyped, few-neurons, held-scale, shifted or misplaced."`
	Set          []string `sep:"none" placeholder:"SECTION.KEY=VALUE" help:"Override a value of every problem file; may be repeated."`
	JSON         bool     `name:"json" help:"Print one JSON object: the summary, and every outcome."`
	Write        string   `placeholder:"DIR" help:"Write the first problem into this directory and solve nothing."`
	Force        bool     `help:"With --write, overwrite files that exist."`
	Quiet        bool     `short:"q" help:"Show no progress."`
}

// Help adds to the verb's usage text.
func (*calibrateCommand) Help() string {
	return `Draws random problems with known solutions, of 51 kinds from relaxation to plane stress, solves each as its file says, and counts how often the 95 % bands hold. For comparison it counts how often they would hold for truths drawn from the posteriors themselves.

Examples:
  bpielm calibrate --problems 510 --seed 7
  bpielm calibrate --spoil small-noise --json
  bpielm calibrate --first 17 --write puzzle && bpielm solve puzzle`
}

// takesInterruptions: an interruption ends the solving, and the summary follows.
func (c *calibrateCommand) takesInterruptions() bool { return true }

// Run executes the verb.
func (c *calibrateCommand) Run(io *streams) error {
	if c.Problems < 1 {
		return refuse("--problems=%d: at least 1 is needed", c.Problems)
	}
	if c.First < 0 {
		return refuse("--first=%d: problems are numbered from 0", c.First)
	}
	study := c.study()
	first, err := calibration.DrawWith(c.Seed, c.First, study.Options)
	if err == nil && study.Alter != nil {
		first, err = study.Alter(first)
	}
	if err != nil {
		return &inputError{err: err}
	}
	if c.Write != "" {
		return c.write(io.out, first)
	}
	bar := newProgress(io.err, c.Quiet, "solving")
	study.Progress = func(done int, _ *calibration.Outcome) { bar.update(done, c.Problems) }
	ctx, stop := untilInterrupted()
	defer stop()
	outcomes := calibration.Run(ctx, study)
	bar.finish()
	summary := calibration.Aggregate(outcomes)
	if c.JSON {
		return findings.WriteJSON(io.out, struct {
			Summary  calibration.Summary   `json:"summary"`
			Outcomes []calibration.Outcome `json:"outcomes"`
		}{summary, outcomes}, "  ")
	}
	return writeCalibration(io.out, &summary, outcomes)
}

// study is what the flags ask for.
func (c *calibrateCommand) study() calibration.Study {
	study := calibration.Study{
		Seed: c.Seed, First: c.First, Count: c.Problems, Set: c.Set,
		Workers: (runtime.GOMAXPROCS(0) + 1) / 2, // a fit uses several processors, but seldom all of many
		Options: calibration.Options{Scarce: c.Scarce, Kind: c.Kind, Coefficients: c.Coefficients, Nonlinear: c.Nonlinear},
	}
	if c.Spoil != "" {
		study.Alter = func(p *calibration.Problem) (*calibration.Problem, error) {
			return calibration.Spoil(p, calibration.Spoiling(c.Spoil), c.Seed)
		}
	}
	return study
}

// write writes the files of a problem into the folder of --write.
func (c *calibrateCommand) write(w io.Writer, p *calibration.Problem) error {
	var files []textFile
	texts := p.Files()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, textFile{name, []byte(texts[name])})
	}
	return writeProblem(w, c.Write, files, c.Force)
}

// writeCalibration writes a summary for people.
func writeCalibration(w io.Writer, s *calibration.Summary, outcomes []calibration.Outcome) error {
	p := &page{}
	bands := []string{
		fmt.Sprintf("problems\t%d\t%d without an answer", s.Problems, s.Failed),
		fmt.Sprintf("inside the band\t%.1f %%\tmean over problems", 100*s.MeanCoverage),
		fmt.Sprintf("less than 70 %% inside\t%.1f %%\tof problems; of truths drawn from the posteriors %.1f %%", 100*s.Low, 100*s.SelfLow),
		fmt.Sprintf("rms z above 3\t%d", s.FarOff),
		fmt.Sprintf("band 20 times too wide\t%.1f %%\tof problems", 100*s.TooWide),
		fmt.Sprintf("error\t%.2g\tmedian mean absolute error, relative to the solution's variation", s.MedianMAE),
		fmt.Sprintf("CRPS\t%.2g\tmedian; 90th percentile %.2g", s.MedianCRPS, s.NinthCRPS),
		fmt.Sprintf("warned of\t%.1f %%\tof answers", 100*s.Warned),
		fmt.Sprintf("time\t%.2f s\ta problem", s.Seconds/float64(max(s.Problems, 1))),
	}
	if o := &s.Others; o.Count > 0 {
		bands = append(bands, fmt.Sprintf("further fields\t%d\tof systems: less than 70 %% inside in %.1f %%, rms z above 3 in %d", o.Count, 100*o.Low, o.FarOff))
	}
	if s.Failed == s.Problems { // there is nothing to count
		bands = bands[:1]
	}
	p.section("Bands of 95 %", bands...)
	if q := &s.Parameters; q.Count > 0 {
		p.section("Parameters",
			fmt.Sprintf("inside 95 %%\t%.1f %%\tof %d", 100*q.Within, q.Count),
			fmt.Sprintf("beyond 3 sd\t%d", q.Beyond),
			fmt.Sprintf("quantiles of the truth\tchi-squared %.1f with 9 degrees of freedom, largest distance %.3f", q.ChiSquared, q.Kolmogorov),
		)
	}
	var lines []string
	for i := range s.Kinds {
		k := &s.Kinds[i]
		lines = append(lines, fmt.Sprintf("%s\t%d\t%.0f %%\t%.0f %%\t%d\t%d of %d\t%.2g\t%.0f %%", k.Kind, k.Problems, 100*k.MeanCoverage, 100*k.Low, k.FarOff, k.Parameters.Beyond, k.Parameters.Count, k.MedianMAE, 100*k.Warned))
	}
	if s.Failed < s.Problems {
		p.section("Kinds", append([]string{"\tproblems\tinside\tlow\trms z > 3\tbeyond 3 sd\terror\twarned"}, lines...)...)
	}
	var failures []string
	for i := range outcomes {
		if o := &outcomes[i]; o.Failure != "" {
			failures = append(failures, fmt.Sprintf("%s %d\t%s", o.Kind, o.Number, o.Failure))
		}
	}
	if failures != nil {
		p.section("Without an answer", failures...)
	}
	return p.writeTo(w)
}
