package calibration

import (
	"errors"
	"fmt"
	"slices"
)

// Options for DrawWith. With the zero value, DrawWith is Draw.
type Options struct {
	// Scarce problems have few readings: 0.7 to 1.6 per degree of freedom instead of up to 4,
	// and at least 4 instead of 8.
	Scarce bool
	Kind   string // the kind of problem; "": all, in turn
	// Coefficients makes one or two coefficients of the equations unknown. Problems are then
	// of the CoefficientKinds.
	Coefficients bool
	// Nonlinear problems have a term in their first equation that is not linear.
	Nonlinear bool
}

// Draw returns one problem of the sequence that belongs to a seed; numbers start at 0. The
// same seed and number give the same bytes on every machine. Kinds take turns: with k kinds,
// the numbers from a multiple of k on, k of them, have each kind once.
func Draw(seed uint64, number int) (*Problem, error) { return DrawWith(seed, number, Options{}) }

// DrawWith is Draw with options.
func DrawWith(seed uint64, number int, o Options) (*Problem, error) {
	if number < 0 {
		return nil, fmt.Errorf("calibration: there is no problem number %d", number)
	}
	k, err := kindOf(seed, number, o)
	if err != nil {
		return nil, err
	}
	d := newDice(seed, number, drawPurpose)
	for range attempts {
		p := newDraft(d)
		err = p.drawAll(k, number, o)
		if err == nil {
			return p.problem(k, seed, number), nil
		}
		if !errors.Is(err, errUnsuited) {
			break
		}
	}
	return nil, fmt.Errorf("calibration: seed %d, problem %d, %s: %w", seed, number, k.name, err)
}

// Purposes of dice.
const (
	drawPurpose = 0x70726f626c656d
	turnPurpose = 0x7475726e
	poolPurpose = 0x73706f696c
	judgeSeed   = 0x6a75646765
)

// kindOf returns the kind of a problem.
func kindOf(seed uint64, number int, o Options) (*kind, error) {
	name := o.Kind
	if name == "" {
		n := len(kinds)
		if o.Coefficients {
			n = len(coefficientKinds)
		}
		place := newDice(seed, number/n, turnPurpose).Perm(n)[number%n]
		if !o.Coefficients {
			return &kinds[place], nil
		}
		name = coefficientKinds[place]
	}
	if o.Coefficients && !slices.Contains(coefficientKinds, name) {
		return nil, fmt.Errorf("calibration: problems of kind %q have no coefficients that can be unknown", name)
	}
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i], nil
		}
	}
	return nil, fmt.Errorf("calibration: there is no kind of problem %q", name)
}

// drawAll draws everything.
func (p *draft) drawAll(k *kind, number int, o Options) error {
	if err := k.draw(p); err != nil {
		return err
	}
	p.features = []string{fmt.Sprintf("seed = %d", number)}
	steps := []func() error{p.drawSolution, p.drawConditions, func() error { return p.drawSensors(o) }, p.bounded}
	if o.Coefficients {
		steps = append(steps, p.forgetCoefficients)
	}
	if o.Nonlinear {
		steps = append(steps, p.addNonlinearity)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// maxExpression is the largest length of an expression of a problem file, in bytes.
const maxExpression = 9000

// bounded returns errUnsuited for expressions that package spec would refuse.
func (p *draft) bounded() error {
	for i := range p.equations {
		if len(p.rightSide(i)) > maxExpression {
			return errUnsuited
		}
	}
	for _, e := range p.exact {
		if len(e.text(p.names())) > maxExpression {
			return errUnsuited
		}
	}
	return nil
}

// problem wraps a finished draft.
func (p *draft) problem(k *kind, seed uint64, number int) *Problem {
	out := &Problem{
		Kind: k.name, Family: k.family, Seed: seed, Number: number, Freedom: p.freedom,
		Noise: p.noise, Truth: map[string]float64{}, draft: p,
	}
	for _, s := range p.sources {
		out.Truth[s.name] = s.strength
	}
	for _, u := range p.unknowns {
		out.Truth[u.name] = u.value
		out.Freedom++
	}
	for _, g := range p.groups {
		out.Readings += len(g.values)
		out.Learned = out.Learned || g.given == unstated
	}
	out.write()
	return out
}

// write writes the files.
func (p *Problem) write() { p.files = p.draft.files(fmt.Sprintf("%s, number %d", p.Kind, p.Number)) }
