package posterior

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
	"github.com/bpielm/bpielm/system"
)

// Summary says how a posterior was computed. What a method does not have is NaN.
type Summary struct {
	Method     Method
	Path       Path
	Kernel     string
	Threads    int
	Neurons    int                // of each draw
	Activation feature.Activation // of the heaviest component
	Ensemble   int                // number of layers in the mixture
	Rows       int                // of H, readings included
	Columns    int
	// Patches are the cells along each variable; nil: none. Neurons are then those of each patch. PatchEdges says where the
	// cells along each variable begin, and where the last one ends.
	Patches    []int
	PatchEdges [][]float64
	Readings   int
	// Scale is the range of the slopes in each variable. Amplitude is the prior standard deviation of
	// a field relative to its natural size; for Published, that of a weight. Tolerance is the slack
	// of the equations relative to their largest term. All are posterior means of logarithms.
	Scale                []float64
	Amplitude, Tolerance float64
	// physics) | Evidence is log p(readings | physics) with the hyper-parameters integrated out; for
	// Published, log p(all rows) at the fixed point.
	Evidence            float64
	EffectiveParameters float64
	Noise               []NoiseEstimate
	// Unsettled is how far the medians of the answers moved when the neurons were last doubled, as a root mean
	// square in units of half their central 68 %; 0 where their number was given.
	Unsettled float64
	// Assemble is the time to make and reduce the rows, Fit the rest.
	Assemble, Fit time.Duration
	Warnings      []string
}

// NoiseEstimate is the noise of one group of sensors: learned, or the root mean square of the stated
// standard deviations.
type NoiseEstimate struct {
	Name     string
	Sigma    float64
	Learned  bool
	readings int
}

// RootMeanSquareNoise returns the root mean square noise over all readings; NaN where the method has
// none.
func (s *Summary) RootMeanSquareNoise() float64 {
	total, n := 0.0, 0
	for _, e := range s.Noise {
		total += float64(float64(e.Sigma*e.Sigma) * float64(e.readings))
		n += e.readings
	}
	return math.Sqrt(total / float64(n))
}

// Summary says how the posterior was computed.
func (q *Posterior) Summary() Summary {
	s := q.summary
	s.Noise = append([]NoiseEstimate(nil), s.Noise...)
	s.Scale = append([]float64(nil), s.Scale...)
	s.Warnings = append([]string(nil), s.Warnings...)
	return s
}

// summary describes the inferred hyper-parameters.
func (ph *Physics) summary(states []state, rd *readings, logEvidence float64) Summary {
	s := Summary{
		Method: BPIELM, Path: ph.path, Kernel: asm.Active().Name(), Threads: runtime.GOMAXPROCS(0),
		Neurons: ph.basis.Layer.Neurons(), Activation: ph.basis.Layer.Activation(), Ensemble: 1, Rows: ph.rows + rd.count, Columns: len(ph.scale), Readings: rd.count,
		Scale: ph.basis.Layer.Scale(), Evidence: logEvidence,
	}
	logA, logSlack, logNoise := 0.0, 0.0, make([]float64, len(rd.groups))
	for i := range states {
		st := &states[i]
		for _, n := range strata(st.nodes, len(st.nodes)) {
			w := st.logWeight * n.logWeight
			logA += float64(w * mat.Log(n.amplitude))
			logSlack += float64(w * mat.Log(st.slackOf(&n)))
			for g, v := range n.noise {
				logNoise[g] += float64(w * mat.Log(v))
			}
		}
	}
	s.Amplitude, s.Tolerance = mat.Exp(logA), mat.Exp(logSlack)
	for i := range rd.groups {
		g := &rd.groups[i]
		if g.prior {
			continue
		}
		e := NoiseEstimate{Name: g.name, Sigma: g.rms, Learned: g.learned, readings: len(g.y) + g.extra}
		if g.learned {
			e.Sigma = mat.Exp(logNoise[g.shares])
		}
		s.Noise = append(s.Noise, e)
	}
	if len(states) == 0 {
		s.Amplitude, s.Tolerance = math.NaN(), math.NaN()
	}
	return s
}

const (
	// uninformed is the ratio of posterior to prior standard deviation above which a parameter is
	// reported as not determined by the data.
	uninformed = 0.5
	// inseparable is the correlation above which two parameters are reported as not identifiable
	// separately.
	inseparable = 0.999
)

// warn names parameters that the data do not determine. widths are the prior sd of those that state
// none.
func (q *Posterior) warn(p *system.Problem, widths []float64) {
	estimates := q.Parameters()
	for i, e := range estimates {
		prior := p.Parameters[i].SD
		if prior == 0 {
			prior = widths[i]
		}
		if e.SD > uninformed*prior {
			q.summary.Warnings = append(q.summary.Warnings, fmt.Sprintf("the data hardly determine %s: its posterior sd %.3g is close to its prior sd %.3g", e.Name, e.SD, prior))
		}
	}
	correlation := q.ParameterCorrelation()
	for i := range estimates {
		for j := range i {
			if math.Abs(correlation.At(i, j)) > inseparable {
				q.summary.Warnings = append(q.summary.Warnings, fmt.Sprintf("the data can hardly tell %s and %s apart: their correlation is %.5f", estimates[j].Name, estimates[i].Name, correlation.At(i, j)))
			}
		}
	}
}
