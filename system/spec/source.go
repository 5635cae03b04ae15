package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Limits limit what a problem may ask for. 0 is no limit. To exceed one is an *Error with Limit set.
type Limits struct {
	// Points is the total number of collocation points, rows of files and points of the output grid.
	Points int64
	// Bytes is the total size of all files that the problem names.
	Bytes int64
}

// source is where a problem file and the files that it names come from: the operating
// system, a folder if root is set, or a file system if fsys is. Only regular files are read:
// nobody might ever write to a named pipe.
type source struct {
	fsys   fs.FS
	root   *os.Root // of a folder
	folder string   // its path
	budget *budget  // nil: none

	later func(name string) bool // files of sensors that are read later, see ReadFSLater; nil: none
}

// budget is what has been used of the limits.
type budget struct {
	Limits
	points, bytes int64
}

// take uses points or rows.
func (b *budget) take(points int64) error {
	if b == nil {
		return nil
	}
	if b.points += points; b.Points > 0 && b.points > b.Points {
		return &overLimit{fmt.Sprintf("with what stands before it these are %d points and rows; at most %d are allowed", b.points, b.Points)}
	}
	return nil
}

// overLimit is the error of going over a limit.
type overLimit struct{ why string }

func (e *overLimit) Error() string { return e.why }

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

func (s source) open(name string) (f fs.File, err error) {
	switch {
	case s.root != nil:
		f, err = s.openBelow(name)
	case s.fsys == nil:
		f, err = OpenFile(name)
	default:
		f, err = s.fsys.Open(name)
	}
	if err != nil || s.budget == nil {
		return f, err
	}
	info, err := f.Stat()
	if err == nil {
		if s.budget.bytes += info.Size(); s.budget.Bytes > 0 && s.budget.bytes > s.budget.Bytes {
			err = &overLimit{fmt.Sprintf("with the files before it these are %d bytes; at most %d are allowed", s.budget.bytes, s.budget.Bytes)}
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openBelow opens a file in the folder. It refuses a path or a link that leads outside.
func (s source) openBelow(name string) (fs.File, error) {
	below, err := filepath.Rel(s.folder, name)
	if err == nil && !filepath.IsLocal(below) {
		err = errors.New("outside")
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
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it is not below the problem's folder; a sandbox reads nothing else")}
	}
	return nil, err
}

// escapes reports whether a link led out of a root. Package os does not export that error.
func escapes(err error) bool { return reason(err) == "path escapes from parent" }

// beside returns the path of a file that the problem file at path names.
func (s source) beside(problem, name string) string {
	switch {
	case s.fsys != nil:
		return path.Join(path.Dir(problem), name)
	case filepath.IsAbs(name):
		return name
	}
	return filepath.Join(filepath.Dir(problem), name)
}
