package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestFileIsReplacedAsAWhole(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "state")
	holds := func(want string, files int) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("found %q, %v; want %q", got, err, want)
		}
		if entries, _ := os.ReadDir(directory); len(entries) != files {
			t.Errorf("found %v", entries)
		}
	}
	if err := Write(path, text("one")); err != nil {
		t.Fatal(err)
	}
	holds("one", 1)
	failure := errors.New("half way")
	err := Write(path, func(w io.Writer) error {
		io.WriteString(w, "two")
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	holds("one", 1)
	// What a run that was killed has left.
	if err := os.WriteFile(path+".tmp", []byte("a longer text that is not complete"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, text("three")); err != nil {
		t.Fatal(err)
	}
	holds("three", 1)
	link := filepath.Join(directory, "link")
	if err := os.Symlink("state", link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, text("four")); err != nil {
		t.Fatal(err)
	}
	holds("four", 2)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is replaced: %v, %v", info, err)
	}
}

func TestWhatIsNoFileIsNotReplaced(t *testing.T) {
	directory := t.TempDir()
	if err := Write(directory, text("x")); err == nil {
		t.Error("a directory is replaced")
	}
	if err := Write(filepath.Join(directory, "absent", "state"), text("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if info, err := os.Stat(os.DevNull); err == nil && info.Mode()&os.ModeDevice != 0 {
		if err := Write(os.DevNull, text("x")); err == nil {
			t.Error("a device is replaced")
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&os.ModeDevice == 0 {
			t.Fatal("the null device is gone")
		}
	}
}
