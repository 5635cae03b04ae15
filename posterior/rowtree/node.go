package rowtree

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
)

// LeafRows is how many rows a leaf has. It determines bits.
const LeafRows = 8192

// Node summarises the rows of some leaves. It is immutable.
type Node struct {
	First, Leaves int // it covers the leaves First to First+Leaves-1
	Rows          int

	// Triangle is the factor of [H y] with (columns+1)² elements, see mat.TSQR.Triangle: R and Q'y, and in the last row the
	// norm of the part of y outside the range of H, up to its sign.
	Triangle *mat.Dense

	LogNoise        float64 // sum of the logarithms of the noise by which the rows were divided
	Noise           float64 // root of the sum of squares of the noise as stated; 0 where it is not stated for each row
	Mean, Deviation float64 // of the values as they were read: their mean, and the root of the sum of squares of their deviations from it
}

// Leaf is the node of one leaf. rows has its rows, divided by scale, their noise; values are what was read, and noise is its
// standard deviation as stated for each row, or nil. It panics if the numbers of rows differ, are 0 or more than LeafRows.
func Leaf(number int, rows *mat.TSQR, values, scale, noise []float64) *Node {
	n := rows.Count()
	if n == 0 || n > LeafRows || len(values) != n || len(scale) != n || noise != nil && len(noise) != n {
		panic(mat.Error(fmt.Sprintf("rowtree: Leaf: %d rows, %d values, %d scales and %d levels of noise", n, len(values), len(scale), len(noise))))
	}
	node := &Node{First: number, Leaves: 1, Rows: n, Triangle: rows.Triangle(), Noise: mat.Nrm2(noise)}
	for _, s := range scale {
		node.LogNoise += mat.Log(s)
	}
	node.Mean = mat.Sum(values) / float64(n)
	rest := make([]float64, n)
	for i, v := range values {
		rest[i] = v - node.Mean
	}
	node.Deviation = mat.Nrm2(rest)
	return node
}

// Columns returns the number of columns of H.
func (n *Node) Columns() int { return n.Triangle.Cols() - 1 }

// merge returns the node of the rows of a, and those of b after them.
func merge(a, b *Node) *Node {
	columns := a.Columns()
	both := mat.NewTSQR(columns)
	y := make([]float64, columns+1)
	for _, node := range []*Node{a, b} {
		for i := range y {
			y[i] = node.Triangle.At(i, columns)
		}
		both.Append(node.Triangle.Slice(0, columns+1, 0, columns), y)
	}
	rows, apart := float64(a.Rows+b.Rows), b.Mean-a.Mean
	share := float64(b.Rows) / rows
	between := apart * math.Sqrt(float64(float64(a.Rows)*share))
	return &Node{
		First: a.First, Leaves: a.Leaves + b.Leaves, Rows: a.Rows + b.Rows, Triangle: both.Triangle(),
		LogNoise: a.LogNoise + b.LogNoise, Noise: mat.Nrm2([]float64{a.Noise, b.Noise}),
		Mean: mat.FMA(apart, share, a.Mean), Deviation: mat.Nrm2([]float64{a.Deviation, b.Deviation, between}),
	}
}

// Tree merges the nodes of a run of leaves. Its zero value has none.
type Tree struct{ nodes []*Node }

// Add adds the node of the leaves that follow. It panics if they do not follow, if the last leaf so far was not full, or if
// the columns differ.
func (t *Tree) Add(n *Node) {
	if len(t.nodes) > 0 {
		last := t.nodes[len(t.nodes)-1]
		if n.First != last.First+last.Leaves || last.Rows != last.Leaves*LeafRows || n.Columns() != last.Columns() {
			panic(mat.Error(fmt.Sprintf("rowtree: leaf %d with %d columns does not follow %d rows in leaves %d to %d with %d columns",
				n.First, n.Columns(), last.Rows, last.First, last.First+last.Leaves-1, last.Columns())))
		}
	}
	t.nodes = append(t.nodes, n)
	for len(t.nodes) > 1 {
		a, b := t.nodes[len(t.nodes)-2], t.nodes[len(t.nodes)-1]
		if a.Leaves != b.Leaves || a.First%(2*a.Leaves) != 0 {
			return
		}
		t.nodes = append(t.nodes[:len(t.nodes)-2], merge(a, b))
	}
}

// Nodes returns the largest complete nodes of the run, in the order of their rows.
func (t *Tree) Nodes() []*Node { return append([]*Node(nil), t.nodes...) }

// Whole returns the node of all rows, nil if there are none. To have the same bits, the run must begin with leaf 0.
func (t *Tree) Whole() *Node {
	if len(t.nodes) == 0 {
		return nil
	}
	last := len(t.nodes) - 1
	whole := t.nodes[last]
	for i := last - 1; i >= 0; i-- {
		whole = merge(t.nodes[i], whole)
	}
	return whole
}
