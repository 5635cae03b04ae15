package solution

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// The velocities on the centre lines of the cavity are those that Ghia, Ghia and Shin computed, to a hundredth of the lid's
// speed, and the verdict names the corners where conditions contradict each other.
func TestCavity(t *testing.T) {
	if !*pumped {
		t.Skip("it takes minutes: -args -pumped")
	}
	const off = 0.01
	m := problems.FindMeasured("cavity")
	file, config := readMeasured(t, m)
	q, v := solveMeasured(t, file, config)
	if f := v.Failures(); len(f) != 1 || !strings.Contains(f[0], "contradict each other where they meet: at x = 0, y = 1") {
		t.Errorf("%q", f)
	}
	for field, name := range []string{"u", "v"} {
		lines := strings.Split(strings.TrimSpace(string(m.File("ghia-"+name+".csv"))), "\n")[1:]
		points, want := mat.NewDense(len(lines), 2, nil), make([]float64, len(lines))
		for i, line := range lines {
			at, value, _ := strings.Cut(line, ",")
			points.Set(i, field, 0.5)
			for _, n := range []struct {
				text string
				to   *float64
			}{{at, &points.Row(i)[1-field]}, {value, &want[i]}} {
				var err error
				if *n.to, err = strconv.ParseFloat(n.text, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		mean, sd, err := q.Predict(system.Field(field), points)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if math.Abs(mean[i]-w) > off {
				t.Errorf("%s at %v is %.5f ± %.5f, others computed %.5f", name, points.Row(i), mean[i], sd[i], w)
			}
			t.Logf("%s at %v: %.5f ± %.5f, Ghia %.5f", name, points.Row(i), mean[i], sd[i], w)
		}
	}
}
