package suite

import (
	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Problems are the paper's problems, by the names of their examples.
var Problems = []string{"poisson", "advection", "diffusion", "inverse-poisson", "inverse-helmholtz"}

// published has the settings of the paper's tables, and the training times in seconds that
// they state for noise 0.05.
var published = map[string]struct {
	neurons       int
	bpielm, pielm float64
}{
	"poisson":           {100, 2.67, 1.22},
	"advection":         {150, 1.18, 1.01},
	"diffusion":         {180, 1.76, 0.93},
	"inverse-poisson":   {100, 2.51, 0.71},
	"inverse-helmholtz": {100, 2.59, 0.69},
}

// methods are the ways to solve a problem, the published one first.
var methods = []posterior.Method{posterior.Published, posterior.BPIELM, posterior.PseudoInverse}

// perProblem returns a family with one case for each of the paper's problems.
func perProblem(name, about string, start func(f *spec.File) (func() error, error)) *Family {
	return &Family{Name: name, About: about, cases: func([]Shape) (cases []Case) {
		for _, problem := range Problems {
			cases = append(cases, Case{
				Name: name + "/" + problem,
				Start: func() (func() error, error) {
					file, err := read(problem)
					if err != nil {
						return nil, err
					}
					return start(file)
				},
			})
		}
		return cases
	}}
}

var fit = &Family{Name: "Fit", About: "a whole fit at the paper's number of neurons, and at three times that: rows, reduction, hyper-parameters", cases: func([]Shape) (cases []Case) {
	for _, problem := range Problems {
		for _, method := range methods {
			seconds := published[problem].bpielm
			if method == posterior.PseudoInverse {
				seconds = published[problem].pielm
			}
			cases = append(cases, fitCase(problem, "", method, 1, Work{Published: seconds}))
		}
		cases = append(cases, fitCase(problem, "/3N", posterior.BPIELM, 3, Work{}))
	}
	return cases
}}

// fitCase fits a problem with a multiple of the paper's number of neurons.
func fitCase(problem, suffix string, method posterior.Method, times int, work Work) Case {
	return Case{
		Name: "Fit/" + problem + "/" + string(method) + suffix,
		Work: work,
		Start: func() (func() error, error) {
			file, err := read(problem)
			if err != nil {
				return nil, err
			}
			return func() error {
				c := config(file, method)
				c.Neurons = times * published[problem].neurons
				_, err := posterior.Fit(file.Problem, c)
				return err
			}, nil
		},
	}
}

// assimilate conditions the physics of the paper's problems, with its number of neurons, on
// new readings of all sensors: choosing amplitude and noise by the evidence each time, with
// both fixed, and after sensors have moved.
var assimilate = &Family{Name: "Assimilate", About: "all sensors' next readings into compiled physics: the evidence maximised anew, held, sensors moved", cases: func([]Shape) (cases []Case) {
	for _, problem := range Problems {
		for _, how := range []string{"", "/held", "/moved"} {
			cases = append(cases, Case{Name: "Assimilate/" + problem + how, Start: func() (func() error, error) { return startAssimilate(problem, how) }})
		}
	}
	return cases
}}

// startAssimilate compiles the physics of a problem and returns the operation for how.
func startAssimilate(problem, how string) (func() error, error) {
	file, err := read(problem)
	if err != nil {
		return nil, err
	}
	c := config(file, posterior.BPIELM)
	c.Neurons = published[problem].neurons
	q, err := posterior.Fit(file.Problem, c)
	if err != nil {
		return nil, err
	}
	layer, err := feature.New(file.Problem.Box(), feature.Config{Neurons: c.Neurons, Scale: q.Summary().Scale, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	physics, err := posterior.Compile(file.Problem, layer, posterior.CompileConfig{Tolerance: q.Summary().Tolerance})
	if err != nil {
		return nil, err
	}
	sensors := file.Problem.Sensors
	next := func() { // new readings for all sensors
		for i := range sensors {
			for j := range sensors[i].Values {
				sensors[i].Values[j] = -sensors[i].Values[j]
			}
		}
	}
	if how == "/moved" { // nothing can be reused
		return func() error {
			next()
			_, err := physics.Assimilate(sensors)
			return err
		}, nil
	}
	assimilator := physics.Assimilator()
	if _, err := assimilator.Assimilate(sensors); err != nil {
		return nil, err
	}
	assimilator.Hold(how == "/held")
	return func() error {
		next()
		_, err := assimilator.Assimilate(sensors)
		return err
	}, nil
}

var predict = perProblem("Predict", "mean and standard deviation at 100 points",
	func(file *spec.File) (func() error, error) {
		q, err := posterior.Fit(file.Problem, config(file, posterior.BPIELM))
		if err != nil {
			return nil, err
		}
		points, err := system.Collocation(file.Problem.Variables, file.Problem.Domain, 100, 1)
		if err != nil {
			return nil, err
		}
		return func() error {
			_, _, err := q.Predict(system.Field(0), points)
			return err
		}, nil
	})

func read(problem string) (*spec.File, error) {
	return spec.ReadFS(problems.Files, problem+"/problem.toml", nil)
}

func config(file *spec.File, method posterior.Method) posterior.Config {
	return posterior.Config{Method: method, Neurons: file.Features.Neurons, Seed: file.Features.Seed}
}
