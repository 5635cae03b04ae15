package calibration

import (
	"fmt"
	"testing/fstest"

	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A region is a domain other than the box, in the first two variables.
type region struct {
	text   string // sections [shapes] and [domain]; "" for the box
	hole   string // name of a shape that is cut out, "" for none
	domain system.Domain
}

// plane draws a box in x and y and, in half of the problems, a domain in it: a disk, a
// smooth curve, an L with a hole, or one given by inequalities.
func (p *draft) plane() error {
	p.box("x", "y")
	if p.chance(0.5) {
		return nil
	}
	v := p.variables
	along := func(d int, fraction float64) float64 {
		return rounded(v[d].Min+float64(fraction*p.side(d)), 12)
	}
	x, y := along(0, 0.5), along(1, 0.5)
	a, b := p.side(0)/2, p.side(1)/2
	r := &p.region
	switch p.IntN(4) {
	case 0:
		r.text = fmt.Sprintf("[domain]\ndisk = { center = [%s, %s], radius = %s }\n", number(x), number(y), number(0.99*min(a, b)))
	case 1:
		lobes, depth := p.count(2, 5), rounded(p.between(0.1, 0.35), 2)
		radius := fmt.Sprintf("(1 + %s*cos(%d*s))/%s", number(depth), lobes, number(1.01*(1+depth)))
		r.text = fmt.Sprintf("[domain]\ncurve = { s = [0, \"2*pi\"], x = \"%s + %s*cos(s)*%s\", y = \"%s + %s*sin(s)*%s\" }\n", number(x), number(a), radius, number(y), number(b), radius)
	case 2:
		r.hole = "hole"
		r.text = fmt.Sprintf(`[shapes]
plate = { box = { x = [%s, %s], y = [%s, %s] } }
corner = { box = { x = [%s, %s], y = [%s, %s] } }
hole = { disk = { center = [%s, %s], radius = %s } }

[domain]
shape = "plate - corner - hole"
`, number(v[0].Min), number(v[0].Max), number(v[1].Min), number(v[1].Max),
			number(along(0, rounded(p.between(0.4, 0.7), 2))), number(v[0].Max), number(along(1, rounded(p.between(0.4, 0.7), 2))), number(v[1].Max),
			number(along(0, 0.22)), number(along(1, 0.25)), number(rounded(min(a, b)*p.between(0.1, 0.35), 3)))
	default:
		tilt := rounded(p.between(0.3, 0.9), 2)
		r.text = fmt.Sprintf("[domain]\ninside = \"((x - (%s))/%s)^2 + ((y - (%s))/%s)^2 < 1 and (x - (%s))/%s < %s\"\n",
			number(x), number(a), number(y), number(b), number(x), number(a), number(tilt))
	}
	return r.read(p.variables)
}

// read lets package spec interpret the sections.
func (r *region) read(variables []system.Variable) error {
	problem := variablesText(variables) + r.text + `
[[equation]]
pde = "u_xx = 0"
points = 1

[[sensors]]
file = "one.csv"
sigma = 1
`
	one := fmt.Sprintf("x,y,value\n%s,%s,0\n", number(variables[0].Min), number(variables[1].Min))
	f, err := spec.ReadFS(fstest.MapFS{"p": {Data: []byte(problem)}, "one.csv": {Data: []byte(one)}}, "p", nil)
	if err != nil {
		return err
	}
	r.domain = f.Problem.Domain
	return nil
}

// has reports whether the lower or upper sides of the box belong to the domain.
func (r *region) has(lower bool) bool {
	return r.text == "" || r.hole != "" && lower
}

// drawConditions draws what is known on the boundary of the shape.
func (r *region) drawConditions(p *draft) {
	if r.text == "" {
		return
	}
	u := operator{partial(1, 0)}
	switch {
	case r.hole != "" && p.chance(0.5):
		p.conditions = append(p.conditions, condition{on: r.hole, normal: true})
	case p.chance(0.3):
		p.conditions = append(p.conditions, condition{on: "boundary", left: u})
	}
}
