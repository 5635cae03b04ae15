package spec

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// place is where files are: the operating system's disk, one folder of it, or a file system of Go. A program that reads from
// only one kind, such as that of the page, has no code of the others.
type place interface {
	// open opens a regular file. Nobody might ever write to a named pipe.
	open(name string) (fs.File, error)

	// matching returns the names of the files that match a pattern, as the problem file would write them.
	matching(problem, pattern string) ([]string, error)

	// beside returns the path of a file that the problem file names.
	beside(problem, name string) string
}

// disk is the operating system's.
type disk struct{}

func (disk) open(name string) (fs.File, error) { return OpenFile(name) }

func (disk) matching(problem, pattern string) ([]string, error) {
	names, err := filepath.Glob(disk{}.beside(problem, pattern))
	for i := range names {
		if near, err := filepath.Rel(filepath.Dir(problem), names[i]); err == nil && !filepath.IsAbs(pattern) {
			names[i] = near
		}
		names[i] = filepath.ToSlash(names[i])
	}
	return names, err
}

func (disk) beside(problem, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(problem), name)
}

// sandbox is a folder, which no path and no link leads out of.
type sandbox struct {
	disk
	root   *os.Root
	folder string // its path
}

var errOutside = errors.New("it is not below the problem's folder; a sandbox reads nothing else")

func (s sandbox) open(name string) (fs.File, error) {
	below, err := filepath.Rel(s.folder, name)
	if err == nil && !filepath.IsLocal(below) {
		err = errOutside
	}
	var f *os.File
	if err == nil {
		f, err = openRegular(below, s.root.Stat, func(name string) (*os.File, error) {
			return s.root.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
		})
	}
	if err == nil {
		return f, nil
	}
	if _, named := errors.AsType[*fs.PathError](err); !named || escapes(err) {
		err = &fs.PathError{Op: "open", Path: name, Err: errOutside}
	}
	return nil, err
}

// escapes reports whether a link led out of a root. Package os does not export that error.
func escapes(err error) bool { return reason(err) == "path escapes from parent" }

func (s sandbox) matching(_, pattern string) (names []string, err error) {
	below := filepath.ToSlash(filepath.Clean(filepath.FromSlash(pattern)))
	if filepath.IsAbs(pattern) {
		if below, err = filepath.Rel(s.folder, pattern); err != nil {
			return nil, err
		}
		below = filepath.ToSlash(below)
	}
	if !fs.ValidPath(below) {
		return nil, errOutside
	}
	return fs.Glob(s.root.FS(), below)
}

// within is a file system, such as an embedded one.
type within struct{ fs.FS }

func (w within) open(name string) (fs.File, error) { return w.Open(name) }

func (w within) matching(problem, pattern string) ([]string, error) {
	folder := w.beside(problem, ".")
	names, err := fs.Glob(w.FS, w.beside(problem, pattern)) // which may have a way of its own
	for i := range names {
		if folder != "." {
			names[i] = strings.TrimPrefix(names[i], folder+"/")
		}
	}
	return names, err
}

func (w within) beside(problem, name string) string { return path.Join(path.Dir(problem), name) }

// OpenFile opens a regular file for reading. Anything else is refused, without waiting for
// it: only a regular file is sure to end. A directory fails when it is read.
func OpenFile(name string) (*os.File, error) {
	return openRegular(name, os.Stat, func(name string) (*os.File, error) {
		return os.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	})
}

// openRegular checks before it opens a file, because opening a device may have effects, and
// again afterwards, because the file may have been replaced in between.
func openRegular(name string, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error)) (*os.File, error) {
	info, err := stat(name)
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func regular(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a pipe, a device or the like; only regular files are read")}
}
