package mat

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"
)

// envelopes are first blocks of rows: dense, diagonal, a band, and one with a row that couples to all.
var envelopes = map[string][]int{
	"empty": {}, "one": {0}, "dense": {0, 0, 0, 0}, "diagonal": {0, 1, 2, 3}, "band": {0, 0, 0, 1, 2, 3, 4, 5},
	"skyline": {0, 0, 2, 1, 3, 0, 4, 6, 2}, "gaps": {0, 0, 2, 2, 1},
}

// randomSkyline returns BB' + I for blocks B in the envelope, and the same matrix dense.
func randomSkyline(seed uint64, size int, first []int) (*Skyline, *Dense) {
	s, random := NewSkyline(size, first), newRandom(seed)
	b := NewDense(s.N(), s.N(), nil)
	for i, f := range first {
		for j := f; j <= i; j++ {
			b.Slice(i*size, (i+1)*size, j*size, (j+1)*size).CopyFrom(randomDense(random, size, size, 0))
		}
	}
	dense := symmetric(identity(s.N()))
	Syrk(NoTrans, 1, b, 1, dense)
	whole := full(dense)
	for i, f := range first {
		for j := range i + 1 {
			part := whole.Slice(i*size, (i+1)*size, j*size, (j+1)*size)
			if j < f { // what B couples beyond the envelope
				part.Zero()
				whole.Slice(j*size, (j+1)*size, i*size, (i+1)*size).Zero()
				continue
			}
			s.Block(i, j).CopyFrom(part)
		}
	}
	for i := range s.N() { // without that it may be indefinite
		whole.Set(i, i, whole.At(i, i)+float64(s.N()))
		s.Block(i/size, i/size).Set(i%size, i%size, whole.At(i, i))
	}
	return s, whole
}

func TestSkylineFactorsAndSolves(t *testing.T) {
	const residual, solve = 4, 16 // times n eps, relative to the norms
	forEachKernel(t, func(t *testing.T) {
		var c SkylineCholesky
		for name, first := range envelopes {
			for _, size := range []int{1, 3, 8, 17} {
				s, whole := randomSkyline(7, size, first)
				n := s.N()
				if err := c.Factorize(s, 0); err != nil {
					t.Fatalf("%s, size %d: %v", name, size, err)
				}
				l := NewDense(n, n, nil)
				for i, f := range first {
					for j := f; j <= i; j++ {
						l.Slice(i*size, (i+1)*size, j*size, (j+1)*size).CopyFrom(c.L().Block(i, j))
					}
				}
				scale := float64(n+1) * frobenius(whole)
				requireSmall(t, name+": LL' - A", distance(naive(NoTrans, Trans, l, l), whole), residual, scale)
				x := randomDense(newRandom(1), n, 5, 2)
				product := NewDense(n, 5, nil)
				s.MulTo(product, x)
				requireSmall(t, name+": Ax", distance(product, naive(NoTrans, NoTrans, whole, x)), residual, scale*frobenius(x))
				b := x.Clone()
				c.SolveLower(0, b)
				requireSmall(t, name+": Lx - b", distance(naive(NoTrans, NoTrans, l, b), x), solve, scale*frobenius(b))
				c.SolveUpper(b)
				requireSmall(t, name+": AX - B", distance(naive(NoTrans, NoTrans, whole, b), x), solve, scale*frobenius(b))
				for begin := range first {
					part := x.Clone()
					part.Slice(0, begin*size, 0, 5).Zero()
					other := part.Clone()
					c.SolveLower(begin, part)
					c.SolveLower(0, other)
					requireSmall(t, name+": from a later block", distance(part, other), solve, scale*frobenius(other))
				}
				for i := range n {
					if s.Diagonal(i) != whole.At(i, i) {
						t.Fatalf("%s: diagonal %d is %g", name, i, s.Diagonal(i))
					}
				}
			}
		}
	})
}

// The inverse has the blocks of the dense one, and its diagonal blocks are whole.
func TestSkylineInverse(t *testing.T) {
	const inverse = 32 // times n eps, relative to the norms
	forEachKernel(t, func(t *testing.T) {
		var c SkylineCholesky
		z := new(Skyline)
		for name, first := range envelopes {
			for _, size := range []int{1, 3, 17} {
				s, whole := randomSkyline(9, size, first)
				n := s.N()
				if err := c.Factorize(s, 0); err != nil {
					t.Fatal(err)
				}
				c.InverseTo(z)
				want := identity(n)
				c.SolveLower(0, want)
				c.SolveUpper(want)
				for i, f := range first {
					for j := f; j <= i; j++ {
						part := want.Slice(i*size, (i+1)*size, j*size, (j+1)*size)
						requireSmall(t, fmt.Sprintf("%s, size %d: block (%d, %d)", name, size, i, j), distance(z.Block(i, j), part), inverse, float64(n+1)*frobenius(want)*frobenius(whole)*frobenius(want))
					}
					for r := range size {
						for q := range r {
							if z.Block(i, i).At(r, q) != z.Block(i, i).At(q, r) {
								t.Fatalf("%s: diagonal block %d is not symmetric", name, i)
							}
						}
					}
				}
			}
		}
	})
}

// Sums are those of the stored blocks.
func TestSkylineSums(t *testing.T) {
	const sum = 8 // times n eps, relative to the norms
	for name, first := range envelopes {
		const size = 5
		a, _ := randomSkyline(2, size, first)
		b, _ := randomSkyline(3, size, first)
		n := a.N()
		x := randomDense(newRandom(4), n, 7, 1)
		got, _ := randomSkyline(2, size, first)
		got.Scale(0.5)
		got.Add(-3, b)
		got.AddOuter(2, x, x)
		outer := naive(NoTrans, Trans, x, x)
		for i, f := range first {
			for j := f; j <= i; j++ {
				want := a.Block(i, j).Clone()
				for r := range size {
					for c := range size {
						want.Set(r, c, 0.5*a.Block(i, j).At(r, c)-3*b.Block(i, j).At(r, c)+2*outer.At(i*size+r, j*size+c))
					}
				}
				requireSmall(t, fmt.Sprintf("%s: block (%d, %d)", name, i, j), distance(got.Block(i, j), want), sum, float64(n+1)*(frobenius(want)+1)*frobenius(x))
			}
		}
	}
	a, b := NewSkyline(2, []int{0, 0}), NewSkyline(2, []int{0, 1})
	mustPanic(t, "other blocks", func() { a.Add(1, b) })
	mustPanic(t, "other shapes", func() { a.AddOuter(1, NewDense(4, 1, nil), NewDense(4, 2, nil)) })
}

// A shifted factorisation is that of the shifted matrix, bit for bit.
func TestSkylineShifted(t *testing.T) {
	s, _ := randomSkyline(3, 20, envelopes["skyline"])
	var a, b SkylineCholesky
	if err := a.Factorize(s, 0.25); err != nil {
		t.Fatal(err)
	}
	for i := range s.Blocks() {
		for k := range s.Size() {
			d := s.Block(i, i)
			d.Set(k, k, d.At(k, k)+0.25)
		}
	}
	if err := b.Factorize(s, 0); err != nil {
		t.Fatal(err)
	}
	for i := range s.Blocks() {
		for j := s.First(i); j <= i; j++ {
			requireSameBits(t, "L", a.L().Block(i, j), b.L().Block(i, j))
		}
	}
}

// The number of processors and the kernel change no bit.
func TestSkylineSameBits(t *testing.T) {
	s, _ := randomSkyline(5, 70, envelopes["band"])
	x := randomDense(newRandom(2), s.N(), 9, 0)
	var want *Dense
	forEachKernel(t, func(t *testing.T) {
		for _, processors := range []int{1, 2, 5} {
			before := runtime.GOMAXPROCS(processors)
			var c SkylineCholesky
			err := c.Factorize(s, 1)
			got := x.Clone()
			c.SolveLower(0, got)
			c.SolveUpper(got)
			var z Skyline
			c.InverseTo(&z)
			z.AddOuter(0.5, x, x)
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			for i := range z.Blocks() {
				row := z.BlockRow(i)
				both := NewDense(max(got.Rows(), row.Rows()), got.Cols()+row.Cols(), nil)
				both.Slice(0, got.Rows(), 0, got.Cols()).CopyFrom(got)
				both.Slice(0, row.Rows(), got.Cols(), both.Cols()).CopyFrom(row)
				got = both
			}
			if want == nil {
				want = got
			}
			requireSameBits(t, fmt.Sprintf("%d processors", processors), got, want)
		}
	})
}

func TestSkylineNotPositiveDefinite(t *testing.T) {
	s, _ := randomSkyline(3, 4, envelopes["band"])
	s.Block(3, 3).Set(2, 2, -1)
	var c SkylineCholesky
	var failure *NotPositiveDefiniteError
	if err := c.Factorize(s, 0); !errors.As(err, &failure) || failure.Index != 3*4+2 {
		t.Errorf("%v", err)
	}
	if c.N() != 0 {
		t.Error("a factor is left")
	}
	s.Block(3, 3).Set(2, 2, math.NaN())
	if err := c.Factorize(s, 0); !errors.As(err, &failure) {
		t.Errorf("NaN: %v", err)
	}
}

func TestSkylineMisuse(t *testing.T) {
	s, _ := randomSkyline(3, 4, envelopes["band"])
	var c SkylineCholesky
	if err := c.Factorize(s, 0); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"envelope": func() { NewSkyline(3, []int{0, 2}) }, "negative": func() { NewSkyline(-1, nil) }, "block": func() { s.Block(5, 0) },
		"rows": func() { c.SolveLower(0, NewDense(3, 1, nil)) }, "upper": func() { c.SolveUpper(NewDense(3, 1, nil)) },
		"product": func() { s.MulTo(NewDense(3, 1, nil), NewDense(s.N(), 1, nil)) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(Error); !ok {
					t.Errorf("%s: no Error", name)
				}
			}()
			f()
		}()
	}
}

// patchwork has the blocks of a layer with patches that overlap their neighbours.
func patchwork(across, along, size int) *Skyline {
	first := make([]int, across*along)
	for i := range first {
		if first[i] = max(0, i-across-1); i%across == 0 {
			first[i] = max(0, i-across)
		}
	}
	s := NewSkyline(size, first)
	random := newRandom(1)
	for i := range first {
		for j := first[i]; j <= i; j++ {
			s.Block(i, j).CopyFrom(randomDense(random, size, size, 0))
		}
	}
	return s
}

// Eight by eight patches of 200 neurons each.
func BenchmarkSkylineCholesky(b *testing.B) {
	s := patchwork(8, 8, 200)
	var c SkylineCholesky
	for b.Loop() {
		if err := c.Factorize(s, float64(s.N())); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSkylineInverse(b *testing.B) {
	c, z := new(SkylineCholesky), new(Skyline)
	s := patchwork(8, 8, 200)
	if err := c.Factorize(s, float64(s.N())); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c.InverseTo(z)
	}
}
