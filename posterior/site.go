package posterior

import (
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
)

// site is a choice of the layer.
type site struct {
	activation feature.Activation
	octaves    []float64 // log2 of scale over its median, for each variable or axis
	turn       int       // of the axes of two variables, in units of turnUnit
	across     bool      // one axis is along characteristics, see transport.go
	draw       int
}

const (
	// turnUnit is the finest turn, in radians; the first turns are coarseTurn units from the axes.
	turnUnit   = math.Pi / 1024
	coarseTurn = 128
)

// scaleMedianOf returns the scale at which neurons of an activation have one to two waves in the
// box.
func scaleMedianOf(a feature.Activation) float64 { return scaleMedian * a.Breadth() }

func (s *site) key() string {
	return fmt.Sprint(int(s.activation), s.octaves, s.turn, s.across, s.draw)
}

// commonKey is the key that all draws of a site share.
func (s *site) commonKey() string {
	first := s.drawn(0)
	return first.key()
}

// with returns a copy of the site, moved along one variable.
func (s *site) with(i int, step float64) site {
	t := *s
	t.octaves = slices.Clone(s.octaves)
	t.octaves[i] += step
	return t
}

// octave is the mean of the octaves along axes whose scale is open; 0 without any.
func (s *site) octave() float64 {
	sum, count := 0.0, 0
	for i, k := range s.octaves {
		if !s.given(i) {
			sum, count = sum+k, count+1
		}
	}
	return sum / float64(max(count, 1))
}

// rescaled is the site with another scale along all axes whose scale is open.
func (s *site) rescaled(step float64) site {
	t := *s
	t.octaves = slices.Clone(s.octaves)
	for i := range t.octaves {
		if !s.given(i) {
			t.octaves[i] += step
		}
	}
	return t
}

func (s *site) turned(by int) site {
	t := *s
	t.turn += by
	switch half := int(math.Round(math.Pi / 2 / turnUnit)); { // a right angle exchanges the axes
	case t.turn > half/2:
		t.turn -= half
		t.octaves = []float64{s.octaves[1], s.octaves[0]}
	case t.turn <= -half/2:
		t.turn += half
		t.octaves = []float64{s.octaves[1], s.octaves[0]}
	}
	return t
}

// turnedFar turns by more than a right angle, too.
func (s *site) turnedFar(by int) site {
	t, half := *s, int(math.Round(math.Pi/2/turnUnit))
	for ; by > half; by -= half {
		t = t.turned(half)
	}
	for ; by < -half; by += half {
		t = t.turned(-half)
	}
	return t.turned(by)
}

// alike is the site with the same scale along all variables.
func alike(a feature.Activation, variables int, octaves float64) site {
	return site{activation: a, octaves: slices.Repeat([]float64{octaves}, variables)}
}

func (s *site) drawn(k int) site {
	t := *s
	t.draw = k
	return t
}

// scales returns the range of slopes along each axis.
func (s *site) scales() []float64 {
	scale := make([]float64, len(s.octaves))
	for i, k := range s.octaves {
		scale[i] = scaleMedianOf(s.activation) * exp2(k)
	}
	return scale
}

// axes returns the turned axes; nil where they are not turned.
func (s *site) axes() []float64 {
	if s.turn == 0 {
		return nil
	}
	sin, cos := mat.SinCos(float64(s.turn) * turnUnit)
	return []float64{cos, -sin, sin, cos}
}

// octavesAlong returns log2 of scale over its median along each variable; nil where the scales are
// given.
func (s *site) octavesAlong() []float64 {
	axes := s.axes()
	if axes == nil {
		return s.octaves
	}
	d := len(s.octaves)
	along := make([]float64, d)
	for i := range d {
		sum := 0.0
		for k, o := range s.octaves {
			a := axes[i*d+k] * exp2(o)
			sum += float64(a * a)
		}
		along[i] = float64(0.5 * (mat.Log(sum) / ln2))
	}
	return along
}

// exp2 returns 2^x, exactly where x is whole.
func exp2(x float64) float64 {
	if x == math.Floor(x) {
		return math.Ldexp(1, int(x))
	}
	return mat.Exp(x * ln2)
}

// neighbours returns the sites a step along each variable or axis away.
func (s *site) neighbours(step float64) []site {
	var list []site
	for i := range s.octaves {
		if !s.given(i) {
			list = append(list, s.with(i, step), s.with(i, -step))
		}
	}
	return list
}

// given tells whether the scale along an axis is not open: that along characteristics, and that of kinks.
func (s *site) given(axis int) bool {
	k := s.octaves[axis]
	return s.across && (k == flatOctave || k == kinkOctave)
}

// turns returns the sites that are turned by so much to either side; none where the axes are not turned, or given.
func (s *site) turns(by int) []site {
	if s.turn == 0 || s.across {
		return nil
	}
	return []site{s.turned(by), s.turned(-by)}
}

// logPrior is the log density of a site's scales. What is given costs nothing.
func (s *site) logPrior() float64 {
	open := slices.Clone(s.octaves)
	for i := range open {
		if s.given(i) {
			open[i] = 0
		}
	}
	return logScalePrior(open)
}

// logShare is the log of the part of the tempered prior that a turned site represents: the octave around it along open axes, and
// everything along others.
func (s *site) logShare() float64 {
	share := s.logPrior() / temper
	for i := range s.octaves {
		if s.given(i) {
			share += logTemperedMass - logScalePrior([]float64{0})/temper
		}
	}
	return share
}
