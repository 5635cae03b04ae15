package mat

import (
	"sync"
)

// arena is the scratch memory of one running operation. Arenas are kept for good:
// a sync.Pool would be emptied by the garbage collector.
type arena struct {
	a, b  []float64                      // packed panels
	share shared                         // a product for several processors
	tri   [trsmBlock * trsmBlock]float64 // a triangle to solve with
	v, w  Dense                          // reflectors and their products
	vt    Dense                          // reflectors, transposed
	qr    QR                             // of rows that stay as they are
	x     []float64                      // whatever else the operation needs
}

var arenas struct {
	sync.Mutex
	free []*arena
}

// borrow returns an arena that nobody else uses until it is given back.
func borrow() *arena {
	arenas.Lock()
	defer arenas.Unlock()
	n := len(arenas.free)
	if n == 0 {
		return new(arena)
	}
	w := arenas.free[n-1]
	arenas.free = arenas.free[:n-1]
	return w
}

func (w *arena) giveBack() {
	arenas.Lock()
	arenas.free = append(arenas.free, w)
	arenas.Unlock()
}

// vector returns n elements with undefined contents. A later call takes them back.
func (w *arena) vector(n int) []float64 {
	w.x = resize(w.x, n)
	return w.x
}
