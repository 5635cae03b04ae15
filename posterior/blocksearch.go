package posterior

import (
	"math"
	"slices"
	"time"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/system"
)

// With patches the scales, common to all patches and in their units, are searched for with fewer
// neurons if a layer is expensive: patches are alike, and the best scales hardly depend on the number.
// Then the best layers are taken with all their neurons.

const (
	// A factorisation in the search may take that many multiply-adds.
	blockSearchWork = 1e8
	// Below wideBlockWork the search is as wide as without patches; above, it evaluates few sites. With more than
	// fewBlockWork two layers are mixed, with more than oneBlockWork one.
	wideBlockWork, fewBlockWork, oneBlockWork = 5e6, 1e8, 3e9
	// fewestOfPatch is how many neurons of a patch the search has at least.
	fewestOfPatch = 16
)

// patchLayout returns a layer of one neuron in each patch of the problem.
func (c *Config) patchLayout(p *system.Problem) (*feature.Layer, error) {
	return feature.New(p.Box(), feature.Config{Neurons: 1, Scale: []float64{1}, Patches: c.Patches, Edges: c.edges})
}

// blockCost is what a layer with patches costs for one weight in each patch.
type blockCost struct {
	patches, fields int
	elements, work  float64 // of a factor, and multiply-adds to compute it
}

func (c *Config) blockCost(p *system.Problem) (blockCost, error) {
	layer, err := c.patchLayout(p)
	if err != nil {
		return blockCost{}, err
	}
	cost := blockCost{patches: layer.Patches(), fields: len(p.Fields)}
	for i, first := range envelope(layer, p) {
		w := float64(i - first + 1)
		cost.elements += w
		cost.work += float64(w * w)
	}
	return cost, nil
}

// of returns elements and multiply-adds with a number of neurons in each patch.
func (b *blockCost) of(neurons int) (elements, work float64) {
	size := float64(b.fields * (neurons + 1))
	return b.elements * float64(size*size), b.work * float64(float64(size*size)*size)
}

// searched is the number of neurons with which the search is done.
func (b *blockCost) searched(neurons int) int {
	for neurons/2 >= fewestOfPatch {
		if _, work := b.of(neurons); work <= blockSearchWork {
			break
		}
		neurons = (neurons + 1) / 2
	}
	return neurons
}

// neuronsOf is the number of neurons of a patch.
func (c *Config) neuronsOf(p *system.Problem) int {
	if c.Neurons > 0 {
		return c.Neurons
	}
	return system.NeuronsOfPatch(len(p.Variables))
}

// integrateBlocks is integrate for layers with patches.
func integrateBlocks(p *system.Problem, c Config) (*Posterior, *search, error) {
	begin := time.Now()
	p = balanced(p)
	f, err := newFrame(p)
	if err != nil {
		return nil, nil, err
	}
	cost, err := c.blockCost(p)
	if err != nil {
		return nil, nil, err
	}
	c.Path = GramPath
	c.Neurons = c.neuronsOf(p)
	if err := c.fits(p, c.Neurons); err != nil {
		return nil, nil, err
	}
	few := cost.searched(c.Neurons)
	told := newProgress(c.Progress)
	told.span(0, 1, layersToCome(2, len(p.Variables)))
	last, err := f.pilot(c, c.enough(p, few), few, told)
	if err != nil {
		return nil, nil, err
	}
	assemble := last.assemble
	if c.edges == nil {
		f, last = c.gradeBy(p, f, last, few, told)
		assemble = last.assemble
	}
	s := newSearch(f, c, few, told)
	s.followAlong(last)
	last.release()
	_, work := cost.of(few)
	s.explore(work <= wideBlockWork)
	most := mostComponents
	if few < c.Neurons {
		switch _, work := cost.of(c.Neurons); {
		case work > oneBlockWork:
			most = 1
		case work > fewBlockWork:
			most = 2
		default:
			most = mostLarge
		}
		assemble += s.assemble
		f.problem = c.enough(p, c.Neurons)
		whole := newSearch(f, c, c.Neurons, told)
		whole.take(s, most)
		s.release()
		s = whole
	}
	if c.Maximum {
		most = 1
	}
	q, err := s.mix(most)
	if err != nil {
		s.release()
		return nil, nil, err
	}
	told.finish()
	s.explainBlocks(p, q)
	q.summary.Assemble = assemble + s.assemble
	q.summary.Fit = time.Since(begin) - q.summary.Assemble
	return q, s, nil
}

// gradeBy gives the cells the lengths that suit what a search has found, as often as the evidence of its best layer grows.
func (c *Config) gradeBy(p *system.Problem, f *frame, last *search, neurons int, told *progress) (*frame, *search) {
	for range mostGradings {
		q, err := last.posteriorOf(1, nil)
		if err != nil {
			break
		}
		edges, changed := c.grade(p, meanState{q})
		if !changed {
			break
		}
		graded := *c
		graded.edges = edges
		other, err := newFrame(p)
		if err != nil {
			break
		}
		next, err := other.pilot(graded, graded.enough(p, neurons), neurons, told)
		if err != nil {
			break
		}
		if !(next.best().score > last.best().score) {
			next.release()
			break
		}
		next.assemble += last.assemble
		last.release()
		*c, f, last = graded, other, next
	}
	return f, last
}

// explainBlocks is explain for layers with patches.
func (s *search) explainBlocks(p *system.Problem, q *Posterior) {
	q.weights, q.tried, q.larger = s.weights, s.ranked(), s.blockMovement(p, q)
	q.summary.Patches, q.summary.PatchEdges = slices.Clone(s.config.Patches), q.components[0].basis.Layer.PatchEdges()
}

// blockMemory is memory for layers with patches, in bytes.
func (c *Config) blockMemory(p *system.Problem, neurons int) int64 {
	cost, err := c.blockCost(p)
	if err != nil {
		return 0
	}
	elements, work := cost.of(neurons)
	few := cost.searched(neurons)
	layers := float64(mostComponents)
	if few < neurons {
		layers = mostLarge
		if work > fewBlockWork {
			layers = 2
		}
		if work > oneBlockWork {
			layers = 1
		}
	}
	// H'H and its factor, at least one factor and the covariance for each layer, H'H of what is compared, and an inverse that is
	// added to a covariance.
	factors := float64(layers * math.Max(1, math.Min(maxBlockParts, blockElements/elements)))
	bytes := float64(float64(8*elements) * (4 + layers + float64(factors)))
	columns := float64(cost.patches) * float64(cost.fields*(neurons+1))
	rows := float64(p.Readings() + len(p.Parameters))
	bytes += float64(float64(8*columns) * (float64(blockColumns*chunkRows) + float64(readingCopies*rows)))
	bytes += float64(8 * blockSquares * float64(rows*rows))
	return programBytes + int64(math.Min(bytes, 0x1p60)) + c.pointMemory(p)
}

const (
	maxBlockParts = 12 // slacks that carry weight
	blockColumns  = 6  // dense chunks of rows that exist at a time
	readingCopies = 10 // rows of the readings, and their transforms
	blockSquares  = 20 // matrices of the size of the readings' covariance
)
