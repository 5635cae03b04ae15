package posterior

import (
	"fmt"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/system"
)

// Config says how Fit works. The zero value of a field means its default or, for Scale, Tolerance
// and Neurons, inference.
type Config struct {
	Method Method // BPIELM
	// Neurons of each layer. 0 means as many as the answers need with BPIELM, and 100 with the other
	// methods.
	Neurons int
	Scale   []float64
	Seed    uint64
	Draw    feature.Draw
	// Activation is that of the neurons with the paper's methods. BPIELM mixes several activations by
	// their evidence: Activations or, where these are nil, Activation alone, unless it is Tanh, the
	// zero value: then Tanh and Sine.
	Activation  feature.Activation
	Activations []feature.Activation
	Tolerance   float64
	Path        Path
	// Maximum takes the most probable hyper-parameters with BPIELM, instead of averaging over them:
	// for comparison. Its uncertainty is too small.
	Maximum bool
	// Ensemble is how many draws of a layer BPIELM mixes.
	Ensemble int // 4
	// Patches, if not nil, gives BPIELM layers with local support: the domain is cut into that many cells
	// along each variable, and Neurons is the number of neurons of each. Cells become small where the solution
	// bends. Scale refers to patches. What patches do not support is refused with a *ConfigError.
	Patches []int
	// MaxMemory is how many bytes the program may use, as Memory estimates it. More is refused with a
	// *MemoryError before it is allocated. 0: any.
	MaxMemory int64
	// Source, if not nil, has the readings of large groups, which the problem only has in part. Only
	// BPIELM supports it, for problems that are linear and without coefficients.
	Source Source
	// Progress, if not nil, is called with about how much of the time has passed, from one goroutine at a
	// time.
	Progress func(done, total int)

	prior bool        // called by FitPrior: no verdict follows
	halt  *halt       // see FitContext
	large *large      // large groups of readings, see large.go; nil: none
	edges [][]float64 // of the cells with patches, see grading.go; nil: they are alike
	// linearised says that the problem is a nonlinear one, linearised. Its first layers have as many neurons as the pilot: with
	// 100, two of 140 problems in one variable did not converge, and bands were too narrow more often.
	linearised bool
	// compared says that layers are compared with those at other coefficients, see comparison.go.
	compared bool
	// reference is the noise of each group at which what is given back is computed, see refund.go.
	reference []float64
	// mostNeurons bounds how many neurons are tried where their number is not stated; 0: maxNeurons.
	mostNeurons int
	slack       float64 // about which the slack of equations without a tolerance lies; 0: inferred
}

const (
	defaultNeurons  = 100
	defaultEnsemble = 4
	maxEnsemble     = 100
	// publishedScale is the range of slopes for the paper's methods where none is given; the paper
	// does not state its own.
	publishedScale = 3
)

// activations returns the activations to mix.
func (c *Config) activations() []feature.Activation {
	switch {
	case c.Activations != nil:
		return c.Activations
	case !c.openActivations():
		return []feature.Activation{c.Activation}
	}
	return []feature.Activation{feature.Tanh, feature.Sine}
}

// openActivations tells whether the configuration leaves open which activations are mixed.
func (c *Config) openActivations() bool { return c.Activations == nil && c.Activation == feature.Tanh }

// openPath tells whether layers may be conditioned by whichever path is accurate enough.
func (c *Config) openPath() bool { return c.Path == Auto || c.Path == "" }

// Fit infers the posterior of a problem: with BPIELM the mixture over everything that is open,
// coefficients included. It fails with a *system.ProblemError or *ConfigError for inconsistent
// input, with a *DataError for numbers that are not finite, with a *MemoryError where it would need
// more memory than MaxMemory, and with mat's errors where the linear algebra fails.
func Fit(p *system.Problem, c Config) (*Posterior, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	if c.Draw == feature.Published && slices.ContainsFunc(p.Over, func(over []bool) bool { return over != nil }) {
		return nil, &ConfigError{"draw", "published draws do not support fields of some of the variables"}
	}
	if err := c.refusesPatches(p); err != nil {
		return nil, err
	}
	if c.Neurons > 0 {
		if err := c.fits(p, c.Neurons); err != nil {
			return nil, err
		}
	}
	if err := c.Sourced(p); err != nil {
		return nil, err
	}
	if !p.IsLinear() || len(p.Coefficients) > 0 && c.Patches != nil {
		return fitNonlinear(p, c)
	}
	if len(p.Coefficients) > 0 {
		return fitCoefficients(p, c)
	}
	p, err := refined(p, c)
	if err != nil {
		return nil, err
	}
	switch c.Method {
	case BPIELM, "":
		if c.large, err = c.largeOf(p); err != nil {
			return nil, err
		}
		if c.large != nil {
			p = c.large.with(p)
		}
		q, s, err := c.integrate(p)
		if err != nil {
			return nil, err
		}
		s.release()
		q.large = c.large
		return q, nil
	case Published, PseudoInverse:
		return fitStacked(p.ForNeurons(c.Neurons), c)
	}
	return nil, &ConfigError{"method", fmt.Sprintf("unknown method %q; expected bpielm, paper or pielm", string(c.Method))}
}

// complete fills in the defaults.
func (c *Config) complete() error {
	if c.Neurons == 0 && c.Method != BPIELM && c.Method != "" {
		c.Neurons = defaultNeurons
	}
	if c.Neurons < 0 {
		return &ConfigError{"neurons", fmt.Sprintf("%d; at least one is needed", c.Neurons)}
	}
	if c.Ensemble == 0 {
		c.Ensemble = defaultEnsemble
	}
	if c.Ensemble < 0 || c.Ensemble > maxEnsemble {
		return &ConfigError{"ensemble", fmt.Sprintf("%d; from 1 to %d are possible", c.Ensemble, maxEnsemble)}
	}
	return nil
}

func (c *Config) layer(p *system.Problem, scale []float64) (*feature.Layer, error) {
	return feature.New(p.Box(), feature.Config{Neurons: c.Neurons, Scale: scale, Seed: c.Seed, Draw: c.Draw, Activation: c.Activation})
}

// enough returns a problem with the points that layers of so many neurons, or patches of so many, need.
func (c *Config) enough(p *system.Problem, neurons int) *system.Problem {
	for _, n := range c.Patches {
		neurons *= n
	}
	return c.followCells(p.ForNeurons(neurons))
}

// integrate infers a linear problem.
func (c *Config) integrate(p *system.Problem) (*Posterior, *search, error) {
	if c.Patches != nil {
		return integrateBlocks(p, *c)
	}
	return integrate(p, *c)
}
