package results

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// frail is a disk on which an operation fails after some time: that one, or all from there on, as
// when the program is killed.
type frail struct {
	theDisk
	left     *int // operations until then
	killed   bool
	linkless bool
	done     []string
}

var errFrail = errors.New("input/output error")

func (d *frail) fails(what string) bool {
	d.done = append(d.done, what)
	*d.left--
	return *d.left == -1 || d.killed && *d.left < 0
}

func (d *frail) create(path string, mode fs.FileMode) (file, error) {
	if d.fails("create") {
		return nil, errFrail
	}
	f, err := d.theDisk.create(path, mode)
	return &frailFile{f, d}, err
}

func (d *frail) mkdir(path string) error {
	if d.fails("mkdir") {
		return errFrail
	}
	return d.theDisk.mkdir(path)
}

func (d *frail) link(from, to string) error {
	if d.fails("link") {
		return errFrail
	}
	if d.linkless {
		return fs.ErrPermission
	}
	return d.theDisk.link(from, to)
}

func (d *frail) symlink(target, path string) error {
	if d.fails("symlink") {
		return errFrail
	}
	return d.theDisk.symlink(target, path)
}

func (d *frail) rename(from, to string) error {
	if d.fails("rename") {
		return errFrail
	}
	return d.theDisk.rename(from, to)
}

func (d *frail) remove(path string) error {
	if d.fails("remove") {
		return errFrail
	}
	return d.theDisk.remove(path)
}

func (d *frail) sync(path string) error {
	if d.fails("sync") {
		return errFrail
	}
	return d.theDisk.sync(path)
}

func (d *frail) lock(path string, wait bool) (io.Closer, error) {
	if d.fails("lock") {
		return nil, errFrail
	}
	return d.theDisk.lock(path, wait)
}

type frailFile struct {
	file
	disk *frail
}

// Write writes one half if it fails.
func (f *frailFile) Write(text []byte) (int, error) {
	if f.disk.fails("write") {
		n, _ := f.file.Write(text[:len(text)/2])
		return n, errFrail
	}
	return f.file.Write(text)
}

func (f *frailFile) Sync() error {
	if f.disk.fails("file sync") {
		return errFrail
	}
	return f.file.Sync()
}

func (f *frailFile) Close() error {
	failed := f.disk.fails("close")
	err := f.file.Close()
	if failed {
		return errFrail
	}
	return err
}

// seen is the content of the files of a result, "-" for missing ones.
func seen(directory string, names []string) string {
	all := ""
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil {
			content = []byte("-")
		}
		all += string(content) + " "
	}
	return all
}

// Whatever operation fails, and wherever the program is killed, the folder shows the old result or the
// new one, and the user's own files. The next program leaves plain files and nothing else.
func TestEveryFaultLeavesOneResultWhole(t *testing.T) {
	names := []string{"a", "b", "c"}
	own := []string{"own", "sub", "sub/own"}
	for _, killed := range []bool{false, true} {
		tried := map[string]bool{}
		for at := 0; ; at++ {
			directory := t.TempDir()
			if err := os.Mkdir(filepath.Join(directory, "sub"), 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(directory, "own"), "mine")
			put(t, filepath.Join(directory, "sub", "own"), "mine")
			for _, name := range names[:2] { // c is new
				put(t, filepath.Join(directory, name), "old")
			}
			left := at
			d := &frail{left: &left, killed: killed}
			err := replace(d, directory, "new", names...)
			if left >= 0 {
				if err != nil {
					t.Fatalf("nothing failed, and yet %v", err)
				}
				break
			}
			tried[d.done[at]] = true
			before := seen(directory, names)
			if before != "old old - " && before != "new new new " {
				t.Errorf("killed %t, operation %d, %s: the folder shows %s", killed, at, d.done[at], before)
			}
			if err == nil && before != "new new new " {
				t.Errorf("killed %t, operation %d, %s: no error, but the folder shows %s", killed, at, d.done[at], before)
			}
			// The next program that writes something there settles it.
			if err := replace(theDisk{}, directory, "other", "other"); err != nil {
				t.Fatal(err)
			}
			if after := seen(directory, names); after != before {
				t.Errorf("killed %t, operation %d, %s: %s has become %s", killed, at, d.done[at], before, after)
			}
			want := append([]string{"a", "b", "other"}, own...)
			if before == "new new new " {
				want = append(want, "c")
			}
			slices.Sort(want)
			if got := listing(t, directory); !slices.Equal(got, want) {
				t.Errorf("killed %t, operation %d, %s: left %v, want %v", killed, at, d.done[at], got, want)
			}
			for _, name := range append(names[:2:2], own...) {
				if info, err := os.Lstat(filepath.Join(directory, name)); err != nil || info.Mode()&fs.ModeSymlink != 0 {
					t.Errorf("killed %t, operation %d: %s is %v, %v", killed, at, name, info, err)
				}
			}
		}
		for _, what := range []string{"create", "mkdir", "link", "symlink", "rename", "remove", "sync", "lock", "write", "file sync", "close"} {
			if !tried[what] {
				t.Errorf("no %s has failed", what)
			}
		}
	}
}

// Without hard links a killed program may leave some files to be renamed, which the next one does.
func TestEveryFaultWithoutLinksIsMended(t *testing.T) {
	names := []string{"a", "b", "c"}
	mixed := 0
	for at := 0; ; at++ {
		directory := t.TempDir()
		for _, name := range names[:2] {
			put(t, filepath.Join(directory, name), "old")
		}
		left := at
		d := &frail{left: &left, killed: true, linkless: true}
		err := replace(d, directory, "new", names...)
		if left >= 0 {
			if err != nil {
				t.Fatalf("nothing failed, and yet %v", err)
			}
			break
		}
		before := seen(directory, names)
		if err := replace(theDisk{}, directory, "other", "other"); err != nil {
			t.Fatal(err)
		}
		switch after := seen(directory, names); {
		case after != "old old - " && after != "new new new ":
			t.Errorf("operation %d, %s: the folder shows %s", at, d.done[at], after)
		case before != after:
			mixed++
		}
	}
	if mixed == 0 {
		t.Error("nothing was ever to be mended")
	}
}

// A single file is old or new, and the next program removes what is left of the staging.
func TestEveryFaultLeavesOneFileWhole(t *testing.T) {
	for _, killed := range []bool{false, true} {
		for at := 0; ; at++ {
			directory := t.TempDir()
			path := filepath.Join(directory, "a")
			put(t, path, "old")
			left := at
			d := &frail{left: &left, killed: killed}
			err := writeFile(d, path, say("new"))
			if left >= 0 {
				if err != nil {
					t.Fatalf("nothing failed, and yet %v", err)
				}
				break
			}
			if got := read(path); got != "old" && got != "new" || err == nil && got != "new" {
				t.Errorf("killed %t, operation %d, %s: %q, %v", killed, at, d.done[at], got, err)
			}
			if err := WriteFile(path, say("newer")); err != nil {
				t.Fatal(err)
			}
			if got := listing(t, directory); !slices.Equal(got, []string{"a"}) {
				t.Errorf("killed %t, operation %d, %s: left %v", killed, at, d.done[at], got)
			}
		}
	}
}
