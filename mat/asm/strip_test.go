package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// stripCase is a call of Strip.
type stripCase struct {
	depth, rows, cols   int
	lineA, stepA, stepB int
	ldc, diagonal       int
	alpha               float64
	accumulate          bool
	sizeA, sizeB, sizeC int // elements from the first to the last of each operand
}

// randomStrip draws operands stored by rows or by columns, packed or not.
func randomStrip(r *rand.Rand, k *Kernel) *stripCase {
	s := &stripCase{depth: r.IntN(160), rows: 1 + r.IntN(4*k.MR()), cols: 1 + r.IntN(k.NR())}
	s.lineA, s.stepA = 1, s.rows+r.IntN(3)
	if r.IntN(2) == 0 {
		s.lineA, s.stepA = max(s.depth, 1)+r.IntN(3), 1
	}
	s.stepB, s.ldc = s.cols+r.IntN(3), s.cols+r.IntN(3)
	s.diagonal = s.cols
	switch r.IntN(4) {
	case 0:
		s.diagonal = 0 // a corner
	case 1:
		s.diagonal = r.IntN(s.rows+s.cols) - s.rows
	}
	s.alpha, s.accumulate = alphas[r.IntN(len(alphas))], r.IntN(2) == 0
	if s.depth > 0 {
		s.sizeA, s.sizeB = (s.rows-1)*s.lineA+(s.depth-1)*s.stepA+1, (s.depth-1)*s.stepB+s.cols
	}
	s.sizeC = (s.rows-1)*s.ldc + s.cols
	return s
}

func (s *stripCase) String() string { return fmt.Sprintf("%+v", *s) }

func (s *stripCase) run(k *Kernel, a, b, c []float64) {
	k.Strip(&Strip{
		Depth: s.depth, Alpha: s.alpha,
		A: a, LineA: s.lineA, StepA: s.stepA, B: b, StepB: s.stepB,
		Accumulate: s.accumulate, C: c, LDC: s.ldc, Rows: s.rows, Cols: s.cols, Diagonal: s.diagonal,
		AheadA: s.depth * s.stepA, AheadB: s.cols,
	})
}

// want implements the definition of Strip. What it leaves out of C are sentinels.
func (s *stripCase) want(a, b, c []float64) []float64 {
	want := sentinels(s.sizeC)
	for i := range s.rows {
		for j := range min(s.cols, s.diagonal+i+1) {
			ab := 0.0
			for p := range s.depth {
				ab = math.FMA(a[i*s.lineA+p*s.stepA], b[p*s.stepB+j], ab)
			}
			at := i*s.ldc + j
			want[at] = s.alpha * ab
			if s.accumulate {
				want[at] = math.FMA(s.alpha, ab, c[at])
			}
		}
	}
	return want
}

func TestStrip(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(6, 1))
		for range 20000 {
			s, f := randomStrip(r, k), fillings[r.IntN(len(fillings))]
			a, b, c := f.vector(r, s.sizeA), f.vector(r, s.sizeB), f.vector(r, s.sizeC)
			want := s.want(a, b, c)
			for at, v := range want {
				if isSentinel(v) || !s.accumulate {
					c[at] = sentinel
				}
			}
			s.run(k, a, b, c)
			for at, v := range want {
				if isSentinel(v) != isSentinel(c[at]) || !same(c[at], v) {
					t.Fatalf("%v: element (%d, %d) is %v, not %v", s, at/s.ldc, at%s.ldc, c[at], v)
				}
			}
		}
	})
}
