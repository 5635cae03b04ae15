package rowtree

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// data are rows of a problem, with noise of each.
type data struct {
	h             *mat.Dense
	values, noise []float64
}

func newData(rows, columns int) *data {
	dice := rand.New(rand.NewPCG(uint64(rows), uint64(columns)))
	d := &data{mat.NewDense(rows, columns, nil), make([]float64, rows), make([]float64, rows)}
	for i := range rows {
		for j := range columns {
			d.h.Set(i, j, dice.NormFloat64())
		}
		d.values[i], d.noise[i] = 1e6+dice.NormFloat64(), 0.5+dice.Float64()
	}
	return d
}

// tsqr reduces some rows, divided by their noise.
func (d *data) tsqr(first, last int) *mat.TSQR {
	q := mat.NewTSQR(d.h.Cols())
	for i := first; i < last; i++ {
		row := d.h.Slice(i, i+1, 0, d.h.Cols()).Clone()
		for j := range row.Cols() {
			row.Set(0, j, row.At(0, j)/d.noise[i])
		}
		q.Append(row, []float64{d.values[i] / d.noise[i]})
	}
	return q
}

// leaves are the leaves of all rows.
func (d *data) leaves() (all []*Node) {
	for first := 0; first < len(d.values); first += LeafRows {
		last := min(first+LeafRows, len(d.values))
		all = append(all, Leaf(first/LeafRows, d.tsqr(first, last), d.values[first:last], d.noise[first:last], d.noise[first:last]))
	}
	return all
}

func encoded(n *Node) []byte {
	b, err := n.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return b
}

func decoded(t *testing.T, b []byte) *Node {
	t.Helper()
	n := new(Node)
	if err := n.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return n
}

// However the leaves are divided into runs, and though the nodes of a run are sent, all has the same bits.
func TestAnyDivisionHasTheSameBits(t *testing.T) {
	const columns = 3
	dice := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, LeafRows, LeafRows + 1, 7 * LeafRows, 12*LeafRows + 17} {
		leaves := newData(rows, columns).leaves()
		var tree Tree
		for _, leaf := range leaves {
			tree.Add(leaf)
		}
		want := encoded(tree.Whole())
		for range 20 {
			var sent [][]byte
			for first := 0; first < len(leaves); {
				last := first + 1 + dice.IntN(len(leaves)-first)
				var run Tree
				for _, leaf := range leaves[first:last] {
					run.Add(leaf)
				}
				most := 2 * (1 + int(math.Log2(float64(last-first))))
				if len(run.Nodes()) > most {
					t.Errorf("%d leaves from %d on are %d nodes", last-first, first, len(run.Nodes()))
				}
				for _, n := range run.Nodes() {
					sent = append(sent, encoded(n))
				}
				first = last
			}
			dice.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
			var nodes []*Node
			for _, b := range sent {
				nodes = append(nodes, decoded(t, b))
			}
			slices.SortFunc(nodes, func(a, b *Node) int { return a.First - b.First })
			var all Tree
			for _, n := range nodes {
				all.Add(n)
			}
			if !bytes.Equal(encoded(all.Whole()), want) {
				t.Fatalf("%d rows: other bits", rows)
			}
		}
	}
	if new(Tree).Whole() != nil {
		t.Error("no rows have a node")
	}
}

// One leaf is what its TSQR is; more say the same of the rows as one TSQR of all.
func TestTheTreeSummarisesAllRows(t *testing.T) {
	const columns = 4
	for _, rows := range []int{columns, 100, LeafRows, 5*LeafRows + 100} {
		d := newData(rows, columns)
		var tree Tree
		for _, leaf := range d.leaves() {
			tree.Add(leaf)
		}
		whole := tree.Whole()
		if whole.Rows != rows || whole.First != 0 || whole.Leaves != (rows+LeafRows-1)/LeafRows || whole.Columns() != columns {
			t.Errorf("%d rows: %d rows in %d leaves", rows, whole.Rows, whole.Leaves)
		}
		plain := d.tsqr(0, rows).Triangle()
		if rows <= LeafRows && !slices.Equal(whole.Triangle.Data(), plain.Data()) {
			t.Errorf("%d rows: other bits than a TSQR's", rows)
		}
		square := func(of *mat.Dense, i, j int) (sum float64) { // of H'H, which has no signs to choose
			for k := range min(i, j) + 1 {
				sum += of.At(k, i) * of.At(k, j)
			}
			return sum
		}
		for i := range columns + 1 {
			for j := i; j <= columns; j++ {
				got, want := square(whole.Triangle, i, j), square(plain, i, j)
				if !(math.Abs(got-want) <= 1e-12*math.Sqrt(square(plain, i, i)*square(plain, j, j))) {
					t.Errorf("%d rows: (%d, %d) of the squares is %g, not %g", rows, i, j, got, want)
				}
			}
		}
		mean, deviation, noise, logs := 0.0, 0.0, 0.0, 0.0
		for i, v := range d.values {
			mean += (v - 1e6) / float64(rows)
			noise += d.noise[i] * d.noise[i]
			logs += math.Log(d.noise[i])
		}
		for _, v := range d.values {
			deviation += (v - 1e6 - mean) * (v - 1e6 - mean)
		}
		for name, pair := range map[string][2]float64{
			"mean": {whole.Mean - 1e6, mean}, "deviation": {whole.Deviation, math.Sqrt(deviation)}, "noise": {whole.Noise, math.Sqrt(noise)}, "logarithms": {whole.LogNoise, logs},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-9*math.Max(1, math.Abs(pair[1]))) {
				t.Errorf("%d rows: %s %g, want %g", rows, name, pair[0], pair[1])
			}
		}
	}
}

func TestMisusePanics(t *testing.T) {
	d := newData(2*LeafRows+5, 2)
	leaves := d.leaves()
	other := Leaf(1, newData(10, 3).tsqr(0, 10), make([]float64, 10), newData(10, 3).noise, nil)
	for name, misuse := range map[string]func(){
		"a leaf is missing":    func() { var t Tree; t.Add(leaves[0]); t.Add(leaves[2]) },
		"a leaf comes twice":   func() { var t Tree; t.Add(leaves[0]); t.Add(leaves[0]) },
		"a leaf is not full":   func() { var t Tree; t.Add(leaves[2]); t.Add(Leaf(3, d.tsqr(0, 5), d.values[:5], d.noise[:5], nil)) },
		"other columns":        func() { var t Tree; t.Add(leaves[0]); t.Add(other) },
		"values are missing":   func() { Leaf(0, d.tsqr(0, 5), d.values[:4], d.noise[:5], nil) },
		"too many rows":        func() { Leaf(0, d.tsqr(0, LeafRows+1), d.values[:LeafRows+1], d.noise[:LeafRows+1], nil) },
		"a leaf without a row": func() { Leaf(0, mat.NewTSQR(2), nil, nil, nil) },
	} {
		func() {
			defer func() {
				if _, is := recover().(mat.Error); !is {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

// The bytes of a node are the same on every machine.
func TestTheFormatIsStable(t *testing.T) {
	q := mat.NewTSQR(1)
	q.Append(mat.NewDense(1, 1, []float64{2}), []float64{3})
	got := hex.EncodeToString(encoded(Leaf(5, q, []float64{3}, []float64{1}, []float64{0.5})))
	want := "62706965" + "6c6d2052" + "01000000" + "01000000" + "0500000000000000" + "0100000000000000" + "0100000000000000" +
		"0000000000000000" + "000000000000e03f" + "0000000000000840" + "0000000000000000" + // noise 0.5, mean 3
		"0000000000000040" + "0000000000000840" + "0000000000000000"
	if !strings.HasPrefix(got, want) || len(got) != len(want)+8 {
		t.Errorf("%s; want %s", got, want)
	}
}

// Damage of any kind is an *Error, and the node stays as it was.
func TestDamagedNodesAreRefused(t *testing.T) {
	good := encoded(newData(100, 3).leaves()[0])
	resealed := func(change func(b []byte)) []byte {
		b := slices.Clone(good)
		change(b)
		return binary.LittleEndian.AppendUint32(b[:len(b)-sumSize], crc32.Checksum(b[:len(b)-sumSize], castagnoli))
	}
	bad := map[string][]byte{
		"nothing": nil, "half": good[:len(good)/2], "more": append(slices.Clone(good), 0),
		"another version": resealed(func(b []byte) { b[8] = 2 }),
		"other columns":   resealed(func(b []byte) { b[12] = 4 }),
		"many columns":    resealed(func(b []byte) { b[15] = 0xff }),
		"no leaf":         resealed(func(b []byte) { b[24] = 0 }),
		"many leaves":     resealed(func(b []byte) { b[31] = 1 }),
		"many rows":       resealed(func(b []byte) { b[35] = 1 }),
		"not a number":    resealed(func(b []byte) { binary.LittleEndian.PutUint64(b[headerSize:], math.Float64bits(math.NaN())) }),
	}
	for i := range good {
		b := slices.Clone(good)
		b[i] ^= 1 << (i % 8)
		bad[string(rune('0'+i%10))+" flipped "+hex.EncodeToString([]byte{byte(i), byte(i >> 8)})] = b
	}
	n := &Node{Rows: 7}
	for name, b := range bad {
		var wrong *Error
		if err := n.UnmarshalBinary(b); !errors.As(err, &wrong) || *n != (Node{Rows: 7}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the bytes are, reading them fails or gives what has these bytes.
func FuzzNode(f *testing.F) {
	f.Add(encoded(newData(3, 2).leaves()[0]))
	f.Add(encoded(newData(1, 0).leaves()[0]))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > sumSize { // damage that the checksum does not find
			b = binary.LittleEndian.AppendUint32(b[:len(b)-sumSize], crc32.Checksum(b[:len(b)-sumSize], castagnoli))
		}
		n := new(Node)
		if n.UnmarshalBinary(b) == nil && !bytes.Equal(encoded(n), b) {
			t.Error("other bytes")
		}
	})
}
