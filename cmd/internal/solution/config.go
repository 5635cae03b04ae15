package solution

import (
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// Config turns the sections [features] and [fit] of a problem file into the
// configuration of its fit.
func Config(file *spec.File) (posterior.Config, error) {
	c := posterior.Config{
		Method:    posterior.Method(file.Fit.Method),
		Neurons:   file.Features.Neurons,
		Seed:      file.Features.Seed,
		Tolerance: file.Fit.Tolerance,
		Ensemble:  file.Fit.Ensemble,
		Maximum:   file.Fit.Maximum,
		Path:      posterior.Path(file.Fit.Path),
		Scale:     file.Features.Scale,
	}
	var err error
	if c.Draw, c.Activations, err = file.Layer(); err == nil && c.Activations != nil {
		c.Activation = c.Activations[0]
	}
	return c, err
}
