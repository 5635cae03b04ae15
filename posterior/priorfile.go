package posterior

import (
	"fmt"
	"io"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Limits of a prior's file.
const (
	maxFileSensors = 1 << 12
	maxFileTerms   = 1 << 12 // of one sensor
	maxFileDomain  = 1 << 16 // points
)

// filePrior is what the header of a prior's file has in addition: the kinds of sensors, and how many
// points represent the domain.
type filePrior struct {
	Sensors []fileSensor
	Domain  int
}

// fileSensor is a Sensor whose coefficients are constants.
type fileSensor struct {
	Name       string
	Sigma      float64
	Terms      []fileTerm          `json:",omitempty"`
	Parameters []fileParameterTerm `json:",omitempty"`
	Known      float64             `json:",omitempty"`
	Layout     *system.Layout      `json:",omitempty"`
}

// fileTerm is a term at one place: an average is one for each of its places, with the weights as coefficients.
type fileTerm struct {
	Field       int
	Derivative  []int `json:",omitempty"`
	Coefficient float64
	Shift       []float64 `json:",omitempty"`
	Fixed       []bool    `json:",omitempty"`
}

type fileParameterTerm struct {
	Parameter   int
	Coefficient float64
}

// Save writes the prior to w as a model file; see Posterior.Save. A file can hold sensors that
// measure a sum of fields, derivatives and parameters with constant coefficients; for others Save
// fails with a *FileError.
func (p *Prior) Save(w io.Writer) error {
	physics := &filePrior{Domain: p.domain.Rows()}
	for i := range p.sensors {
		s, err := storeSensor(&p.sensors[i])
		if err != nil {
			return err
		}
		if i < len(p.layouts) && !p.layouts[i].Plain() {
			s.Layout = &p.layouts[i]
		}
		physics.Sensors = append(physics.Sensors, s)
	}
	var domain []float64
	for i := range p.domain.Rows() {
		domain = append(domain, p.domain.Row(i)...)
	}
	return p.q.save(w, physics, domain)
}

func storeSensor(s *Sensor) (stored fileSensor, err error) {
	constant := func(f system.Function, absent float64) float64 {
		switch c := f.(type) {
		case nil:
			return absent
		case system.Constant:
			if !finite(float64(c)) {
				err = &FileError{fmt.Sprintf("what sensors %q measure has a coefficient of %g", s.Name, float64(c))}
			}
			return float64(c)
		}
		err = &FileError{fmt.Sprintf("what sensors %q measure has a coefficient that varies; only constant ones can be stored", s.Name)}
		return 0
	}
	stored = fileSensor{Name: s.Name, Sigma: s.Sigma, Known: constant(s.Measures.Known, 0)}
	for _, t := range s.Measures.Expanded().Terms {
		term := fileTerm{Field: t.Field, Derivative: t.Derivative, Coefficient: constant(t.Coefficient, 1)}
		if over := t.Footprint; over != nil {
			term.Shift, term.Fixed = over.Offsets.Row(0), over.Fixed
		}
		stored.Terms = append(stored.Terms, term)
	}
	for _, t := range s.Measures.Parameters {
		stored.Parameters = append(stored.Parameters, fileParameterTerm{t.Parameter, constant(t.Coefficient, 1)})
	}
	return stored, err
}

func (s *fileSensor) sensor() Sensor {
	sensor := Sensor{Name: s.Name, Sigma: s.Sigma}
	for rest := s.Terms; len(rest) > 0; {
		n := placesOf(rest)
		sensor.Measures.Terms = append(sensor.Measures.Terms, joinedTerm(rest[:n]))
		rest = rest[n:]
	}
	for _, t := range s.Parameters {
		sensor.Measures.Parameters = append(sensor.Measures.Parameters, system.ParameterTerm{Parameter: t.Parameter, Coefficient: coefficient(t.Coefficient)})
	}
	if s.Known != 0 {
		sensor.Measures.Known = system.Constant(s.Known)
	}
	return sensor
}

// placesOf returns how many terms, from the first, differ in nothing but place and weight: they were one.
func placesOf(terms []fileTerm) int {
	t := &terms[0]
	n := slices.IndexFunc(terms, func(o fileTerm) bool {
		return o.Shift == nil || len(o.Shift) != len(t.Shift) || o.Field != t.Field || !slices.Equal(o.Derivative, t.Derivative) || !slices.Equal(o.Fixed, t.Fixed)
	})
	if n < 0 {
		return len(terms)
	}
	return max(n, 1)
}

// joinedTerm makes one term of several places. Their coefficients become weights.
func joinedTerm(places []fileTerm) system.Term {
	t := &places[0]
	term := system.Term{Field: t.Field, Derivative: t.Derivative}
	if len(places) == 1 {
		term.Coefficient = coefficient(t.Coefficient)
	}
	if t.Shift == nil && t.Fixed == nil {
		return term
	}
	over := &system.Footprint{Offsets: mat.NewDense(len(places), len(t.Shift), nil), Fixed: t.Fixed}
	for k := range places {
		copy(over.Offsets.Row(k), places[k].Shift)
		if len(places) > 1 {
			over.Weights = append(over.Weights, places[k].Coefficient)
		}
	}
	term.Footprint = over
	return term
}

// coefficient is a constant function; nil, which is faster, for 1.
func coefficient(c float64) system.Function {
	if c == 1 {
		return nil
	}
	return system.Constant(c)
}

// LoadPrior reads the model file of a prior. It fails with a *FileError when the
// file is foreign, truncated, damaged, or of another kind or version.
func LoadPrior(r io.Reader) (*Prior, error) {
	c := &checked{r: r}
	h, err := c.header(priorVersion)
	if err != nil {
		return nil, err
	}
	return c.prior(h)
}

// prior reads what follows the header.
func (c *checked) prior(h *fileHeader) (*Prior, error) {
	if err := h.Physics.check(h); err != nil {
		return nil, err
	}
	var domain []float64
	q, err := c.body(h, &domain)
	if err != nil {
		return nil, err
	}
	p := &Prior{q: q, domain: mat.NewDense(h.Physics.Domain, len(h.Variables), domain)}
	for i := range h.Physics.Sensors {
		s := &h.Physics.Sensors[i]
		p.sensors, p.layouts = append(p.sensors, s.sensor()), append(p.layouts, system.Layout{})
		if s.Layout != nil {
			p.layouts[i] = *s.Layout
		}
	}
	return p, nil
}

// check refuses inconsistent contents.
func (p *filePrior) check(h *fileHeader) error {
	switch {
	case !h.Factor:
		return &FileError{"it has no covariance"}
	case p.Domain < 1 || p.Domain > maxFileDomain:
		return &FileError{fmt.Sprintf("its number of points in the domain, %d, is out of range", p.Domain)}
	case len(p.Sensors) > maxFileSensors:
		return &FileError{fmt.Sprintf("its %d kinds of sensors are more than %d", len(p.Sensors), maxFileSensors)}
	}
	problem := h.problem()
	for i := range p.Sensors {
		s := &p.Sensors[i]
		if !(s.Sigma > 0 && finite(s.Sigma)) || len(s.Terms) > maxFileTerms || len(s.Parameters) > maxFileTerms {
			return &FileError{fmt.Sprintf("its sensors %q are invalid", s.Name)}
		}
		measures := s.sensor().Measures
		if err := problem.ValidateFunctional(fmt.Sprintf("sensors %q", s.Name), &measures); err != nil {
			return &FileError{err.Error()}
		}
	}
	return nil
}
