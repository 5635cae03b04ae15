package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/posterior/rowtree"
)

// portVariable makes the test binary a process with Prism alone.
const portVariable = "BPIELM_TEST_PRISM_PORT"

func servePrism(port string) {
	number, err := strconv.Atoi(port)
	if err == nil {
		_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: number})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}

// separate starts Prism in a process of its own, and makes it the runner of the test.
func separate(t *testing.T) *exec.Cmd {
	t.Helper()
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := fmt.Sprint(free.Addr().(*net.TCPAddr).Port)
	free.Close()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), portVariable+"="+port)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	runner, endpoint, environment := *runners.Runner, *jobopts.Endpoint, *jobopts.EnvironmentType
	*runners.Runner, *jobopts.Endpoint, *jobopts.EnvironmentType = "universal", "localhost:"+port, "LOOPBACK"
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
		*runners.Runner, *jobopts.Endpoint, *jobopts.EnvironmentType = runner, endpoint, environment
	})
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", "localhost:"+port); err == nil {
			c.Close()
			return server
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatal("Prism does not answer")
		}
	}
}

// wellTable is the table of n wells.
func wellTable(n int) string {
	var table strings.Builder
	table.WriteString("well,t,value\n")
	for i := range n {
		key := fmt.Sprintf("w%04d,", i)
		table.WriteString(key + strings.Join(wellRows(i), "\n"+key) + "\n")
	}
	return table.String()
}

// Runner and worker in two processes give the same bytes as in one.
func TestASeparateRunner(t *testing.T) {
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": wellTable(8)})
	o := usual(folder)
	solved(t, filepath.Join(folder, "problem.toml"), o)
	want, err := os.ReadFile(filepath.Join(o.out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	separate(t)
	solved(t, filepath.Join(folder, "problem.toml"), o)
	if got, err := os.ReadFile(filepath.Join(o.out, resultsFile)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %.300s; want %.300s", err, got, want)
	}
}

// A runner that dies midway is an error, and the last results stay as they were.
func TestARunnerThatDies(t *testing.T) {
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": wellTable(2000), "out/results.jsonl": "old\n"})
	o := usual(folder)
	o.brief, o.shards = true, 50
	server := separate(t)
	ended := make(chan error, 1)
	go func() {
		ended <- fleet(context.Background(), filepath.Join(folder, "problem.toml"), o, new(bytes.Buffer))
	}()
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) { // until a part is done
		if parts, _ := filepath.Glob(filepath.Join(o.out, ".parts-*", "part-*.jsonl")); len(parts) > 0 {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("no part is done")
		}
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(time.Minute):
		t.Fatal("the run did not end")
	}
	if text, err := os.ReadFile(filepath.Join(o.out, resultsFile)); string(text) != "old\n" {
		t.Error(string(text), err)
	}
	entries, err := os.ReadDir(o.out)
	for _, e := range entries {
		// A worker that goes on for a while may have written a part since.
		if e.Name() != resultsFile && !strings.HasPrefix(e.Name(), ".parts-") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// One problem on a runner in another process gives the bits of bpielm solve, too.
func TestSolveOnASeparateRunner(t *testing.T) {
	folder := rod(t, posterior.FewestOfLarge+rowtree.LeafRows)
	want := locally(t, filepath.Join(folder, "whole", "problem.toml"))
	separate(t)
	o := rodOptions(folder)
	o.chunkBytes = 100_000
	got, _ := throughBeam(t, folder, o)
	compare(t, "a separate runner", got, want)
}

// killVariable names a file: a worker that summarises, and finds it there, removes it and kills itself.
const killVariable = "BPIELM_TEST_KILL"

func killOnce(path string) func(kind string, task int, done bool) error {
	return func(kind string, _ int, _ bool) error {
		if (kind == reducePass || kind == fleetPart) && os.Remove(path) == nil {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				panic(err)
			}
			select {}
		}
		return nil
	}
}

// workersOfTheirOwn makes the runner start a process for each job. The returned file gets a line for each process.
func workersOfTheirOwn(t *testing.T, folder, kill string) (started string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("workers are started by a shell")
	}
	started = filepath.Join(folder, "started")
	// Prism passes on one address for all its services, in quotation marks.
	script := fmt.Sprintf("#!/bin/sh\nunset "+portVariable+"\nfor a in \"$@\"; do case $a in --id=*) id=$(echo \"${a#--id=}\" | tr -d \"'\");; --provision_endpoint=*) at=${a#*=};; esac; done\n"+
		"echo $$ >> %s\n%s=%s exec %s --worker --id=\"$id\" --logging_endpoint=\"$at\" --control_endpoint=\"$at\"\n", started, killVariable, kill, os.Args[0])
	worker := filepath.Join(folder, "worker.sh")
	if err := os.WriteFile(worker, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	separate(t)
	config, binary := *jobopts.EnvironmentConfig, *jobopts.WorkerBinary
	t.Cleanup(func() { *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = config, binary })
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = "PROCESS", fmt.Sprintf(`{"command": %q}`, worker), os.Args[0]
	return started
}

// Runner, two workers and this program are four processes: the answer has the same bits. If one of the workers is killed,
// which Prism does not notice, its job begins again, with another worker, and does what the first has not done.
func TestWorkersThatAreKilled(t *testing.T) {
	folder := rod(t, 2*leavesTogether*rowtree.LeafRows) // each worker summarises half
	want := locally(t, filepath.Join(folder, "whole", "problem.toml"))
	kill := filepath.Join(folder, "kill")
	started := workersOfTheirOwn(t, folder, kill)
	o := rodOptions(folder)
	o.chunkBytes, o.jobs, o.patience = 100_000, 2, 5*time.Second
	for _, killed := range []bool{false, true} {
		if killed {
			if err := os.WriteFile(kill, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, printed := throughBeam(t, folder, o)
		compare(t, fmt.Sprintf("two workers, killed %v", killed), got, want)
		text, err := os.ReadFile(started)
		processes, expected, again := strings.Count(string(text), "\n"), 0, 0
		for line := range strings.Lines(printed) {
			var number, tasks int
			var kind string
			if n, _ := fmt.Sscanf(line, "pass %d: %s %d", &number, &kind, &tasks); n == 3 {
				expected += min(tasks, o.jobs)
				if kind == reducePass+"," && tasks < o.jobs {
					t.Errorf("only one worker summarised: %s", line)
				}
			}
		}
		if killed {
			again = 1
		}
		if err != nil || processes != expected+again || !strings.Contains(printed, fmt.Sprintf("jobs begun again   %d\n", again)) {
			t.Errorf("killed %v: %d workers, want %d; %v: %s", killed, processes, expected+again, err, printed)
		}
		if err := os.Remove(started); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(kill); err == nil {
		t.Error("no worker was killed")
	}
}

// A fleet whose worker is killed ends with an error that says so. Where the runner does not notice, patience ends.
func TestAFleetWhoseWorkerIsKilled(t *testing.T) {
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": wellTable(8)})
	kill := filepath.Join(folder, "kill")
	workersOfTheirOwn(t, folder, kill)
	o := usual(folder)
	o.patience = 2 * time.Second
	if err := os.WriteFile(kill, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := fleet(context.Background(), filepath.Join(folder, "problem.toml"), o, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "worker disconnected") && !strings.Contains(err.Error(), "has a worker died?") {
		t.Errorf("%v", err)
	}
}
