package mat

import (
	"sync"
)

// arena is the scratch memory of one running operation. Arenas are never released: the
// garbage collector would empty a sync.Pool.
type arena struct {
	a, b  []float64                      // packed panels
	share shared                         // a product shared by several processors
	tri   [trsmBlock * trsmBlock]float64 // a diagonal block of a triangle
	v, w  Dense                          // reflectors and their products
	vt    Dense                          // reflectors, transposed
	qr    QR                             // factorisation for TSQR.Triangle
	x     []float64                      // any other vector
}

var arenas struct {
	sync.Mutex
	free []*arena
}

// borrow returns an arena for exclusive use until it is given back.
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

// vector returns n elements with undefined contents. The next call reuses them.
func (w *arena) vector(n int) []float64 {
	w.x = resize(w.x, n)
	return w.x
}
