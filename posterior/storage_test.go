package posterior

import "testing"

// Reclaimed memory is lent again, as zeros.
func TestReclaimedMemoryIsLentAgain(t *testing.T) {
	s := &storage{}
	first := s.vector(100)
	first[7] = 3
	second := s.vector(100)
	if &first[0] == &second[0] {
		t.Fatal("the same memory is lent twice")
	}
	s.reclaim()
	again := s.vector(100)
	if &again[0] != &first[0] || again[7] != 0 {
		t.Errorf("other memory is lent, or it holds %g", again[7])
	}
}
