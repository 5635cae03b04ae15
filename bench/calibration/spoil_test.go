package calibration

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// Every way changes the files, which remain readable, and leaves the sound problem alone.
func TestSpoil(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 3
	}
	for number := 0; number < len(kinds); number += step {
		p := draw(t, number, Options{})
		before := p.Files()
		for _, how := range Spoilings() {
			q, err := Spoil(p, how, 1)
			if err != nil {
				t.Fatal(err)
			}
			read(t, q)
			if maps.Equal(q.files, before) {
				t.Errorf("%s, number %d: %s changes nothing", p.Kind, number, how)
			}
			again, err := Spoil(p, how, 1)
			if err != nil || !maps.Equal(again.files, q.files) {
				t.Errorf("%s, number %d: %s differs the second time, %v", p.Kind, number, how, err)
			}
			if q.Spoilt != string(how) || !maps.Equal(q.Truth, p.Truth) {
				t.Errorf("%s, number %d: %s is called %s, truth %v of %v", p.Kind, number, how, q.Spoilt, q.Truth, p.Truth)
			}
			if !maps.Equal(p.Files(), before) || p.Spoilt != "" {
				t.Fatalf("%s, number %d: %s changes the sound problem", p.Kind, number, how)
			}
		}
	}
	if _, err := Spoil(draw(t, 0, Options{}), "burn", 1); err == nil {
		t.Error("an unknown way is accepted")
	}
}

// The stated noise is too small by the documented factor.
func TestSmallNoise(t *testing.T) {
	for number := range len(kinds) {
		p := draw(t, number, Options{})
		q, err := Spoil(p, SmallNoise, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range read(t, q).Problem.Sensors {
			if s.Sigma == nil {
				t.Fatalf("%s, number %d: the noise is learned", p.Kind, number)
			}
			if r := p.draft.groups[i].sigma[0] / s.Sigma[0]; r < 4.95 || r > 20.1 {
				t.Errorf("%s, number %d: the stated noise is %.3g times smaller", p.Kind, number, r)
			}
		}
	}
}

// Outliers are as many, and as far off, as requested.
func TestOutliers(t *testing.T) {
	for number := range len(kinds) {
		p := draw(t, number, Options{})
		q := Outliers(p, 0.05, 10, false)
		moved := 0
		for i, s := range read(t, q).Problem.Sensors {
			g := p.draft.groups[i]
			for k, v := range s.Values {
				switch by := math.Abs(v-g.values[k]) / g.sigma[k]; {
				case by == 0:
				case math.Abs(by-10) < 1e-6*(1+math.Abs(v)/g.sigma[k]):
					moved++
				default:
					t.Errorf("%s, number %d: a reading is off by %g sigma", p.Kind, number, by)
				}
			}
		}
		if want := max(1, int(math.Round(0.05*float64(p.Readings)))); moved != want {
			t.Errorf("%s, number %d: %d of %d readings moved, not %d", p.Kind, number, moved, p.Readings, want)
		}
		if s := Outliers(p, 0.05, 10, true); !s.draft.groups[0].student || s.files[problemFile] == q.files[problemFile] || s.files["sensors1.csv"] != q.files["sensors1.csv"] {
			t.Errorf("%s, number %d: the switch changes other things than the noise's distribution", p.Kind, number)
		}
	}
}

// Swapped places stay in the box, and swapping twice restores them.
func TestSwap(t *testing.T) {
	p := draw(t, 0, Options{Kind: "heat"})
	d := p.draft
	points := d.groups[0].points.Clone()
	d.swap(points)
	if slices.Equal(points.Data(), d.groups[0].points.Data()) {
		t.Error("places are not swapped")
	}
	d.swap(points)
	for i, x := range points.Data() {
		if want := d.groups[0].points.Data()[i]; math.Abs(x-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%g, swapped twice, is %g", want, x)
		}
	}
}
