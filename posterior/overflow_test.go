package posterior

import (
	"errors"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Overflow is an error that names the point; no answer is NaN or infinite.
func TestAnswersThatOverflowAreRefused(t *testing.T) {
	points := mat.NewDense(1, 1, []float64{0.5})
	for what, spoil := range map[string]func(c *component){
		"mean":       func(c *component) { fill(c.mean, 1e308) },
		"covariance": func(c *component) { fill(c.factor.Row(0), 1e308) },
	} {
		q, err := Fit(rod(true), Config{Neurons: 6, Scale: []float64{2}, Seed: 1, Ensemble: 1})
		if err != nil {
			t.Fatal(err)
		}
		spoil(&q.components[0])
		var bad *DataError
		if mean, sd, err := q.Predict(system.Field(0), points); !errors.As(err, &bad) {
			t.Errorf("%s: Predict returns %v, %v, %v", what, mean, sd, err)
		}
		prior, err := FitPrior(rod(true), Config{Neurons: 6, Scale: []float64{2}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		spoil(prior.weights())
		if _, err := prior.Stream(StreamConfig{Queries: []Query{{system.Field(0), points}}}); !errors.As(err, &bad) {
			t.Errorf("%s: a stream that is asked: error %v", what, err)
		}
	}
}

// A reading of what overflows changes nothing.
func TestReadingsOfWhatOverflowsAreRefused(t *testing.T) {
	prior, err := FitPrior(withoutParameters(rod(true)), Config{Neurons: 6, Scale: []float64{2}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	fill(prior.weights().mean, 1e308)
	stream, err := prior.Stream(StreamConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.AddSensor(prior.Sensors()[0]); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also where the sensor has not moved
		var bad *DataError
		if in, err := stream.Add(Reading{At: []float64{0.5}, Value: 1}); !errors.As(err, &bad) || stream.Len() != 0 {
			t.Errorf("%+v, %v; %d are kept", in, err, stream.Len())
		}
	}
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}
