package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// logOf runs the program on a stream to its end.
func logOf(t *testing.T, stream string, args ...string) string {
	t.Helper()
	var out, messages bytes.Buffer
	if err := run(args, strings.NewReader(stream), &out, &messages, nil); err != nil {
		t.Fatal(err, messages.String())
	}
	return out.String()
}

// beam is a stream of so many readings of u = x^2 from six sensors, without a header.
func beam(first, last int) string {
	var b strings.Builder
	for i := first; i < last; i++ {
		x := float64(i%6) / 5
		fmt.Fprintf(&b, "%g,%.5f,s%d\n", x, x*x+0.02*math.Sin(float64(i)), i%6)
	}
	return b.String()
}

const header = "x,value,sensor\n"

// estimates are the lines of a log with estimates.
func estimates(log string) (lines []string) {
	for _, line := range strings.Split(log, "\n") {
		if strings.HasPrefix(line, "estimate ") || strings.HasPrefix(line, "parameter ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestNoiseCostsNothingElse: whatever comes between the readings, they all count, and noise does not flood the log.
func TestNoiseCostsNothingElse(t *testing.T) {
	model, _, points := field(t, 20)
	noise := "\x00\xff\x17garbage\n" + strings.Repeat("\x1b[2J", 1<<16) + "\n0.3,0.2,s9,s9\n,,\n{\"x\":\n"
	want := estimates(logOf(t, header+beam(0, 30), "-points", points, model))
	noisy := logOf(t, noise+header+noise+beam(0, 12)+noise+beam(12, 13)+noise+header+beam(13, 30)+"0.5,0.2", "-points", points, model)
	if got := estimates(noisy); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("with noise:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := strings.Count(noisy, "\nskipped ") + 1; n != loudest {
		t.Errorf("%d lines are logged as skipped", n)
	}
	if strings.Contains(noisy, "\x1b") || !strings.Contains(noisy, "standard input:2: a line of more than") {
		t.Errorf("found %.500q", noisy)
	}
}

// TestStreamIsJoinedMidway with the names of its columns. Its first line may be truncated.
func TestStreamIsJoinedMidway(t *testing.T) {
	model, _, points := field(t, 20)
	want := estimates(logOf(t, header+beam(3, 30), "-points", points, model))
	got := estimates(logOf(t, "5,0.2,s0\n"+beam(3, 30), "-points", points, "-columns", "x, value,sensor", model))
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// live is the program in this process, with pipes.
type live struct {
	to   *io.PipeWriter
	log  *bufio.Scanner
	stop chan struct{}
	done chan error
}

func start(t *testing.T, args ...string) *live {
	t.Helper()
	from, to := io.Pipe()
	logged, log := io.Pipe()
	l := &live{to, bufio.NewScanner(logged), make(chan struct{}), make(chan error, 1)}
	go func() {
		err := run(args, from, log, io.Discard, l.stop)
		log.Close()
		l.done <- err
	}()
	t.Cleanup(func() { to.Close() })
	return l
}

func (l *live) say(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(l.to, text); err != nil {
		t.Fatal(err)
	}
}

// hear waits for a line that contains a text.
func (l *live) hear(t *testing.T, text string) string {
	t.Helper()
	late := time.AfterFunc(20*time.Second, func() { panic("no line with " + text) })
	defer late.Stop()
	for l.log.Scan() {
		if strings.Contains(l.log.Text(), text) {
			return l.log.Text()
		}
	}
	t.Fatalf("the log ends without %q", text)
	return ""
}

// TestWhatIsUrgentIsLoggedAtOnce, even if no further reading comes.
func TestWhatIsUrgentIsLoggedAtOnce(t *testing.T) {
	model, _, _ := field(t, 20)
	l := start(t, "-every", "1000000", model)
	l.say(t, header+beam(0, 20)+"0.4,99,s2\n")
	if line := l.hear(t, "outlier line=22 sensor=s2 value=99 "); !strings.HasSuffix(line, "kept=false") {
		t.Errorf("found %q", line)
	}
	l.say(t, "noise\n")
	l.hear(t, "skipped ")
	close(l.stop)
	l.hear(t, "parameter reading=21 ")
	if err := <-l.done; err != nil {
		t.Error(err)
	}
}

func TestProgramSaysThatItIsAlive(t *testing.T) {
	model, _, _ := field(t, 20)
	l := start(t, "-heartbeat", "10ms", model)
	l.hear(t, "alive readings=0 kept=0 outliers=0 skipped=0 sensors=0 silent=")
	l.say(t, header+beam(0, 8)+strings.Repeat("noise\n", 3*loudest))
	l.hear(t, "alive readings=8 kept=8 outliers=0 skipped=30 sensors=6 silent=")
	close(l.stop)
	l.hear(t, "alive") // what is left
	for l.log.Scan() {
	}
	if err := <-l.done; err != nil {
		t.Error(err)
	}
}

// TestRestartedProgramGoesOn as if it had not stopped, in the middle of a stream whose columns were named before.
func TestRestartedProgramGoesOn(t *testing.T) {
	model, _, points := field(t, 20)
	file := filepath.Join(t.TempDir(), "edge.state")
	glitch := "0.2,-50,s1\n"
	want := estimates(logOf(t, header+beam(0, 20)+glitch+beam(20, 60), "-points", points, "-window", "25", model))
	args := []string{"-points", points, "-window", "25", "-state", file, model}
	first := logOf(t, header+beam(0, 20)+glitch, args...)
	second := logOf(t, ".2,0.1,s1\n"+beam(20, 60), args...)
	got := append(estimates(first), estimates(second)...)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.HasPrefix(second, "state resumed: "+file+": 21 readings, 20 kept\n") {
		t.Errorf("found %.200q", second)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("found %v, %v", left, err)
	}
}

// TestStateThatCannotBeUsed is replaced if it is a state, and left alone otherwise.
func TestStateThatCannotBeUsed(t *testing.T) {
	model, _, _ := field(t, 10)
	other, _, _ := field(t, 11)
	file := filepath.Join(t.TempDir(), "edge.state")
	logOf(t, header+beam(0, 20), "-state", file, model)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 1
	later := bytes.Clone(whole[:len(whole)-4])
	later[len(stateMagic)] = 9
	later = binary.LittleEndian.AppendUint32(later, crc32.Checksum(later, castagnoli))
	sealed := func(content string) []byte {
		b := binary.LittleEndian.AppendUint32(bytes.Clone(whole[:len(stateMagic)+4]), uint32(len(content)))
		b = append(b, content...)
		return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	}
	for name, test := range map[string]struct {
		content []byte
		model   string
		want    string
	}{
		"no JSON": {sealed("{nothing"), model, "is not valid"}, "empty": {sealed("{}"), model, "is not valid"},
		"damaged": {damaged, model, "checksum"}, "cut": {whole[:len(whole)-9], model, "checksum"}, "magic alone": {whole[:12], model, "too early"},
		"of a later program": {later, model, "version 9"}, "of other physics": {whole, other, "other physics"},
	} {
		if err := os.WriteFile(file, test.content, 0o666); err != nil {
			t.Fatal(err)
		}
		log := logOf(t, header+beam(0, 20), "-state", file, test.model)
		if !strings.HasPrefix(log, "state begins anew: ") || !strings.Contains(log, test.want) || !strings.Contains(log, "reading=20") {
			t.Errorf("%s: found %.300q", name, log)
		}
		if log := logOf(t, beam(20, 25), "-state", file, test.model); !strings.HasPrefix(log, "state resumed: ") {
			t.Errorf("%s, once more: found %.300q", name, log)
		}
	}
	for _, foreign := range []string{"passwords", "BPIELM\r\n"} {
		if err := os.WriteFile(file, []byte(foreign), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run([]string{"-state", file, model}, strings.NewReader(header+beam(0, 9)), io.Discard, io.Discard, nil); status(err) != exitBadInput {
			t.Errorf("%q is taken for a state: %v", foreign, err)
		}
		if content, err := os.ReadFile(file); err != nil || string(content) != foreign {
			t.Errorf("%q has become %q, %v", foreign, content, err)
		}
	}
	// An empty file is what a disk that was full may leave.
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	logOf(t, header+beam(0, 9), "-state", file, model)
}

// onRead is an empty stream that calls a function when it is read.
type onRead func()

func (do onRead) Read([]byte) (int, error) {
	do()
	return 0, io.EOF
}

// TestStateThatBeginsAnewIsWrittenAtOnce: a disk that cannot be written to is found before the first reading.
func TestStateThatBeginsAnewIsWrittenAtOnce(t *testing.T) {
	model, _, _ := field(t, 10)
	file := filepath.Join(t.TempDir(), "edge.state")
	damaged := []byte(stateMagic + "no state at all")
	if err := os.WriteFile(file, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	var content []byte
	source := onRead(func() { content, _ = os.ReadFile(file) })
	if err := run([]string{"-state", file, model}, source, io.Discard, io.Discard, nil); err != nil {
		t.Log(err) // there are no readings
	}
	if len(content) == 0 || bytes.Equal(content, damaged) {
		t.Errorf("when the stream begins the state is %.40q", content)
	}
}

// TestProgramSurvivesAFullDisk: it says that the state cannot be written and goes on.
func TestProgramSurvivesAFullDisk(t *testing.T) {
	model, _, _ := field(t, 10)
	directory := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(directory, 0o777); err != nil {
		t.Fatal(err)
	}
	l := start(t, "-state", filepath.Join(directory, "edge.state"), "-save", "0", model)
	l.say(t, header+beam(0, 3))
	l.hear(t, "parameter reading=3 ")
	if err := os.RemoveAll(directory); err != nil {
		t.Fatal(err)
	}
	l.say(t, beam(3, 4))
	l.hear(t, "state is not written: ")
	if err := os.Mkdir(directory, 0o777); err != nil {
		t.Fatal(err)
	}
	l.say(t, beam(4, 5))
	l.hear(t, "parameter reading=5 ")
	close(l.stop)
	for l.log.Scan() {
	}
	if err := <-l.done; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(directory, "edge.state")); err != nil {
		t.Error(err)
	}
}

// TestNobodyReadsTheLog: the program still ends, and writes its state.
func TestNobodyReadsTheLog(t *testing.T) {
	model, _, _ := field(t, 10)
	file := filepath.Join(t.TempDir(), "edge.state")
	from, to := io.Pipe()
	unread, log := io.Pipe()
	defer unread.Close()
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- run([]string{"-state", file, model}, from, log, io.Discard, stop) }()
	go func() {
		io.WriteString(to, header)
		for i := 0; ; i++ {
			if _, err := io.WriteString(to, beam(i, i+1)); err != nil {
				return
			}
		}
	}()
	time.Sleep(200 * time.Millisecond)
	close(stop)
	select {
	case err := <-done:
		if !errors.Is(err, errNobodyReads) || status(err) != exitFailure {
			t.Errorf("error %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	to.Close()
	from.Close()
	if log := logOf(t, "", "-state", file, model); !strings.HasPrefix(log, "state resumed: ") || strings.Contains(log, ": 0 readings") {
		t.Errorf("found %q", log)
	}
}

// process is the program itself.
func process(t *testing.T, program string, args ...string) (command *exec.Cmd, stdin io.WriteCloser, log *bufio.Scanner) {
	t.Helper()
	command = exec.Command(program, args...)
	stdin, err1 := command.StdinPipe()
	stdout, err2 := command.StdoutPipe()
	if err := errors.Join(err1, err2, command.Start()); err != nil {
		t.Fatal(err)
	}
	return command, stdin, bufio.NewScanner(stdout)
}

// TestStatusesOfTheProgram are those that its documentation names.
func TestStatusesOfTheProgram(t *testing.T) {
	needLinux(t)
	model, readings, _ := field(t, 10)
	program := build(t, runtime.GOARCH)
	file := filepath.Join(t.TempDir(), "edge.state")
	for _, test := range []struct {
		want  int
		stdin string
		args  []string
	}{
		{0, header + beam(0, 9), []string{model}},
		{0, "", []string{"-readings", readings, model}},
		{0, "", []string{"-h"}},
		{exitFailure, "", []string{"-readings", "/dev/null", model}},
		{exitFailure, "", []string{"-readings", "/dev/not-plugged-in", model}},
		{exitFailure, "no\nsense\n", []string{model}},
		{exitFailure, header, []string{"-state", filepath.Join(file, "absent", "state"), model}},
		{exitBadInput, "", []string{"-absurd", "-1", model}},
		{exitBadInput, "", []string{"-columns", "x,y", model}},
		{exitBadInput, "", []string{readings}},
		{exitBadInput, "", []string{"-state", model, model}},
		{exitBadInput, "", []string{"-state", "/dev/zero", model}},
		{exitBadInput, "", []string{"-state", "/", model}},
	} {
		command := exec.Command(program, test.args...)
		command.Stdin = strings.NewReader(test.stdin)
		out, _ := command.CombinedOutput()
		if got := command.ProcessState.ExitCode(); got != test.want {
			t.Errorf("%q: status %d, want %d\n%s", test.args, got, test.want, out)
		}
	}
	for _, s := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		os.Remove(file)
		command, stdin, log := process(t, program, "-state", file, model)
		io.WriteString(stdin, header+beam(0, 9))
		for log.Scan() && !strings.Contains(log.Text(), "reading=9 ") {
		}
		io.WriteString(stdin, beam(9, 11)+"0.5,0.")
		if err := command.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		for log.Scan() {
		}
		if err := command.Wait(); err != nil {
			t.Errorf("%v: %v", s, err)
		}
		if log := logOf(t, "", "-state", file, model); !strings.HasPrefix(log, "state resumed: "+file+": 11 readings") {
			t.Errorf("%v: found %.200q", s, log)
		}
	}
	// The reader of the log goes away.
	os.Remove(file)
	command := exec.Command("sh", "-c", `{ cat "$1"; sleep 1; cat "$1"; } | { "$2" -state "$3" "$4"; echo $? >&2; } | head -n 1`, "sh", readings, program, file, model)
	var messages bytes.Buffer
	command.Stderr = &messages
	if err := command.Run(); err != nil || !strings.HasSuffix(messages.String(), "broken pipe\n1\n") || strings.Count(messages.String(), "broken pipe") != 1 {
		t.Errorf("%v, %q", err, messages.String())
	}
	if log := logOf(t, "", "-state", file, model); !strings.HasPrefix(log, "state resumed: ") || strings.Contains(log, ": 0 readings") {
		t.Errorf("found %.200q", log)
	}
}

// TestKilledProgramLeavesAWholeState, at whatever moment it is killed.
func TestKilledProgramLeavesAWholeState(t *testing.T) {
	needLinux(t)
	model, _, _ := field(t, 10)
	program := build(t, runtime.GOARCH)
	file := filepath.Join(t.TempDir(), "edge.state")
	last := 0
	for i := range 25 {
		command, stdin, log := process(t, program, "-state", file, "-save", "0", model)
		go func() {
			io.WriteString(stdin, header)
			for k := 0; ; k++ {
				if _, err := io.WriteString(stdin, beam(k, k+1)); err != nil {
					return
				}
			}
		}()
		if !log.Scan() {
			t.Fatal("no log")
		}
		if i > 0 {
			var readings, kept int
			if _, err := fmt.Sscanf(log.Text(), "state resumed: "+file+": %d readings, %d kept", &readings, &kept); err != nil || readings < last {
				t.Fatalf("found %q after %d readings, %v", log.Text(), last, err)
			}
			last = readings
		}
		time.AfterFunc(time.Duration(20+7*i)*time.Millisecond, func() { command.Process.Kill() })
		for log.Scan() {
		}
		command.Wait()
	}
	if last == 0 {
		t.Error("nothing has been kept")
	}
}
