package posterior

import (
	"slices"
	"testing"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// Points belong to the cells that they lie in, and the cell where answers move most is named.
func TestCellsWhereAnswersMoveMost(t *testing.T) {
	edges := [][]float64{{0, 0.5, 1, 4}, {-1, 0, 1}}
	points := mat.NewDense(5, 2, []float64{0.1, -0.5, 0.2, 0.5, 0.9, -0.1, 4, 1, 3, 0.5})
	of := cellOf(points, edges)
	if want := []int{0, 1, 2, 5, 5}; !slices.Equal(of, want) {
		t.Fatalf("cells %v, want %v", of, want)
	}
	a := &answers{[]float64{1, 1, 1, 3, 1, 0, 0, 0, 0, 0}, slices.Repeat([]float64{0.5}, 10)}
	b := &answers{[]float64{1, 1, 1, 1, 1, 0, 0, 1, 0, 0}, slices.Repeat([]float64{1}, 10)}
	b.sd[7] = 10
	most, cell := a.movedMost(b, of)
	if most*most < 2-1e-15 || most*most > 2+1e-15 || cell != 5 {
		t.Errorf("moved by %g in cell %d", most, cell)
	}
	p := &system.Problem{Variables: []system.Variable{{Name: "x"}, {Name: "t"}}}
	if text := placeOfCell(p, edges, cell); text != "x = 1 to 4, t = 0 to 1" {
		t.Error(text)
	}
	moved := inCells(mat.NewDense(2, 2, []float64{2, 0, 4, -1}), edges)
	if want := []float64{0.75, 0, 4, -1}; !slices.Equal(moved.Data(), want) {
		t.Errorf("moved to %v, want %v", moved.Data(), want)
	}
}

// What layers with patches take is that of their factors, and of one covariance each.
func TestBytesOfLayersWithPatches(t *testing.T) {
	_, q := fittedPatches(t, 1)
	want := int64(0)
	for _, c := range q.components {
		blocks := int64(0)
		l := c.blocks.covariance().z
		for i := range l.Blocks() {
			blocks += int64(len(l.BlockRow(i).Row(0)) * l.Size())
		}
		want += 8 * blocks * int64(len(c.blocks.parts)+1)
	}
	if got := q.blockBytes(); got != want || got == 0 {
		t.Errorf("%d bytes, want %d", got, want)
	}
}
