package calibration

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
)

var (
	poolProblems = flag.Int("problems", 0, "number of problems in TestPool; 0: one of each kind")
	poolSeed     = flag.Uint64("seed", 1, "seed of TestPool")
	poolFirst    = flag.Int("first", 0, "number of the first problem in TestPool")
	poolKind     = flag.String("kind", "", "kind of the problems of TestPool")
	poolScarce   = flag.Bool("scarce", false, "few readings in TestPool")
	poolSet      = flag.String("set", "", "overrides of the problem files of TestPool, separated by spaces")
)

// Bounds for one problem of each kind. A correct posterior has a coverage of 0.95, misses
// more than 30 % of a solution in 4 % of problems, and has two parameters in a thousand
// beyond 3 sd. For 51 problems and 40 parameters, one run in a thousand exceeds these bounds.
const (
	minCoverage, maxCoverage = 0.9, 0.985
	maxLow                   = 0.16
	maxFarOff                = 2
	maxTooWide               = 0.04
	maxBeyond                = 2
	maxWarned                = 0.1
)

// TestPool solves random problems with the defaults, and logs the outcomes:
//
//	go test ./bench/calibration -run Pool -v -args -problems 200
func TestPool(t *testing.T) {
	count := *poolProblems
	switch {
	case count > 0:
	case testing.Short():
		count = len(kinds) / 6
	default:
		count = len(kinds)
	}
	s := Aggregate(Run(context.Background(), Study{
		Seed: *poolSeed, First: *poolFirst, Count: count, Options: Options{Kind: *poolKind, Scarce: *poolScarce}, Set: strings.Fields(*poolSet),
		Progress: func(_ int, o *Outcome) {
			if text := conspicuous(o); text != "" {
				t.Log(text)
			}
		},
	}))
	for _, k := range s.Kinds {
		t.Logf("%-22s %s", k.Kind, line(&k.Summary))
	}
	t.Logf("%-22s %s", "all", line(&s))
	t.Logf("parameters %+v, others %+v, relative MAE %.3g, CRPS %.3g and %.3g", s.Parameters, s.Others, s.MedianMAE, s.MedianCRPS, s.NinthCRPS)
	if s.Failed > 0 {
		t.Errorf("%d of %d problems have no posterior", s.Failed, s.Problems)
	}
	if *poolProblems > 0 || testing.Short() {
		return
	}
	if s.MeanCoverage < minCoverage || s.MeanCoverage > maxCoverage {
		t.Errorf("95 %% bands hold the truth at %.3f of the points", s.MeanCoverage)
	}
	if s.Low > maxLow || s.FarOff > maxFarOff || s.TooWide > maxTooWide || s.Parameters.Beyond > maxBeyond || s.Warned > maxWarned {
		t.Errorf("bands fail more often than chance allows: %s", line(&s))
	}
}

func line(s *Summary) string {
	return fmt.Sprintf("n=%d low=%.3f (self %.3f) far=%d wide=%.3f coverage=%.3f parameters=%d/%d warned=%.2f %.3f s each",
		s.Problems, s.Low, s.SelfLow, s.FarOff, s.TooWide, s.MeanCoverage, s.Parameters.Beyond, s.Parameters.Count, s.Warned, s.Seconds/float64(s.Problems))
}

// conspicuous describes what is wrong with an outcome, or returns "".
func conspicuous(o *Outcome) string {
	if o.Failure != "" {
		return fmt.Sprintf("%d %s: %s", o.Number, o.Kind, o.Failure)
	}
	f := &o.Field
	text := ""
	for _, c := range []struct {
		wrong bool
		what  string
	}{{f.Coverage < low, " low"}, {f.RMSZ > farOff, " far"}, {f.RMSSD > tooWide*f.RMSError, " wide"}} {
		if c.wrong {
			text += c.what
		}
	}
	for _, p := range o.Parameters {
		if p.Z > farOff || p.Z < -farOff {
			text += fmt.Sprintf(" %s=%.3g±%.2g for %.3g", p.Name, p.Mean, p.SD, p.Truth)
		}
	}
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%d %s, %d readings for %d, noise %.3g: coverage %.2f, rms z %.2f, error %.2g ± %.2g:%s",
		o.Number, o.Kind, o.Readings, o.Freedom, o.Noise, f.Coverage, f.RMSZ, f.RMSError/f.Scale, f.RMSSD/f.Scale, text)
}
