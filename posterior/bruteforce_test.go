package posterior

import (
	"math"
	"math/big"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// precision of the brute-force computation, in bits.
const precision = 400

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func bigZero() *big.Float { return new(big.Float).SetPrec(precision) }

// bigSolve returns A^-1 B by Gauss-Jordan elimination with partial pivoting, and
// log |det A|.
func bigSolve(a, b [][]*big.Float) (x [][]*big.Float, logDet float64) {
	n := len(a)
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if new(big.Float).Abs(a[r][c]).Cmp(new(big.Float).Abs(a[pivot][c])) > 0 {
				pivot = r
			}
		}
		a[c], a[pivot] = a[pivot], a[c]
		b[c], b[pivot] = b[pivot], b[c]
		mantissa := new(big.Float)
		exponent := a[c][c].MantExp(mantissa)
		m, _ := mantissa.Float64()
		logDet += math.Log(math.Abs(m)) + float64(exponent)*math.Ln2
		for r := range n {
			if r == c {
				continue
			}
			f := bigZero().Quo(a[r][c], a[c][c])
			for k := c; k < n; k++ {
				a[r][k].Sub(a[r][k], bigZero().Mul(f, a[c][k]))
			}
			for k := range b[r] {
				b[r][k].Sub(b[r][k], bigZero().Mul(f, b[c][k]))
			}
		}
	}
	for r := range n {
		for k := range b[r] {
			b[r][k].Quo(b[r][k], a[r][r])
		}
	}
	return b, logDet
}

// bruteForce is the posterior by the definition, in extended precision, from
// rows h w = y with noise variance v:
//
//	Sigma = (diag(1/d) + sum h'h/v)^-1,  mu = Sigma sum h'y/v.
func bruteForce(d []float64, h *mat.Dense, y, v []float64) (mu []float64, sigma *mat.Sym) {
	n := len(d)
	a, b := make([][]*big.Float, n), make([][]*big.Float, n)
	for i := range n {
		a[i], b[i] = make([]*big.Float, n), make([]*big.Float, n+1)
		for j := range n {
			a[i][j], b[i][j] = bigZero(), bigZero()
		}
		a[i][i].Quo(bigOf(1), bigOf(d[i]))
		b[i][i] = bigOf(1)
		b[i][n] = bigZero()
	}
	for r := range y {
		w := bigZero().Quo(bigOf(1), bigOf(v[r]))
		for i := range n {
			hi := bigZero().Mul(bigOf(h.At(r, i)), w)
			for j := range n {
				a[i][j].Add(a[i][j], bigZero().Mul(hi, bigOf(h.At(r, j))))
			}
			b[i][n].Add(b[i][n], bigZero().Mul(hi, bigOf(y[r])))
		}
	}
	x, _ := bigSolve(a, b)
	mu, sigma = make([]float64, n), mat.NewSym(n, nil)
	for i := range n {
		mu[i], _ = x[i][n].Float64()
		for j := range i + 1 {
			s, _ := x[i][j].Float64()
			sigma.Set(i, j, s)
		}
	}
	return mu, sigma
}

// gaussianLogDensity returns log N(y; 0, diag(v) + H diag(d) H') in extended
// precision.
func gaussianLogDensity(d []float64, h *mat.Dense, y, v []float64) float64 {
	n := len(y)
	a, b := make([][]*big.Float, n), make([][]*big.Float, n)
	for i := range n {
		a[i], b[i] = make([]*big.Float, n), []*big.Float{bigOf(y[i])}
		for j := range n {
			a[i][j] = bigZero()
			for k := range d {
				t := bigZero().Mul(bigOf(h.At(i, k)), bigOf(h.At(j, k)))
				a[i][j].Add(a[i][j], t.Mul(t, bigOf(d[k])))
			}
		}
		a[i][i].Add(a[i][i], bigOf(v[i]))
	}
	// Pivoting permutes b together with a, so y is not needed in order here.
	x, logDet := bigSolve(a, b)
	quadratic := bigZero()
	for i := range n {
		quadratic.Add(quadratic, bigZero().Mul(bigOf(y[i]), x[i][0]))
	}
	q, _ := quadratic.Float64()
	return -0.5 * (q + logDet + float64(n)*math.Log(2*math.Pi))
}

// plainRows is the model of METHOD written down naively: the rows of physics
// with the variance (tau r a)^2 each, those of sensors with sigma^2, and the
// prior variances a^2 D. Exact conditions have no variance, in 1e-20 parts.
func plainRows(p *system.Problem, layer *feature.Layer, amplitude, tolerance float64) (d []float64, physics, sensors *mat.Dense, yf, vf, ys, vs []float64) {
	b := p.Basis(layer)
	n, neurons := b.Columns(), layer.Neurons()*len(p.Fields)
	d = make([]float64, n)
	for j := range neurons {
		d[j] = amplitude * amplitude
	}
	var rows, ownRows [][]float64
	for _, list := range [][]system.Equation{p.Equations, p.Conditions} {
		for i := range list {
			m := list[i].Points.Rows()
			h, known := mat.NewDense(m, n, nil), make([]float64, m)
			b.RowsTo(h, known, &list[i].Residual, list[i].Points)
			norm := 0.0
			for r := range m {
				for _, v := range h.Row(r)[:neurons] {
					norm += v * v
				}
			}
			norm = math.Sqrt(norm / float64(m))
			for j := neurons; j < n && list[i].SD == 0; j++ {
				spread := 0.0
				for r := range m {
					spread += h.At(r, j) * h.At(r, j)
				}
				if spread > 0 {
					width := amplitude * 10 * norm / math.Sqrt(spread/float64(m))
					d[j] = math.Max(d[j], width*width)
				}
			}
			t := list[i].Tolerance
			if t == 0 {
				t = tolerance
			}
			if list[i].Exact {
				t = 1e-10
			}
			for r := range m {
				if list[i].SD > 0 { // counts as a reading
					ownRows = append(ownRows, h.Row(r))
					ys = append(ys, -known[r])
					vs = append(vs, list[i].SD*list[i].SD)
					continue
				}
				rows = append(rows, h.Row(r))
				yf = append(yf, -known[r])
				vf = append(vf, math.Pow(t*norm*amplitude, 2))
			}
		}
	}
	physics = mat.NewDense(len(rows), n, nil)
	for i, row := range rows {
		copy(physics.Row(i), row)
	}
	rows = ownRows
	for i := range p.Sensors {
		s := &p.Sensors[i]
		m := len(s.Values)
		h, known := mat.NewDense(m, n, nil), make([]float64, m)
		b.RowsTo(h, known, &s.Measures, s.Points)
		for r := range m {
			rows = append(rows, h.Row(r))
			ys = append(ys, s.Values[r]-known[r])
			vs = append(vs, math.Pow(s.Sigma[min(r, len(s.Sigma)-1)], 2))
		}
	}
	for i, q := range p.Parameters {
		if q.SD > 0 {
			row := make([]float64, n)
			row[b.ParameterColumn(i)] = 1
			rows, ys, vs = append(rows, row), append(ys, q.Mean), append(vs, q.SD*q.SD)
		}
	}
	sensors = mat.NewDense(len(rows), n, nil)
	for i, row := range rows {
		copy(sensors.Row(i), row)
	}
	return d, physics, sensors, yf, vf, ys, vs
}

func stackRows(a, b *mat.Dense) *mat.Dense {
	s := mat.NewDense(a.Rows()+b.Rows(), a.Cols(), nil)
	s.Slice(0, a.Rows(), 0, a.Cols()).CopyFrom(a)
	s.Slice(a.Rows(), s.Rows(), 0, a.Cols()).CopyFrom(b)
	return s
}

// bruteForceAgreement is how far the posterior may be from the brute force,
// relative to its own size.
const bruteForceAgreement = 1e-8

func TestPosteriorAgreesWithBruteForceInExtendedPrecision(t *testing.T) {
	many := rod(false)
	many.Sensors[0].Points = mat.NewDense(60, 1, nil) // more readings than unknowns
	many.Sensors[0].Values = make([]float64, 60)
	for i := range 60 {
		many.Sensors[0].Points.Set(i, 0, float64(i)/30)
		many.Sensors[0].Values[i] = 0.3 * float64(i%7)
	}
	known := rod(false)
	known.Parameters[0].Mean, known.Parameters[0].SD = -1, 0.3
	mixed := rod(true)
	mixed.Conditions[0].Tolerance = 1e-3
	own := rod(true)
	own.Conditions[0].Tolerance, own.Equations[0].Tolerance = 1e-3, 1e-2
	exact := rod(true)
	exact.Conditions[0].Exact = true
	exactOwn := rod(true)
	exactOwn.Conditions[0].Exact, exactOwn.Equations[0].Tolerance = true, 1e-2
	exactMixed := rod(true)
	exactMixed.Conditions = append(exactMixed.Conditions, exactMixed.Conditions[0], system.Equation{
		Residual: system.Functional{Terms: []system.Term{{Derivative: []int{1}}}}, Points: column(0.2, 2), Tolerance: 1e-2,
	})
	exactMixed.Conditions[0].Exact = true
	exactMixed.Conditions[1].Exact, exactMixed.Conditions[1].Points = true, column(2)
	exactOnly := rod(true)
	exactOnly.Conditions[0].Exact, exactOnly.Equations[0].SD, exactOnly.Parameters[0].SD = true, 0.1, 0.3
	sd := rod(true)
	sd.Conditions[0].SD = 0.02
	manySD := rod(true)
	manySD.Equations[0].SD = 0.2
	for _, test := range []struct {
		name      string
		problem   *system.Problem
		neurons   int
		tolerance float64
		path      Path
	}{
		{"exact condition", exact, 12, 1e-3, SquareRoot},
		{"exact condition, equation with its own tolerance", exactOwn, 12, 0, SquareRoot},
		{"exact conditions and one with its own tolerance", exactMixed, 12, 1e-4, Auto},
		{"exact condition, equation with an sd", exactOnly, 12, 0, SquareRoot},
		{"condition with an sd", sd, 12, 1e-3, SquareRoot},
		{"condition with an sd, gram", sd, 12, 1e-2, GramPath},
		{"equation with an sd", manySD, 4, 1e-3, SquareRoot},
		{"square root", rod(false), 12, 1e-4, SquareRoot},
		{"square root, tight", rod(false), 12, 1e-6, SquareRoot},
		{"more points than neurons", rod(false), 4, 1e-3, SquareRoot},
		{"gram", rod(false), 12, 1e-2, GramPath},
		{"with a condition", rod(true), 12, 1e-4, SquareRoot},
		{"condition with its own tolerance", mixed, 12, 1e-4, SquareRoot},
		{"condition with its own tolerance, gram", mixed, 12, 1e-2, GramPath},
		{"all tolerances given", own, 12, 0, SquareRoot},
		{"many readings", many, 12, 1e-3, SquareRoot},
		{"parameter with a prior", known, 12, 1e-3, SquareRoot},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := test.problem
			layer := layerFor(p, test.neurons, 3, 7)
			ph, err := Compile(p, layer, CompileConfig{Tolerance: test.tolerance, Path: test.path})
			if err != nil {
				t.Fatal(err)
			}
			q, err := ph.Assimilate(p.Sensors)
			if err != nil {
				t.Fatal(err)
			}
			d, hf, hs, yf, vf, ys, vs := plainRows(p, layer, q.Summary().Amplitude, test.tolerance)
			mu, sigma := bruteForce(d, stackRows(hf, hs), append(append([]float64(nil), yf...), ys...), append(append([]float64(nil), vf...), vs...))

			// the solution and its derivative where nothing was measured
			points := column(0.05, 0.6, 1.21, 1.9)
			for _, f := range []system.Functional{system.Field(0), system.Derivative(0, 1), system.ParameterValue(0)} {
				mean, sd, err := q.Predict(f, points)
				if err != nil {
					t.Fatal(err)
				}
				h := mat.NewDense(4, len(mu), nil)
				p.Basis(layer).RowsTo(h, nil, &f, points)
				for i := range 4 {
					m, v := 0.0, 0.0
					for j := range mu {
						m += h.At(i, j) * mu[j]
						for k := range mu {
							v += h.At(i, j) * sigma.At(max(j, k), min(j, k)) * h.At(i, k)
						}
					}
					if relative(mean[i], m) > bruteForceAgreement && math.Abs(mean[i]-m) > bruteForceAgreement*math.Sqrt(v) {
						t.Errorf("mean %d is %.15g, brute force %.15g", i, mean[i], m)
					}
					if relative(sd[i], math.Sqrt(v)) > 100*bruteForceAgreement {
						t.Errorf("sd %d is %.15g, brute force %.15g", i, sd[i], math.Sqrt(v))
					}
				}
			}

			// log p(y_s | physics) = log p(y_s, y_f) - log p(y_f)
			joint := gaussianLogDensity(d, stackRows(hf, hs), append(append([]float64(nil), yf...), ys...), append(append([]float64(nil), vf...), vs...))
			want := joint - gaussianLogDensity(d, hf, yf, vf)
			if got := q.Summary().Evidence; math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("log evidence is %.12g, brute force %.12g", got, want)
			}
		})
	}
}
