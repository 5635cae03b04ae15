package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/cmd/internal/findings"
)

// A number that JSON cannot hold is named, and nothing is printed.
func TestNumbersThatAreNotFiniteAreNamed(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		value any
		want  string
	}{
		{&report{Parameters: map[string]findings.Parameter{"a": {Mean: 1}, "Ta": {Mean: nan}}}, "parameters.Ta.mean is NaN"},
		{&report{Verdict: &findings.Verdict{Checks: []findings.Check{{}, {Limit: &nan}}}}, "verdict.checks[1].limit is NaN"},
		{&assimilationReport{Estimates: []map[string]any{{"u_mean": math.Inf(1)}}}, "estimates[0].u_mean is +Inf"},
	} {
		var out bytes.Buffer
		if err := findings.WriteJSON(&out, test.value, ""); err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
			t.Errorf("error %v, printed %q; want %q", err, out.String(), test.want)
		}
	}
	var out bytes.Buffer
	if err := findings.WriteJSON(&out, &sensorReport{Name: "<a>"}, "  "); err != nil || !strings.Contains(out.String(), `"name": "<a>"`) {
		t.Errorf("%v, printed %q", err, out.String())
	}
}

// The error names the file whose answer has such a number.
func TestErrorsOfAnswersNameTheirFile(t *testing.T) {
	problem := writeExample(t, "beam", "--neurons=20")
	edit(t, problem, "exact = \"", "exact = \"1e308 + ")
	status, stdout, stderr := execute("solve", problem, "--json")
	if status != exitFailure || stdout != "" || !strings.HasPrefix(stderr, "bpielm: "+problem+": error.w.") || !strings.Contains(stderr, "not a finite number") {
		t.Errorf("status %d, prints %.40q, says %q", status, stdout, stderr)
	}
}
