package posterior

import (
	"math/rand/v2"
	"testing"
)

// TestProgressMovesOn: it never goes back nor beyond its span, however many steps there are, and every step moves it.
func TestProgressMovesOn(t *testing.T) {
	var told []int
	p := newProgress(func(done, total int) {
		if total != progressUnits {
			t.Fatalf("the total is %d", total)
		}
		told = append(told, done)
	})
	p.span(0, 0.5, 10)
	for range 5 {
		p.more()
	}
	if p.done != 0.25 {
		t.Errorf("half the steps expected of half the work are %g of it", p.done)
	}
	before := p.done
	for range 100 {
		if p.more(); !(p.done > before && p.done < 0.5) {
			t.Fatalf("a step leads from %g to %g", before, p.done)
		}
		before = p.done
	}
	p.span(0.3, 0.6, 4) // part of it has been done
	if p.done != before {
		t.Errorf("it goes back from %g to %g", before, p.done)
	}
	inside := p.within(0.6, 0.8)
	if inside(1, 2); p.done != 0.7 {
		t.Errorf("half of the work inside is %g", p.done)
	}
	p.finish()
	for i := range told[1:] {
		if told[i+1] < told[i] {
			t.Errorf("%d is told after %d", told[i+1], told[i])
		}
	}
	if last := told[len(told)-1]; last != progressUnits {
		t.Errorf("the last is %d", last)
	}
	(*progress)(nil).more() // nobody is told
	(*progress)(nil).span(0, 1, 1)
	(*progress)(nil).finish()
}

// TestProgressOfAFit moves often and ends at the total.
func TestProgressOfAFit(t *testing.T) {
	p, _ := wave(rand.New(rand.NewPCG(4, 5)), 14, 0.05)
	last, steps := 0, 0
	if _, err := Fit(p, Config{Neurons: 30, Seed: 3, Progress: func(done, total int) {
		if done < last || done > total {
			t.Errorf("progress goes from %d to %d of %d", last, done, total)
		}
		if done > last {
			steps++
		}
		last = done
	}}); err != nil {
		t.Fatal(err)
	}
	if last != progressUnits || steps < 15 {
		t.Errorf("%d steps to %d", steps, last)
	}
}
