package spec

import (
	"slices"

	"github.com/bpielm/bpielm/system"
)

// readSensors reads the [[sensors]] blocks with their files.
func (d *document) readSensors(f *File) error {
	blocks := d.sections("sensors")
	if len(blocks) == 0 {
		return d.refuse("sensors", `at least one [[sensors]] is needed, with file = "readings.csv"`)
	}
	for _, s := range blocks {
		group, file, err := s.readings(f.Problem)
		if err != nil {
			return err
		}
		f.Problem.Sensors = append(f.Problem.Sensors, group)
		f.SensorFiles = append(f.SensorFiles, file)
	}
	return nil
}

func (s section) readings(p *system.Problem) (group system.Sensors, file SensorFile, err error) {
	if file.Name, err = s.text("file"); err != nil {
		return group, file, err
	}
	if file.Name == "" {
		return group, file, s.missing(`file = "readings.csv" is missing`)
	}
	file.Path, group.Name = s.file(file.Name), file.Name
	if group.Measures, err = s.measures(); err != nil {
		return group, file, err
	}
	one := group.Measures
	if group.Measures, err = s.footprint(one, p); err != nil {
		return group, file, err
	}
	if s.has("sigma") {
		sigma, err := s.positive("sigma", false)
		if err != nil {
			return group, file, err
		}
		if sigma < 1/largest || sigma > largest {
			return group, file, s.refuse(join(s.name, "sigma"), "found %g; from %g to %g is possible: choose another unit", sigma, 1/largest, largest)
		}
		file.Sigma, group.Sigma = &sigma, []float64{sigma}
	}
	points, values, sigma, header, err := s.readReadings(file.Path, p.Variables, s.placeless(p))
	if err != nil {
		return group, file, s.fromFile("file", file.Name, err)
	}
	group.Points, group.Values, file.Columns = points, values, header
	if sigma == nil && file.Sigma == nil && !slices.ContainsFunc(values, func(v float64) bool { return v != 0 }) {
		return group, file, s.missing("all readings of %s are 0: their noise cannot be learned; state sigma", file.Name)
	}
	if sigma != nil {
		group.Sigma = sigma
	}
	file.Measures, file.Placeless = s.measured(p.Fields), s.placeless(p) > 0
	if err := s.averagesFit(p, points); err != nil {
		return group, file, err
	}
	return group, file, s.finite("measures", &one, p, points)
}

// measures reads what the sensors measure: the first field if nothing is said.
func (s section) measures() (system.Functional, error) {
	text, err := s.text("measures")
	if err != nil {
		return system.Functional{}, err
	}
	if text == "" {
		return system.Field(0), nil
	}
	n, err := s.scope.expression(text)
	if err != nil {
		return system.Functional{}, s.wrong("measures", err)
	}
	return s.linear("measures", text, n)
}
