package posterior

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Config says how Fit works. The zero value of a field leaves it to the
// default or, for Scale and Tolerance, to the evidence.
type Config struct {
	Method     Method // BPIELM
	Neurons    int    // 100
	Scale      []float64
	Seed       uint64
	Draw       feature.Draw
	Activation feature.Activation // feature.Tanh
	// ChooseActivation lets the evidence choose it, with BPIELM: the search is made
	// for every one that there is.
	ChooseActivation bool
	Tolerance        float64
	Path             Path
	// Ensemble is how many draws of the layer Fit averages over with BPIELM, each
	// with Neurons neurons and weighted by its evidence. Of large layers, which
	// differ less, there are fewer.
	Ensemble int // 5; 3 with more than 256 neurons
	// Progress, if not nil, is told how much of the work is done. It is called
	// from one goroutine at a time.
	Progress func(done, total int)
}

const (
	defaultNeurons  = 100
	defaultEnsemble = 5
	// Of layers larger than this there are only so many.
	largeLayer    = 256
	largeEnsemble = 3
	// publishedScale is the range of slopes for the paper's methods where none
	// is given; the paper does not state its own.
	publishedScale = 3
)

// The search for the scales, in half octaves: scale k is 2^(k/2). The evidence
// first climbs a ladder of scales common to all variables, from ladder on in steps
// of its own; then each variable is stretched by stretch while that helps, at most
// stretchRounds times, since a solution seldom changes as fast in time as in
// space; then a parabola through what has been seen along each variable says
// where between the steps its maximum lies.
var ladder = []float64{2, 4, 6, 8}

const (
	// manyNeurons is from where on the scales are first sought with fewer.
	manyNeurons   = 480
	stretch       = 2
	stretchRounds = 6
	// The ladder ends where a neuron is flat, and where it is a step.
	lowestRung, highestRung = -4, 16
)

// halfOctaves returns 2^(k/2) for each k.
func halfOctaves(k []float64) []float64 {
	const log2 = 0.6931471805599453
	scale := make([]float64, len(k))
	for i, v := range k {
		scale[i] = mat.Exp(float64(v * (log2 / 2)))
		if v == math.Floor(v) { // exact where it can be
			scale[i] = math.Ldexp(1, int(v)>>1)
			if int(v)&1 != 0 {
				scale[i] *= math.Sqrt2
			}
		}
	}
	return scale
}

// Fit infers the posterior of a problem. It draws the layer, compiles the
// physics and assimilates the sensors; with BPIELM the layer's scale in each
// variable is chosen by the evidence. It fails with a *system.ProblemError or
// *ConfigError for what does not make sense, with a *DataError for numbers
// that are not finite, and with mat's errors where the linear algebra fails.
func Fit(p *system.Problem, c Config) (*Posterior, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := c.chooseNeurons(); err != nil {
		return nil, err
	}
	p, err := refined(p, c)
	if err != nil {
		return nil, err
	}
	switch c.Method {
	case BPIELM, "":
		return fitPhysicsFirst(p, c)
	case Published, PseudoInverse:
		return fitStacked(p, c)
	}
	return nil, &ConfigError{"method", fmt.Sprintf("unknown method %q; expected bpielm, paper or pielm", string(c.Method))}
}

// chooseNeurons settles how many there are, and of how many draws.
func (c *Config) chooseNeurons() error {
	if c.Neurons == 0 {
		c.Neurons = defaultNeurons
	}
	if c.Neurons < 0 {
		return &ConfigError{"neurons", fmt.Sprintf("%d; at least one is needed", c.Neurons)}
	}
	if c.Ensemble == 0 {
		c.Ensemble = defaultEnsemble
		if c.Neurons > largeLayer {
			c.Ensemble = largeEnsemble
		}
	}
	if c.Ensemble < 0 || c.Ensemble > maxEnsemble {
		return &ConfigError{"ensemble", fmt.Sprintf("%d; from 1 to %d are possible", c.Ensemble, maxEnsemble)}
	}
	return nil
}

func (c *Config) layer(p *system.Problem, scale []float64) (*feature.Layer, error) {
	return feature.New(p.Box(), feature.Config{Neurons: c.Neurons, Scale: scale, Seed: c.Seed, Draw: c.Draw, Activation: c.Activation})
}

// candidate is the outcome of one layer.
type candidate struct {
	scale    []float64 // see halfOctaves; nil where the configuration gives it
	physics  *Physics
	readings *readings
	choice   *choice
	store    *storage
	assemble time.Duration
	err      error
}

// search tries layers and keeps the best.
type search struct {
	problem  *system.Problem
	config   Config
	best     *candidate
	scores   map[string]float64 // of the scales that have been tried; -Inf where they failed
	free     []*storage
	assemble time.Duration // of all candidates, divided by how many ran at a time
	done     int
	total    int
}

func fitPhysicsFirst(p *system.Problem, c Config) (*Posterior, error) {
	begin := time.Now()
	s, err := searchActivations(p, c)
	if err != nil {
		return nil, err
	}
	q, err := s.ensemble()
	if err != nil {
		return nil, err
	}
	s.release()
	q.summary.Assemble = s.assemble
	q.summary.Fit = time.Since(begin) - s.assemble
	return q, nil
}

// searchActivations is searchLayers with the activation of largest evidence, where
// that is to be chosen; the first of equals.
func searchActivations(p *system.Problem, c Config) (best *search, err error) {
	if !c.ChooseActivation {
		return searchLayers(p, c)
	}
	progress, all := c.Progress, feature.Activations()
	var assemble time.Duration
	for i, activation := range all {
		c.Activation = activation
		if progress != nil {
			c.Progress = func(done, total int) { progress(i*total+done, len(all)*total) }
		}
		s, failure := searchLayers(p, c)
		if failure != nil {
			err = failure
			continue
		}
		assemble += s.assemble
		if best == nil || s.best.choice.score > best.best.choice.score {
			best, s = s, best
		}
		if s != nil {
			s.release()
		}
	}
	if best == nil {
		return nil, err
	}
	best.assemble = assemble
	return best, nil
}

// searchLayers finds the layer and hyper-parameters of largest evidence.
func searchLayers(p *system.Problem, c Config) (*search, error) {
	s := &search{problem: p, config: c, scores: map[string]float64{}}
	if len(c.Scale) > 0 {
		s.total = 1
		if err := s.try(nil); err != nil {
			return nil, err
		}
	} else if err := s.chooseScale(len(p.Variables)); err != nil {
		return nil, err
	}
	if c.Progress != nil && s.done < s.total {
		c.Progress(s.total, s.total)
	}
	return s, nil
}

// chooseScale maximises the evidence over the scales of d variables: of the whole
// layer or, where that is large, of a part of it, from whose scales the whole then
// goes on. What suits a solution hardly depends on how many neurons there are, and
// what a layer costs grows with their third power.
func (s *search) chooseScale(d int) error {
	s.total = len(ladder) + 4*d + 2 // about
	if s.config.Neurons <= manyNeurons {
		return s.climb(d)
	}
	part := s.config
	for part.Neurons > manyNeurons {
		part.Neurons = (part.Neurons + 1) / 2
	}
	if s.config.Progress != nil {
		part.Progress = func(done, total int) { s.config.Progress(done, total+3) }
	}
	coarse, err := searchLayers(s.problem, part)
	if err != nil {
		return err
	}
	s.done, s.total = coarse.done, coarse.done+3
	start := coarse.best.scale
	s.assemble += coarse.assemble
	coarse.release()
	if err := s.try(start, moved(start, stretch), moved(start, -stretch)); err != nil {
		return err
	}
	for _, step := range []float64{stretch, -stretch} {
		for range stretchRounds {
			next := moved(s.best.scale, step)
			if key(s.best.scale) == key(start) || s.known(next) || slices.Min(next) < lowestRung || slices.Max(next) > highestRung {
				break
			}
			if err := s.try(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// moved returns k with all elements increased by step.
func moved(k []float64, step float64) []float64 {
	k = slices.Clone(k)
	for i := range k {
		k[i] += step
	}
	return k
}

// climb maximises the evidence over the scales of d variables by the steps that are
// described at ladder.
func (s *search) climb(d int) error {
	rungs := slices.Clone(ladder)
	for len(rungs) > 0 {
		var grid [][]float64
		for _, k := range rungs {
			grid = append(grid, slices.Repeat([]float64{k}, d))
		}
		if err := s.try(grid...); err != nil {
			return err
		}
		rungs = rungs[:0]
		for _, step := range []float64{stretch, -stretch} {
			if k := s.best.scale[0] + step; k >= lowestRung && k <= highestRung && !s.known(slices.Repeat([]float64{k}, d)) {
				rungs = append(rungs, k)
			}
		}
	}
	for range stretchRounds {
		before := s.best
		var neighbours [][]float64
		for i := range d {
			neighbours = append(neighbours, shifted(s.best.scale, i, stretch), shifted(s.best.scale, i, -stretch))
		}
		if err := s.try(neighbours...); err != nil {
			return err
		}
		if s.best == before {
			break
		}
	}
	return s.try(s.betweenSteps()...)
}

// shifted returns k with its element i increased by step.
func shifted(k []float64, i int, step float64) []float64 {
	k = slices.Clone(k)
	k[i] += step
	return k
}

// betweenSteps returns where parabolas through the best and its neighbours along
// each variable have their maxima, and the place half the way there: variables
// that do each other's work would together go too far.
func (s *search) betweenSteps() [][]float64 {
	far, near, moved := slices.Clone(s.best.scale), slices.Clone(s.best.scale), false
	for i := range far {
		up, known := s.scores[key(shifted(s.best.scale, i, stretch))]
		down, knownToo := s.scores[key(shifted(s.best.scale, i, -stretch))]
		here := s.best.choice.score
		if known && knownToo && up <= here && down <= here && math.Min(up, down) < here {
			shift := float64(0.5 * stretch * ((up - down) / (float64(2*here) - up - down)))
			far[i] += shift
			near[i] += float64(0.5 * shift)
			moved = moved || shift != 0
		}
	}
	if !moved {
		return nil
	}
	return [][]float64{far, near}
}

// key names scales in the search's book of scores.
func key(scale []float64) string { return fmt.Sprint(scale) }

// known tells whether scales have been tried.
func (s *search) known(scale []float64) bool {
	_, tried := s.scores[key(scale)]
	return tried
}

// try compiles and scores layers at those of the given scales that are new, as
// many at a time as there are processors, and keeps the best of these and the
// best so far. It fails when none has ever worked.
func (s *search) try(grid ...[]float64) error {
	grid = slices.DeleteFunc(grid, s.known)
	if len(grid) == 0 {
		return nil
	}
	workers := min(len(grid), runtime.GOMAXPROCS(0))
	var (
		lock    sync.Mutex
		best    *candidate // of the grid
		place   int        // of it in the grid
		failure error      // of the first of the grid
	)
	mat.Parallel(len(grid), func(i int) {
		lock.Lock()
		store := s.borrow()
		lock.Unlock()
		k := tryScale(s.problem, s.config, grid[i], 0, store)
		lock.Lock()
		defer lock.Unlock()
		s.assemble += k.assemble / time.Duration(workers)
		s.scores[key(grid[i])] = math.Inf(-1)
		if k.err == nil {
			s.scores[key(grid[i])] = k.choice.score
		}
		loser := k
		// Of equals the first of the grid wins, whichever came first in time.
		if k.err == nil && (best == nil || k.choice.score > best.choice.score || k.choice.score == best.choice.score && i < place) {
			best, place, loser = k, i, best
		}
		s.dismiss(loser)
		if i == 0 {
			failure = k.err
		}
		s.done++
		if s.config.Progress != nil {
			s.config.Progress(min(s.done, s.total), s.total)
		}
	})
	if best != nil && (s.best == nil || best.choice.score > s.best.choice.score) {
		s.best, best = best, s.best
	}
	s.dismiss(best)
	if s.best == nil {
		return failure
	}
	return nil
}

// borrow lends storage that no candidate uses.
func (s *search) borrow() *storage {
	n := len(s.free)
	if n == 0 {
		return borrowStorage()
	}
	store := s.free[n-1]
	s.free = s.free[:n-1]
	return store
}

// dismiss takes back the storage of a candidate that has lost, if there is one.
func (s *search) dismiss(k *candidate) {
	if k != nil {
		k.store.reclaim()
		s.free = append(s.free, k.store)
	}
}

// release gives all storage back, that of the winner too.
func (s *search) release() {
	s.dismiss(s.best)
	for _, store := range s.free {
		store.giveBack()
	}
	s.best, s.free = nil, nil
}

// tryScale works in the store and leaves the candidate there. An open tolerance is
// chosen among all, or is the given one where that is not 0.
func tryScale(p *system.Problem, c Config, scale []float64, tolerance float64, store *storage) *candidate {
	k := &candidate{scale: scale, store: store}
	if scale != nil {
		c.Scale = halfOctaves(scale)
	}
	var layer *feature.Layer
	if layer, k.err = c.layer(p, c.Scale); k.err != nil {
		return k
	}
	if k.physics, k.err = compile(p, layer, CompileConfig{Tolerance: c.Tolerance, Path: c.Path}, store); k.err != nil {
		return k
	}
	begin := time.Now()
	if k.readings, k.err = newReadings(store, k.physics.basis, p.Sensors, p); k.err != nil {
		return k
	}
	k.assemble = k.physics.assemble + time.Since(begin)
	if ph := k.physics; tolerance > 0 && ph.demanded.open != nil {
		var shared *scored
		k.choice, k.err = ph.score(k.readings, tolerance, &shared)
	} else {
		k.choice, k.err = ph.survey(k.readings)
	}
	k.physics.store = nil // physics may be used by several goroutines from now on
	return k
}
