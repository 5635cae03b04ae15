package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bpielm/bpielm/feature"
	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
)

// field writes what a device in the field has: compiled physics of u_xx = 0 with
// so many neurons, a serial stream with one outlier and one broken line, and the
// points that are asked for.
func field(t *testing.T, neurons int) (model, readings, points string) {
	t.Helper()
	return fieldAlong(t, system.Variable{Name: "x", Min: 0, Max: 1}, neurons)
}

// fieldAlong is field in another variable.
func fieldAlong(t *testing.T, along system.Variable, neurons int) (model, readings, points string) {
	t.Helper()
	x := []system.Variable{along}
	at, err := system.Collocation(x, nil, 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &system.Problem{
		Variables: x, Fields: []string{"u"}, Parameters: []system.Parameter{{Name: "q"}},
		Equations: []system.Demand{{Residual: system.Functional{Terms: []system.Term{{Derivative: []int{2}}}, Parameters: []system.ParameterTerm{{Coefficient: system.Constant(-1)}}}, Points: at}},
		Sensors:   []system.Sensors{{Name: "gauges", Measures: system.Field(0), Points: mat.NewDense(3, 1, []float64{0, 0.5, 1}), Values: []float64{0, 0.2, 1}, Sigma: []float64{0.02}}},
	}
	layer, err := feature.New(p.Box(), feature.Config{Neurons: neurons, Scale: []float64{4}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	physics, err := posterior.Compile(p, layer, posterior.CompileConfig{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	prior, err := physics.Prior(p.Sensors)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := prior.Save(&file); err != nil {
		t.Fatal(err)
	}
	var stream strings.Builder
	stream.WriteString(along.Name + ",value,sensor\n")
	for i := range 30 {
		x := float64(i%6) / 5
		value := x*x + 0.02*math.Sin(float64(i))
		if i == 20 {
			value += 1
		}
		fmt.Fprintf(&stream, "%g,%.5f,s%d\n", x, value, i%6)
		if i == 10 {
			stream.WriteString("0.4,0.1\x1b[2J\n")
		}
	}
	directory := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("physics.bpielm", file.Bytes()), write("serial.csv", []byte(stream.String())), write("points.csv", []byte(along.Name+"\n0.1\n0.7\n"))
}

func TestLogOfAStream(t *testing.T) {
	model, readings, points := field(t, 30)
	var out, messages bytes.Buffer
	stream, err := os.Open(readings)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := run([]string{"-points", points, "-every", "7", "-reject", model}, stream, &out, &messages, nil); err != nil {
		t.Fatal(err, messages.String())
	}
	log := out.String()
	if n := strings.Count(log, "estimate reading="); n != 2*5 {
		t.Errorf("%d estimates", n)
	}
	for _, want := range []string{"estimate reading=30 x=0.7 u=0.4", "parameter reading=30 name=q mean=", "outlier line=23 sensor=s2 ", "kept=false", "skipped standard input:13: "} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
	if strings.ContainsRune(log, '\x1b') {
		t.Error("the log steers the terminal")
	}
}

// Where the variable has a start, points and readings may have dates, and what the log says of them has, too.
func TestLogHasDates(t *testing.T) {
	model, readings, _ := fieldAlong(t, system.Variable{Name: "t", Max: 1, Unit: "d", Start: "2024-02-28T12:00+01:00"}, 30)
	stream, err := os.ReadFile(readings)
	if err != nil {
		t.Fatal(err)
	}
	points := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(points, []byte("t\n2024-02-29 06:00\n0.5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	log := logOf(t, string(stream)+"2024-02-29T00:00:30+01:00,99,s1\n", "-points", points, "-reject", model)
	for _, want := range []string{
		"parameter reading=1 name=q mean=", " date=2024-02-28T12:00:00+01:00\n", "estimate reading=30 t=0.75 u=", " date=2024-02-29T06:00:00+01:00\n", " date=2024-02-29T00:00:00+01:00\n",
		"outlier line=23 sensor=s2 value=", " kept=false date=2024-02-28T21:36:00+01:00\n", " kept=false date=2024-02-29T00:00:30+01:00\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
}

func TestWrongUseIsRefused(t *testing.T) {
	model, readings, points := field(t, 10)
	for _, args := range [][]string{
		{}, {model, model}, {readings}, {"absent"}, {"-every", "0", model}, {"-window", "0", "-readings", "absent", model}, {"-points", "absent", model}, {"-points", readings + "x", model},
		{"-window", "-3", model}, {"-readings", points, model}, {"-bad", model},
	} {
		var out, messages bytes.Buffer
		if err := run(args, strings.NewReader(""), &out, &messages, nil); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

// build makes the stripped program for an architecture of linux.
func build(t *testing.T, architecture string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bpielm-edge")
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", architecture, err, out)
	}
	return path
}

// needLinux skips the test if programs for Linux cannot be built and run.
func needLinux(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS != "linux" || testing.Short() {
		t.Skip("needs linux and the go command, and time")
	}
}

const (
	mostBytes  = 6 << 20
	mostMemory = 32 << 20
)

// TestSmallBoardsSayTheSame runs the programs for ARM under qemu on the same
// stream. CI names the architectures that must not be skipped.
func TestSmallBoardsSayTheSame(t *testing.T) {
	needLinux(t)
	model, readings, points := field(t, 40)
	var want bytes.Buffer
	if err := run([]string{"-points", points, "-readings", readings, "-window", "12", model}, nil, &want, os.Stderr, nil); err != nil {
		t.Fatal(err)
	}
	required := strings.Fields(os.Getenv("BPIELM_REQUIRE_QEMU"))
	for architecture, qemu := range map[string]string{"arm64": "qemu-aarch64", "arm": "qemu-arm"} {
		t.Run(architecture, func(t *testing.T) {
			program := build(t, architecture)
			info, err := os.Stat(program)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > mostBytes {
				t.Errorf("the program has %d bytes", info.Size())
			}
			if _, err := exec.LookPath(qemu); err != nil {
				for _, r := range required {
					if r == qemu {
						t.Fatalf("%s is required and missing", qemu)
					}
				}
				t.Skip("needs " + qemu)
			}
			got, err := exec.Command(qemu, program, "-points", points, "-readings", readings, "-window", "12", model).Output()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want.Bytes()) {
				t.Errorf("its log differs:\n%s\nwant\n%s", got, want.Bytes())
			}
		})
	}
}

// TestProgramIsSmallInMemory looks at the program while it waits for more.
func TestProgramIsSmallInMemory(t *testing.T) {
	needLinux(t)
	model, readings, points := field(t, 500)
	stream, err := os.ReadFile(readings)
	if err != nil {
		t.Fatal(err)
	}
	program := build(t, runtime.GOARCH)
	for _, environment := range [][]string{nil, {"GOMEMLIMIT=8MiB", "GOMAXPROCS=1"}} {
		command := exec.Command(program, "-points", points, model)
		command.Env = append(os.Environ(), environment...)
		stdin, err1 := command.StdinPipe()
		stdout, err2 := command.StdoutPipe()
		if err := errors.Join(err1, err2, command.Start()); err != nil {
			t.Fatal(err)
		}
		if _, err := stdin.Write(stream); err != nil {
			t.Fatal(err)
		}
		log := bufio.NewScanner(stdout)
		for log.Scan() && !strings.HasPrefix(log.Text(), "estimate reading=30 x=0.7") {
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
		stdin.Close()
		if err := errors.Join(err, command.Wait()); err != nil {
			t.Fatal(err)
		}
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		var kilobytes int
		if _, err := fmt.Sscan(peak, &kilobytes); err != nil {
			t.Fatal(err)
		}
		if kilobytes<<10 > mostMemory {
			t.Errorf("%v: %d kB of memory were resident", environment, kilobytes)
		}
		t.Logf("%v: %d kB resident at most", environment, kilobytes)
	}
}
