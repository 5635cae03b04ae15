package rowtree

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/bpielm/bpielm/mat"
)

// A node in a file is, in little-endian order: the 8 bytes of magic, version and number of columns as 32-bit integers, First,
// Leaves and Rows as 64-bit integers, LogNoise, Noise, Mean and Deviation as float64, the rows of the upper triangle as float64, each from
// its diagonal on, and the CRC-32 (Castagnoli) of all that.
const (
	magic      = "bpielm R"
	version    = 1
	headerSize = len(magic) + 2*4 + 3*8 + 4*8
	sumSize    = 4

	mostColumns = 1 << 16
	mostLeaves  = 1 << 40
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Error says why bytes are not a node.
type Error struct{ Why string }

func (e *Error) Error() string { return "summary of rows: " + e.Why }

// AppendBinary appends the node, as encoding.BinaryAppender does. It never fails.
func (n *Node) AppendBinary(b []byte) ([]byte, error) {
	begin := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(n.Columns()))
	for _, v := range []int{n.First, n.Leaves, n.Rows} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	for _, v := range []float64{n.LogNoise, n.Noise, n.Mean, n.Deviation} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for i := range n.Triangle.Rows() {
		for _, v := range n.Triangle.Row(i)[i:] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[begin:], castagnoli)), nil
}

// UnmarshalBinary reads a node that AppendBinary has written, and nothing else. It fails with an *Error, and then changes nothing.
func (n *Node) UnmarshalBinary(b []byte) error {
	refuse := func(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }
	if len(b) < headerSize+sumSize || string(b[:len(magic)]) != magic {
		return refuse("these %d bytes are something else", len(b))
	}
	body, at := b[:len(b)-sumSize], len(magic)
	next32 := func() uint32 { at += 4; return binary.LittleEndian.Uint32(b[at-4:]) }
	next64 := func() uint64 { at += 8; return binary.LittleEndian.Uint64(b[at-8:]) }
	if v := next32(); v != version {
		return refuse("its version is %d; this program knows %d", v, version)
	}
	columns := next32()
	if columns > mostColumns {
		return refuse("it has %d columns; at most %d are possible", columns, mostColumns)
	}
	size := int(columns) + 1
	if want := int64(headerSize+sumSize) + 8*(int64(size)*int64(size+1)/2); int64(len(b)) != want {
		return refuse("it has %d bytes; with %d columns %d are expected", len(b), columns, want)
	}
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(body):]) {
		return refuse("its checksum is wrong: it was damaged")
	}
	first, leaves, rows := next64(), next64(), next64()
	most := uint64(min(mostLeaves, math.MaxInt/LeafRows)) // of leaves
	if first > most || leaves == 0 || leaves > most || rows <= (leaves-1)*LeafRows || rows > leaves*LeafRows {
		return refuse("it has %d rows in %d leaves from %d on", rows, leaves, first)
	}
	read := Node{First: int(first), Leaves: int(leaves), Rows: int(rows)}
	finite := true
	number := func() float64 {
		v := math.Float64frombits(next64())
		finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
		return v
	}
	read.LogNoise, read.Noise, read.Mean, read.Deviation = number(), number(), number(), number()
	read.Triangle = mat.NewDense(size, size, nil)
	for i := range size {
		row := read.Triangle.Row(i)
		for j := i; j < size; j++ {
			row[j] = number()
		}
	}
	if !finite {
		return refuse("it has a number that is not finite")
	}
	*n = read
	return nil
}
