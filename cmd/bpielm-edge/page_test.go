package main

import (
	"math"
	"strings"
	"testing"

	following "github.com/bpielm/bpielm/cmd/internal/page/live"
)

// TestThePageUnderstandsTheLog: what `bpielm serve --stream` shows of this program's log is what the log says.
func TestThePageUnderstandsTheLog(t *testing.T) {
	model, _, points := field(t, 20)
	log := logOf(t, header+beam(0, 30)+"broken\n0.4,99,s2\n"+beam(30, 45), "-points", points, "-every", "7", model)
	follower := following.New(following.Config{})
	if err := follower.Follow(strings.NewReader(log), "log", nil); err != nil {
		t.Fatal(err)
	}
	e := follower.Estimate()
	if e.Skipped != 0 || e.Readings != 46 {
		t.Errorf("%d readings, %d lines are not understood: %s\n%s", e.Readings, e.Skipped, e.Why, log)
	}
	if len(e.Points) != 2 || e.Points[1].X[0] != 0.7 || math.Abs(e.Points[1].Mean-0.49) > 0.05 || e.Points[1].Field != "u" || len(e.Parameters) != 1 || e.Parameters[0].Name != "q" {
		t.Errorf("points %+v, parameters %+v", e.Points, e.Parameters)
	}
	if len(e.Last) != 1 || e.Last[0].Sensor != "s2" || e.Last[0].Value != 99 || !e.Last[0].Rejected || len(e.Sensors) != 1 || e.Sensors[0].Rejected != 1 {
		t.Errorf("outliers %+v, sensors %+v", e.Last, e.Sensors)
	}
}
