package posterior

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/mat/asm"
	"github.com/bpielm/bpielm/system"
)

// stacked is the paper's linear system H w = y of physics, conditions and sensors alike, reduced.
type stacked struct {
	basis    system.Basis
	rows     int
	readings int
	noise    []NoiseEstimate
	reduced  *reduction
	assemble time.Duration
}

func stack(p *system.Problem, basis system.Basis, path Path, store *storage) (*stacked, error) {
	begin := time.Now()
	s := &stacked{basis: basis}
	rows := newAccumulator(basis.Columns(), path, store)
	add := func(where string, f *system.Functional, points *mat.Dense, values []float64) error {
		n := points.Rows()
		reduceTo := func(to *accumulator, from, last int, store *storage) error {
			return streamRows(store, where, basis, f, points, from, last, func(first int, h *mat.Dense, known []float64) {
				for i := range known {
					known[i] = -known[i]
					if values != nil {
						known[i] += values[first+i]
					}
				}
				to.append(h, known)
			})
		}
		s.rows += n
		if n <= segmentRows { // one segment
			return reduceTo(rows, 0, n, store)
		}
		return inSegments(n, false, func(from, to int) (*accumulator, error) {
			segment := newAccumulator(basis.Columns(), path, nil)
			return segment, reduceTo(segment, from, to, nil)
		}, rows.merge)
	}
	for label, e := range p.Demands() {
		if err := add(label.String(), &e.Residual, e.Points, nil); err != nil {
			return nil, err
		}
	}
	for i := range p.Sensors {
		g := &p.Sensors[i]
		if len(g.Values) == 0 {
			continue
		}
		s.readings += len(g.Values)
		s.noise = append(s.noise, NoiseEstimate{Name: g.Name, Learned: true, readings: len(g.Values)})
		if err := add(sensorsName(g, i), &g.Measures, g.Points, g.Values); err != nil {
			return nil, err
		}
	}
	s.reduced = rows.reduced()
	s.assemble = time.Since(begin)
	return s, nil
}

// fitStacked fits with the paper's two methods, which treat all rows alike.
func fitStacked(p *system.Problem, c Config) (*Posterior, error) {
	if len(c.Scale) == 0 {
		c.Scale = []float64{publishedScale}
	}
	layer, err := c.layer(p, c.Scale)
	if err != nil {
		return nil, err
	}
	basis := p.Basis(layer)
	path := c.Path
	switch path {
	case SquareRoot:
	case GramPath, Auto, "":
		if c.Method == PseudoInverse {
			if path == GramPath {
				return nil, &ConfigError{"path", "the pseudo-inverse loses half of its digits on the gram path; use sqrt or auto"}
			}
			path = SquareRoot
		}
	default:
		return nil, &ConfigError{"path", fmt.Sprintf("unknown path %q; expected auto, sqrt or gram", string(path))}
	}
	if c.Progress != nil {
		defer c.Progress(1, 1)
	}
	if c.Method == PseudoInverse {
		return fitPseudoInverse(p, basis)
	}
	if path == SquareRoot || path == GramPath {
		return fitPublished(p, basis, path, true)
	}
	q, err := fitPublished(p, basis, GramPath, false)
	if err == errUnsound {
		q, err = fitPublished(p, basis, SquareRoot, true)
	}
	return q, err
}

const (
	// The paper starts its fixed point at eta = 2e-1.
	publishedEta = 0.2
	// publishedTolerance is the relative change of mu that ends the iteration; after
	// publishedIterations it has not converged.
	publishedTolerance  = 1e-6
	publishedIterations = 1000
	// publishedSound bounds the relative error that squaring the condition number may cause in the
	// variances: small beside the error of the iteration.
	publishedSound = 1e-5
)

// publishedBetas are the initial values of beta: the paper's, and that of a noise of 0.01. The
// evidence may have two modes: one with little noise, and one with small weights, where every
// reading is noise (the zero solution of a problem whose source is zero or unknown). From the
// paper's start, inverse problems end in the second; the larger evidence decides.
var publishedBetas = []float64{1, 1e4}

// fixedPoint is a point where the paper's updates end.
type fixedPoint struct {
	mu              []float64 // in the coordinates of V
	ridge           mat.Ridge // at tau^2 = eta / beta
	eta, beta       float64
	gamma, evidence float64
	converged       bool
}

// fixedPoint iterates from an initial beta, for the given number of rows.
func (dec *decomposition) fixedPoint(beta, rows float64) (*fixedPoint, error) {
	n := len(dec.d)
	f := &fixedPoint{mu: make([]float64, n), eta: publishedEta, beta: beta}
	previous := make([]float64, n)
	misfit := 0.0
	for range publishedIterations {
		// Sigma = (R'R)^-1 / beta for the ridge at tau^2 = eta / beta.
		tau2 := f.eta / f.beta
		f.ridge.Factorize(dec.d, dec.e, math.Sqrt(tau2), dec.c)
		f.ridge.SolveTo(f.mu)
		f.gamma = float64(n) - float64(tau2*f.ridge.InverseSquare())
		misfit = dec.misfit(f.mu)
		size := squares(f.mu)
		change := 0.0
		for i, v := range f.mu {
			change += float64((v - previous[i]) * (v - previous[i]))
		}
		if change <= float64(publishedTolerance*publishedTolerance*size) {
			f.converged = true
			break
		}
		copy(previous, f.mu)
		if !(size > 0) || !(misfit > 0) || !(rows > f.gamma) {
			break // an exact fit, or nothing to fit: there is no noise or no signal left to measure
		}
		f.eta, f.beta = f.gamma/size, (rows-f.gamma)/misfit
		if !finite(f.eta) || !finite(f.beta) {
			return nil, dataError("fixed point", "eta = %g and sigma^-2 = %g: the readings or the rows overflow", f.eta, f.beta)
		}
	}
	var det logProduct
	for _, d := range f.ridge.Diagonal() {
		det.times(d)
	}
	logDet := float64(float64(n)*mat.Log(f.beta)) + 2*det.log()
	f.evidence = 0.5 * (float64(float64(n)*mat.Log(f.eta)) + float64(rows*mat.Log(f.beta)) - float64(f.beta*misfit) - float64(f.eta*squares(f.mu)) - logDet - float64(rows*log2Pi))
	return f, nil
}

// fitPublished is the paper's fixed point for one precision eta of all weights and one precision
// beta = sigma^-2 of all rows:
//
//	Sigma = (eta I + beta H'H)^-1,  mu = beta Sigma H'y,
//	gamma = N - eta trace Sigma,  eta = gamma / mu'mu,  beta = (N* - gamma) / |y - H mu|^2,
//
// with the errata of the paper corrected. After one reduction H = U B V' to bidiagonal form an
// iteration costs O(N). Where the path squares the condition number and that changes the result, it
// returns errUnsound, unless the result is wanted regardless.
func fitPublished(p *system.Problem, basis system.Basis, path Path, wanted bool) (*Posterior, error) {
	store := borrowStorage()
	defer store.giveBack()
	s, err := stack(p, basis, path, store)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	s.reduced.raise()
	dec, err := s.reduced.decompose(nil) // V outlives the store
	if err != nil {
		return nil, err
	}
	n := len(dec.d)
	points, errs := make([]*fixedPoint, len(publishedBetas)), make([]error, len(publishedBetas))
	mat.Parallel(len(points), func(i int) {
		points[i], errs[i] = dec.fixedPoint(publishedBetas[i], float64(s.rows))
	})
	best := points[0]
	for i, f := range points {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if f.evidence > best.evidence {
			best = f
		}
	}
	eta, beta := best.eta, best.beta
	top := 0.0
	for _, d := range dec.d {
		top = math.Max(top, math.Abs(d))
	}
	if !wanted && !(epsilon*top*top*beta/eta <= publishedSound) {
		return nil, errUnsound
	}
	c := component{weight: 1, basis: basis, mean: append([]float64(nil), best.mu...)}
	dec.right.MulV(c.mean)
	c.late = sync.OnceValue(func() *mat.Dense {
		factor := dec.right.VTrans()
		best.ridge.SolveTrans(factor)
		factor.Scale(1 / math.Sqrt(beta))
		return factor.Transpose()
	})
	sigma := 1 / math.Sqrt(beta)
	for i := range s.noise {
		s.noise[i].Sigma = sigma
	}
	q := newPosterior(p, []component{c}, Summary{
		Method: Published, Path: path, Kernel: asm.Active().Name(), Threads: runtime.GOMAXPROCS(0),
		Neurons: basis.Layer.Neurons(), Activation: basis.Layer.Activation(), Ensemble: 1, Rows: s.rows, Columns: n, Readings: s.readings,
		Scale: basis.Layer.Scale(), Amplitude: 1 / math.Sqrt(eta), Tolerance: math.NaN(),
		Evidence: best.evidence, EffectiveParameters: best.gamma, Noise: s.noise,
		Assemble: s.assemble, Fit: time.Since(begin),
	})
	if !best.converged {
		q.summary.Warnings = append(q.summary.Warnings, fmt.Sprintf("the published fixed point had not converged after %d iterations", publishedIterations))
	}
	return q, nil
}

// misfit returns |y - H mu|^2 for mu in the coordinates of V.
func (dec *decomposition) misfit(mu []float64) float64 {
	m := dec.rest
	for i, d := range dec.d {
		r := mat.FMA(-d, mu[i], dec.c[i])
		if i < len(dec.e) {
			r = mat.FMA(-dec.e[i], mu[i+1], r)
		}
		m = mat.FMA(r, r, m)
	}
	return m
}
