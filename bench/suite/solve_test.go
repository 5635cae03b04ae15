package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A process solves the problem in a folder of its own, with the settings, and reports what it used.
func TestProcess(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "bpielm")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/bpielm").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("TMPDIR", t.TempDir())
	p := &Process{Neurons: 20}
	took, err := p.Run(t.Context(), program, Settings{Threads: 1, Kernel: "generic", Report: true})
	if err != nil {
		t.Fatal(err)
	}
	if took.Wall <= 0 || took.Processor <= 0 || took.Allocations < 1000 || took.Allocated < 1<<20 {
		t.Errorf("%+v", took)
	}
	if runtime.GOOS == "linux" && (took.Peak < 10<<20 || took.Peak > 1<<30) {
		t.Errorf("peak of %d bytes", took.Peak)
	}
	if took, err := p.Run(t.Context(), program, Settings{}); err != nil || took.Processor <= 0 || took.Allocations != 0 {
		t.Errorf("without a report: %+v, %v", took, err)
	}
	if _, err := p.Run(t.Context(), program, Settings{Kernel: "abacus"}); err == nil || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("an unknown kernel: %v", err)
	}
	enough, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errEnough)
	defer cancel()
	if _, err := (&Process{Neurons: 2000}).Run(enough, program, Settings{}); !errors.Is(err, errEnough) {
		t.Errorf("ended early: %v", err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

var errEnough = errors.New("enough")

// Every family's names are its own, and only solves with many neurons are long.
func TestCases(t *testing.T) {
	seen, long := map[string]bool{}, ""
	for _, f := range Families() {
		cases, err := f.Cases(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if seen[c.Name] || !strings.HasPrefix(c.Name, f.Name+"/") || (c.Start == nil) == (c.Process == nil) {
				t.Errorf("case %+v of %s", c, f.Name)
			}
			seen[c.Name] = true
			if c.Long {
				long += c.Name
			}
		}
	}
	if long != "Solve/N=1000Solve/N=2000" {
		t.Errorf("long cases: %s", long)
	}
	cases, err := Find("Solve").Cases([]Shape{{{"N", 123}}})
	if err != nil || len(cases) != 1 || cases[0].Name != "Solve/N=123" || cases[0].Process.Neurons != 123 {
		t.Errorf("%s, %v", fmt.Sprint(cases), err)
	}
}
