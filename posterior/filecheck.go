package posterior

import (
	"fmt"
	"math"
)

// fileSection is a list of numbers of a model file; what names one of them.
type fileSection struct {
	what   string
	values []float64
}

const meanSection = "mean of weight"

// readable refuses what Load would refuse.
func (h *fileHeader) readable(sections []fileSection) error {
	if err := h.check(); err != nil {
		return err
	}
	for _, e := range h.Summary.Noise {
		if !finite(e.Sigma) {
			return notFinite(fmt.Sprintf("noise of sensors %q", e.Name), e.Sigma)
		}
	}
	for _, section := range sections {
		for i, v := range section.values {
			if finite(v) {
				continue
			}
			what := fmt.Sprintf("%s %d", section.what, i+1)
			if k := i - (len(section.values) - len(h.Parameters)); section.what == meanSection && k >= 0 {
				what = "mean of parameter " + h.Parameters[k]
			}
			return notFinite(what, v)
		}
	}
	if h.Physics != nil {
		return h.Physics.check(h)
	}
	return nil
}

func notFinite(what string, v float64) error {
	return &FileError{fmt.Sprintf("the %s is %g; a model must be finite", what, v)}
}

// check refuses an inconsistent header.
func (h *fileHeader) check() error {
	if len(h.Fields) < 1 || len(h.Fields) > maxColumns {
		return &FileError{fmt.Sprintf("its number of fields, %d, is out of range", len(h.Fields))}
	}
	if len(h.Variables) < 1 || len(h.Variables) > maxVariables {
		return &FileError{fmt.Sprintf("its number of variables, %d, is out of range", len(h.Variables))}
	}
	if h.Ensemble < 0 || h.Ensemble == 1 || h.Ensemble > maxEnsemble || h.Ensemble > 1 && (h.Neurons%h.Ensemble != 0 || !h.Factor) {
		return &FileError{fmt.Sprintf("its ensemble of %d is invalid", h.Ensemble)}
	}
	if err := h.problem().ValidateOver(); err != nil || h.Over != nil && h.Ensemble != 0 {
		return &FileError{"the variables of its fields are invalid"}
	}
	if err := h.checkComponents(); err != nil {
		return err
	}
	if len(h.Coefficients) > len(h.Parameters) || len(h.Coefficients) > 0 && h.Physics != nil {
		return &FileError{fmt.Sprintf("its %d coefficients are invalid", len(h.Coefficients))}
	}
	for i := range h.Coefficients {
		if err := h.Coefficients[i].Validate(); err != nil {
			return &FileError{err.Error()}
		}
	}
	for _, v := range h.Variables {
		if !(v.Min < v.Max) || !finite(v.Min) || !finite(v.Max) || v.Log && !(v.Min > 0 && finite(v.Max/v.Min)) {
			return &FileError{fmt.Sprintf("the range [%g, %g] of variable %q is not an interval", v.Min, v.Max, v.Name)}
		}
	}
	return nil
}

// weightSlack is how far from 1 the sum of a mixture's weights may be.
const weightSlack = 1e-9

// checkComponents refuses sizes that are inconsistent or too large.
func (h *fileHeader) checkComponents() error {
	if h.Components == nil {
		if h.Patches != nil {
			return &FileError{"its patches are invalid"}
		}
		return h.checkSize(h.Neurons, int64(h.Ensemble)*int64(len(h.Parameters)+1))
	}
	fewest := 2
	if h.Patches != nil {
		fewest = 1
	}
	if h.Neurons != 0 || !h.Factor || len(h.Components) < fewest || len(h.Components) > maxComponents {
		return &FileError{fmt.Sprintf("its %d components are invalid", len(h.Components))}
	}
	sum := 0.0
	for _, c := range h.Components {
		if err := h.checkSize(c.Neurons, 0); err != nil {
			return err
		}
		if !(c.Weight > 0 && c.Weight <= 1) {
			return &FileError{fmt.Sprintf("the weight %g of a component is invalid", c.Weight)}
		}
		sum += c.Weight
	}
	if math.Abs(sum-1) > weightSlack {
		return &FileError{fmt.Sprintf("the weights of its components sum to %g", sum)}
	}
	if h.Patches != nil {
		return h.checkBlocks()
	}
	return nil
}

// checkSize refuses a number of neurons that is out of range.
func (h *fileHeader) checkSize(neurons int, more int64) error {
	if neurons < 1 || neurons > maxColumns || int64(neurons)*int64(len(h.Fields)) > math.MaxInt32/2 {
		return &FileError{fmt.Sprintf("its sizes, %d neurons and %d fields, are out of range", neurons, len(h.Fields))}
	}
	columns := int64(h.columns(neurons))
	switch {
	case columns > maxColumns:
		return &FileError{fmt.Sprintf("its sizes, %d neurons and %d fields, are out of range", neurons, len(h.Fields))}
	case h.Factor && h.Patches == nil && columns*(columns+more) > maxFileFloats:
		return &FileError{fmt.Sprintf("its covariance of %d columns is too large", columns)}
	}
	return nil
}
