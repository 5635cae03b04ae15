package spec

import (
	"fmt"
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

// readings reads one block and its file.
func (s section) readings(p *system.Problem) (group system.Sensors, file SensorFile, err error) {
	names, err := s.files()
	if err != nil {
		return group, file, err
	}
	if file.Name = names[0]; len(names) > 1 {
		file.Name = fmt.Sprintf("%s and %d more", names[0], len(names)-1)
		if pattern, is := s.values["file"].(string); is {
			file.Name = pattern
		}
	}
	file.Path, group.Name = s.file(names[0]), file.Name
	if group.Layout, err = s.layout(p); err != nil {
		return group, file, err
	}
	one, err := s.measures()
	if err != nil {
		return group, file, err
	}
	if group.Measures, err = s.footprint(one, p); err != nil {
		return group, file, err
	}
	file.Measures, file.Placeless = s.measured(p.Fields), s.placeless(p) > 0
	if err := s.noise(&group, &file); err != nil {
		return group, file, err
	}
	if err := s.readGroup(&group, &file, p, names); err != nil {
		return group, file, err
	}
	if err := s.averagesFit(p, group.Points); err != nil {
		return group, file, err
	}
	return group, file, s.finite("measures", &one, p, group.Points)
}

// readGroup reads the readings, and their noise if the file has it.
func (s section) readGroup(group *system.Sensors, file *SensorFile, p *system.Problem, names []string) error {
	r := &log{variables: p.Variables, placeless: s.placeless(p), layout: group.Layout, listed: s.listed, outside: s.outside}
	file.more = &log{variables: r.variables, placeless: r.placeless, layout: r.layout, listed: r.listed, outside: r.outside}
	if s.later != nil && slices.ContainsFunc(names, s.later) {
		r.give(group, file)
		return nil
	}
	for _, name := range names {
		if err := r.read(s.source, s.file(name), name); err != nil {
			return s.fromFile("file", name, err)
		}
	}
	if err := r.complete(file.Path); err != nil {
		return s.fromFile("file", file.Name, err)
	}
	r.give(group, file)
	if len(names) > 1 {
		file.Files, file.From = names, r.from
	}
	if r.sigma == nil && file.Sigma == nil && !slices.ContainsFunc(r.values, func(v float64) bool { return v != 0 }) {
		return s.missing("all readings of %s are 0: their noise cannot be learned; state sigma", file.Name)
	}
	if group.Group != "" && group.Sigma != nil {
		return s.refuse(join(s.name, "noise_group"), "the noise of these sensors is stated; only noise that is learned has a group")
	}
	return nil
}

// noise reads what the block says of the noise.
func (s section) noise(group *system.Sensors, file *SensorFile) error {
	if s.has("sigma") {
		sigma, err := s.deviation("sigma")
		if err != nil {
			return err
		}
		file.Sigma, group.Sigma = &sigma, []float64{sigma}
	}
	switch v := s.values["noise"].(type) {
	case int64, float64: // as if it were the size of the noise
		return s.refuse(join(s.name, "noise"), "expected normal or student; sigma = %v is the standard deviation", v)
	}
	kind, err := s.choice("noise", "normal", "student")
	if err != nil {
		return err
	}
	group.Student = kind == "student"
	if s.has("freedom") {
		if !group.Student {
			return s.refuse(join(s.name, "freedom"), `only noise = "student" has degrees of freedom`)
		}
		if group.Freedom, err = s.positive("freedom", true); err != nil {
			return err
		}
		const least = 0.5
		if group.Freedom > 0 && group.Freedom < least {
			return s.refuse(join(s.name, "freedom"), "found %g; at least %g is possible", group.Freedom, least)
		}
	}
	group.Group, err = s.text("noise_group")
	return err
}

// measures reads what the sensors measure. The default is the first field.
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
