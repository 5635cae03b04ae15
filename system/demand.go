package system

import (
	"fmt"
	"iter"

	"github.com/bpielm/bpielm/mat"
)

// Demand is an equation or a condition: a functional, its Residual, must vanish at Points (n x variables).
//
// How far it may miss is a standard deviation: SD, in the units of the residual, or Tolerance, relative to the
// residual's largest term. If both are 0, all such demands share one relative standard deviation, which is
// inferred. Where the largest term is a hundred times larger at one point than at another, each point counts by
// its own. Exact demands equality, as far as the layer can resolve it. Only conditions can be exact.
type Demand struct {
	Name      string
	Residual  Functional
	Points    *mat.Dense
	Tolerance float64
	SD        float64
	Exact     bool

	// Spare says that there are more Points than needed. The first of them are used, as many as suit the layer.
	Spare bool
	// Spread says that Points are spread evenly over the whole box, or a side of it, and that others would do as well. With
	// patches they are moved to where cells become small, see posterior.Config.Patches. Points that are not spread stay; if
	// they are those of an equation, all cells keep equal sides. The verdict looks for known terms between spread points.
	Spread bool

	// Refine is how many of Candidates (rows x variables) become points, too: those where a first fit misses
	// the demand most. It is 0 for conditions.
	Refine     int
	Candidates *mat.Dense
}

// Equation is a Demand.
//
// Deprecated: write Demand.
type Equation = Demand

// Kind says whether a Demand is an equation or a condition of its problem.
type Kind string

const (
	Equations  Kind = "equation"
	Conditions Kind = "condition"
)

// Label identifies a demand of a problem. It reads "equation 1" or "condition 2 (x = 0)".
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

// Demands yields the equations, then the conditions, each with its label. The demands are the problem's own, not
// copies.
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
