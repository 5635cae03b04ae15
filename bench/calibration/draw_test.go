package calibration

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/bpielm/bpielm/system/spec"
)

// The same seed and number give the same bytes on every machine.
func TestSameBytes(t *testing.T) {
	const want = "0c0110316f7f1ca2"
	h := sha256.New()
	for number := range len(kinds) {
		p := draw(t, number, Options{})
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			fmt.Fprintf(h, "%s\n%s", name, p.files[name])
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != want {
		t.Errorf("the files have the hash %s, not %s: problems have changed", got, want)
	}
}

// Another seed gives other problems.
func TestSeedsDiffer(t *testing.T) {
	a := draw(t, 3, Options{})
	b, err := DrawWith(2, 3, Options{Kind: a.Kind})
	if err != nil {
		t.Fatal(err)
	}
	if a.files[problemFile] == b.files[problemFile] {
		t.Error("seeds 1 and 2 have the same problem")
	}
}

// Every turn has each kind once.
func TestTurns(t *testing.T) {
	for turn := range 3 {
		seen := map[string]bool{}
		for i := range kinds {
			k, err := kindOf(1, turn*len(kinds)+i, Options{})
			if err != nil {
				t.Fatal(err)
			}
			seen[k.name] = true
		}
		if len(seen) != len(kinds) {
			t.Errorf("turn %d has %d of %d kinds", turn, len(seen), len(kinds))
		}
	}
	if n := len(kinds); n < 30 || n > 300 {
		t.Errorf("there are %d kinds", n)
	}
	if _, err := DrawWith(1, 0, Options{Kind: "alchemy"}); err == nil {
		t.Error("an unknown kind is drawn")
	}
}

// The numbers of readings, their noise and the unknowns are in their documented ranges.
func TestRanges(t *testing.T) {
	count := 6 * len(kinds)
	if testing.Short() {
		count = 2 * len(kinds)
	}
	with, parameters, hidden, chi2, all, units := 0, 0, 0, 0.0, 0, 0
	for number := range count {
		p := draw(t, number, Options{})
		f := read(t, p)
		where := fmt.Sprintf("%s, number %d", p.Kind, number)
		if n := f.Problem.Readings(); n != p.Readings || n < minReadings || n > maxReadings {
			t.Errorf("%s: %d readings, said to be %d", where, n, p.Readings)
		}
		most := maxRatio
		if len(f.Problem.Variables) == 1 {
			most = maxCurveRatio
		}
		if r := float64(p.Readings) / float64(p.Freedom); r < minRatio-0.05 && p.Readings < maxReadings || r > most+0.5 && p.Readings > minReadings {
			t.Errorf("%s: %d readings for a freedom of %d", where, p.Readings, p.Freedom)
		}
		if p.Noise < minNoise || p.Noise > maxNoise {
			t.Errorf("%s: noise %g", where, p.Noise)
		}
		if groups := len(f.Problem.Sensors); groups > 3 {
			t.Errorf("%s: %d groups of sensors", where, groups)
		}
		if len(p.Truth) != len(f.Problem.Parameters) || p.HasParameters() != (len(p.Truth) > 0) {
			t.Errorf("%s: %d parameters, %d with a truth", where, len(f.Problem.Parameters), len(p.Truth))
		}
		if f.Features.Seed != uint64(number) || f.Features.Neurons != 0 {
			t.Errorf("%s: features %+v", where, f.Features)
		}
		learned := false
		for i, s := range f.Problem.Sensors {
			g := p.draft.groups[i]
			if s.Sigma == nil {
				learned = true
				if len(s.Values) < minLearnedReadings {
					t.Errorf("%s: the noise of %d readings is to be learned", where, len(s.Values))
				}
			}
			for k, v := range s.Values {
				if s.Sigma != nil && s.Sigma[k%len(s.Sigma)] != g.sigma[k] {
					t.Errorf("%s: the file states a noise of %g as %g", where, g.sigma[k], s.Sigma[k%len(s.Sigma)])
				}
				z := (v - g.exact[k]) / g.sigma[k]
				chi2 += z * z
				all++
			}
		}
		if learned != p.Learned {
			t.Errorf("%s: Learned is %v", where, p.Learned)
		}
		with, hidden = with+int(indicator(p.HasParameters())), hidden+int(indicator(learned))
		parameters += len(p.Truth)
		if side := p.draft.side(0); side < 0.1 || side > 100 {
			units++
		}
	}
	// Five standard deviations of a chi-squared variable.
	if d := (chi2 - float64(all)) / math.Sqrt(2*float64(all)); math.Abs(d) > 5 {
		t.Errorf("the squares of %d standardised readings sum to %.0f", all, chi2)
	}
	share := func(what string, n int, least, most float64) {
		t.Helper()
		if s := float64(n) / float64(count); s < least || s > most {
			t.Errorf("%s: %.2f of the problems", what, s)
		}
	}
	share("parameters", with, 0.45, 0.65)
	share("noise to be learned", hidden, 0.2, 0.4)
	share("lengths far from one", units, 0.25, 0.55)
	share("number of parameters", parameters, 0.5, 1.2)
}

// Scarce problems have few readings, and the kind can be chosen.
func TestScarce(t *testing.T) {
	for number := range 20 {
		p := draw(t, number, Options{Scarce: true, Kind: "heat"})
		if r := float64(p.Readings) / float64(p.Freedom); p.Kind != "heat" || r > maxScarceRatio+0.1 && p.Readings > minScarceReadings {
			t.Errorf("number %d, %s: %d readings for a freedom of %d", number, p.Kind, p.Readings, p.Freedom)
		}
	}
}

// Sensors are in the domain or on its boundary. The L with a hole is skipped: from its
// boundary, a step towards the middle of the box may lead out of it.
func TestSensorsStandInTheDomain(t *testing.T) {
	for number := range len(kinds) {
		p := draw(t, number, Options{})
		if p.draft.region.domain == nil || p.draft.region.hole != "" {
			continue
		}
		f := read(t, p)
		for _, s := range f.Problem.Sensors {
			for i := range s.Points.Rows() {
				x := slices.Clone(s.Points.Row(i))
				for d, v := range f.Problem.Variables { // a little towards the middle
					x[d] += 2e-3 * ((v.Min+v.Max)/2 - x[d])
				}
				if !f.Problem.Domain.Contains(x) {
					t.Errorf("%s, number %d: a sensor is at %v", p.Kind, number, s.Points.Row(i))
				}
			}
		}
	}
}

// Files, written to disk, are read as the same problem.
func TestFiles(t *testing.T) {
	p := draw(t, 1, Options{})
	dir := t.TempDir()
	for name, text := range p.Files() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := spec.Read(filepath.Join(dir, problemFile), []string{"features.neurons=7"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Read("features.neurons=7")
	if err != nil {
		t.Fatal(err)
	}
	if f.Features.Neurons != 7 || !reflect.DeepEqual(f.Features, g.Features) || f.Title != g.Title || f.Problem.Readings() != g.Problem.Readings() {
		t.Errorf("the file says %+v", f.Features)
	}
}

// Rounding in the products of a mode is not taken for a source: of this problem 1e-21 remains.
func TestRoundingIsNoSource(t *testing.T) {
	if _, err := Draw(2090, 978); err != nil {
		t.Error(err)
	}
}
