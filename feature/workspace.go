package feature

import (
	"sync"

	"github.com/bpielm/bpielm/mat"
)

// workspace is the scratch memory of one running operation. Workspaces are never released:
// the garbage collector would empty a sync.Pool.
type workspace struct {
	x, z    []float64 // points and arguments of a chunk
	factors factors
	p, ones []float64 // P_k at a point, and ones

	products []product
	parts    []part
	ends     []int     // end of each operator's parts
	highest  int       // highest order of all operators
	store    []float64 // backing of products and parts
	used     int       // elements of store in use

	dst      [1]*mat.Dense // the operands of RowsTo
	operator [1][]Term
}

var workspaces struct {
	sync.Mutex
	free []*workspace
}

// borrow returns a workspace for exclusive use until it is given back.
func borrow() *workspace {
	workspaces.Lock()
	defer workspaces.Unlock()
	n := len(workspaces.free)
	if n == 0 {
		return new(workspace)
	}
	w := workspaces.free[n-1]
	workspaces.free = workspaces.free[:n-1]
	return w
}

// giveBack drops references to the caller's data and releases the workspace.
func (w *workspace) giveBack() {
	clear(w.products)
	clear(w.parts)
	w.dst[0], w.operator[0] = nil, nil
	workspaces.Lock()
	workspaces.free = append(workspaces.free, w)
	workspaces.Unlock()
}

// reserve makes room for the products of the terms and for their sums by order.
func (w *workspace) reserve(terms, neurons int) {
	w.products, w.parts, w.ends = w.products[:0], w.parts[:0], w.ends[:0]
	w.store, w.used = grow(w.store, 2*terms*neurons), 0
	w.p = grow(w.p, neurons)
}

// vector returns n of the reserved elements, with undefined contents.
func (w *workspace) vector(n int) []float64 {
	v := w.store[w.used:][:n:n]
	w.used += n
	return v
}

// grow returns a slice of length n with undefined contents, reusing s if its capacity suffices.
func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
