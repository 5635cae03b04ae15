package page

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// opened is what is open: files, and the problem that they are. It never changes; another takes its place.
type opened struct {
	files map[string]string
	main  string
	file  *spec.File // as it was last readable; nil: never
	fault error      // why it cannot be read now
	// same identifies all that the problem is but its readings: the text, and the files that are no tables of readings.
	same [16]byte
}

// openFiles replaces what is open.
func (s *Session) openFiles(files map[string]string, main string, shipped []byte) (*Problem, error) {
	if err := s.limits.check(files, main); err != nil {
		return nil, err
	}
	next := s.limits.read(maps.Clone(files), main, nil)
	var solved *solved
	if shipped != nil && next.fault == nil {
		solved = unship(shipped, next, &s.limits)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if solved != nil || s.solved == nil || s.solved.same != next.same { // otherwise a change is undone
		if s.stop != nil {
			s.stop()
		}
		s.opening++
		s.solved = solved
	}
	s.open, s.edits = next, nil
	return s.problem(), nil
}

// check refuses files that are too many or too large, or have names that no folder holds.
func (l *Limits) check(files map[string]string, main string) error {
	if len(files) > l.Files {
		return fmt.Errorf("these are %d files; at most %d are possible", len(files), l.Files)
	}
	total := int64(0)
	for name, text := range files {
		if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:") || len(name) > 1000 {
			return fmt.Errorf("%q is no name of a file", clip(name))
		}
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if _, is := files[folder]; is {
				return fmt.Errorf("%q is a file and a folder", clip(folder))
			}
		}
		total += int64(len(text))
	}
	if total > l.Bytes {
		return fmt.Errorf("the files have %d bytes; at most %d are possible", total, l.Bytes)
	}
	if _, is := files[main]; !is {
		return fmt.Errorf("there is no file %q", clip(main))
	}
	return nil
}

// read reads a problem. Where that fails, before is what it was when it could last be read.
func (l *Limits) read(files map[string]string, main string, before *spec.File) *opened {
	o := &opened{files: files, main: main, file: before}
	file, err := spec.ReadFSLimited(folder(files), main, nil, spec.Limits{Points: l.Points, Bytes: l.Bytes})
	if err == nil {
		_, err = bpielm.Config(file)
	}
	if err == nil {
		err = file.Problem.Validate()
	}
	if err == nil {
		file.Problem, err = posterior.Ranged(file.Problem)
	}
	if err != nil {
		o.fault = faultOf(err, file)
		return o
	}
	o.file = file
	o.same = o.identity()
	return o
}

// tables returns the names of the files that are tables of readings.
func (o *opened) tables() map[string]bool {
	tables := map[string]bool{}
	for g := range o.file.SensorFiles {
		for _, name := range o.tablesOf(g) {
			tables[name] = true
		}
	}
	return tables
}

// tablesOf returns those of one group, in order.
func (o *opened) tablesOf(g int) (names []string) {
	f := &o.file.SensorFiles[g]
	list := f.Files
	if list == nil {
		list = []string{f.Name}
	}
	for _, name := range list {
		names = append(names, path.Join(path.Dir(o.main), name))
	}
	return names
}

// identity is a digest of all that the problem is but its readings.
func (o *opened) identity() (sum [16]byte) {
	h, tables := fnv.New128a(), o.tables()
	fmt.Fprintf(h, "%q", o.main)
	for _, name := range slices.Sorted(maps.Keys(o.files)) {
		if !tables[name] || name == o.main {
			fmt.Fprintf(h, "%q%q", name, o.files[name])
		} else {
			fmt.Fprintf(h, "%q", name)
		}
	}
	h.Sum(sum[:0])
	return sum
}

// check replaces the text of the problem file.
func (s *Session) check(text string) (*Problem, error) {
	open, _, _ := s.snapshot()
	if open == nil {
		return nil, errors.New("no problem is open")
	}
	files := maps.Clone(open.files)
	files[open.main] = text
	if err := s.limits.check(files, open.main); err != nil {
		return nil, err
	}
	next := s.limits.read(files, open.main, open.file)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open, s.edits = next, nil
	return s.problem(), nil
}
