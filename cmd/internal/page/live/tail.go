package live

import (
	"io"
	"os"
	"time"
)

// Tail reads a file to its end, and then what is appended to it, until it is closed. A file that another one replaces, or
// that is emptied, as logs are rotated, is read from its beginning. What is no regular file is read to its end.
type Tail struct {
	path  string
	file  *os.File
	grows bool // it is a regular file
	at    int64
	stop  chan struct{}
}

// patience is how often a file is looked at when it does not grow.
const patience = 200 * time.Millisecond

// OpenTail opens a file. It fails as os.Open does.
func OpenTail(path string) (*Tail, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = &os.PathError{Op: "open", Path: path, Err: errIsDirectory}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Tail{path: path, file: file, grows: info.Mode().IsRegular(), stop: make(chan struct{})}, nil
}

type stringError string

func (e stringError) Error() string { return string(e) }

const errIsDirectory = stringError("is a directory; a file of readings is expected")

// Read implements io.Reader. It waits for more at the end of a file that may grow.
func (t *Tail) Read(p []byte) (int, error) {
	for {
		n, err := t.file.Read(p)
		t.at += int64(n)
		if n > 0 || err != io.EOF || !t.grows {
			return n, err
		}
		select {
		case <-t.stop:
			t.file.Close()
			return 0, io.EOF
		case <-time.After(patience):
		}
		if err := t.renew(); err != nil {
			return 0, err
		}
	}
}

// renew begins again where the file has been replaced or emptied.
func (t *Tail) renew() error {
	own, err := t.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(t.path); err == nil && !os.SameFile(own, there) && there.Mode().IsRegular() {
		file, err := os.Open(t.path)
		if err != nil {
			return nil // it is being replaced
		}
		t.file.Close()
		t.file, t.at = file, 0
		return nil
	}
	if own.Size() < t.at {
		t.at, err = t.file.Seek(0, io.SeekStart)
	}
	return err
}

// Close ends a read that waits for the file to grow, and later ones. It is called once, from any goroutine.
func (t *Tail) Close() error {
	close(t.stop)
	return nil
}
