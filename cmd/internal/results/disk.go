package results

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// disk is all that this package does to files. A test can make any of it fail.
type disk interface {
	create(path string, mode fs.FileMode) (file, error) // it must not exist; mode 0 is the default
	mkdir(path string) error
	link(from, to string) error
	symlink(target, path string) error
	rename(from, to string) error
	remove(path string) error
	sync(directory string) error
	// lock locks an existing file or directory until the lock is closed or the program
	// ends. If another program holds it, lock waits or fails.
	lock(path string, wait bool) (io.Closer, error)
}

type file interface {
	io.Writer
	Sync() error
	Close() error
}

// write creates a file with the content that fill produces, and syncs it to the disk.
func write(d disk, path string, mode fs.FileMode, fill func(io.Writer) error) error {
	f, err := d.create(path, mode)
	if err != nil {
		return err
	}
	return complete(f, fill)
}

// writeInTurn is write where Abandon may be called meanwhile. The file is created in turn:
// either Abandon sees it, and removes it, or it is never created.
func writeInTurn(d disk, path string, mode fs.FileMode, fill func(io.Writer) error) error {
	turn.Lock()
	f, err := d.create(path, mode)
	turn.Unlock()
	if err != nil {
		return err
	}
	return complete(f, fill)
}

// complete writes, syncs and closes a file.
func complete(f file, fill func(io.Writer) error) (err error) {
	if fill != nil {
		buffer := bufio.NewWriter(f)
		if err = fill(buffer); err == nil {
			err = buffer.Flush()
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// theDisk is the real disk.
type theDisk struct{}

func (theDisk) create(path string, mode fs.FileMode) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

func (theDisk) mkdir(path string) error           { return os.Mkdir(path, 0o777) }
func (theDisk) link(from, to string) error        { return os.Link(from, to) }
func (theDisk) symlink(target, path string) error { return os.Symlink(target, path) }
func (theDisk) rename(from, to string) error      { return os.Rename(from, to) }
func (theDisk) remove(path string) error          { return os.Remove(path) }

// sync syncs the names in a directory to the disk, on systems that can do that.
func (theDisk) sync(directory string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(directory)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
