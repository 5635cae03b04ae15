package main

import (
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// curve shows a function of one variable, and below it everything again
// relative to the posterior mean.
func (a *artist) curve() (*figure, error) {
	whole := slice{along: 0, fixed: []float64{0}}
	upper, err := a.slicePanel(whole)
	if err != nil {
		return nil, err
	}
	lower, err := a.deviationPanel(whole, upper)
	if err != nil {
		return nil, err
	}
	upper.aspect, lower.aspect = 0.42, 0.26
	f := &figure{rows: [][]panel{{upper}, {lower}}}
	f.legend = curveLegend(f.rows)
	return f, nil
}

// deviationPanel shows what a panel of slicePanel shows, relative to the
// posterior mean: there the band can be seen however narrow it is.
func (a *artist) deviationPanel(l slice, of *curvePanel) (*curvePanel, error) {
	n := len(of.x)
	p := &curvePanel{
		frame: frame{xLabel: of.xLabel, yLabel: of.yLabel + " - mean", log: of.log},
		x:     of.x, mean: make([]float64, n), sd: of.sd,
	}
	for i, m := range of.mean {
		p.mean[i] = m - m // 0, or NaN in gaps
	}
	if of.exact != nil {
		p.exact = make([]float64, n)
		for i := range p.exact {
			p.exact[i] = of.exact[i] - of.mean[i]
		}
	}
	places := mat.NewDense(len(of.sensors), len(l.fixed), nil)
	for i, r := range of.sensors {
		copy(places.Row(i), l.fixed)
		places.Set(i, l.along, r.x)
	}
	mean, _, err := a.predictor.Predict(system.Field(a.field), places)
	if err != nil {
		return nil, err
	}
	for i, r := range of.sensors {
		p.sensors = append(p.sensors, reading{r.x, r.value - mean[i], r.sigma})
	}
	return p, nil
}
