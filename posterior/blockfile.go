package posterior

import (
	"fmt"
	"math"

	"github.com/bpielm/bpielm/mat"
)

// The model file of a posterior with patches, version 5, is that of a mixture of one or more components, with this in the
// place of F:
//
//	f64 [n]   D: the prior scales of the weights
//	f64 [P]   the first patch that each of the P patches is coupled to
//	          then for each of the parts, which are slacks, with k as Parts says:
//	f64 [3]   the root of its weight, tau, and the root mean square of the amplitude
//	f64 ...   L, by rows of blocks: blocks are M x M with M = n/P without parameters, and
//	          row i has those from its first patch to patch i side by side
//	f64 [n m] the columns for the m parameters
//	f64 [n k] Q
//	f64 [k k] the root of C
//	f64 [n]   the distance of its mean of g from the mean times the root of its weight, if there are several
//
// See blockroot.go for the formula and g. All but D are in these coordinates, in which weights are ordered by patch.

// spans returns the number of columns of Q of each part.
func (b *blockRoot) spans() []int {
	var list []int
	for i := range b.parts {
		list = append(list, b.parts[i].q.Cols())
	}
	return list
}

// blockSections returns the numbers of a component with patches in place of F.
func (c *component) blockSections() []fileSection {
	b := c.blocks
	var first []float64
	l := b.parts[0].prior.chol.L()
	for i := range l.Blocks() {
		first = append(first, float64(l.First(i)))
	}
	list := []fileSection{{"scale of weight", b.scale}, {"envelope of patch", first}}
	for i := range b.parts {
		p := &b.parts[i]
		of := fmt.Sprintf("of slack %d, number", i+1)
		list = append(list, fileSection{"share " + of, []float64{p.share, p.prior.tau, p.outside}})
		l := p.prior.chol.L()
		for k := range l.Blocks() {
			row := l.BlockRow(k)
			for r := range row.Rows() {
				list = append(list, fileSection{"factor " + of, row.Row(r)})
			}
		}
		if p.prior.v != nil {
			list = append(list, fileSection{"response to parameters " + of, p.prior.v.Data()})
		}
		list = append(list, fileSection{"span " + of, p.q.Data()}, fileSection{"covariance " + of, p.inside.Data()})
		if b.apart != nil {
			list = append(list, fileSection{"mean " + of, b.apart.Row(i)})
		}
	}
	return list
}

// checkBlocks refuses sizes of a posterior with patches that are inconsistent or too large.
func (h *fileHeader) checkBlocks() error {
	if len(h.Patches) != len(h.Variables) || h.Over != nil || !h.Factor || h.Physics != nil {
		return &FileError{"its patches are invalid"}
	}
	patches := 1
	for _, n := range h.Patches {
		if n < 1 || n > maxColumns || patches*n > maxColumns {
			return &FileError{fmt.Sprintf("its %v patches are invalid", h.Patches)}
		}
		patches *= n
	}
	if len(h.Edges) != len(h.Patches) {
		return &FileError{"the edges of its patches are missing"}
	}
	for _, c := range h.Components {
		columns := h.columns(c.Neurons)
		if c.Neurons%patches != 0 || len(c.Parts) < 1 || len(c.Parts) > maxComponents {
			return &FileError{fmt.Sprintf("its %d neurons in %d patches are invalid", c.Neurons, patches)}
		}
		for _, k := range c.Parts {
			if k < 0 || k > columns || int64(k)*int64(columns) > maxFileFloats {
				return &FileError{"the covariance of a slack is invalid"}
			}
		}
	}
	return nil
}

// blockRoot reads what stands for F in a component with patches; its order is still missing.
func (c *checked) blockRoot(h *fileHeader, of *fileComponent) (*blockRoot, error) {
	patches, m := 1, len(h.Parameters)
	for _, n := range h.Patches {
		patches *= n
	}
	n := h.columns(of.Neurons)
	size := (n - m) / patches
	b := new(blockRoot)
	var err error
	if b.scale, err = c.floats(n); err != nil {
		return nil, err
	}
	envelope, err := c.floats(patches)
	if err != nil {
		return nil, err
	}
	first, elements := make([]int, patches), int64(0)
	for i, f := range envelope {
		if f != math.Floor(f) || f < 0 || f > float64(i) {
			return nil, &FileError{"the order of its patches is invalid"}
		}
		first[i] = int(f)
		elements += int64(i-first[i]+1) * int64(size) * int64(size)
	}
	if elements > maxFileFloats {
		return nil, &FileError{fmt.Sprintf("its factors of %d numbers are too large", elements)}
	}
	for _, k := range of.Parts {
		p, err := c.blockPart(first, int(elements), size, m, n, k)
		if err != nil {
			return nil, err
		}
		b.parts = append(b.parts, *p)
		if len(of.Parts) > 1 {
			apart, err := c.floats(n)
			if err != nil {
				return nil, err
			}
			if b.apart == nil {
				b.apart = mat.NewDense(0, n, nil)
			}
			b.apart = mat.NewDense(len(b.parts), n, append(b.apart.Data(), apart...))
		}
	}
	return b, nil
}

// blockPart reads a slack.
func (c *checked) blockPart(first []int, elements, size, m, n, k int) (*blockPart, error) {
	var lists [5][]float64
	for i, count := range []int{3, elements, n * m, n * k, k * k} {
		var err error
		if lists[i], err = c.floats(count); err != nil {
			return nil, err
		}
	}
	l := mat.NewSkyline(size, first)
	values := lists[1]
	for i := range first {
		row := l.BlockRow(i)
		for r := range row.Rows() {
			values = values[copy(row.Row(r), values):]
		}
	}
	for i := range l.N() {
		if !(l.Diagonal(i) > 0) {
			return nil, &FileError{"a factor in it is singular"}
		}
	}
	prior := &blockPrior{tau: lists[0][1]}
	prior.chol.SetL(l)
	if m > 0 {
		prior.v = mat.NewDense(n, m, lists[2])
	}
	return &blockPart{lists[0][0], prior, mat.NewDense(n, k, lists[3]), mat.NewDense(k, k, lists[4]), lists[0][2]}, nil
}
