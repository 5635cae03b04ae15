package posterior

import (
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior/internal/gauss"
)

// keptReadings is a window of observations together with the readings they come from.
type keptReadings struct {
	*gauss.Window
	readings []Reading // by slot; their coordinates are preallocated, so that append does not allocate
}

func newKeptReadings(capacity, variables int, targets *mat.Dense) *keptReadings {
	k := &keptReadings{gauss.NewWindow(capacity, targets), make([]Reading, capacity)}
	at := make([]float64, capacity*variables)
	for i := range k.readings {
		k.readings[i].At = at[i*variables : (i+1)*variables]
	}
	return k
}

// append keeps the reading that Forecast was last asked about.
func (k *keptReadings) append(r *Reading, b []float64, f gauss.Forecast, residual, variance float64) {
	to := &k.readings[k.Append(b, f, residual, variance)]
	at := to.At
	copy(at, r.At)
	*to = *r
	to.At = at
}

// list returns copies, the oldest first.
func (k *keptReadings) list() []Reading {
	list := make([]Reading, k.Len())
	for i := range list {
		list[i] = k.readings[k.Slot(i)]
		list[i].At = append([]float64(nil), list[i].At...)
	}
	return list
}

// forget removes the readings of a sensor.
func (k *keptReadings) forget(sensor int) {
	for i := k.Len() - 1; i >= 0; i-- {
		if k.readings[k.Slot(i)].Sensor == sensor {
			k.Remove(i)
		}
	}
}

// setSigma changes the noise of a sensor's readings that did not state their own.
func (k *keptReadings) setSigma(sensor int, sigma float64) {
	k.SetVariances(func(slot int, norm2 float64) (float64, bool) {
		r := &k.readings[slot]
		return gauss.NoiseVariance(sigma, norm2), r.Sensor == sensor && r.Sigma == 0
	})
}
