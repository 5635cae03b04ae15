package history

import (
	"cmp"
	"slices"

	"github.com/bpielm/bpielm/bench/regress"
)

// Series is one benchmark on one machine over the runs, the earliest first.
type Series struct {
	Machine string // processor and platform
	Name    string
	Kernel  string
	Threads int
	Entries []*Entry
	Results []*Result // one for each entry
}

// MachineName names the machines whose figures may be compared.
func MachineName(m *regress.Machine) string {
	return cmp.Or(m.CPU, "unknown processor") + ", " + m.Platform
}

// Sort takes entries apart into series: by machine, then in the order in which the benchmarks
// first appear.
func Sort(entries []Entry) []*Series {
	order := make([]*Entry, len(entries))
	for i := range entries {
		order[i] = &entries[i]
	}
	slices.SortStableFunc(order, func(a, b *Entry) int { return a.Date.Compare(b.Date) })
	type key struct {
		machine, name, kernel string
		threads               int
	}
	seen := map[key]*Series{}
	var all []*Series
	machines := map[string]int{}
	for _, e := range order {
		machine := MachineName(&e.Machine)
		if _, known := machines[machine]; !known {
			machines[machine] = len(machines)
		}
		for i := range e.Results {
			r := &e.Results[i]
			k := key{machine, r.Name, r.Kernel, r.Threads}
			s := seen[k]
			if s == nil {
				s = &Series{Machine: machine, Name: r.Name, Kernel: r.Kernel, Threads: r.Threads}
				seen[k] = s
				all = append(all, s)
			}
			s.Entries, s.Results = append(s.Entries, e), append(s.Results, r)
		}
	}
	slices.SortStableFunc(all, func(a, b *Series) int { return machines[a.Machine] - machines[b.Machine] })
	return all
}

// Cost returns the cost in each run.
func (s *Series) Cost() []float64 {
	return s.each(func(r *Result) float64 { return r.Cost })
}

// Memory returns the peak memory in each run, in bytes; 0 where it is not known.
func (s *Series) Memory() []float64 {
	return s.each(func(r *Result) float64 { return r.Memory })
}

// Allocations returns the number of allocations of an operation in each run.
func (s *Series) Allocations() []float64 {
	return s.each(func(r *Result) float64 { return r.Allocations })
}

func (s *Series) each(figure func(*Result) float64) []float64 {
	x := make([]float64, len(s.Results))
	for i, r := range s.Results {
		x[i] = figure(r)
	}
	return x
}
