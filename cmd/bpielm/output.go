package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/bpielm/bpielm/cmd/bpielm/examples"
)

// A batch is a set of files of one directory that appear together: they are
// written under temporary names, commit gives them their own. Until then
// discard leaves everything as it was.
type batch struct {
	directory string
	created   []string // directories made for the batch, outermost first
	names     []string // of the files, in the order they were written
	temporary map[string]string
}

// newBatch makes the directory if it does not exist.
func newBatch(directory string) (*batch, error) {
	b := &batch{directory: directory, temporary: map[string]string{}}
	var missing []string
	for path := filepath.Clean(directory); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			break
		}
		missing = append([]string{path}, missing...)
	}
	for _, path := range missing {
		if err := os.Mkdir(path, 0o777); err != nil {
			b.discard()
			return nil, err
		}
		b.created = append(b.created, path)
	}
	info, err := os.Stat(directory)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: directory, Err: fmt.Errorf("not a directory")}
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// write adds a file whose content fill produces.
func (b *batch) write(name string, fill func(io.Writer) error) error {
	path := filepath.Join(b.directory, fmt.Sprintf(".%s.%016x.tmp", name, rand.Uint64()))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	b.names = append(b.names, name)
	b.temporary[name] = path
	buffer := bufio.NewWriter(file)
	err = fill(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(b.directory, name), err)
	}
	return nil
}

// commit gives the files their names and returns their paths.
func (b *batch) commit() ([]string, error) {
	var paths []string
	for _, name := range b.names {
		path := filepath.Join(b.directory, name)
		if err := os.Rename(b.temporary[name], path); err != nil {
			return paths, err
		}
		delete(b.temporary, name)
		paths = append(paths, path)
	}
	b.created = nil
	return paths, nil
}

// discard removes what has not been committed. It does nothing after a
// successful commit.
func (b *batch) discard() {
	for _, path := range b.temporary {
		os.Remove(path)
	}
	for i := len(b.created) - 1; i >= 0; i-- {
		os.Remove(b.created[i])
	}
}

// textFile is a file to be written.
type textFile struct {
	name    string
	content []byte
}

// writeProblem writes a problem's files into a directory, all or nothing, and says how to solve
// it. Files that exist are overwritten by force only.
func writeProblem(w io.Writer, directory string, files []textFile, force bool) error {
	if !force {
		for _, f := range files {
			path := filepath.Join(directory, f.name)
			if _, err := os.Lstat(path); err == nil {
				return refuse("%s exists; --force overwrites it", path)
			}
		}
	}
	b, err := newBatch(directory)
	if err != nil {
		return err
	}
	defer b.discard()
	for _, f := range files {
		err := b.write(f.name, func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		})
		if err != nil {
			return err
		}
	}
	written, err := b.commit()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\nbpielm solve %s solves it\n", strings.Join(written, "\n"), filepath.Join(directory, examples.ProblemFile))
	return err
}
