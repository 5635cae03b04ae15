package spec

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// maxInflated is how many bytes a compressed file may have, decompressed.
const maxInflated = 1 << 30

// gzipMagic begins what is compressed with gzip.
var gzipMagic = []byte{0x1f, 0x8b}

// OpenTable opens a table like OpenFile, and decompresses it if it is compressed with gzip.
func OpenTable(name string) (io.ReadCloser, error) {
	f, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	text, err := source{}.inflated(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{text, f}, nil
}

// inflated returns what a reader has, decompressed if it is compressed with gzip.
func (s source) inflated(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	if start, err := buffered.Peek(len(gzipMagic)); err != nil || !bytes.Equal(start, gzipMagic) {
		return buffered, nil // an error comes again
	}
	text, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	return &inflating{text, s.budget, maxInflated}, nil
}

// inflating fails when a compressed file has more than it may have: a small one may become as large as you like.
type inflating struct {
	text   io.Reader
	budget *budget
	left   int64
}

func (b *inflating) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &overLimit{fmt.Sprintf("it has more than %d bytes when decompressed", int64(maxInflated))}
	}
	if b.budget != nil {
		if b.budget.bytes += int64(n); b.budget.Bytes > 0 && b.budget.bytes > b.budget.Bytes {
			return 0, &overLimit{fmt.Sprintf("with what stands before it these are more than %d bytes, decompressed", b.budget.Bytes)}
		}
	}
	return n, err
}
