package posterior

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bpielm/bpielm/system"
)

// mixtureError bounds what rounding may do to the moments of a mixture.
const mixtureError = 1e-11

// twoFields is v = u_x, v_x = -q with readings of u, on [0, 2].
func twoFields() *system.Problem {
	p := rod(false)
	return &system.Problem{
		Variables:  p.Variables,
		Fields:     []string{"u", "v"},
		Parameters: []system.Parameter{{Name: "q"}, {Name: "offset", Mean: 0.1, SD: 0.2}},
		Equations: []system.Equation{
			{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}, {Field: 1, Derivative: []int{0}, Coefficient: system.Constant(-1)}}}, Points: column(0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9)},
			{Residual: system.Functional{Terms: []system.Term{{Field: 1, Derivative: []int{1}}}, Parameters: []system.ParameterTerm{{Parameter: 0}}}, Points: column(0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2)},
		},
		Sensors: []system.Sensors{{
			Measures: system.Functional{Terms: []system.Term{{Derivative: []int{0}}}, Parameters: []system.ParameterTerm{{Parameter: 1}}},
			Points:   column(0, 0.5, 1, 1.5, 2), Values: []float64{0.1, 0.5, 0.62, 0.48, 0.12}, Sigma: []float64{0.02},
		}},
	}
}

func TestEnsembleHasTheMomentsOfTheMixture(t *testing.T) {
	for name, p := range map[string]*system.Problem{"one field": rod(true), "two fields": twoFields()} {
		weights := []float64{0.5, 0.3, 0.2}
		members := make([]*Posterior, len(weights))
		for k := range members {
			members[k] = fit(t, p, Config{Neurons: 7, Scale: []float64{2}, Seed: uint64(k + 1), Ensemble: 1})
		}
		q, err := average(members, weights)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := q.Save(&file); err != nil {
			t.Fatal(err)
		}
		stored, err := Load(&file)
		if err != nil {
			t.Fatal(err)
		}
		points := column(0, 0.35, 0.7, 1.4, 2)
		functionals := []system.Functional{system.Field(0), system.Derivative(0, 2)}
		for i := range p.Parameters {
			functionals = append(functionals, system.ParameterValue(i))
		}
		if len(p.Fields) > 1 {
			functionals = append(functionals, system.Functional{Terms: []system.Term{{Derivative: []int{1}}, {Field: 1, Derivative: []int{0}}}})
		}
		for i, f := range functionals {
			mean, sd := make([]float64, 5), make([]float64, 5)
			means := make([][]float64, len(members))
			covariance := make([][]float64, 5)
			for r := range covariance {
				covariance[r] = make([]float64, 5)
			}
			for k, m := range members {
				var err error
				if means[k], _, err = m.Predict(f, points); err != nil {
					t.Fatal(err)
				}
				for r, v := range means[k] {
					mean[r] += weights[k] * v
				}
			}
			for k, m := range members {
				c, err := m.Covariance(f, points)
				if err != nil {
					t.Fatal(err)
				}
				for r := range covariance {
					for s := range covariance {
						covariance[r][s] += weights[k] * (c.At(max(r, s), min(r, s)) + (means[k][r]-mean[r])*(means[k][s]-mean[s]))
					}
				}
			}
			for _, q := range []*Posterior{q, stored} {
				gotMean, gotSD, err := q.Predict(f, points)
				if err != nil {
					t.Fatal(err)
				}
				c, err := q.Covariance(f, points)
				if err != nil {
					t.Fatal(err)
				}
				for r := range mean {
					sd[r] = math.Sqrt(covariance[r][r])
					if math.Abs(gotMean[r]-mean[r]) > mixtureError*(1+math.Abs(mean[r])) || relative(gotSD[r], sd[r]) > mixtureError {
						t.Errorf("%s, functional %d, point %d: %g ± %g, want %g ± %g", name, i, r, gotMean[r], gotSD[r], mean[r], sd[r])
					}
					for s := range r + 1 {
						if math.Abs(c.At(r, s)-covariance[r][s]) > mixtureError*sd[r]*sd[s] {
							t.Errorf("%s, functional %d, covariance (%d, %d): %g, want %g", name, i, r, s, c.At(r, s), covariance[r][s])
						}
					}
				}
			}
		}
		if a, b := q.Summary(), stored.Summary(); a.Neurons != 7 || b.Neurons != 7 || a.Ensemble != 3 || b.Ensemble != 3 || a.Columns != b.Columns {
			t.Errorf("%s: summaries %+v, stored %+v", name, a, b)
		}
		// Readings connect the members.
		gauge := Sensor{Name: "new", Measures: system.Field(0), Sigma: 0.01}
		after, err := q.WithSensors(gauge, column(0.7))
		if err != nil {
			t.Fatal(err)
		}
		prior, err := q.Covariance(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		_, sd, err := after.Predict(system.Field(0), points)
		if err != nil {
			t.Fatal(err)
		}
		for r := range sd {
			cross := prior.At(max(r, 2), min(r, 2))
			want := math.Sqrt(prior.At(r, r) - cross*cross/(prior.At(2, 2)+gauge.Sigma*gauge.Sigma))
			if relative(sd[r], want) > 1e-8 {
				t.Errorf("%s: with a further sensor sd %g, want %g", name, sd[r], want)
			}
		}
	}
}

// TestEnsembleWeighsByEvidence: draws of equal evidence count equally, one that is
// hopeless not at all.
func TestEnsembleWeighsByEvidence(t *testing.T) {
	draws := []*candidate{{choice: &choice{score: -5}}, {choice: &choice{score: -100}}, {choice: &choice{score: -5 + temper*math.Log(3)}}}
	members, weights := evidenceWeights(draws)
	if len(members) != 2 || members[0] != draws[0] || members[1] != draws[2] || math.Abs(weights[0]-0.25) > 1e-12 || math.Abs(weights[1]-0.75) > 1e-12 {
		t.Errorf("%d members, weights %v", len(members), weights)
	}
}

// TestAveragingHelps: the average is nearer to the truth than its members are in
// the mean.
func TestAveragingHelps(t *testing.T) {
	const members = 3
	alone, together := 0.0, 0.0
	for seed := range uint64(20) {
		p, exact := wave(rand.New(rand.NewPCG(seed, 7)), 12, 0.1)
		points := system.Grid(p.Variables, nil, []int{41})
		squared := func(c Config) (total float64) {
			c.Neurons, c.Scale, c.Tolerance = 25, []float64{4}, 1e-3
			mean, _, err := fit(t, p, c).Predict(system.Field(0), points)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range mean {
				total += (m - exact(points.Row(i))) * (m - exact(points.Row(i)))
			}
			return total
		}
		together += squared(Config{Seed: seed, Ensemble: members})
		for k := range members {
			alone += squared(Config{Seed: memberSeed(seed, k), Ensemble: 1}) / members
		}
	}
	t.Logf("squared error %g of averages, %g of single draws", together, alone)
	if together > alone {
		t.Errorf("squared error %g of averages, %g of single draws", together, alone)
	}
}
