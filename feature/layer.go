package feature

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bpielm/bpielm/mat"
)

// Box is the bounding box of a problem, with Min[i] < Max[i] in variable i. If Log[i] is
// true, neurons are functions of the logarithm of variable i, and Min[i] must be positive.
// Missing entries of Log are false.
type Box struct {
	Min, Max []float64
	Log      []bool
}

// Draw selects how neurons are drawn.
type Draw int

const (
	// Spread draws slopes uniformly from [-Scale, Scale]^d and puts the hyperplane where
	// a neuron's argument is zero through a point of the box. Slopes and points come from
	// one scrambled low-discrepancy sequence in 2d dimensions, so neurons cover the box
	// evenly however large it is.
	Spread Draw = iota
	// Independent is Spread with independent random numbers.
	Independent
	// Published draws slopes and bias independently from [-Scale, Scale] in the
	// problem's own coordinates, as implementations of the paper's method do. Much of a
	// large domain is then left without features.
	Published
)

// Config describes a layer. Scale is the range of the slopes in normalised coordinates (for
// Published, in the problem's own): one number for each variable, or one for all. A
// neuron varies over a distance of about 2/Scale times the box's side.
type Config struct {
	Neurons int
	Scale   []float64
	Seed    uint64
	Draw    Draw

	Activation Activation // default Tanh

	// Axes, if not nil, rotates the layer: Scale then belongs to the columns of this
	// orthogonal matrix (d x d, row by row, in normalised coordinates) instead of the
	// variables. Published layers cannot be rotated.
	Axes []float64

	// Constant appends a neuron that is 1 everywhere, so that a large mean level does not
	// need large weights on the others.
	Constant bool

	// Patches, if not nil, cuts the box into a grid of that many cells along each variable, see
	// patches.go. Neurons is then the number of neurons of each patch, Scale refers to patches, and
	// Constant appends a neuron to each.
	Patches []int
	// Edges are where the cells begin along each variable, and where the last one ends, in ascending order; nil for cells of equal
	// sides.
	Edges [][]float64
}

// Layer is a fixed hidden layer. It is immutable and safe for concurrent use.
type Layer struct {
	center, half []float64  // box: z = (x - center) / half
	log          []bool     // variables whose logarithm is x; nil for none
	slopes       *mat.Dense // neurons x variables
	bias         []float64
	scale        []float64 // one for each variable
	activation   Activation

	across *mat.Dense // slopes transposed: variables x neurons
	steep  *mat.Dense // across / half: slopes in the problem's own coordinates

	grid    *grid   // of patches; nil: the layer has none
	patches []patch // instead of slopes and bias
}

// finish derives the remaining fields.
func (l *Layer) finish() *Layer {
	d, n := len(l.center), len(l.bias)
	l.across, l.steep = mat.NewDense(d, n, nil), mat.NewDense(d, n, nil)
	for v := range d {
		for j := range n {
			a := l.slopes.At(j, v)
			l.across.Set(v, j, a)
			l.steep.Set(v, j, a/l.half[v])
		}
	}
	return l
}

// Error reports an invalid Config, Box or Stored.
type Error string

func (e Error) Error() string { return string(e) }

// New draws a layer. It returns an Error if the configuration or the box is invalid.
func New(box Box, c Config) (*Layer, error) {
	d := len(box.Min)
	if err := c.check(box); err != nil {
		return nil, err
	}
	if c.Patches != nil {
		return newPatched(box, c)
	}
	l := &Layer{
		center: make([]float64, d), half: make([]float64, d),
		slopes: mat.NewDense(c.Neurons, d, nil), bias: make([]float64, c.Neurons),
		scale: make([]float64, d), activation: c.Activation,
	}
	if err := l.setBox(box, c.Scale); err != nil {
		return nil, err
	}
	if l.log != nil && c.Draw == Published {
		return nil, Error("published draws cannot have logarithmic axes")
	}
	switch c.Draw {
	case Spread:
		l.drawSpread(c.Seed, c.Axes)
	case Independent:
		l.drawIndependent(c.Seed, c.Axes)
	case Published:
		l.drawPublished(c.Seed)
	default:
		return nil, Error(fmt.Sprintf("unknown draw %d", c.Draw))
	}
	if c.Axes != nil {
		l.rotateScale(c.Axes)
	}
	if c.Constant {
		l.slopes = mat.NewDense(c.Neurons+1, d, append(l.slopes.Data(), make([]float64, d)...))
		l.bias = append(l.bias, activations[l.activation].one)
	}
	return l.finish(), nil
}

// check returns an Error unless c describes a layer in the variables of box.
func (c *Config) check(box Box) error {
	d := len(box.Min)
	switch {
	case d == 0 || len(box.Max) != d:
		return Error(fmt.Sprintf("the box has %d lower and %d upper ends; it needs as many of each, and at least one", d, len(box.Max)))
	case c.Neurons < 1:
		return Error(fmt.Sprintf("neurons = %d; at least one is needed", c.Neurons))
	case len(c.Scale) != 1 && len(c.Scale) != d:
		return Error(fmt.Sprintf("%d scales for %d variables", len(c.Scale), d))
	case !c.Activation.known():
		return Error(fmt.Sprintf("unknown %v", c.Activation))
	case c.Axes != nil && (len(c.Axes) != d*d || c.Draw == Published):
		return Error(fmt.Sprintf("%d elements of axes for %d variables, or axes for a published draw", len(c.Axes), d))
	case len(box.Log) > d:
		return Error(fmt.Sprintf("%d entries of Log for %d variables", len(box.Log), d))
	}
	return nil
}

// setBox sets the box and the scale in each variable.
func (l *Layer) setBox(box Box, scale []float64) error {
	d := len(box.Min)
	if slices.Contains(box.Log, true) {
		l.log = append(slices.Clone(box.Log), make([]bool, d-len(box.Log))...)
	}
	for i := range d {
		l.scale[i] = scale[min(i, len(scale)-1)]
		if !(l.scale[i] > 0) || math.IsInf(l.scale[i], 0) {
			return Error(fmt.Sprintf("scale = %g; it must be positive", l.scale[i]))
		}
		low, high := box.Min[i], box.Max[i]
		if !(low < high) || math.IsInf(high-low, 0) {
			return Error(fmt.Sprintf("side %d of the box, [%g, %g], is not an interval", i+1, low, high))
		}
		if l.log != nil && l.log[i] {
			if !(low > 0) {
				return Error(fmt.Sprintf("side %d of the box, [%g, %g], has no logarithms", i+1, low, high))
			}
			low, high = mat.Log(low), mat.Log(high)
		}
		l.half[i] = (high - low) / 2
		l.center[i] = low + l.half[i]
	}
	return nil
}

// rotateScale turns the range of the slopes along each axis into that along each
// variable, as a root sum of squares.
func (l *Layer) rotateScale(axes []float64) {
	along := slices.Clone(l.scale)
	for i := range l.scale {
		sum := 0.0
		for k, s := range along {
			a := axes[i*len(along)+k] * s
			sum += float64(a * a)
		}
		l.scale[i] = math.Sqrt(sum)
	}
}

// drawSpread draws slopes and zeros from one low-discrepancy sequence.
func (l *Layer) drawSpread(seed uint64, axes []float64) {
	d := len(l.center)
	sequence := NewHalton(2*d, seed)
	p := make([]float64, 2*d)
	for j := range l.bias {
		sequence.NextTo(p)
		l.place(j, p[:d], p[d:], axes)
	}
}

// drawIndependent draws slopes and zeros independently.
func (l *Layer) drawIndependent(seed uint64, axes []float64) {
	d := len(l.center)
	random := rand.New(rand.NewPCG(seed, neuronStream))
	p := make([]float64, 2*d)
	for j := range l.bias {
		for i := range p {
			p[i] = random.Float64()
		}
		l.place(j, p[:d], p[d:], axes)
	}
}

// neuronStream separates the generator of neurons from others with the same seed.
const neuronStream = 0x6e6575726f6e

// place sets neuron j from two points of the unit cube: one gives its slopes along the
// axes, the other the point of the box where its argument is zero.
func (l *Layer) place(j int, slope, zero, axes []float64) {
	row := l.slopes.Row(j)
	for i, s := range slope {
		a := l.scale[i] * (float64(2*s) - 1)
		if axes == nil {
			row[i] = a
			continue
		}
		for v := range row {
			row[v] += float64(a * axes[v*len(row)+i])
		}
	}
	b := 0.0
	for i, a := range row {
		b -= float64(a * (float64(2*zero[i]) - 1))
	}
	l.bias[j] = b
}

// drawPublished draws slopes and bias independently in the problem's own coordinates.
func (l *Layer) drawPublished(seed uint64) {
	random := rand.New(rand.NewPCG(seed, neuronStream))
	for j := range l.bias {
		b := 0.0
		for i := range l.center {
			a := l.scale[i] * (2*float64(random.Float64()) - 1) // in the problem's own coordinates
			l.slopes.Set(j, i, a*l.half[i])
			b += float64(a * l.center[i])
		}
		l.bias[j] = b + float64(slices.Max(l.scale)*(2*float64(random.Float64())-1))
	}
}

// Join returns a layer with the neurons of all the layers, in order. The layers must have
// the same box and activation; Scale is that of the first. Join returns an Error if they
// differ or there are none.
func Join(layers ...*Layer) (*Layer, error) {
	if len(layers) == 0 {
		return nil, Error("no layers to join")
	}
	joined := layers[0].Store()
	if slices.ContainsFunc(layers, func(l *Layer) bool { return l.grid != nil }) {
		return nil, Error("layers with patches cannot be joined")
	}
	for _, l := range layers[1:] {
		if !slices.Equal(l.center, joined.Center) || !slices.Equal(l.half, joined.Half) || !slices.Equal(l.log, joined.Log) || l.activation != joined.Activation {
			return nil, Error("layers of different boxes or activations cannot be joined")
		}
		joined.Slopes = append(joined.Slopes, l.slopes.Data()...)
		joined.Bias = append(joined.Bias, l.bias...)
	}
	return Restore(joined)
}

// Neurons returns the number of neurons, of all patches.
func (l *Layer) Neurons() int {
	if l.grid != nil {
		return len(l.patches) * l.patches[0].local.Neurons()
	}
	return len(l.bias)
}

// Dimensions returns the number of variables.
func (l *Layer) Dimensions() int { return len(l.center) }

// Activation returns the activation of the neurons.
func (l *Layer) Activation() Activation { return l.activation }

// Scale returns a copy of the range of the slopes that the layer was drawn with, one
// number for each variable.
func (l *Layer) Scale() []float64 { return slices.Clone(l.scale) }

// Stored is the content of a layer, for files. Slopes is neurons x variables, row by row,
// in normalised coordinates. Scale, Center and Half have an entry for each variable, and
// Bias one for each neuron. Center and Half refer to the logarithm of a variable if its
// Log is true; a nil Log is all false. A layer with Patches has the neurons of all of them, patch by patch, with the slopes in
// the coordinates of their patch.
type Stored struct {
	Activation Activation
	Log        []bool
	Patches    []int
	Edges      [][]float64 // of the cells, as in Config

	Scale, Center, Half, Slopes, Bias []float64
}

// Store returns a copy of the layer's content. It panics with mat.Error if the layer has only some of its patches, see Only.
func (l *Layer) Store() Stored {
	if l.grid != nil {
		return l.storePatches()
	}
	return Stored{
		Activation: l.activation,
		Log:        slices.Clone(l.log),

		Scale:  slices.Clone(l.scale),
		Center: slices.Clone(l.center),
		Half:   slices.Clone(l.half),
		Slopes: slices.Clone(l.slopes.Data()),
		Bias:   slices.Clone(l.bias),
	}
}

// Restore returns the layer that s describes. It returns an Error if s is inconsistent or
// has a number that is not finite.
func Restore(s Stored) (*Layer, error) {
	d, n := len(s.Center), len(s.Bias)
	if s.Patches != nil {
		return restorePatches(s)
	}
	if d == 0 || n == 0 || len(s.Scale) != d || s.Log != nil && len(s.Log) != d || len(s.Half) != d || len(s.Slopes) != n*d {
		return nil, Error("the parts of a stored layer do not fit together")
	}
	for _, part := range [][]float64{s.Scale, s.Center, s.Half, s.Slopes, s.Bias} {
		for _, v := range part {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, Error("a stored layer with a number that is not finite")
			}
		}
	}
	if !s.Activation.known() {
		return nil, Error(fmt.Sprintf("a stored layer with the unknown %v", s.Activation))
	}
	for _, h := range s.Half {
		if !(h > 0) {
			return nil, Error("a stored layer with an empty box")
		}
	}
	l := &Layer{
		activation: s.Activation,
		log:        slices.Clone(s.Log),

		scale:  slices.Clone(s.Scale),
		center: slices.Clone(s.Center),
		half:   slices.Clone(s.Half),
		slopes: mat.NewDense(n, d, slices.Clone(s.Slopes)),
		bias:   slices.Clone(s.Bias),
	}
	return l.finish(), nil
}
