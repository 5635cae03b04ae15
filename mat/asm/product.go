package asm

// sizes are the block sizes of matrix products. They do not affect bits.
type sizes struct {
	mr, nr         int // rows and columns of a register tile
	mc, nc         int // rows of A and columns of B packed at a time
	stay           int // most rows of A, or columns of B, that are not worth packing
	panelA, panelB int // lines in a packed panel of A and B; 0: a single panel
}

// MR is the number of rows of a register tile.
func (k *Kernel) MR() int { return k.mr }

// NR is the number of columns of a register tile, and the most columns of a strip.
func (k *Kernel) NR() int { return k.nr }

// MC is the number of rows of A packed at a time, a multiple of MR.
func (k *Kernel) MC() int { return k.mc }

// NC is the number of columns of B packed at a time, a multiple of NR.
func (k *Kernel) NC() int { return k.nc }

// Stay is the largest number of rows of A, or columns of B, that Strip reads in place faster
// than they could be packed.
func (k *Kernel) Stay() int { return k.stay }

// PanelA is the number of rows in a packed panel of A, or 0 if all rows form one panel.
func (k *Kernel) PanelA() int { return k.panelA }

// PanelB is the number of columns in a packed panel of B, or 0 if all columns form one panel.
func (k *Kernel) PanelB() int { return k.panelB }

// Strip is a strip of C, of any number of rows and at most NR columns, with the operands that
// it is computed from. Kernel.Strip computes
//
//	C = alpha*AB        Accumulate false; C is not read
//	C = C + alpha*AB    Accumulate true
//
// Each element of AB is one accumulator that starts at +0 and takes its terms for ascending
// p by fused multiply-add. alpha enters once, at the end, by a product or by a fused
// multiply-add on C. Strip reads nothing outside the slices and writes only the strip's
// elements of C. A call should take less than about five million multiply-adds, since
// assembly cannot be preempted.
//
// Element p of row i of A is A[i*LineA+p*StepA], and the elements of B for term p start at
// B[p*StepB]. C starts with the first element of the strip and has leading dimension LDC.
type Strip struct {
	Depth        int // number of terms
	Alpha        float64
	A            []float64
	LineA, StepA int
	B            []float64
	StepB        int
	Accumulate   bool
	C            []float64
	LDC          int
	Rows, Cols   int
	Diagonal     int // row i ends after element Diagonal+i; Cols if C's diagonal is elsewhere

	// Distance in elements from A and from B to what is needed next, to prefetch it, as C is
	// prefetched; 0 if it is in cache.
	AheadA, AheadB int
}

// sizesOfTiles are the sizes of kernels without a Strip of their own.
var sizesOfTiles = sizes{mr: 4, nr: 4, mc: 128, nc: 1024, panelA: 4, panelB: 4}

// arithmetic is what a strip by tiles computes its products with.
type arithmetic int

const (
	byFMA   arithmetic = iota // FMA, the definition
	byError                   // error-free sums and products, inlined
	byHost                    // the host of a WebAssembly program
)

// arithmeticOf returns that of a kernel without a Strip of its own.
func arithmeticOf(k *Kernel) arithmetic {
	if k == &dekker {
		return byError
	}
	return byFMA
}

// byTiles computes a strip of at most 4 columns by tiles of 4 rows.
func (s *Strip) byTiles(by arithmetic) {
	for i := 0; i < s.Rows; i += 4 {
		rows := min(4, s.Rows-i)
		if s.Diagonal+i+rows <= 0 {
			continue
		}
		var ab [4][4]float64
		switch a := s.A[min(i*s.LineA, len(s.A)):]; {
		case s.LineA != 1 || s.StepA != 4 || s.StepB != 4 || len(a) < 4*s.Depth || len(s.B) < 4*s.Depth:
			s.productsOfCopies(a, rows, by, &ab)
		default: // packed panels of 4
			by.products(s.Depth, a, s.B, &ab)
		}
		for r := range rows {
			s.put(i+r, &ab[r], by)
		}
	}
}

// productsOfCopies adds to ab the products of rows of A, which start at a, and B. It packs a
// few terms at a time.
func (s *Strip) productsOfCopies(a []float64, rows int, by arithmetic, ab *[4][4]float64) {
	const together = 32
	var copyA, copyB [4 * together]float64
	for from := 0; from < s.Depth; from += together {
		depth := min(together, s.Depth-from)
		for p := range depth {
			for r := range rows {
				copyA[4*p+r] = a[r*s.LineA+(from+p)*s.StepA]
			}
			copy(copyB[4*p:], s.B[(from+p)*s.StepB:][:s.Cols])
		}
		by.products(depth, copyA[:], copyB[:], ab)
	}
}

// products adds depth products of a column of 4 and a row of 4, packed one after another, to ab.
func (by arithmetic) products(depth int, a, b []float64, ab *[4][4]float64) {
	switch by {
	case byError:
		dekkerProducts(depth, 1, a, b, 4, ab)
	case byHost:
		hostedProducts(depth, a, b, ab)
	default:
		genericProducts(depth, a, b, ab)
	}
}

// put stores a row of AB in row i of C, up to the diagonal.
func (s *Strip) put(i int, ab *[4]float64, by arithmetic) {
	width := min(s.Cols, s.Diagonal+i+1)
	if width <= 0 {
		return
	}
	row := s.C[i*s.LDC:][:width]
	switch {
	case !s.Accumulate:
		for j := range row {
			row[j] = s.Alpha * ab[j&3]
		}
	case by == byError:
		for j, v := range row {
			row[j] = errorFreeFMA(s.Alpha, ab[j&3], v)
		}
	default:
		for j, v := range row {
			row[j] = FMA(s.Alpha, ab[j&3], v)
		}
	}
}

// genericProducts is arithmetic.products by FMA.
func genericProducts(depth int, a, b []float64, ab *[4][4]float64) {
	c00, c01, c02, c03 := ab[0][0], ab[0][1], ab[0][2], ab[0][3]
	c10, c11, c12, c13 := ab[1][0], ab[1][1], ab[1][2], ab[1][3]
	c20, c21, c22, c23 := ab[2][0], ab[2][1], ab[2][2], ab[2][3]
	c30, c31, c32, c33 := ab[3][0], ab[3][1], ab[3][2], ab[3][3]
	a, b = a[:4*depth], b[:4*depth]
	for len(a) >= 4 && len(b) >= 4 {
		a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		c00 = FMA(a0, b0, c00)
		c01 = FMA(a0, b1, c01)
		c02 = FMA(a0, b2, c02)
		c03 = FMA(a0, b3, c03)
		c10 = FMA(a1, b0, c10)
		c11 = FMA(a1, b1, c11)
		c12 = FMA(a1, b2, c12)
		c13 = FMA(a1, b3, c13)
		c20 = FMA(a2, b0, c20)
		c21 = FMA(a2, b1, c21)
		c22 = FMA(a2, b2, c22)
		c23 = FMA(a2, b3, c23)
		c30 = FMA(a3, b0, c30)
		c31 = FMA(a3, b1, c31)
		c32 = FMA(a3, b2, c32)
		c33 = FMA(a3, b3, c33)
		a, b = a[4:], b[4:]
	}
	ab[0] = [4]float64{c00, c01, c02, c03}
	ab[1] = [4]float64{c10, c11, c12, c13}
	ab[2] = [4]float64{c20, c21, c22, c23}
	ab[3] = [4]float64{c30, c31, c32, c33}
}
