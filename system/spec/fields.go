package spec

import (
	"fmt"
	"slices"
	"strings"
)

// A Quantity says for people what a field or a parameter is.
type Quantity struct{ Unit, Label string }

// Axis returns how pictures and tables name a variable, a field or a parameter: its label,
// or else its name, with the unit in parentheses.
func (f *File) Axis(name string) string {
	for _, v := range f.Problem.Variables {
		if v.Name == name {
			return v.Axis()
		}
	}
	return axisOf(f.Quantities, name)
}

// axisOf is Axis for a field or a parameter.
func axisOf(quantities map[string]Quantity, name string) string {
	q := quantities[name]
	if q.Label == "" {
		q.Label = name
	}
	return q.Label + q.InParentheses()
}

// InParentheses returns " (unit)", or "" without a unit.
func (q Quantity) InParentheses() string {
	if q.Unit == "" {
		return ""
	}
	return " (" + q.Unit + ")"
}

// quantity reads the unit and the label of a field or a parameter, if it has any.
func (s section) quantity(f *File, name string) (err error) {
	var q Quantity
	if q.Unit, err = s.caption("unit", maxUnit); err != nil {
		return err
	}
	if q.Label, err = s.caption("label", maxLabel); err != nil || q == (Quantity{}) {
		return err
	}
	if f.Quantities == nil {
		f.Quantities = map[string]Quantity{}
	}
	f.Quantities[name] = q
	s.scope.hasUnit(name, q.Unit)
	return nil
}

// namesIn returns the names in an expression, which may be wrong.
func namesIn(text string) (names []string) {
	for text != "" {
		n := 1
		if isLetter(text[0]) {
			n = nameLength(text)
			names = append(names, text[:n])
		}
		text = text[n:]
	}
	return names
}

// differentiated returns the unknowns of a file that does not name them: what its equations
// differentiate, in the order in which they do. It has no others: a name that is declared is none.
func (d *document) differentiated() (names []string) {
	var known []string
	for _, section := range []string{"parameters", "constants", "tables", "variables"} {
		values, _ := d.root[section].(map[string]any)
		for name := range values {
			known = append(known, name)
		}
	}
	for _, e := range d.tables("equation") {
		pde, _ := e["pde"].(string)
		if len(pde) > maxExpressionLength {
			continue
		}
		for _, name := range namesIn(pde) {
			of, by, found := strings.Cut(name, "_")
			if !found || of == "" || slices.Contains(known, name) || slices.Contains(known, of) || d.scope.occupant(of) != "" || slices.Contains(names, of) {
				continue
			}
			if _, err := d.scope.sequence(by); err == nil && by != "" {
				names = append(names, of)
			}
		}
	}
	return names
}

// guessFields returns the unknown of a file that names none: the only one that its equations differentiate.
func (d *document) guessFields() ([]string, error) {
	names := d.differentiated()
	if len(names) == 0 {
		return []string{"u"}, nil
	}
	if len(names) > 1 {
		return nil, d.refuse("fields", "the equations differentiate %s: name those that are unknown, as fields = [%q]; what is known belongs under [parameters], [constants] or [tables]", list(names, "and"), names[0])
	}
	d.scope.guessed = names[0] != "u"
	return names, nil
}

// orUnknown ends an error about a name in a file that does not say what is unknown.
func (s *scope) orUnknown(name string) string {
	if of, _, _ := strings.Cut(name, "_"); s.guessed && s.occupant(of) == "" && isName(of) && !strings.Contains(of, "_") {
		return fmt.Sprintf("; the unknown is taken to be %s: if %s is another, state fields = [%q, %q]", s.fields[0], shorten(of), s.fields[0], shorten(of))
	}
	return ""
}
