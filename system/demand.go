package system

import (
	"fmt"
	"iter"

	"github.com/bpielm/bpielm/mat"
)

// Demand is an equation or a condition: that Residual = 0 at Points (n x number of variables), within a
// standard deviation that is one of three: SD in the units of the residual; Tolerance relative to the
// residual's largest term; or, where both are 0, one that all such demands share and that is inferred. If the
// largest term is a hundred times larger at one point than at another, that of each point counts. Exact demands
// equality, as far as the layer resolves it; only conditions can.
type Demand struct {
	Name      string
	Residual  Functional
	Points    *mat.Dense
	Tolerance float64
	SD        float64
	Exact     bool

	// Spare says that there are more Points than needed. The first of them are used, as many as suit the layer.
	Spare bool

	// Refine is how many of Candidates (rows x variables) become points, too: those where a first fit misses
	// the demand most. It is 0 for conditions.
	Refine     int
	Candidates *mat.Dense
}

// Equation is a Demand.
//
// Deprecated: write Demand.
type Equation = Demand

// Kind is what a Demand is in its problem.
type Kind string

const (
	Equations  Kind = "equation"
	Conditions Kind = "condition"
)

// Label says which demand of a problem is meant, as "equation 1" or "condition 2 (x = 0)".
type Label struct {
	Kind   Kind
	Number int // from 0, among those of its kind
	Index  int // from 0, among all demands: equations come first
	Name   string
}

func (l Label) String() string {
	text := fmt.Sprintf("%s %d", l.Kind, l.Number+1)
	if l.Name != "" {
		text += " (" + l.Name + ")"
	}
	return text
}

// Demands yields the equations, then the conditions. A change of what it yields changes the problem.
func (p *Problem) Demands() iter.Seq2[Label, *Demand] {
	return func(yield func(Label, *Demand) bool) {
		for i := range p.Equations {
			if e := &p.Equations[i]; !yield(Label{Equations, i, i, e.Name}, e) {
				return
			}
		}
		for i := range p.Conditions {
			if e := &p.Conditions[i]; !yield(Label{Conditions, i, len(p.Equations) + i, e.Name}, e) {
				return
			}
		}
	}
}
