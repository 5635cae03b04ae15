package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Only a reading that is far from neighbours that agree is a spike.
func TestSpikes(t *testing.T) {
	noise := []float64{0.02, -0.05, 0.04, 0.01, -0.03, 0.05, -0.01, 0.03, -0.04, 0, 0.02, -0.02}
	series := func(value func(k int) float64) (values []float64) {
		for k := range 40 {
			values = append(values, value(k)+noise[k%len(noise)])
		}
		return values
	}
	flat := func(k int) float64 { return 18 }
	with := func(of func(k int) float64, at int, value float64) []float64 {
		values := series(of)
		values[at] = value
		return values
	}
	step := func(k int) float64 {
		if k < 20 {
			return 18
		}
		return 85
	}
	peak := func(width float64) func(k int) float64 {
		return func(k int) float64 { return 18 + 60*math.Exp(-math.Pow((float64(k)-20.3)/width, 2)) }
	}
	decay := func(k int) float64 { return 18 + 60*math.Exp(-float64(k)/6) }
	order := make([]int, 40)
	for k := range order {
		order[k] = k
	}
	counter := make([]float64, 40)
	blip := make([]float64, 40)
	blip[20] = 1
	for k := range counter {
		counter[k] = float64(k % 2)
	}
	for name, c := range map[string]struct {
		values []float64
		sigma  []float64
		want   []int
	}{
		"noise":                         {series(flat), nil, nil},
		"one":                           {with(flat, 20, 85), nil, []int{20}},
		"one below":                     {with(flat, 7, 0), []float64{0.05}, []int{7}},
		"on a slope":                    {with(decay, 20, 85), nil, []int{20}},
		"less than the noise":           {with(flat, 20, 85), []float64{7}, nil},
		"noise of its own":              {with(flat, 20, 85), append(slices.Repeat([]float64{0.05}, 20), append([]float64{50}, slices.Repeat([]float64{0.05}, 19)...)...), nil},
		"a step":                        {series(step), []float64{0.05}, nil},
		"a step with one on the way":    {with(step, 20, 70), []float64{0.05}, nil},
		"a step, and one before it":     {with(step, 17, -40), nil, []int{17}},
		"a narrow peak":                 {series(peak(1)), nil, nil},
		"a peak":                        {series(peak(3)), nil, nil},
		"a decay":                       {series(decay), nil, nil},
		"two together":                  {func() []float64 { v := with(flat, 20, 85); v[21] = 85; return v }(), nil, nil},
		"the first":                     {with(flat, 0, 85), nil, nil},
		"two values":                    {counter, nil, nil},
		"one digit, and no noise known": {blip, nil, nil},
	} {
		if got := spikesOf(c.values, c.sigma, order); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// check says which readings are spikes, by file, line and sensor, and what leaves them out.
func TestCheckRemarksOnSpikes(t *testing.T) {
	directory := writeWells(t, 3)
	heads := "Date,MW-1,MW-2\n"
	for hour := range 24 {
		second := fmt.Sprint(12 + 0.01*float64(hour%3))
		if hour == 9 {
			second = "-999.9"
		}
		heads += fmt.Sprintf("2024-05-01 %02d:00,%g,%s\n", hour, 11+0.01*float64(hour%3), second)
	}
	write(t, directory, "heads.csv", heads)
	want := `heads.csv:11: MW-2: is -999.9, its neighbours in time are 12.02 and 12.01; missing = [-999.9] leaves it out, noise = "student" bears it`
	if said := spaced(succeed(t, "check", directory)); !strings.Contains(said, want) || strings.Count(said, "neighbours in time") != 1 {
		t.Errorf("%s\nwant %s", said, want)
	}
	if said := succeed(t, "check", "--json", directory); !strings.Contains(said, "its neighbours in time are") {
		t.Error(said)
	}
	write(t, directory, "problem.toml", monitored+"missing = [-999.9]\n")
	if said := succeed(t, "check", directory); strings.Contains(said, "neighbours in time") {
		t.Error(said)
	}
}

// Help says how heads with units are written in places, and that missing lists any value.
func TestHelpSaysHowHeadsAreWritten(t *testing.T) {
	for key, want := range map[string]string{"sensors.places.NAME": `TC1 is the column "TC1 [K]" or "TC1 (K)"`, "sensors.missing": "a logger's fault codes"} {
		if said := spaced(succeed(t, "help", "problem", key)); !strings.Contains(said, want) {
			t.Errorf("%s: no %s in %s", key, want, said)
		}
	}
}
