package findings

import (
	"math"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// Verdict says whether the answer is to be trusted.
type Verdict struct {
	Sound  bool    `json:"sound"`
	Checks []Check `json:"checks"`
}

// Check is one of its reasons. Status is that of posterior.Check.
type Check struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Status  string   `json:"status"`
	Value   *float64 `json:"value,omitempty"`
	Limit   *float64 `json:"limit,omitempty"`
	Message string   `json:"message,omitempty"`
}

// Parameter is the estimate of an unknown number.
type Parameter struct {
	Mean        float64            `json:"mean"`
	SD          *float64           `json:"sd,omitempty"`
	Median      *float64           `json:"median,omitempty"`
	Lower95     *float64           `json:"lower95,omitempty"`
	Upper95     *float64           `json:"upper95,omitempty"`
	Correlation map[string]float64 `json:"correlation,omitempty"` // with each of the others
	Unit        string             `json:"unit,omitempty"`
	Label       string             `json:"label,omitempty"`
	Prior       string             `json:"prior,omitempty"` // in the words of check
}

// Combination is one of parameters that is known far better than each of them.
type Combination struct {
	Expression string             `json:"expression"` // as "T/S" or "P + 3*q"
	Product    bool               `json:"product"`    // whether weights are exponents, and not factors of a sum
	Weights    map[string]float64 `json:"weights"`
	Mean       *float64           `json:"mean,omitempty"`
	SD         *float64           `json:"sd,omitempty"`
	Median     *float64           `json:"median,omitempty"`
	Lower95    *float64           `json:"lower95,omitempty"`
	Upper95    *float64           `json:"upper95,omitempty"`
}

// Noise is that of one block of sensors: the standard deviation of a reading.
type Noise struct {
	Name    string   `json:"name"`
	Sigma   *float64 `json:"sigma,omitempty"`
	Learned bool     `json:"learned"`
}

// VerdictOf returns a verdict with all its checks.
func VerdictOf(v *posterior.Verdict) *Verdict {
	r := &Verdict{Sound: v.Sound, Checks: []Check{}}
	for _, c := range v.Checks {
		r.Checks = append(r.Checks, Check{c.Kind, c.Name, string(c.Status), Number(c.Value), Number(c.Limit), c.Message})
	}
	return r
}

// NoiseGroups returns the noise of each block of sensors.
func NoiseGroups(s *posterior.Summary) (groups []Noise) {
	for _, n := range s.Noise {
		groups = append(groups, Noise{n.Name, Number(n.Sigma), n.Learned})
	}
	return groups
}

// Parameters returns the estimates by name, nil if there are none.
func Parameters(q *posterior.Posterior, file *spec.File) map[string]Parameter {
	estimates, correlation := q.Parameters(), q.ParameterCorrelation()
	if len(estimates) == 0 {
		return nil
	}
	of, priors, widths := file.Quantities, map[string]string{}, q.WidePriors()
	for i := range file.Problem.Parameters {
		of := &file.Problem.Parameters[i]
		switch {
		case of.SD > 0:
			priors[of.Name] = describe.LinearPrior(of, 0)
		case i < len(widths):
			priors[of.Name] = "wide, " + describe.LinearPrior(of, widths[i])
		default:
			priors[of.Name] = "wide"
		}
	}
	for i := range file.Problem.Coefficients {
		priors[file.Problem.Coefficients[i].Name] = describe.Prior(&file.Problem.Coefficients[i])
	}
	reports := map[string]Parameter{}
	for i, e := range estimates {
		p := Parameter{Mean: e.Mean, SD: Number(e.SD), Median: Number(e.Median), Lower95: Number(e.Lower95), Upper95: Number(e.Upper95), Unit: of[e.Name].Unit, Label: of[e.Name].Label, Prior: priors[e.Name]}
		if correlation != nil && len(estimates) > 1 {
			p.Correlation = map[string]float64{}
			for j, other := range estimates {
				if c := Number(correlation.At(max(i, j), min(i, j))); j != i && c != nil {
					p.Correlation[other.Name] = *c
				}
			}
		}
		reports[e.Name] = p
	}
	return reports
}

// Combinations returns what parameters mean together.
func Combinations(combinations []posterior.Combination) (reports []Combination) {
	for _, c := range combinations {
		r := Combination{Expression: c.Expression, Product: c.Product, Weights: map[string]float64{},
			Mean: Number(c.Mean), SD: Number(c.SD), Median: Number(c.Median), Lower95: Number(c.Lower95), Upper95: Number(c.Upper95)}
		for i, name := range c.Parameters {
			r.Weights[name] = c.Weights[i]
		}
		reports = append(reports, r)
	}
	return reports
}

// Number returns nil for NaN and infinity, which JSON cannot hold.
func Number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
