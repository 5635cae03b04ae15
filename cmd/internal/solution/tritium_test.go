package solution

import (
	"bytes"
	"encoding/csv"
	"flag"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// tritiumDraws asks for simulated columns, whose coefficients are known. Each takes half a minute.
var tritiumDraws = flag.Int("tritium", 0, "solve the column of soil with so many draws of simulated readings")

const (
	columnVelocity, columnLength, columnStretch = 37.5, 30, 0.1 // cm/d, cm and pore volumes, as in the file
	columnNoise                                 = 0.0149        // rms residual of the measured readings
)

// columnTruth are the coefficients that fit the measured readings best: D, beta and omega.
var columnTruth = []float64{15.551, 0.82244, 0.87193}

// columnStep is the concentration at the outlet of a column, T pore volumes after that at the inlet rose from 0 to 1. It
// inverts the Laplace transform by Talbot's method [Abate & Valko, Int. J. Numer. Meth. Engng. 60, 2004].
func columnStep(T, D, beta, omega float64) float64 {
	peclet := complex(columnVelocity*columnLength/D, 0)
	transform := func(p complex128) complex128 {
		still := complex((1-beta)*omega, 0) / (complex(1-beta, 0)*p + complex(omega, 0))
		return cmplx.Exp(peclet/2*(1-cmplx.Sqrt(1+4*p*(complex(beta, 0)+still)/peclet))) / p
	}
	const terms = 28
	r := 2 * terms / (5 * T)
	sum := 0.5 * real(transform(complex(r, 0))) * math.Exp(r*T)
	for k := 1; k < terms; k++ {
		angle := float64(k) * math.Pi / terms
		cot := 1 / math.Tan(angle)
		p := complex(r*angle*cot, r*angle)
		sum += real(cmplx.Exp(p*complex(T, 0)) * transform(p) * complex(1, angle+(angle*cot-1)*cot))
	}
	return sum * r / terms
}

// column reads the example, with simulated readings unless noise is nil. It also returns the readings without noise.
func column(t *testing.T, noise *rand.Rand) (*spec.File, [][]float64) {
	t.Helper()
	file, err := spec.ReadFS(problems.Files, problems.FindMeasured("tritium-column").Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var exact [][]float64
	for k := range file.Problem.Sensors {
		g := &file.Problem.Sensors[k]
		reads := make([]float64, len(g.Values))
		for i := range reads {
			reads[i] = columnStep(1+columnStretch*math.Sinh(g.Points.At(i, 1)), columnTruth[0], columnTruth[1], columnTruth[2])
			if g.Name == "fall.csv" {
				reads[i] = 1 - reads[i]
			}
			if noise != nil {
				g.Values[i] = reads[i] + columnNoise*noise.NormFloat64()
			}
		}
		exact = append(exact, reads)
	}
	return file, exact
}

// With known coefficients, the outlet agrees with the Laplace transform: the equations of the file are those of the model,
// the slow rise at the inlet is corrected for, and the end of the column has no effect.
func TestColumnIsThatOfTheModel(t *testing.T) {
	file, exact := column(t, rand.New(rand.NewPCG(1, 7)))
	config, err := bpielm.Config(file)
	if err != nil {
		t.Fatal(err)
	}
	config.Neurons = 120
	p := file.Problem.With(columnTruth)
	q, err := posterior.Fit(p, config)
	if err != nil {
		t.Fatal(err)
	}
	for k := range p.Sensors {
		mean, _, err := q.Predict(p.Sensors[k].Measures, p.Sensors[k].Points)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range mean {
			if off := m - exact[k][i]; math.Abs(off) > 0.015 {
				t.Errorf("%s, reading %d: %.4f is off by %.4f", p.Sensors[k].Name, i+1, m, off)
			}
		}
	}
}

// The coordinates in the tables are those of their times.
func TestColumnStandsAtItsTimes(t *testing.T) {
	m := problems.FindMeasured("tritium-column")
	for _, name := range []string{"rise.csv", "fall.csv"} {
		rows, err := csv.NewReader(bytes.NewReader(m.File(name))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] { // Z, T, s, value
			var at [3]float64
			for i := range at {
				if at[i], err = strconv.ParseFloat(row[i], 64); err != nil {
					t.Fatal(err)
				}
			}
			if s := math.Asinh((at[1] - at[0]) / columnStretch); math.Abs(s-at[2]) > 1e-6 {
				t.Errorf("%s: %v should stand at s = %.6f", name, row, s)
			}
		}
	}
}

// The coefficients of simulated columns lie within their intervals.
func TestKnownColumns(t *testing.T) {
	if *tritiumDraws == 0 {
		t.Skip("takes half a minute a draw: -args -tritium 10")
	}
	sums, inside := make([]float64, len(columnTruth)), 0
	for draw := range *tritiumDraws {
		file, _ := column(t, rand.New(rand.NewPCG(uint64(draw+1), 7)))
		config, err := bpielm.Config(file)
		if err != nil {
			t.Fatal(err)
		}
		q, err := posterior.Fit(file.Problem, config)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range q.Parameters() {
			z := (e.Mean - columnTruth[i]) / e.SD
			sums[i] += z * z
			if e.Lower95 <= columnTruth[i] && columnTruth[i] <= e.Upper95 {
				inside++
			}
			t.Logf("draw %d: %s = %.4g ± %.2g, z %+.2f", draw+1, e.Name, e.Mean, e.SD, z)
		}
	}
	for i, s := range sums {
		rms := math.Sqrt(s / float64(*tritiumDraws))
		t.Logf("coefficient %d: z %.2f in the root mean square", i+1, rms)
		if rms > 2 {
			t.Errorf("coefficient %d: z is %.2f in the root mean square", i+1, rms)
		}
	}
	t.Logf("%d of %d inside their 95 %% intervals", inside, len(columnTruth)**tritiumDraws)
}
