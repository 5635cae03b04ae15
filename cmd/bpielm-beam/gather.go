package main

import (
	"bufio"
	"bytes"
	"container/heap"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/bpielm/bpielm/cmd/internal/results"
)

// writeFile writes a file of any filesystem, all or nothing where that can rename files. The last of two writers wins.
func writeFile(ctx context.Context, path string, fill func(io.Writer) error) error {
	disk, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer disk.Close()
	written := path
	rename, can := disk.(filesystem.Renamer)
	if can {
		written = path + "." + rand.Text() + ".tmp"
	}
	w, err := disk.OpenWrite(ctx, written)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	if err = fill(buffered); err == nil {
		err = buffered.Flush()
	}
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err == nil && can {
		err = rename.Rename(ctx, written, path)
	}
	if remove, can := disk.(filesystem.Remover); err != nil && can {
		remove.Remove(ctx, written)
	}
	return err
}

// removeAll removes the files of a folder, as far as that is possible, and the folder.
func removeAll(ctx context.Context, folder string) {
	disk, err := filesystem.New(ctx, folder)
	if err != nil {
		return
	}
	defer disk.Close()
	remove, can := disk.(filesystem.Remover)
	if !can {
		return
	}
	paths, _ := disk.List(ctx, folder+"/*")
	for _, path := range paths {
		remove.Remove(ctx, path)
	}
	remove.Remove(ctx, folder)
}

// finish makes the results of the parts: one file for each, or one of all, sorted by problem. On a local disk they replace
// those of an earlier run all at once.
func finish(ctx context.Context, folder, out string, parts int, divided bool) (written []string, err error) {
	text, err := readFile(ctx, folder+listFile)
	if err != nil {
		return nil, err
	}
	var done map[int]Solved
	if err := json.Unmarshal(text, &done); err != nil {
		return nil, fmt.Errorf("%s: %w", folder+listFile, err)
	}
	files, problems := map[string][]int{}, map[string]int{}
	for part := range parts {
		name := resultsFile
		if divided {
			name = fmt.Sprintf("results-%05d-of-%05d.jsonl", part, parts)
		}
		files[name] = files[name]
		if p, there := done[part]; there { // a part without a problem has no file
			files[name], problems[name] = append(files[name], part), problems[name]+p.Problems
		}
	}
	fill := func(name string) func(io.Writer) error {
		return func(w io.Writer) error {
			var paths []string
			for _, part := range files[name] {
				paths = append(paths, partPath(folder, part, parts))
			}
			n, err := mergeAll(ctx, paths, folder, w)
			if err == nil && n != problems[name] {
				err = fmt.Errorf("%s: %d problems were solved, and %d are there", folder, problems[name], n)
			}
			return err
		}
	}
	if isLocal(out) {
		to, err := results.Open(out)
		if err != nil {
			return nil, err
		}
		defer to.Discard()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := to.Write(name, fill(name)); err != nil {
				return nil, err
			}
		}
		return to.Commit()
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := out + "/" + name
		if err := writeFile(ctx, path, fill(name)); err != nil {
			return nil, err
		}
		written = append(written, path)
	}
	return written, nil
}

const resultsFile = "results.jsonl"

// mergedTogether is how many files are merged, and so open, at a time.
const mergedTogether = 256

// mergeAll is merge for any number of files. If they are many, those that it merges first go into files of the folder.
func mergeAll(ctx context.Context, paths []string, folder string, w io.Writer) (lines int, err error) {
	for round := 0; len(paths) > mergedTogether; round++ {
		var merged []string
		for some := range slices.Chunk(paths, mergedTogether) {
			path := fmt.Sprintf("%s/merged-%d-%05d.jsonl", folder, round, len(merged))
			if err := writeFile(ctx, path, func(w io.Writer) error {
				_, err := merge(ctx, some, w)
				return err
			}); err != nil {
				return 0, err
			}
			merged = append(merged, path)
		}
		paths = merged
	}
	return merge(ctx, paths, w)
}

// merge writes the lines of sorted files in the order of their problems, and returns how many there are.
func merge(ctx context.Context, paths []string, w io.Writer) (lines int, err error) {
	var open sorted
	defer func() {
		for _, f := range open {
			f.Close()
		}
	}()
	for _, path := range paths {
		r, err := openFile(ctx, path)
		if err != nil {
			return lines, err
		}
		f := &sortedFile{Closer: r, lines: bufio.NewReaderSize(r, 1<<15), path: path}
		open = append(open, f)
		if err := f.next(); err != nil {
			return lines, err
		}
	}
	heap.Init(&open)
	for len(open) > 0 {
		f := open[0]
		if f.line == nil { // the end
			heap.Pop(&open).(*sortedFile).Close()
			continue
		}
		if _, err := w.Write(f.line); err != nil {
			return lines, err
		}
		lines++
		if err := f.next(); err != nil {
			return lines, err
		}
		heap.Fix(&open, 0)
	}
	return lines, nil
}

// sortedFile is a file of lines, at one of them.
type sortedFile struct {
	io.Closer
	lines *bufio.Reader
	path  string
	key   string
	line  []byte // nil after the last
}

func (f *sortedFile) next() error {
	line, err := f.lines.ReadBytes('\n')
	if err == io.EOF && len(line) == 0 {
		f.line = nil
		return nil
	}
	if err == nil { // what follows the first value is not looked at
		err = json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(line, []byte(`{"problem":`)))).Decode(&f.key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.line = line
	return nil
}

// sorted is a heap of files; the first has the first problem. Files at their end come last.
type sorted []*sortedFile

func (s sorted) Len() int { return len(s) }
func (s sorted) Less(i, j int) bool {
	if s[i].line == nil || s[j].line == nil {
		return s[i].line != nil
	}
	return s[i].key < s[j].key
}
func (s sorted) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *sorted) Push(x any)   { *s = append(*s, x.(*sortedFile)) }
func (s *sorted) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
