package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// These are the definitions in cholesky.go, written out element by element.

func plainEliminate(depth, panels int, a []float64, lda int, b, c []float64, ldc int, solve bool) {
	t := b[Panel*depth:]
	for p := range panels {
		for r := range Panel {
			var done [Panel]float64
			for j := range Panel {
				v := c[p*ldc+Panel*j+r]
				for k := range depth {
					v = math.FMA(-a[p*lda+Panel*k+r], b[Panel*k+j], v)
				}
				if solve {
					for k := range j {
						v = math.FMA(-done[k], t[Panel*k+j], v)
					}
					v *= t[(Panel+1)*j]
				}
				done[j] = v
				c[p*ldc+Panel*j+r] = v
			}
		}
	}
}

func plainFactor(depth int, b, c, pivots []float64) {
	for j := range Panel {
		for i := j; i < Panel; i++ {
			v := c[Panel*j+i]
			for k := range depth {
				v = math.FMA(-b[Panel*k+i], b[Panel*k+j], v)
			}
			for k := range j {
				v = math.FMA(-c[Panel*k+i], c[Panel*k+j], v)
			}
			if i == j {
				pivots[j] = v
				v = 1 / math.Sqrt(v)
			} else {
				v *= c[(Panel+1)*j]
			}
			c[Panel*j+i] = v
		}
	}
}

func TestEliminate(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 2))
			for panels := range 8 {
				for _, depth := range []int{0, 1, 2, 3, 7, 8, 16, 33} {
					for _, solve := range []bool{false, true} {
						lda, ldc := Panel*depth+8, Panel*Panel+3
						a, b, c := values(r, f, panels*lda), values(r, f, Panel*depth+Panel*Panel), values(r, f, panels*ldc)
						want := append([]float64(nil), c...)
						plainEliminate(depth, panels, a, lda, b, want, ldc, solve)
						k.Eliminate(depth, panels, a, lda, b, c, ldc, solve)
						if i := firstDifference(c, want); i >= 0 {
							t.Fatalf("%s: panels %d, depth %d, solve %v: element %d is %x, want %x", f.name, panels, depth, solve, i, c[i], want[i])
						}
					}
				}
			}
		}
	})
}

func TestEliminateRows(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(1, 5))
		const ldf, ldt, ldc = 19, 23, Panel*Panel + 3
		for panels := 1; panels < 8; panels++ {
			for _, depth := range []int{0, 1, 3, 8, 33, 72} {
				for choice := range 16 {
					reads, writes, solve, diagonal := choice&1 != 0, choice&2 != 0, choice&4 != 0, choice&8 != 0
					lda := Panel*depth + 8
					a, b, c := values(r, fillings[0], panels*lda), values(r, fillings[0], Panel*depth+Panel*Panel), values(r, fillings[0], panels*ldc)
					want := append([]float64(nil), c...)
					var from, to Rows
					if reads {
						from = Rows{values(r, fillings[0], panels*Panel*ldf), ldf}
						for i := range panels * Panel {
							for j := range Panel {
								if diagonal && i < j {
									want[Panel*j+i] = math.NaN() // undefined from here on
									continue
								}
								want[i/Panel*ldc+Panel*j+i%Panel] = from.Data[i*ldf+j]
							}
						}
					}
					if writes {
						to = Rows{sentinels(panels * Panel * ldt), ldt}
					}
					plainEliminate(depth, panels, a, lda, b, want, ldc, solve)
					k.EliminateRows(depth, panels, a, lda, b, c, ldc, from, to, solve, diagonal)
					for i := range panels * Panel {
						for j := range Panel {
							got, wanted := c[i/Panel*ldc+Panel*j+i%Panel], want[i/Panel*ldc+Panel*j+i%Panel]
							if diagonal && i < j {
								continue
							}
							if got != wanted || writes && to.Data[i*ldt+j] != wanted {
								t.Fatalf("panels %d, depth %d, choice %d: element (%d, %d) is %x, want %x", panels, depth, choice, i, j, got, wanted)
							}
						}
						if writes && !isSentinel(to.Data[i*ldt+Panel]) {
							t.Fatalf("panels %d, depth %d: row %d continued", panels, depth, i)
						}
					}
				}
			}
		}
	})
}

func TestFactor(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		for _, f := range fillings {
			r := rand.New(rand.NewPCG(1, 3))
			for _, depth := range []int{0, 1, 2, 8, 30} {
				for _, diagonal := range []float64{100, 0, math.NaN(), math.Inf(1)} {
					b, c := values(r, f, Panel*depth), values(r, f, Panel*Panel)
					for i := range Panel {
						c[(Panel+1)*i] += diagonal
					}
					want := append([]float64(nil), c...)
					pivots, wantPivots := make([]float64, Panel), make([]float64, Panel)
					plainFactor(depth, b, want, wantPivots)
					k.Factor(depth, b, c, pivots)
					if i := firstDifference(pivots, wantPivots); i >= 0 {
						t.Fatalf("%s, depth %d: pivot %d is %x, want %x", f.name, depth, i, pivots[i], wantPivots[i])
					}
					for j := range Panel {
						if i := firstDifference(c[(Panel+1)*j:Panel*(j+1)], want[(Panel+1)*j:Panel*(j+1)]); i >= 0 {
							t.Fatalf("%s, depth %d: column %d differs", f.name, depth, j)
						}
					}
				}
			}
		}
	})
}

func TestTransposeTiles(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernel) {
		r := rand.New(rand.NewPCG(1, 4))
		for tiles := range 5 {
			const ld = 53
			src, panel, back := values(r, fillings[0], Panel*ld), sentinels(tiles*64), sentinels(Panel*ld)
			k.TransposeTiles(tiles, panel, Panel, 64, src, ld, Panel)
			k.TransposeTiles(tiles, back, ld, Panel, panel, Panel, 64)
			for i := range Panel {
				for j := range ld {
					if j >= Panel*tiles {
						if !isSentinel(back[i*ld+j]) {
							t.Fatalf("%d tiles: element (%d, %d) written", tiles, i, j)
						}
						continue
					}
					if panel[Panel*j+i] != src[i*ld+j] || back[i*ld+j] != src[i*ld+j] {
						t.Fatalf("%d tiles: element (%d, %d) is wrong", tiles, i, j)
					}
				}
			}
		}
	})
}

// values returns n numbers of a filling.
func values(r *rand.Rand, f filling, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f.value(r)
	}
	return x
}
