package pinn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Config configures training. Zero fields stand for the paper's choice for the forward
// problems.
type Config struct {
	Hidden     []int   // widths of the hidden layers; nil: four of 100
	Epochs     int     // 0: 4000
	Rate       float64 // of Adam; 0: 1e-3
	DataWeight float64 // of the readings' mean square in the loss, where each equation has 1; 0: 1
	Seed       uint64
	Progress   func(done, total int) // may be nil
}

func (c Config) withDefaults() Config {
	if c.Hidden == nil {
		c.Hidden = []int{100, 100, 100, 100}
	}
	if c.Epochs == 0 {
		c.Epochs = 4000
	}
	if c.Rate == 0 {
		c.Rate = 1e-3
	}
	if c.DataWeight == 0 {
		c.DataWeight = 1
	}
	return c
}

// weights are the weights of a network, or a gradient in them, as views of one vector.
type weights struct {
	all        []float64
	w          []*mat.Dense // outputs x inputs
	b          [][]float64
	parameters []float64 // the problem's unknown parameters
}

// newWeights returns zero weights for layers of the given widths, the input first.
func newWeights(widths []int, parameters int) *weights {
	total := parameters
	for l := 1; l < len(widths); l++ {
		total += widths[l] * (widths[l-1] + 1)
	}
	n := &weights{all: make([]float64, total)}
	rest := n.all
	take := func(k int) []float64 {
		part := rest[:k:k]
		rest = rest[k:]
		return part
	}
	for l := 1; l < len(widths); l++ {
		n.w = append(n.w, mat.NewDense(widths[l], widths[l-1], take(widths[l]*widths[l-1])))
		n.b = append(n.b, take(widths[l]))
	}
	n.parameters = take(parameters)
	return n
}

// initialise draws weights as Glorot and Bengio (2010) do.
func (n *weights) initialise(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	for _, w := range n.w {
		rows, cols := w.Dims()
		sd := math.Sqrt(2 / float64(rows+cols))
		for i := range rows {
			row := w.Row(i)
			for k := range row {
				row[k] = sd * random.NormFloat64()
			}
		}
	}
}

// Network is a trained network. It is safe for concurrent use.
type Network struct {
	problem *system.Problem
	widths  []int
	weights *weights
	loss    float64
}

// Loss returns the loss before the last step.
func (n *Network) Loss() float64 { return n.loss }

// Parameters returns the estimates of the problem's unknown parameters.
func (n *Network) Parameters() []float64 { return n.weights.parameters }

// Predict returns a field at points, an n x variables matrix.
func (n *Network) Predict(field int, points *mat.Dense) []float64 {
	j := newJet(&components{}, normalised(n.problem, points), n.widths[1:])
	out := j.forward(n.weights)
	u := make([]float64, points.Rows())
	for i := range u {
		u[i] = out.At(i, field)
	}
	return u
}

// Train trains a network on a problem. It returns a *system.ProblemError, an
// *UnsupportedError, or a *DivergedError if the loss is not finite.
func Train(p *system.Problem, c Config) (*Network, error) {
	c = c.withDefaults()
	t, err := NewTrainer(p, c)
	if err != nil {
		return nil, err
	}
	for epoch := range c.Epochs {
		if loss := t.Epoch(); math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, &DivergedError{Epoch: epoch + 1}
		}
		if c.Progress != nil {
			c.Progress(epoch+1, c.Epochs)
		}
	}
	return t.Network(), nil
}

// DivergedError reports that the loss is no longer finite.
type DivergedError struct{ Epoch int }

func (e *DivergedError) Error() string {
	return fmt.Sprintf("training diverged in epoch %d", e.Epoch)
}

// segmentRows is the number of points processed together: few enough for their activations
// to stay in cache.
const segmentRows = 64

// segment is a part of a block, with all that it needs to pass through the network on its
// own.
type segment struct {
	block    *block
	first    int
	jet      *jet
	residual []float64
	gradient *weights
	loss     float64
}

// Trainer trains a network epoch by epoch.
type Trainer struct {
	network    Network
	segments   []*segment
	gradient   []float64
	mean, size []float64 // of Adam: running means of the gradient and its squares
	rate       float64
	epochs     int
}

// NewTrainer prepares training; its errors are those of Train.
func NewTrainer(p *system.Problem, c Config) (*Trainer, error) {
	c = c.withDefaults()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	widths := append(append([]int{len(p.Variables)}, c.Hidden...), len(p.Fields))
	t := &Trainer{network: Network{problem: p, widths: widths, weights: newWeights(widths, len(p.Parameters))}, rate: c.Rate}
	t.network.weights.initialise(c.Seed)
	n := len(t.network.weights.all)
	t.gradient, t.mean, t.size = make([]float64, n), make([]float64, n), make([]float64, n)
	add := func(where string, f *system.Functional, points *mat.Dense, values []float64, weight float64) error {
		b, err := newBlock(where, p, f, points, values, weight)
		if err != nil {
			return err
		}
		rows := points.Rows()
		for first := 0; first < rows; first += segmentRows {
			last := min(first+segmentRows, rows)
			t.segments = append(t.segments, &segment{
				block: b, first: first, residual: make([]float64, last-first),
				jet:      newJet(&b.components, b.points.Slice(first, last, 0, b.points.Cols()), widths[1:]),
				gradient: newWeights(widths, len(p.Parameters)),
			})
		}
		return nil
	}
	for label, e := range p.Demands() {
		if err := add(label.String(), &e.Residual, e.Points, nil, 1); err != nil {
			return nil, err
		}
	}
	for i := range p.Sensors {
		s := &p.Sensors[i]
		if len(s.Values) == 0 {
			continue
		}
		if err := add(fmt.Sprintf("sensors %d", i+1), &s.Measures, s.Points, s.Values, c.DataWeight); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Network returns a copy of the network as it is now.
func (t *Trainer) Network() *Network {
	n := t.network
	n.weights = newWeights(n.widths, len(n.weights.parameters))
	copy(n.weights.all, t.network.weights.all)
	return &n
}

// Epoch takes one step of Adam on all points and returns the loss before it.
func (t *Trainer) Epoch() float64 {
	loss := t.evaluate()
	t.step()
	t.network.loss = loss
	return loss
}

// evaluate computes the loss and its gradient, segment by segment on all processors, and sums
// them in the order of the segments.
func (t *Trainer) evaluate() float64 {
	var next atomic.Int64
	var group sync.WaitGroup
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(t.segments); i = int(next.Add(1)) - 1 {
			t.segments[i].evaluate(t.network.weights)
		}
	}
	for range min(len(t.segments), runtime.GOMAXPROCS(0)) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	clear(t.gradient)
	loss := 0.0
	for _, s := range t.segments {
		loss += s.loss
		mat.Axpy(1, s.gradient.all, t.gradient)
	}
	return loss
}

// evaluate computes the segment's loss and gradient.
func (s *segment) evaluate(n *weights) {
	clear(s.gradient.all)
	out := s.jet.forward(n)
	s.block.residual(s.residual, out, s.first, n.parameters)
	share := s.block.weight / float64(s.block.points.Rows())
	s.loss = 0
	for i, r := range s.residual {
		s.loss += share * r * r
		s.residual[i] = 2 * share * r
	}
	s.block.adjoint(s.jet.back[len(n.w)-1], s.gradient.parameters, s.residual, s.first)
	s.jet.backward(n, s.gradient)
}

// step takes a step of Adam (Kingma and Ba, 2015) with its authors' constants.
func (t *Trainer) step() {
	const decay1, decay2, tiny = 0.9, 0.999, 1e-8
	t.epochs++
	correct1 := 1 / (1 - math.Pow(decay1, float64(t.epochs)))
	correct2 := 1 / (1 - math.Pow(decay2, float64(t.epochs)))
	all := t.network.weights.all
	mean, size := t.mean[:len(all)], t.size[:len(all)]
	for i, g := range t.gradient[:len(all)] {
		mean[i] = decay1*mean[i] + (1-decay1)*g
		size[i] = decay2*size[i] + (1-decay2)*g*g
		all[i] -= t.rate * mean[i] * correct1 / (math.Sqrt(size[i]*correct2) + tiny)
	}
}
