package posterior

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/bpielm/bpielm/feature"
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
	Tolerance  float64
	Path       Path
	// Progress, if not nil, is told how much of the work is done. It is called
	// from one goroutine at a time.
	Progress func(done, total int)
}

const (
	defaultNeurons = 100
	// publishedScale is the range of slopes for the paper's methods where none
	// is given; the paper does not state its own.
	publishedScale = 3
)

// The evidence first chooses one scale for all variables from scales, then
// stretches the variables one at a time by each of stretches while that helps,
// at most stretchRounds times: a solution seldom changes as fast in time as in
// space. Scales are 2^(k/2), and these are values and differences of k.
var (
	scales        = []int{0, 2, 4, 6, 8, 10}
	stretches     = []int{2, 1}
	stretchRounds = 4
)

// halfOctaves returns 2^(k/2) for each k.
func halfOctaves(k []int) []float64 {
	scale := make([]float64, len(k))
	for i, v := range k {
		scale[i] = math.Ldexp(1, v>>1)
		if v&1 != 0 {
			scale[i] *= math.Sqrt2
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
	switch c.Method {
	case BPIELM, "":
		return fitPhysicsFirst(p, c)
	case Published, PseudoInverse:
		return fitStacked(p, c)
	}
	return nil, &ConfigError{"method", fmt.Sprintf("unknown method %q; expected bpielm, paper or pielm", string(c.Method))}
}

// chooseNeurons settles how many there are.
func (c *Config) chooseNeurons() error {
	if c.Neurons == 0 {
		c.Neurons = defaultNeurons
	}
	if c.Neurons < 0 {
		return &ConfigError{"neurons", fmt.Sprintf("%d; at least one is needed", c.Neurons)}
	}
	return nil
}

func (c *Config) layer(p *system.Problem, scale []float64) (*feature.Layer, error) {
	return feature.New(p.Box(), feature.Config{Neurons: c.Neurons, Scale: scale, Seed: c.Seed, Draw: c.Draw, Activation: c.Activation})
}

// candidate is the outcome of one layer.
type candidate struct {
	scale    []int // see halfOctaves; nil where the configuration gives it
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
	tried    map[string]bool // scales
	free     []*storage
	assemble time.Duration // of all candidates, divided by how many ran at a time
	done     int
	total    int
}

func fitPhysicsFirst(p *system.Problem, c Config) (*Posterior, error) {
	begin := time.Now()
	s, err := searchLayers(p, c)
	if err != nil {
		return nil, err
	}
	q, err := s.best.physics.condition(s.best.choice, s.best.readings)
	if err != nil {
		return nil, err
	}
	q.summary.Assemble = s.assemble
	q.summary.Fit = time.Since(begin) - s.assemble
	return q, nil
}

// searchLayers finds the layer and hyper-parameters of largest evidence.
func searchLayers(p *system.Problem, c Config) (*search, error) {
	s := &search{problem: p, config: c, tried: map[string]bool{}}
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

// chooseScale maximises the evidence over the scales of d variables.
func (s *search) chooseScale(d int) error {
	s.total = len(scales) + len(stretches)*stretchRounds*2*d
	var grid [][]int
	for _, k := range scales {
		grid = append(grid, slices.Repeat([]int{k}, d))
	}
	if err := s.try(grid...); err != nil {
		return err
	}
	for _, stretch := range stretches {
		for range stretchRounds {
			before := s.best
			var neighbours [][]int
			for i := range d {
				for _, step := range []int{stretch, -stretch} {
					scale := slices.Clone(s.best.scale)
					scale[i] += step
					neighbours = append(neighbours, scale)
				}
			}
			if err := s.try(neighbours...); err != nil {
				return err
			}
			if s.best == before {
				break
			}
		}
	}
	return nil
}

// try compiles and scores layers at those of the given scales that are new, as
// many at a time as there are processors, and keeps the best of these and the
// best so far. It fails when none has ever worked.
func (s *search) try(grid ...[]int) error {
	known := len(grid)
	grid = slices.DeleteFunc(grid, func(scale []int) bool {
		key := fmt.Sprint(scale)
		defer func() { s.tried[key] = true }()
		return s.tried[key]
	})
	s.done += known - len(grid)
	if len(grid) == 0 {
		return nil
	}
	workers := min(len(grid), runtime.GOMAXPROCS(0))
	work := make(chan int)
	var (
		group   sync.WaitGroup
		lock    sync.Mutex
		best    *candidate // of the grid
		place   int        // of it in the grid
		failure error      // of the first of the grid
	)
	for range workers {
		group.Go(func() {
			for i := range work {
				lock.Lock()
				store := s.borrow()
				lock.Unlock()
				k := tryScale(s.problem, s.config, grid[i], store)
				lock.Lock()
				s.assemble += k.assemble / time.Duration(workers)
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
					s.config.Progress(s.done, s.total)
				}
				lock.Unlock()
			}
		})
	}
	for i := range grid {
		work <- i
	}
	close(work)
	group.Wait()
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
		return new(storage)
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

// tryScale works in the store and leaves the candidate there.
func tryScale(p *system.Problem, c Config, scale []int, store *storage) *candidate {
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
	if k.readings, k.err = newReadings(store, k.physics.basis, p.Sensors, p.Parameters); k.err != nil {
		return k
	}
	k.assemble = k.physics.assemble + time.Since(begin)
	k.choice, k.err = k.physics.choose(k.readings)
	k.physics.store = nil // physics may be used by several goroutines from now on
	return k
}
