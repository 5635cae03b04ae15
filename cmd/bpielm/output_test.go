package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// listing is every path below a directory.
func listing(t *testing.T, directory string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(directory, func(path string, _ os.DirEntry, err error) error {
		if path != directory {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestBatchAppearsTogether(t *testing.T) {
	root := t.TempDir()
	directory := filepath.Join(root, "a", "b")
	b, err := newBatch(directory)
	if err != nil {
		t.Fatal(err)
	}
	defer b.discard()
	for _, name := range []string{"one", "two"} {
		if err := b.write(name, say(name)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(directory, name)); err == nil {
			t.Errorf("%s appears before commit", name)
		}
	}
	paths, err := b.commit()
	if err != nil || len(paths) != 2 {
		t.Fatalf("commit returns %v, %v", paths, err)
	}
	b.discard()
	if got := listing(t, directory); len(got) != 2 {
		t.Errorf("after commit: %v", got)
	}
	for _, path := range paths {
		if content, err := os.ReadFile(path); err != nil || string(content) != filepath.Base(path) {
			t.Errorf("%s contains %q, %v", path, content, err)
		}
	}
}

func TestDiscardLeavesNothing(t *testing.T) {
	root := t.TempDir()
	b, err := newBatch(filepath.Join(root, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.write("one", say("one")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err = b.write("two", func(w io.Writer) error {
		io.WriteString(w, "half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("write returns %v", err)
	}
	b.discard()
	if got := listing(t, root); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestDiscardKeepsWhatWasThere(t *testing.T) {
	root := t.TempDir()
	old := filepath.Join(root, "one")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := newBatch(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.write("one", say("new")); err != nil {
		t.Fatal(err)
	}
	b.discard()
	if content, _ := os.ReadFile(old); string(content) != "old" || len(listing(t, root)) != 1 {
		t.Errorf("the old file has become %q among %v", content, listing(t, root))
	}
}

func TestBatchNeedsADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, directory := range []string{file, filepath.Join(file, "below")} {
		if _, err := newBatch(directory); err == nil {
			t.Errorf("%s is accepted", directory)
		}
	}
}
