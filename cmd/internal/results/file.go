package results

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes a file that appears only when it is complete, with the permissions of
// the file that it replaces. It follows symbolic links and replaces the file behind
// them. A device, a named pipe or the like is written to, never replaced. WriteFile makes
// missing directories.
func WriteFile(path string, fill func(io.Writer) error) error {
	return writeFile(theDisk{}, path, fill)
}

func writeFile(d disk, path string, fill func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("is a directory")}
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(path, fill)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	target, err := behindLinks(path)
	if err != nil {
		return err
	}
	w := &single{disk: d, target: target}
	defer w.Discard()
	if err := w.write(fill); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return w.commit(path)
}

// writeThrough writes to a device or the like.
func writeThrough(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(f)
	if err = fill(buffer); err == nil {
		err = buffer.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// behindLinks returns the file that a path leads to, which need not exist.
func behindLinks(path string) (string, error) {
	const most = 40 // links, as in Linux
	at := path
	for range most {
		to, err := os.Readlink(at)
		switch {
		case err != nil: // not a link, or nothing
			return at, nil
		case !filepath.IsAbs(to):
			to = filepath.Join(filepath.Dir(at), to)
		}
		at = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many symbolic links")}
}

// single is one file that is about to be replaced.
type single struct {
	disk    disk
	target  string
	created []string
	staged  string // "" once it has its own name
	lock    io.Closer
}

func (w *single) write(fill func(io.Writer) error) error {
	directory := filepath.Dir(w.target)
	mode, err := replaceable(w.target)
	if err != nil {
		return err
	}
	if w.created, err = makeDirectories(w.disk, directory); err != nil {
		return err
	}
	// The length of the temporary name does not depend on that of the file's. Those that
	// other programs left for this file are recognised by the first half.
	hash := fnv.New64a()
	io.WriteString(hash, filepath.Base(w.target))
	prefix := fmt.Sprintf(".bpielm-%016x-", hash.Sum64())
	w.removeStale(directory, prefix)
	w.staged = filepath.Join(directory, fmt.Sprintf("%s%016x", prefix, rand.Uint64()))
	register(w)
	return writeInTurn(w.disk, w.staged, mode, func(out io.Writer) (err error) {
		if w.lock, err = w.disk.lock(w.staged, true); err != nil {
			return err
		}
		return fill(out)
	})
}

// removeStale removes temporary files of programs that were killed: those that nobody
// has locked.
func (w *single) removeStale(directory, prefix string) {
	entries, _ := os.ReadDir(directory)
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(directory, e.Name())
		if lock, err := w.disk.lock(path, false); err == nil {
			w.disk.remove(path)
			lock.Close()
		}
	}
}

func (w *single) commit(path string) error {
	turn.Lock()
	defer turn.Unlock()
	if err := w.disk.rename(w.staged, w.target); err != nil {
		return err
	}
	w.staged, w.created = "", nil
	keep(path)
	return w.disk.sync(filepath.Dir(w.target))
}

// Discard removes what has not been committed, and ends the work.
func (w *single) Discard() {
	turn.Lock()
	defer turn.Unlock()
	w.discard()
}

func (w *single) discard() {
	delete(unfinished, w)
	if w.staged != "" {
		w.disk.remove(w.staged)
	}
	if w.lock != nil {
		w.lock.Close()
		w.lock = nil
	}
	removeDirectories(w.disk, w.created)
	w.staged, w.created = "", nil
}
