//go:build unix

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bpielm/bpielm"
	engine "github.com/bpielm/bpielm/cmd/internal/page"
)

// served is a running `bpielm serve`.
type served struct {
	t       *testing.T
	command *exec.Cmd
	stdin   io.WriteCloser
	stderr  *bytes.Buffer
	url     string // as printed
	session string
}

// serveProgram starts the program, and waits for its address.
func serveProgram(t *testing.T, program string, args ...string) *served {
	t.Helper()
	s := &served{t: t, command: exec.Command(program, append([]string{"serve"}, args...)...), stderr: &bytes.Buffer{}}
	s.command.Stderr = s.stderr
	stdout, err := s.command.StdoutPipe()
	if err == nil {
		s.stdin, err = s.command.StdinPipe()
	}
	if err == nil {
		err = s.command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.command.Process.Kill()
		s.command.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if s.url = strings.TrimSpace(line); err != nil || !strings.HasPrefix(s.url, "http://") {
		s.command.Wait()
		t.Fatalf("%v: it prints %q, %s", err, line, s.stderr)
	}
	return s
}

// open opens a session of a server without a token.
func (s *served) open() {
	s.t.Helper()
	answer, err := http.Post(s.url+"api/open", "", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var opened struct{ Session string }
	if err := json.NewDecoder(answer.Body).Decode(&opened); err != nil || opened.Session == "" {
		s.t.Fatal(answer.Status, err)
	}
	s.session = opened.Session
}

// call makes a request, and reads what it answers into ok.
func (s *served) call(request any, ok any) *engine.Fault {
	s.t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.Post(s.url+"api/call?session="+s.session, "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var reply struct {
		OK    json.RawMessage
		Error *engine.Fault
	}
	if err := json.NewDecoder(answer.Body).Decode(&reply); err != nil {
		s.t.Fatal(answer.Status, err)
	}
	if reply.Error == nil && ok != nil {
		if err := json.Unmarshal(reply.OK, ok); err != nil {
			s.t.Fatal(err)
		}
	}
	return reply.Error
}

// end interrupts the program, which must end at once and well.
func (s *served) end(signal os.Signal) {
	s.t.Helper()
	from := time.Now()
	s.command.Process.Signal(signal)
	err := s.command.Wait()
	if took := time.Since(from); err != nil || took > time.Second {
		s.t.Errorf("%v: %v after %v; it says %s", signal, err, took, s.stderr)
	}
}

// TestServe: the page and the engine behind it, as a browser asks for them.
func TestServe(t *testing.T) {
	program := theProgram(t)
	s := serveProgram(t, program)
	if !strings.HasPrefix(s.url, "http://127.0.0.1:") {
		t.Errorf("the address is %s", s.url)
	}
	answer, err := http.Get(s.url)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if !bytes.Contains(text, []byte("<html")) || answer.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("%s, %v, %.100q", answer.Status, answer.Header, text)
	}
	s.open()
	var examples []engine.Example
	if fault := s.call(engine.Request{Do: "examples"}, &examples); fault != nil || len(examples) < 20 || examples[0].Name != "poisson" {
		t.Fatalf("%v, %v", fault, examples)
	}
	var problem engine.Problem
	if fault := s.call(engine.Request{Do: "example", Name: "poisson"}, &problem); fault != nil || problem.Fault != nil || len(problem.Sensors) != 1 || len(problem.Sensors[0].Readings) != 19 {
		t.Fatalf("%v, %+v", fault, problem)
	}
	var solved engine.Answer
	if fault := s.call(engine.Request{Do: "solve"}, &solved); fault != nil || solved.Neurons != 200 || solved.Digest == "" {
		t.Fatalf("%v, %+v", fault, solved)
	}
	for _, name := range []string{"absent", "../poisson", "poisson/problem.toml", ""} {
		if fault := s.call(engine.Request{Do: "example", Name: name}, nil); fault == nil {
			t.Errorf("%q is an example", name)
		}
	}
	s.end(os.Interrupt)
	if !strings.Contains(s.stderr.String(), "Ctrl-C ends it") {
		t.Errorf("it says %s", s.stderr)
	}
}

// TestServeEndsAtOnce while it solves, and on both signals.
func TestServeEndsAtOnce(t *testing.T) {
	program := theProgram(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		s := serveProgram(t, program)
		s.open()
		var problem engine.Problem
		if fault := s.call(engine.Request{Do: "example", Name: "poisson"}, &problem); fault != nil {
			t.Fatal(fault)
		}
		text := strings.Replace(problem.Files[problem.Main], "neurons = 200", "neurons = 1500", 1)
		if fault := s.call(engine.Request{Do: "check", Text: text}, nil); fault != nil {
			t.Fatal(fault)
		}
		go http.Post(s.url+"api/call?session="+s.session, "application/json", strings.NewReader(`{"do":"solve"}`))
		time.Sleep(200 * time.Millisecond)
		s.end(signal)
	}
}

// TestServeAProblem of the user: it is the first of what is offered, with its tables, and the page changes no file.
func TestServeAProblem(t *testing.T) {
	program, path := theProgram(t), writeExample(t, "wall", "--neurons=40")
	folder := filepath.Dir(path)
	before := contents(t, folder)
	for _, arg := range []string{path, folder} {
		s := serveProgram(t, program, arg)
		s.open()
		var examples []engine.Example
		if fault := s.call(engine.Request{Do: "examples"}, &examples); fault != nil || len(examples) < 20 || examples[0].Name != "problem.toml" || examples[0].Title == "" {
			t.Fatalf("%v, %v", fault, examples)
		}
		var problem engine.Problem
		if fault := s.call(engine.Request{Do: "example", Name: examples[0].Name}, &problem); fault != nil || problem.Fault != nil || len(problem.Files) != 3 || problem.Main != "problem.toml" {
			t.Fatalf("%v, %+v", fault, problem)
		}
		if fault := s.call(engine.Request{Do: "example", Name: "poisson"}, nil); fault != nil {
			t.Error(fault)
		}
		for _, name := range []string{"../problem.toml", filepath.Join(folder, "problem.toml"), "insulation.csv\x00", "/etc/passwd"} {
			if fault := s.call(engine.Request{Do: "example", Name: name}, nil); fault == nil {
				t.Errorf("%q is opened", name)
			}
		}
		s.end(os.Interrupt)
	}
	if after := contents(t, folder); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("files are changed")
	}
}

// TestExportOfAPage is what solve --out writes, in all formats.
func TestExportOfAPage(t *testing.T) {
	path := writeExample(t, "inverse-poisson", "--neurons=40")
	o, err := offered(path)
	if err != nil {
		t.Fatal(err)
	}
	files, main, _, err := o.take("problem.toml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := exported(context.Background(), &streams{}, files, main)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	succeed(t, "solve", path, "--quiet", "--out", out, "--formats", strings.Join(formats(nil).known(), ","))
	want := untimed(contents(t, out))
	got := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name] = string(text)
	}
	got = untimed(got)
	if len(got) != len(want) || len(got) < 10 {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, text := range want {
		if !strings.HasSuffix(name, ".pdf") && got[name] != text { // a PDF has the time in it
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(text))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := exported(ctx, &streams{}, files, main); err == nil {
		t.Error("a cancelled export goes on")
	}
	if _, err := exported(context.Background(), &streams{maxMemory: 1 << 20}, files, main); exitStatus(err) != exitLimit || !strings.HasPrefix(err.Error(), "problem.toml: ") {
		t.Errorf("with a MiB: error %v", err)
	}
	files[main] += "\nwrong"
	if _, err := exported(context.Background(), &streams{}, files, main); err == nil || !strings.HasPrefix(err.Error(), "problem.toml:") {
		t.Errorf("error %v", err)
	}
}

// TestServeRefuses what it cannot serve, before it prints an address.
func TestServeRefuses(t *testing.T) {
	empty := t.TempDir()
	text := write(t, empty, "readings.csv", "x,value\n0,1\n")
	refused(t, []string{"serve", filepath.Join(empty, "absent.toml")}, "absent.toml: no such file")
	refused(t, []string{"serve", empty}, empty+": there is no problem file")
	refused(t, []string{"serve", "--addr", "0.0.0.0:0"}, "--addr=0.0.0.0:0", "--public", "127.0.0.1:0")
	refused(t, []string{"serve", "--addr", ":8080"}, "--public")
	refused(t, []string{"serve", "--addr", "example.org:8080"}, "--public")
	refused(t, []string{"serve", "--addr", "[::]:0"}, "--public")
	refused(t, []string{"serve", "--addr", "127.0.0.1"}, "HOST:PORT is expected")
	refused(t, []string{"serve", "--addr", "127.0.0.1:"}, "HOST:PORT is expected")
	refused(t, []string{"serve", "--addr", "127.0.0.1:port"}, "--addr")
	refused(t, []string{"serve", "--model", "x"}, "--model: it is for --stream")
	refused(t, []string{"serve", "--columns", "x,value"}, "--columns: it is for --stream")
	refused(t, []string{"serve", "--stream", filepath.Join(empty, "absent.csv")}, "absent.csv: no such file")
	refused(t, []string{"serve", "--stream", empty}, "is a directory")
	refused(t, []string{"serve", "--stream", "-", "--model", filepath.Join(empty, "absent")}, "absent: no such file")
	refused(t, []string{"serve", "--stream", "-", "--model", text}, text)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if status, out, said := execute("serve", "--addr", l.Addr().String()); status != exitFailure || out != "" || !strings.Contains(said, "--addr: ") || strings.Count(said, "\n") != 1 {
		t.Errorf("a port that is taken: status %d, %q, %q", status, out, said)
	}
}

// TestServeInPublic needs the token that is in the printed address.
func TestServeInPublic(t *testing.T) {
	s := serveProgram(t, theProgram(t), "--addr", "127.0.0.1:0", "--public")
	at, token, found := strings.Cut(s.url, "?token=")
	if !found || len(token) < 20 {
		t.Fatalf("the address is %s", s.url)
	}
	for url, want := range map[string]int{at: 401, at + "api/ping": 401, at + "?token=" + token[1:]: 401} {
		if answer, err := http.Get(url); err != nil || answer.StatusCode != want {
			t.Errorf("%s: %v, %v", url, answer, err)
		}
	}
	jar := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := jar.Get(s.url)
	if err != nil || answer.StatusCode != http.StatusSeeOther || len(answer.Cookies()) != 1 {
		t.Fatalf("%v, %v", answer, err)
	}
	r, _ := http.NewRequest("GET", at+"api/ping", nil)
	r.AddCookie(answer.Cookies()[0])
	if answer, err := jar.Do(r); err != nil || answer.StatusCode != 200 {
		t.Errorf("%v, %v", answer, err)
	}
	s.end(os.Interrupt)
}

// estimates reads the events of a page until one of them is wanted.
func (s *served) estimates(wanted func(*engine.Estimate) bool) *engine.Estimate {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"api/events?session="+s.session, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<22)
	var last *engine.Estimate
	for lines.Scan() {
		var e engine.Event
		text, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			s.t.Fatal(err)
		}
		if last = e.Estimate; e.Event == "estimate" && wanted(last) {
			return last
		}
	}
	s.t.Fatalf("%v: the last estimate is %+v; the program says %s", lines.Err(), last, s.stderr)
	return nil
}

// TestServeAStream of readings from standard input, with compiled physics and without; a page that comes later sees the
// present state.
func TestServeAStream(t *testing.T) {
	program, problem := theProgram(t), writeExample(t, "inverse-poisson", "--neurons=40")
	physics := filepath.Join(t.TempDir(), "physics.bpielm")
	succeed(t, "compile", problem, "--out", physics, "--quiet")
	readings, err := os.ReadFile(filepath.Join(filepath.Dir(problem), "sensors.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(readings)))
	for _, args := range [][]string{{"--model", physics}, {problem}} {
		s := serveProgram(t, program, append(args, "--stream", "-")...)
		io.WriteString(s.stdin, strings.Join(lines[:11], ""))
		s.open()
		if e := s.estimates(func(e *engine.Estimate) bool { return e.Readings == 10 }); e.Slice == nil || len(e.Parameters) != 2 || len(e.Last) != 10 || e.Ended != "" {
			t.Errorf("%+v", e)
		}
		io.WriteString(s.stdin, "broken\n"+strings.Join(lines[11:], ""))
		s.open()
		if e := s.estimates(func(e *engine.Estimate) bool { return e.Readings == len(lines)-1 }); e.Skipped != 1 || !strings.Contains(e.Why, "standard input:12") {
			t.Errorf("%+v", e)
		}
		s.stdin.Close()
		s.open()
		s.estimates(func(e *engine.Estimate) bool { return e.Ended != "" })
		answer, err := http.Get(s.url + "api/ping")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		if want := fmt.Sprintf(`{"bpielm":%q,"live":true}`, bpielm.Version); string(text) != want {
			t.Errorf("ping: %s", text)
		}
		s.end(os.Interrupt)
	}
}

// TestServeAFileThatGrows, and one that is no stream: the page stays, and says why nothing comes.
func TestServeAFileThatGrows(t *testing.T) {
	program, folder := theProgram(t), t.TempDir()
	log := write(t, folder, "edge.log", "estimate reading=1 x=0.5 u=0.25 sd=0.1\n")
	s := serveProgram(t, program, "--stream", log)
	s.open()
	if e := s.estimates(func(e *engine.Estimate) bool { return e.Readings == 1 }); len(e.Points) != 1 || e.Points[0].Mean != 0.25 {
		t.Errorf("%+v", e)
	}
	file, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString("estimate reading=2 x=0.5 u=0.5 sd=0.1\n")
	file.Close()
	s.open()
	s.estimates(func(e *engine.Estimate) bool { return e.Readings == 2 && e.Points[0].Mean == 0.5 })
	s.end(syscall.SIGTERM)

	s = serveProgram(t, program, "--stream", write(t, folder, "table.csv", "x,value\n0,1\n"))
	s.open()
	s.estimates(func(e *engine.Estimate) bool { return strings.Contains(e.Ended, "see --model") })
	s.end(os.Interrupt)
	if !strings.Contains(s.stderr.String(), "--model; the page stays\n") {
		t.Errorf("it says %s", s.stderr)
	}
}
