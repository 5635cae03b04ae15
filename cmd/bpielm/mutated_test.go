//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
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
	"unicode/utf8"
)

var (
	mutationCount = flag.Int("mutations", 400, "how many changed inputs the program gets")
	mutationSeed  = flag.Uint64("seed", 1, "of the changes of inputs")
	firstMutation = flag.Int("first", 0, "which changed input comes first")
)

// Limits of the program for one input.
const (
	mutatedTime   = 20 * time.Second
	mutatedMemory = 256 << 20 // that it is allowed
	mutatedPeak   = 512 << 20 // that the process may have: the limit, what it has taken when it notices, and the test's own
	mutatedLine   = 1100      // characters of a line that it says
)

// An invocation is a command line and the files that it reads.
type invocation struct {
	args  []string
	files map[string][]byte
	stdin string // one of files, or ""
}

// Where an invocation's files and its results are, in the folder of the run.
const (
	inputs  = "in"
	outputs = "out"
)

// mutatedInvocation is number i of a seed: a verb for a subject with one changed file.
func mutatedInvocation(subjects []subject, seed uint64, i int) *invocation {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	s, other := pick(r, subjects), pick(r, subjects)
	v := &invocation{files: map[string][]byte{}}
	use := func(name string) string {
		v.files[name] = s[name]
		return filepath.Join(inputs, name)
	}
	switch choice := r.IntN(100); {
	case choice < 20 && s[aModel] != nil:
		v.args = []string{"predict", use(aModel), use(somePoints)}
		switch r.IntN(4) {
		case 0:
			v.args = append(v.args, "--predictive")
		case 1:
			v.args = append(v.args, "--out", filepath.Join(outputs, "values.csv"))
		case 2:
			v.args[2], v.stdin = "-", somePoints
		case 3:
			v.args = append(v.args, "--extrapolate", "--measures", "u_x^2 - 2*x*u")
		}
	case choice < 30 && s[aModel] != nil:
		v.args = []string{"place", use(aModel), use(somePoints), fmt.Sprintf("--count=%d", 1+r.IntN(3)), "--sigma=0.1"}
		switch r.IntN(16) {
		case 0:
			v.args = append(v.args, "--out", filepath.Join(outputs, "places.png"))
		case 1, 2, 3, 4:
			v.args = append(v.args, "--over", use(somePoints), "--json")
		}
	case choice < 50 && s[somePhysics] != nil:
		v.args = []string{"assimilate", use(somePhysics), use(someReadings)}
		if r.IntN(2) == 0 {
			v.args = append(v.args, "--points", use(somePoints), "--every=3")
		}
		switch r.IntN(4) {
		case 0:
			v.args = append(v.args, "--out", filepath.Join(outputs, "model.bpielm"))
		case 1:
			v.args[2], v.stdin = "-", someReadings
		case 2:
			v.args = append(v.args, "--json", "--window=5", "--drop", "--reject")
		}
	default:
		for name := range s {
			if name == theProblem || bytes.Contains(s[theProblem], []byte(`"`+name+`"`)) {
				use(name)
			}
		}
		v.args = problemVerb(r)
	}
	v.args = append(v.args, fmt.Sprintf("--max-memory=%d", mutatedMemory))
	names := sortedNames(v.files)
	name := pick(r, names)
	if v.files[theProblem] != nil && r.IntN(4) > 0 {
		name = theProblem
	}
	if strings.HasSuffix(name, filepath.Ext(aModel)) {
		v.files[name] = mutatedModel(r, v.files[name])
	} else {
		v.files[name] = mutated(r, v.files[name], other[pick(r, sortedNames(other))])
	}
	return v
}

// problemVerb is a verb for a problem. A solve with the default search is slow and comes seldom.
func problemVerb(r *rand.Rand) []string {
	problem := filepath.Join(inputs, theProblem)
	if r.IntN(5) < 3 {
		args := []string{"check", problem}
		if r.IntN(3) == 0 {
			args = append(args, "--sandbox")
		}
		return args
	}
	args := []string{"solve", problem, "--max-time=1s"}
	if r.IntN(4) == 0 {
		args = []string{"compile", problem, "--max-time=1s", "--quiet", "--out", filepath.Join(outputs, "physics.bpielm")}
	} else {
		args = append(args, pick(r, []string{"--json", "--quiet", "--strict"}))
		if r.IntN(20) == 0 {
			args = append(args, "--out", filepath.Join(outputs, "result"))
		}
	}
	switch choice := r.IntN(20); {
	case choice < 10:
		args = append(args, setting("fit.method=pielm", "features.scale=4")...)
	case choice < 12:
		args = append(args, setting("fit.method=paper", "features.scale=4")...)
	case choice < 19:
		args = append(args, setting(quickly...)...)
	}
	return args
}

// execute runs the invocation in this folder and returns what is wrong with the outcome.
func (v *invocation) execute() (status int, wrong string) {
	for _, folder := range []string{inputs, outputs} {
		os.RemoveAll(folder)
		if err := os.Mkdir(folder, 0o700); err != nil {
			return 0, err.Error()
		}
	}
	for name, content := range v.files {
		if err := os.WriteFile(filepath.Join(inputs, name), content, 0o600); err != nil {
			return 0, err.Error()
		}
	}
	if v.stdin != "" {
		file, err := os.Open(filepath.Join(inputs, v.stdin))
		if err != nil {
			return 0, err.Error()
		}
		defer file.Close()
		os.Stdin = file
	}
	var stdout, stderr bytes.Buffer
	// A limit that ends the process says so on the process's own standard error.
	status = run(v.args, &stdout, io.MultiWriter(&stderr, os.Stderr), watchProcess)
	return status, v.judge(status, stdout.String(), stderr.String())
}

// judge says what is wrong with how the program has ended, "" if nothing is.
func (v *invocation) judge(status int, stdout, stderr string) string {
	if !slices.Contains([]int{0, exitFailure, exitBadInput, exitVerdict, exitLimit}, status) {
		return fmt.Sprintf("status %d: %s", status, stderr)
	}
	if stderr != "" && !strings.HasSuffix(stderr, "\n") {
		return fmt.Sprintf("its last line has no end: %q", stderr)
	}
	last := ""
	for line := range strings.Lines(stderr) {
		if last = line; utf8.RuneCountInString(line) > mutatedLine {
			return fmt.Sprintf("status %d, and says %.1200q", status, line)
		}
	}
	if status != 0 && status != exitVerdict && (!strings.HasPrefix(last, "bpielm: ") || !v.namesAPlace(last)) {
		return fmt.Sprintf("status %d without a place: %q", status, last)
	}
	if status == exitBadInput && v.args[0] != "assimilate" && stdout != "" {
		return fmt.Sprintf("status %d, and prints %.200q", status, stdout)
	}
	return v.leftBehind(status)
}

// ended is the message when a limit ends the program. It names no place.
var ended = regexp.MustCompile(`it takes (longer than the|.* of memory;) .* allowed .*; (nothing has been written|these files are complete)`)

// namesAPlace reports whether a message says which of the files is wrong.
func (v *invocation) namesAPlace(message string) bool {
	if v.stdin != "" && strings.Contains(message, "standard input:") || ended.MatchString(message) {
		return true
	}
	for name := range v.files {
		if strings.Contains(message, filepath.Join(inputs, name)) {
			return true
		}
	}
	return false
}

// leftBehind looks for files that should not be there after the program has ended.
func (v *invocation) leftBehind(status int) string {
	var left []string
	for _, folder := range []string{inputs, outputs} {
		filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			name := filepath.Base(path)
			_, ours := v.files[name]
			result := folder == outputs && (status == 0 || status == exitVerdict) && !strings.HasPrefix(name, ".")
			if path != folder && !(folder == inputs && ours) && !result {
				left = append(left, path)
			}
			return err
		})
	}
	if left != nil {
		return fmt.Sprintf("status %d, left behind: %v", status, left)
	}
	return ""
}

// workerFolder is the environment variable that makes a test process run changed inputs, in that folder.
const workerFolder = "BPIELM_TEST_MUTATED"

// TestMutatedInputsWorker is the other process of TestMutatedInputs. It writes to standard output which input begins,
// and how it has ended.
func TestMutatedInputsWorker(t *testing.T) {
	folder := os.Getenv(workerFolder)
	if folder == "" {
		t.Skip("TestMutatedInputs starts it")
	}
	t.Chdir(folder)
	subjects := readSubjects(t, filepath.Join(folder, "subjects"))
	for i := *firstMutation; i < *firstMutation+*mutationCount; i++ {
		v := mutatedInvocation(subjects, *mutationSeed, i)
		fmt.Printf("\nbegin %d %q\n", i, v.args)
		status, wrong := v.execute()
		fmt.Printf("\nend %d %d %q\n", i, status, wrong)
	}
}

// mutatedRun is a run of TestMutatedInputs.
type mutatedRun struct {
	t        *testing.T
	folder   string
	subjects []subject
	statuses map[int]int
	slowest  time.Duration
	slow     int // which one took that
	peak     int
	large    int // and which that memory
}

// Whatever is changed in its files, the program says what is wrong and where, keeps its limits of time and memory, and
// leaves nothing behind. More inputs: go test ./cmd/bpielm -run MutatedInputs -timeout 0 -v -args -mutations 100000 -seed 2
func TestMutatedInputs(t *testing.T) {
	if os.Getenv(workerFolder) != "" {
		t.Skip("this process is a worker")
	}
	m := &mutatedRun{t: t, folder: t.TempDir(), statuses: map[int]int{}}
	writeSubjects(t, filepath.Join(m.folder, "subjects"))
	m.subjects = readSubjects(t, filepath.Join(m.folder, "subjects"))
	begin := time.Now()
	for next := *firstMutation; next < *firstMutation+*mutationCount; {
		next = m.work(next)
	}
	t.Logf("seed %d: %d inputs from %d on in %v; how often each status: %v; input %d took %v; %d MiB at the peak, input %d",
		*mutationSeed, *mutationCount, *firstMutation, time.Since(begin).Round(time.Second), m.statuses, m.slow, m.slowest.Round(time.Millisecond), m.peak>>20, m.large)
}

// work starts a process that runs inputs from number one on until it ends. It returns the number of the next input.
func (m *mutatedRun) work(first int) (next int) {
	const most = 2000 // a process keeps something of every input
	number := min(most, *firstMutation+*mutationCount-first)
	command := exec.Command(os.Args[0], "-test.run=^TestMutatedInputsWorker$", "-test.timeout=0",
		fmt.Sprintf("-seed=%d", *mutationSeed), fmt.Sprintf("-first=%d", first), fmt.Sprintf("-mutations=%d", number))
	command.Env = append(os.Environ(), workerFolder+"="+m.folder, fmt.Sprintf("GOMAXPROCS=%d", 1+first/most%2))
	var stderr strings.Builder
	command.Stderr = &stderr
	pipe, err := command.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		m.t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(pipe); s.Scan(); {
			lines <- s.Text()
		}
	}()
	current, begun, running := first, time.Now(), false
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for open := true; open; {
		var line string
		select {
		case line, open = <-lines:
		case <-ticker.C:
			m.watchPeak(command.Process.Pid, current)
			if running && time.Since(begun) > mutatedTime {
				m.fail(current, fmt.Sprintf("it takes longer than %v", mutatedTime))
				command.Process.Signal(syscall.SIGQUIT)
				begun = begun.Add(time.Hour)
			}
			continue
		}
		var status int
		var wrong string
		if n, _ := fmt.Sscanf(line, "begin %d", &current); n == 1 {
			begun, running = time.Now(), true
		} else if n, _ := fmt.Sscanf(line, "end %d %d %q", &current, &status, &wrong); n == 3 {
			m.note(current, status, wrong, time.Since(begun))
			running = false
		}
	}
	err = command.Wait()
	if !running {
		if err != nil {
			m.t.Fatalf("after input %d: %v: %s", current, err, tail(stderr.String()))
		}
		return first + number
	}
	// The process has ended during an input, which is allowed if a limit was hit.
	v := mutatedInvocation(m.subjects, *mutationSeed, current)
	said := tail(stderr.String())
	last := said[strings.LastIndexByte(strings.TrimSuffix(said, "\n"), '\n')+1:]
	switch status := command.ProcessState.ExitCode(); {
	case status != exitLimit || !ended.MatchString(last):
		m.fail(current, fmt.Sprintf("the process dies: %v: %s", err, said))
	default:
		if strings.Contains(last, "these files are complete") {
			status = 0 // of the result
		}
		m.note(current, exitLimit, v.leftAfter(m.folder, status), time.Since(begun))
	}
	return current + 1
}

// leftAfter is leftBehind in another folder.
func (v *invocation) leftAfter(folder string, status int) string {
	before, err := os.Getwd()
	if err != nil || os.Chdir(folder) != nil {
		return "its folder is gone"
	}
	defer os.Chdir(before)
	return v.leftBehind(status)
}

// tail shortens a process's output. A panic begins with the reason, and may be long.
func tail(text string) string {
	if at := strings.LastIndex(text, "\nfatal error: "); at >= 0 {
		text = text[at:]
		return text[:min(len(text), 4000)]
	}
	return text[max(0, len(text)-4000):]
}

func (m *mutatedRun) note(i, status int, wrong string, took time.Duration) {
	m.statuses[status]++
	if took > m.slowest {
		m.slowest, m.slow = took, i
	}
	if wrong != "" {
		m.fail(i, wrong)
	}
}

// fail reports a failure: how to repeat it, and what was changed.
func (m *mutatedRun) fail(i int, wrong string) {
	m.t.Helper()
	v := mutatedInvocation(m.subjects, *mutationSeed, i)
	m.t.Errorf("-args -seed %d -first %d -mutations 1: bpielm %s: %s", *mutationSeed, i, strings.Join(v.args, " "), wrong)
}

// watchPeak measures the peak memory of a process.
func (m *mutatedRun) watchPeak(process, i int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if _, text, found := strings.Cut(string(status), "VmHWM:"); found {
		var kilobytes int
		fmt.Sscan(text, &kilobytes)
		if peak := kilobytes << 10; peak > m.peak {
			known := m.peak > mutatedPeak && m.large == i
			if m.peak, m.large = peak, i; peak > mutatedPeak && !known {
				m.fail(i, fmt.Sprintf("%d MiB of memory", peak>>20))
			}
		}
	}
}

// One number of a model after another is made as large as possible. The program gives an answer, or a refusal with the
// place.
func TestEveryNumberOfAModelMayBeHuge(t *testing.T) {
	root := t.TempDir()
	problem := filepath.Dir(writeExample(t, "beam", "--neurons=12"))
	writeModels(t, problem)
	s := readSubjects(t, filepath.Dir(problem))[0]
	t.Chdir(root)
	for name, verbs := range map[string][][]string{
		aModel:      {{"predict", "in/model.bpielm", "in/points.csv"}, {"place", "in/model.bpielm", "in/points.csv", "--sigma=0.1"}},
		somePhysics: {{"assimilate", "in/physics.bpielm", "in/readings.csv", "--points", "in/points.csv", "--json", "--out", "out/model"}, {"assimilate", "in/physics.bpielm", "in/readings.csv"}, {"place", "in/physics.bpielm", "in/points.csv"}},
	} {
		header := 16 + int(binary.LittleEndian.Uint32(s[name][12:]))
		for at := header; at+8 <= len(s[name])-4; at += 8 * (1 + (len(s[name])-header)/800) {
			huge := bytes.Clone(s[name])
			binary.LittleEndian.PutUint64(huge[at:], math.Float64bits(1e308))
			v := &invocation{files: map[string][]byte{name: withChecksum(huge), somePoints: s[somePoints], someReadings: s[someReadings]}}
			for _, v.args = range verbs {
				if _, wrong := v.execute(); wrong != "" {
					t.Errorf("%s, the number at byte %d is huge: bpielm %s: %s", name, at, strings.Join(v.args, " "), wrong)
				}
			}
		}
	}
}
