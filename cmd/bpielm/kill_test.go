//go:build unix

package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("kills", 24, "how often the program is killed while it writes results")

// contents are the files that can be opened in a folder, by their names.
func contents(t *testing.T, directory string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		if content, err := os.ReadFile(filepath.Join(directory, e.Name())); err == nil {
			all[e.Name()] = string(content)
		}
	}
	return all
}

// untimed leaves out of the summary how long the solve took.
func untimed(files map[string]string) map[string]string {
	if summary, ok := files[summaryFile]; ok {
		files[summaryFile] = timings.ReplaceAllString(summary, "")
	}
	return files
}

var timings = regexp.MustCompile(`"(assemble|fit|predict)_s": [^,\n]*`)

// awaitPath waits until the path exists, for a second at most.
func awaitPath(path string) {
	for begin := time.Now(); time.Since(begin) < time.Second; time.Sleep(100 * time.Microsecond) {
		if _, err := os.Lstat(path); err == nil {
			return
		}
	}
}

// Killed at any moment, solve leaves the old or the new result, complete, and never touches a user's file. After the
// next run nothing else is left. More kills: go test ./cmd/bpielm -run Killed -kills 1000
func TestKilledAtAnyMoment(t *testing.T) {
	program, problem := theProgram(t), filepath.Dir(writeExample(t, "beam"))
	solve := func(out string, seed int) *exec.Cmd {
		return exec.Command(program, "solve", problem, "--quiet", "--set=fit.method=pielm", "--set=features.neurons=20", fmt.Sprintf("--set=features.seed=%d", seed), "--out", out)
	}
	var results [2]map[string]string
	var lasts time.Duration
	out := ""
	for seed := range results {
		out = t.TempDir()
		if err := os.WriteFile(filepath.Join(out, "mine.txt"), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if text, err := solve(out, seed).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lasts = time.Since(begin)
		results[seed] = untimed(contents(t, out))
	}
	if maps.Equal(results[0], results[1]) {
		t.Fatal("two results are the same")
	}
	interrupted, changed, before := 0, 0, 1
	for i := range *kills {
		command := solve(out, i%2)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		moment := time.Duration(rand.Float64() * 1.5 * float64(lasts))
		if i%4 != 0 { // while the result is written
			awaitPath(filepath.Join(out, ".bpielm-staging", "new"))
			moment /= 4
		}
		time.Sleep(moment)
		command.Process.Kill()
		if err := <-ended; err != nil {
			interrupted++
		}
		switch got := untimed(contents(t, out)); {
		case maps.Equal(got, results[before]):
		case maps.Equal(got, results[1-before]):
			before, changed = 1-before, changed+1
		default:
			t.Fatalf("kill %d, after %v: the folder has %v; neither of the results", i, moment, slices.Sorted(maps.Keys(got)))
		}
	}
	t.Logf("%d of %d runs were killed in time, and %d times the result changed", interrupted, *kills, changed)
	if interrupted == 0 {
		t.Error("no run was killed in time")
	}
	if text, err := solve(out, 0).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got := listing(t, out); len(got) != len(results[0]) || !maps.Equal(untimed(contents(t, out)), results[0]) {
		t.Errorf("in the end there are %v", got)
	}
}

// A signal ends the program with status 1 and a line that says what was written. Nothing is left behind.
func TestSignalsEndTheProgram(t *testing.T) {
	program, problem := theProgram(t), filepath.Dir(writeExample(t, "poisson"))
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		out := filepath.Join(t.TempDir(), "out")
		command := exec.Command(program, "solve", problem, "--set=features.neurons=2000", "--out", out)
		var stderr bytes.Buffer
		command.Stderr = &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		command.Process.Signal(s)
		command.Wait()
		if status := command.ProcessState.ExitCode(); status != exitFailure || !strings.HasPrefix(stderr.String(), "bpielm: "+s.String()) || !strings.Contains(stderr.String(), "nothing has been written") || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: status %d, stderr %q", s, status, stderr.String())
		}
		if _, err := os.Lstat(out); err == nil {
			t.Errorf("left behind: %v", listing(t, out))
		}
	}
}

// Ended while it writes a result, the program leaves no staging folder, and no directory that it has made.
func TestSignalsDiscardWhatIsBeingWritten(t *testing.T) {
	program, root := theProgram(t), t.TempDir()
	out := filepath.Join(root, "new", "out")
	command := exec.Command(program, "solve", filepath.Dir(writeExample(t, "wall")), "--quiet", "--set=fit.method=pielm", "--out", out)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	awaitPath(filepath.Join(out, ".bpielm-staging", "new", "model.bpielm"))
	command.Process.Signal(os.Interrupt)
	if command.Wait() == nil {
		t.Skip("the program was faster than the signal")
	}
	got := listing(t, root)
	if status := command.ProcessState.ExitCode(); status != exitFailure || len(got) != 0 && !strings.Contains(stderr.String(), "these files are complete") {
		t.Errorf("status %d, stderr %q, left %v", status, stderr.String(), got)
	}
}

// An interrupted bench ends the program that it measures, and leaves nothing behind.
func TestInterruptedBench(t *testing.T) {
	program, folder, history := theProgram(t), t.TempDir(), filepath.Join(t.TempDir(), "history.jsonl")
	command := exec.Command(program, "bench", "--filter=^Solve/N=2000$", "--append", history)
	command.Env = append(os.Environ(), "TMPDIR="+folder)
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); len(contentsOf(folder)) == 0 && time.Since(begin) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
	}
	if len(contentsOf(folder)) == 0 {
		t.Error("no process was started")
	}
	time.Sleep(100 * time.Millisecond)
	command.Process.Signal(os.Interrupt)
	command.Wait()
	if status := command.ProcessState.ExitCode(); status != exitFailure || !strings.Contains(said.String(), "interrupt") {
		t.Errorf("status %d, %q", status, said.String())
	}
	if left := contentsOf(folder); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if _, err := os.Stat(history); err == nil {
		t.Error("there is a history of nothing")
	}
}

func contentsOf(folder string) []os.DirEntry {
	entries, _ := os.ReadDir(folder)
	return entries
}
