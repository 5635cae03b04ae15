package posterior

import (
	"fmt"
	"strings"

	"github.com/bpielm/bpielm/system"
)

const (
	// openCoefficient is the prior probability of a coefficient's 95 % interval, relative to 95 %,
	// above which the data say little of it.
	openCoefficient = 0.7
	// coarse is the largest error of interpolated log evidences, in nats.
	coarse = 0.5
	// mostChanged is by how many nats log evidences may change with twice as many neurons.
	mostChanged = 1
	// The other checks are of a solution at most farSolution standard deviations from the posterior of the coefficients.
	farSolution = 3
)

// coefficients notes which coefficients the data leave open, and whether there are several answers.
func (v *Verdict) coefficients(q *Posterior) {
	first := len(q.names) - len(q.coefficients)
	for i, e := range q.Parameters()[first:] {
		c := &q.coefficients[i]
		share := (normalBelow(c.Number(e.Upper95)) - normalBelow(c.Number(e.Lower95))) / 0.95
		check := Check{Kind: "parameter", Name: c.Name, Status: Passed, Value: share, Limit: openCoefficient}
		if share > openCoefficient {
			check.Status = Note
			check.Message = fmt.Sprintf("the data do not determine %s: its 95 %% interval, %.3g to %.3g, is nearly as wide as that of its prior", c.Name, e.Lower95, e.Upper95)
		}
		v.Checks = append(v.Checks, check)
	}
	v.ranges(q.coefficients)
	check := Check{Kind: "parameter", Name: "modes", Status: Passed, Value: float64(len(q.at.modes)), Limit: 1}
	if len(q.at.modes) > 1 {
		var list []string
		for _, m := range q.at.modes {
			var values []string
			for i, x := range m.values {
				values = append(values, fmt.Sprintf("%s = %.4g", q.coefficients[i].Name, x))
			}
			list = append(list, fmt.Sprintf("%s (%.0f %%)", strings.Join(values, ", "), 100*m.weight))
		}
		check.Status, check.Message = Note, "the readings allow several answers: "+strings.Join(list, "; ")
	}
	v.Checks = append(v.Checks, check)
	v.explored(q.at)
}

// ranges notes where the priors of coefficients are too wide to search closely.
func (v *Verdict) ranges(list []system.Coefficient) {
	wanted := wantedPlaces(list)
	check := Check{Kind: "parameter", Name: "ranges", Status: Passed, Value: float64(wanted), Limit: mostScanned}
	if wanted > mostScanned {
		check.Status = Note
		check.Message = fmt.Sprintf("the bounds of the coefficients are too wide to search closely: %d places were tried of %d that it takes, and a narrow peak between them may have been missed. State narrower bounds", mostScanned, wanted)
	}
	v.Checks = append(v.Checks, check)
}

// explored checks whether the evidence of what was explored is known well enough.
func (v *Verdict) explored(at *conditional) {
	v.add("parameter", "evidence", at.off, coarse, fmt.Sprintf("the evidence of the coefficients is known to %.2g nats only: their intervals are not exact", at.off))
	v.add("parameter", "neurons", at.changed, mostChanged, fmt.Sprintf("with twice as many neurons the evidence of the coefficients would still change by about %.2g nats: their intervals are not to be relied on", at.changed))
	v.add("parameter", "lost", at.lost, mostLost, fmt.Sprintf("%.0f %% of the posterior is left out, because it could not be solved or is spread over many small maxima: bands and intervals are too narrow", 100*at.lost))
	if at.apart > farSolution {
		v.Checks = append(v.Checks, Check{Kind: "parameter", Name: "solution", Status: Note, Value: at.apart, Limit: farSolution,
			Message: fmt.Sprintf("equations and readings were checked with coefficients %.1f standard deviations from their means, because layers that suit these lead elsewhere", at.apart)})
	}
}
