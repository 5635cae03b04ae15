//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package results

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

func (theDisk) lock(path string, wait bool) (io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err = flock(f, wait); err == nil {
		// The file may have been removed meanwhile.
		var locked, now fs.FileInfo
		if locked, err = f.Stat(); err == nil {
			if now, err = os.Lstat(path); err == nil && !os.SameFile(locked, now) {
				err = fs.ErrNotExist
			}
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// flock locks an open file. On a file system without locks it does nothing.
func flock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errLocked
		default:
			return nil
		}
	}
}
