package main

import (
	"fmt"

	"github.com/bpielm/bpielm/bench/growth"
	"github.com/bpielm/bpielm/cmd/internal/format"
)

// growth measures how a fit grows with the neurons and with the rows.
func (c *benchCommand) growth(io *streams) error {
	p := &page{}
	for _, axis := range []growth.Axis{growth.Neurons, growth.Rows} {
		shown := newProgress(io.err, c.Quiet, "more "+axis.Name)
		series, err := axis.Measure(shown.update)
		shown.finish()
		if err != nil {
			return err
		}
		lines := []string{"neurons\trows\ttime\tuntil reduced\toperations\trate"}
		for _, point := range series.Points {
			lines = append(lines, fmt.Sprintf("%d\t%d\t%s\t%s\t%.3g\t%.1f GFLOP/s", point.Neurons, point.Rows,
				format.Nanoseconds(1e9*point.Seconds), format.Nanoseconds(1e9*point.Assembly), point.Cost.Total(), point.Cost.Total()/point.Seconds/1e9))
		}
		p.section(fmt.Sprintf("More %s: time grows with the power %.2f, operations with %.2f", axis.Name, series.Exponent(), series.Predicted()), lines...)
	}
	return p.writeTo(io.out)
}
