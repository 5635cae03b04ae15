package mat

import "sync"

// pool keeps values for reuse. Unlike a sync.Pool, it is not emptied by the garbage
// collector.
type pool[T any] struct {
	mutex sync.Mutex
	free  []*T
}

// take removes a value from the pool, or returns nil if it is empty.
func (p *pool[T]) take() *T {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	n := len(p.free)
	if n == 0 {
		return nil
	}
	v := p.free[n-1]
	p.free = p.free[:n-1]
	return v
}

func (p *pool[T]) put(v *T) {
	p.mutex.Lock()
	p.free = append(p.free, v)
	p.mutex.Unlock()
}

// arena is the scratch memory of one running operation.
type arena struct {
	a, b  []float64                      // packed panels
	share shared                         // a product shared by several processors
	tri   [trsmBlock * trsmBlock]float64 // a diagonal block of a triangle
	v, w  Dense                          // reflectors and their products
	vt    Dense                          // reflectors, transposed
	qr    QR                             // factorisation for TSQR.Triangle
	x     []float64                      // any other vector
}

var arenas pool[arena]

// borrow returns an arena for exclusive use until it is given back.
func borrow() *arena {
	if w := arenas.take(); w != nil {
		return w
	}
	return new(arena)
}

func (w *arena) giveBack() { arenas.put(w) }

// vector returns n elements with undefined contents. The next call reuses them.
func (w *arena) vector(n int) []float64 {
	w.x = resize(w.x, n)
	return w.x
}
