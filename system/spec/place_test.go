package spec

import (
	"errors"
	"io/fs"
	"path"
	"testing"
	"testing/fstest"
)

// store is a file system without folders, as that of a bucket: it can only match patterns.
type store struct{ files fstest.MapFS }

func (s store) Open(name string) (fs.File, error) {
	if _, there := s.files[name]; !there {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("no such object")}
	}
	return s.files.Open(name)
}

func (s store) Glob(pattern string) (names []string, err error) {
	for name := range s.files {
		if match, err := path.Match(pattern, name); err != nil || match {
			names = append(names, name)
		}
	}
	return names, err
}

func TestPatternsInAFileSystemThatMatchesThemItself(t *testing.T) {
	const text = "[variables]\nx = [0, 1]\n[[equation]]\npde = \"u_x + u = 0\"\n[[sensors]]\nfile = \"logs/*.csv\"\nmeasures = \"u\"\nsigma = 0.1\n"
	for _, problem := range []string{"problem.toml", "a/problem.toml"} {
		folder := path.Dir(problem)
		files := fstest.MapFS{problem: {Data: []byte(text)}}
		for _, name := range []string{"logs/1.csv", "logs/2.csv"} {
			files[path.Join(folder, name)] = &fstest.MapFile{Data: []byte("x,value\n0.5,1\n")}
		}
		for kind, fsys := range map[string]fs.FS{"folders": files, "objects": store{files}} {
			f, err := ReadFS(fsys, problem, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", problem, kind, err)
			} else if n := f.Problem.Readings(); n != 2 {
				t.Errorf("%s, %s: %d readings, want 2", problem, kind, n)
			}
		}
	}
}
