package calibration

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// Several workers give the outcomes of one, in the order of the numbers.
func TestRun(t *testing.T) {
	study := Study{Seed: 1, First: 3, Count: 4, Options: Options{Kind: "oscillator"}, Set: []string{"features.neurons=30"}}
	seen := 0
	study.Progress = func(done int, o *Outcome) {
		if seen++; done != seen {
			t.Errorf("outcome %d is reported as number %d", seen, done)
		}
	}
	one := Run(context.Background(), study)
	study.Workers, study.Progress = 3, nil
	several := Run(context.Background(), study)
	for _, all := range [][]Outcome{one, several} {
		for i := range all {
			if all[i].Number != 3+i || all[i].Failure != "" || all[i].Field.Points == 0 {
				t.Errorf("outcome %d: %+v", i, all[i])
			}
			all[i].Seconds = 0
		}
	}
	a, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(several)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) || len(one) != 4 || seen != 4 {
		t.Errorf("%d outcomes, %d reported\n%s\n%s", len(one), seen, a, b)
	}
}

// A failure is an outcome with its reason.
func TestRunRecordsFailures(t *testing.T) {
	sick := errors.New("sick")
	fail := func(*spec.File) (*posterior.Posterior, error) { return nil, sick }
	alter := func(*Problem) (*Problem, error) { return nil, sick }
	for what, s := range map[string]Study{
		"fit":   {Count: 1, Fit: fail},
		"alter": {Count: 1, Alter: alter},
		"kind":  {Count: 1, Options: Options{Kind: "alchemy"}},
		"set":   {Count: 1, Set: []string{"features.neurons=none"}},
	} {
		all := Run(context.Background(), s)
		if len(all) != 1 || all[0].Failure == "" {
			t.Errorf("%s: %+v", what, all)
		}
		if sum := Aggregate(all); sum.Failed != 1 || sum.Problems != 1 {
			t.Errorf("%s: %+v", what, sum)
		}
	}
}

// What a cancellation interrupts is no outcome, and no failure.
func TestRunIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	s := Study{Seed: 1, Count: 2, Workers: 2, Options: Options{Kind: "telegraph", Coefficients: true}}
	if all := Run(ctx, s); len(all) != 0 {
		t.Errorf("outcomes after 50 ms: %+v", all)
	}
}

// After a cancellation, Run begins no other problem.
func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := Study{Seed: 1, Count: 50, Options: Options{Kind: "relaxation"}, Progress: func(int, *Outcome) { cancel() }}
	if n := len(Run(ctx, s)); n != 1 {
		t.Errorf("%d outcomes", n)
	}
}

// For this flow, small layers settle for loose equations. The larger ones have to search
// afresh, or the slack stays at 0.016.
func TestLayersThatGoAstray(t *testing.T) {
	const loose = 0.01
	all := Run(context.Background(), Study{Seed: 31, First: 9, Count: 1, Workers: 1, Options: Options{Kind: "stokes"}})
	o := &all[0]
	if o.Failure != "" || o.Kind != "stokes" {
		t.Fatalf("%s: %s", o.Kind, o.Failure)
	}
	if slack := o.Checks["equation, all"]; slack > loose || o.Field.RMSZ > 2 || o.Field.Coverage < 0.8 {
		t.Errorf("slack %.2g, rms z %.2f, %.0f %% inside", slack, o.Field.RMSZ, 100*o.Field.Coverage)
	}
}
