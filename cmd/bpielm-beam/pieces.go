package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/spec"
)

// Job is one problem whose readings stand in tables. Every worker has it, and reads the problem file itself.
type Job struct {
	Problem string
	Set     []string
	Tables  []Table // Header: what stands in a file before its rows
	Folder  string  // of this run, for all workers
	Points  int64   // most points of the problem
}

// Piece is a chunk of a table, with what the first pass has found in it.
type Piece struct {
	Chunk
	Line, Lines int64  // number of its first line in the file, and how many there are
	Sum         uint32 // CRC-32 (Castagnoli) of the lines
	Rows        []int  // its readings in each group of sensors
	First       []int  // the number of the first of these in its group
	Skipped     int64  // values that are missing, and readings outside the range of the time
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// problems has the problem of each run, once for each worker.
var problems sync.Map

// file reads the problem file.
func (j *Job) file(ctx context.Context) (*spec.File, error) {
	read, _ := problems.LoadOrStore(j.Folder, sync.OnceValues(func() (*spec.File, error) { return j.read(context.WithoutCancel(ctx)) }))
	file, err := read.(func() (*spec.File, error))()
	if err != nil {
		problems.Delete(j.Folder) // it may be there the next time
	}
	return file, err
}

func (j *Job) read(ctx context.Context) (*spec.File, error) {
	base, name := split(j.Problem)
	return spec.ReadFSLater(&folder{ctx: ctx, base: base}, name, j.Set, spec.Limits{Points: j.Points}, func(name string) bool {
		return slices.ContainsFunc(j.Tables, func(t Table) bool { return t.Stands == name })
	})
}

// groups returns the groups of sensors that a table is of.
func (j *Job) groups(file *spec.File, table int) (list []int) {
	for i := range file.SensorFiles {
		if file.SensorFiles[i].Name == j.Tables[table].Stands {
			list = append(list, i)
		}
	}
	return list
}

// openParts finds the files of a pattern, and what stands before their rows. All must begin with the same lines.
func (j *Job) openParts(ctx context.Context, stands, pattern string) error {
	paths, err := list(ctx, pattern)
	if err != nil {
		return err
	}
	j.Tables = append(j.Tables, Table{Stands: stands})
	t, number := &j.Tables[len(j.Tables)-1], len(j.Tables)-1
	file, err := j.read(ctx)
	if err != nil {
		return err
	}
	groups := j.groups(file, number)
	if len(groups) == 0 {
		return refuse("%s has no [[sensors]] with file = %q", j.Problem, stands)
	}
	disk, err := filesystem.New(ctx, pattern)
	if err != nil {
		return refuse("%s: %v", pattern, err)
	}
	defer disk.Close()
	for i, path := range paths {
		f := File{Path: path}
		if f.Size, err = disk.Size(ctx, path); err != nil {
			return refuse("%s: %v", path, err)
		}
		header, splits, err := headerOf(ctx, path, file, groups[0])
		if err != nil {
			return err
		}
		if i > 0 && header != t.Header {
			return refuse("%s: it does not begin as %s does: one of them may have other columns", path, paths[0])
		}
		t.Header, f.Begin, f.Splits = header, int64(len(header)), splits
		t.Files = append(t.Files, f)
	}
	return nil
}

// headerBytes is how much of a file must have the names of its columns, and a row.
const headerBytes = 1 << 20

// headerOf returns the lines of a file up to that which names the columns; "" of JSON lines.
func headerOf(ctx context.Context, path string, file *spec.File, group int) (header string, splits bool, err error) {
	r, err := openFile(ctx, path)
	if err != nil {
		return "", false, refuse("%s: %v", path, err)
	}
	defer r.Close()
	_, splits = r.(io.Seeker)
	text, err := io.ReadAll(io.LimitReader(r, headerBytes))
	if err != nil {
		return "", false, refuse("%s: %v", path, err)
	}
	if err := plainText(string(text)); err != nil {
		return "", false, refuse("%s: %v", path, err)
	}
	if end := bytes.LastIndexByte(text, '\n'); len(text) == headerBytes && end >= 0 {
		text = text[:end+1]
	}
	_, of, err := file.ReadMore(group, bytes.NewReader(text), path)
	if err != nil {
		return "", false, err
	}
	lines := bufio.NewReader(bytes.NewReader(text))
	for range of.Passed.Header {
		line, err := lines.ReadString('\n')
		header += line
		if err != nil {
			break
		}
	}
	return header, splits, nil
}

// text returns the lines of a chunk. It fails if the file is not what it was when the run was planned.
func (t *Table) text(ctx context.Context, c Chunk) (text []byte, count int64, err error) {
	f := &t.Files[c.File]
	lines, err := f.from(ctx, c.Begin)
	if err != nil {
		return nil, 0, err
	}
	defer lines.Close()
	for {
		line, err := lines.next()
		if err == io.EOF {
			if lines.end < min(c.End, f.Size) {
				return nil, 0, refuse("%s: it ends at byte %d, and had %d bytes when the run began", f.Path, lines.end, f.Size)
			}
			return text, count, nil
		}
		if err == nil && lines.start >= c.End {
			return text, count, nil
		}
		if err != nil {
			return nil, 0, refuse("%s: %v", f.Path, err)
		}
		count++
		text = append(append(text, line...), '\n')
	}
}

// parsed are the readings of a piece, in one group of sensors. Noise that is stated is stated for each of them.
type parsed struct {
	system.Sensors
	of spec.SensorFile
}

// parse returns the readings of a piece in some groups. Lines of errors are those of the file.
func (j *Job) parse(ctx context.Context, p *Piece, text []byte, groups []int) (map[int]parsed, error) {
	file, err := j.file(ctx)
	if err != nil {
		return nil, err
	}
	t := &j.Tables[p.Table]
	path := t.Files[p.File].Path
	all, before := map[int]parsed{}, int64(strings.Count(t.Header, "\n"))
	for _, i := range groups {
		group, of, err := file.ReadMore(i, io.MultiReader(strings.NewReader(t.Header), bytes.NewReader(text)), path)
		if wrong, is := errors.AsType[*spec.Error](err); is && wrong.Line > 0 {
			if p.Line == 0 {
				p.Line = t.lineAt(ctx, p.Chunk)
			}
			wrong.Line += int(p.Line - 1 - before)
		}
		if err != nil {
			return nil, err
		}
		if u := of.Passed.Units; len(u) > 0 && p.Begin > t.Files[p.File].Begin {
			return nil, refuse("%s: a line without a number stands among the rows, after byte %d", path, p.Begin)
		}
		if len(group.Sigma) == 1 {
			group.Sigma = slices.Repeat(group.Sigma, len(group.Values))
		}
		all[i] = parsed{group, of}
	}
	return all, nil
}

// lineAt returns the number of the first line of a chunk, for an error.
func (t *Table) lineAt(ctx context.Context, c Chunk) int64 {
	before := strings.Count(t.Header, "\n")
	if c.Begin <= t.Files[c.File].Begin {
		return int64(before) + 1
	}
	_, lines, err := t.text(ctx, Chunk{c.Table, c.File, t.Files[c.File].Begin, c.Begin})
	if err != nil {
		return 1
	}
	return int64(before) + lines + 1
}

// count reads a chunk for the first time.
func (j *Job) count(ctx context.Context, c Chunk) (*Piece, error) {
	text, lines, err := j.Tables[c.Table].text(ctx, c)
	if err != nil {
		return nil, err
	}
	file, err := j.file(ctx)
	if err != nil {
		return nil, err
	}
	p := &Piece{Chunk: c, Lines: lines, Sum: crc32.Checksum(text, castagnoli), Rows: make([]int, len(file.SensorFiles))}
	all, err := j.parse(ctx, p, text, j.groups(file, c.Table))
	if err != nil {
		return nil, err
	}
	for i, g := range all {
		p.Rows[i] = len(g.Values)
		p.Skipped += int64(g.of.Passed.Gaps + g.of.Passed.Outside)
	}
	return p, nil
}

// reread reads a piece again, in one group. It fails if the piece has changed.
func (j *Job) reread(ctx context.Context, p *Piece, group int) (parsed, error) {
	t := &j.Tables[p.Table]
	text, _, err := t.text(ctx, p.Chunk)
	if err != nil {
		return parsed{}, err
	}
	if crc32.Checksum(text, castagnoli) != p.Sum {
		return parsed{}, refuse("%s: it has changed since the run began", t.Files[p.File].Path)
	}
	all, err := j.parse(ctx, p, text, []int{group})
	if err == nil && len(all[group].Values) != p.Rows[group] {
		err = fmt.Errorf("%s: the chunk at byte %d had %d readings, and has %d", t.Files[p.File].Path, p.Begin, p.Rows[group], len(all[group].Values))
	}
	return all[group], err
}

// between returns the readings first to last-1 of those at hand.
func between(s *system.Sensors, first, last int) *system.Sensors {
	part := *s
	part.Points, part.Values = s.Points.Slice(first, last, 0, s.Points.Cols()), s.Values[first:last]
	if s.Sigma != nil {
		part.Sigma = s.Sigma[first:last]
	}
	return &part
}

// follow adds readings that follow others.
func follow(s, more *system.Sensors) *system.Sensors {
	n, m := len(s.Values), len(more.Values)
	both := *more
	both.Points = mat.NewDense(n+m, more.Points.Cols(), nil)
	both.Points.Slice(0, n, 0, both.Points.Cols()).CopyFrom(s.Points)
	both.Points.Slice(n, n+m, 0, both.Points.Cols()).CopyFrom(more.Points)
	both.Values = slices.Concat(s.Values, more.Values)
	both.Sigma = slices.Concat(s.Sigma, more.Sigma)
	return &both
}
