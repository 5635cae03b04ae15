package page

import (
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"
)

// folder is the files of a page as a file system, by their names. testing/fstest has one, too, which is for tests, and
// makes the program for browsers 15 kB larger.
type folder map[string]string

// Open implements fs.FS.
func (f folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if text, is := f[name]; is {
		return &openedFile{entry{path.Base(name), int64(len(text)), false}, strings.NewReader(text)}, nil
	}
	inside := map[string]fs.DirEntry{}
	for other, text := range f {
		below, is := strings.CutPrefix(other, name+"/")
		if name == "." {
			below, is = other, true
		}
		if !is {
			continue
		}
		first, _, deeper := strings.Cut(below, "/")
		if deeper {
			text = ""
		}
		inside[first] = entry{first, int64(len(text)), deeper}
	}
	if len(inside) == 0 && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	d := &openedFolder{entry: entry{path.Base(name), 0, true}}
	for _, e := range inside {
		d.left = append(d.left, e)
	}
	sort.SliceStable(d.left, func(i, j int) bool { return d.left[i].Name() < d.left[j].Name() })
	return d, nil
}

// entry is what is known of a file or a folder.
type entry struct {
	name   string
	size   int64
	folder bool
}

func (e entry) Name() string               { return e.name }
func (e entry) Size() int64                { return e.size }
func (e entry) IsDir() bool                { return e.folder }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) Sys() any                   { return nil }
func (e entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }
func (e entry) Mode() fs.FileMode {
	if e.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

type openedFile struct {
	entry
	*strings.Reader
}

func (f *openedFile) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *openedFile) Size() int64                { return f.entry.size }
func (f *openedFile) Close() error               { return nil }

type openedFolder struct {
	entry
	left []fs.DirEntry
}

func (d *openedFolder) Stat() (fs.FileInfo, error) { return d.entry, nil }
func (d *openedFolder) Close() error               { return nil }
func (d *openedFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (d *openedFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	list := d.left
	if n > 0 {
		if len(list) == 0 {
			return nil, io.EOF
		}
		list = list[:min(n, len(list))]
	}
	d.left = d.left[len(list):]
	return list, nil
}
