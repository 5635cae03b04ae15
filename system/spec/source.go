package spec

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// source is where a problem file and the files that it names are read from: the
// operating system's files, or fsys where it is set.
type source struct{ fsys fs.FS }

func (s source) open(name string) (fs.File, error) {
	if s.fsys == nil {
		return os.Open(name)
	}
	return s.fsys.Open(name)
}

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
