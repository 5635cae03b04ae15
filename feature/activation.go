package feature

import (
	"fmt"
	"math"
	"strings"
)

// Activation is the function phi that every neuron applies to its argument.
type Activation int

// The activations. All derivatives up to MaxOrder are exact up to rounding.
//
// To add one, put its name here, its line into the table below, and its derivatives into a file
// derivative_*.go: a few factors that a vector function computes, and for each order one factor
// times a polynomial in another. The tests of this package cover it as soon as it is in the
// table, compare every derivative with differences of the one below it, and ask for the
// definition of its values (activation_test.go) and for a digest of its bits (golden_test.go).
// Other packages know activations only from this table; the readme and .ci/api.txt list them.
const (
	Tanh     Activation = iota // tanh z, the default
	Sine                       // sin z
	Gaussian                   // exp(-z²/2)
	Logistic                   // 1/(1 + exp(-z))
	Softplus                   // ln(1 + exp z), whose derivative is Logistic
)

// MaxOrder is the highest total order of a derivative.
const MaxOrder = 8

var activations = [...]struct {
	name        string
	one         float64 // an argument where the function is 1 to rounding
	breadth     float64 // see Breadth
	evaluate    func(f *factors, z []float64, order int)
	derivatives [MaxOrder + 1]derivative
}{
	Tanh:     {"tanh", 20, 1, evaluateTanh, tanhDerivatives()},
	Sine:     {"sine", math.Pi / 2, 2, evaluateSine, sineDerivatives()},
	Gaussian: {"gaussian", 0, 1, evaluateGaussian, gaussianDerivatives()},
	Logistic: {"logistic", 40, 2, evaluateLogistic, logisticDerivatives()},
	Softplus: {"softplus", 0.5413248546129181, 2, evaluateSoftplus, softplusDerivatives()},
}

// Activations lists all activations, the default first.
func Activations() []Activation {
	list := make([]Activation, len(activations))
	for i := range list {
		list[i] = Activation(i)
	}
	return list
}

// known reports whether a is one of the activations above.
func (a Activation) known() bool { return a >= 0 && int(a) < len(activations) }

// String returns the name that ParseActivation accepts.
func (a Activation) String() string {
	if !a.known() {
		return fmt.Sprintf("activation %d", int(a))
	}
	return activations[a].name
}

// Breadth is by how much steeper than with Tanh neurons must be to have as many waves: 2 for
// one that is half as steep, or has its zeros twice as far apart. It is 1 for what is not an
// activation.
func (a Activation) Breadth() float64 {
	if !a.known() {
		return 1
	}
	return activations[a].breadth
}

// ParseActivation returns the activation with the given name. For any other name it returns
// an Error that lists the names.
func ParseActivation(name string) (Activation, error) {
	var names []string
	for i := range activations {
		if activations[i].name == name {
			return Activation(i), nil
		}
		names = append(names, activations[i].name)
	}
	return 0, Error(fmt.Sprintf("unknown activation %q; expected one of %s", name, strings.Join(names, ", ")))
}
