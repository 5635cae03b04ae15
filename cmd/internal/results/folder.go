package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A Folder is a directory that is about to get a new result. It holds a lock: other
// programs that open the same directory wait. It is not safe for concurrent use.
type Folder struct {
	disk    disk
	path    string
	created []string // directories that were made for it, outermost first
	names   []string // of the files, in the order they were written
	lock    io.Closer
}

// Open opens the directory, and makes it if it does not exist. If an earlier program was
// killed during a commit, Open first completes or undoes that commit.
func Open(path string) (*Folder, error) { return open(theDisk{}, path) }

// Check reports, before long work begins, whether a directory can be written to and
// files of these names can be replaced there. It leaves nothing behind, but like Open it
// settles an interrupted commit.
func Check(path string, names ...string) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	for _, name := range names {
		if _, err := replaceable(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

func open(d disk, path string) (*Folder, error) {
	f := &Folder{disk: d, path: path}
	if err := f.begin(); err != nil {
		f.Discard()
		return nil, err
	}
	return f, nil
}

// begin waits until no other program is writing to the directory.
func (f *Folder) begin() error {
	var lock io.Closer
	for {
		busy, err := f.tryToBegin(lock)
		if !busy || err != nil {
			return err
		}
		if lock, err = f.disk.lock(f.at(), true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		} // if it does not exist, the program that held it has just removed it
	}
}

// errLocked says that another program holds a lock.
var errLocked = errors.New("another program may be writing it")

// tryToBegin makes the staging directory and claims it, with the lock if there is one
// already. busy says that another program has it. An interruption waits meanwhile:
// otherwise it would not know of what has just been made.
func (f *Folder) tryToBegin(lock io.Closer) (busy bool, err error) {
	turn.Lock()
	defer turn.Unlock()
	unfinished[f] = true
	created, err := makeDirectories(f.disk, f.path)
	f.created = append(f.created, created...)
	if err != nil {
		return false, err
	}
	if info, err := os.Stat(f.path); err != nil {
		return false, err
	} else if !info.IsDir() {
		return false, &fs.PathError{Op: "open", Path: f.path, Err: errors.New("not a directory")}
	}
	if f.lock = lock; lock == nil {
		if busy, err := f.claim(); busy || err != nil {
			return busy, err
		}
	}
	if err := f.settle(); err != nil {
		return false, err
	}
	return false, f.disk.mkdir(f.at(fresh))
}

// makeDirectories makes the directories on a path that do not exist, and returns them,
// outermost first.
func makeDirectories(d disk, path string) (created []string, err error) {
	var missing []string
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			break
		}
		missing = append(missing, path)
	}
	for _, path := range slices.Backward(missing) {
		if err := d.mkdir(path); err != nil {
			return created, err
		}
		created = append(created, path)
	}
	return created, nil
}

// removeDirectories removes those of the directories that are empty.
func removeDirectories(d disk, created []string) {
	for _, path := range slices.Backward(created) {
		d.remove(path)
	}
}

// claim makes the staging directory and locks it, unless another program has.
func (f *Folder) claim() (busy bool, err error) {
	path := f.at()
	if err := f.disk.mkdir(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		return false, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a directory")}
	}
	lock, err := f.disk.lock(path, false)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	f.lock = lock
	return false, nil
}

// Write adds a file whose content fill produces, with the permissions of the file that
// it will replace. Only regular files can be replaced together; others are refused.
func (f *Folder) Write(name string, fill func(io.Writer) error) error {
	path := filepath.Join(f.path, name)
	mode, err := replaceable(path)
	if err != nil {
		return err
	}
	f.names = append(f.names, name)
	if err := writeInTurn(f.disk, f.at(fresh, name), mode, fill); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// replaceable returns the permissions of a regular file, 0 if there is none.
func replaceable(path string) (fs.FileMode, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, &fs.PathError{Op: "replace", Path: path, Err: fmt.Errorf("it is %s; the files of a result are replaced together, and only regular files can be", kind(info.Mode()))}
	}
	return info.Mode().Perm(), nil
}

// kind says in words what a file is.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}

// Commit replaces the old result by the new one and returns the paths of its files. If
// it fails, the folder holds one of the two.
func (f *Folder) Commit() ([]string, error) {
	turn.Lock() // an interruption waits
	defer turn.Unlock()
	if err := f.exchange(); err != nil {
		return nil, err
	}
	f.created = nil
	f.release()
	var paths []string
	for _, name := range f.names {
		paths = append(paths, filepath.Join(f.path, name))
	}
	keep(paths...)
	return paths, nil
}

// Discard removes what has not been committed. It does nothing after Commit has succeeded.
func (f *Folder) Discard() {
	turn.Lock()
	defer turn.Unlock()
	f.discard()
}

func (f *Folder) discard() {
	delete(unfinished, f)
	if f.lock != nil {
		f.settle()
		f.release()
	}
	removeDirectories(f.disk, f.created)
	f.created = nil
}

// release removes the staging directory, which is empty, and the lock.
func (f *Folder) release() {
	delete(unfinished, f)
	f.disk.remove(f.at())
	f.lock.Close()
	f.lock = nil
}

// Unfinished work and committed files, for Abandon.
var (
	turn       sync.Mutex
	unfinished = map[interface{ discard() }]bool{}
	kept       []string
)

// keep records committed files, each of them once.
func keep(paths ...string) {
	for _, path := range paths {
		if !slices.Contains(kept, path) {
			kept = append(kept, path)
		}
	}
}

func register(work interface{ discard() }) {
	turn.Lock()
	defer turn.Unlock()
	unfinished[work] = true
}

// Abandon is for a program that is about to exit. It waits for a commit that is under
// way, discards what has not been committed, and returns the paths of what has. Nothing
// can be committed after it.
func Abandon() []string {
	turn.Lock()
	discardAll()
	return kept
}

func discardAll() {
	for work := range unfinished {
		work.discard()
	}
}
