package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/bench/problems"
)

// execute runs the program in this process.
func execute(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err, nil)
	return status, out.String(), err.String()
}

// succeed runs the program, which must not complain, and returns its output.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := execute(args...)
	if status != 0 || stderr != "" {
		t.Fatalf("bpielm %s: status %d, stderr %q", strings.Join(args, " "), status, stderr)
	}
	return stdout
}

// refused runs the program, which must refuse its input: one line on standard error
// with all fragments, and nothing on standard output.
func refused(t *testing.T, args []string, fragments ...string) {
	t.Helper()
	status, stdout, stderr := execute(args...)
	if status != exitBadInput {
		t.Errorf("bpielm %s: status %d, want %d; stderr %q", strings.Join(args, " "), status, exitBadInput, stderr)
	}
	if stdout != "" {
		t.Errorf("bpielm %s: prints %q", strings.Join(args, " "), stdout)
	}
	if !strings.HasPrefix(stderr, "bpielm: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("bpielm %s: stderr is not one line of the program: %q", strings.Join(args, " "), stderr)
	}
	for _, f := range fragments {
		if !strings.Contains(stderr, f) {
			t.Errorf("bpielm %s: stderr %q does not contain %q", strings.Join(args, " "), stderr, f)
		}
	}
}

// writeExample puts an example into a new directory and returns the path of
// its problem file.
func writeExample(t *testing.T, name string, options ...string) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), name)
	succeed(t, append([]string{"example", name, directory}, options...)...)
	return filepath.Join(directory, problems.ProblemFile)
}

// edit replaces text in a file; it must be there.
func edit(t *testing.T, path, from, to string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(content, []byte(from)) {
		t.Fatalf("%s does not contain %q", path, from)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(content, []byte(from), []byte(to)), 0o600); err != nil {
		t.Fatal(err)
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

func TestHelp(t *testing.T) {
	general := succeed(t, "--help")
	for _, verb := range []string{"solve", "check", "compile", "assimilate", "place", "predict", "example", "serve", "cpu"} {
		if !strings.Contains(general, "\n  "+verb+" ") {
			t.Errorf("--help does not list %s", verb)
		}
		help := succeed(t, verb, "--help")
		if !strings.Contains(help, "Usage: bpielm "+verb) || !strings.Contains(help, "bpielm "+verb) || !strings.Contains(help, "Example") {
			t.Errorf("%s --help shows no usage or no example:\n%s", verb, help)
		}
	}
}

// TestADirectoryStandsForItsProblem: the name of a folder stands for the problem.toml in it.
func TestADirectoryStandsForItsProblem(t *testing.T) {
	path := writeExample(t, "wall")
	if a, b := succeed(t, "check", path), succeed(t, "check", filepath.Dir(path)); a != b {
		t.Errorf("check prints\n%s\nof the directory\n%s", a, b)
	}
	refused(t, []string{"check", t.TempDir()}, "problem.toml: no such file")
}

func TestVersion(t *testing.T) {
	if got := succeed(t, "--version"); !strings.HasPrefix(got, "bpielm "+bpielm.Version+" ") || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q", got)
	}
}

// TestTheVersionIsTheSameEverywhere: in the library, the list of changes and the citation.
func TestTheVersionIsTheSameEverywhere(t *testing.T) {
	for path, line := range map[string]string{"../../CHANGELOG.md": "\n## " + bpielm.Version, "../../CITATION.cff": "\nversion: " + bpielm.Version + "\n"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), line) {
			t.Errorf("%s does not have the line %q", path, line)
		}
	}
}

func TestWrongCommandLines(t *testing.T) {
	refused(t, []string{"dissolve"}, "dissolve")
	refused(t, []string{"solve"}, "file")
	refused(t, []string{"solve", "a.toml", "--frobnicate"}, "--frobnicate")
	refused(t, []string{"predict"}, "model")
	refused(t, []string{"example", "poisson", "d", "--seed=minus"}, "--seed")
}

func TestCPU(t *testing.T) {
	got := succeed(t, "cpu")
	for _, want := range []string{"in use", "generic", "L2 cache", "GOMAXPROCS"} {
		if !strings.Contains(got, want) {
			t.Errorf("cpu does not print %q:\n%s", want, got)
		}
	}
}

// theProgram builds the program, once for all tests.
func theProgram(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Skip(err)
	}
	return path
}

// programFolder is where the program is built; "" before.
var programFolder string

var built = sync.OnceValues(func() (path string, err error) {
	if programFolder, err = os.MkdirTemp("", "bpielm-program"); err != nil {
		return "", err
	}
	path = filepath.Join(programFolder, "bpielm")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// TestMain removes the program that tests have built.
func TestMain(m *testing.M) {
	status := m.Run()
	if programFolder != "" {
		os.RemoveAll(programFolder)
	}
	os.Exit(status)
}
