package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/system/spec"
)

const (
	// fewInSeries is how many readings of a sensor are too few to say what is usual.
	fewInSeries = 12
	// A reading is a spike if it is outside its neighbours, and its distance from their median is more than farFromNeighbours
	// times the usual one and the stated noise, and more than notAlike times the difference between any two of them.
	farFromNeighbours, notAlike = 10, 5
	mostSpikes                  = 5
)

// spikes remarks on readings that are far from those of the same sensor just before and just after. The two before and the
// two after must agree: a step or a peak that is sampled a few times is no spike.
func spikes(file *spec.File) (remarks []*spec.Error) {
	time := timeOf(file.Problem.Variables)
	if time < 0 {
		return nil
	}
	for i := range file.Problem.Sensors {
		s, of := &file.Problem.Sensors[i], &file.SensorFiles[i]
		for _, series := range membersOf(file, i, time) {
			if len(series) < fewInSeries || moves(file, i, time, series) {
				continue
			}
			slices.SortStableFunc(series, func(a, b int) int {
				return cmp.Compare(s.Points.At(a, time), s.Points.At(b, time))
			})
			for _, k := range spikesOf(s.Values, s.Sigma, series) {
				at := series[k]
				name, line, sensor := of.Source(at)
				why := fmt.Sprintf("is %.6g, its neighbours in time are %.6g and %.6g", s.Values[at], s.Values[series[k-1]], s.Values[series[k+1]])
				separator := "; "
				if cure := describe.MissingWould(s.Values, at); cure != "" {
					why += separator + cure + " leaves it out"
					separator = ", "
				}
				if !s.Student {
					why += separator + `noise = "student" bears it`
				}
				if sensor != "" {
					sensor = format.Sensor(sensor)
				}
				remarks = append(remarks, &spec.Error{File: name, Line: line, Key: sensor, Why: why})
			}
		}
	}
	if more := len(remarks) - mostSpikes; more > 1 {
		remarks = append(remarks[:mostSpikes], &spec.Error{File: remarks[mostSpikes].File, Why: fmt.Sprintf("%d more readings are far from their neighbours in time", more)})
	}
	return remarks
}

// moves reports whether the readings of a series are of several places.
func moves(file *spec.File, i, time int, series []int) bool {
	s := &file.Problem.Sensors[i]
	for d := range file.Problem.Variables {
		if d == time || file.SensorFiles[i].Placeless {
			continue
		}
		for _, k := range series {
			if s.Points.At(k, d) != s.Points.At(series[0], d) {
				return true
			}
		}
	}
	return false
}

// spikesOf returns which readings of a series, in the order of time, are spikes, counted along the series.
func spikesOf(values, sigma []float64, series []int) (list []int) {
	const sides = 2 // neighbours on each side
	n := len(series)
	least, largest, distance := make([]float64, n), make([]float64, n), make([]float64, n)
	var usual []float64
	for k := sides; k < n-sides; k++ {
		near := make([]float64, 0, 2*sides)
		for j := k - sides; j <= k+sides; j++ {
			if j != k {
				near = append(near, values[series[j]])
			}
		}
		slices.Sort(near)
		least[k], largest[k] = near[0], near[len(near)-1]
		distance[k] = math.Abs(values[series[k]] - 0.5*(near[sides-1]+near[sides]))
		usual = append(usual, distance[k])
	}
	slices.Sort(usual)
	typical := usual[len(usual)/2]
	for k := sides; k < n-sides; k++ {
		at := series[k]
		bound := typical
		if len(sigma) > 0 {
			bound = math.Max(bound, sigma[min(at, len(sigma)-1)])
		}
		outside := values[at] < least[k] || values[at] > largest[k]
		if bound > 0 && outside && distance[k] > float64(farFromNeighbours*bound) && distance[k] > float64(notAlike*(largest[k]-least[k])) {
			list = append(list, k)
		}
	}
	return list
}

// membersOf returns the readings of each sensor of block i, in the order of their first readings. Sensors without names are
// told apart by their places.
func membersOf(file *spec.File, i, time int) (members [][]int) {
	s, of := &file.Problem.Sensors[i], &file.SensorFiles[i]
	number := map[string]int{}
	var key []byte // the name or the place: there may be millions of readings
	for k := range s.Values {
		key = key[:0]
		switch _, _, name := of.Source(k); {
		case name != "":
			key = append(append(key, 'n'), name...)
		case !of.Placeless:
			for d, x := range s.Points.Row(k) {
				if d != time {
					key = binary.BigEndian.AppendUint64(key, math.Float64bits(x))
				}
			}
		}
		m, known := number[string(key)]
		if !known {
			m, members = len(members), append(members, nil)
			number[string(key)] = m
		}
		members[m] = append(members[m], k)
	}
	return members
}
