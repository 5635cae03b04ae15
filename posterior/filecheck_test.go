package posterior

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// TestModelThatCouldNotBeReadIsNotWritten: the error names what is wrong, and nothing is written.
func TestModelThatCouldNotBeReadIsNotWritten(t *testing.T) {
	p := rod(true)
	for _, test := range []struct {
		spoil func(q *Posterior)
		want  string
	}{
		{func(q *Posterior) { mean := q.components[0].mean; mean[len(mean)-1] = math.NaN() }, "mean of parameter lambda is NaN"},
		{func(q *Posterior) { q.components[0].mean[2] = math.Inf(-1) }, "mean of weight 3 is -Inf"},
		{func(q *Posterior) { q.components[0].factor.Set(4, 1, math.Inf(1)) }, "covariance of weight 5, number 2 is +Inf"},
		{func(q *Posterior) { q.summary.Noise[1].Sigma = math.NaN() }, `noise of sensors "slopes" is NaN`},
		{func(q *Posterior) { q.variables[0].Max = math.Inf(1) }, `variable "x"`},
		{func(q *Posterior) { q.fields = nil }, "number of fields"},
	} {
		q, err := Fit(p, Config{Neurons: 6, Scale: []float64{2}, Seed: 1, Ensemble: 1})
		if err != nil {
			t.Fatal(err)
		}
		test.spoil(q)
		notWritten(t, q.Save, test.want)
	}
	for _, test := range []struct {
		spoil func(p *Prior)
		want  string
	}{
		{func(p *Prior) { p.weights().factor.Set(3, 1, math.NaN()) }, "covariance of weight 4, number 2 is NaN"},
		{func(p *Prior) { p.sensors[0].Sigma = math.Inf(1) }, `sensors "values"`},
		{func(p *Prior) { p.sensors[0].Measures.Known = system.Constant(math.NaN()) }, `sensors "values" measure has a coefficient of NaN`},
		{func(p *Prior) { p.domain.Set(4, 0, math.NaN()) }, "coordinate of the domain 5 is NaN"},
	} {
		prior, err := FitPrior(p, Config{Neurons: 6, Scale: []float64{2}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		test.spoil(prior)
		notWritten(t, prior.Save, test.want)
	}
}

func notWritten(t *testing.T, save func(w io.Writer) error, want string) {
	t.Helper()
	var b bytes.Buffer
	var file *FileError
	if err := save(&b); !errors.As(err, &file) || !strings.Contains(err.Error(), want) || b.Len() > 0 {
		t.Errorf("error %v, %d bytes are written; want one with %q", err, b.Len(), want)
	}
}
