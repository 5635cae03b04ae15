package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/bpielm/bpielm/system/spec"
)

// folder is the folder of a problem file on any filesystem that Beam knows, as an fs.FS for package spec. Files in place
// of replace those of the folder.
type folder struct {
	ctx   context.Context
	base  string
	place map[string][]byte
	kept  *sync.Map // files that many problems read, by name; nil: none
}

// maxKept is how many bytes a file may have to be kept for the next problem.
const maxKept = 4 << 20

// split divides a path into folder and file.
func split(path string) (base, name string) {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		return path[:i], path[i+1:]
	}
	return ".", path
}

// in returns the path of a file of the folder.
func (f *folder) in(name string) string {
	if f.base == "." {
		return name
	}
	return f.base + "/" + name
}

// Open opens a file to be read.
func (f *folder) Open(name string) (fs.File, error) {
	if rows, replaced := f.place[name]; replaced {
		return newMemory(name, rows), nil
	}
	if f.kept != nil {
		if text, known := f.kept.Load(name); known {
			return newMemory(name, text.([]byte)), nil
		}
	}
	text, err := readFile(f.ctx, f.in(name))
	if err != nil {
		if named, is := errors.AsType[*fs.PathError](err); is {
			err = named.Err
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if f.kept != nil && len(text) <= maxKept {
		f.kept.Store(name, text)
	}
	return newMemory(name, text), nil
}

// Glob returns the files that match a pattern.
func (f *folder) Glob(pattern string) (names []string, err error) {
	for name := range f.place {
		if match, err := path.Match(pattern, name); err != nil || match {
			names = append(names, name)
		}
	}
	disk, err := filesystem.New(f.ctx, f.in(pattern))
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	paths, err := disk.List(f.ctx, f.in(pattern))
	for _, p := range paths {
		if name := strings.TrimPrefix(p, f.base+"/"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// maxFile is how many bytes a file that a problem names may have.
const maxFile = 1 << 30

// readFile reads a file of any filesystem.
func readFile(ctx context.Context, path string) ([]byte, error) {
	r, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = errors.New("the file is too large")
	}
	return text, err
}

// openFile opens a file of any filesystem, on local disks only a regular one: a pipe might never end.
func openFile(ctx context.Context, path string) (io.ReadCloser, error) {
	if isLocal(path) {
		return spec.OpenFile(path)
	}
	disk, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	return disk.OpenRead(ctx, path)
}

// isLocal reports whether a path is one of the operating system.
func isLocal(path string) bool { return !strings.Contains(path, "://") }

// memory is a file in memory.
type memory struct {
	bytes.Reader
	name string
}

func newMemory(name string, text []byte) *memory {
	m := &memory{name: path.Base(name)}
	m.Reset(text)
	return m
}

func (m *memory) Close() error               { return nil }
func (m *memory) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memory) Name() string               { return m.name }
func (m *memory) Mode() fs.FileMode          { return 0o444 }
func (m *memory) ModTime() time.Time         { return time.Time{} }
func (m *memory) IsDir() bool                { return false }
func (m *memory) Sys() any                   { return nil }
