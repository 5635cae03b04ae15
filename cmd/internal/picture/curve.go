package picture

import (
	"cmp"
	"unicode/utf8"

	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// curve shows a function of one variable, and below it the same relative to the
// posterior mean.
func (a *artist) curve() (*figure.Figure, error) {
	whole := slice{along: 0, fixed: []float64{0}}
	upper, err := a.slicePanel(whole)
	if err != nil {
		return nil, err
	}
	lower, err := a.deviationPanel(whole, upper)
	if err != nil {
		return nil, err
	}
	upper.Aspect, lower.Aspect = 0.55, 0.32
	f := &figure.Figure{Rows: [][]figure.Panel{{upper}, {lower}}}
	f.Legend = figure.CurveLegend(f.Rows)
	return f, nil
}

// longestDeviation is how many letters of a label fit the height of a panel. The panel beside or above it names the field.
const longestDeviation = 18

// deviationLabel names the field's distance from its mean.
func (a *artist) deviationLabel() string {
	name := a.problem.Fields[a.field]
	q := a.file.Quantities[name]
	text := cmp.Or(q.Label, name) + " - mean" + q.InParentheses()
	if utf8.RuneCountInString(text) > longestDeviation {
		text = "minus mean" + q.InParentheses()
	}
	return text
}

// deviationPanel shows what a panel of slicePanel shows, relative to the posterior
// mean. The band is visible there, however narrow it is.
func (a *artist) deviationPanel(l slice, of *figure.Curve) (*figure.Curve, error) {
	n := len(of.X)
	p := &figure.Curve{
		Frame: figure.Frame{XLabel: of.XLabel, YLabel: a.deviationLabel(), Log: of.Log, XDates: of.XDates},
		X:     of.X, Mean: make([]float64, n), SD: of.SD,
	}
	for i, m := range of.Mean {
		p.Mean[i] = m - m // 0, or NaN in gaps
	}
	if of.Exact != nil {
		p.Exact = make([]float64, n)
		for i := range p.Exact {
			p.Exact[i] = of.Exact[i] - of.Mean[i]
		}
	}
	places := mat.NewDense(len(of.Sensors), len(l.fixed), nil)
	for i, r := range of.Sensors {
		copy(places.Row(i), l.fixed)
		places.Set(i, l.along, r.X)
	}
	mean, _, err := a.predictor.Predict(system.Field(a.field), places)
	if err != nil {
		return nil, err
	}
	for i, r := range of.Sensors {
		p.Sensors = append(p.Sensors, figure.Reading{X: r.X, Value: r.Value - mean[i], Sigma: r.Sigma})
	}
	return p, nil
}
