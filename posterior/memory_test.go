package posterior

import (
	"errors"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/system"
)

// A fit that would need more memory than allowed is refused before it starts; one that grows, when
// it reaches layers that do not fit; and what fits gives the same result with and without a limit.
func TestMemoryLimit(t *testing.T) {
	p := rod(false)
	for _, c := range []Config{
		{Neurons: 8000}, {Neurons: 401}, {Neurons: 20000, Method: Published}, {Neurons: 20000, Method: PseudoInverse}, {},
	} {
		c.MaxMemory = 60 << 20
		if c.Neurons > 1000 {
			c.MaxMemory = 2 << 30
		}
		_, err := Fit(p, c)
		var memory *MemoryError
		if !errors.As(err, &memory) || memory.Needed <= c.MaxMemory || memory.Limit != c.MaxMemory || c.Neurons > 0 && memory.Neurons != c.Neurons {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	if _, err := FitPrior(p, Config{Neurons: 8000, MaxMemory: 4 << 30}); !errors.As(err, new(*MemoryError)) {
		t.Errorf("FitPrior: error %v", err)
	}
	c := Config{Neurons: 12, Scale: []float64{2}, Seed: 1}
	free, err := Fit(p, c)
	if err != nil {
		t.Fatal(err)
	}
	c.MaxMemory = Memory(p, c, true)
	bound, err := Fit(p, c)
	if err != nil {
		t.Fatal(err)
	}
	if free.components[0].mean[0] != bound.components[0].mean[0] {
		t.Error("the limit changes the answer")
	}
}

// More of anything is predicted to need more.
func TestMemoryGrows(t *testing.T) {
	p := rod(false)
	few := Memory(p, Config{Neurons: 100}, true)
	if large := Memory(p, Config{Neurons: 8000}, true); large < 20<<30 {
		t.Errorf("8000 neurons are predicted to take %d bytes", large)
	}
	if prior := Memory(p, Config{Neurons: 100}, false); prior >= few {
		t.Errorf("without the verdict it is %d, with it %d", prior, few)
	}
	two := *p
	two.Fields = []string{"u", "v"}
	if more := Memory(&two, Config{Neurons: 100}, true); more <= few {
		t.Errorf("two fields: %d, one: %d", more, few)
	}
	two = *p
	two.Equations = append([]system.Demand{}, p.Equations...)
	two.Equations[0].Points = column(make([]float64, 1_000_000)...)
	if more := Memory(&two, Config{Neurons: 100}, true); more < few+16e6 {
		t.Errorf("a million points: %d, some: %d", more, few)
	}
}

// Compiling needs as much memory for many equations as for some: only one reduced block exists at a
// time.
func TestManyEquationsTakeNoMoreMemory(t *testing.T) {
	for _, path := range []Path{SquareRoot, GramPath} {
		taken := map[int]int{}
		for _, count := range []int{4, 400} {
			p := *rod(false)
			for len(p.Equations) < count {
				p.Equations = append(p.Equations, p.Equations[0])
			}
			f, err := newFrame(&p)
			if err != nil {
				t.Fatal(err)
			}
			layer, err := feature.New(p.Box(), feature.Config{Neurons: 100, Scale: []float64{2}, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			store := new(storage)
			if _, err := compile(f, layer, CompileConfig{Path: path, Tolerance: 1e-3}, f.sizes, store); err != nil {
				t.Fatal(err)
			}
			for _, slab := range store.slabs {
				taken[count] += len(slab)
			}
			const square = 101 * 101
			taken[count] += (len(store.rows.objects) + len(store.sums.objects)) * square
		}
		if taken[400] > taken[4] {
			t.Errorf("%s: 4 equations take %d numbers, 400 take %d", path, taken[4], taken[400])
		}
	}
}
