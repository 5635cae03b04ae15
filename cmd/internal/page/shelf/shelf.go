package shelf

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/system/spec"
)

const (
	mostBytes    = 16 << 20 // of the files of a problem together
	mostText     = 1 << 20  // of a problem file
	mostPoints   = 1_000_000
	mostProblems = 500 // of a folder
	deepest      = 4   // folders below it
	mostSeen     = 20_000
)

// Shelf is where problems are.
type Shelf struct {
	files fs.FS
	only  string // the problem that there is; "" for all
}

// Of returns the shelf of a file system that holds regular files only, such as an embedded one.
func Of(files fs.FS) *Shelf { return &Shelf{files: files} }

// Open returns the shelf of a folder, or of a problem file, which then is all there is on it. It fails if there is none.
func Open(name string) (*Shelf, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	folder, only := name, ""
	if !info.IsDir() {
		folder, only = filepath.Dir(name), filepath.Base(name)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	s := &Shelf{files: below{root}, only: only}
	if only != "" {
		_, err = s.text(only, mostText)
	} else if list, failed := s.List(); failed != nil || len(list) == 0 {
		if err = failed; err == nil {
			err = fmt.Errorf("%s: there is no problem file in this folder", name)
		}
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return s, nil
}

// below is a folder as a file system of regular files.
type below struct{ root *os.Root }

func (b below) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is not below the problem's folder; a page opens nothing else")}
	}
	info, err := b.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a pipe, a device or the like; only regular files are read")}
	}
	return b.root.Open(name)
}

var (
	isProblem = regexp.MustCompile(`(?m)^\s*(\[\[\s*equation\s*\]\]|\[\s*variables\s*\])`)
	title     = regexp.MustCompile(`(?m)^\s*title\s*=\s*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')`)
	mentioned = regexp.MustCompile(`"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'`)
)

// List returns the problems by name, the problem.toml of the folder itself first. A file counts that looks like one, even
// if it cannot be read as one: then the page says why.
func (s *Shelf) List() ([]page.Example, error) {
	if s.only != "" {
		text, err := s.text(s.only, mostText)
		if err != nil {
			return nil, err
		}
		return []page.Example{{Name: s.only, Title: titleOf(text, s.only)}}, nil
	}
	var all []page.Example
	seen := 0
	err := fs.WalkDir(s.files, ".", func(name string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case seen > mostSeen || len(all) == mostProblems:
			return fs.SkipAll
		case err != nil && name == ".":
			return err
		case err != nil:
			return nil // a folder that may not be read has no problems for a page
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= deepest):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".toml":
			return nil
		}
		if text, err := s.text(name, mostText); err == nil && isProblem.MatchString(text) {
			all = append(all, page.Example{Name: name, Title: titleOf(text, name)})
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b page.Example) int {
		if first := a.Name == problemFile; first != (b.Name == problemFile) {
			if first {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all, err
}

// problemFile is the name of the problem file that a folder stands for.
const problemFile = "problem.toml"

func titleOf(text, name string) string {
	m := title.FindStringSubmatch(text)
	if m == nil || m[1]+m[2] == "" {
		return name
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1]) + m[2]
}

// Take returns the files of a problem, by their names relative to its folder if all of them are in it. Files that the
// problem names and that cannot be had are left out: the page says so where they are named. It fails if the problem file
// itself cannot be read, or if the files are too large.
func (s *Shelf) Take(name string) (files map[string]string, main string, err error) {
	if s.only != "" && name != s.only {
		return nil, "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	text, err := s.text(name, mostText)
	if err != nil {
		return nil, "", err
	}
	r := &recorder{shelf: s, texts: map[string]string{name: text}}
	// The problem need not be right, and what is read of it does not matter here: only which files it opens.
	if _, err := spec.ReadFSLimited(r, name, nil, spec.Limits{Points: mostPoints, Bytes: 2 * mostBytes}); err != nil && r.tooLarge == nil {
		for _, m := range mentioned.FindAllStringSubmatch(text, 1000) {
			if f, err := r.Open(path.Join(path.Dir(name), m[1]+m[2])); err == nil {
				f.Close()
			}
		}
	}
	if r.tooLarge != nil {
		return nil, "", r.tooLarge
	}
	folder := path.Dir(name) + "/"
	for file := range r.texts {
		if !strings.HasPrefix(file, folder) {
			return r.texts, name, nil
		}
	}
	files = map[string]string{}
	for file, text := range r.texts {
		files[strings.TrimPrefix(file, folder)] = text
	}
	return files, strings.TrimPrefix(name, folder), nil
}

// recorder is a file system that keeps what is read of it.
type recorder struct {
	shelf    *Shelf
	texts    map[string]string
	size     int
	tooLarge error
}

func (r *recorder) Open(name string) (fs.File, error) {
	text, known := r.texts[name]
	if !known {
		var err error
		if text, err = r.shelf.text(name, mostBytes); err != nil {
			if errors.Is(err, errTooLarge) {
				r.tooLarge = err
			}
			return nil, err
		}
		if r.size += len(text); r.size > mostBytes {
			r.tooLarge = fmt.Errorf("the problem's files together: %w", errTooLarge)
			return nil, r.tooLarge
		}
		r.texts[name] = text
	}
	return newFile(name, text), nil
}

var errTooLarge = fmt.Errorf("more than %d MiB, which is too much for a page", mostBytes>>20)

// text reads a file as text.
func (s *Shelf) text(name string, most int64) (string, error) {
	f, err := s.files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	}
	text, err := decoded(f, most)
	if err != nil {
		return "", &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return text, nil
}

// readAll reads at most so many bytes.
func readAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLarge
	}
	return data, err
}
