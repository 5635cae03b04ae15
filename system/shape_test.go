package system

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

func shapeOf[S Shape](t *testing.T) func(S, error) Shape {
	return func(s S, err error) Shape {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// plates are shapes in the plane with their areas and the lengths of their outlines.
func plates(t *testing.T) map[string]struct {
	shape        Shape
	area, length float64
} {
	must, disk, block := shapeOf[Shape](t), shapeOf[*Ball](t), shapeOf[*Block](t)
	square := block(NewBlock([]float64{0, 0}, []float64{2, 2}))
	corner := block(NewBlock([]float64{1, 1}, []float64{2, 2})) // flush with the square's sides
	hole := Named{"hole", disk(NewBall([]float64{0.5, 0.5}, 0.25))}
	l := must(Difference(square, corner))
	left, right := block(NewBlock([]float64{0, 0}, []float64{1, 1})), block(NewBlock([]float64{1, 0}, []float64{2, 1}))
	half := must(Intersection(disk(NewBall([]float64{0, 0}, 1)), block(NewBlock([]float64{0, -2}, []float64{2, 2}))))
	implicit := shapeOf[*Implicit](t)
	level := func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] - 1 }
	round := implicit(NewImplicit([]Variable{{Name: "x", Min: -1.5, Max: 1.5}, {Name: "y", Min: -2, Max: 1.5}}, func(x []float64) bool { return level(x) < 0 }, level))
	slanted := func(x []float64) float64 { return x[0] + x[1] - 3 }
	cut := Named{"cut", implicit(NewImplicit([]Variable{{Name: "x", Max: 2}, {Name: "y", Max: 2}}, func(x []float64) bool { return slanted(x) <= 0 }, slanted))}
	outline := shapeOf[*Curve](t)(NewCurve([]float64{0, 0, 2, 2}, []float64{0, 1, 1, 0}))
	return map[string]struct {
		shape        Shape
		area, length float64
	}{
		"square":           {square, 4, 8},
		"disk":             {hole, math.Pi / 16, math.Pi / 2},
		"L":                {l, 3, 8},
		"L with a hole":    {must(Difference(l, hole)), 3 - math.Pi/16, 8 + math.Pi/2},
		"two that touch":   {must(Union(left, right)), 2, 6},
		"half a disk":      {half, math.Pi / 2, 2 + math.Pi},
		"inequality":       {round, math.Pi, 2 * math.Pi},
		"inequality, cut":  {cut, 3.5, 6 + math.Sqrt2},
		"cut with a hole":  {must(Difference(cut, hole)), 3.5 - math.Pi/16, 6 + math.Sqrt2 + math.Pi/2},
		"clockwise":        {outline, 2, 6},
		"disk and a block": {must(Union(disk(NewBall([]float64{0, 0}, 1)), block(NewBlock([]float64{0, -1}, []float64{3, 1})))), math.Pi/2 + 6, math.Pi + 8},
	}
}

func TestShapesHaveTheirAreaAndOutline(t *testing.T) {
	const trials, n = 200_000, 600
	for name, test := range plates(t) {
		random := rand.New(rand.NewPCG(1, 2))
		inside := 0
		for range trials {
			if test.shape.Contains([]float64{-2 + 6*random.Float64(), -2 + 6*random.Float64()}) {
				inside++
			}
		}
		got := 36 * float64(inside) / trials
		if sd := 36 * math.Sqrt(test.area/36*(1-test.area/36)/trials); math.Abs(got-test.area) > 5*sd {
			t.Errorf("%s: area %g, want %g", name, got, test.area)
		}
		points, normals, err := BoundaryPoints(test.shape, "", n)
		if err != nil {
			t.Fatal(name, err)
		}
		// Equidistant, and each where the shape ends in the normal's direction.
		uneven := 0
		for i := range n {
			p, normal := points.Row(i), normals.Row(i)
			in := []float64{p[0] - 1e-5*normal[0], p[1] - 1e-5*normal[1]}
			out := []float64{p[0] + 1e-5*normal[0], p[1] + 1e-5*normal[1]}
			if !test.shape.Contains(in) || test.shape.Contains(out) {
				t.Errorf("%s: at %v the normal %v does not lead out", name, p, normal)
			}
			if math.Abs(normal[0]*normal[0]+normal[1]*normal[1]-1) > 1e-12 {
				t.Errorf("%s: normal %v", name, normal)
			}
			nearest := math.Inf(1)
			for j := range n {
				if j != i {
					nearest = math.Min(nearest, math.Hypot(points.At(j, 0)-p[0], points.At(j, 1)-p[1]))
				}
			}
			if step := test.length / n; nearest < 0.4*step || nearest > 1.6*step {
				uneven++ // where two sides meet
			}
		}
		if uneven > n/50 {
			t.Errorf("%s: %d of %d points are too near to others or too far from them", name, uneven, n)
		}
		// The divergence theorem: the area is half the flux of (x, y).
		flux := 0.0
		for i := range n {
			flux += points.At(i, 0)*normals.At(i, 0) + points.At(i, 1)*normals.At(i, 1)
		}
		if flux *= test.length / n / 2; math.Abs(flux-test.area) > 0.02*test.area {
			t.Errorf("%s: flux %g, area %g", name, flux, test.area)
		}
	}
}

// implicitBall is a ball of radius 1.5 around (0, 1, 2, ...) by an inequality.
func implicitBall(t *testing.T, d int) Shape {
	var box []Variable
	for i := range d {
		box = append(box, Variable{Min: float64(i) - 2, Max: float64(i) + 1.75})
	}
	level := func(x []float64) float64 {
		sum := -2.25
		for i := range d {
			sum += (x[i] - float64(i)) * (x[i] - float64(i))
		}
		return sum
	}
	s, err := NewImplicit(box, func(x []float64) bool { return level(x) < 0 }, level)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestShapesOfDifferentDimensionsDoNotCombine(t *testing.T) {
	ball := func(d int) Shape {
		b, err := NewBall(make([]float64, d), 1)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, combined := range map[string]func(a, b Shape) (Shape, error){"union": Union, "intersection": Intersection, "difference": Difference} {
		var e *ProblemError
		if _, err := combined(ball(2), ball(3)); !errors.As(err, &e) {
			t.Errorf("%s of a disk and a ball: error %v", name, err)
		}
		if _, err := combined(ball(3), ball(3)); err != nil {
			t.Errorf("%s of two balls: error %v", name, err)
		}
	}
}

// TestCrossingsLieNextToTheirNeighbours: about equidistant points are taken from along
// the boundary, so what follows each other has to lie together.
func TestCrossingsLieNextToTheirNeighbours(t *testing.T) {
	var last []float64
	sum, n := 0.0, 0.0
	implicitBall(t, 3).along(4000, func(x, _ []float64, _ string) {
		if last != nil {
			square := 0.0
			for i, v := range x {
				square += (v - last[i]) * (v - last[i])
			}
			sum, n = sum+math.Sqrt(square), n+1
		}
		last = append(last[:0], x...)
	})
	// On a ball of radius 1.5 two points are 2 apart in the mean, and 4000 share it with 0.08 between them.
	if mean := sum / n; n < 2000 || mean > 0.3 {
		t.Errorf("%.0f steps of %g in the mean", n, mean)
	}
}

// TestBoundaryInMoreDimensions: points on balls and boxes, by the divergence theorem.
func TestBoundaryInMoreDimensions(t *testing.T) {
	for d := 1; d <= 5; d++ {
		center := make([]float64, d)
		low, high := make([]float64, d), make([]float64, d)
		volume, area := 1.0, 0.0
		for i := range d {
			center[i], low[i], high[i] = float64(i), -1, float64(i)
			volume *= high[i] - low[i]
		}
		for i := range d {
			area += 2 * volume / (high[i] - low[i])
		}
		b, err := NewBall(center, 1.5)
		if err != nil {
			t.Fatal(err)
		}
		block, err := NewBlock(low, high)
		if err != nil {
			t.Fatal(err)
		}
		// Volumes of the unit ball, and its surface d times that.
		unit := []float64{0, 2, math.Pi, 4 * math.Pi / 3, math.Pi * math.Pi / 2, 8 * math.Pi * math.Pi / 15}[d]
		ball := unit * math.Pow(1.5, float64(d))
		if want := float64(d) * ball / 1.5; math.Abs(b.area()-want) > 1e-12*want {
			t.Errorf("%d dimensions: surface %g, want %g", d, b.area(), want)
		}
		for name, test := range map[string]struct {
			shape        Shape
			volume, area float64
		}{"ball": {b, ball, b.area()}, "block": {block, volume, area}, "inequality": {implicitBall(t, d), ball, b.area()}} {
			n := 2000
			if name == "inequality" && testing.Short() {
				if n = 500; d > 3 {
					continue // looking for so many crossings takes long
				}
			}
			if d == 1 {
				n = 2
			}
			points, normals, err := BoundaryPoints(test.shape, "", n)
			if err != nil {
				t.Fatal(err)
			}
			flux := 0.0
			for i := range n {
				for j := range d {
					flux += points.At(i, j) * normals.At(i, j)
				}
			}
			if flux *= test.area / float64(n) / float64(d); math.Abs(flux-test.volume) > 0.05*test.volume {
				t.Errorf("%s in %d dimensions: flux %g, volume %g", name, d, flux, test.volume)
			}
		}
	}
}

func TestPartsOfABoundary(t *testing.T) {
	plate := plates(t)["L with a hole"].shape
	points, normals, err := BoundaryPoints(plate, "hole", 40)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		x, y := points.At(i, 0)-0.5, points.At(i, 1)-0.5
		if math.Abs(math.Hypot(x, y)-0.25) > 1e-12 || math.Abs(normals.At(i, 0)+4*x) > 1e-12 || math.Abs(normals.At(i, 1)+4*y) > 1e-12 {
			t.Errorf("point (%g, %g) from the hole's centre, normal %v", x, y, normals.Row(i))
		}
	}
	if _, _, err := BoundaryPoints(plate, "slot", 4); err == nil || !strings.Contains(err.Error(), `"slot"`) {
		t.Errorf("a part that there is not: %v", err)
	}
	square, disk := plates(t)["L"].shape, plates(t)["disk"].shape
	far, err := NewBall([]float64{9, 9}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, empty := range map[string]func(a, b Shape) (Shape, error){"nothing in common": Intersection, "hole in a hole": Difference} {
		a := square
		if name != "nothing in common" {
			a = disk
		}
		b := Shape(far)
		if name != "nothing in common" {
			b = plates(t)["square"].shape
		}
		s, err := empty(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := BoundaryPoints(s, "", 4); err == nil {
			t.Errorf("%s: an empty shape has a boundary", name)
		}
	}
}

func TestSmoothCurvesHaveExactNormals(t *testing.T) {
	c, err := ParametricCurve(func(t float64) float64 { return 2 * mat.Cos(t) }, mat.Sin, 0, 2*math.Pi, 4096)
	if err != nil {
		t.Fatal(err)
	}
	points, normals := c.Boundary(101)
	for i := range 101 {
		nx, ny := points.At(i, 0)/4, points.At(i, 1)
		length := math.Hypot(nx, ny)
		if math.Hypot(normals.At(i, 0)-nx/length, normals.At(i, 1)-ny/length) > 1e-5 {
			t.Errorf("point %v: normal %v, want (%g, %g)", points.Row(i), normals.Row(i), nx/length, ny/length)
		}
	}
}

func TestOutlinesThatCrossThemselvesAreRefused(t *testing.T) {
	if _, err := NewCurve([]float64{0, 2, 2, 0, 1}, []float64{0, 2, 0, 2, 4}); err == nil || !strings.Contains(err.Error(), "crosses itself") {
		t.Errorf("error %v", err)
	}
	if _, err := NewCurve([]float64{0, 2, 2, 1, 0}, []float64{0, 0, 2, 0, 2}); err != nil { // a notch that touches a side
		t.Errorf("a corner that touches a side: %v", err)
	}
	for name, make := range map[string]func() error{
		"radius": func() error { _, err := NewBall([]float64{0, 0}, 0); return err },
		"center": func() error { _, err := NewBall([]float64{math.NaN()}, 1); return err },
		"none":   func() error { _, err := NewBall(nil, 1); return err },
		"side":   func() error { _, err := NewBlock([]float64{0, 1}, []float64{1, 1}); return err },
		"ends":   func() error { _, err := NewBlock([]float64{0}, []float64{1, 1}); return err },
	} {
		if make() == nil {
			t.Errorf("%s is not refused", name)
		}
	}
}

// The boundary of a ball is as far from its centre everywhere, and no direction is preferred.
func TestBoundaryOfABallIsEven(t *testing.T) {
	for d := 1; d <= 4; d++ {
		center := []float64{1, -2, 3, 0.5}[:d]
		ball := shapeOf[*Ball](t)(NewBall(center, 2))
		points, normals, err := BoundaryPoints(ball, "", 2000)
		if err != nil {
			t.Fatal(err)
		}
		for k := range d {
			mean, square := 0.0, 0.0
			for i := range points.Rows() {
				v := normals.At(i, k)
				mean += v / float64(points.Rows())
				square += v * v / float64(points.Rows())
				if got := points.At(i, k) - center[k]; math.Abs(got-2*v) > 1e-12 {
					t.Fatalf("%d variables, point %d: %g from the centre, normal %g", d, i, got, v)
				}
			}
			if math.Abs(mean) > 0.06 || math.Abs(square-1/float64(d)) > 0.03 {
				t.Errorf("%d variables: coordinate %d of the normals has mean %g and mean square %g", d, k, mean, square)
			}
		}
	}
}
