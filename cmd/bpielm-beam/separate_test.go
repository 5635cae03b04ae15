package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
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

// Runner and worker in two processes give the same bytes as in one.
func TestASeparateRunner(t *testing.T) {
	table := "well,t,value\n"
	for i := range 8 {
		table += fmt.Sprintf("w%d,", i) + strings.Join(wellRows(i), fmt.Sprintf("\nw%d,", i)) + "\n"
	}
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": table})
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
	table := "well,t,value\n"
	for i := range 2000 {
		table += fmt.Sprintf("w%04d,", i) + strings.Join(wellRows(i), fmt.Sprintf("\nw%04d,", i)) + "\n"
	}
	folder := write(t, map[string]string{"problem.toml": wellText, "wells.csv": table, "out/results.jsonl": "old\n"})
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
