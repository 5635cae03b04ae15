package page

import (
	"encoding/base64"
	"testing"
)

// An outline and a slice on the same grid agree about what is in the domain.
func TestOutlineIsWhereASliceHasNumbers(t *testing.T) {
	c := newClient(t, &Engine{})
	ask[Problem](c, Request{Do: "open", Files: example(t, "poisson"), Main: problemFile})
	of := &SliceOf{Axes: []int{0, 1}, Size: []int{23, 19}, At: []float64{0, 0}}
	refused(c, Request{Do: "outline", Slice: of}) // nothing has been solved
	ask[Answer](c, Request{Do: "solve"})
	mean := decode(t, ask[Slice](c, Request{Do: "slice", Slice: of}).Mean)
	bits, err := base64.StdEncoding.DecodeString(ask[Outline](c, Request{Do: "outline", Slice: of}).Inside)
	if err != nil || len(bits) != (len(mean)+7)/8 {
		t.Fatalf("%d bytes for %d nodes, %v", len(bits), len(mean), err)
	}
	inside := 0
	for k, v := range mean {
		in := bits[k/8]>>(k%8)&1 == 1
		if in != (v == v) {
			t.Fatalf("node %d: inside %v, mean %g", k, in, v)
		}
		if in {
			inside++
		}
	}
	if inside == 0 || inside == len(mean) {
		t.Errorf("%d of %d nodes are in the butterfly", inside, len(mean))
	}
	refused(c, Request{Do: "outline", Slice: &SliceOf{Axes: []int{0, 1}, Size: []int{1 << 20, 1 << 20}, At: of.At}})
	refused(c, Request{Do: "outline"})
}
