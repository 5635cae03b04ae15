package system

import (
	"math"
	"testing"
)

func TestVariableOnALogarithmicAxis(t *testing.T) {
	const rounding = 1e-12
	v := Variable{Name: "r", Min: 0.01, Max: 100, Log: true}
	for share, want := range map[float64]float64{0: 0.01, 0.25: 0.1, 0.5: 1, 1: 100} {
		if got := v.At(share); math.Abs(got/want-1) > rounding {
			t.Errorf("At(%g) is %g, want %g", share, got, want)
		}
		if got := v.Share(want); math.Abs(got-share) > rounding {
			t.Errorf("Share(%g) is %g, want %g", want, got, share)
		}
	}
	if got := v.Apart(10, 0.1); math.Abs(got-0.5) > rounding {
		t.Errorf("10 and 0.1 are %g apart, want 0.5", got)
	}
	for x, want := range map[float64]bool{0.01: false, 100: false, 0.00999: true, 101: true, 0: true, -1: true, math.NaN(): true} {
		if v.Outside(x) != want {
			t.Errorf("Outside(%g) is not %v", x, want)
		}
	}
	if got := GridValue(v, 5, 4); got != 100 {
		t.Errorf("the last value of a grid is %g, want 100", got)
	}
	p := Problem{Variables: []Variable{{Name: "r", Min: 0, Max: 1, Log: true}}, Fields: []string{"u"}}
	if p.Validate() == nil {
		t.Error("an axis from 0 may be logarithmic")
	}
	if p.Variables[0].Min = 5e-324; p.Validate() == nil {
		t.Error("an axis whose ends have no ratio may be logarithmic")
	}
}

// Collocation points are as many in each decade.
func TestCollocationOnALogarithmicAxis(t *testing.T) {
	points, err := Collocation([]Variable{{Name: "r", Min: 0.01, Max: 100, Log: true}}, nil, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	var decades [4]int
	for i := range 400 {
		decades[int(math.Floor(math.Log10(points.At(i, 0))))+2]++
	}
	for k, n := range decades {
		if n < 90 || n > 110 {
			t.Errorf("decade %d has %d points of 400", k, n)
		}
	}
}
