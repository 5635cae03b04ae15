package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/bpielm/bpielm/system/readings"
)

const (
	flushBytes  = 16 << 20 // of rows that are held while a chunk is read; files that cannot be split are one chunk
	maxLine     = 1 << 20  // bytes of a line, as package readings allows in a file
	maxPreamble = 200      // lines before the one that names the columns
	// From denseBytes on, rows of one problem that stand close together do not travel: their place does. So a table that is
	// sorted by problem is hardly shuffled, however large the problems are. Rows that are scattered travel, because to read
	// them again would be to read the whole chunk for each problem.
	denseBytes = 4 << 10
)

// Table is one of the tables with rows of many problems.
type Table struct {
	Stands    string // the file of the problem for which the rows of one problem stand; "" for values of keys
	Header    string // the line that names the columns; "" in JSON lines
	Separator byte   // between columns; 0 in JSON lines
	Column    int    // of the problem
	Key       string // its name
	Files     []File
}

// File is one of the files of a table.
type File struct {
	Path        string
	Size, Begin int64 // Begin is where the rows begin
	Splits      bool  // it can be read from the middle
}

// Chunk is a part of a file. It owns the lines that begin in it.
type Chunk struct {
	Table, File int
	Begin, End  int64
}

// Part is what a chunk has of one problem: rows, or where they stand. A part with an empty key is about lines that have
// none: their number, and the first of them.
type Part struct {
	Key         string
	Table, File int
	At, End     int64 // from the first line of the problem in the chunk to the end of the last
	Count       int64 // of its lines
	Bytes       int64 // of these
	Rows        []byte
}

// inputError refuses what the user gave.
type inputError struct{ why string }

func (e *inputError) Error() string { return e.why }

func refuse(format string, args ...any) error { return &inputError{fmt.Sprintf(format, args...)} }

// openTable finds the files of a pattern, and the columns in them. All files must have the same.
func openTable(ctx context.Context, stands, pattern, key string) (Table, error) {
	t := Table{Stands: stands, Key: key}
	disk, err := filesystem.New(ctx, pattern)
	if err != nil {
		return t, refuse("%s: %v", pattern, err)
	}
	defer disk.Close()
	paths, err := disk.List(ctx, pattern)
	if err != nil {
		return t, refuse("%s: %v", pattern, err)
	}
	if len(paths) == 0 {
		return t, refuse("%s: no file matches", pattern)
	}
	slices.Sort(paths)
	for i, path := range paths {
		other := Table{Key: key}
		f, err := other.open(ctx, disk, path)
		if err != nil {
			return t, err
		}
		if i == 0 {
			t.Header, t.Separator, t.Column = other.Header, other.Separator, other.Column
		} else if other.Header != t.Header {
			return t, refuse("%s: its columns are not those of %s: rows of a problem may stand in both", path, paths[0])
		}
		t.Files = append(t.Files, f)
	}
	return t, nil
}

// open reads the head of a file.
func (t *Table) open(ctx context.Context, disk filesystem.Interface, path string) (f File, err error) {
	f.Path = path
	if f.Size, err = disk.Size(ctx, path); err != nil {
		return f, refuse("%s: %v", path, err)
	}
	r, err := openFile(ctx, path)
	if err != nil {
		return f, refuse("%s: %v", path, err)
	}
	defer r.Close()
	_, f.Splits = r.(io.Seeker)
	head := lineReader{from: bufio.NewReader(r)}
	for range maxPreamble {
		line, err := head.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f, refuse("%s: %v", path, err)
		}
		if head.start == 0 {
			if err := plainText(line); err != nil {
				return f, refuse("%s: %v", path, err)
			}
			line = strings.TrimPrefix(line, "\ufeff")
		}
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, "{") { // JSON lines name their columns in every line
			f.Begin = head.start
			return f, nil
		}
		for _, separator := range []byte(readings.Separators) {
			cells, err := readings.Split(nil, line, separator)
			if err != nil {
				continue
			}
			if at := slices.Index(cells, t.Key); at >= 0 {
				if slices.Contains(cells[at+1:], t.Key) {
					return f, refuse("%s: there are two columns %s", path, t.Key)
				}
				t.Header, t.Separator, t.Column, f.Begin = line, separator, at, head.end
				return f, nil
			}
		}
	}
	return f, refuse("%s: no line names a column %s; --key names the column that says of which problem a row is", path, t.Key)
}

// plainText refuses what cannot be split into lines anywhere.
func plainText(start string) error {
	switch {
	case strings.HasPrefix(start, "\x1f\x8b"):
		return errors.New("a file that is compressed cannot be read in parts: decompress it")
	case strings.HasPrefix(start, "\xff\xfe"), strings.HasPrefix(start, "\xfe\xff"), strings.Contains(start, "\x00"):
		return errors.New("it is not a text in UTF-8")
	}
	return nil
}

// chunks calls emit with the chunks of all files.
func (t *Table) chunks(number int, size int64, emit func(Chunk)) {
	for i, f := range t.Files {
		if !f.Splits {
			emit(Chunk{number, i, f.Begin, math.MaxInt64})
			continue
		}
		for at := f.Begin; at < f.Size; at += size {
			emit(Chunk{number, i, at, min(at+size, f.Size)})
		}
	}
}

// bytes is the size of all files.
func (t *Table) bytes() (size int64) {
	for _, f := range t.Files {
		size += f.Size
	}
	return size
}

// keyOf returns the problem of a row, "" if it has none.
func (t *Table) keyOf(line string) string {
	if t.Separator == 0 {
		var row map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &row) != nil {
			return ""
		}
		var text string
		if json.Unmarshal(row[t.Key], &text) == nil {
			return strings.TrimSpace(text)
		}
		var number json.Number
		if json.Unmarshal(row[t.Key], &number) == nil {
			return number.String()
		}
		return ""
	}
	// Most lines have no quotation marks, and then only the cells up to that of the problem count.
	if strings.IndexByte(line, '"') < 0 {
		for range t.Column {
			_, rest, found := strings.Cut(line, string(t.Separator))
			if !found {
				return ""
			}
			line = rest
		}
		cell, _, _ := strings.Cut(line, string(t.Separator))
		return strings.TrimSpace(cell)
	}
	cells, err := readings.Split(nil, line, t.Separator)
	if err != nil || t.Column >= len(cells) {
		return ""
	}
	return cells[t.Column]
}

// skipped reports whether a line is no row: empty, a comment, or the names of the columns once more.
func (t *Table) skipped(line string) bool {
	bare := strings.TrimSpace(line)
	return bare == "" || bare[0] == '#' || line == t.Header && t.Separator != 0
}

// scan reads a chunk, and calls emit with its parts. It fails if the file is not what it was when the run was planned.
func (t *Table) scan(ctx context.Context, c Chunk, emit func(Part)) error {
	f := &t.Files[c.File]
	lines, err := f.from(ctx, c.Begin)
	if err != nil {
		return err
	}
	defer lines.Close()
	found := map[string]*Part{}
	held := int64(0)
	flush := func() {
		for _, p := range found {
			if f.Splits && p.Bytes >= denseBytes && 2*p.Bytes >= p.End-p.At {
				p.Rows = nil
			}
			emit(*p)
		}
		clear(found)
		held = 0
	}
	for {
		line, err := lines.next()
		if err == io.EOF {
			if lines.end < min(c.End, f.Size) {
				return refuse("%s: it ends at byte %d, and had %d bytes when the run began", f.Path, lines.end, f.Size)
			}
			break
		}
		if err != nil && err != errLong {
			return refuse("%s: %v", f.Path, err)
		}
		if lines.start >= c.End {
			break
		}
		if t.skipped(line) {
			continue
		}
		key := ""
		if err != errLong {
			key = t.keyOf(line)
		}
		p := found[key]
		if p == nil {
			key = strings.Clone(key)
			p = &Part{Key: key, Table: c.Table, File: c.File, At: lines.start}
			found[key] = p
		}
		p.End = lines.end
		p.Count++
		p.Bytes += int64(len(line)) + 1
		if key == "" {
			if p.Count == 1 {
				p.Rows = []byte(line[:min(len(line), 80)])
			}
			continue
		}
		p.Rows = append(append(p.Rows, line...), '\n')
		if held += int64(len(line)); held > flushBytes {
			flush()
		}
	}
	flush()
	return nil
}

// read returns the rows of a part.
func (t *Table) read(ctx context.Context, p *Part) ([]byte, error) {
	if p.Rows != nil {
		return p.Rows, nil
	}
	lines, err := t.Files[p.File].from(ctx, p.At)
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	rows := make([]byte, 0, p.Bytes)
	for {
		line, err := lines.next()
		if err == io.EOF || lines.start >= p.End {
			break
		}
		if err != nil && err != errLong {
			return nil, err
		}
		if err == nil && !t.skipped(line) && t.keyOf(line) == p.Key {
			rows = append(append(rows, line...), '\n')
		}
	}
	if int64(len(rows)) != p.Bytes {
		return nil, refuse("%s: it has changed since the run began", t.Files[p.File].Path)
	}
	return rows, nil
}

// from opens a file at the first line that begins at a byte or after it.
func (f *File) from(ctx context.Context, begin int64) (*lineReader, error) {
	disk, err := filesystem.New(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	if size, err := disk.Size(ctx, f.Path); err != nil || size != f.Size {
		if err == nil {
			err = refuse("%s: it has %d bytes, and had %d when the run began", f.Path, size, f.Size)
		}
		return nil, err
	}
	r, err := openFile(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	at := max(begin-1, 0) // the byte before tells whether a line begins here
	if seeker, can := r.(io.Seeker); can {
		_, err = seeker.Seek(at, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, r, at)
	}
	lines := &lineReader{from: bufio.NewReaderSize(r, 1<<16), Closer: r, end: at}
	if err == nil && begin > 0 {
		if _, err = lines.next(); err == io.EOF || err == errLong {
			err = nil
		}
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return lines, nil
}

// lineReader reads lines, and knows where they stand.
type lineReader struct {
	from *bufio.Reader
	io.Closer
	start, end int64 // of the line read last
	long       []byte
}

// errLong is the error of a line that was too long to be kept.
var errLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// next returns the next line without its end, io.EOF after the last.
func (r *lineReader) next() (string, error) {
	r.start, r.long = r.end, r.long[:0]
	for {
		part, err := r.from.ReadSlice('\n')
		r.end += int64(len(part))
		if len(r.long) <= maxLine {
			r.long = append(r.long, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && (err != io.EOF || r.end == r.start):
			return "", err
		case len(r.long) > maxLine:
			return string(r.long[:80]), errLong
		}
		return string(bytes.TrimSuffix(bytes.TrimSuffix(r.long, []byte{'\n'}), []byte{'\r'})), nil
	}
}
