package results

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAFileAppearsWhole(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "b")
	broken := errors.New("broken")
	if err := WriteFile(path, func(w io.Writer) error { io.WriteString(w, "half"); return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if got := listing(t, root); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
	if err := WriteFile(path, say("new")); err != nil || read(path) != "new" {
		t.Errorf("%q, %v", read(path), err)
	}
	if err := WriteFile(root, say("new")); err == nil {
		t.Error("a directory is replaced")
	}
	long := filepath.Join(root, strings.Repeat("n", 255))
	if err := WriteFile(long, say("new")); err != nil {
		t.Error(err)
	}
}

// A file behind links is replaced where it is, and keeps its permissions. The links stay.
func TestLinksAreFollowed(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "deep", "file")
	put(t, file, "old")
	for name, to := range map[string]string{"first": "second", "second": filepath.Join("deep", "third"), "deep/third": "file", "dangling": "deep/made", "circle": "circle"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	for name, behind := range map[string]string{"first": file, "dangling": filepath.Join(root, "deep", "made")} {
		path := filepath.Join(root, name)
		if err := WriteFile(path, say("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s has become %v, %v", name, info, err)
		}
		if info, err := os.Lstat(behind); err != nil || !info.Mode().IsRegular() || read(behind) != "new" {
			t.Errorf("behind %s: %v, %v, %q", name, info, err, read(behind))
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := WriteFile(filepath.Join(root, "circle"), say("new")); err == nil {
		t.Error("a circle of links leads to a file")
	}
	if got := listing(t, filepath.Join(root, "deep")); !slices.Equal(got, []string{"file", "made", "third"}) {
		t.Errorf("left behind: %v", got)
	}
}

// Temporary files of a killed program are removed, those that another program is writing are not.
func TestStaleStagingIsRemoved(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "file")
	err := WriteFile(path, func(w io.Writer) error {
		names := listing(t, root)
		if len(names) != 1 {
			t.Fatalf("while it is written: %v", names)
		}
		put(t, filepath.Join(root, names[0][:len(names[0])-1]+"x"), "half") // killed
		if err := WriteFile(path, say("other")); err != nil {
			return err
		}
		if got := listing(t, root); !slices.Equal(got, []string{names[0], "file"}) {
			t.Errorf("beside one that is being written: %v", got)
		}
		return say("new")(w)
	})
	if err != nil || read(path) != "new" {
		t.Errorf("%q, %v", read(path), err)
	}
	if got := listing(t, root); !slices.Equal(got, []string{"file"}) {
		t.Errorf("left behind: %v", got)
	}
}
