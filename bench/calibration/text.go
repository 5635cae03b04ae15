package calibration

import (
	"fmt"
	"strings"

	"github.com/bpielm/bpielm/system"
)

// problemFile is the name of the problem file.
const problemFile = "problem.toml"

// files writes the problem: the contents of each file by name.
func (p *draft) files(title string) map[string]string {
	all := map[string]string{}
	var b strings.Builder
	fmt.Fprintf(&b, "title = %q\n", title)
	if len(p.fields) > 1 || p.fields[0] != "u" {
		fmt.Fprintf(&b, "fields = [\"%s\"]\n", strings.Join(p.fields, `", "`))
	}
	b.WriteString("\n" + variablesText(p.variables))
	if p.region.text != "" {
		b.WriteString("\n" + p.region.text)
	}
	if len(p.sources)+len(p.unknowns) > 0 {
		b.WriteString("\n[parameters]\n")
		for _, u := range p.unknowns {
			fmt.Fprintf(&b, "%s = {%s}\n", u.name, u.prior)
		}
		for _, s := range p.sources {
			prior := ""
			if s.sd > 0 {
				prior = fmt.Sprintf(" mean = %s, sd = %s ", number(s.mean), number(s.sd))
			}
			fmt.Fprintf(&b, "%s = {%s}\n", s.name, prior)
		}
	}
	points := p.collocation()
	for i := range p.equations {
		fmt.Fprintf(&b, "\n[[equation]]\npde = \"%s = %s\"\npoints = %d\n", p.leftSide(i), p.rightSide(i), points)
	}
	for i := range p.conditions {
		b.WriteString(p.conditions[i].block(p))
	}
	for i, g := range p.groups {
		file := fmt.Sprintf("sensors%d.csv", i+1)
		b.WriteString(g.text(p, file))
		all[file] = g.csv(p)
	}
	b.WriteString("\n[features]\n" + strings.Join(p.features, "\n") + "\n")
	b.WriteString(p.outputText())
	all[problemFile] = b.String()
	return all
}

func variablesText(variables []system.Variable) string {
	var b strings.Builder
	b.WriteString("[variables]\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "%s = [%s, %s]\n", v.Name, number(v.Min), number(v.Max))
	}
	return b.String()
}

// rightSide writes the source of equation number i.
func (p *draft) rightSide(i int) string {
	names := p.names()
	var parts []string
	if len(p.known[i]) > 0 {
		parts = append(parts, p.known[i].text(names))
	}
	for _, s := range p.sources {
		if s.shapes == nil || len(s.shapes[i]) == 0 {
			continue
		}
		e := s.shapes[i]
		switch {
		case len(e) > 1:
			parts = append(parts, s.name+"*("+e.text(names)+")")
		case len(e[0].factors) == 0 && e[0].c == 1:
			parts = append(parts, s.name)
		case e[0].c == 1 || len(e[0].factors) == 0 && e[0].c > 0:
			parts = append(parts, s.name+"*"+e.text(names))
		default:
			parts = append(parts, s.name+"*("+e.text(names)+")")
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "0")
	}
	if i == 0 && p.curved != nil {
		parts = append(parts, p.curved.rightText(p))
	}
	return strings.Join(parts, " + ")
}

// collocation returns the number of points of each equation, as a user might choose it.
func (p *draft) collocation() int {
	if p.points > 0 {
		return p.points
	}
	n := []int{80, 300, 500}[len(p.variables)-1]
	if len(p.equations) > 1 {
		return n * 2 / 3
	}
	return n
}

// block writes the condition.
func (c *condition) block(p *draft) string {
	var b strings.Builder
	b.WriteString("\n[[condition]]\n")
	switch v := p.variables[c.d]; {
	case c.periodic:
		fmt.Fprintf(&b, "periodic = %q\nof = %q\n", v.Name, c.left.text(p.fields, p.names()))
	case c.on != "":
		fmt.Fprintf(&b, "on = %q\nequals = %q\n", c.on, c.text(p))
	default:
		fmt.Fprintf(&b, "on = \"%s = %s\"\nequals = %q\n", v.Name, number(c.at), c.text(p))
	}
	if len(p.variables) > 1 {
		b.WriteString("points = 40\n")
	}
	if c.exact {
		b.WriteString("exact = true\n")
	}
	return b.String()
}

// outputText writes [output]: a grid of several hundred points, and the exact solution.
func (p *draft) outputText() string {
	n := []int{401, 31, 11}[len(p.variables)-1]
	if p.region.text != "" {
		n = 41 // only a part lies inside
	}
	names := p.names()
	var b strings.Builder
	fmt.Fprintf(&b, "\n[output]\ngrid = [%s]\n", strings.Repeat(fmt.Sprintf("%d, ", n), len(names)-1)+fmt.Sprint(n))
	if len(p.fields) == 1 && p.fields[0] == "u" {
		fmt.Fprintf(&b, "exact = %q\n", p.exact[0].text(names))
		return b.String()
	}
	table := func(key string, value func(i int) string) {
		var entries []string
		for i, field := range p.fields {
			entries = append(entries, fmt.Sprintf("%s = %q", field, value(i)))
		}
		fmt.Fprintf(&b, "%s = { %s }\n", key, strings.Join(entries, ", "))
	}
	if p.layers != nil {
		table("where", func(i int) string {
			l := p.layers[i]
			return fmt.Sprintf("%s >= %s and %s <= %s", names[0], number(l[0]), names[0], number(l[1]))
		})
	}
	table("exact", func(i int) string { return p.exact[i].text(names) })
	return b.String()
}
