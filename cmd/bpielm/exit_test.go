package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/mat"
)

// A panic, in a worker goroutine too, becomes one line that says where it happened and
// where to report it.
func TestFaultsOfTheProgram(t *testing.T) {
	for name, fault := range map[string]func(){
		"index":  func() { var none []int; _ = none[len(none)-1] },
		"error":  func() { panic(errors.New("two\nlines")) },
		"worker": func() { mat.Parallel(8, func(i int) { panic(i) }) },
		"shapes": func() { mat.NewDense(2, 2, make([]float64, 3)) },
	} {
		var stderr bytes.Buffer
		status := func() (status int) {
			defer func() { status = reportFault(&stderr, recover()) }()
			fault()
			return 0
		}()
		line := stderr.String()
		if status != exitFault || !strings.HasPrefix(line, "bpielm: internal error in ") || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, reportsTo+"\n") {
			t.Errorf("%s: status %d, %q", name, status, line)
		}
		if place := "exit_test.go:"; name != "worker" && name != "shapes" && !strings.Contains(line, place) {
			t.Errorf("%s: %q does not say %s", name, line, place)
		}
	}
}

// broken is an output that panics.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("broken") }

func TestAFaultIsAStatus(t *testing.T) {
	var stderr bytes.Buffer
	if status := run([]string{"cpu"}, broken{}, &stderr, nil); status != exitFault || !strings.Contains(stderr.String(), "internal error in cmd/bpielm.broken.Write (exit_test.go:") {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

// --help lists every exit status.
func TestStatusesAreInTheHelp(t *testing.T) {
	help := strings.Join(strings.Fields(succeed(t, "--help")), " ")
	for status, what := range map[int]string{0: "success", exitFailure: "the program could not finish", exitBadInput: "bad input", exitVerdict: "with solve --strict", exitFault: "a fault of the program", exitLimit: "over a limit"} {
		if !strings.Contains(help, fmt.Sprintf("%d %s", status, what)) {
			t.Errorf("--help does not say %d %s", status, what)
		}
	}
}
