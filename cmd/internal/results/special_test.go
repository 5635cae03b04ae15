//go:build linux

package results

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A named pipe gets the content and stays a pipe, also behind a link.
func TestAPipeIsWrittenTo(t *testing.T) {
	root := t.TempDir()
	path, link := filepath.Join(root, "pipe"), filepath.Join(root, "link")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("pipe", link); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{path, link} {
		got := make(chan string)
		go func() {
			content, _ := os.ReadFile(path)
			got <- string(content)
		}()
		if err := WriteFile(to, say("new")); err != nil {
			t.Fatal(err)
		}
		if content := <-got; content != "new" {
			t.Errorf("read %q", content)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Fatalf("the pipe has become %v, %v", info, err)
		}
	}
}

// A device is written to: /dev/null takes everything, /dev/full nothing.
func TestADeviceIsWrittenTo(t *testing.T) {
	root := t.TempDir()
	null, full := filepath.Join(root, "null"), filepath.Join(root, "full")
	for path, minor := range map[string]int{null: 3, full: 7} {
		if err := syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|minor); err != nil {
			t.Skip(err)
		}
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil { // a container may not let it be used
			t.Skip(err)
		} else {
			f.Close()
		}
	}
	if err := WriteFile(null, say("new")); err != nil {
		t.Error(err)
	}
	if err := WriteFile(full, say("new")); err == nil {
		t.Error("a full device takes more")
	}
	for _, path := range []string{null, full} {
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
			t.Errorf("the device has become %v, %v", info, err)
		}
		if err := replace(theDisk{}, root, "new", filepath.Base(path)); err == nil {
			t.Errorf("%s is replaced with the rest of a result", path)
		}
	}
}

// The name of an open file, such as /dev/fd/N, stands for what is open.
func TestAnOpenPipeIsWrittenTo(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	name := filepath.Join("/proc/self/fd", fmt.Sprint(w.Fd()))
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(name, say("new")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if content, _ := io.ReadAll(r); string(content) != "new" {
		t.Errorf("read %q", content)
	}
}

// A program that opens a folder waits until another one has finished writing to it.
func TestAFolderHasOneWriter(t *testing.T) {
	directory := t.TempDir()
	first, err := Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Discard()
	if err := first.Write("a", say("first")); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- replace(theDisk{}, directory, "second", "a") }()
	select {
	case err := <-ended:
		t.Fatalf("the second has not waited: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if _, err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := listing(t, directory); len(got) != 1 || read(filepath.Join(directory, "a")) != "second" {
		t.Errorf("%v, %q", got, read(filepath.Join(directory, "a")))
	}
}
