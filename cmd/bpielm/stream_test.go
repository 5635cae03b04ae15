package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// onStandardInput makes a stream the standard input of what runs next.
func onStandardInput(t *testing.T, stream *os.File) {
	t.Helper()
	before := os.Stdin
	os.Stdin = stream
	t.Cleanup(func() { os.Stdin = before })
}

// piped makes a text the standard input of what runs next.
func piped(t *testing.T, text string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	onStandardInput(t, r)
	go func() {
		io.WriteString(w, text)
		w.Close()
	}()
}

// TestGlitchDoesNotMoveTheParameter of the cooling rod, whichever reading it hits: the estimate is that of the other
// readings alone, to within a standard deviation.
func TestGlitchDoesNotMoveTheParameter(t *testing.T) {
	problem := writeExample(t, "robin-rod")
	directory := filepath.Dir(problem)
	physics := filepath.Join(directory, "physics.bpielm")
	succeed(t, "compile", problem, "-o", physics, "-q")
	file, err := os.ReadFile(filepath.Join(directory, "thermocouples.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	ambient := func(lines []string) (mean, sd float64) {
		path := write(t, directory, "readings.csv", strings.Join(lines, "\n")+"\n")
		var report map[string]any
		if err := json.Unmarshal([]byte(succeed(t, "assimilate", physics, path, "--json", "-q")), &report); err != nil {
			t.Fatal(err)
		}
		return numberAt(t, report, "parameters", "Ta", "mean"), numberAt(t, report, "parameters", "Ta", "sd")
	}
	want, sd := ambient(lines)
	for i := 1; i < len(lines); i++ {
		for _, glitch := range []float64{-20, 30, 500, -500, 1e9} {
			spoilt := append([]string(nil), lines...)
			cells := strings.Split(lines[i], ",")
			value, err := strconv.ParseFloat(cells[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			spoilt[i] = fmt.Sprintf("%s,%s,%g", cells[0], cells[1], value+glitch)
			if mean, _ := ambient(spoilt); math.Abs(mean-want) > sd {
				t.Errorf("reading %d is %g too high: Ta = %g, without that %g ± %g", i, glitch, mean, want, sd)
			}
		}
	}
}

// TestLineOfAStreamIsSkipped and reported with its number, whatever is wrong with it. A strict run ends there.
func TestLineOfAStreamIsSkipped(t *testing.T) {
	directory := compiled(t, "inverse-poisson")
	physics := filepath.Join(directory, "physics.bpielm")
	points := write(t, directory, "points.csv", "x\n-3\n0.5\n")
	sensors, err := os.ReadFile(filepath.Join(directory, "sensors.csv"))
	if err != nil {
		t.Fatal(err)
	}
	header, rows, _ := strings.Cut(string(sensors), "\n")
	stream := "noise\n" + header + "\n1,inf\n2,nan\n" + rows + strings.Repeat("9", 1<<17) + "\n5,1e308\n100,1\n"
	piped(t, stream)
	status, got, messages := execute("assimilate", physics, "-", "--json", "--points", points)
	if status != 0 || strings.Count(messages, "; skipped\n") != 5 || !strings.Contains(messages, "bpielm: standard input:3: ") || !strings.Contains(got, `"skipped":5,"gaps":1`) {
		t.Errorf("status %d, %q, %q", status, messages, got)
	}
	want := succeed(t, "assimilate", physics, filepath.Join(directory, "sensors.csv"), "--json", "--points", points)
	estimates := func(text string) string {
		_, text, _ = strings.Cut(text, `"parameters"`)
		text, _, _ = strings.Cut(text, `"sensors"`)
		return text
	}
	if estimates(got) != estimates(want) {
		t.Errorf("found %s\nwant %s", got, want)
	}
	piped(t, stream)
	refused(t, []string{"assimilate", physics, "-", "--strict-input"}, "standard input:1: ")
	piped(t, header+"\n"+rows+"1,inf\n")
	refused(t, []string{"assimilate", physics, "-", "--strict-input"}, "standard input:22: ")
	piped(t, "no\nsense\n")
	if status, _, messages := execute("assimilate", physics, "-", "-q"); status != exitBadInput || !strings.Contains(messages, "no line is valid: standard input:2: ") {
		t.Errorf("status %d, %q", status, messages)
	}
	piped(t, rows)
	status, got, messages = execute("assimilate", physics, "-", "--json", "--points", points, "--columns", header)
	if status != 0 || estimates(got) != estimates(want) {
		t.Errorf("status %d, %q, found %s\nwant %s", status, messages, got, want)
	}
	refused(t, []string{"assimilate", physics, "-", "--columns", "y,value"}, "--columns", "no column x")
	refused(t, []string{"assimilate", physics, "-", "--absurd", "0"}, "--absurd")
}

// TestModelOfAbsurdReadingsIsReadAgain: whatever is assimilated, predict can read what --out writes, or nothing is written.
func TestModelOfAbsurdReadingsIsReadAgain(t *testing.T) {
	directory := compiled(t, "inverse-poisson")
	physics, model := filepath.Join(directory, "physics.bpielm"), filepath.Join(directory, "model.bpielm")
	points := write(t, directory, "points.csv", "x\n-3\n0.5\n")
	for _, glitch := range []string{"1e15", "-1e120,", "1e120,1e-120", "3,1e-120", "1e120,1e120", "1e308"} {
		readings := "x,value,sigma\n1,2,0.1\n-4," + glitch
		if !strings.Contains(glitch, ",") {
			readings += ",0.1"
		} else if strings.HasSuffix(glitch, ",") {
			readings += "0.1"
		}
		os.Remove(model)
		file := write(t, directory, "readings.csv", readings+"\n3,1,0.1\n")
		status, out, messages := execute("assimilate", physics, file, "--absurd", "inf", "--json", "--out", model)
		if glitch == "1e308" {
			if _, err := os.Stat(model); status != exitBadInput || err == nil || !strings.Contains(messages, "readings.csv:3: ") {
				t.Errorf("%s: status %d, %q", glitch, status, messages)
			}
			continue
		}
		if status != 0 || !json.Valid([]byte(out)) {
			t.Errorf("%s: status %d, %q", glitch, status, messages)
		}
		succeed(t, "predict", model, points)
	}
}

// TestInterruptedStreamWritesWhatItHas and ends with status 0.
func TestInterruptedStreamWritesWhatItHas(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("has no signals")
	}
	directory := compiled(t, "inverse-poisson")
	physics, model := filepath.Join(directory, "physics.bpielm"), filepath.Join(directory, "model.bpielm")
	for _, strict := range []string{"--strict-input", "--every=1"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		onStandardInput(t, r)
		printed, out := io.Pipe()
		var messages bytes.Buffer
		status := make(chan int, 1)
		go func() {
			status <- run([]string{"assimilate", physics, "-", "--json", "--every", "1", "--out", model, strict}, out, &messages, nil)
			out.Close()
		}()
		fmt.Fprintf(w, "x,value\n1,2\n2,1.5\n3,")
		lines := bufio.NewScanner(printed)
		for lines.Scan() && !strings.Contains(lines.Text(), `"readings":2`) {
		}
		process, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
		}
		if s := <-status; s != 0 || !strings.Contains(messages.String(), "interrupted after 2 readings") {
			t.Errorf("status %d, %q", s, messages.String())
		}
		w.Close()
		succeed(t, "predict", model, write(t, directory, "points.csv", "x\n1\n"))
		if err := os.Remove(model); err != nil {
			t.Error(err)
		}
	}
}
