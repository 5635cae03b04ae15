// Package atomicfile replaces a file as a whole: whenever the machine stops, the
// file holds what it held before or all that is new.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write replaces the file at path by what fill writes; a symbolic link stays and what
// it points to is replaced. The new content goes to path.tmp first, so that what an
// earlier run has left there is overwritten and not left for ever. It fails where there
// is something at path that is no regular file.
func Write(path string, fill func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
	}
	temporary := path + ".tmp"
	err := write(temporary, fill)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// write leaves the content on the disk itself.
func write(path string, fill func(io.Writer) error) error {
	os.Remove(path) // what is left of an earlier run; not through a link
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(file)
	err = fill(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncDirectory makes the new name last. Not every system can.
func syncDirectory(path string) error {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "freebsd" {
		return nil
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
