package calibration

import (
	"math"
	"slices"

	"github.com/bpielm/bpielm/bench/score"
)

// A Summary summarises outcomes. Shares are of the problems that have a posterior. Relative
// figures are relative to FieldOutcome.Scale.
type Summary struct {
	Problems int `json:"problems"`
	Failed   int `json:"failed"` // without a posterior
	// Low is the share of problems with coverage below 0.7; SelfLow is that share for
	// solutions drawn from the posteriors themselves.
	Low     float64 `json:"low"`
	SelfLow float64 `json:"self_low"`
	// FarOff is the number of problems whose rms z is above 3.
	FarOff int `json:"far_off"`
	// TooWide is the share whose rms sd is more than 20 times the rms error.
	TooWide      float64    `json:"too_wide"`
	MeanCoverage float64    `json:"mean_coverage"`
	MedianMAE    float64    `json:"median_mae"` // relative
	MedianCRPS   float64    `json:"median_crps"`
	NinthCRPS    float64    `json:"ninth_crps"` // 90th percentile, relative
	Warned       float64    `json:"warned"`     // share with warnings
	Seconds      float64    `json:"seconds"`    // of all fits together
	Parameters   Parameters `json:"parameters"`
	// Others summarises the fields by which problems are not judged.
	Others Others `json:"others"`
	// Kinds has the same figures for each kind, in the order of Kinds.
	Kinds []KindSummary `json:"kinds,omitempty"`
}

// Parameters summarises the parameters of all problems.
type Parameters struct {
	Count  int     `json:"count"`
	Beyond int     `json:"beyond"` // |z| > 3
	Within float64 `json:"within"` // share with |z| <= 1.96
	// Kolmogorov is the largest distance between the distribution of the PITs and the uniform
	// one. ChiSquared is the statistic of ten equal bins, with nine degrees of freedom. Both
	// treat parameters as independent.
	Kolmogorov float64 `json:"kolmogorov"`
	ChiSquared float64 `json:"chi_squared"`
}

// Others summarises fields.
type Others struct {
	Count        int     `json:"count"`
	Low          float64 `json:"low"`
	FarOff       int     `json:"far_off"`
	MeanCoverage float64 `json:"mean_coverage"`
}

// A KindSummary is the summary of one kind.
type KindSummary struct {
	Kind string `json:"kind"`
	Summary
}

// tooWide is the ratio of rms sd to rms error above which a band is of little use.
const tooWide = 20

// farOff is the |z| beyond which something is wrong.
const farOff = 3

// Aggregate summarises outcomes, in all and by kind.
func Aggregate(outcomes []Outcome) Summary {
	s := summarise(outcomes)
	for _, name := range Kinds() {
		some := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return o.Kind != name })
		if len(some) > 0 {
			s.Kinds = append(s.Kinds, KindSummary{name, summarise(some)})
		}
	}
	return s
}

// summarise returns the summary of outcomes, without Kinds.
func summarise(outcomes []Outcome) Summary {
	s := Summary{Problems: len(outcomes)}
	var mae, crps, pit []float64
	for i := range outcomes {
		o := &outcomes[i]
		s.Seconds += o.Seconds
		if o.Failure != "" {
			s.Failed++
			continue
		}
		f := &o.Field
		s.Low += indicator(f.Coverage < low)
		s.SelfLow += f.SelfBelow
		s.MeanCoverage += f.Coverage
		s.TooWide += indicator(f.RMSSD > tooWide*f.RMSError)
		s.Warned += indicator(o.Warned)
		if f.RMSZ > farOff {
			s.FarOff++
		}
		mae, crps = append(mae, f.MAE/f.Scale), append(crps, f.CRPS/f.Scale)
		for _, e := range o.Parameters {
			s.Parameters.add(e.Z)
			pit = append(pit, e.PIT)
		}
		for i := range o.Others {
			s.Others.add(&o.Others[i])
		}
	}
	if n := float64(s.Problems - s.Failed); n > 0 {
		for _, share := range []*float64{&s.Low, &s.SelfLow, &s.MeanCoverage, &s.TooWide, &s.Warned} {
			*share /= n
		}
	}
	s.MedianMAE, s.MedianCRPS, s.NinthCRPS = score.Quantile(mae, 0.5), score.Quantile(crps, 0.5), score.Quantile(crps, 0.9)
	s.Parameters.finish(pit)
	s.Others.finish()
	return s
}

func (p *Parameters) add(z float64) {
	p.Count++
	p.Within += indicator(math.Abs(z) <= score.Half95)
	if math.Abs(z) > farOff {
		p.Beyond++
	}
}

func (p *Parameters) finish(pit []float64) {
	if p.Count == 0 {
		return
	}
	n := float64(p.Count)
	p.Within /= n
	slices.Sort(pit)
	const bins = 10
	counts := [bins]float64{}
	for i, u := range pit {
		p.Kolmogorov = max(p.Kolmogorov, u-float64(i)/n, float64(i+1)/n-u)
		counts[min(int(u*bins), bins-1)]++
	}
	for _, c := range counts {
		p.ChiSquared += (c - n/bins) * (c - n/bins) / (n / bins)
	}
}

func (a *Others) add(f *FieldOutcome) {
	a.Count++
	a.Low += indicator(f.Coverage < low)
	a.MeanCoverage += f.Coverage
	if f.RMSZ > farOff {
		a.FarOff++
	}
}

func (a *Others) finish() {
	if a.Count > 0 {
		a.Low /= float64(a.Count)
		a.MeanCoverage /= float64(a.Count)
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
