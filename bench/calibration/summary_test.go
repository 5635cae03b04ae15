package calibration

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestAggregate(t *testing.T) {
	outcomes := []Outcome{
		{Kind: "heat", Seconds: 1, Field: FieldOutcome{Coverage: 0.5, RMSZ: 4, MAE: 2, CRPS: 1, Scale: 10, RMSError: 3, RMSSD: 1, SelfBelow: 0.1}, Warned: true, Warnings: []string{"w"},
			Parameters: []ParameterOutcome{{Z: 3.5, PIT: 0.0002}, {Z: -1, PIT: 0.84}}, Others: []FieldOutcome{{Coverage: 0.6, RMSZ: 5}}},
		{Kind: "heat", Seconds: 2, Field: FieldOutcome{Coverage: 1, RMSZ: 0.1, MAE: 1, CRPS: 1, Scale: 1, RMSError: 1, RMSSD: 21}},
		{Kind: "beam", Seconds: 3, Field: FieldOutcome{Coverage: 0.9, RMSZ: 1, MAE: 0.3, CRPS: 0.2, Scale: 1, RMSError: 1, RMSSD: 1, SelfBelow: 0.2},
			Parameters: []ParameterOutcome{{Z: 0.5, PIT: 0.31}}},
		{Kind: "beam", Seconds: 4, Failure: "no"},
	}
	s := Aggregate(outcomes)
	want := Summary{
		Problems: 4, Failed: 1, Low: 1. / 3, SelfLow: 0.1, FarOff: 1, TooWide: 1. / 3, MeanCoverage: 0.8,
		MedianMAE: 0.3, MedianCRPS: 0.2, NinthCRPS: 0.84, Warned: 1. / 3, Seconds: 10,
		Parameters: Parameters{Count: 3, Beyond: 1, Within: 2. / 3, Kolmogorov: 0.35666666666666663, ChiSquared: 7},
		Others:     Others{Count: 1, Low: 1, FarOff: 1, MeanCoverage: 0.6},
	}
	if len(s.Kinds) != 2 || s.Kinds[0].Kind != "beam" || s.Kinds[0].Problems != 2 || s.Kinds[1].Parameters.Count != 2 {
		t.Errorf("kinds: %+v", s.Kinds)
	}
	s.Kinds = nil
	if !alikeJSON(t, s, want) {
		t.Errorf("%+v\nexpected\n%+v", s, want)
	}
}

// alikeJSON reports whether two values agree in all numbers of their JSON.
func alikeJSON(t *testing.T, a, b any) bool {
	t.Helper()
	var flat [2][]float64
	for i, v := range []any{a, b} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		flat[i] = numbers(tree)
	}
	return slices.EqualFunc(flat[0], flat[1], func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

// numbers returns the numbers of a tree, in the order of their keys.
func numbers(tree map[string]any) (all []float64) {
	var keys []string
	for k := range tree {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		switch v := tree[k].(type) {
		case float64:
			all = append(all, v)
		case map[string]any:
			all = append(all, numbers(v)...)
		}
	}
	return all
}

// The summary of no outcomes can be written as JSON.
func TestAggregateOfNothing(t *testing.T) {
	if _, err := json.Marshal(Aggregate(nil)); err != nil {
		t.Error(err)
	}
}
