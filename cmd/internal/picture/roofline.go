package picture

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
)

// Roofline draws one panel for each kernel and number of threads of a run.
func Roofline(run *regress.Run) *figure.Figure {
	f := &figure.Figure{Width: figure.WideWidth, Title: "Roofline: " + cmp.Or(run.Machine.CPU, "unknown")}
	numbers := map[string]int{} // of the families, in the order of the legend
	var p *figure.Roofline
	for i := range run.Results {
		r := &run.Results[i]
		if r.Work.Flops == 0 || r.Work.Bytes == 0 {
			continue
		}
		title := fmt.Sprintf("%s, %s", r.Kernel, format.Count(r.Threads, "thread"))
		if p == nil || p.Title != title {
			p = &figure.Roofline{Memory: run.Machine.Memory / 1e9}
			p.Frame = figure.Frame{Title: title, XLabel: "arithmetic intensity in flops per byte of operands", YLabel: "GFLOP/s", Aspect: 0.62}
			f.Rows = append(f.Rows, []figure.Panel{p})
		}
		p.Peak = math.Max(p.Peak, r.Peak/1e9)
		name, _, _ := strings.Cut(r.Name, "/")
		number, known := numbers[name]
		family := figure.Family{Name: name, Number: number}
		if !known {
			family.Number = len(numbers)
			numbers[name] = family.Number
			f.Legend = append(f.Legend, family.Entry())
		}
		if n := len(p.Families); n == 0 || p.Families[n-1].Name != name {
			p.Families = append(p.Families, family)
		}
		p.Families[len(p.Families)-1].Add(r.Work.Flops/r.Work.Bytes, r.Work.Flops/regress.Median(r.Nanoseconds))
	}
	return f
}
