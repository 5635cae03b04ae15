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
	"time"
)

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// listing is every path below a directory, relative to it.
func listing(t testing.TB, directory string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(directory, func(path string, _ os.DirEntry, err error) error {
		if path != directory {
			relative, _ := filepath.Rel(directory, path)
			paths = append(paths, relative)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// read is a file's content, "" where there is none.
func read(path string) string {
	content, _ := os.ReadFile(path)
	return string(content)
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// replace puts a new result with one content into a folder.
func replace(d disk, path, content string, names ...string) error {
	f, err := open(d, path)
	if err != nil {
		return err
	}
	defer f.Discard()
	for _, name := range names {
		if err := f.Write(name, say(content)); err != nil {
			return err
		}
	}
	_, err = f.Commit()
	return err
}

func TestAResultAppearsWhole(t *testing.T) {
	root := t.TempDir()
	directory := filepath.Join(root, "a", "b")
	f, err := Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	for _, name := range []string{"one", "two"} {
		if err := f.Write(name, say(name)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(filepath.Join(directory, name)); err == nil {
			t.Errorf("%s appears before Commit", name)
		}
	}
	paths, err := f.Commit()
	if want := []string{filepath.Join(directory, "one"), filepath.Join(directory, "two")}; err != nil || !slices.Equal(paths, want) {
		t.Fatalf("Commit returns %v, %v", paths, err)
	}
	f.Discard()
	if got := listing(t, directory); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("after Commit: %v", got)
	}
	for _, path := range paths {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || read(path) != filepath.Base(path) {
			t.Errorf("%s: %v, %v, %q", path, info, err, read(path))
		}
	}
}

// A file that is written repeatedly is recorded once: a program may run for years.
func TestWhatIsKeptIsNamedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	for range 3 {
		if err := WriteFile(path, say("new")); err != nil {
			t.Fatal(err)
		}
	}
	named := 0
	for _, k := range kept {
		if k == path {
			named++
		}
	}
	if named != 1 {
		t.Errorf("it is named %d times", named)
	}
}

func TestDiscardLeavesNothing(t *testing.T) {
	root := t.TempDir()
	f, err := Open(filepath.Join(root, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write("one", say("one")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err = f.Write("two", func(w io.Writer) error {
		io.WriteString(w, "half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("Write returns %v", err)
	}
	f.Discard()
	if got := listing(t, root); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestDiscardKeepsWhatWasThere(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "one"), "old")
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write("one", say("new")); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	if got := listing(t, root); read(filepath.Join(root, "one")) != "old" || len(got) != 1 {
		t.Errorf("the old file has become %q among %v", read(filepath.Join(root, "one")), got)
	}
}

func TestAFolderNeedsADirectory(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "file")
	put(t, path, "")
	for _, directory := range []string{path, filepath.Join(path, "below")} {
		if _, err := Open(directory); err == nil {
			t.Errorf("%s is accepted", directory)
		}
	}
	// Nor is a user's link taken for one of this package.
	elsewhere := t.TempDir()
	put(t, filepath.Join(elsewhere, "mine"), "mine")
	if err := os.Symlink(elsewhere, filepath.Join(root, staging)); err != nil {
		t.Skip(err)
	}
	if _, err := Open(root); err == nil || read(filepath.Join(elsewhere, "mine")) != "mine" {
		t.Errorf("error %v; %q", err, read(filepath.Join(elsewhere, "mine")))
	}
}

// The directory itself may be a link, and a file keeps its permissions. Other than regular files are refused.
func TestWhatIsReplaced(t *testing.T) {
	root := t.TempDir()
	directory, link := filepath.Join(root, "directory"), filepath.Join(root, "link")
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("directory", link); err != nil {
		t.Skip(err)
	}
	put(t, filepath.Join(directory, "one"), "old")
	if err := replace(theDisk{}, link, "new", "one", "two"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(directory, "one")); err != nil || info.Mode().Perm() != 0o600 || read(filepath.Join(directory, "one")) != "new" {
		t.Errorf("%v, %v, %q", info, err, read(filepath.Join(directory, "one")))
	}
	if err := os.Symlink("/dev/null", filepath.Join(directory, "three")); err != nil {
		t.Fatal(err)
	}
	if err := replace(theDisk{}, directory, "newer", "one", "three"); err == nil || !strings.Contains(err.Error(), "three: it is a symbolic link") {
		t.Errorf("error %v", err)
	}
	if err := Check(directory, "two", "three"); err == nil || !strings.Contains(err.Error(), "three: it is a symbolic link") {
		t.Errorf("Check: %v", err)
	}
	if err := Check(filepath.Join(root, "none"), "one"); err != nil {
		t.Errorf("Check: %v", err)
	}
	if err := Check(filepath.Join(directory, "one"), "one"); err == nil {
		t.Error("Check takes a file for a directory")
	}
	if got := listing(t, root); !slices.Equal(got, []string{"directory", "directory/one", "directory/three", "directory/two", "link"}) {
		t.Errorf("left behind: %v", got)
	}
	if read(filepath.Join(directory, "one")) != "new" {
		t.Error("part of the result has been replaced")
	}
}

// A new file gets default permissions.
func TestNewFilesHaveUsualPermissions(t *testing.T) {
	directory := t.TempDir()
	usual, err := os.Create(filepath.Join(directory, "usual"))
	if err != nil {
		t.Fatal(err)
	}
	defer usual.Close()
	if err := replace(theDisk{}, directory, "new", "one"); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(directory, "single"), say("new")); err != nil {
		t.Fatal(err)
	}
	want, err := usual.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "single"} {
		if info, err := os.Stat(filepath.Join(directory, name)); err != nil || info.Mode() != want.Mode() {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want.Mode())
		}
	}
}

// sealed is a disk on which no directory can be made.
type sealed struct{ theDisk }

func (sealed) mkdir(path string) error {
	return &fs.PathError{Op: "mkdir", Path: path, Err: fs.ErrPermission}
}

// If no directory can be made, that is an error, and it is not tried for ever.
func TestFolderThatCannotBeWrittenTo(t *testing.T) {
	ended := make(chan error, 1)
	go func() {
		_, err := open(sealed{}, t.TempDir())
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

// interrupted is a disk on which the program is interrupted as soon as a directory is locked.
type interrupted struct {
	theDisk
	lockIt func()
}

func (d interrupted) lock(path string, wait bool) (io.Closer, error) {
	d.lockIt()
	return d.theDisk.lock(path, wait)
}

// An interruption knows of what has just been made: nothing is left.
func TestInterruptedWhileItBegins(t *testing.T) {
	root := t.TempDir()
	left := make(chan []string, 1)
	disk := interrupted{lockIt: func() {
		go func() { // as Abandon
			turn.Lock()
			defer turn.Unlock()
			discardAll()
			left <- listing(t, root)
		}()
		time.Sleep(50 * time.Millisecond)
	}}
	f, err := open(disk, filepath.Join(root, "new", "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if got := <-left; len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

// Once Abandon has begun, no file is created any more: it would be left behind.
func TestNothingIsCreatedAfterAbandon(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "out")
	f, err := Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write("a", func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	turn.Lock() // as Abandon does
	discardAll()
	ended := make(chan error, 1)
	go func() { ended <- f.Write("b", func(io.Writer) error { return nil }) }()
	select {
	case err := <-ended:
		t.Errorf("a file is written: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if _, err := os.Lstat(directory); err == nil {
		t.Error("the folder is left behind")
	}
	turn.Unlock()
	if err := <-ended; err == nil {
		t.Error("a file is written into a folder that is gone")
	}
}
