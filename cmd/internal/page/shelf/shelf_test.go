package shelf

import (
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/system/spec"
)

// folder writes files, by their slash-separated paths, and returns the folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func problem(title, table string) string {
	return "title = \"" + title + "\"\n[variables]\nx = [0, 1]\n[[equation]]\npde = \"u_xx = 0\"\n[[sensors]]\nfile = \"" + table + "\"\nsigma = 0.1\n"
}

const table = "x,value\n0,1\n1,2\n"

func open(t *testing.T, name string) *Shelf {
	t.Helper()
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func names(files map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(files)), " ")
}

// TestProblemsOfAFolder are listed with their titles, that of the folder itself first, and taken with their tables.
func TestProblemsOfAFolder(t *testing.T) {
	root := folder(t, map[string]string{
		"b.toml": problem("A \\\"b\\\"", "data/b.csv"), "data/b.csv": table, "problem.toml": problem("its own", "a.csv"), "a.csv": table,
		"other.toml": "[tool]\nx = 1\n", "deep/c.toml": problem("c", "../a.csv"), "deep/d.toml": problem("d", "d.csv"), "deep/d.csv": table,
		".hidden/e.toml": problem("e", "e.csv"), "1/2/3/4/5/f.toml": problem("f", "f.csv"), "notes.txt": "",
	})
	s := open(t, root)
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name+": "+e.Title)
	}
	if want := "problem.toml: its own; b.toml: A \"b\"; deep/c.toml: c; deep/d.toml: d"; strings.Join(got, "; ") != want {
		t.Errorf("found %q", got)
	}
	for name, want := range map[string][2]string{
		"problem.toml": {"problem.toml", "a.csv problem.toml"},
		"b.toml":       {"b.toml", "b.toml data/b.csv"},
		"deep/d.toml":  {"d.toml", "d.csv d.toml"},
		"deep/c.toml":  {"deep/c.toml", "a.csv deep/c.toml"},
	} {
		files, main, err := s.Take(name)
		if err != nil || main != want[0] || names(files) != want[1] {
			t.Errorf("%s: %v, %s of %s", name, err, main, names(files))
		}
		f := fstest.MapFS{}
		for name, text := range files {
			f[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := spec.ReadFS(f, main, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAProblemAlone: nothing else of its folder can be had.
func TestAProblemAlone(t *testing.T) {
	root := folder(t, map[string]string{"mine.txt": problem("mine", "a.csv"), "a.csv": table, "problem.toml": problem("other", "a.csv")})
	s := open(t, filepath.Join(root, "mine.txt"))
	list, err := s.List()
	if err != nil || len(list) != 1 || list[0].Name != "mine.txt" || list[0].Title != "mine" {
		t.Errorf("%v, %v", list, err)
	}
	if files, main, err := s.Take("mine.txt"); err != nil || main != "mine.txt" || names(files) != "a.csv mine.txt" {
		t.Errorf("%v: %s of %s", err, main, names(files))
	}
	for _, other := range []string{"problem.toml", "a.csv", "../mine.txt", "", "."} {
		if _, _, err := s.Take(other); err == nil {
			t.Errorf("%q is taken", other)
		}
	}
}

// TestBrokenProblemsAreTakenWithTheirTables, so that they can be put right on the page.
func TestBrokenProblemsAreTakenWithTheirTables(t *testing.T) {
	root := folder(t, map[string]string{"problem.toml": problem("broken", "a.csv") + "unknown = 'b.csv'\n[[", "a.csv": table, "b.csv": table})
	if files, _, err := open(t, root).Take("problem.toml"); err != nil || names(files) != "a.csv b.csv problem.toml" {
		t.Errorf("%v: %s", err, names(files))
	}
	root = folder(t, map[string]string{"problem.toml": problem("without", "absent.csv")})
	if files, _, err := open(t, root).Take("problem.toml"); err != nil || names(files) != "problem.toml" {
		t.Errorf("%v: %s", err, names(files))
	}
}

// TestNothingOutsideTheFolderIsRead, whatever names and links say.
func TestNothingOutsideTheFolderIsRead(t *testing.T) {
	outside := folder(t, map[string]string{"secret.csv": table, "secret.toml": problem("secret", "secret.csv")})
	secret := filepath.ToSlash(filepath.Join(outside, "secret.csv"))
	root := folder(t, map[string]string{
		"problem.toml": problem("", "in/../../"+filepath.Base(outside)+"/secret.csv"), "in/x.toml": problem("", "../../../secret.csv"), "absolute.toml": problem("", secret),
		"link.toml": problem("", "link.csv"), "linked.toml": problem("", "linked/secret.csv"), "back.toml": problem("", "own.csv"), "a.csv": table,
	})
	for link, to := range map[string]string{"link.csv": filepath.Join(outside, "secret.csv"), "linked": outside, "secret.toml": filepath.Join(outside, "secret.toml"), "own.csv": "a.csv"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	s := open(t, root)
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		files, _, err := s.Take(e.Name)
		if want := 1; err != nil || len(files) != want && e.Name != "back.toml" {
			t.Errorf("%s: %v: %s", e.Name, err, names(files))
		}
		if strings.Contains(e.Name, "secret") {
			t.Errorf("%s is listed", e.Name)
		}
	}
	if files, _, _ := s.Take("back.toml"); names(files) != "back.toml own.csv" {
		t.Errorf("a link within the folder: %s", names(files))
	}
	for _, name := range []string{"secret.toml", "../secret.toml", "linked/secret.toml", outside + "/secret.toml", "in/../../x", "problem.toml\x00", "C:\\x", ""} {
		if _, _, err := s.Take(name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

// TestTextsAreDecoded as package readings reads them.
func TestTextsAreDecoded(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(table))
	z.Close()
	utf := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("Größe\r\n")) {
		utf = append(utf, byte(u), byte(u>>8))
	}
	big := []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune("x,é😀")) {
		big = append(big, byte(u>>8), byte(u))
	}
	for text, want := range map[string]string{
		zipped.String(): table, string(utf): "Größe\r\n", string(big): "x,é😀", "Gr\xf6\xdfe \x80\nü\n": "Größe €\nü\n", "plain": "plain", "": "", "\ufeffx": "\ufeffx",
	} {
		if got, err := decoded(strings.NewReader(text), 1000); err != nil || got != want {
			t.Errorf("%q: %v, %q", text, err, got)
		}
	}
	if _, err := decoded(strings.NewReader("\x1f\x8bgarbage"), 1000); err == nil {
		t.Error("a damaged file is read")
	}
}

// TestLargeFilesAreRefused, compressed ones too, before they are in memory.
func TestLargeFilesAreRefused(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		z.Write(make([]byte, 1<<20))
	}
	z.Close()
	half := "x,value\n" + strings.Repeat("# comment\n", mostBytes/20)
	for name, files := range map[string]map[string]string{
		"compressed": {"problem.toml": problem("", "a.csv"), "a.csv": bomb.String()},
		"together":   {"problem.toml": problem("", "a.csv") + "[[sensors]]\nfile = \"b.csv\"\nsigma=1\n[[sensors]]\nfile = \"c.csv\"\nsigma=1\n", "a.csv": half + "0,1\n", "b.csv": half + "0,1\n", "c.csv": half + "0,1\n"},
	} {
		if _, _, err := open(t, folder(t, files)).Take("problem.toml"); err == nil || !strings.Contains(err.Error(), "16 MiB") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	root := folder(t, map[string]string{"problem.toml": problem("", "a.csv"), "large.toml": problem("", "") + strings.Repeat("#", mostText)})
	if list, err := open(t, root).List(); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := Open(filepath.Join(root, "large.toml")); err == nil {
		t.Error("a large problem file is opened")
	}
}

// TestWhatIsNoProblem is refused by name.
func TestWhatIsNoProblem(t *testing.T) {
	root := folder(t, map[string]string{"a.csv": table})
	for name, want := range map[string]string{root: "no problem file", filepath.Join(root, "absent"): "absent", filepath.Join(root, "absent.toml"): "absent.toml"} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestAllExamplesAreTaken with all that they need.
func TestAllExamplesAreTaken(t *testing.T) {
	s := Of(problems.Files)
	list, err := s.List()
	if err != nil || len(list) < 20 {
		t.Fatalf("%d problems, %v", len(list), err)
	}
	if runtime.GOOS == "js" || testing.Short() {
		list = list[:8]
	}
	for _, e := range list {
		files, main, err := s.Take(e.Name)
		if err != nil || main != "problem.toml" || len(files) < 2 {
			t.Errorf("%s: %v, %s of %s", e.Name, err, main, names(files))
			continue
		}
		f := fstest.MapFS{}
		for name, text := range files {
			f[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := spec.ReadFS(f, main, nil); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
