package feature

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// goldenLayer holds, for each of three neurons, the bits of its second slope, its bias and
// one element of a row, as computed on linux/amd64.
var goldenLayer = [9]uint64{
	0xbfed487c195ea6d0, 0xbfec1f81eb6c03c5, 0xbfdbb23961d93676,
	0x3fdac45d229807c0, 0xbfcd065d183af225, 0xbf56babd2de3b01b,
	0x3feb9b121f84e768, 0xbff1a7941919c43a, 0xbfc6a169ae369d1b,
}

// goldenDerivatives holds, for each activation, a digest of the bits of all its derivatives
// at 1001 arguments, as computed on linux/amd64.
var goldenDerivatives = map[Activation]uint64{
	Tanh:     0xdf91098541b15a69,
	Sine:     0x3ee30d8824be1fcd,
	Gaussian: 0xc6d790f45b58f09d,
	Logistic: 0x262db46b033d29c4,
	Softplus: 0x49aeba0716eb7080,
}

func TestDerivativesHaveTheSameBitsOnEveryMachine(t *testing.T) {
	z := make([]float64, 1001)
	for i := range z {
		z[i] = float64(i-500) * 0x1p-5 // up to 15.6
	}
	for _, a := range Activations() {
		digest := fnv.New64a()
		d := derivatives(a, MaxOrder+1, z...)
		for k := range MaxOrder + 1 {
			for _, v := range d.Row(k) {
				digest.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
			}
		}
		if got, want := digest.Sum64(), goldenDerivatives[a]; got != want {
			t.Errorf("%v: digest %#016x, want %#016x", a, got, want)
		}
	}
}
