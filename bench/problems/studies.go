package problems

import (
	"math"
	"path"
	"slices"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// A Study is an example beyond the paper's. Its sensors may be several groups that
// measure different quantities.
type Study struct {
	Name, About string
	Groups      []Group            // one for each [[sensors]] of the problem, in order
	Truth       map[string]float64 // the parameters' true values
}

// A Group is the sensors of one file.
type Group struct {
	File    string
	Sensors int
	// Noise is the standard deviation of the readings' noise. If the problem file
	// states one, it is that.
	Noise float64
	// Reads is what the sensors would read without noise, an expression of the
	// problem's variables and constants. "" stands for the exact solution of the first
	// field.
	Reads string
	// Solution is the exact solution of the field that they measure, where no expression says it;
	// nil: Reads does.
	Solution system.Function
	// Place returns the places of n sensors, one in each row.
	Place func(p *system.Problem, n int) *mat.Dense
}

// Studies lists them.
var Studies = []Study{
	{
		"beam", "cantilever beam with unknown loads, curvature gauges (fourth order)",
		[]Group{
			{"curvature.csv", 8, 2e-5, "(12*(x^2/2 - 6*x + 18) - 1.5*(x^3/6 - 18*x + 72))/EI", nil, wholeInterval},
			{"deflection.csv", 3, 2e-4, "", nil, alongPath([]float64{0.4}, []float64{1})},
		},
		map[string]float64{"q0": 12, "q1": -1.5},
	},
	{"heat-2d", "heat in a plate and time, initial temperature unknown", []Group{{"thermometers.csv", 60, 0.03, "", nil, scattered(nil)}}, nil},
	{"acoustics", "sound in a tube, pressure measured, velocity inferred (two fields)", []Group{{"microphones.csv", 40, 0.05, "", nil, scattered(nil)}}, nil},
	{"far-disk", "Poisson equation in a disk of radius 10 far from the origin", []Group{{"rim.csv", 20, 0.2, "", nil, onBoundary}}, nil},
	{"reaction-diffusion", "reaction and diffusion with varying coefficients, noise unknown", []Group{{"sensors.csv", 30, 0.08, "", nil, wholeInterval}}, nil},
	{
		"advection-2d", "advection in two dimensions and time",
		[]Group{
			{"initial.csv", 36, 0.03, "", nil, scattered(map[int]float64{2: 0})},
			{"sides.csv", 48, 0.03, "", nil, onSides},
		}, nil,
	},
	{
		"diffusion-2d", "diffusion in two dimensions and time, with a source",
		[]Group{
			{"initial.csv", 25, 0.05, "", nil, scattered(map[int]float64{2: 0})},
			{"sides.csv", 48, 0.05, "", nil, onSides},
		}, nil,
	},
	{
		"stokes", "Stokes flow above a moving wall, velocity and pressure (three fields)",
		[]Group{
			{"velocity-x.csv", 25, 0.02, "", nil, scattered(nil)},
			{"velocity-y.csv", 25, 0.02, "-2*y*exp(-2*y)*cos(2*x)", nil, scattered(nil)},
			{"pressure.csv", 8, 0.1, "-4*mu*exp(-2*y)*cos(2*x)", nil, alongPath([]float64{0, 0}, []float64{1, 0})},
		}, nil,
	},
	{"robin-rod", "cooling of a rod to surroundings of unknown temperature", []Group{{"thermocouples.csv", 30, 0.5, "", nil, scattered(nil)}}, map[string]float64{"Ta": 21.5}},
	{"ball", "Laplace equation in a ball (three dimensions), sensors on its surface", []Group{{"surface.csv", 40, 0.05, "", nil, onBall}}, nil},
	{"ring", "drift and diffusion around a ring (periodic), three stations", []Group{{"stations.csv", 36, 0.05, "", nil, stations(0.1, 0.45, 0.8)}}, nil},
	{"seepage", "seepage through ground whose permeability is a table (three fields)", []Group{{"wells.csv", 20, 0.05, "", nil, scattered(nil)}}, nil},
	{
		"patches", "sensors that average over patches, and that measure differences",
		[]Group{
			{"camera.csv", 16, 0.02, "2 + exp(-k*x)*sin(k*y)*sinh(k*0.1)*sin(k*0.1)/(k*0.1)^2", nil, inner(0.1)},
			{"thermocouples.csv", 12, 0.02, "exp(-k*x)*sin(k*y)", nil, alongPath([]float64{0, 1}, []float64{1, 1}, []float64{1, 0})},
		}, nil,
	},
	{"l-plate", "L-shaped plate with a hole, one side cold and one insulated", []Group{{"thermometers.csv", 40, 0.05, "", nil, scattered(nil)}}, nil},
	{"burgers", "Burgers' equation, whose front is steep, with neurons in patches (nonlinear)", []Group{{"sensors.csv", 50, 0.01, "", burgers(0.01 / math.Pi), scattered(nil)}}, nil},
	{"inverse-burgers", "Burgers' equation with two unknown numbers, with neurons in patches (nonlinear)", []Group{{"sensors.csv", 80, 0.01, "", burgers(0.03), scattered(nil)}}, map[string]float64{"lambda1": 1, "lambda2": 0.03}},
	{"front", "a layer at the end of a channel, with neurons in patches", []Group{{"sensors.csv", 20, 0.01, "", nil, wholeInterval}}, nil},
	{
		"wall", "heated wall of two layers that meet at an interface (two fields)",
		[]Group{
			{"concrete.csv", 6, 0.1, "", nil, alongPath([]float64{0}, []float64{2. / 3})},
			{"insulation.csv", 4, 0.1, "42 - 100*x", nil, alongPath([]float64{2. / 3}, []float64{1})},
		},
		map[string]float64{"S": 200},
	},
	{"ground-heat", "heat flux through the ground's surface, an unknown function of the time", []Group{{"thermometers.csv", 108, 0.1, "", nil, stations(0.1, 0.2, 0.4)}}, nil},
	{"half-known", "temperature of a bar, known at the beginning in one half", []Group{{"thermocouples.csv", 18, 0.05, "", nil, scattered(nil)}}, nil},
	{"point-sources", "two wells in flowing groundwater, pumped at unknown rates", []Group{{"levels.csv", 30, 0.02, "", nil, scattered(nil)}}, map[string]float64{"Q1": 3, "Q2": -1.5}},
	{"conductivity", "heated rod whose conductivity depends on the temperature (nonlinear)", []Group{{"thermocouples.csv", 12, 1, "", nil, alongPath([]float64{0.05}, []float64{0.95})}}, map[string]float64{"b": 0.004}},
	{
		"pendulum", "pendulum that swings far out, gravity and friction unknown (nonlinear)",
		[]Group{{"angles.csv", 25, 0.05, "", swinging, alongPath([]float64{0.02}, []float64{0.98})}},
		map[string]float64{"c": 0.15, "g": 4},
	},
	{
		"lorenz", "Lorenz' equations, three numbers unknown (nonlinear, three fields)",
		[]Group{
			{"x.csv", 60, 0.5, "", convecting(0), alongPath([]float64{0.005}, []float64{0.995})},
			{"y.csv", 60, 0.5, "", convecting(1), alongPath([]float64{0.005}, []float64{0.995})},
			{"z.csv", 60, 0.5, "", convecting(2), alongPath([]float64{0.005}, []float64{0.995})},
		},
		map[string]float64{"sigma": 10, "rho": 28, "beta": 8. / 3},
	},
	{"kovasznay", "steady flow behind a row of cylinders, from its boundary (nonlinear, three fields)", []Group{{"gauge.csv", 1, 1e-6, "(1 - exp(2*l*x))/2", nil, at(1, 0.5)}}, nil},
	{"plate", "heat in a plate whose conductivity is an unknown field (nonlinear, two fields)", []Group{{"thermometers.csv", 2500, 0.03, "", nil, scattered(nil)}}, nil},
}

// swinging is the angle of the pendulum, which is let go at 1.5.
var swinging = orbit([]float64{1.5, 0}, 0.002, 0, func(dy, y []float64) {
	dy[0], dy[1] = y[1], -float64(0.15*y[1])-float64(4*mat.Sin(y[0]))
})

// convecting is one of the fields of Lorenz' equations.
func convecting(field int) system.Function {
	return orbit([]float64{-8, 7, 27}, 1e-3, field, func(dy, y []float64) {
		dy[0] = float64(10 * (y[1] - y[0]))
		dy[1] = float64(y[0]*(28-y[2])) - y[1]
		dy[2] = float64(y[0]*y[1]) - float64(8./3*y[2])
	})
}

// scattered places sensors all over the domain, by a low-discrepancy sequence. The
// variables in at are fixed at a fraction of their ranges.
func scattered(at map[int]float64) func(p *system.Problem, n int) *mat.Dense {
	return func(p *system.Problem, n int) *mat.Dense {
		points, err := system.Collocation(p.Variables, p.Domain, n, 0x706c61636573)
		if err != nil {
			panic(err) // the domain is an example's
		}
		for d, fraction := range at {
			v := p.Variables[d]
			for i := range n {
				points.Set(i, d, v.Min+float64(fraction*(v.Max-v.Min)))
			}
		}
		return points
	}
}

// onSides places sensors on the sides of a square of the first two variables, on one
// side after the other, scattered along it and in the other variables.
func onSides(p *system.Problem, n int) *mat.Dense {
	points := scattered(nil)(p, n)
	for i := range n {
		d := i / 2 % 2
		end := p.Variables[d].Min
		if i%2 == 1 {
			end = p.Variables[d].Max
		}
		points.Set(i, d, end)
	}
	return points
}

// at places all sensors at fractions of the variables' ranges.
func at(fractions ...float64) func(p *system.Problem, n int) *mat.Dense {
	return func(p *system.Problem, n int) *mat.Dense {
		points := mat.NewDense(n, len(p.Variables), nil)
		for i := range n {
			for d, v := range p.Variables {
				points.Set(i, d, v.Min+float64(fractions[d]*(v.Max-v.Min)))
			}
		}
		return points
	}
}

// inner places sensors all over a box, at a distance from its sides.
func inner(margin float64) func(p *system.Problem, n int) *mat.Dense {
	return func(p *system.Problem, n int) *mat.Dense {
		points := scattered(nil)(p, n)
		for i := range n {
			for d, v := range p.Variables {
				points.Set(i, d, min(max(points.At(i, d), v.Min+margin), v.Max-margin))
			}
		}
		return points
	}
}

// stations places sensors at fractions of the first variable's range. They are read in
// turn, at equidistant values of the second.
func stations(at ...float64) func(p *system.Problem, n int) *mat.Dense {
	return func(p *system.Problem, n int) *mat.Dense {
		points := mat.NewDense(n, 2, nil)
		x := p.Variables[0]
		for k := range n {
			points.Set(k, 0, x.Min+float64(at[k%len(at)]*(x.Max-x.Min)))
			points.Set(k, 1, system.GridValue(p.Variables[1], n, k))
		}
		return points
	}
}

// onBall places sensors evenly on the sphere that touches the sides of the box, on a
// spiral from pole to pole.
func onBall(p *system.Problem, n int) *mat.Dense {
	const turn = 2.399963229728653 // radians, the golden angle
	points := mat.NewDense(n, 3, nil)
	for k := range n {
		z := 1 - (2*float64(k)+1)/float64(n)
		r := math.Sqrt(1 - float64(z*z))
		at := [3]float64{float64(r * mat.Cos(turn*float64(k))), float64(r * mat.Sin(turn*float64(k))), z}
		for d, v := range p.Variables {
			points.Set(k, d, v.Min+float64((v.Max-v.Min)*float64(0.5+float64(0.5*at[d]))))
		}
	}
	return points
}

// FindStudy returns the study of that name, nil if there is none.
func FindStudy(name string) *Study {
	for i := range Studies {
		if Studies[i].Name == name {
			return &Studies[i]
		}
	}
	return nil
}

// File returns one of the study's embedded files.
func (s *Study) File(name string) []byte { return embedded(s.Name, name) }

// Tables returns the names of the study's further files, whose content is not simulated.
func (s *Study) Tables() []string {
	entries, err := Files.ReadDir(s.Name)
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range entries {
		sensors := func(g Group) bool { return g.File == e.Name() }
		if e.Name() != ProblemFile && !slices.ContainsFunc(s.Groups, sensors) {
			names = append(names, e.Name())
		}
	}
	return names
}

// Read reads the embedded problem. set overrides its values, as in spec.Read. Solutions of groups
// are the exact solutions of the fields that these measure.
func (s *Study) Read(set ...string) (*spec.File, error) {
	file, err := spec.ReadFS(Files, path.Join(s.Name, ProblemFile), set)
	if err != nil {
		return nil, err
	}
	for i := range s.Groups {
		if g := &s.Groups[i]; g.Solution != nil {
			if file.Output.Exact == nil {
				file.Output.Exact = make([]system.Function, len(file.Problem.Fields))
			}
			file.Output.Exact[file.Problem.Sensors[i].Measures.Terms[0].Field] = g.Solution
		}
	}
	return file, nil
}

// Reads returns the study's problem and what the sensors of a group would read
// without noise. Their expression is read in the place of the exact solution.
func (s *Study) Reads(g *Group) (*spec.File, system.Function, error) {
	file, err := s.Read()
	if err != nil {
		return nil, nil, err
	}
	switch {
	case g.Solution != nil:
		return file, g.Solution, nil
	case g.Reads == "":
		return file, file.Output.Exact[0], nil
	}
	key := "output.exact"
	if len(file.Problem.Fields) > 1 {
		key += "." + file.Problem.Fields[0]
	}
	if file, err = s.Read(key + "=" + g.Reads); err != nil {
		return nil, nil, err
	}
	return file, file.Output.Exact[0], nil
}

// GroupSeed is the seed of the noise of group i: each group has noise of its own.
func GroupSeed(seed uint64, i int) uint64 { return seed + uint64(i)<<32 }
